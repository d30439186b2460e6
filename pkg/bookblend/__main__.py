"""`python -m bookblend`: the same command line as `bookblend`."""

import sys

from bookblend.cli import main

sys.exit(main())
