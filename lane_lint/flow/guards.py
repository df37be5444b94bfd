"""Locks and what they guard: thread locks held over suspensions, and writes that go past a lock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.callees import with_overrides
from lane_lint.flow.summary import translate
from lane_lint.flow.values import BUSY, Hold
from lane_lint.model.graph import Kind
from lane_lint.model.instructions import Why
from lane_lint.model.path import SELF, Path, conflicts, is_same_state

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import FunctionResult, ReadRecord, WriteRecord
    from lane_lint.flow.solved import Place
    from lane_lint.flow.summary import Call
    from lane_lint.flow.unit import Unit
    from lane_lint.outline import FunctionOutline


ENTRY_ROUNDS = 3


def suspensions_under_thread_locks(facts: FunctionFacts) -> Iterator[tuple[Place, Hold]]:
    seen: set[Hold] = set()
    is_plain = facts.unit.body.kind in (Kind.SYNC, Kind.GENERATOR)
    suspensions = [s for s in facts.records.suspensions if not (is_plain and s.why is Why.YIELD)]
    for suspension in sorted(suspensions, key=lambda s: s.site):
        for hold in sorted(suspension.holds - seen):
            kind = facts.result.lock_kinds.get(hold.lock)
            if kind is not None and kind.is_blocking:
                seen.add(hold)
                yield facts.place(suspension.site), hold


class Guard(NamedTuple):
    """A lock guards a path: in `unit` it is held over a suspension between two looks at the path.

    Attributes:
        only_fills: The path is written there only when nothing was found at it.
    """

    lock: Path
    path: Path
    unit: Unit
    site: int
    only_fills: bool


class UnguardedWrite(NamedTuple):
    """A write of what `guard` guards, without its lock.

    Attributes:
        is_of_holder: Who holds the lock calls this function, too: it could not take the lock itself, and whether
            somebody calls it without is not to be seen here.
    """

    path: Path
    place: Place
    guard: Guard
    is_of_holder: bool


def find_guards(program: Program, units: list[Unit]) -> list[Guard]:
    """Which locks guard which paths in a component, by how its functions hold them."""
    guards: dict[tuple[Path, Path], Guard] = {}
    for unit in units:
        if program.sharing.is_construction(unit.outline):
            continue
        for guard in program.lent_guards(unit) or guards_in(program, unit, program.result(unit)):
            known = guards.setdefault((guard.lock, guard.path), guard)
            if known.only_fills and not guard.only_fills:
                guards[guard.lock, guard.path] = guard
    return list(guards.values())


def guards_in(program: Program, unit: Unit, result: FunctionResult) -> Iterator[Guard]:
    """The locks that a function holds over a suspension while it relies on a path."""
    records = result.records
    for write in records.writes:
        if not write.is_shared:
            continue
        for hold in sorted(write.holds):
            if hold.lock[0] == BUSY or not _is_made_here(program, write, hold.lock):
                continue
            kind = result.lock_kinds.get(hold.lock)
            if kind is not None and kind.is_exclusive and _spans_suspension(result, write, hold):
                only_fills = write.found is False and not write.is_reset
                yield Guard(hold.lock, write.path, unit, hold.site, only_fills)


def _is_made_here(program: Program, write: WriteRecord, lock: Path) -> bool:
    """Whether the write counts for its function: its own, or a private helper's that takes no lock itself."""
    if write.call is None:
        return True
    return _is_inner(program, write.call.unit) and not _takes(program, write.call, lock)


def is_judged_at_calls(program: Program, unit: Unit, lock: Path) -> bool:
    """Whether a helper's writes are judged where it is called: some of its callers hold the lock.

    When none does, the lock is missing in the helper itself.
    """
    return unit.is_nested or (unit.outline.is_private and _has_caller_with(program, unit, lock))


def _has_caller_with(program: Program, unit: Unit, lock: Path) -> bool:
    """Whether a function of the component calls this one while it holds the lock."""
    return any(lock in held for held in program.locks_at_calls.get(unit, ()))


def _takes(program: Program, call: Call, lock: Path) -> bool:
    """Whether a call takes the lock itself; its writes are then not made under the caller's hold."""
    return any(translate(path, call) == lock for path in program.summary(call.unit).acquires)


def _spans_suspension(result: FunctionResult, write: WriteRecord, hold: Hold) -> bool:
    """Whether the writer relies on the hold over a suspension.

    Its write depends on a read that the hold has carried over one; or on an answer that was waited
    for under the hold and stored without another look, so that a write which slips in is overwritten
    by an older answer; or it is the second of two writes with a suspension between them, or a reset of
    what was read before one. A step starts from the present value, so it is neither of the two.
    """
    under = {s.site for s in result.records.suspensions if hold in s.holds}
    looks_again = write.is_checked or (write.effect is not None and write.effect.is_decided)
    overwrites = not looks_again and not write.is_step
    if (write.value.waits & under and overwrites) or hold in write.relies_on:
        return True
    others: list[ReadRecord | WriteRecord] = []
    if not write.is_step:
        others += [w for w in result.records.writes if w is not write and not w.is_step]
    if write.is_reset:
        others += [read for read in result.records.reads if read.site < write.site]
    return any(
        hold in other.holds
        and other.epoch != write.epoch
        and {other.epoch, write.epoch} & under
        and is_same_state(other.path, write.path)
        for other in others
    )


def unguarded_writes(facts: FunctionFacts) -> Iterator[UnguardedWrite]:
    program = facts.program
    outline = facts.unit.outline
    if facts.is_construction or (outline.is_private and not program.module.has_callers(outline)):
        return
    seen: set[Path] = set()
    guards = program.guards_of(facts.unit.owner)
    for write in sorted(facts.records.writes, key=lambda w: w.site):
        if not write.is_shared or (write.path[0] not in (SELF,) and write.path[0][0] != "@"):
            continue
        guard = next((g for g in guards if g.path not in seen and _goes_past(facts, write, g)), None)
        if guard is not None:
            seen.add(guard.path)
            is_of_holder = _has_caller_with(program, facts.unit, guard.lock)
            yield UnguardedWrite(write.path, facts.place(write.site), guard, is_of_holder)


def _goes_past(facts: FunctionFacts, write: WriteRecord, guard: Guard) -> bool:
    """Whether this function, and not a caller or a helper of it, writes the guarded state without the lock."""
    if not _can_change(write, guard.path) or _is_held(write, guard.lock):
        return False
    if (
        _makes(facts, guard.lock)
        or not _has_lock(facts, guard.lock)
        or (guard.only_fills and _takes_what_is_there(write))
    ):
        return False
    program = facts.program
    if is_judged_at_calls(program, facts.unit, guard.lock):
        return False
    return write.call is None or is_judged_at_calls(program, write.call.unit, guard.lock)


def _has_lock(facts: FunctionFacts, lock: Path) -> bool:
    """Whether objects of this class have the lock: a constructor that leaves `super()` out may not make it."""
    owner = facts.unit.owner
    constructor = owner.methods.get("__init__") if owner is not None else None
    if constructor is None or lock[0] != SELF or len(lock) < 2:
        return True
    sketch = constructor.sketch
    attribute = lock[1][1:]
    makes_it = any(w.attribute == attribute for w in sketch.writes)
    is_inherited = owner is not None and attribute not in owner.makers
    return makes_it or not is_inherited or "__init__" in sketch.own_calls


def _makes(facts: FunctionFacts, lock: Path) -> bool:
    """Whether the function makes the lock itself: nobody can hold it yet."""
    own = (write for write in facts.records.writes if write.effect is None and not write.is_reset)
    return any(write.path[:2] == lock[:2] for write in own)


def _takes_what_is_there(write: WriteRecord) -> bool:
    """Whether a write takes away what it has just found: while the slot is being filled there is nothing."""
    return write.is_reset and write.is_decided and write.found is True


def _can_change(write: WriteRecord, guarded: Path) -> bool:
    """Whether a write changes the guarded state: the very place, something around it, or an entry of it.

    What is put at the end of a list leaves an entry that is counted from the start where it is.
    """
    written = write.path
    if write.operation in ("append", "extend") and guarded[-1][1:-1].isdecimal():
        return False
    is_entry = len(written) == len(guarded) + 1 and written[-1][0] == "["
    return conflicts(written[:-1] if is_entry else written, guarded)


def _is_held(write: WriteRecord, lock: Path) -> bool:
    if any(hold.lock == lock for hold in write.holds):
        return True
    if write.effect is None or write.call is None:
        return False
    return any(translate(path, write.call) == lock for path in write.effect.locks)


def bypass_candidates(program: Program, units: list[Unit]) -> list[FunctionOutline]:
    """Functions that write what a lock guards elsewhere, and the callers of private ones among them."""
    found: dict[FunctionOutline, None] = {}
    for guard in find_guards(program, units):
        if guard.path[0] == SELF and guard.unit.owner is not None and len(guard.path) > 1:
            functions = [f for c in program.module.family(guard.unit.owner) for f in c.functions()]
            family = [f for f in functions if f.origin is None and not program.sharing.is_construction(f)]
            attribute = guard.path[1][1:]
            writers = {f for f in family if any(w.attribute == attribute for w in f.sketch.writes)}
            private = {f.name for f in writers if f.is_private}
            found.update(
                dict.fromkeys(f for f in family if f in writers or private & f.sketch.own_calls.keys())
            )
        elif guard.path[0][0] == "@":
            found.update(dict.fromkeys(program.sharing.global_writers(guard.path[0][1:])))
    return list(found)


def find_locks_at_calls(program: Program, units: list[Unit]) -> dict[Unit, list[frozenset[Path]]]:
    """For each function called on the same object, the locks held at each call."""
    found: dict[Unit, list[frozenset[Path]]] = {}
    for unit in units:
        entry = program.entry_locks.get(unit, frozenset())
        for record in program.result(unit).records.calls:
            if record.call.receiver in (None, (SELF,)):
                held = frozenset(hold.lock for hold in record.holds)
                found.setdefault(record.call.unit, []).append(held | entry)
    return found


def find_entry_locks(program: Program, units: list[Unit]) -> dict[Unit, frozenset[Path]]:
    """The locks that are held at every known call of a private or nested function.

    A function that is also mentioned without being called, started as a task, or called by a
    function that was not looked into, may run without any.
    """
    sites: dict[Unit, list[tuple[Unit, frozenset[Path]]]] = {}
    for unit in units:
        for record in program.result(unit).records.calls:
            callee = record.call.unit
            if record.call.receiver in (None, (SELF,)):
                held = frozenset(h.lock for h in record.holds if h.lock[0] != BUSY)
                for each in with_overrides(program, callee):
                    sites.setdefault(each, []).append((unit, held))
    entry = {
        unit: frozenset().union(*(held for _, held in calls))
        for unit, calls in sites.items()
        if _is_inner(program, unit)
    }
    for _ in range(ENTRY_ROUNDS):
        for unit in entry:
            at_calls = [held | entry.get(caller, frozenset()) for caller, held in sites[unit]]
            entry[unit] = frozenset.intersection(*at_calls)
    return {unit: locks for unit, locks in entry.items() if locks}


def _is_inner(program: Program, unit: Unit) -> bool:
    """Whether every call of the function can be seen."""
    if unit.is_nested:
        return unit.name != "<lambda>"
    outline = unit.outline
    if not outline.is_private or outline.owner is None:
        return False
    functions = [f for c in program.module.family(outline.owner) for f in c.functions() if f is not outline]
    return not any(outline.name in f.sketch.started for f in functions)
