"""Repair of a book's markdown blocks: general repairs, a recipe's replacements, notices, the junk-line pass.

The repairs are stateless functions `str → str` (some ask the book's `Lexicon`); the name of a repair, its option and
its count in the report are one word. They leave sound text as it is, so running them again changes nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bookblend.clean import junk, notices
from bookblend.clean.characters import composition, controls, invisibles, ligatures
from bookblend.clean.hyphens import Lexicon
from bookblend.clean.mojibake import mojibake
from bookblend.clean.program import is_table
from bookblend.clean.spaced import spaced
from bookblend.clean.splits import Splits
from bookblend.clean.vocabulary import UNMET
from bookblend.clean.wraps import wraps
from bookblend.errors import ExpectationError
from bookblend.markdown import MarkdownBlock

# In this order: mojibake holds C1 controls and becomes ligatures and invisibles; line ends must stand before words
# are joined over them.
_BY_CHARACTER: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("mojibake", mojibake),
    ("controls", controls),
    ("composition", composition),
    ("ligatures", ligatures),
    ("invisibles", invisibles),
)
# Each made for one book, from its lexicon.
_BY_WORD: tuple[tuple[str, Callable[[Lexicon], Callable[[str], str]]], ...] = (
    ("wraps", lambda lexicon: lambda text: wraps(text, lexicon)),
    ("spaced", lambda lexicon: lambda text: spaced(text, lexicon)),
    ("splits", Splits),
)
# What one repair takes away may have hidden what another looks for: so often are blocks that changed looked at again.
_ROUNDS = 3
# What may be done to code: there every other sign, and every line, stands as its author typed it.
_FOR_CODE = frozenset({"controls", "invisibles"})
REPAIRS = (*(name for name, _ in _BY_CHARACTER), *(name for name, _ in _BY_WORD))
# A form that a book has this often is a word of its own.
_ESTABLISHED = 3
# Characters of a notice that its warning quotes.
_QUOTED = 60
# What ends a sentence: a short line after it begins anew, a short line after anything else goes on.
_ENDS = tuple(".!?:;…”’\"')»")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """An exact text to replace, and how often it must be found in the repaired book; None: at least once."""

    text: str
    by: str
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOptions:
    """What to do; the defaults are for markdown of unknown origin.

    numbers   "drop" where an OCR engine may have made the text; "keep" where none has, and folios are gone already:
              lines of digits, roman numerals and initials stay, and nearly all that looks like noise (see `junk`)
    language  of the book, as declared; "" lets its words speak
    skip      names of repairs (see `REPAIRS`) to leave out
    notices   drop digitisers' notices
    junk      run the junk-line pass
    """

    replacements: tuple[Replacement, ...] = ()
    numbers: junk.Numbers = "drop"
    language: str = ""
    skip: frozenset[str] = frozenset()
    notices: bool = True
    junk: bool = True


@dataclass(frozen=True, slots=True)
class Repaired:
    """The result: blocks, for each the ordinal of the input block it came from, and what was done.

    dropped   (rule, ordinal of the input block, text), in the book's order
    counts    repair → number of blocks it changed; "replacements" → number of texts replaced; only what happened
    warnings  one line each for the user
    """

    blocks: tuple[MarkdownBlock, ...]
    origins: tuple[int, ...]
    dropped: tuple[tuple[str, int, str], ...]
    counts: Mapping[str, int]
    warnings: tuple[str, ...] = ()


def repair(blocks: Sequence[MarkdownBlock], options: RepairOptions | None = None) -> Repaired:
    """Repair blocks (see `RepairOptions`); their order and level stay. Code only loses characters that nobody sees.

    Raises `ExpectationError` for a replacement whose text is not found as often as it says.
    """
    options = options or RepairOptions()
    texts, counts, lexicon = _repair_texts(blocks, options)
    if options.replacements:
        texts, counts["replacements"] = _replace_all(texts, options.replacements)
    dropped: list[tuple[str, int, str]] = []
    warnings: tuple[str, ...] = ()
    if options.notices:
        texts, warnings = _drop_notices(blocks, texts, dropped)
    kept: list[tuple[int, MarkdownBlock]] = []
    for ordinal, (block, text) in enumerate(zip(blocks, texts, strict=True)):
        if options.junk and not block.level and not block.code:
            text = _drop_junk(text, ordinal, options, lexicon, dropped)
        if text.strip():
            kept.append((ordinal, replace(block, text=text)))
    return Repaired(
        blocks=tuple(block for _, block in kept),
        origins=tuple(ordinal for ordinal, _ in kept),
        dropped=tuple(sorted(dropped, key=lambda entry: entry[1])),
        counts={name: count for name, count in counts.items() if count},
        warnings=warnings,
    )


def _repair_texts(blocks: Sequence[MarkdownBlock], options: RepairOptions) -> tuple[list[str], dict[str, int], Lexicon]:
    texts = [block.text for block in blocks]
    changed: dict[str, set[int]] = {name: set() for name in REPAIRS}

    def run(name: str, function: Callable[[str], str], ordinals: Iterable[int]) -> None:
        if name not in options.skip:
            for ordinal in ordinals:
                if blocks[ordinal].code and name not in _FOR_CODE:
                    continue
                repaired = function(texts[ordinal])
                if repaired != texts[ordinal]:
                    changed[name].add(ordinal)
                    texts[ordinal] = repaired

    everywhere = range(len(texts))
    pending: Sequence[int] = everywhere
    for _ in range(_ROUNDS):
        before = {ordinal: texts[ordinal] for ordinal in pending}
        for name, function in _BY_CHARACTER:
            run(name, function, pending)
        pending = [ordinal for ordinal in pending if texts[ordinal] != before[ordinal]]
    for ordinal, block in enumerate(blocks):
        if block.level:  # a heading is one line, whatever broke it
            texts[ordinal] = " ".join(texts[ordinal].split("\n"))
    lexicon = Lexicon(options.language)
    for text in texts:
        lexicon.add(text)
    for name, make in _BY_WORD:
        run(name, make(lexicon), everywhere)
    return texts, {name: len(ordinals) for name, ordinals in changed.items()}, lexicon


def _replace_all(texts: list[str], replacements: Sequence[Replacement]) -> tuple[list[str], int]:
    total = 0
    for wanted in replacements:
        if not wanted.text:
            raise ExpectationError("a replacement's text is empty; say what is to be replaced")
        found = sum(text.count(wanted.text) for text in texts)
        if found != wanted.count if wanted.count is not None else not found:
            expected = "at least once" if wanted.count is None else f"{wanted.count} times"
            raise ExpectationError(f"replacement {wanted.text!r}: expected {expected}, found {found} times")
        texts = [text.replace(wanted.text, wanted.by) if wanted.text in text else text for text in texts]
        total += found
    return texts, total


def _drop_notices(
    blocks: Sequence[MarkdownBlock], texts: list[str], dropped: list[tuple[str, int, str]]
) -> tuple[list[str], tuple[str, ...]]:
    """The texts with sure notices emptied, and a warning for each that was dropped or only resembles one."""
    warnings = []
    texts = list(texts)
    for notice in notices.find(
        ["" if block.level or block.code else text for block, text in zip(blocks, texts, strict=True)]
    ):
        text = texts[notice.block]
        done = "dropped" if notice.sure else "kept"
        warnings.append(f"a digitiser's notice, {done}: {' '.join(text.split())[:_QUOTED]!r}")
        if notice.sure:
            dropped.append(("notice", notice.block, text))
            texts[notice.block] = ""
    return texts, tuple(warnings)


def _drop_junk(
    text: str, ordinal: int, options: RepairOptions, lexicon: Lexicon, dropped: list[tuple[str, int, str]]
) -> str:
    def known(word: str) -> bool:
        if lexicon.frequency(word) > UNMET or lexicon.seen(word) >= _ESTABLISHED:
            return True
        return len(word) == 2 and not lexicon.has_list()

    if is_table(text.split("\n")):
        return text
    kept: list[str] = []
    for line in text.split("\n"):
        rule = junk.rule(line, options.numbers, known)
        if not line.strip():
            continue
        if rule and not _goes_on(kept, line, rule):
            dropped.append((rule, ordinal, line))
        else:
            kept.append(line)
    return "\n".join(kept)


def _goes_on(above: list[str], line: str, rule: junk.Rule) -> bool:
    """Whether a number or letter goes on with the sentence of the line above ("… on page" / "12."): then it is text.

    A bare number there may be a folio that stands between two lines of a paragraph, and does not.
    """
    if rule not in ("number", "initials") or not above or above[-1].rstrip().endswith(_ENDS):
        return False
    return rule == "initials" or line.rstrip()[-1] in ".,;:!?)"
