"""LAN303 callback-in-turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class CallbackInTurn(Rule):
    """A turn calls a callback, listener, hook or callable parameter.

    Control leaves the component in the middle of a turn; a callback that calls back is refused as
    reentry, and a slow one holds everybody up.

    Bad:
        from lane_runtime import StateLane

        class Dial:
            def __init__(self, on_change):
                self._lane = StateLane()
                self._value = 0
                self._on_change = on_change

            async def turn_to(self, value):
                await self._lane.run(lambda: self._turn_on_lane(value))

            def _turn_on_lane(self, value):
                self._value = value
                self._on_change(value)

    Good:
        from lane_runtime import StateLane

        class Dial:
            def __init__(self, on_change):
                self._lane = StateLane()
                self._value = 0
                self._on_change = on_change

            async def turn_to(self, value):
                await self._lane.run(lambda: self._turn_on_lane(value))
                self._on_change(value)

            def _turn_on_lane(self, value):
                self._value = value

    Silent on: methods of the component itself, callables that were made inside the turn.
    Source: state lane contract, section 6, type 3.
    Since: 0.1
    """

    code = "LAN303"
    name = "callback-in-turn"
    message = "'{callback}' is called inside the turn '{turn}'; it may come back to this component and be refused as reentry"
    hint = (
        "finish the state change in the turn, call it after the turn, and store its result in a second turn"
    )

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for callback in function.callbacks_in_turn():
            yield self.finding(
                callback.place.span,
                path=function.file,
                confidence=Confidence.HIGH,
                callback=callback.name,
                turn=callback.turn,
            )
