"""LAN306 lane-waits-for-lane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class LaneWaitsForLane(Rule):
    """A turn of one lane waits for a turn of another lane.

    Two components that do so to each other stand still: each turn waits for the other's lane.

    Bad:
        from lane_runtime import StateLane

        class Account:
            def __init__(self):
                self._lane = StateLane()
                self._cents = 0

            async def credit(self, cents):
                def credit_on_lane():
                    self._cents += cents

                await self._lane.run(credit_on_lane)

            async def pay(self, other: "Account", cents):
                async def pay_on_lane():
                    self._cents -= cents
                    await other.credit(cents)

                await self._lane.run(pay_on_lane)

    Good:
        from lane_runtime import StateLane, run_all

        class Account:
            def __init__(self):
                self._lane = StateLane()
                self._cents = 0

            async def pay(self, other: "Account", cents):
                def pay_on_lanes():
                    self._cents -= cents
                    other._cents += cents

                await run_all([self._lane, other._lane], pay_on_lanes)

    Silent on: posts to another lane, turns of several lanes by run_all, waits after the turn.
    Source: state lane contract, sections 4 and 6; the seed documents' two accounts.
    Since: 0.1
    """

    code = "LAN306"
    name = "lane-waits-for-lane"
    message = (
        "{call} waits for the lane '{lane}' inside the turn '{turn}' ({turn_at}) of another lane; two such "
        "turns in opposite directions wait for each other"
    )
    hint = "leave the turn before it, post with try_post, or run one turn over both lanes with run_all"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for wait in function.lane_waits():
            if not wait.is_reentry:
                yield self.finding(
                    wait.place.span,
                    path=function.file,
                    confidence=Confidence.HIGH,
                    call=f"'{wait.callee}'" if wait.callee else "this call",
                    lane=function.display(wait.lane),
                    turn=wait.root,
                    turn_at=wait.root_at,
                )
