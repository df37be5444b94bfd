"""Blocking waits in coroutines, their own and those of the plain functions they call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.held import lock_name
from lane_lint.flow.waiting_types import FOR_A_TURN
from lane_lint.model.graph import Kind

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.held import LockName
    from lane_lint.flow.program import Program
    from lane_lint.flow.solved import Place
    from lane_lint.flow.unit import Unit


class BlockingWait(NamedTuple):
    """A call in a coroutine that blocks the event loop.

    Attributes:
        call: What is called here.
        through: The call further down that waits, when it is not this one.
        reason: What is waited for.
        is_timed: The wait gives up after a time.
        repeats: What names the same wait for the same object elsewhere in the function.
    """

    place: Place
    call: str
    through: str | None
    reason: str
    is_timed: bool
    repeats: str | None = None


def blocking_waits(facts: FunctionFacts) -> Iterator[BlockingWait]:
    if facts.unit.body.kind not in (Kind.ASYNC, Kind.ASYNC_GENERATOR):
        return
    found = [*_own(facts), *_of_locks(facts)]
    seen: set[int | str] = set()
    for wait in sorted(found, key=lambda w: w.place.site):
        known: list[int | str] = [wait.place.site, *([] if wait.repeats is None else [wait.repeats])]
        if seen.isdisjoint(known):
            yield wait
        seen.update(known)


def _own(facts: FunctionFacts) -> Iterator[BlockingWait]:
    for wait in facts.records.waits:
        repeats = wait.call if wait.path is not None else None
        yield BlockingWait(
            facts.place(wait.site), wait.call, wait.through, wait.reason, wait.is_timed, repeats
        )
    for record in facts.records.lanes:
        if record.method == "run_blocking":
            yield BlockingWait(facts.place(record.site), record.method, None, FOR_A_TURN, False)


def _of_locks(facts: FunctionFacts) -> Iterator[BlockingWait]:
    """Acquisitions, by a call, of a thread lock that some other coroutine holds over a suspension."""
    for taking in facts.records.takings:
        if taking.by_test is not None or not taking.kind.is_blocking or taking.helper is not None:
            continue
        name = lock_name(facts.program, facts.unit, taking.lock)
        holders = facts.program.whole.held_over_suspensions.get(name, set()) if name is not None else set()
        if holders - {facts.unit}:
            call = f"{facts.display(taking.lock)}.acquire"
            yield BlockingWait(
                facts.place(taking.site), call, None, "for a lock that is held across an await", False
            )


def find_held_over_suspensions(program: Program, units: list[Unit]) -> dict[LockName, set[Unit]]:
    """Thread locks -> the coroutines that suspend while they hold them."""
    found: dict[LockName, set[Unit]] = {}
    for unit in units:
        if unit.body.kind not in (Kind.ASYNC, Kind.ASYNC_GENERATOR):
            continue
        result = program.result(unit)
        for suspension in result.records.suspensions:
            for hold in suspension.holds:
                kind = result.lock_kinds.get(hold.lock)
                name = lock_name(program, unit, hold.lock) if kind is not None and kind.is_blocking else None
                if name is not None:
                    found.setdefault(name, set()).add(unit)
    return found
