"""Turns of lanes and holds of locks, followed through helpers: re-entry, starts, callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from lane_lint.flow.summary import ENTERING, translate
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts, Place
    from lane_lint.flow.locks import LockKind
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import CallRecord
    from lane_lint.flow.unit import Unit

TURN_DECORATORS = frozenset({"turn", "on_lane"})


@dataclass(frozen=True, slots=True)
class Reentry:
    """A call that waits for what its caller holds: a lane's turn, or a lock.

    Attributes:
        held: The lane or the lock.
        callee: The function that enters or acquires; None when it is done right at the place.
        root: The function whose turn, or whose hold, it is.
    """

    held: Path
    place: Place
    callee: str | None
    root: str
    root_line: int


@dataclass(frozen=True, slots=True)
class StartInTurn:
    place: Place
    starter: str
    target: str | None
    turn: str


@dataclass(frozen=True, slots=True)
class CallbackInTurn:
    place: Place
    name: str
    turn: str


@dataclass(frozen=True, slots=True)
class Found:
    """A re-entry at a place of a unit, before anybody asked for it."""

    unit: Unit
    site: int
    held: Path
    callee: str | None
    root: Unit


# Which functions run in turns


def turn_roots(program: Program, units: list[Unit]) -> dict[Unit, Path | None]:
    """Functions that are turns, with the lane they run on as they see it, when that is known."""
    roots: dict[Unit, Path | None] = {}
    for unit in units:
        for record in program.result(unit).records.lanes:
            if record.work is not None:
                roots.setdefault(record.work, record.lane)
    for unit in units:
        if _is_named_as_turn(program, unit):
            roots.setdefault(unit, program.objects.only_lane(unit.owner))
    return roots


def _is_named_as_turn(program: Program, unit: Unit) -> bool:
    if any(fnmatch(unit.name, pattern) for pattern in program.settings.on_lane_name_patterns):
        return True
    return any(d.rpartition(".")[2] in TURN_DECORATORS for d in unit.body.decorators)


def reach_turns(program: Program, roots: dict[Unit, Path | None]) -> dict[Unit, tuple[Unit, Path | None]]:
    """Every function that runs inside a turn: the roots and what they call, with root and lane."""
    reached: dict[Unit, tuple[Unit, Path | None]] = {}
    pending = [(unit, unit, lane) for unit, lane in roots.items()]
    while pending:
        unit, root, lane = pending.pop(0)
        if unit in reached:
            continue
        reached[unit] = (root, lane)
        for record in program.result(unit).records.calls:
            callee = record.call.unit
            if (
                record.call.receiver in (None, (SELF,)) and not _enters(program, record, lane)
            ) or _is_followed(callee):
                pending.append((callee, root, lane))
    return reached


def _enters(program: Program, record: CallRecord, lane: Path | None) -> bool:
    entered = program.summary(record.call.unit).enters
    return lane is not None and any(translate(path, record.call) == lane for path in entered)


def _is_followed(unit: Unit) -> bool:
    """Private helpers and nested functions are followed; a public method is where a report belongs."""
    return unit.is_nested or unit.outline.is_private


# Re-entry


def find_lane_reentries(program: Program, reached: dict[Unit, tuple[Unit, Path | None]]) -> list[Found]:
    found = []
    for unit, (root, lane) in reached.items():
        if lane is None:
            continue
        records = program.result(unit).records
        for record in records.lanes:
            if record.lane == lane and record.method in ENTERING and unit is root:
                found.append(Found(unit, record.site, lane, None, root))
        for call in records.calls:
            if _enters(program, call, lane) and _reports_here(program, call.call.unit, lane):
                found.append(Found(unit, call.site, lane, call.call.unit.name, root))
    return found


def _reports_here(program: Program, callee: Unit, lane: Path) -> bool:
    """A public callee is reported at its call; a private one only when no public call in it enters."""
    if not _is_followed(callee):
        return True
    records = program.result(callee).records
    deeper = any(_enters(program, c, lane) for c in records.calls)
    return not deeper and any(r.lane == lane and r.method in ENTERING for r in records.lanes)


def find_lock_reentries(program: Program, units: list[Unit]) -> list[Found]:
    """Acquisitions, and calls that acquire, of a lock that is held at that place."""
    found: dict[tuple[Unit, int], Found] = {}
    pending = [(unit, unit, lock) for unit in units for lock in sorted(_own_holds(program, unit))]
    for unit, root, lock in pending:
        for item in _reentries_in(program, unit, root, lock, set()):
            found.setdefault((item.unit, item.site), item)
    return list(found.values())


def _own_holds(program: Program, unit: Unit) -> set[Path]:
    """The locks that the unit itself holds somewhere and that their holder must not take again."""
    result = program.result(unit)
    holds = {h for c in result.records.calls for h in c.holds} | {
        h for a in result.records.acquisitions for h in a.held
    }
    return {h.lock for h in holds if _blocks_itself(result.lock_kinds.get(h.lock))}


def _blocks_itself(kind: LockKind | None) -> bool:
    return kind is not None and kind.is_exclusive and not kind.is_reentrant


def _reentries_in(
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
        if acquisition.lock == lock and lock in held and not inside and _blocks_itself(acquisition.kind):
            yield Found(unit, acquisition.site, lock, None, root)
    for record in records.calls:
        if not inside and lock not in {h.lock for h in record.holds}:
            continue
        if not any(translate(p, record.call) == lock for p in program.summary(record.call.unit).acquires):
            continue
        callee = record.call.unit
        if _is_followed(callee) and _acquires_deeper(program, callee, lock, record):
            yield from _reentries_in(program, callee, root, lock, on_the_way)
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


# Facts of one function


def lock_reentries(facts: FunctionFacts) -> Iterator[Reentry]:
    yield from _of(facts, facts.program.lock_reentries)


def lane_reentries(facts: FunctionFacts) -> Iterator[Reentry]:
    yield from _of(facts, facts.program.lane_reentries)


def _of(facts: FunctionFacts, found: list[Found]) -> Iterator[Reentry]:
    for item in sorted((f for f in found if f.unit is facts.unit), key=lambda f: f.site):
        yield Reentry(item.held, facts.place(item.site), item.callee, item.root.label, item.root.body.line)


def starts_in_turn(facts: FunctionFacts) -> Iterator[StartInTurn]:
    reached = facts.program.in_turns.get(facts.unit)
    if reached is None:
        return
    for record in facts.records.starts:
        if not record.is_suppressed:
            target = record.target.name if record.target is not None else None
            yield StartInTurn(facts.place(record.site), record.starter, target, reached[0].label)


def callbacks_in_turn(facts: FunctionFacts) -> Iterator[CallbackInTurn]:
    reached = facts.program.in_turns.get(facts.unit)
    if reached is None:
        return
    for record in facts.records.callbacks:
        name = (
            facts.display(record.path) if record.path is not None and record.path[0] == SELF else record.name
        )
        yield CallbackInTurn(facts.place(record.site), name, reached[0].label)
