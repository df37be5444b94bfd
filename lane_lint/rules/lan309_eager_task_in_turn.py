"""LAN309 eager-task-in-turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class EagerTaskInTurn(Rule):
    """A turn hides its mark from a task, but the task starts eagerly, so its beginning runs inside the turn.

    Until its first real wait the task is part of the turn: a visit to the lane there is refused as reentry.

    Bad:
        import asyncio

        from lane_runtime import StateLane, suppress_lane_context

        class Beacon:
            def __init__(self):
                self._lane = StateLane()
                self._beats = 0

            async def start(self):
                await self._lane.run(self._start_on_lane)

            def _start_on_lane(self):
                with suppress_lane_context():
                    self._task = asyncio.Task(self._beat(), eager_start=True)

            async def _beat(self):
                await self._lane.run(self._count_on_lane)

            def _count_on_lane(self):
                self._beats += 1

    Good:
        from lane_runtime import StateLane, start_detached

        class Beacon:
            def __init__(self):
                self._lane = StateLane()
                self._beats = 0

            async def start(self):
                await self._lane.run(self._start_on_lane)

            def _start_on_lane(self):
                self._task = start_detached(self._beat)

            async def _beat(self):
                await self._lane.run(self._count_on_lane)

            def _count_on_lane(self):
                self._beats += 1

    Silent on: start_detached, tasks that begin with a wait for somebody outside, starts outside of turns.
    Source: state lane contract, section 6, type 2: the synchronous prefix of a long task.
    Since: 0.1
    """

    code = "LAN309"
    name = "eager-task-in-turn"
    message = (
        "'{starter}' starts {target} eagerly inside the turn '{turn}', so what it does before its first wait is "
        "part of the turn although the turn's mark is hidden from it"
    )
    hint = "start it with start_detached(...), which begins outside of the turn"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for start in function.eager_starts_in_turn():
            yield self.finding(
                start.place.span,
                path=function.file,
                confidence=Confidence.HIGH,
                starter=start.starter,
                target=f"'{start.target}'" if start.target else "a task",
                turn=start.turn,
            )
