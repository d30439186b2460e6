"""Licences as recipes name them: SPDX expressions, and which of them ask for the same licence downstream."""

import re

# An SPDX licence expression by its form: identifiers, LicenseRef-…, joined by AND, OR, WITH. Not the list of names.
_EXPRESSION = re.compile(r"\(*[A-Za-z0-9.+-]+\)*(?: (?:AND|OR|WITH) \(*[A-Za-z0-9.+-]+\)*)*")
# Families whose texts ask that works made from them stand under the same licence (names as on spdx.org/licenses).
_SHARE_ALIKE = re.compile(r"(?:CC-BY(?:-NC)?-SA|CDLA-Sharing|GFDL|A?GPL|LGPL|ODbL|FreeBSD-DOC-SA)-", re.IGNORECASE)
EXPECTED = "must be an SPDX expression such as CC0-1.0, or LicenseRef-… for others"


def is_expression(text: str) -> bool:
    """Whether a text has the form of an SPDX licence expression."""
    return _EXPRESSION.fullmatch(text) is not None


def asks_share_alike(expression: str) -> bool:
    """Whether an identifier of the expression is of a family that asks for the same licence downstream."""
    return any(_SHARE_ALIKE.match(part.strip("()")) for part in expression.split())
