"""What the licences of a blend's sources mean for the blend as one file."""

from collections.abc import Sequence

from bookblend.blend.model import Source


def share_alike(sources: Sequence[Source]) -> dict[str, list[str]]:
    """The share-alike licences among sources, each with the names of its sources, in the sources' order."""
    found: dict[str, list[str]] = {}
    for source in sources:
        if source.licence.share_alike:
            found.setdefault(source.licence.spdx, []).append(source.name)
    return found


def conflict(sources: Sequence[Source]) -> str:
    """One sentence that says why the blend cannot be passed on as one file; "" where it can.

    Each share-alike licence asks that the whole stands under itself; two of them cannot both be served.
    """
    found = share_alike(sources)
    if len(found) < 2:
        return ""
    named = " and ".join(f"{licence} ({', '.join(names)})" for licence, names in found.items())
    return (
        f"This blend cannot be redistributed as one file: {named} each ask that all of it stands under them. "
        "Pass on the recipe, or the sources' parts apart."
    )
