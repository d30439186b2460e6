"""A markdown file as every stage opens it: our own is read as it was written, any other tool's as markdown.

Our own markdown is literal text under a few marks (see `bookblend.markdown`): an asterisk in it is an asterisk. A file
is ours where the sidecar beside it names it among its products. In any other file asterisks are emphasis, and so on.
"""

from pathlib import Path

from bookblend import ledger, sidecar
from bookblend.extract.markdown_blocks import read_markdown
from bookblend.extract.markdown_notes import Notes
from bookblend.ledger import Entry
from bookblend.manuscript import Manuscript
from bookblend.sidecar import Provenance


def open_markdown(path: Path, notes: Notes = "drop") -> tuple[Manuscript, Provenance, list[Entry]]:
    """The blocks and marks of the markdown file at `path`, its provenance, and the ledger so far.

    `notes` is asked of other tools' files only. Raises `InputError` for what is no readable UTF-8 text file.
    """
    text = sidecar.read_text(path)
    own = sidecar.open_own(path, text)
    if own:
        manuscript, known = own
        before = ledger.read(sidecar.beside(path, ".dropped.jsonl")) if known.products else []
        return manuscript, known, [entry for entry in before if entry.stage != "build"]
    foreign = read_markdown(text, notes)
    known = Provenance(
        tools=sidecar.tool_versions(),
        source=sidecar.describe_source(path, "markdown"),
        book=foreign.book,
        options={"extract": {"notes": notes}},
        dropped=ledger.tally(foreign.dropped),
    )
    return foreign.manuscript, known, foreign.dropped
