"""Locks that a function takes by a call and does not give back on every way out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.locks import ASYNC_LOCK
from lane_lint.flow.taking import Taking
from lane_lint.model.graph import Kind
from lane_lint.model.instructions import (
    BindName,
    CallMethod,
    CallName,
    Combine,
    EndFunction,
    Instruction,
    Literal,
    LoadAttribute,
    LoadName,
    Return,
    StoreAttribute,
    Suspend,
    Temp,
    Why,
)

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts, Place
    from lane_lint.flow.unit import Unit
    from lane_lint.model.graph import Block, Branch
    from lane_lint.model.path import Path
    from lane_lint.outline import FunctionOutline

# A function with more ways than this is left alone.
MAX_STEPS = 3000
MAX_TESTS_AROUND = 8

CONSTANTS = {"True": True, "False": False, "None": False}


@dataclass(frozen=True, slots=True)
class UnreturnedGate:
    """A lock that some way out of the function leaves taken.

    Attributes:
        place: Where it is taken.
        lock: As its author writes it.
        way_out: Where the function is left; None for its end.
        is_error: It is left by an exception or a cancellation there.
        is_given_back: Other ways out give it back.
        is_public: Whoever has the object can release it.
        is_handed_on: Another function of the module releases it.
        lost_by: The function that is told to release it and can end without having done so.
        is_wait: The exception comes from a wait, and so may be a cancellation.
    """

    place: Place
    lock: str
    way_out: Place | None
    is_error: bool
    is_given_back: bool
    is_public: bool
    is_handed_on: bool
    is_wait: bool
    lost_by: str | None


class _Leak(NamedTuple):
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


def unreturned_gates(facts: FunctionFacts) -> Iterator[UnreturnedGate]:
    seen: set[int] = set()
    for taking in sorted(facts.records.takings, key=lambda t: t.site):
        if taking.site in seen or taking.kind.is_signal or _is_released_around(facts, taking):
            continue
        seen.add(taking.site)
        leaks = _Walk(facts, taking).leaks()
        is_handed_on = _is_released_elsewhere(facts, taking)
        if taking.helper is not None and not is_handed_on:
            continue  # it is the helper that is reported
        leak = next((each for each in leaks if each.is_error or not is_handed_on), None)
        if leak is not None:
            yield _unreturned(facts, taking, leak, is_handed_on=is_handed_on)


def _unreturned(facts: FunctionFacts, taking: Taking, leak: _Leak, *, is_handed_on: bool) -> UnreturnedGate:
    return UnreturnedGate(
        place=facts.place(taking.site),
        lock=facts.display(taking.lock),
        way_out=_way_out(facts, leak),
        is_error=leak.is_error,
        is_given_back=any(g.lock == taking.lock and g.is_direct for g in facts.records.givings),
        is_public=taking.lock[0][0] == "$" or not _name_of(taking.lock).startswith("_"),
        is_handed_on=is_handed_on,
        is_wait=leak.is_wait,
        lost_by=leak.lost_by,
    )


def _way_out(facts: FunctionFacts, leak: _Leak) -> Place | None:
    """Where the function is left; its end has no place of its own."""
    place = facts.place(leak.way_out) if leak.way_out is not None else None
    return None if place is None or (place.line <= facts.unit.body.line and not leak.is_error) else place


def _name_of(lock: Path) -> str:
    """The last name of a lock; of an entry, that of the collection."""
    return next((link.lstrip(".@^$%") for link in reversed(lock) if link[0] != "["), "")


def _is_released_around(facts: FunctionFacts, taking: Taking) -> bool:
    """Whether a function around this one releases the lock: the nested one is a step of it."""
    unit = facts.unit.parent
    while unit is not None:
        if any(g.lock == taking.lock for g in facts.program.result(unit).records.givings):
            return True
        unit = unit.parent
    return False


def _is_released_elsewhere(facts: FunctionFacts, taking: Taking) -> bool:
    """Whether a further function of the module releases the lock, as far as names tell."""
    name = _name_of(taking.lock)
    return any(
        name in function.sketch.releases or (function.sketch.releases and name in _mentioned(function))
        for function in facts.program.module.all_functions()
        if function is not facts.unit.outline
    )


def _mentioned(function: FunctionOutline) -> set[str]:
    return function.sketch.references | function.sketch.other_reads.keys()


def _is_lost_by(facts: FunctionFacts, unit: Unit, lock: Path) -> bool:
    """Whether the function that is to release the lock can end without having done so."""
    program = facts.program
    if unit.body.kind is not Kind.ASYNC or unit is facts.unit:
        return False
    other = type(facts)(program, unit, program.result(unit), facts.file, facts.minimum)
    walk = _Walk(other, Taking(-1, lock, ASYNC_LOCK, 0))
    return any(leak.is_wait or not leak.is_error for leak in walk.leaks())


def _is_call(instruction: Instruction) -> bool:
    if isinstance(instruction, Suspend):
        return instruction.why is Why.AWAIT
    return isinstance(instruction, (CallMethod, CallName))


class _Walk:
    """Follows every way from where a lock is taken until it is given back or the function is left."""

    def __init__(self, facts: FunctionFacts, taking: Taking) -> None:
        self._blocks = facts.unit.body.blocks
        self._cancelled = facts.unit.body.cancelled
        self._self_name = facts.unit.self_name
        self._taking = taking
        records, program = facts.records, facts.program
        given = [g for g in records.givings if g.lock == taking.lock]
        self._lost = {g.site: g.by[0].label for g in given if g.by is not None and _is_lost_by(facts, *g.by)}
        self._given = {g.site for g in given} - self._lost.keys()
        self._waits = {s.site for s in records.suspensions} | {site for site, _, _ in records.yields}
        self._risks = set(records.foreign_calls) | {
            c.site for c in records.calls if program.summary(c.call.unit).may_raise
        }
        self._giving_loops = self._loops_that_give_back()

    def leaks(self) -> list[_Leak]:
        """The ways out that leave the lock taken; those without an exception first."""
        first = self._first_step()
        if first is None:
            return []
        pending, seen, found = [first], {first}, []
        while pending and len(seen) < MAX_STEPS:
            for step in self._from(pending.pop()):
                if isinstance(step, _Leak):
                    found.append(step)
                elif step not in seen:
                    seen.add(step)
                    pending.append(step)
        return sorted(
            set(found),
            key=lambda leak: (leak.is_error, leak.lost_by is None, not leak.is_wait, leak.way_out or 0),
        )

    def _first_step(self) -> _Step | None:
        block = self._blocks[self._taking.block]
        if self._taking.site < 0:
            return _Step(block.index, 0, frozenset(), None, False)  # it is held from the beginning
        if self._taking.by_test:
            if not block.successors:
                return None
            tested = self._tested_before(block, block.successors[0])
            return _Step(block.successors[0], 0, frozenset(tested.items()), None, False)
        for number, instruction in enumerate(block.instructions):
            if _is_call(instruction) and getattr(instruction, "at", None) == self._taking.site:
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
        names = _Names(self._self_name)
        for instruction in block.instructions:
            names.follow(instruction)
        name = names.name_of.get(block.branch.test)
        return {name: target == block.successors[0]} if name is not None else {}

    def _loops_that_give_back(self) -> set[int]:
        """Loops that release in their body and do not take: each lock of many is given back there."""
        around = set(self._blocks[self._taking.block].loops)
        loops: set[int] = set()
        for block in self._blocks:
            if any(getattr(i, "at", None) in self._given for i in block.instructions):
                loops.update(set(block.loops) - around)
        return loops

    def _from(self, step: _Step) -> Iterator[_Step | _Leak]:
        block = self._blocks[step.block]
        if block.is_loop_header and self._giving_loops & set(block.loops):
            return
        names = _Names(self._self_name, dict(step.flags))
        way_out: int | None = None
        for number, instruction in enumerate(block.instructions):
            if number >= step.start:
                at = getattr(instruction, "at", None)
                if at in self._given:
                    return
                if at in self._lost:
                    yield _Leak(at, True, True, self._lost[at])
                    return
                if at is not None and self._may_raise(instruction):
                    yield from self._raised(block, names.flags(), at, is_wait=at in self._waits)
                if isinstance(instruction, Return):
                    way_out = at
                if isinstance(instruction, EndFunction):
                    yield _Leak(step.error if step.error is not None else way_out, False)
                    return
            names.follow(instruction)
        yield from self._onward(block, names, step)

    def _may_raise(self, instruction: Instruction) -> bool:
        at = getattr(instruction, "at", None)
        if isinstance(instruction, Suspend):
            return at in self._waits
        return isinstance(instruction, (CallMethod, CallName)) and at in self._risks

    def _raised(
        self, block: Block, flags: frozenset[tuple[str, bool]], at: int, *, is_wait: bool
    ) -> Iterator[_Step | _Leak]:
        """Where an exception at a call or a wait goes."""
        if not block.handlers:
            yield _Leak(at, True, is_wait)
        for handler in block.handlers:
            if is_wait or handler not in self._cancelled:
                yield _Step(handler, 0, flags, at, is_wait)

    def _onward(self, block: Block, names: _Names, step: _Step) -> Iterator[_Step | _Leak]:
        """Where control goes at the end of a block."""
        flags = names.flags()
        if not block.successors:
            # A `raise`, the end of a handler that raises again, or the way out for what is not caught.
            last = next((i.at for i in reversed(block.instructions) if hasattr(i, "at")), None)
            if not block.handlers:
                yield _Leak(step.error if step.error is not None else last, True, step.is_wait)
            for handler in block.handlers:
                yield _Step(handler, 0, flags, step.error if step.error is not None else last, step.is_wait)
            return
        known = names.outcome_of(block.branch) if block.branch is not None else None
        targets = block.successors
        if known is not None and len(targets) == 2:
            targets = [targets[0] if known else targets[1]]
        for target in targets:
            yield _Step(target, 0, flags, step.error, step.is_wait)


class _Names:
    """Flags of a function that are known to be true or false on a way."""

    def __init__(self, self_name: str | None, known: dict[str, bool] | None = None) -> None:
        self._self_name = self_name
        self._known = known or {}
        self.name_of: dict[Temp, str] = {}
        self._constants: dict[Temp, bool] = {}
        # Comparisons with None and the like -> what is compared.
        self._compared: dict[Temp, Temp] = {}

    def flags(self) -> frozenset[tuple[str, bool]]:
        return frozenset(self._known.items())

    def outcome_of(self, branch: Branch) -> bool | None:
        """What a test finds, where that is known."""
        if branch.test in self._compared:
            present = self._truth_of(self._compared[branch.test])
            return None if present is None or branch.present_when is None else present == branch.present_when
        return self._truth_of(branch.test)

    def _truth_of(self, temp: Temp) -> bool | None:
        if temp in self._constants:
            return self._constants[temp]
        return self._known.get(self.name_of.get(temp, ""))

    def follow(self, instruction: Instruction) -> None:
        """Take note of what an instruction binds."""
        if isinstance(instruction, Literal) and instruction.text in CONSTANTS:
            self._constants[instruction.result] = CONSTANTS[instruction.text]
        elif isinstance(instruction, Combine) and len(instruction.sources) == 2:
            if self._constants.get(instruction.sources[1]) is False:
                self._compared[instruction.result] = instruction.sources[0]
        elif isinstance(instruction, LoadName):
            self.name_of[instruction.result] = instruction.name
        elif isinstance(instruction, LoadAttribute) and self._is_self(instruction.base):
            self.name_of[instruction.result] = "." + instruction.attribute
        elif isinstance(instruction, CallMethod) and instruction.method == "locked":
            self._constants[instruction.result] = True
        elif isinstance(instruction, BindName):
            self._bind(instruction.name, instruction.source)
        elif isinstance(instruction, StoreAttribute) and self._is_self(instruction.base):
            self._bind("." + instruction.attribute, instruction.source)

    def _is_self(self, temp: Temp) -> bool:
        return self._self_name is not None and self.name_of.get(temp) == self._self_name

    def _bind(self, name: str, source: Temp) -> None:
        if source in self._constants:
            self._known[name] = self._constants[source]
        else:
            self._known.pop(name, None)
