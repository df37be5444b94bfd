"""Holds of locks, followed through helpers to where the same lock is taken again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.summary import translate
from lane_lint.flow.turns import is_helper
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.locks import LockKind
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import CallRecord
    from lane_lint.flow.solved import Place
    from lane_lint.flow.unit import Unit


class Reentry(NamedTuple):
    """A call that waits for a lock that its caller holds.

    Attributes:
        held: The lock.
        callee: The function that acquires it; None when it is done right at the place.
        root: The function whose hold it is.
    """

    held: Path
    place: Place
    callee: str | None
    root: str
    root_at: str


class Found(NamedTuple):
    """A re-entry at a place of a unit, before anybody asked for it."""

    unit: Unit
    site: int
    held: Path
    callee: str | None
    root: Unit


def find_lock_reentries(program: Program, units: list[Unit]) -> list[Found]:
    """Acquisitions, and calls that acquire, of a lock that is held at that place."""
    found: dict[tuple[Unit, int], Found] = {}
    pending = [(unit, unit, lock) for unit in units for lock in sorted(_own_holds(program, unit))]
    for unit, root, lock in pending:
        for item in reentries_in(program, unit, root, lock, set()):
            found.setdefault((item.unit, item.site), item)
    return list(found.values())


def _own_holds(program: Program, unit: Unit) -> set[Path]:
    """The locks that the unit itself holds somewhere and that their holder must not take again."""
    result = program.result(unit)
    holds = {h for c in result.records.calls for h in c.holds} | {
        h for a in result.records.acquisitions for h in a.held
    }
    return {h.lock for h in holds if blocks_itself(result.lock_kinds.get(h.lock))}


def blocks_itself(kind: LockKind | None) -> bool:
    """Whether the holder of such a lock waits for itself when it takes it again."""
    return kind is not None and kind.is_exclusive and not kind.is_reentrant


def reentries_in(
    program: Program, unit: Unit, root: Unit, lock: Path, on_the_way: set[Unit]
) -> Iterator[Found]:
    """Re-entries while `lock` is held: in the root where its hold says so, in helpers everywhere."""
    if unit in on_the_way:
        return
    on_the_way.add(unit)
    records = program.result(unit).records
    inside = unit is not root
    for acquisition in records.acquisitions:
        held = {h.lock for h in acquisition.held}
        if acquisition.lock == lock and lock in held and not inside and blocks_itself(acquisition.kind):
            yield Found(unit, acquisition.site, lock, None, root)
    for record in records.calls:
        if not inside and lock not in {h.lock for h in record.holds}:
            continue
        if not any(translate(p, record.call) == lock for p in program.summary(record.call.unit).acquires):
            continue
        callee = record.call.unit
        if is_helper(callee) and _acquires_deeper(program, callee, lock, record):
            yield from reentries_in(program, callee, root, lock, on_the_way)
        else:
            yield Found(unit, record.site, lock, callee.name, root)


def _acquires_deeper(program: Program, callee: Unit, lock: Path, record: CallRecord) -> bool:
    """Whether a private callee takes the lock only through a further call."""
    if record.call.receiver not in (None, (SELF,)):
        return False
    records = program.result(callee).records
    if any(a.lock == lock for a in records.acquisitions):
        return False
    return any(
        translate(p, c.call) == lock for c in records.calls for p in program.summary(c.call.unit).acquires
    )


def lock_reentries(facts: FunctionFacts) -> Iterator[Reentry]:
    """The re-entries that stand in one function."""
    found = (f for f in facts.program.lock_reentries if f.unit is facts.unit)
    for item in sorted(found, key=lambda f: f.site):
        yield Reentry(item.held, facts.place(item.site), item.callee, item.root.label, item.root.stands_at)
