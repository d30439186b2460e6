"""`bookblend blend`: sources into documents, blends and token arrays."""

from bookblend.blend.dedup_command import DEDUP
from bookblend.blend.disk_command import CHECK_DISK
from bookblend.blend.fetch_command import FETCH
from bookblend.blend.gutenberg_command import GUTENBERG
from bookblend.blend.run_commands import CUT, RUN, VERIFY
from bookblend.blend.stage_commands import MEASURE, PLAN, PREPARE

COMMANDS = (PLAN, CHECK_DISK, FETCH, PREPARE, MEASURE, RUN, VERIFY, CUT, GUTENBERG, DEDUP)
