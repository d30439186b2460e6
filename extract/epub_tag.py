"""An element without elements inside, as the parser reports it: what the walk asks of lxml's, without a tree."""

from collections.abc import ItemsView, Iterator
from typing import Any


class Tag:
    """The name and attributes of an element, and its text once that has been read."""

    __slots__ = ("attributes", "get", "tag", "text")

    tail: None = None

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.get = attributes.get
        self.text = ""

    def items(self) -> ItemsView[str, str]:
        """The attributes as (name, value)."""
        return self.attributes.items()

    def iter(self, *names: str) -> Iterator["Tag"]:
        """Itself, if it has one of these names (`{*}a`) or none is given."""
        if not names or f"{{*}}{self.tag.rpartition(':')[2]}" in names:
            yield self

    def itertext(self) -> Iterator[str]:
        """Its text."""
        yield self.text

    def __iter__(self) -> Iterator[Any]:
        """The elements inside: none."""
        return iter(())

    def __len__(self) -> int:
        return 0
