"""LAN308 completion-in-turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class CompletionInTurn(Rule):
    """A turn completes or cancels a concurrent.futures.Future.

    Its callbacks run in the middle of that call, still on the lane: one that comes back to the component is
    refused as reentry, and each of them sees the state half changed.

    Bad:
        from concurrent.futures import Future

        from lane_runtime import StateLane

        class Replies:
            def __init__(self):
                self._lane = StateLane()
                self._open: dict[int, Future] = {}

            def on_reply(self, number, value):
                self._lane.try_post(lambda: self._finish_on_lane(number, value))

            def _finish_on_lane(self, number, value):
                future = self._open.pop(number)
                future.set_result(value)

    Good:
        from concurrent.futures import Future

        from lane_runtime import StateLane

        class Replies:
            def __init__(self):
                self._lane = StateLane()
                self._open: dict[int, Future] = {}

            async def on_reply(self, number, value):
                future = await self._lane.run(lambda: self._open.pop(number))
                future.set_result(value)

    Silent on: futures of asyncio, whose callbacks the loop calls later.
    Source: state lane contract, section 5, "completion and the blocking compatibility boundary".
    Since: 0.1
    """

    code = "LAN308"
    name = "completion-in-turn"
    message = (
        "'{future}.{method}' is called inside the turn '{turn}', and the future's callbacks run right there, still "
        "on the lane"
    )
    hint = "take the future out in the turn, and complete it after the turn"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for completion in function.completions_in_turn():
            yield self.finding(
                completion.place.span,
                path=function.file,
                confidence=Confidence.HIGH,
                future=completion.future,
                method=completion.method,
                turn=completion.turn,
            )
