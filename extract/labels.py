"""Words that books everywhere use for their own parts: units with numbers, and names of front and back matter.

Used by both extractors. A name here is only ever evidence beside geometry or declared structure, never a rule alone.
"""

import re
from functools import lru_cache

_UNITS = (
    "chapter|chap|part|book|section|lecture|lectures|letter|volume|vol|act|scene|canto|stave|appendix|"
    "kapitel|teil|buch|abschnitt|band|anhang|"
    "chapitre|partie|livre|tome|acte|scène|annexe|"
    "capítulo|capitulo|parte|libro|tomo|acto|escena|apéndice|"
    "capitolo|atto|scena|appendice|livro|"
    "hoofdstuk|deel|boek|bijlage|kapittel|kapitlet|del|luku|osa|"
    "глава|часть|книга|том|rozdział|część|księga|kapitola|část|fejezet|rész|bölüm|κεφάλαιο|μέρος"
)
_UNIT_WORDS = frozenset(_UNITS.casefold().split("|"))
_WORD = re.compile(r"[^\W\d_]+")
# Characters. "Lectures XIV, XV and XVI" and the like are far shorter.
_LONGEST_LABEL = 200
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|fifty|sixty|"
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|"
    "the first|the second|the third|the fourth|the fifth|the sixth|the seventh|the last|"
    "eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|"
    "erster|zweiter|dritter|vierter|fünfter|sechster|siebter|achter|neunter|zehnter|"
    "erstes|zweites|drittes|viertes|fünftes|sechstes|siebtes|achtes|neuntes|zehntes|"
    "premier|première|deuxième|troisième|quatrième|cinquième|sixième|septième|huitième|neuvième|dixième|"
    "un|deux|trois|quatre|cinq|sept|huit|neuf|dix|"
    "primero|primera|segundo|segunda|tercero|tercera|cuarto|cuarta|quinto|quinta|sexto|sexta|"
    "primo|prima|secondo|seconda|terzo|terza|quarto|quarta|sesto|sesta|"
    "первая|вторая|третья|четвертая|пятая|шестая|седьмая|восьмая|девятая|десятая"
)
ROMAN = r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
# Numbers in words are read as figures first: in each place where a number may stand they would take long to compile.
_IN_WORDS = re.compile(rf"(?<![^\W_])(?:{_NUMBER_WORDS})(?:[- ]?(?:{_NUMBER_WORDS}))?(?![^\W_])", re.IGNORECASE)
_NUMBER = rf"(?:\d{{1,3}}|(?=[ivxlcdm]){ROMAN})"
_RANGE = rf"{_NUMBER}(?:\s*(?:,|and|&|und|et|y|e|–|-)\s*{_NUMBER})*"
_BARE_NUMBER = re.compile(rf"[\W_]*(?:\d{{1,3}}|(?=[ivxlcdm]){ROMAN})[\W_]*$", re.IGNORECASE)
_LABEL = re.compile(
    rf"[\W_]*(?:(?:{_UNITS})\.?\s+{_RANGE}|{_NUMBER}\.?\s+(?:{_UNITS}))[\W_]*$",
    re.IGNORECASE,
)
_LABELLED = re.compile(rf"[\W_]*(?:{_UNITS})\.?\s+{_RANGE}\b", re.IGNORECASE)
_LEADING = re.compile(rf"(?:(\d{{1,3}})|(?=[IVXLC])({ROMAN})(?=[.:\s]))(?:[.:)]|\s|$)(?![\d.])", re.IGNORECASE)
_UNIT = re.compile(rf"[\W_]*(?:{_UNITS})[\W_]*$", re.IGNORECASE)
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)?|tabelle|tableau|figura|tabla|tabella|plate|listing|"
    r"рис(?:унок|\.)?|таблица)\s*[\dA-Z]{1,3}(?:[.\-–]\d+)*\b",
    re.IGNORECASE,
)
_PART = re.compile(
    r"[\W_]*(?:part|book|volume|vol|teil|buch|band|partie|livre|tome|parte|libro|tomo|livro|deel|boek|del|osa|"
    r"часть|книга|том|część|księga|část|rész|μέρος)\b",
    re.IGNORECASE,
)


def is_unit_word(text: str) -> bool:
    """Whether a text is the bare name of a unit, its number elsewhere: "CHAPTER", "Kapitel"."""
    return bool(_UNIT.match(text.strip()))


def is_caption(text: str) -> bool:
    """Whether a text opens as the caption of a figure or a table does: "Fig. 6: …", "Table 5.2 …"."""
    return bool(_CAPTION.match(text.strip()))


def is_bare_number(text: str) -> bool:
    """Whether a heading is only a number: digits or a roman numeral, perhaps with a stop or dashes around."""
    return bool(_BARE_NUMBER.match(text.strip())) and any(map(str.isalnum, text))


def is_label(text: str) -> bool:
    """Whether a heading line is a label and no title: "CHAPTER ONE", "Part II", "Lectures IV and V", "3.", "IV"."""
    text = text.strip()
    if is_bare_number(text):
        return True
    words = _WORD.findall(text) if len(text) <= _LONGEST_LABEL else []
    named = bool(words) and not _UNIT_WORDS.isdisjoint((words[0].casefold(), words[-1].casefold()))
    return named and bool(_LABEL.match(_in_figures(text)))


def is_labelled(text: str) -> bool:
    """Whether a text opens with a unit and its number, a title perhaps behind it: "Chapter 4: Pirates"."""
    text = text.strip()[:_LONGEST_LABEL]
    first = _WORD.search(text)
    return first is not None and first[0].casefold() in _UNIT_WORDS and bool(_LABELLED.match(_in_figures(text)))


def _in_figures(text: str) -> str:
    return _IN_WORDS.sub("1", text)


def leading_number(text: str) -> int:
    """The number that opens a numbered title ("1. The Inventor", "2 Of Eels", "IV. Idealism"), or 0."""
    match = _LEADING.match(text.strip())
    if not match:
        return 0
    return int(match[1]) if match[1] else roman_value(match[2])


def roman_value(text: str) -> int:
    """The value of a roman numeral, which must be one."""
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
    digits = [values[letter] for letter in text.lower()]
    return sum(-a if a < b else a for a, b in zip(digits, [*digits[1:], 0], strict=True))


def is_part_label(text: str) -> bool:
    """Whether a label names a unit above the chapter ("Part One", "Book II")."""
    return bool(_PART.match(text.strip())) and is_labelled(text)


_MATTER_NAMES = {
    "contents": "contents|table of contents|inhalt|inhaltsverzeichnis|inhaltsübersicht|table des matières|sommaire|"
    "índice general|indice generale|contenido|tabla de contenido|sommario|sumário|inhoud|inhoudsopgave|содержание|"
    "оглавление|spis treści|obsah|innehåll|indhold|innhold|sisällys|目次|目录|目錄|contents in detail|brief contents",
    "list of figures": "list of figures|list of illustrations|list of tables|list of maps|illustrations|"
    "list of examples|"
    "abbildungsverzeichnis|tabellenverzeichnis|verzeichnis der abbildungen|table des illustrations|table des figures",
    "copyright": "copyright|copyright page|imprint|impressum|legal notice|uncopyright|colophon|credits|kolophon|"
    "mentions légales|achevé d'imprimer|colofon|copyright notice|publication information",
    "about": "about the author|about the authors|about the publisher|about this book|about the translator|"
    "about the type|"
    "a note on the type|also by|also by the author|other books|books by|praise|praise for|advertisements|"
    "transcriber's note|transcriber's notes|über den autor|du même auteur",
    "endnotes": "notes|endnotes|footnotes|end notes|anmerkungen|fußnoten|endnoten|notes de fin|notas|noten|"
    "примечания|przypisy|notes and references|notes and sources",
    "bibliography": "bibliography|references|works cited|literature cited|literatur|literaturverzeichnis|bibliographie|"
    "bibliografie|bibliografía|bibliografia|select bibliography|selected bibliography|sources|further reading|"
    "suggested reading|suggestions for further reading|библиография|литература",
    "index": "index|indexes|general index|index of names|subject index|name index|author index|register|sachregister|"
    "personenregister|stichwortverzeichnis|índice analítico|índice alfabético|indice analitico|указатель|"
    "index of first lines|index of titles|index of persons",
}
_MATTER = {name: kind for kind, names in _MATTER_NAMES.items() for name in names.split("|")}


@lru_cache(maxsize=4096)
def matter_name(heading: str) -> str:
    """What front or back matter a heading's words name ("contents", "index", "endnotes", …), or "" for none."""
    folded = re.sub(r"[^\w' ]+", " ", heading.replace("’", "'")).casefold()
    return _MATTER.get(" ".join(folded.split()), "")
