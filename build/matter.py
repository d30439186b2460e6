"""Front and back matter that an extractor inferred: what of it a build leaves out.

Inference is not the user's word. So it is acted on only at the sides where the user set no anchor:

- no start: matter before the body goes; no end: matter after it goes
- neither: matter in the middle goes too (a contents page between two parts, say)
- an anchor on a side, "" included, decides alone what stands on that side
"""

from collections.abc import Sequence

from bookblend.build.anchors import Slice
from bookblend.manuscript import Mark


def without_matter(marks: Sequence[Mark], body: Slice, *, free_start: bool, free_end: bool) -> list[int]:
    """The ordinals of the slice that stay, in order.

    `free_start` and `free_end` say that the user set no anchor there. A slice that is matter from end to end stays
    as it is: then the inference is wrong, or the user asked for just that.
    """
    inside = range(body.start, body.end)
    real = [i for i in inside if not marks[i].matter]
    if not real:
        return list(inside)
    if free_start and free_end:
        return real
    first = real[0] if free_start else body.start
    last = real[-1] + 1 if free_end else body.end
    return list(range(first, last))


def rule(marks: Sequence[Mark], ordinal: int, kept: Sequence[int]) -> str:
    """The ledger's name for why `without_matter` left a block out: "front matter: contents", "back matter: index" …"""
    side = "front" if ordinal < kept[0] else "back" if ordinal > kept[-1] else "inner"
    return f"{side} matter: {marks[ordinal].matter}"
