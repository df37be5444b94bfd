"""The ways on from where a lock is taken, to where it is given back or the function is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.flags import Flags
from lane_lint.flow.locks import ASYNC_LOCK
from lane_lint.flow.taking import Taking
from lane_lint.model.graph import Kind
from lane_lint.model.instructions import (
    CallMethod,
    CallName,
    EndFunction,
    Instruction,
    Return,
    Suspend,
    Why,
)

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import Records
    from lane_lint.flow.unit import Unit
    from lane_lint.model.graph import Block
    from lane_lint.model.path import Path

# A function with more ways than this is left alone.
MAX_STEPS = 3000
MAX_TESTS_AROUND = 8

# The site of a taking that was made before the function began.
FROM_THE_BEGINNING = -1


class Leak(NamedTuple):
    way_out: int | None
    is_error: bool
    is_wait: bool = False
    lost_by: str | None = None


class _Step(NamedTuple):
    """Going on in a block, from one of its instructions, with what flags are known to be."""

    block: int
    start: int
    flags: frozenset[tuple[str, bool]]
    error: int | None
    is_wait: bool


def _is_lost_by(program: Program, unit: Unit, lock: Path) -> bool:
    """Whether the function that is to release the lock can end without having done so."""
    if unit.body.kind is not Kind.ASYNC:
        return False
    taken_before = Taking(FROM_THE_BEGINNING, lock, ASYNC_LOCK, 0)
    ways = WaysOut(program, unit, program.result(unit).records, taken_before)
    return any(leak.is_wait or not leak.is_error for leak in ways.leaks())


def _is_call(instruction: Instruction) -> bool:
    if isinstance(instruction, Suspend):
        return instruction.why is Why.AWAIT
    return isinstance(instruction, (CallMethod, CallName))


class WaysOut:
    """Follows every way from where a lock is taken until it is given back or the function is left."""

    def __init__(self, program: Program, unit: Unit, records: Records, taking: Taking) -> None:
        self._blocks = unit.body.blocks
        self._cancelled = unit.body.cancelled
        self._self_name = unit.self_name
        self._taking = taking
        given = [g for g in records.givings if g.lock == taking.lock]
        # One hand-over is followed, not a chain of them.
        handed = given if taking.site != FROM_THE_BEGINNING else []
        self._lost = {
            g.site: g.by[0].label
            for g in handed
            if g.by is not None and g.by[0] is not unit and _is_lost_by(program, *g.by)
        }
        self._given = {g.site for g in given} - self._lost.keys()
        self._waits = {s.site for s in records.suspensions} | {site for site, _, _ in records.yields}
        self._risks = set(records.foreign_calls) | {
            c.site for c in records.calls if program.summary(c.call.unit).may_raise
        }
        self._giving_loops = self._loops_that_give_back()

    def leaks(self) -> list[Leak]:
        """The ways out that leave the lock taken; those without an exception first."""
        first = self._first_step()
        if first is None:
            return []
        pending, seen, found = [first], {first}, []
        while pending and len(seen) < MAX_STEPS:
            for step in self._from(pending.pop()):
                if isinstance(step, Leak):
                    found.append(step)
                elif step not in seen:
                    seen.add(step)
                    pending.append(step)
        return sorted(
            set(found),
            key=lambda leak: (leak.is_error, leak.lost_by is None, not leak.is_wait, leak.way_out or 0),
        )

    def is_given_back_at_the_end(self) -> bool:
        """Whether a way that ends without an exception or an answer gives the lock back: no other way may keep it."""
        if any(isinstance(i, Return) and i.source is not None for b in self._blocks for i in b.instructions):
            return False
        pending = [b.index for b in self._blocks if any(_place(i) in self._given for i in b.instructions)]
        seen = set(pending)
        while pending:
            block = self._blocks[pending.pop()]
            if any(isinstance(i, EndFunction) for i in block.instructions):
                return True
            pending += [target for target in block.successors if target not in seen]
            seen.update(block.successors)
        return False

    def _first_step(self) -> _Step | None:
        block = self._blocks[self._taking.block]
        if self._taking.site == FROM_THE_BEGINNING:
            return _Step(block.index, 0, frozenset(), None, False)
        if (target := self._taking.by_test) is not None:
            tested = self._tested_before(block, target)
            return _Step(target, 0, frozenset(tested.items()), None, False)
        for number, instruction in enumerate(block.instructions):
            if _is_call(instruction) and _place(instruction) == self._taking.site:
                return _Step(block.index, number + 1, self._tested_above(block), None, False)
        return None

    def _tested_above(self, block: Block) -> frozenset[tuple[str, bool]]:
        """What the tests around a block have found: a later test of the same finds the same."""
        found: dict[str, bool] = {}
        for _ in range(MAX_TESTS_AROUND):
            before = [b for b in self._blocks if block.index in b.successors]
            if len(before) != 1:
                break
            found = self._tested_before(before[0], block.index) | found
            block = before[0]
        return frozenset(found.items())

    def _tested_before(self, block: Block, target: int) -> dict[str, bool]:
        """What the test at the end of a block tells of a name on the way to `target`."""
        if block.branch is None or len(set(block.successors)) != 2:
            return {}
        flags = Flags(self._self_name, self._taking.site)
        for instruction in block.instructions:
            flags.follow(instruction)
        is_true = target == block.successors[0]
        return dict.fromkeys(flags.names_of(block.branch.test), is_true)

    def _loops_that_give_back(self) -> set[int]:
        """Loops that release in their body and do not take: each lock of many is given back there."""
        around = set(self._blocks[self._taking.block].loops)
        loops: set[int] = set()
        for block in self._blocks:
            if any(_place(i) in self._given for i in block.instructions):
                loops.update(set(block.loops) - around)
        return loops

    def _from(self, step: _Step) -> Iterator[_Step | Leak]:
        block = self._blocks[step.block]
        if block.is_loop_header and self._giving_loops & set(block.loops):
            return
        flags = Flags(self._self_name, self._taking.site, dict(step.flags))
        way_out: int | None = None
        for number, instruction in enumerate(block.instructions):
            if number >= step.start:
                at = _place(instruction)
                if at in self._given:
                    return
                if at in self._lost:
                    yield Leak(at, True, True, self._lost[at])
                    return
                if at is not None and self._may_raise(instruction):
                    yield from self._raised(block, flags.known(), at, is_wait=at in self._waits)
                if isinstance(instruction, Return):
                    way_out = at
                if isinstance(instruction, EndFunction):
                    yield Leak(step.error if step.error is not None else way_out, False)
                    return
            flags.follow(instruction)
        yield from self._onward(block, flags, step)

    def _may_raise(self, instruction: Instruction) -> bool:
        at = _place(instruction)
        if isinstance(instruction, Suspend):
            return at in self._waits
        return isinstance(instruction, (CallMethod, CallName)) and at in self._risks

    def _raised(
        self, block: Block, flags: frozenset[tuple[str, bool]], at: int | None, *, is_wait: bool
    ) -> Iterator[_Step | Leak]:
        """Where an exception at a call or a wait goes."""
        if not block.handlers:
            yield Leak(at, True, is_wait)
        for handler in block.handlers:
            if is_wait or handler not in self._cancelled:
                yield _Step(handler, 0, flags, at, is_wait)

    def _onward(self, block: Block, flags: Flags, step: _Step) -> Iterator[_Step | Leak]:
        """Where control goes at the end of a block."""
        known = flags.known()
        if not block.successors:
            # A `raise`, the end of a handler that raises again, or the way out for what is not caught.
            error = step.error if step.error is not None else _last_place(block)
            yield from self._raised(block, known, error, is_wait=step.is_wait)
            return
        outcome = flags.outcome_of(block.branch) if block.branch is not None else None
        targets = block.successors
        if outcome is not None and len(targets) == 2:
            targets = [targets[0] if outcome else targets[1]]
        for target in targets:
            yield _Step(target, 0, known, step.error, step.is_wait)


def _last_place(block: Block) -> int | None:
    places = (_place(i) for i in reversed(block.instructions))
    return next((at for at in places if at is not None), None)


def _place(instruction: Instruction) -> int | None:
    place: int | None = getattr(instruction, "at", None)
    return place
