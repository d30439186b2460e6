"""`bookblend blend`: sources into documents, blends and token arrays."""

from bookblend.blend.cut_command import CUT
from bookblend.blend.dedup_command import DEDUP
from bookblend.blend.disk_command import CHECK_DISK
from bookblend.blend.encode_command import ENCODE
from bookblend.blend.fetch_command import FETCH
from bookblend.blend.gutenberg_command import GUTENBERG
from bookblend.blend.run_commands import RUN, VERIFY
from bookblend.blend.stage_commands import MEASURE, PLAN, PREPARE
from bookblend.blend.tokenizer_command import TOKENIZER_COMMAND

COMMANDS = (
    PLAN, CHECK_DISK, FETCH, PREPARE, MEASURE, RUN, VERIFY, CUT, TOKENIZER_COMMAND, ENCODE, GUTENBERG, DEDUP,
)  # fmt: skip
