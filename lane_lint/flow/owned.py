"""State that turns of a lane own, and who touches it outside of every turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lane_lint.flow.accesses import Access, Field, accesses_of
from lane_lint.flow.overrides import dropped_turn
from lane_lint.flow.placement import Placement
from lane_lint.model.path import SELF, Path
from lane_lint.outline import CONSTRUCTION

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts, Place
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.outline import ClassOutline


@dataclass(frozen=True, slots=True)
class Ownership:
    """A field is owned by a lane.

    Attributes:
        turn: A function on the lane that touches the field, one that writes it when there is one.
        is_written: Turns write the field, so that even a look from outside is one too many.
    """

    turn: Unit
    site: int
    is_written: bool


@dataclass(frozen=True, slots=True)
class OffLane:
    """An access of owned state outside of every turn.

    Attributes:
        helper: The function made for turns that is called for it, when it is not the access itself.
    """

    field: Field
    path: Path
    place: Place
    is_write: bool
    helper: str | None
    owned: Ownership


class LaneState:
    """Which fields of a module are owned by lanes."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.placement = Placement(program)
        self._accesses: dict[Unit, list[Access]] = {}
        self._by_owner: dict[ClassOutline | None, dict[str, Ownership]] = {}

    def accesses(self, unit: Unit) -> list[Access]:
        """What a function touches itself."""
        if unit not in self._accesses:
            self._accesses[unit] = accesses_of(self._program, unit, self._program.result(unit).records)
        return self._accesses[unit]

    def all_accesses(self, unit: Unit) -> Iterator[tuple[Unit, Access]]:
        """What a function touches, itself or through helpers that run no turn, and which one does."""
        seen, pending = {unit}, [unit]
        while pending:
            current = pending.pop()
            yield from ((current, access) for access in self.accesses(current))
            for record in self._program.result(current).records.calls:
                callee = record.call.unit
                is_own = record.call.receiver in (None, (SELF,)) and not record.call.is_turn
                if is_own and callee not in seen and not self.enters(callee):
                    seen.add(callee)
                    pending.append(callee)

    def enters(self, unit: Unit) -> bool:
        """Whether a function runs turns of its own: what it does there is no business of its caller's."""
        return bool(self._program.summary(unit).enters)

    def ownership(self, field: Field) -> Ownership | None:
        """Who owns a field, if a lane does."""
        if field.owner not in self._by_owner:
            self._by_owner[field.owner] = self._find_owned(field.owner)
        return self._by_owner[field.owner].get(field.name)

    def owned_by(self, owner: ClassOutline | None) -> dict[str, Ownership]:
        """The owned fields of a class, with its relatives, or of the module."""
        self.ownership(Field(owner, ""))
        return self._by_owner[owner]

    def _find_owned(self, owner: ClassOutline | None) -> dict[str, Ownership]:
        found: dict[str, Ownership] = {}
        for unit in self._program.units:
            if unit not in self.placement.on_lane or not self._is_own_lane(unit):
                continue
            for access in self.accesses(unit):
                if not self._is_of(access.field, owner) or self._is_settled(access, owner):
                    continue
                known = found.get(access.field.name)
                if known is None or (access.is_write and not known.is_written):
                    found[access.field.name] = Ownership(unit, access.site, access.is_write)
        return found

    def _is_own_lane(self, unit: Unit) -> bool:
        """Whether the lane belongs to the object whose method it is, or to the module."""
        lane = self.placement.on_lane[unit]
        return lane is None or lane[0][0] == "@" or (lane[0] == SELF and len(lane) == 2)

    def _is_of(self, field: Field, owner: ClassOutline | None) -> bool:
        if owner is None or field.owner is None:
            return field.owner is owner
        return field.owner in self._program.module.family(owner)

    def _is_settled(self, access: Access, owner: ClassOutline | None) -> bool:
        """Whether a turn only reads what nobody changes after construction, or what is set just once."""
        if access.is_write:
            return False
        return owner is not None and not self._changes(owner, access.field.name)

    def _changes(self, owner: ClassOutline, name: str) -> bool:
        writes = self._program.sharing.attribute_writes(owner, name)
        if not any(w.link for _, w in writes) and self._starts_empty(owner, name):
            return len({(f, w.line) for f, w in writes}) > 1
        return bool(writes)

    def _starts_empty(self, owner: ClassOutline, name: str) -> bool:
        """Whether construction gives the field no value yet: what is set once later is a reference."""
        constructors = [
            f for c in self._program.module.family(owner) for f in c.functions() if f.name in CONSTRUCTION
        ]
        values = [v for f in constructors for n, v, _ in f.sketch.attribute_values if n == name]
        return all(isinstance(value, ast.Constant) and value.value is None for value in values)


def touches_off_lane(facts: FunctionFacts) -> Iterator[OffLane]:
    """The first access of each owned field, in a function that runs outside of turns."""
    state = facts.program.lane_state
    if facts.unit not in state.placement.off_lane or not state.placement.on_lane:
        return
    if dropped_turn(facts) is not None:
        return
    seen: set[Field] = set()
    for access in (*state.accesses(facts.unit), *_through_turn_bodies(facts)):
        owned = state.ownership(access.field)
        if owned is None or access.field in seen or not (access.is_write or owned.is_written):
            continue
        if _is_out_of_reach(facts, access):
            continue
        seen.add(access.field)
        helper = access.path[0][1:] if access.path[0][0] == "!" else None
        yield OffLane(access.field, access.path, facts.place(access.site), access.is_write, helper, owned)


def _is_out_of_reach(facts: FunctionFacts, access: Access) -> bool:
    """Whether the bare collection is handed to the lane, or the lane has been closed before."""
    records = facts.records
    if not access.is_content and access.site in records.lane_arguments:
        return not _is_rebound(facts.program, access.field)
    return any(site < access.site for site in records.lane_closings)


def _is_rebound(program: Program, field: Field) -> bool:
    if field.owner is None:
        return any(field.name in f.sketch.declared for f in program.sharing.global_writers(field.name))
    return any(not w.link for _, w in program.sharing.attribute_writes(field.owner, field.name))


def _through_turn_bodies(facts: FunctionFacts) -> Iterator[Access]:
    """What a call of a function that is made for turns touches, when it is called outside of one."""
    state = facts.program.lane_state
    for record in facts.records.calls:
        callee = record.call.unit
        if record.call.is_turn or callee not in state.placement.on_lane or state.enters(callee):
            continue
        for _, access in state.all_accesses(callee):
            path = ("!" + callee.name, *access.path[1:])
            yield access._replace(site=record.site, path=path)
