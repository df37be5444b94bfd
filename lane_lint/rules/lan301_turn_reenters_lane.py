"""LAN301 turn-reenters-lane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class TurnReentersLane(Rule):
    """A turn calls a method that enters the same lane again.

    The inner turn waits for the running one, which waits for the inner: the runtime refuses the call.

    Bad:
        from lane_runtime import StateLane

        class Desk:
            def __init__(self):
                self._lane = StateLane()
                self._owners = {}

            async def free(self, key):
                await self._lane.run(lambda: self._owners.pop(key, None))

            async def swap(self, key, owner):
                async def swap_on_lane():
                    await self.free(key)
                    self._owners[key] = owner

                await self._lane.run(swap_on_lane)

    Good:
        from lane_runtime import StateLane

        class Desk:
            def __init__(self):
                self._lane = StateLane()
                self._owners = {}

            async def free(self, key):
                await self._lane.run(lambda: self._free_on_lane(key))

            def _free_on_lane(self, key):
                self._owners.pop(key, None)

            async def swap(self, key, owner):
                def swap_on_lane():
                    self._free_on_lane(key)
                    self._owners[key] = owner

                await self._lane.run(swap_on_lane)

    Silent on: bodies that do not enter the lane, posts, tasks started outside the lane's context.
    Source: state lane contract, section 6, type 1.
    Since: 0.1
    """

    code = "LAN301"
    name = "turn-reenters-lane"
    message = (
        "{call} enters the lane '{lane}' again, inside its own turn '{turn}' ({turn_at}), "
        "and would wait for the turn it is part of"
    )
    hint = "move what it does into a function that does not enter the lane, and call that"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for wait in function.lane_waits():
            if wait.is_reentry:
                yield self.finding(
                    wait.place.span,
                    path=function.file,
                    confidence=Confidence.HIGH,
                    call=f"'{wait.callee}'" if wait.callee else "this call",
                    lane=function.display(wait.lane),
                    turn=wait.root,
                    turn_at=wait.root_at,
                )
