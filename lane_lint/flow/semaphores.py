"""Semaphores in the place of owners: holds that guard several fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.finding import Confidence
from lane_lint.flow.accesses import Access, Field
from lane_lint.flow.values import ENTRY, Hold
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.solved import Place
    from lane_lint.flow.unit import Unit


class GuardingSemaphore(NamedTuple):
    """A hold of a semaphore under which several fields that it guards are touched."""

    semaphore: Path
    place: Place
    fields: tuple[Field, ...]
    confidence: Confidence


class SemaphoreGuards:
    """What is touched under the semaphores of a module."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._touched: dict[Unit, dict[Hold, dict[Field, bool]]] = {}
        self._guarded: dict[object, frozenset[Field]] = {}

    def touched(self, unit: Unit) -> dict[Hold, dict[Field, bool]]:
        """Holds of semaphores in a function -> the fields touched under each, and whether they are written."""
        if unit not in self._touched:
            found: dict[Hold, dict[Field, bool]] = {}
            for hold, access in self._accesses(unit):
                fields = found.setdefault(hold, {})
                name = _part_of(access)
                fields[name] = fields.get(name, False) or access.is_write
            self._touched[unit] = found
        return self._touched[unit]

    def _accesses(self, unit: Unit) -> Iterator[tuple[Hold, Access]]:
        program = self._program
        result = program.result(unit)
        semaphores = {path for path, kind in result.lock_kinds.items() if kind.is_semaphore}
        if not semaphores:
            return
        state = program.whole.lane_state
        for access in state.accesses(unit):
            yield from ((hold, access) for hold in _under(access.holds, semaphores))
        for record in result.records.calls:
            holds = _under(record.holds, semaphores)
            is_own = record.call.receiver in (None, (SELF,)) and not record.call.is_turn
            if holds and is_own and not state.enters(record.call.unit):
                for _, access in state.all_accesses(record.call.unit):
                    yield from ((hold, access) for hold in holds)

    def guarded(self, unit: Unit, semaphore: Path) -> frozenset[Field]:
        """The fields that are written under a semaphore of a component, anywhere in it."""
        family = self._program.module.family(unit.owner) if unit.owner is not None else None
        key = (unit.owner, semaphore)
        if key not in self._guarded:
            self._guarded[key] = frozenset(
                field
                for other in self._program.units
                if (other.owner in family if family is not None else other.owner is None)
                for hold, fields in self.touched(other).items()
                if hold.lock == semaphore
                for field, is_written in fields.items()
                if is_written
            )
        return self._guarded[key]


def _part_of(access: Access) -> Field:
    """The field, or that attribute of the object in it which is touched: `state.count`."""
    behind = access.path[len(access.reference) :]
    is_part = bool(behind) and behind[0][0] == "."
    return access.field._replace(name=access.field.name + behind[0]) if is_part else access.field


def _under(holds: frozenset[Hold], semaphores: set[Path]) -> list[Hold]:
    return sorted(hold for hold in holds if hold.lock in semaphores and hold.site != ENTRY)


def guarding_semaphores(facts: FunctionFacts) -> Iterator[GuardingSemaphore]:
    """Each acquisition that guards two or more fields."""
    if facts.is_construction:
        return
    known = facts.program.whole.semaphore_guards
    seen: set[tuple[Path, int]] = set()
    for hold, touched in sorted(known.touched(facts.unit).items()):
        guarded = known.guarded(facts.unit, hold.lock)
        fields = tuple(sorted((f for f in touched if f in guarded), key=lambda f: f.name))
        if len({field.name for field in fields}) < 2 or hold in seen:
            continue
        seen.add(hold)
        yield GuardingSemaphore(hold.lock, facts.place(hold.site), fields, _confidence(facts, hold))


def _confidence(facts: FunctionFacts, hold: Hold) -> Confidence:
    """A hold over a wait for something outside may be a gate of that operation too."""
    waits = any(hold in suspension.holds for suspension in facts.records.suspensions)
    return Confidence.MEDIUM if waits else Confidence.HIGH
