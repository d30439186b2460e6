"""Which documents a blend is made of: what each source gives to training and to validation, by the cut declared."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from bookblend.blend.cut_documents import Cut, ShortfallError, Taken, cut_at_paragraph, order, take
from bookblend.blend.cut_words import Emitted, Part
from bookblend.blend.measure import Measured
from bookblend.blend.model import Registry, Source
from bookblend.blend.prepared import text_hash
from bookblend.blend.shares import Supply, shortfalls

# Tokens of texts, without an eos.
Counter = Callable[[Sequence[str]], Sequence[int]]
_NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Selection:
    """A blend's documents by source, in the order in which the sources stand in the blend, for each role."""

    names: tuple[str, ...]
    train: Mapping[str, Taken]
    validation: Mapping[str, Taken]


def check_supplies(supplies: Sequence[Supply]) -> None:
    """Raise `ShortfallError` that names every source which cannot give what its share asks."""
    short = shortfalls(supplies)
    if short:
        told = "; ".join(
            f"'{supply.name}' {supply.target:,} tokens asked, {supply.most:,} there"
            + (f" at {supply.upsample:g} x" if supply.available else "")
            for supply in short
        )
        raise ShortfallError(
            f"sources are short: {told}; lower the budget or the shares ('bookblend blend measure' helps)"
        )


def check_something(supplies: Sequence[Supply]) -> None:
    """Raise `ShortfallError` that names every source without a document for training, before anything is trained."""
    empty = [f"'{supply.name}'" for supply in supplies if not supply.available]
    if empty:
        noun = "source" if len(empty) == 1 else "sources"
        raise ShortfallError(
            f"{noun} {', '.join(empty)}: no document for training (prepare.json says what became of the rows; a source "
            "whose only group falls to validation needs validation = false)"
        )


def by_documents(registry: Registry, measured: Measured, count: Counter) -> Selection:
    """Whole documents up to every source's target. Raises `ShortfallError`."""
    supplies = measured.supplies(registry)
    check_supplies(supplies)
    held_out = measured.held_out_texts()
    train, validation = {}, {}
    for source, supply in zip(registry.sources, supplies, strict=True):
        prepared, roles = measured.sources[source.name], measured.roles[source.name]
        texts, lengths = prepared.index["text"], measured.tokens[source.name]

        def cutter(number: int, most: int, prepared: Any = prepared) -> Cut | None:
            return _cut(next(prepared.texts([number])), most, count, held_out)

        train[source.name] = take(registry.seed, source.name, roles.train, texts, lengths, supply.target, cutter)
        validation[source.name] = _held_out(registry, source, supply.target, roles.validation, texts, lengths)
    return Selection(tuple(source.name for source in registry.sources), train, validation)


def _cut(text: str, most: int, count: Counter, held_out: Set[int]) -> Cut | None:
    """A text's beginning that is no document of validation: its first paragraph alone may be one."""
    while (cut := cut_at_paragraph(text, most, count)) is not None and text_hash(cut.text.encode("utf-8")) in held_out:
        most = cut.tokens - 1
    return cut


def _held_out(registry: Registry, source: Source, target: int, numbers: Any, texts: Any, lengths: Any) -> Taken:
    """Of the documents held out about the validation's share of the target, whole, each once, and at least one."""
    row = order(registry.seed, source.name, -1, numbers, texts)
    ends = np.cumsum(lengths[row])
    wanted = round(target * registry.validation.share)
    count = int(np.searchsorted(ends, wanted, side="right"))
    row = row[: max(count, 1)] if wanted else row[:0]
    return Taken(row, int(lengths[row].sum()))


def word_parts(registry: Registry, measured: Measured) -> list[Part]:
    """The sources as the recipe's cut reads them: their training documents as they stand in their files."""
    available = {supply.name: supply.available for supply in measured.supplies(registry)}

    def reader(name: str) -> Callable[[], Iterator[str]]:
        prepared, numbers = measured.sources[name], measured.roles[name].train

        def lines() -> Iterator[str]:
            for text in prepared.raw(numbers):
                yield from (line + "\n" for line in text.decode("utf-8").split("\n"))
                yield registry.eos + "\n"
                yield "\n"

        return lines

    return [Part(s.name, s.share, available[s.name], reader(s.name)) for s in registry.sources]


def by_words(registry: Registry, measured: Measured, accounts: Mapping[str, Emitted], count: Counter) -> Selection:
    """The documents that the recipe's cut has emitted by its accounts, the last one of each source as it was cut."""
    train, validation = {}, {}
    for name, account in accounts.items():
        taken = _emitted(measured, name, account, count)
        if registry.validation.split == "tail":
            train[name], validation[name] = _tail(taken, measured.tokens[name], registry.validation.share)
        else:
            source = next(source for source in registry.sources if source.name == name)
            texts, lengths = measured.sources[name].index["text"], measured.tokens[name]
            train[name] = taken
            target = round(source.share * registry.budget)
            held = measured.roles[name].validation
            validation[name] = _held_out(registry, source, target, held, texts, lengths)
    return Selection(tuple(sorted(accounts)), train, validation)


def _emitted(measured: Measured, name: str, account: Emitted, count: Counter) -> Taken:
    prepared, numbers, lengths = measured.sources[name], measured.roles[name].train, measured.tokens[name]
    # A document's lines are those of its text, the eos line and the blank one.
    lines = np.fromiter((text.count(b"\n") + 3 for text in prepared.raw(numbers)), np.int64, len(numbers))
    ends = np.cumsum(lines)
    whole = int(np.searchsorted(ends, account.cut_line, side="right"))
    chosen = [np.tile(numbers, account.passes), numbers[:whole]]
    left = account.cut_line - (int(ends[whole - 1]) if whole else 0)
    cut = None
    if whole < len(numbers) and (left or account.cut_words):
        text = next(prepared.raw(numbers[whole : whole + 1])).decode("utf-8")
        parts = text.split("\n")
        chosen.append(numbers[whole : whole + 1])
        if left < len(parts):
            beginning = [*parts[:left], " ".join(parts[left].split()[: account.cut_words])]
            cut_text = "\n".join(beginning).rstrip("\n")
            cut = Cut(cut_text, count([cut_text])[0] + 1) if cut_text else None
            if cut is None:
                chosen.pop()
    documents = np.concatenate(chosen)
    tokens = int(lengths[documents].sum())
    if cut is not None:
        tokens += cut.tokens - int(lengths[documents[-1]])
    return Taken(documents, tokens, account.passes, cut)


def _tail(taken: Taken, lengths: Any, share: float) -> tuple[Taken, Taken]:
    """The last documents of a source's span as validation, as the recipe has it: what is repeated is on both sides."""
    sizes = lengths[taken.documents].copy()
    if taken.cut is not None:
        sizes[-1] = taken.cut.tokens
    behind = np.cumsum(sizes[::-1])
    count = int(np.searchsorted(behind, taken.tokens * share, side="right"))
    head, tail = taken.documents[: len(sizes) - count], taken.documents[len(sizes) - count :]
    held = int(sizes[len(sizes) - count :].sum())
    cut = taken.cut
    return (
        Taken(head, taken.tokens - held, taken.passes, None if count else cut),
        Taken(tail, held, 0, cut if count else None),
    )
