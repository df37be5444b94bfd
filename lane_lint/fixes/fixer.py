"""What every fixer has: the code it mends, and the edits that mend one finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from lane_lint.finding import Finding
    from lane_lint.fixes.edits import Edit
    from lane_lint.fixes.parsed import ParsedModule
    from lane_lint.settings import Settings


class NotSafeError(Exception):
    """A finding that a fixer leaves alone; the message says why, without a full stop."""


class Fixer:
    """Mends the findings of one code. It lives in `lane_lint/fixes/lanNNN_name.py`, whose `FIXER` is one.

    Attributes:
        code: The code of the findings that it is given.
    """

    code: ClassVar[str]

    def edits(self, finding: Finding, module: ParsedModule, settings: Settings) -> tuple[Edit, ...]:
        """Say what to change so that the finding goes and nothing else does.

        Raises:
            NotSafeError: It cannot be shown here that the change is right.
        """
        raise NotImplementedError
