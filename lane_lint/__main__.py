"""`python -m lane_lint`: the same as the command `lane-lint`."""

import sys

from lane_lint.cli import main

sys.exit(main())
