"""Shares against what there is: ceilings, shortfalls, and what a mix that fits would look like, never applied.

All counts are tokens of training; ratios are shown at full precision, and what has no value (a repetition of nothing)
is None, never an infinity.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Supply:
    """What a source is asked for and what it has, in tokens of training; `upsample` caps its repetition."""

    name: str
    share: float
    target: int
    available: int
    upsample: float

    @property
    def most(self) -> int:
        """The tokens it can give at most."""
        return int(self.available * self.upsample)

    @property
    def repetition(self) -> float | None:
        """How often it would have to be repeated; None if it has nothing."""
        return self.target / self.available if self.available else None

    @property
    def is_short(self) -> bool:
        """Whether its target is more than it can give."""
        return self.target > self.most


def shortfalls(supplies: Sequence[Supply]) -> list[Supply]:
    """The short sources, the one that lacks the largest part of its target first."""
    short = [supply for supply in supplies if supply.is_short]
    return sorted(short, key=lambda supply: (supply.most / supply.target, supply.name))


def largest_budget(supplies: Sequence[Supply]) -> int:
    """The largest budget at which no source is short with the shares as declared."""
    return min((int(supply.most / supply.share) for supply in supplies), default=0)


def proposal(supplies: Sequence[Supply], budget: int) -> dict[str, float] | None:
    """Shares that fit: short sources at their ceilings, the others in their declared proportions on what is left.

    None where all sources together cannot fill the budget.
    """
    if sum(supply.most for supply in supplies) < budget:
        return None
    fixed: dict[str, float] = {}
    while True:
        free = [supply for supply in supplies if supply.name not in fixed]
        left, total = 1 - sum(fixed.values()), sum(supply.share for supply in free)
        capped = {s.name: s.most / budget for s in free if s.share / total * left * budget > s.most}
        if not capped:
            return {s.name: fixed.get(s.name, s.share / total * left) for s in supplies}
        fixed |= capped


def percent(share: float) -> str:
    """A share in per cent at the precision that it has: 0.5 % never prints as 0 %."""
    return f"{share * 100:.10g} %"
