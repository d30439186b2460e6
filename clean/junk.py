"""The junk-line pass: drop a line of whose tokens at most half are wordlike; keep every line that may be text.

What counts is the shape of tokens, not a dictionary: a line in any language passes, the noise of an OCR engine
("~ .,;: 1|l ' ^") does not. Numbers, initials and single marks count neither way beside words. A line of nothing else
is a separator, a folio or a stray initial, and goes. Program text, commands and rows of tables stay. Headings are the
caller's to exempt.

That is for texts that an OCR engine may have made. In a text that was never on paper (`numbers="keep"`) no line with a
letter or figure is noise, unless most of it are signs that stand for nothing.
"""

import re
import unicodedata
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Literal

from bookblend.clean.program import is_program, is_row
from bookblend.clean.units import names_unit
from bookblend.clean.wordlist import words

Rule = Literal["", "noise", "number", "separator", "initials"]
Numbers = Literal["drop", "keep"]

# Only this much of a token is looked at: it is decided by then, and damaged text has "words" of a million letters.
_REACH = 64


class Shape(Enum):
    """What a token looks like; numbers and neutral tokens count neither for nor against a line."""

    WORD = "word"
    SHORT = "short"  # two letters that may be a word
    NUMBER = "number"
    NEUTRAL = "neutral"
    NOISE = "noise"


# Plain words, as most tokens are, decided by one match: ASCII letters, a vowel, the usual marks around.
_PLAIN = re.compile(
    r"[“‘\"'(\[*_]{0,3}(?=[A-Za-z'’-]*[aeiouyAEIOUY])([A-Za-z]{3,}(?:[-'’][A-Za-z]+)*)[.,;:!?…”’\"')\]*_-]{0,4}$"
)
# Of these, the ones that may be strokes or roman numerals and need a closer look.
_DOUBTFUL = re.compile(r"(?:[ijltfr]+|[ivxlcdm]+)$", re.IGNORECASE)
_NUMBER = re.compile(r"[“‘\"'(\[*_]*[-+±−]?[£$€¥#№§]*\.?\d[\d.,:/'’–—¼-¾⅐-⅞-]*[)\].,;:!?°*_”’\"']*$")
# Four digits of a year are a title, a date or a table's entry, never a folio but in the thickest books.
_YEAR = re.compile(r"\D*(?:1\d|20)\d\d\D*$")
_CURRENCY = frozenset("£$€¥")
# Digits with a unit or an ordinal's ending ("12th", "1850s", "6d.", "3km", "20%") are text.
_MEASURE = re.compile(
    r"[£$€]?\d[\d.,/]*(?:st|nd|rd|th|s|d|m|h|[ckm]m|kg|g|lb|oz|ft|in|a?m|pm|er|re|e|º|ª|%)[).,;:!?]*$"
)
_ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(?:c[md]|d?c{0,3})(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.){2,}[^\W\d_]?$")
# "x + y = z", "x=((a+b))^2": short names and figures about a sign of relation, brackets closed.
_FORMULA = re.compile(r"[\w .,()\[\]{}+*/^=<>≤≥≠≈≡→⇒∈⊂±×÷·√∑∫∞'′−-]+$")
_LONG_NAME = re.compile(r"[^\W\d_]{4}")
_RELATION = re.compile(r"[\w)\]}] *[=≤≥≠≈≡→⇒∈⊂] *[\w(\[{√−-]")
_LONGEST_FORMULA = 200
_TEX = re.compile(r"\\[A-Za-z]{3}|\$\$")
# A single bar parts the cells of a table.
_BAR = re.compile(r"(?<!\|)\|(?!\|)")
_PIECES = re.compile(r"[^\W\d_]+")
_ONE_SIGN = re.compile(r"(\W|_)\1*$")
# Signs that no word has inside, and that OCR engines make of specks and edges.
_NOISE_SIGNS = frozenset("~^|\\{}<>¦¬=")
# Of these the ones that may stand alone: table bars, signs of relation.
_ALONE = frozenset("|=<>")
_VOWELS = frozenset("aeiouyæœøı")
# Vowelless words and abbreviations of several languages.
_VOWELLESS = words(
    "mr mrs ms dr st jr sr vs nth pp ch hm hmm mm mmm sh shh shhh ssh pst psst tsk tst brr brrr grr zzz cwm crwth pfft "
    "bzz ff cf fr ltd bc bce tv cd phd nb ps mme mlle hr nr bzw vgl usw str "
    "lbs cwt dwt qrs hrs pts http ftp"
)
# A liquid between two consonants is the syllable of Slavic words ("krk", "prst", "vlk").
_SYLLABIC = re.compile(r"[^\W\d_aeiouy]*[bcdghkmnpsvzčďňřšťž][rl][bcdghkmnpstvzčďňřšťž]+$")
# Letters that engines make of strokes; a stroke letter alone is no word in any language, but for "i" and "t".
_STROKES = frozenset("ijltfr")
_LONE_STROKES = frozenset("jlfr")
_REPEATED = re.compile(r"([bcdfgjklnpqtvx])\1\1")
_APOSTROPHES = re.compile("['’`ʻ]")
# From so many on, tokens of one or two letters with nothing longer beside them look like noise ("ae ie os wn").
_MANY_SMALL = 3
# Marks that a word may have around it; dashes, leaders and emphasis not counted.
_MARKS = 4
_LEADERS = frozenset("-–—.…_*")
# Letters of a word that tells markup from noise.
_CODE_WORD = 4
# A vowelless abbreviation is no longer than this without its full stop ("Dn.", "Pd.", "Xbrs.").
_ABBREVIATION = 4
_INNER_CAPITALS = re.compile(r"[a-zß-ÿ][A-ZÀ-Þ]")
# Single capitals that are a whole utterance, or a section's number, with a mark behind them ("O!", "I.").
_LONE_CAPITALS = frozenset("IOVX")
_QUOTES = frozenset("“”‘’\"'«»„?!")
# General categories of characters that stand for nothing: control, private use, surrogate, unassigned.
_MEANINGLESS = frozenset({"Cc", "Co", "Cs", "Cn"})
_PLAIN_WORD = re.compile(r"[^\W\d_]{3}")
_TELLING = frozenset("()[]{};?!“”„«»\"'`")
_UTTERED = frozenset('.!?,;:…—–”’"-')


def rule(line: str, numbers: Numbers = "drop", known: Callable[[str], bool] | None = None) -> Rule:
    """The rule that drops `line`, "" where it stays.

    "noise": at most half of the tokens are wordlike; "number", "initials", "separator": nothing but these.
    With `numbers="keep"`, for texts that no OCR engine made, numbers and initials stay, and "noise" is only what is
    mostly signs without a meaning. `known` says of a word whether the language or the book has it; it is asked about
    words of two letters where a line has several small tokens and nothing longer, and about words without a vowel.
    """
    if numbers == "keep":
        return _rule_of_sound(line)
    tokens = _BAR.sub(" | ", line).split()
    shapes = [_shape(token[:_REACH]) for token in tokens]
    if known and Shape.NOISE in shapes:
        shapes = [
            Shape.WORD if shape is Shape.NOISE and _is_name(token, known) else shape
            for token, shape in zip(tokens, shapes, strict=True)
        ]
    wordlike, noise, short = shapes.count(Shape.WORD), shapes.count(Shape.NOISE), shapes.count(Shape.SHORT)
    if short and not wordlike and known and short + _small(tokens, shapes) >= _MANY_SMALL:
        sure = sum(any(map(known, _two(t))) for t, shape in zip(tokens, shapes, strict=True) if shape is Shape.SHORT)
        short, noise = sure, noise + short - sure
    wordlike += short
    if wordlike > noise or names_unit(line) or _TEX.search(line):
        return ""
    if _is_formula(line) or is_row(line) or is_program(line):
        return ""
    if wordlike or (noise and len(set("".join(tokens))) > 1):
        return "noise"
    if Shape.NUMBER not in shapes and not any(character.isalpha() for character in line):
        return "separator"
    return "number" if Shape.NUMBER in shapes else "initials"


def _rule_of_sound(line: str) -> Rule:
    if any(map(str.isalnum, line)):
        # Nearly every line is printable and has nothing to count.
        if "\ufffd" not in line and line.replace("\t", " ").isprintable():
            return ""
        written = sum(map(str.isalnum, line))
        broken = sum(unicodedata.category(c) in _MEANINGLESS or c == "\ufffd" for c in line if c != "\t")
        return "noise" if broken > written and not _PLAIN_WORD.search(line) else ""
    # A brace on its own line closes a block of code; a mark in quotes is an answer.
    return "" if not _TELLING.isdisjoint(line) else "separator"


def _is_name(token: str, known: Callable[[str], bool]) -> bool:
    """Whether a token without a vowel is a word that is known ("dpkg"); strokes ("lll") are none, however often."""
    core = _letters(token[:_REACH])
    folded = _without_accents(core)
    return (
        len(core) > 2 and core.isalpha() and not (_made_of_strokes(folded) or _REPEATED.search(folded)) and known(core)
    )


def _is_formula(line: str) -> bool:
    stripped = line.strip()
    return bool(
        len(stripped) <= _LONGEST_FORMULA
        and _RELATION.search(stripped)
        and _FORMULA.match(stripped)
        and not _LONG_NAME.search(stripped)
        and all(stripped.count(opening) == stripped.count(closing) for opening, closing in ("()", "[]", "{}"))
    )


def _small(tokens: list[str], shapes: list[Shape]) -> int:
    """How many tokens are single letters or the like."""
    return sum(shape is Shape.NEUTRAL and token[0].isalpha() for token, shape in zip(tokens, shapes, strict=True))


@lru_cache(maxsize=1 << 16)
def _shape(token: str) -> Shape:
    plain = _PLAIN.match(token)
    if plain and not _DOUBTFUL.match(plain[1]):
        return Shape.WORD
    if _NUMBER.match(token):
        return Shape.WORD if _YEAR.match(token) or not _CURRENCY.isdisjoint(token) else Shape.NUMBER
    if _MEASURE.match(token):
        return Shape.WORD
    if not any(character.isalnum() for character in token):
        sign = _ONE_SIGN.match(token) and (token[0] not in _NOISE_SIGNS or token in _ALONE)
        return Shape.NEUTRAL if sign or _usual_marks(token) else Shape.NOISE
    return _shape_of_core(token, _letters(token))


def _two(token: str) -> list[str]:
    """The runs of two letters in a token."""
    return [piece for piece in _PIECES.findall(token) if len(piece) == 2]


def _usual_marks(token: str) -> bool:
    """Marks that stand together in text (“—!”, ’?, …), and pictures."""
    if unicodedata.category(token[0]) == "So":
        return True
    return len(token) <= _MARKS and all(
        unicodedata.category(c) in ("Pi", "Pf", "Pd") or c in "!?….\"'()[]*†‡" for c in token
    )


def _letters(token: str) -> str:
    """The token from its first letter or digit to its last, with the combining marks of the last."""
    start, end = 0, len(token)
    while start < end and not token[start].isalnum():
        start += 1
    while end > start and not (token[end - 1].isalnum() or _is_mark(token[end - 1])):
        end -= 1
    return token[start:end]


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mc", "Mn")  # accents, vowel signs of Indic scripts


def _shape_of_core(token: str, core: str) -> Shape:
    if any(not _is_latin(character) for character in core if character.isalpha()):
        return _shape_of_other_script(core)
    if len(core) == 1:
        return _shape_of_one(token, core)
    if not _NOISE_SIGNS.isdisjoint(core):
        return Shape.WORD if _is_code(core) else Shape.NOISE
    folded = _without_accents(core)
    if _ROMAN.match(folded) and (core.isupper() or core.islower()):
        # "II." heads a section and "mix," is a word; a folio has no mark but brackets and dashes.
        return Shape.WORD if token[-1] in _UTTERED else Shape.NUMBER
    if _INITIALS.match(core + "."):  # said aloud they are text: “A.B.C.?”
        return Shape.WORD if token[0] in _QUOTES or token[-1] in _QUOTES else Shape.NEUTRAL
    pieces = _PIECES.findall(_APOSTROPHES.sub("", folded))
    if any(character.isdigit() for character in core):
        return _shape_of_mixture(core, pieces)
    best = max((_shape_of_piece(piece) for piece in pieces), key=_RANK.__getitem__, default=Shape.NEUTRAL)
    abbreviated = len(core) <= _ABBREVIATION and core + "." in token
    if best is Shape.NOISE and core.istitle() and core.isalpha() and len(core) > 2 and not _REPEATED.search(folded):
        return Shape.NOISE if _made_of_strokes(folded) else Shape.WORD  # names: "Bzr"
    if best is Shape.NOISE and core.isupper() and not _STROKES.issuperset(folded):
        return Shape.WORD if core.isalpha() and len(core) > 2 else Shape.NEUTRAL  # acronyms: "PHP"
    if len(_INNER_CAPITALS.findall(core)) > 1 or (best is Shape.NOISE and abbreviated):
        return Shape.NEUTRAL
    marks = sum(not (character.isalnum() or character in _LEADERS) for character in token)
    return Shape.NOISE if marks > max(_MARKS, len(core)) else best


def _is_code(core: str) -> bool:
    """Whether a token with signs in it is markup or program text: mostly letters, and among them a plain word."""
    pieces = _PIECES.findall(core.lower())
    return 2 * sum(map(len, pieces)) > len(core) and any(
        len(piece) >= _CODE_WORD and not _VOWELS.isdisjoint(piece) and not _REPEATED.search(piece) for piece in pieces
    )


def _shape_of_mixture(core: str, pieces: list[str]) -> Shape:
    """Digits with letters: a word with a note's number, a section ("1.E"), a price ("L105"), or strokes ("1l")."""
    if any(_shape_of_piece(piece) is Shape.WORD for piece in pieces):
        return Shape.WORD
    letters = {character for character in core if character.isalpha()}
    return Shape.NOISE if letters and letters <= _STROKES else Shape.NEUTRAL if letters else Shape.NUMBER


_RANK = {Shape.NOISE: 0, Shape.NEUTRAL: 1, Shape.NUMBER: 1, Shape.SHORT: 2, Shape.WORD: 3}


def _shape_of_one(token: str, core: str) -> Shape:
    if not core.isalpha():
        return Shape.NUMBER  # ①, ½
    if core in _LONE_CAPITALS and token[-1] in _UTTERED:
        return Shape.WORD
    if core in ("I", "V", "X") and token == core:
        return Shape.NUMBER
    return Shape.NOISE if core in _LONE_STROKES and len(token) == 1 else Shape.NEUTRAL


def _shape_of_piece(piece: str) -> Shape:
    """Of letters only, lower case and without accents."""
    if piece in _VOWELLESS:
        return Shape.WORD
    if _made_of_strokes(piece) or _REPEATED.search(piece):
        return Shape.NOISE
    if _VOWELS.isdisjoint(piece):
        return Shape.WORD if _SYLLABIC.match(piece) else Shape.NEUTRAL if len(piece) <= 2 else Shape.NOISE
    return Shape.WORD if len(piece) > 2 else Shape.SHORT if len(piece) == 2 else Shape.NEUTRAL


def _shape_of_other_script(core: str) -> Shape:
    letters = [character for character in core if character.isalpha()]
    if 2 * sum(character.isalnum() or _is_mark(character) for character in core) < len(core):
        return Shape.NOISE
    # One letter of an alphabet is an initial or a particle; one sign of any other script is a word or syllable.
    return Shape.NEUTRAL if len(letters) == 1 and letters[0].lower() != letters[0].upper() else Shape.WORD


def _made_of_strokes(piece: str) -> bool:
    return _STROKES.issuperset(piece) and ("ii" in piece or "i" not in piece or bool(_REPEATED.search(piece)))


def _is_latin(letter: str) -> bool:
    # Latin, IPA extensions; Latin Extended Additional; C, D, E; full-width forms.
    return (
        letter < "\u02b0"
        or "\u1e00" <= letter <= "\u1eff"
        or "\u2c60" <= letter <= "\u2c7f"
        or "\ua722" <= letter <= "\ua7ff"
        or "\uff21" <= letter <= "\uff5a"
    )


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
