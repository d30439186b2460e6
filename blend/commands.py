"""`bookblend blend`: sources into documents, blends and token arrays."""

from bookblend.blend.disk_command import CHECK_DISK
from bookblend.blend.fetch_command import FETCH
from bookblend.blend.gutenberg_command import GUTENBERG

COMMANDS = (
    GUTENBERG,
    CHECK_DISK,
    FETCH,
)
