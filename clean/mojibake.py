"""Repair of text that was UTF-8 and has been read in a one-byte encoding, once or twice ("cafÃ©" → "café").

ftfy does the repair; it weighs the evidence line by line and is the library for it. This module decides when to ask:
only where a line holds a sequence that sound text does not, so that ftfy is not even loaded for a sound book.
"""

import re

# The characters that the UTF-8 continuation bytes 80-BF become in Windows-1252, and in Latin-1 below A0.
_TRAIL = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_SUSPECT = re.compile(
    "|".join(
        (
            f"[\xc2-\xdf][{_TRAIL}]",  # two bytes: Latin, Greek, Cyrillic, Hebrew, Arabic letters
            # Three bytes: punctuation, most other scripts. Sound French has "é", a hard blank and a guillemet in a row.
            f"[\xe0-\xef](?!\xa0[«»“”])[{_TRAIL}]{{2}}",
            f"\xf0[\x90-\xbfŸ‘’“”•–—˜™š›œž][{_TRAIL}]{{2}}",  # four bytes: pictures
            "â€",  # a quote or dash that lost its last byte
            "(?<![A-ZÀ-Þ])Ã ",  # an "à" whose hard blank became a blank
            "‚Ä|√[©®±ß]",  # read as Mac Roman
        )
    )
)
# A capital that ends a word in capitals, before a closing mark: "«É A MANHû", "A IRMÔ…". Sound Portuguese, and ftfy
# would join the two; so this alone is no reason to ask it.
_CAPITALS = re.compile("(?<=[A-ZÀ-ÖØ-Þ])[\xc2-\xdf][»”’…–—\xa0›°·](?![A-ZÀ-ÖØ-Þa-zß-ÿ])")
# The closing quote's last byte, 9D, is undefined in Windows-1252, and many programs dropped it.
_CLIPPED_QUOTE = re.compile("â€(?=[ .,;:!?)\\]—–-]|$)")


def mojibake(text: str) -> str:
    """`text` with mojibake repaired, line by line; any line without clear evidence stays as it is."""
    if text.isascii() or not _SUSPECT.search(text):
        return text
    return "\n".join(map(_repair_line, text.split("\n")))


def _repair_line(line: str) -> str:
    if not _SUSPECT.search(_CAPITALS.sub(" ", line)):
        return line
    from ftfy import fix_encoding  # 0.1 s, and only damaged books need it

    return fix_encoding(_CLIPPED_QUOTE.sub("â€\x9d", line))
