"""What commands say: warnings beside their results, one line each, on stderr; and how they count and cut."""

import sys


def warn(message: str) -> None:
    """Tell the user something that does not stop the work."""
    print(f"bookblend: warning: {message}", file=sys.stderr)


def say(message: str) -> None:
    """Tell the user what was done, beside results that go elsewhere."""
    print(message, file=sys.stderr)


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 record", "2,000 records"; `many` where the plural is not `one` with an "s"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def shortened(text: str, width: int) -> str:
    """The text, or as much of it as `width` characters hold with an ellipsis behind."""
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
