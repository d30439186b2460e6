"""The clean stage of a book: repair its manuscript, and say in sidecar and ledger what was done. No files here."""

from collections import Counter
from dataclasses import replace
from typing import Any

from bookblend.clean.junk import Numbers
from bookblend.clean.repair import RepairOptions, repair
from bookblend.ledger import Entry
from bookblend.manuscript import Manuscript
from bookblend.sidecar import Provenance, origin, tool_versions

# The libraries whose version a repair may depend on.
_LIBRARIES = ("ftfy", "pyspellchecker")


def numbers_for(known: Provenance) -> Numbers:
    """Whether a text's lines may be an OCR engine's noise and folios ("drop"), or are text ("keep").

    Our extractors have dropped the folios on the evidence of their place, and what they read was never on paper; but a
    PDF that is an OCR layer, read because the user said so, and markdown from elsewhere may hold both.
    """
    extracted = known.options.get("extract", {})
    return "drop" if origin(known) == "markdown" or extracted.get("accept_ocr") else "keep"


def clean_manuscript(
    manuscript: Manuscript, known: Provenance, options: RepairOptions
) -> tuple[Manuscript, Provenance, list[Entry]]:
    """The repaired manuscript, the sidecar with options, tools, counts and warnings, and the new ledger entries.

    Raises `ExpectationError` for a replacement whose text is not found as often as it says.
    """
    done = repair(manuscript.blocks, options)
    repaired = manuscript.rewritten(done.blocks, done.origins)
    entries = [Entry("clean", rule, manuscript.place(ordinal), text) for rule, ordinal, text in done.dropped]
    known = replace(
        known,
        tools={**known.tools, **tool_versions(*_LIBRARIES)},
        options={**known.options, "clean": as_json(options)},
        repairs=dict(Counter(known.repairs) + Counter(done.counts)),
        warnings=known.warnings + tuple(warning for warning in done.warnings if warning not in known.warnings),
        marks=repaired.marks if known.marks else (),
    )
    return repaired, known, entries


def as_json(options: RepairOptions) -> dict[str, Any]:
    """The sidecar's form of the options."""
    return {
        "numbers": options.numbers,
        "language": options.language,
        "skip": sorted(options.skip),
        "notices": options.notices,
        "junk": options.junk,
        "replacements": [{"text": r.text, "with": r.by, "count": r.count} for r in options.replacements],
    }
