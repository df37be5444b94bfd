"""LAN307 registration-only-posted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class RegistrationOnlyPosted(Rule):
    """A method that promises a registration on return only posts it to the lane.

    Who gets the ticket believes that it counts, but the lane may not have come to it yet.

    Bad:
        from itertools import count

        from lane_runtime import StateLane

        class Outbox:
            def __init__(self):
                self._lane = StateLane()
                self._numbers = count(1)
                self._waiting = {}

            def send(self, item):
                number = next(self._numbers)
                self._lane.try_post(lambda: self._waiting.setdefault(number, item))
                return number

    Good:
        from itertools import count

        from lane_runtime import StateLane

        class Outbox:
            def __init__(self):
                self._lane = StateLane()
                self._numbers = count(1)
                self._waiting = {}

            async def send(self, item):
                number = next(self._numbers)
                await self._lane.run(lambda: self._waiting.setdefault(number, item))
                return number

    Silent on: posts by methods that return nothing of the posted work, methods that wait for a later turn
        of the lane or for a signal of the work.
    Source: state lane contract, section 5, "what is done before the return".
    Since: 0.1
    """

    code = "LAN307"
    name = "registration-only-posted"
    message = (
        "{what} before the lane '{lane}' has run what is only posted here; a caller that acts on it at once "
        "finds nothing registered"
    )
    hint = "wait for the registration with run, or run_blocking from plain threads, and return after it"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for promise in function.early_promises():
            yield self.finding(
                promise.place.span,
                path=function.file,
                confidence=Confidence.HIGH if promise.name else Confidence.MEDIUM,
                what=f"'{function.label}' hands out '{promise.name}'"
                if promise.name
                else f"'{function.label}' returns, against its docstring,",
                lane=promise.lane,
            )
