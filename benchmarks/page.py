"""The page that compare.py writes: tables in markdown, from figures alone. No clock, no path, no file."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import books
import measures
import peers

MODES = {"flags": "with flags", "auto": "no flags"}
KINDS = ((".pdf", "PDF"), (".epub", "EPUB"))
MEGABYTE = 1_000_000
# How figures of several books become one: those of words, of which fewer are better, and F1 scores.
SUMMARIES: dict[str, tuple[Callable[[list[float]], float], Callable[[list[float]], float]]] = {
    "median": (statistics.median, statistics.median),
    "mean": (statistics.mean, statistics.mean),
    "worst": (max, min),
}
# Reasons that a table of real files lists one by one; the rest are one line.
REASONS_SHOWN = 25


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a page. `versions` are the readers' by name, None where one is not installed."""

    machine: str
    versions: dict[str, str | None]
    results: list[peers.Result]
    speeds: list[books.Row]
    long: list[measures.Long]
    real: list[measures.RealFile]
    cases: list[measures.Case]


def render(report: Report) -> str:
    """The whole page, ending in a newline."""
    parts = [_opening(report)]
    for kind, name in KINDS:
        if any(result.book.kind == kind for result in report.results):
            parts += [_our_scores(report, kind, name), _peer_scores(report, kind, name)]
    parts += [_pdf_speed(report), _long_books(report), _epub_speed(report), _real_files(report), _cases(report)]
    return "\n\n".join(part for part in (*parts, _readers(report)) if part) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table; the first column to the left, the others to the right."""
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _opening(report: Report) -> str:
    found = {(result.book.path.stem, result.book.kind) for result in report.results}
    runs = max((result.run.runs for result in report.results), default=1)
    pdfs, epubs = (sum(kind == wanted for _, kind in found) for wanted, _ in KINDS)
    bench = [f"{pdfs} typeset PDF{'s' * (pdfs != 1)}"] * bool(pdfs) + [f"{epubs} EPUB{'s' * (epubs != 1)}"] * bool(
        epubs
    )
    return f"""# Benchmarks

`make benchmark-page BOOKS=FOLDER` writes this page (benchmarks/compare.py; benchmarks/README.md says how to read and
repeat it). The books are the bench: {" and ".join(bench)} with the truth, that is, their words known.
Machine: {report.machine}.

- **lost**: words of the book missing or altered, per 10,000. **junk**: words that are not the book's, per 10,000.
- **chapters**: F1 of the chapter starts, as records or as `#` headings; **best level**: as headings of the level that
  scores most, which a user would have to know. **paragraphs**: F1 of the starts of prose paragraphs.
- Markdown and text are cut to the body before they are scored; our records are scored whole.
- Times are wall seconds of whole processes, start and imports included, on one book, where nothing else is said; the
  fastest of {runs} run{"s" * (runs != 1)}, fewer of what is slow."""


# Our own scores.


def _our_scores(report: Report, kind: str, name: str) -> str:
    by_book: dict[str, dict[str, peers.Result]] = {}
    for result in report.results:
        if result.book.kind == kind and result.mode:
            by_book.setdefault(result.book.path.stem, {})[result.mode] = result
    heads = ["book"]
    for mode in MODES.values():
        heads += [f"lost, {mode}", "junk", "chapters", "paragraphs"]
    rows = [[book, *_both(modes)] for book, modes in sorted(by_book.items())]
    for word in SUMMARIES:
        cells = [f"**{word}**"]
        for mode in MODES:
            cells += _summary(word, [modes[mode] for modes in by_book.values() if mode in modes])
        rows.append(cells)
    text = (
        f"## Our scores: {name}\n\nWith flags: `--start`, `--end`, `--pattern` as somebody gives them who has looked "
        "at the book. No flags: none at all, so that front and back matter have to be known.\n\n"
    )
    return text + table(heads, rows)


def _both(modes: dict[str, peers.Result]) -> list[str]:
    cells: list[str] = []
    for mode in MODES:
        cells += _score_cells(modes[mode]) if mode in modes else ["–"] * 4
    return cells


def _score_cells(result: peers.Result) -> list[str]:
    if result.score is None:
        return ["failed", "–", "–", "–"]
    score = result.score
    return [f"{score.lost:.2f}", f"{score.junk:.2f}", f"{score.chapters:.3f}", f"{score.paragraphs:.3f}"]


def _summary(word: str, results: list[peers.Result]) -> list[str]:
    """The row of medians, means or worsts: the worst of lost and junk is the most, of the F1 scores the least."""
    scores = [result.score for result in results if result.score is not None]
    if not scores:
        return ["–"] * 4
    of_words, of_starts = SUMMARIES[word]
    return [
        f"{of_words([score.lost for score in scores]):.2f}",
        f"{of_words([score.junk for score in scores]):.2f}",
        f"{of_starts([score.chapters for score in scores]):.3f}",
        f"{of_starts([score.paragraphs for score in scores]):.3f}",
    ]


# The peers.


def _peer_scores(report: Report, kind: str, name: str) -> str:
    rows: dict[str, list[peers.Result]] = {}
    for result in report.results:
        if result.book.kind == kind and result.reader != peers.OUR_EXTRACT.name:
            rows.setdefault(_row_name(result), []).append(result)
    every = {result.book.path.stem for results in rows.values() for result in results}
    parts = [f"## Other tools: {name}"]
    ran = {result.reader for results in rows.values() for result in results}
    for reader in peers.PEERS:
        if kind in reader.kinds and reader.name not in ran:
            why = "not installed" if report.versions.get(reader.name) is None else "not run on these books"
            parts.append(f"{reader.name}: {why}.")
    sets = {frozenset(result.book.path.stem for result in results) for results in rows.values()}
    for chosen in sorted(sets, key=lambda books_of: (-len(books_of), sorted(books_of))):
        whole = chosen == every
        shown = {
            row: [result for result in results if result.book.path.stem in chosen]
            for row, results in rows.items()
            if chosen <= {result.book.path.stem for result in results}
        }
        where = (
            f"On every book ({len(every)}):" if whole else f"On {len(chosen)} of them ({', '.join(sorted(chosen))}):"
        )
        parts += [where, _peer_table(shown, kind)]
    parts += ["Book by book, lost / junk:", _by_book(rows, every)]
    return "\n\n".join(parts)


def _row_name(result: peers.Result) -> str:
    return f"{result.reader}, {MODES[result.mode]}" if result.mode else result.reader


def _peer_table(rows: dict[str, list[peers.Result]], kind: str) -> str:
    heads = ["", "lost, median", "worst", "junk, median", "worst", "chapters, mean", "best level", "paragraphs, mean"]
    heads += ["pages/s" if kind == ".pdf" else "s a book", "CPU s in all", "peak MB", "failed"]
    cells = []
    for row, results in rows.items():
        good = [result for result in results if result.score is not None]
        line = [f"**{row}**" if row.startswith(peers.OURS.name) else row]
        if good:
            median, worst, mean = (_summary(word, good) for word in ("median", "worst", "mean"))
            best = statistics.mean(result.score.best for result in good if result.score is not None)
            line += [median[0], worst[0], median[1], worst[1], mean[2], f"{best:.3f}", mean[3]]
            wall = sum(result.run.wall for result in good)
            pages = sum(result.book.pages for result in good)
            line += [f"{pages / wall:.1f}" if kind == ".pdf" else f"{wall / len(good):.2f}"]
            line += [f"{sum(result.run.cpu for result in good):.1f}"]
            line += [f"{max(result.run.peak for result in good) / MEGABYTE:.0f}"]
        else:
            line += ["–"] * 10
        cells.append([*line, str(len(results) - len(good))])
    return table(heads, cells)


def _by_book(rows: dict[str, list[peers.Result]], every: set[str]) -> str:
    cells: dict[str, dict[str, str]] = {book: {} for book in sorted(every)}
    for row, results in rows.items():
        for result in results:
            score = result.score
            text = "failed" if score is None else f"{score.lost:.2f} / {score.junk:.2f}"
            cells[result.book.path.stem][row] = text
    lines = [[book, *(told.get(row, "–") for row in rows)] for book, told in cells.items()]
    failed = [
        f"- {row}, {result.book.path.stem}: {result.run.error}"
        for row, results in rows.items()
        for result in results
        if result.run.error
    ]
    text = table(["book", *rows], lines)
    return text + "\n\n" + "\n".join(["Failed:", "", *failed]) if failed else text


# Speed.


def _pdf_speed(report: Report) -> str:
    rows = [row for row in report.speeds if row.kind == "pdf"]
    if not rows:
        return ""
    text = """## Speed: PDF

CPU seconds of our extraction alone, from the path to the finished book, beside PyMuPDF's own `page.get_text("dict")`
with pictures off over the same pages; both without imports, single process."""
    return f"{text}\n\n{_ratios(rows, 'dict', 'pages')}"


def _ratios(rows: list[books.Row], floor: str, unit: str) -> str:
    lines: list[list[str]] = []
    ratios: list[float] = []
    ours = theirs = 0.0
    for row in rows:
        ratio = row.ratio(floor)
        if ratio is None:
            lines.append([_stem(row.file), row.error or "–", *["–"] * 5])
            continue
        reading, bare = row.readings["ours"], row.readings[floor]
        ratios.append(ratio)
        ours, theirs = ours + reading.seconds, theirs + bare.seconds
        rate = row.pages / max(reading.seconds, 1e-6)
        figures = [f"{row.pages}", f"{reading.seconds:.2f}", f"{bare.seconds:.2f}", f"{ratio:.2f}", f"{rate:.0f}"]
        lines.append([_stem(row.file), *figures, f"{reading.peak / MEGABYTE:.0f}"])
    if ratios:
        lines.append(["**in all**", "", f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}", "", ""])
        lines.append(["**median, worst**", "", "", "", f"{statistics.median(ratios):.2f}, {max(ratios):.2f}", "", ""])
    return table(["book", unit, "our s", "bare s", "ratio", f"{unit}/s", "peak MB"], lines)


def _long_books(report: Report) -> str:
    if not report.long:
        return ""
    counts = sorted({count for book in report.long for count in book.walls})
    heads = ["book", "pages", "our CPU s", "ratio to dict", "peak MB", "its peak MB"]
    heads += [f"wall s, {count} worker{'s' * (count > 1)}" for count in counts]
    lines = []
    for book in report.long:
        row = book.row
        if row.error:
            lines.append([book.name, row.error, *["–"] * (len(heads) - 2)])
            continue
        ours, bare, ratio = row.readings["ours"], row.readings.get("dict"), row.ratio("dict")
        line = [book.name, str(row.pages), f"{ours.seconds:.2f}", "–" if ratio is None else f"{ratio:.2f}"]
        line += [f"{ours.peak / MEGABYTE:.0f}", "–" if bare is None else f"{bare.peak / MEGABYTE:.0f}"]
        walls = (book.walls.get(count) for count in counts)
        lines.append(line + ["–" if wall is None else f"{wall:.2f}" for wall in walls])
    text = "## Long books\n\nAs above, and wall seconds of the whole process by the number of workers.\n\n"
    return text + table(heads, lines)


def _epub_speed(report: Report) -> str:
    rows = [row for row in report.speeds if row.kind == "epub"]
    if not rows:
        return ""
    text = """## Speed: EPUB

CPU seconds of our extraction alone beside unzipping the same documents and parsing them with lxml, without imports."""
    side = _side_by_side(report, rows)
    return "\n\n".join(part for part in (text, _ratios(rows, "parse", "docs"), side) if part)


def _side_by_side(report: Report, rows: list[books.Row]) -> str:
    """The peers' times over ours on the same EPUBs: whole process, and the reading alone where both tell it."""
    alone = {row.file: row.readings["ours"].seconds for row in rows if "ours" in row.readings}
    by_reader: dict[str, list[peers.Result]] = {}
    for result in report.results:
        if result.book.kind == ".epub" and not result.run.error and result.mode != "auto":
            by_reader.setdefault(result.reader, []).append(result)
    ours = {result.book.path.name: result.run.wall for result in by_reader.get(peers.OUR_EXTRACT.name, [])}
    lines = []
    for reader, results in by_reader.items():
        ratios = [result.run.wall / ours[name] for result in results if (name := result.book.path.name) in ours]
        readings = [
            result.run.reading / alone[name]
            for result in results
            if result.run.reading is not None and (name := result.book.path.name) in alone
        ]
        walls = [result.run.wall for result in results]
        line = [f"{reader}, {len(results)} of {len(rows)}", f"{statistics.median(walls):.2f}", f"{max(walls):.2f}"]
        line += [f"{statistics.median(ratios):.1f}", f"{min(ratios):.1f}"] if ratios else ["–", "–"]
        lines.append(
            line + ([f"{statistics.median(readings):.1f}", f"{min(readings):.1f}"] if readings else ["–", "–"])
        )
    text = (
        f"Side by side, whole processes in wall seconds (`{peers.OUR_EXTRACT.name}` is `bookblend extract epub`, "
        "EPUB to markdown, what the others do; `bookblend` goes on to clean records), and the CPU seconds of the "
        "reading alone, without start and imports, as a multiple of ours:\n\n"
    )
    heads = [
        "reader, books",
        "median s",
        "slowest",
        "× our extract, median",
        "least",
        "reading alone × ours, median",
        "least",
    ]
    return text + table(heads, lines) if lines else ""


def _stem(file: str) -> str:
    return file.rsplit("/", 1)[-1].rsplit(".", 1)[0]


# Real files and cases.


def _real_files(report: Report) -> str:
    if not report.real:
        return ""
    lines = []
    for kind in sorted({file.kind for file in report.real}):
        files = [file for file in report.real if file.kind == kind]
        count = {outcome: sum(file.outcome == outcome for file in files) for outcome in ("text", "line", "other")}
        line = [kind.upper(), str(len(files)), *(str(number) for number in count.values())]
        line += [f"{max(file.peak for file in files) / MEGABYTE:.0f}", f"{max(file.wall for file in files):.1f}"]
        lines.append(line)
    heads = ["", "files", "text", "one clear line", "anything else", "peak MB, most", "slowest, wall s"]
    parts = ["## Real files", "What came of books and test files from the world, each in a process of its own."]
    parts.append(table(heads, lines))
    for kind in sorted({file.kind for file in report.real}):
        told = measures.reasons(report.real, kind)
        if told:
            shown = [[reason, outcome, str(count)] for outcome, reason, count in told[:REASONS_SHOWN]]
            if len(told) > REASONS_SHOWN:
                shown.append(["others", "", str(sum(count for *_, count in told[REASONS_SHOWN:]))])
            parts += [f"Why {kind.upper()} files gave no text:", table(["reason", "outcome", "files"], shown)]
    return "\n\n".join(parts)


def _cases(report: Report) -> str:
    if not report.cases:
        return ""
    lines = []
    for kind, name in measures.CASE_KINDS.items():
        cases = [case for case in report.cases if case.kind == kind]
        failed = [case for case in cases if not case.passed]
        policy = sum(bool(case.policy) for case in failed)
        lines.append([name, str(len(cases)), str(len(cases) - len(failed)), str(len(failed) - policy), str(policy)])
    text = (
        "## Fault cases\n\nSmall files, each with one fault from a public report. Policy: did not meet the case's "
        "expectation, where the case says itself that more than one answer is right.\n\n"
    )
    text += table(["", "files", "pass", "fail", "policy"], lines)
    told = [[case.name, case.reason, case.policy or "–"] for case in report.cases if not case.passed]
    return text + ("\n\n" + table(["not passed", "why", "policy"], told) if told else "")


def _readers(report: Report) -> str:
    lines = []
    for reader in (peers.OURS, peers.OUR_EXTRACT, *peers.PEERS):
        version = report.versions.get(reader.name)
        shown = version if version is None or "bookblend" not in reader.name else version.split("-")[0]
        lines.append([reader.name, shown or "not installed", reader.how])
    return "## Who was run, and how\n\n" + table(["", "version", "called as"], lines)
