"""What the tests of the fixers share."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from lane_lint.fixes.files import fix_bytes
from lane_lint.settings import Settings


class Outcome:
    """A text after fixing, and the reasons for what was left."""

    def __init__(self, before: str) -> None:
        self.before = before
        done = fix_bytes("case.py", before.encode(), Settings())
        self.after = done.data.decode()
        self.reasons = [f"{finding.span.line}: {reason}" for finding, reason in done.left]

    @property
    def new_lines(self) -> list[str]:
        """The lines that were not there before, in order."""
        old = self.before.splitlines()
        return [line for line in self.after.splitlines() if line not in old]


@pytest.fixture
def fix() -> Callable[[str], Outcome]:
    return lambda text: Outcome(textwrap.dedent(text))
