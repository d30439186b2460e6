"""Credits and notes of those who made an electronic text, at a book's front; notes at its end as well.

A pattern that eats prose is far worse than one that leaves a credit: each rule needs words that a book of the printed
age has no use for, or a place where only a credit can stand.
"""

import re
from collections.abc import Iterator

from bookblend.blend.normalise import from_utf8

# The recipe: credits stand in a document's first lines, and end for good at the first line that is none.
WINDOW = 40
_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
# "Produced by" is case-sensitive, and so is the capital behind it: prose wraps before "produced by charity, or …".
_PRODUCED = re.compile(r"\s*Produced by [A-Z]")
_LINE = re.compile(
    r"\s*(?:(?:this )?e-?(?:book|text) was produced by|there are several editions of this e-?book"
    r"|various characteristics of each e-?book|\[?transcriber['’]s note|updated editions will replace"
    r"|this file was produced from|transcribed from the)\b",
    re.IGNORECASE,
)

# The full rules read paragraphs: credits in a longer window, each no longer than this.
_FRONT_PARAGRAPHS = 40
_CREDIT_LINES, _EMAIL_LINES = 12, 4
_MADE = (
    r"(?:produced|prepared|scanned|transcribed|created|proof-?read|typed|entered|converted|keyed|digiti[sz]ed|proofed"
    r"|contributed|submitted|compiled|corrected|formatted|provided)"
)
_ELECTRONIC = r"(?:(?:project gutenberg(?:['’]s)? )?e-?(?:text|book)s?|html|electronic (?:text|edition|version))"
# Words of an electronic text: such a paragraph is a credit wherever it stands in the front.
_CREDIT = re.compile(
    rf"\W*(?:(?:this |the )?{_ELECTRONIC}(?: edition| version)? (?:(?:was|is|has been) )?(?:originally |first )?"
    rf"{_MADE}\b"
    rf"|credits? for (?:the |this )?e-?(?:text|book)\b"
    r"|notes?: (?:please see )?project gutenberg\b|(?:the |this )?project gutenberg(?:['’]s)? e-?(?:text|book)\b"
    r"|\w+ for project gutenberg by\b"
    r"|we have both a 7 bit version|we produce two versions of each of our e-?texts|this is the [78] bit version"
    r"|there are several editions of this e-?book|various characteristics of each e-?book"
    r"|updated editions will replace the|this file was produced from|the internet wiretap)",
    re.IGNORECASE,
)
# Words that a printed book could use as well: a credit only right behind the marker, and with a name.
_VERBS = "|".join(verb.capitalize() for verb in _MADE[3:-1].replace("proof-?read", "proofread|proof-read").split("|"))
_OPENING = re.compile(
    rf"\W*(?:(?i:(?:this |the )?(?:text|file) (?:was )?{_MADE})"
    rf"|(?:{_VERBS}|HTML version)(?:,? (?:and |& )?[a-z]+){{0,3}})"
    r" (?:by\b:?|from (?:the|a|an|page)\b)\s*(?:(?:an?|the) )?[A-Z\d(]",
)
_TRANSCRIBED_FROM = re.compile(r"\W*Transcribed from (?:the|an?) ", re.IGNORECASE)
_WORDED = re.compile(
    r"https?:|www\.|@|proofread|\bteam\b|\bimages?\b|archive|pgdp|gutenberg|\bfile\b|volunteer|e-?text|e-?book|\bscans?\b"
    r"|edition|online",
    re.IGNORECASE,
)
_SMALL_WORDS = frozenset(("and", "by", "the", "of", "from", "with", "at", "for", "an", "a", "in")) | frozenset(
    ("de", "von", "van", "der", "la", "le", "du", "di", "da")
)
_SIGNED = re.compile(r"Project Gutenberg\nExecutive Director\s*$")

_NOTE = re.compile(
    r"[\s\[_*=+|-]*(?:transcri(?:ber|ption)|preparer|scanner|transcriptionist|proofreader|digiti[sz]er)(?:s['’]?|['’]s?)?"
    r"_? notes?\b",
    re.IGNORECASE,
)
# The label alone, or with what the note is about.
_LABEL = re.compile(rf"{_NOTE.pattern}[^.\n]{{0,40}}", re.IGNORECASE)
_NOTE_WORDS = re.compile(
    r"e-?text|e-?book|\bfile\b|transcri|typograph|misprint|spelling|punctuation|hyphen|italic|html|unicode|utf-8|ascii"
    r"|page numbers?|cover image|correct(?:ed|ions?)\b|silently|\btext is based\b|\bthis text\b|transliterat"
    r"|\bscann|inconsisten|footnotes? (?:have|were)",
    re.IGNORECASE,
)
_NOTE_PARAGRAPHS = 12
_BOX = re.compile(r"\s*[+|]")
# A note behind the book's end: so near to it, and so short.
_TAIL_CHARACTERS, _TAIL_SHARE, _TAIL_LINES = 16000, 8, 200
_TAIL_NOTE = re.compile(rf"(?m)^{_NOTE.pattern}", re.IGNORECASE)


def is_credit_line(line: str) -> bool:
    """The recipe's test of one line."""
    return bool(_PRODUCED.match(line) or _LINE.match(line) or ("@" in line and _EMAIL.search(line)))


def drop_credit_lines(data: bytes) -> tuple[bytes, int, list[str]]:
    """The recipe's rule: credit lines among the first forty go, up to the first line that is neither one nor blank.

    Of a text in UTF-8: what is kept of these lines, the place that the rest begins at, and the lines that went.
    """
    kept: list[bytes] = []
    dropped: list[str] = []
    place = 0
    for _ in range(WINDOW):
        end = data.find(b"\n", place)
        raw = data[place:] if end < 0 else data[place : end + 1]
        line = from_utf8(raw.removesuffix(b"\n"))
        if is_credit_line(line):
            dropped.append(line)
        elif line.strip():
            break
        else:
            kept.append(raw)
        place += len(raw)
        if end < 0:
            break
    front = b"".join(kept)
    return front.removesuffix(b"\n") if place == len(data) else front, place, dropped


def drop_front(text: str, start: int, end: int, *, credits: bool, notes: bool) -> tuple[str, int, list[str], list[str]]:
    """The book that is a span of a text, without the credits and notes at its front.

    Gives what is kept of the paragraphs looked at, the place where the rest begins, the lines that went as either.
    """
    front = list(_paragraphs(text, start, end))
    gone: set[int] = set()
    noted: set[int] = set()
    if credits and (letter := _letter(front)):
        gone.update(range(letter))
    opening = True
    for number, paragraph in enumerate(front):
        if number in gone or number in noted:
            continue
        if notes and _NOTE.match(paragraph) and (taken := _note(front, number)):
            noted.update(taken)
        elif credits and _is_credit(paragraph, opening):
            gone.add(number)
        elif paragraph.strip():
            opening = False
    if not gone and not noted:
        return "", start, [], []
    kept = "".join(p for number, p in enumerate(front) if number not in gone and number not in noted)
    return kept, start + sum(map(len, front)), _lines(front, gone), _lines(front, noted)


def tail_begin(length: int) -> int:
    """Where the part of a book begins that may be a note behind its end."""
    return max(length - _TAIL_CHARACTERS, length - length // _TAIL_SHARE)


def find_tail_notes(tail: str) -> tuple[int, list[str]]:
    """Where in that part the transcriber's notes begin, and their lines; its end, if it holds none."""
    if "ote" not in tail and "OTE" not in tail:
        return len(tail), []
    for found in _TAIL_NOTE.finditer(tail):
        note = tail[found.start() :]
        lines = [line for line in note.split("\n") if line.strip()]
        before = tail[: found.start()]
        if len(lines) <= _TAIL_LINES and (not before.strip() or before.endswith("\n")) and _NOTE_WORDS.search(note):
            return found.start(), lines
    return len(tail), []


def _paragraphs(text: str, place: int, end: int) -> Iterator[str]:
    """The first paragraphs of a span, each with the blank lines behind it, so that they join to what they were."""
    for _ in range(_FRONT_PARAGRAPHS):
        if place >= end:
            return
        found = _PARAGRAPH_END.search(text, place, end)
        stop = found.end() if found else end
        yield text[place:stop]
        place = stop


_PARAGRAPH_END = re.compile(r"\n(?:[ \t]*\n)+")


def _lines(front: list[str], numbers: set[int]) -> list[str]:
    return [line for number in sorted(numbers) for line in front[number].split("\n") if line.strip()]


def _is_credit(paragraph: str, opening: bool) -> bool:
    body = paragraph.strip("\n").rstrip()
    lines = body.count("\n") + 1
    if lines > _CREDIT_LINES:
        return False
    if _CREDIT.match(body):
        return True
    made = _OPENING.match(body) or _TRANSCRIBED_FROM.match(body)
    if made and _EMAIL.search(body):
        return True
    if not opening:
        return False
    if made and (_WORDED.search(body) or _is_names(body)):
        return True
    return lines <= _EMAIL_LINES and "@" in body and bool(_EMAIL.search(body))


def _is_names(body: str) -> bool:
    """Whether what stands behind "Produced by" is names and what joins them, as no sentence is."""
    words = re.findall(r"[^\W\d_]+", body)[2:]
    return all(word[0].isupper() or word in _SMALL_WORDS for word in words)


def _letter(front: list[str]) -> int:
    """How many paragraphs from the front on are a letter of the project's director, as early plays had one."""
    for number, paragraph in enumerate(front):
        if _SIGNED.search(paragraph):
            following = front[number + 1 : number + 2]
            return number + (2 if following and set(following[0].strip()) == {"*"} else 1)
    return 0


def _note(front: list[str], number: int) -> set[int]:
    """The paragraphs that a note takes: a bracket, a box, or its label and what speaks of the text's making."""
    first = front[number]
    if _BOX.match(first):
        return {number}
    if first.lstrip().startswith("["):
        depth = 0
        for place in range(number, min(number + _NOTE_PARAGRAPHS, len(front))):
            depth += front[place].count("[") - front[place].count("]")
            if depth <= 0:
                return set(range(number, place + 1))
        return {number}
    letter = _signed_note(front, number)
    if letter:
        return set(range(number, letter))
    return set(range(number, _note_end(front, number)))


def _note_end(front: list[str], number: int) -> int:
    """The end of a note that begins with its label: what follows speaks of the text's making.

    A label that stands alone may have one paragraph below it that does not; with none that does, it is kept.
    """
    alone = bool(_LABEL.fullmatch(front[number].strip()))
    end = number if alone else number + 1
    gap = 1 if alone else 0
    for place in range(number + 1, min(number + _NOTE_PARAGRAPHS, len(front))):
        if _NOTE_WORDS.search(front[place]):
            end = place + 1
        elif place - max(end, number + 1) >= gap:
            break
    return end


def _signed_note(front: list[str], number: int) -> int:
    """Where a note in the first person ends that gives an e-mail address, its writer's name included; 0: it is none."""
    for place in range(number, min(number + _NOTE_PARAGRAPHS, len(front))):
        if re.search(r"\bmy\b", front[place]) and _EMAIL.search(front[place]):
            name = front[place + 1].strip() if place + 1 < len(front) else ""
            return place + (2 if re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][\w.]*){1,2}", name) else 1)
    return 0
