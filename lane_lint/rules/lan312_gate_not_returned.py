"""LAN312 gate-not-returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence, Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.gates import UnreturnedGate


class GateNotReturned(Rule):
    """A lock or semaphore is taken by a call of `acquire()`, and some way out leaves it taken.

    A `return` before the release, an exception, or the cancellation of the task at an await: the
    lock then stays taken for good, and everybody who wants it waits for ever. A semaphore loses one
    permit each time.

    Bad:
        import asyncio

        class Printer:
            def __init__(self, port):
                self._port = port
                self._busy = asyncio.Lock()

            async def print(self, page):
                await self._busy.acquire()
                await self._port.send(page)
                self._busy.release()

    Good:
        import asyncio

        class Printer:
            def __init__(self, port):
                self._port = port
                self._busy = asyncio.Lock()

            async def print(self, page):
                async with self._busy:
                    await self._port.send(page)

    Silent on: a release in a `finally` that covers every way, attempts that failed, functions whose
        counterpart in the same module releases the lock, and locks whose release is handed on to a
        callback, a task or a context.
    Source: state lane contract, section 6; Python library reference, "Using locks in the with statement".
    Since: 0.1
    """

    code = "LAN312"
    name = "gate-not-returned"
    message = "'{lock}' is acquired here and stays taken when {way_out}; whoever wants it next waits for ever"
    hint = (
        "use it in a `with` statement, or release it in a `finally` that starts right after the acquisition"
    )

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for gate in function.unreturned_gates():
            related = (gate.way_out.related("left here with the lock taken"),) if gate.way_out else ()
            yield self.finding(
                gate.place.span,
                path=function.file,
                confidence=Confidence.LOW if function.is_in_test else _confidence(gate),
                related=related,
                lock=gate.lock,
                way_out=_way_out(gate, function.label),
            )


def _confidence(gate: UnreturnedGate) -> Confidence:
    if gate.lost_by is not None:
        return Confidence.HIGH
    if gate.is_error and not gate.is_given_back and (gate.is_public or not gate.is_wait):
        # Its counterpart may be called after the exception, too.
        return Confidence.LOW
    if gate.is_error and gate.is_handed_on and not gate.is_given_back:
        return Confidence.MEDIUM
    if not gate.is_error and gate.is_public and not gate.is_given_back:
        return Confidence.LOW
    return Confidence.HIGH if gate.is_wait or not gate.is_error else Confidence.MEDIUM


def _way_out(gate: UnreturnedGate, function: str) -> str:
    if gate.lost_by is not None:
        return f"'{gate.lost_by}', which is to release it, is cancelled or raises before it does"
    if gate.is_error and gate.way_out is not None:
        cause = "the task is cancelled at the await" if gate.is_wait else "the call"
        where = f"on line {gate.way_out.line}"
        return f"{cause} {where} or it raises" if gate.is_wait else f"{cause} {where} raises"
    if gate.way_out is not None:
        return f"'{function}' returns on line {gate.way_out.line}"
    return f"'{function}' ends"
