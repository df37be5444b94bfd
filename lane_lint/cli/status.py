"""Exit statuses, and the one way to complain."""

from __future__ import annotations

import sys

CLEAN = 0
FINDINGS = 1
CANNOT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
TERMINATED = 143  # 128 + SIGTERM


def complain(message: str) -> None:
    """Say on standard error what could not be done."""
    print(f"lane-lint: {message}", file=sys.stderr)
