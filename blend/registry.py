"""Reading the registry: one TOML file that declares a blend's budget, eos text, seed, and all about its sources.

Reading is strict. An unknown key, a share missing or not summing to 1, a Hub revision that is a branch, a download
without SHA-256, a catalogue without a selector: each is refused with the key's path, before any work.
"""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

from bookblend import licences
from bookblend.blend.model import (
    FORMATS,
    BookRecipe,
    Cut,
    DocumentUnit,
    Files,
    GutenbergFolder,
    Hub,
    Licence,
    Origin,
    Registry,
    Selectors,
    Source,
    Tokenizer,
    Validation,
    Web,
)  # fmt: skip
from bookblend.convert.render import compile_template
from bookblend.errors import InputError, UsageError
from bookblend.toml_table import TomlTable, read_toml

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Shares are written in decimal; their sum in floating point misses 1 by less than this.
_SUM_SLACK = 1e-9
_KEYS = (
    "name", "budget", "eos", "seed", "cut", "order", "duplicates", "rules", "formats", "tokenizer", "validation",
    "sources",
)  # fmt: skip
_LEAST_UPSAMPLE, _MOST_UPSAMPLE = 1e-6, 1e6
# 256 bytes, the control tokens and some merges; four times the largest vocabulary that any model is known to have.
_LEAST_VOCABULARY, _MOST_VOCABULARY = 300, 1 << 20


def read_registry(path: Path) -> Registry:
    """Read a registry file. Raises `InputError` with the key's path for whatever is wrong in it."""
    table = read_toml(path, "blend recipe")
    table.refuse_others(_KEYS)  # a misspelt key first: what it leaves out is missing
    table.require("budget", "sources")
    cut = cast("Cut", table.choice("cut", ("document", "word"), "document"))
    sources, left_out = _sources(table)
    registry = Registry(
        name=_name(table, "name", path.resolve().stem),
        file=path,
        budget=cast("int", table.count("budget")),
        sources=sources,
        left_out=left_out,
        eos=_eos(table),
        seed=table.whole("seed") or 0,
        cut=cut,
        order=cast(
            "Literal['interleaved', 'by-source']", table.choice("order", ("interleaved", "by-source"), "interleaved")
        ),
        duplicates=cast(
            "Literal['once', 'keep']",
            table.choice("duplicates", ("once", "keep"), "once" if cut == "document" else "keep"),
        ),
        rules=cast("Literal['full', 'recipe']", table.choice("rules", ("full", "recipe"), "full")),
        tokenizer=_tokenizer(table),
        validation=_validation(table, cut),
        formats=_formats(table),
    )
    table.finish()
    return registry


def _name(table: TomlTable, key: str, default: str = "") -> str:
    name = table.maybe_text(key) or default
    if not name:
        raise table.error(key, "is missing")
    if not _NAME.fullmatch(name):
        raise table.error(key, f"must be letters, digits, '.', '_' and '-' (it names files), is '{name}'")
    return name


def _eos(table: TomlTable) -> str:
    eos = table.maybe_text("eos")
    if eos is None:
        return "</s>"
    if not eos or eos != "".join(eos.split()):
        raise table.error("eos", "must be a text without blanks, such as </s> or <|endoftext|>")
    return eos


def _tokenizer(table: TomlTable) -> Tokenizer:
    inner = table.table("tokenizer")
    if inner is None:
        return Tokenizer()
    if "file" in inner and "vocabulary" in inner:
        raise inner.error("vocabulary", "is of a tokenizer to be trained; leave out either it or file")
    tokenizer = Tokenizer(
        file=inner.maybe_text("file") or "",
        vocabulary=inner.count("vocabulary") or Tokenizer().vocabulary,
        sample=(inner.count("sample_mb") or 200) * 1_000_000,
    )
    if not _LEAST_VOCABULARY <= tokenizer.vocabulary <= _MOST_VOCABULARY:
        raise inner.error("vocabulary", f"must be from {_LEAST_VOCABULARY} to {_MOST_VOCABULARY:,}")
    inner.finish()
    return tokenizer


def _validation(table: TomlTable, cut: Cut) -> Validation:
    inner = table.table("validation")
    if inner is None:
        return Validation()
    share = inner.number("share")
    if share is not None and not 0 <= share < 1:
        raise inner.error("share", f"must be 0 or more and less than 1, is {share}")
    split = cast("Literal['group', 'tail']", inner.choice("split", ("group", "tail"), "group"))
    if split == "tail" and cut != "word":
        raise inner.error("split", 'tail goes with cut = "word" only; it lets repeated text into validation')
    inner.finish()
    return Validation(share=Validation().share if share is None else share, split=split)


def _formats(table: TomlTable) -> tuple[str, ...]:
    formats = table.texts("formats") or FORMATS
    for number, name in enumerate(formats):
        if name not in FORMATS:
            raise table.error(f"formats[{number}]", f"must be one of {', '.join(FORMATS)}")
    return tuple(name for name in FORMATS if name in formats)


def _sources(table: TomlTable) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    tables = table.tables("sources")
    if not tables:
        raise table.error("sources", "must hold at least one source")
    weighted = ["weight" in inner for inner in tables]
    if any(weighted) and not all(weighted):
        raise tables[weighted.index(False)].error("weight", "is missing; all sources have a weight, or all a share")
    shares = _normalised(tables) if all(weighted) else [_share(inner) for inner in tables]
    sources = [_source(inner, share) for inner, share in zip(tables, shares, strict=True)]
    for name, count in Counter(source.name for source in sources).items():
        if count > 1:
            raise table.error("sources", f"two are called '{name}'")
    total = sum(shares)
    if abs(total - 1) > _SUM_SLACK:
        raise table.error("sources", f"their shares sum to {total:.12g}, not to 1")
    return tuple(source for source in sources if source.share), tuple(s.name for s in sources if not s.share)


def _share(table: TomlTable) -> float:
    share = table.number("share")
    if share is None:
        raise table.error("share", "is missing")
    if not 0 < share <= 1:
        raise table.error(
            "share", f"must be more than 0 and at most 1, is {share:g}; delete a source that is not wanted"
        )
    return share


def _normalised(tables: list[TomlTable]) -> list[float]:
    """Weights as shares; a weight of 0 leaves its source out."""
    weights = []
    for table in tables:
        weight = cast("float", table.number("weight"))
        if "share" in table:
            raise table.error("share", "stands beside a weight; give one of the two")
        if weight < 0:
            raise table.error("weight", f"must be 0 or more, is {weight:g}")
        weights.append(weight)
    total = sum(weights)
    if not total:
        raise tables[0].error("weight", "is 0, as all others are; one source at least must have more")
    return [weight / total for weight in weights]


def _source(table: TomlTable, share: float) -> Source:
    name = _name(table, "name")
    origin = _origin(table)
    unit = "book" if isinstance(origin, BookRecipe) else "row"
    source = Source(
        name=name,
        slice=_line(table, "slice") or name,
        share=share,
        origin=origin,
        licence=_licence(table, origin),
        text=table.maybe_text("text") or "text",
        template=table.maybe_text("template") or "",
        id=table.maybe_text("id") or "",
        group=table.maybe_text("group") or "",
        metadata=table.maybe_text("metadata") or "",
        select=_selectors(table),
        strip=table.flag("strip", not isinstance(origin, BookRecipe)),
        rows_per_document=table.count("rows_per_document") or 1,
        document=cast("DocumentUnit", table.choice("document", ("row", "book", "chapter"), unit)),
        upsample=_upsample(table),
        validation=table.flag("validation", True),
    )
    _check_together(table, source)
    table.finish()
    return source


def _check_together(table: TomlTable, source: Source) -> None:
    if source.template and "text" in table:
        raise table.error("template", "stands beside text; give one of the two")
    if source.template:
        try:
            compile_template(source.template, "template")
        except UsageError as error:
            raise table.error("template", str(error).removeprefix("--template template: ")) from error
    if source.rows_per_document > 1 and source.document != "row":
        raise table.error("rows_per_document", f'does not go with document = "{source.document}"')
    by_catalogue = isinstance(source.origin, GutenbergFolder) and bool(source.origin.catalogue)
    if (source.metadata or by_catalogue) and not source.select:
        raise table.error(
            "select",
            "is missing: a source on a catalogue would take everything; name authors, bookshelves or languages",
        )
    if source.select and not source.metadata and not by_catalogue:
        what = "origin.catalogue" if isinstance(source.origin, GutenbergFolder) else "metadata, the catalogue's column"
        raise table.error("select", f"needs {what}")


def _upsample(table: TomlTable) -> float:
    upsample = table.number("upsample")
    if upsample is not None and not _LEAST_UPSAMPLE <= upsample <= _MOST_UPSAMPLE:
        raise table.error("upsample", f"must be from {_LEAST_UPSAMPLE:g} to {_MOST_UPSAMPLE:g}, is {upsample:g}")
    return 1 if upsample is None else upsample


def _selectors(table: TomlTable) -> Selectors:
    inner = table.table("select")
    if inner is None:
        return Selectors()
    selectors = Selectors(
        authors=inner.texts("authors"),
        bookshelves=inner.texts("bookshelves"),
        languages=inner.texts("languages"),
        only_languages=inner.texts("only_languages"),
    )
    for key in ("authors", "bookshelves", "languages", "only_languages"):
        if any(not part.strip() for part in getattr(selectors, key)):
            raise inner.error(key, "holds an empty text, which would take everything")
    inner.finish()
    if not selectors:
        raise table.error("select", "names nothing, which would take everything")
    return selectors


def _origin(table: TomlTable) -> Origin:
    kinds = [kind for kind in _ORIGINS if kind in table]
    if len(kinds) != 1:
        known = ", ".join(_ORIGINS)
        raise table.error(kinds[1] if kinds else "hub", f"a source has one origin of {known}; here are {len(kinds)}")
    return _ORIGINS[kinds[0]](table)


def _hub(table: TomlTable) -> Hub:
    inner = cast("TomlTable", table.table("hub"))
    inner.require("repo", "revision")
    revision = inner.text("revision")
    if not _COMMIT.fullmatch(revision):
        raise inner.error("revision", f"must be a commit of 40 hexadecimal digits, as branches move; is '{revision}'")
    hub = Hub(
        repo=inner.text("repo"),
        revision=revision,
        config=inner.maybe_text("config") or "",
        split=inner.maybe_text("split") or "train",
    )
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", hub.repo):
        raise inner.error("repo", "must be OWNER/NAME")
    inner.finish()
    return hub


def _web(table: TomlTable) -> Web:
    inner = cast("TomlTable", table.table("http"))
    inner.require("url", "sha256")
    web = Web(url=inner.text("url"), sha256=inner.text("sha256"))
    if not _is_address(web.url):
        raise inner.error("url", "must be an http(s) address of a file")
    if not _SHA256.fullmatch(web.sha256):
        raise inner.error("sha256", "must be 64 hexadecimal digits in lower case")
    inner.finish()
    return web


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and parts.path.strip("/") != ""
        )
    except ValueError:  # a port that is none, brackets without an address
        return False


def _files(table: TomlTable) -> Files:
    paths = table.one_or_more("files")
    if not paths or not all(paths):
        raise table.error("files", "must name a file, a folder or a pattern, or a list of them")
    return Files(paths=paths)


def _gutenberg(table: TomlTable) -> GutenbergFolder:
    inner = cast("TomlTable", table.table("gutenberg"))
    folder = GutenbergFolder(
        folder=inner.text("folder"),
        catalogue=inner.maybe_text("catalogue") or "",
        once=inner.choice("duplicates", ("report", "once"), "report") == "once",
    )
    inner.finish()
    return folder


def _book(table: TomlTable) -> BookRecipe:
    inner = cast("TomlTable", table.table("book"))
    book = BookRecipe(recipe=inner.text("recipe"), source=inner.maybe_text("source") or "")
    inner.finish()
    return book


_ORIGINS: dict[str, Callable[[TomlTable], Origin]] = {
    "hub": _hub,
    "http": _web,
    "files": _files,
    "gutenberg": _gutenberg,
    "book": _book,
}


def _licence(table: TomlTable, origin: Origin) -> Licence:
    inner = table.table("licence")
    if inner is None:
        if isinstance(origin, BookRecipe | Files):
            return Licence(spdx="")  # the book's own, see `local_raw.with_book_licences`
        raise table.error("licence", 'is missing; write such as licence = { spdx = "CC0-1.0" }')
    spdx = inner.text("spdx")
    if not licences.is_expression(spdx):
        raise inner.error("spdx", licences.EXPECTED)
    licence = Licence(
        spdx=spdx,
        url=_link(inner),
        attribution=_line(inner, "attribution"),
        share_alike=inner.flag("share_alike", licences.asks_share_alike(spdx)),
        note=_line(inner, "note"),
    )
    inner.finish()
    return licence


def _line(table: TomlTable, key: str) -> str:
    """A text for tables and pages: in one line."""
    return " ".join((table.maybe_text(key) or "").split())


def _link(table: TomlTable) -> str:
    url = table.maybe_text("url") or ""
    if url and (not re.match("https?://", url) or url != "".join(url.split())):
        raise table.error("url", "must be an http(s) address")
    return url


def check_readable(registry: Registry) -> None:
    """Raise `InputError` where a local path of the registry is not there; nothing is opened."""
    for number, source in enumerate(registry.sources):
        for key, path in _local_paths(source.origin):
            if not any(sign in path for sign in "*?[") and not _is_there(registry.local(path)):
                raise InputError(
                    f"{registry.file}: sources[{number}].{key}: {registry.local(path)}: no such file or folder"
                )


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that no file can have
        return False


def _local_paths(origin: Origin) -> list[tuple[str, str]]:
    match origin:
        case Files():
            return [("files", path) for path in origin.paths]
        case GutenbergFolder():
            return [("gutenberg.folder", origin.folder)] + [("gutenberg.catalogue", origin.catalogue)] * bool(
                origin.catalogue
            )
        case BookRecipe():
            return [("book.recipe", origin.recipe)] + [("book.source", origin.source)] * bool(origin.source)
        case _:
            return []
