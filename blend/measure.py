"""The stage `measure`: what every source has for training, counted in tokens, against what its share asks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bookblend.blend.model import Registry
from bookblend.blend.prepared import Prepared
from bookblend.blend.shares import Supply, largest_budget, proposal, shortfalls
from bookblend.blend.split import Roles, assign, groups_of
from bookblend.blend.workspace import Workspace

# Tokens a word of English prose in a vocabulary of some 32,000, where no tokenizer counts (the recipe's own factor).
TOKENS_PER_WORD = 1.3
BY_WORDS, BY_TOKENIZER = "words x 1.3", "tokenizer"


@dataclass(frozen=True, slots=True)
class Measured:
    """All sources' documents with their roles, and the tokens of each document (its eos counted) by source name.

    `tokens` holds float64 estimates where `method` is by words, else int64 counts.
    """

    sources: Mapping[str, Prepared]
    roles: Mapping[str, Roles]
    tokens: Mapping[str, Any]
    method: str

    def total(self, name: str, numbers: Any) -> int:
        """Tokens of some documents of a source."""
        return round(float(self.tokens[name][numbers].sum())) if len(numbers) else 0

    def held_out_texts(self) -> set[int]:
        """The text hashes of all documents that are held out."""
        return {
            int(value)
            for name, roles in self.roles.items()
            for value in self.sources[name].index["text"][roles.validation]
        }

    def supplies(self, registry: Registry) -> list[Supply]:
        """What every source is asked for and has, in the registry's order."""
        return [
            Supply(
                source.name,
                source.share,
                round(source.share * registry.budget),
                self.total(source.name, self.roles[source.name].train),
                source.upsample,
            )
            for source in registry.sources
        ]


def open_prepared(registry: Registry, workspace: Workspace) -> dict[str, Prepared]:
    """All sources' documents, which `prepare` has made."""
    recipe = registry.rules == "recipe"
    return {source.name: Prepared(workspace.prepared(source.name), registry.eos, recipe) for source in registry.sources}


def by_words(registry: Registry, sources: Mapping[str, Prepared]) -> Measured:
    """Sources measured by their words; a document's eos is a word of it, as in the files."""
    tokens = {name: (prepared.index["words"] + 1) * TOKENS_PER_WORD for name, prepared in sources.items()}
    return Measured(sources, assign(registry, sources), tokens, BY_WORDS)


def by_tokens(measured: Measured, lengths: Mapping[str, Any]) -> Measured:
    """The same sources in the same roles, measured by their documents' token counts, each with its eos."""
    return replace(measured, tokens=lengths, method=BY_TOKENIZER)


def report(registry: Registry, measured: Measured, tokenizer_sha256: str = "") -> dict[str, Any]:
    """The stage's JSON report."""
    supplies = measured.supplies(registry)
    short = shortfalls(supplies)
    return {
        "stage": "measure",
        "method": measured.method,
        "tokenizer_sha256": tokenizer_sha256,
        "budget": registry.budget,
        "sources": {supply.name: _source(registry, measured, supply) for supply in supplies},
        "shortfalls": [supply.name for supply in short],
        "largest_budget": largest_budget(supplies),
        "proposal": proposal(supplies, registry.budget) if short else None,
    }


def _source(registry: Registry, measured: Measured, supply: Supply) -> dict[str, Any]:
    prepared, roles = measured.sources[supply.name], measured.roles[supply.name]
    train = roles.train
    return {
        "share": supply.share,
        "target_tokens": supply.target,
        "available_tokens": supply.available,
        "documents": len(train),
        "groups": groups_of(prepared, train),
        "words": int(prepared.index["words"][train].sum()) + len(train),
        "held_out_documents": len(roles.validation),
        "held_out_tokens": measured.total(supply.name, roles.validation),
        "left_out_as_validation_text": roles.twins,
        "left_out_as_repeated": roles.repeated,
        "upsample": supply.upsample,
        "ceiling_share": supply.most / registry.budget,
        "repetition": supply.repetition,
        "short": supply.is_short,
    }
