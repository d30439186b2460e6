"""Orders of file names."""

import re


def natural(name: str) -> tuple[list[tuple[int, int | str]], str]:
    """A key that sorts part-2 before part-10; the name itself settles ties."""
    parts = re.split(r"(\d+)", name)
    return [(1, part) if index % 2 == 0 else (0, int(part)) for index, part in enumerate(parts)], name
