"""`bookblend blend`: sources into documents, blends and token arrays."""

from bookblend.blend.gutenberg_command import GUTENBERG

COMMANDS = (GUTENBERG,)
