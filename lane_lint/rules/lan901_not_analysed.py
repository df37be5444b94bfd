"""LAN901 not-analysed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class NotAnalysed(Rule):
    """A file, or one definition of it, could not be analysed.

    Nothing else is reported for that part, so silence there says nothing about it. The run goes on
    with the other parts and files.

    Bad:
        class Settings:
            async def reload(self:
                self.values = await self.fetch()

    Good:
        class Settings:
            async def reload(self):
                self.values = await self.fetch()

    Silent on: everything that could be read.
    Source: the Python language reference, "Full Grammar specification", of the Python that runs the checker.
    Since: 0.1
    """

    code = "LAN901"
    name = "not-analysed"
    message = "{part} was not analysed: {reason}"
    hint = "{remedy}"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        """Find nothing: the engine reports what it could not read."""
        return iter(())
