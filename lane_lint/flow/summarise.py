"""Makes a function's summary from what is on record of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.passed_work import decorated_turn, parameters_run_as_turns
from lane_lint.flow.summary import Summary, WriteEffect, translate
from lane_lint.flow.turns import DECORATED_LANE
from lane_lint.flow.unit import TURN
from lane_lint.flow.values import BUSY, Constant, Instance, Lane, Lock, Made, Value, Work
from lane_lint.flow.waiting_types import FOR_A_TURN
from lane_lint.flow.waits import Wait
from lane_lint.model.graph import Kind

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import FunctionResult, Records, WriteRecord
    from lane_lint.flow.unit import Unit
    from lane_lint.model.path import Path

# More writes than that are not followed from helper to caller: in a long chain of helpers they would add up
# to the square of its length.
MAX_HELPED_WRITES = 128


def summarise(program: Program, unit: Unit, result: FunctionResult) -> Summary:
    """What a caller needs to know."""
    records = result.records
    values = [value for value, _, _ in records.returns]
    last_yield = max((site for site, _, _ in records.yields), default=None)
    return Summary(
        suspends=bool(records.suspensions) or unit.body.kind is Kind.ASYNC_GENERATOR,
        waits=_waited(unit, records),
        may_raise=_may_raise(program, records),
        writes=tuple(_effect(write) for write in _followed(_distinct(records.writes))),
        returns=_returned_paths(unit, records),
        returned_path=_one_path(values),
        returned_what=_one_what(values),
        returns_fresh=bool(values)
        and all(value.fresh or isinstance(value.what, Constant) for value in values),
        returned_parameters=frozenset().union(*(value.parameters for value in values)),
        returned_under=frozenset(
            hold.lock for _, holds, _ in records.returns for hold in holds if hold.lock[0] != BUSY
        ),
        acquires=_acquired(program, unit, result),
        holds_at_exit=_left_held(records),
        releases=frozenset(path for path in records.releases if path[0] != BUSY),
        holds_at_yield=frozenset(
            hold.lock for _, holds, _ in records.yields for hold in holds if hold.lock[0] != BUSY
        ),
        walks=_walked(records),
        suspends_before_yield=last_yield is None or any(s.site < last_yield for s in records.suspensions),
        suspends_after_yield=last_yield is None or any(s.site > last_yield for s in records.suspensions),
        enters=_entered(program, unit, records),
        runs_as_turns=parameters_run_as_turns(program, unit, records),
        map_changes=tuple(dict.fromkeys((change.path, change.method) for change in records.map_changes)),
    )


def _waited(unit: Unit, records: Records) -> Wait | None:
    if unit.body.kind is not Kind.SYNC:
        return None
    turns = (Wait(r.site, "run_blocking", FOR_A_TURN) for r in records.lanes if r.method == "run_blocking")
    return next(iter((*records.waits, *turns)), None)


def _may_raise(program: Program, records: Records) -> bool:
    if records.suspensions or records.foreign_calls:
        return True
    return any(program.summary(record.call.unit).may_raise for record in records.calls)


def _left_held(records: Records) -> frozenset[Path]:
    """The locks that are held on every normal way out."""
    if not records.exits:
        return frozenset()
    return frozenset(hold.lock for hold in frozenset.intersection(*records.exits) if hold.lock[0] != BUSY)


def _walked(records: Records) -> frozenset[Path]:
    """The shared collections that are being iterated at a `yield`."""
    around = {loop for _, _, loops in records.yields for loop in loops}
    return frozenset(record.path for record in records.loops if record.loop in around)


def _distinct(writes: list[WriteRecord]) -> list[WriteRecord]:
    """One write for each path before and after the first suspension."""
    found: dict[tuple[Path, bool, bool], WriteRecord] = {}
    for write in writes:
        found.setdefault((write.path, write.last_suspension >= 0, write.is_decided), write)
    return list(found.values())


def _followed(writes: list[WriteRecord]) -> list[WriteRecord]:
    """All writes of the function's own, and so many of its helpers', the last ones."""
    if len(writes) <= MAX_HELPED_WRITES:
        return writes
    helped = [write for write in writes if write.effect is not None]
    dropped = set(map(id, helped[:-MAX_HELPED_WRITES]))
    return [write for write in writes if id(write) not in dropped]


def _effect(write: WriteRecord) -> WriteEffect:
    return WriteEffect(
        path=write.path,
        is_suspended=write.last_suspension >= 0,
        is_decided=write.is_decided
        or bool(write.by_decision)
        or bool(write.effect and write.effect.is_decided),
        is_reset=write.is_reset,
        is_step=write.is_step,
        is_removal=write.is_removal,
        is_mutation=write.is_mutation,
        operation=write.operation,
        waits=bool(write.value.waits),
        from_parameters=write.value.parameters,
        locks=frozenset(hold.lock for hold in write.holds) | _inner_locks(write),
    )


def _inner_locks(write: WriteRecord) -> frozenset[Path]:
    """The locks that the helper which makes the write takes itself."""
    if write.effect is None or write.call is None:
        return frozenset()
    found = (translate(lock, write.call) for lock in write.effect.locks)
    return frozenset(lock for lock in found if lock is not None)


def _returned_paths(unit: Unit, records: Records) -> frozenset[Path]:
    """Paths whose value goes into the result, by value or, in a plain function, by decision."""
    paths: set[Path] = set()
    for value, _, decided in records.returns:
        paths.update(token.path for token in value.tokens | value.decided)
        if unit.body.kind is Kind.SYNC:
            paths.update(token.path for token in decided)
    return frozenset(paths)


def _one_path(values: list[Value]) -> Path | None:
    paths = {value.path for value in values}
    return paths.pop() if len(paths) == 1 else None


def _one_what(values: list[Value]) -> Lock | Lane | Instance | Made | Work | None:
    kinds = {value.what for value in values if isinstance(value.what, (Lock, Lane, Instance, Made, Work))}
    return kinds.pop() if len(kinds) == 1 else None


def _acquired(program: Program, unit: Unit, result: FunctionResult) -> frozenset[Path]:
    """Locks that calling the function waits for and that their holder must not take again."""
    records = result.records
    found = {a.lock for a in records.acquisitions if a.kind.is_exclusive and not a.kind.is_reentrant}
    found |= program.decorator_locks(unit)
    for record in records.calls:
        for lock in program.summary(record.call.unit).acquires:
            if (path := translate(lock, record.call)) is not None:
                found.add(path)
    return frozenset(found)


def _entered(program: Program, unit: Unit, records: Records) -> frozenset[Path]:
    found = {lane for record in records.lanes if record.is_waited for lane in record.lanes}
    if unit.runtime_decorator == TURN:
        found.add(DECORATED_LANE)
    if (decorated := decorated_turn(program, unit)) is not None and decorated[0] is not None:
        found.add(decorated[0])
    for record in records.calls:
        for lane in program.summary(record.call.unit).enters:
            if (path := translate(lane, record.call)) is not None:
                found.add(path)
    return frozenset(found)
