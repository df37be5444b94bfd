"""LAN305 gate-in-turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class GateInTurn(Rule):
    """A turn acquires a lock, a semaphore, a condition or an operation gate.

    Whoever holds the gate may be waiting for a turn, so the two wait for each other. Only the other order
    is allowed: first the gate, then the lane.

    Bad:
        import asyncio

        from lane_runtime import StateLane

        class Line:
            def __init__(self, port):
                self._port = port
                self._lane = StateLane()
                self._port_gate = asyncio.Lock()
                self._open = False

            async def close(self):
                await self._lane.run(self._close_on_lane)

            async def _close_on_lane(self):
                async with self._port_gate:
                    self._open = False

    Good:
        import asyncio

        from lane_runtime import StateLane

        class Line:
            def __init__(self, port):
                self._port = port
                self._lane = StateLane()
                self._port_gate = asyncio.Lock()
                self._open = False

            async def close(self):
                async with self._port_gate:
                    await self._lane.run(self._close_on_lane)

            def _close_on_lane(self):
                self._open = False

    Silent on: gates that are taken before the lane, acquisitions that do not wait.
    Source: state lane contract, section 4, "state protection and the serialising of operations".
    Since: 0.1
    """

    code = "LAN305"
    name = "gate-in-turn"
    message = (
        "'{gate}' is acquired inside the turn '{turn}'; whoever holds it may be waiting for this lane, and then "
        "neither goes on"
    )
    hint = "acquire it first and run the turn inside it, or leave it to the lane alone"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for gate in function.gates_in_turn():
            yield self.finding(
                gate.place.span,
                path=function.file,
                confidence=Confidence.HIGH if gate.is_known else Confidence.MEDIUM,
                gate=gate.subject,
                turn=gate.turn,
            )
