"""LAN304 external-wait-in-turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class ExternalWaitInTurn(Rule):
    """A turn waits for something outside of the component: the network, a timer, an event, a queue, a process.

    Everybody else who needs the lane waits with it, and what is waited for may itself need the lane.

    Bad:
        from lane_runtime import StateLane

        class Profile:
            def __init__(self, http):
                self._http = http
                self._lane = StateLane()
                self._names = {}

            async def load(self, user):
                async def load_on_lane():
                    reply = await self._http.get("/users/" + user)
                    self._names[user] = reply["name"]

                await self._lane.run(load_on_lane)

    Good:
        from lane_runtime import StateLane

        class Profile:
            def __init__(self, http):
                self._http = http
                self._lane = StateLane()
                self._names = {}

            async def load(self, user):
                reply = await self._http.get("/users/" + user)

                def keep_on_lane():
                    self._names[user] = reply["name"]

                await self._lane.run(keep_on_lane)

    Silent on: coroutines of the component that wait for nobody, a bare sleep(0), calls that do not wait
        (put_nowait, get_nowait, set, cancel).
    Source: state lane contract, section 4, "state protection and the serialising of operations".
    Since: 0.1
    """

    code = "LAN304"
    name = "external-wait-in-turn"
    message = (
        "'{subject}' is waited for inside the turn '{turn}'; all who need the lane wait with it, and if it needs "
        "the lane itself, nothing goes on"
    )
    hint = "wait outside of the turn, and take the result into a second turn that looks at the state again"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for wait in function.outside_waits_in_turn():
            yield self.finding(
                wait.place.span,
                path=function.file,
                confidence=Confidence.HIGH if wait.is_known else Confidence.MEDIUM,
                subject=wait.subject,
                turn=wait.turn,
            )
