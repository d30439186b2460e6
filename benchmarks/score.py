"""How well an extracted book agrees with its truth: words lost, junk words, chapter starts, paragraph starts.

    python benchmarks/score.py BOOK.truth.json OUTPUT.jsonl|.md|.txt

prints one JSON object. benchmarks/README.md describes the truth. The figures:

- A *word* is a run of letters and digits, with hyphens and apostrophes inside it, after Unicode's compatibility
  folding; curly apostrophes count as straight ones, soft hyphens and zero-width marks as nothing. Case counts.
- The truth's words and the output's are aligned by the fewest insertions, deletions and substitutions of words.
  *lost*: truth's words deleted or substituted; *junk*: the output's words inserted or substituted. Both per 10,000
  words of truth.
- *chapters*: the F1 score of chapter starts. An output's are the starts of its JSONL records, or of its `# ` headings
  (a run of them is one). A start is right within 3 words of a chapter's first word in the truth; no chapter is met
  twice. *best*: the same at whichever heading level of a markdown file scores most.
- *paragraphs*: the F1 score of the starts of prose paragraphs, right within 1 word. Starts at headings, verse,
  quotations, lists and tables are neither right nor wrong.
- A JSONL file is scored whole. Of markdown and text, what stands before the body's first words and after its last is
  cut off first: cutting is no part of what such a tool promises. Markdown's own marks are no words.
"""

import argparse
import bisect
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
# Signs that a typesetter may choose either way.
_FOLDED = str.maketrans("\u2019\u2018\u2010\u2011", "''--", "\u00ad\u2060\u200b\ufeff")
# What markdown adds to the text: pictures, addresses of links (their words stay), note references, emphasis, code.
_PICTURE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_NOTE_MARK = re.compile(r"\\?\[(?:\d+|\^\w+)\\?\](?:\([^)\n]*\))?")
_LINK = re.compile(r"(?<!\\)\[([^\]\n]*)\]\([^)\n]*\)")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[_*]|[_*](?!\w)|`")
_HEADING = re.compile(r"(#{1,6})\s+(?=\S)")

# A chapter start may be this many words off: its number may be set apart from its title, or left out.
CHAPTER_SLACK = 3
# A paragraph's may be one off: a drop cap may stand alone.
PARAGRAPH_SLACK = 1
# A start is placed by the first of this many of its words that the alignment kept.
PROBE = 6
# The body's first words are looked for in its opening, its last words in its close, by runs of as many words as rarely
# recur (10, else 8, else 6 at the start, 8 at the end), every third word: some of the words may be misread.
OPENING_RUNS = (10, 8, 6)
CLOSING_RUN = 8
OPENING, CLOSING, STRIDE = 60, 50, 3


class ScoreError(Exception):
    """The score cannot be had; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Text:
    """A book as words, with the places (indices of words) where chapters, paragraphs and blocks start.

    `kinds` gives the truth's kind of block (h, p, verse, …) by its start, ascending; `levels` an output's chapter
    starts by the level of the headings that are taken for chapters.
    """

    words: list[str]
    chapters: list[int]
    paragraphs: list[int]
    kinds: list[tuple[int, str]]
    levels: dict[int, list[int]]


@dataclass(frozen=True, slots=True)
class Score:
    """An output's figures: see the module. `words` are the truth's, `found` the output's chapter starts of `wanted`."""

    words: int
    lost: float
    junk: float
    chapters: float
    best: float
    found: int
    wanted: int
    paragraphs: float


def words_of(text: str) -> list[str]:
    """The words of a text, folded, in order."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).translate(_FOLDED))


def read_truth(truth: dict[str, Any]) -> Text:
    """A truth file's words; every chapter counts, also a part's title."""
    words: list[str] = []
    text = Text(words, [], [], [], {})
    for chapter in truth["chapters"]:
        text.chapters.append(len(words))
        text.kinds.append((len(words), "h"))
        words += words_of(" ".join(chapter["heading"]))
        for block in chapter["blocks"]:
            found = words_of(block["text"])
            if not found:
                continue
            text.kinds.append((len(words), block["t"]))
            if block["t"] == "p":
                text.paragraphs.append(len(words))
            words += found
    return text


def read_output(content: str, form: str) -> Text:
    """An extractor's output. `form` is jsonl (one {"text": …} a line), md or txt."""
    if form == "jsonl":
        return _read_records(content)
    if form == "md":
        return _read_markdown(content)
    text = Text([], [], [], [], {})
    for piece in re.split(r"\n\s*\n", content):
        _add_paragraph(text, piece)
    return text


def _read_records(content: str) -> Text:
    text = Text([], [], [], [], {})
    for line in content.split("\n"):
        if line.strip():
            text.chapters.append(len(text.words))
            for piece in json.loads(line)["text"].split("\n"):
                _add_paragraph(text, piece)
    text.levels[1] = text.chapters
    return text


def _read_markdown(content: str) -> Text:
    text = Text([], [], [], [], {})
    level_before = 0
    for piece in re.split(r"\n\s*\n|\n(?=#)", content):
        heading = _HEADING.match(piece.strip())
        level = len(heading[1]) if heading else 0
        start = len(text.words)
        _add_paragraph(text, _bare(piece.strip()))
        if len(text.words) == start:
            continue
        if level and level != level_before:
            text.levels.setdefault(level, []).append(start)
        level_before = level
    text.chapters.extend(text.levels.get(1, []))
    return text


def _bare(piece: str) -> str:
    """A piece of markdown without its marks."""
    piece = _PICTURE.sub(" ", _HEADING.sub("", piece, count=1))
    piece = _LINK.sub(r"\1", _NOTE_MARK.sub(" ", piece))
    return _EMPHASIS.sub(" ", piece)


def _add_paragraph(text: Text, piece: str) -> None:
    found = words_of(piece)
    if found:
        text.paragraphs.append(len(text.words))
        text.words.extend(found)


def cut_to_body(output: Text, truth: Text) -> Text:
    """An output without what stands before the truth's first words and after its last."""
    start, end = _body_start(output.words, truth.words), _body_end(output.words, truth.words)
    if end <= start:
        end = len(output.words)

    def moved(places: Iterable[int]) -> list[int]:
        return [place - start for place in places if start - CHAPTER_SLACK <= place < end]

    levels = {level: moved(places) for level, places in output.levels.items()}
    return Text(output.words[start:end], moved(output.chapters), moved(output.paragraphs), [], levels)


def _body_start(words: list[str], truth: list[str]) -> int:
    """Where the truth begins: by the last place of its opening words, as a contents page may have some of them too."""
    for size in OPENING_RUNS:
        for offset in range(0, OPENING, STRIDE):
            place = _last_place(words, truth[offset : offset + size], size)
            if place is not None:
                return max(0, place - offset)
    return 0


def _body_end(words: list[str], truth: list[str]) -> int:
    for offset in range(0, CLOSING, STRIDE):
        stop = len(truth) - offset
        place = _last_place(words, truth[max(0, stop - CLOSING_RUN) : max(0, stop)], CLOSING_RUN)
        if place is not None:
            return min(len(words), place + CLOSING_RUN + offset)
    return len(words)


def _last_place(words: list[str], run: list[str], size: int) -> int | None:
    if len(run) < size:
        return None
    for place in range(len(words) - size, -1, -1):
        if words[place] == run[0] and words[place : place + size] == run:
            return place
    return None


def align(truth: Sequence[str], output: Sequence[str]) -> tuple[int, int, dict[int, int]]:
    """Words of the truth lost, words of the output that are junk, and the truth's place of each word that was kept.

    Raises ScoreError where rapidfuzz is not installed.
    """
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise ScoreError("scoring needs rapidfuzz; install it: pip install -e '.[benchmark]'") from None
    codes: dict[str, int] = {}
    left = [codes.setdefault(word, len(codes)) for word in truth]
    right = [codes.setdefault(word, len(codes)) for word in output]
    lost = junk = 0
    kept: dict[int, int] = {}
    for step in Levenshtein.opcodes(left, right):
        if step.tag == "equal":
            kept.update(zip(range(step.dest_start, step.dest_end), range(step.src_start, step.src_end), strict=True))
        else:
            lost += step.src_end - step.src_start
            junk += step.dest_end - step.dest_start
    return lost, junk, kept


def f1_of_starts(found: Sequence[int], wanted: Sequence[int], kept: dict[int, int], slack: int) -> float:
    """F1 of found starts (places in the output) against wanted ones (in the truth, ascending), each met once.

    Starts that fall on the word itself are taken first, then those within `slack` words, the nearest.
    """
    placed = [place for start in found if (place := _place(start, kept)) is not None]
    exact = set(placed) & set(wanted)
    met, waiting = set(exact), list(placed)
    for place in exact:
        waiting.remove(place)
    for place in waiting:
        near = wanted[bisect.bisect_left(wanted, place - slack) : bisect.bisect_right(wanted, place + slack)]
        free = [start for start in near if start not in met]
        if free:
            met.add(min(free, key=lambda start: abs(start - place)))
    whole = len(found) + len(wanted)
    return round(2 * len(met) / whole, 4) if whole else 0.0


def _place(start: int, kept: dict[int, int]) -> int | None:
    """The truth's place of an output's start, by the first of its words that was kept."""
    return next((kept[start + step] - step for step in range(PROBE) if start + step in kept), None)


def score(truth: dict[str, Any], content: str, form: str) -> Score:
    """The figures of an output (`form`: jsonl, md or txt) against a truth. Raises ScoreError: see `align`."""
    wanted, output = read_truth(truth), read_output(content, form)
    if form != "jsonl":
        output = cut_to_body(output, wanted)
    lost, junk, kept = align(wanted.words, output.words)
    rate = 10_000 / max(1, len(wanted.words))
    blocks = [start for start, _ in wanted.kinds]

    def in_prose(start: int) -> bool:
        place = kept.get(start)
        return place is not None and wanted.kinds[bisect.bisect_right(blocks, place) - 1][1] == "p"

    by_level = [f1_of_starts(starts, wanted.chapters, kept, CHAPTER_SLACK) for starts in output.levels.values()]
    return Score(
        words=len(wanted.words),
        lost=round(lost * rate, 2),
        junk=round(junk * rate, 2),
        chapters=f1_of_starts(output.chapters, wanted.chapters, kept, CHAPTER_SLACK),
        best=max(by_level, default=0.0),
        found=len(output.chapters),
        wanted=len(wanted.chapters),
        paragraphs=f1_of_starts(
            [start for start in output.paragraphs if in_prose(start)], wanted.paragraphs, kept, PARAGRAPH_SLACK
        ),
    )


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(description="Score an extracted book against its truth.")
    parser.add_argument("truth", type=Path, metavar="BOOK.truth.json")
    parser.add_argument("output", type=Path, metavar="OUTPUT", help="a .jsonl, .md or .txt file")
    given = parser.parse_args(arguments)
    try:
        truth = json.loads(given.truth.read_text("utf-8"))
        content = given.output.read_bytes().decode("utf-8", "replace")
        result = score(truth, content, given.output.suffix[1:])
    except (OSError, ValueError, KeyError, ScoreError) as error:
        print(f"score: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    print(json.dumps(asdict(result)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
