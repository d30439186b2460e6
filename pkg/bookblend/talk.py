"""What commands say beside their results: warnings, one line each, on stderr."""

import sys


def warn(message: str) -> None:
    """Tell the user something that does not stop the work."""
    print(f"bookblend: warning: {message}", file=sys.stderr)
