"""LAN302 task-inherits-turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class TaskInheritsTurn(Rule):
    """A turn starts a task, timer or thread that inherits the mark of the turn.

    While the turn runs, the started work is refused by the lane as if it were part of the turn.

    Bad:
        import asyncio

        from lane_runtime import StateLane

        class Ledger:
            def __init__(self, bank):
                self._bank = bank
                self._lane = StateLane()
                self._poller = None

            async def open(self):
                await self._lane.run(self._open_on_lane)

            def _open_on_lane(self):
                self._poller = asyncio.create_task(self._poll())

            async def _poll(self):
                await self._bank.changes()

    Good:
        from lane_runtime import StateLane, start_detached

        class Ledger:
            def __init__(self, bank):
                self._bank = bank
                self._lane = StateLane()
                self._poller = None

            async def open(self):
                await self._lane.run(self._open_on_lane)

            def _open_on_lane(self):
                self._poller = start_detached(self._poll)

            async def _poll(self):
                await self._bank.changes()

    Silent on: start_detached, starts inside suppress_lane_context, starts with a context of their own.
    Source: state lane contract, section 6, type 2.
    Since: 0.1
    """

    code = "LAN302"
    name = "task-inherits-turn"
    message = (
        "'{starter}' starts {target} inside the turn '{turn}', so it inherits the turn's mark, "
        "and while that turn runs the lane refuses it as reentry"
    )
    hint = "start it with start_detached(...), or inside suppress_lane_context()"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for start in function.starts_in_turn():
            yield self.finding(
                start.place.span,
                path=function.file,
                confidence=Confidence.HIGH,
                starter=start.starter,
                target=f"'{start.target}'" if start.target else "work that goes on by itself",
                turn=start.turn,
            )
