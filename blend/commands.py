"""`bookblend blend`: sources into documents, blends and token arrays."""

from bookblend.blend.gutenberg_command import GUTENBERG
from bookblend.blend.stage_commands import MEASURE, PLAN, PREPARE

COMMANDS = (PLAN, PREPARE, MEASURE, GUTENBERG)
