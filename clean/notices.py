"""Notices that digitisers put into their scans: the page of usage guidelines at the front, the line at a page's foot.

A notice goes where several of its marks stand together and it stands where notices stand; one that only resembles a
notice is reported and kept.
"""

import re
from dataclasses import dataclass

# A line at a page's foot, anywhere in the book: short, and it says who digitised, with an agency's or site's name.
_FOOT = re.compile(
    r"(?:digiti[sz]ed|scanned|generated|made available|originally (?:from|digiti[sz]ed)) (?:by|for|on|at|with|from)\b",
    re.IGNORECASE,
)
_AGENCY = re.compile(
    r"google|internet archive|archive\.org|hathi ?trust|microsoft|gallica|bnf\.fr|million books|digital library|"
    r"europeana|biodiversity heritage|münchener digitalisierung|library of congress",
    re.IGNORECASE,
)
_FOOT_WORDS = 20
# What front notices say; three of these together are a notice, two are reported.
_MARKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bdigital(?:ly)? (?:copy|reproduction|image|reproduced)",
        r"\b(?:scanned|digiti[sz]ed)\b",
        r"\b(?:usage guidelines|terms of use|usage rights|conditions of use)\b",
        r"\bpublic domain\b|\bcopyright (?:term|status|has expired)",
        r"\bautomated quer|\bnon-?commercial\b|\bmaintain attribution\b|\bkeep it legal\b",
        r"\blibrar(?:y|ies)\b",
        r"\bbook search\b|\bdiscoverable online\b|\bhttps?://|\bwww\.",
        r"\b(?:optical character recognition|ocr)\b",
    )
)
_SURE, _LIKELY = 3, 2
# Notices are the first thing in a scan: within so many blocks and characters.
_FRONT_BLOCKS, _FRONT_CHARACTERS = 40, 20_000


@dataclass(frozen=True, slots=True)
class Notice:
    """A block that is a digitiser's notice: `sure` where it is to be dropped, else only to be reported."""

    block: int
    sure: bool


def find(texts: list[str]) -> list[Notice]:
    """The notices among a book's text blocks, in order (headings given as "")."""
    found: list[Notice] = []
    characters = 0
    for number, text in enumerate(texts):
        front = number < _FRONT_BLOCKS and characters < _FRONT_CHARACTERS
        characters += len(text)
        if len(text.split(maxsplit=_FOOT_WORDS)) <= _FOOT_WORDS and _FOOT.search(text) and _AGENCY.search(text):
            found.append(Notice(number, True))
        elif front:
            marks = sum(bool(mark.search(text)) for mark in _MARKS)
            digitised = bool(_MARKS[0].search(text) or _MARKS[1].search(text))
            if digitised and marks >= _LIKELY:
                found.append(Notice(number, marks >= _SURE))
    return found
