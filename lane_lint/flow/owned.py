"""State that turns of a lane own, and who touches it outside of every turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.accesses import Access, Field, accesses_of, guards_itself
from lane_lint.flow.overrides import dropped_turn
from lane_lint.flow.placement import Placement
from lane_lint.model.path import SELF, Path
from lane_lint.outline import CONSTRUCTION
from lane_lint.sketch import dotted

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.solved import Place
    from lane_lint.flow.unit import Unit
    from lane_lint.outline import ClassOutline

# The first letter of the root of a path that a function made for turns touches, called outside of one.
HELPER = "!"


class LaneOwnership(NamedTuple):
    """A field is owned by a lane.

    Attributes:
        turn: A function on the lane that touches the field, one that writes it when there is one.
        is_written: Turns write the field, so that even a look from outside is one too many.
    """

    turn: Unit
    site: int
    is_written: bool


class OffLane(NamedTuple):
    """An access of owned state outside of every turn.

    Attributes:
        helper: The function made for turns that is called for it, when it is not the access itself.
    """

    field: Field
    path: Path
    place: Place
    is_write: bool
    helper: str | None
    owned: LaneOwnership


class LaneState:
    """Which fields of a module are owned by lanes."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.placement = Placement(program)
        self._accesses: dict[Unit, list[Access]] = {}
        self._by_owner: dict[ClassOutline | None, dict[str, LaneOwnership]] = {}

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

    def ownership(self, field: Field) -> LaneOwnership | None:
        """Who owns a field, if a lane does."""
        if field.owner not in self._by_owner:
            self._by_owner[field.owner] = self._find_owned(field.owner)
        return self._by_owner[field.owner].get(field.name)

    def _find_owned(self, owner: ClassOutline | None) -> dict[str, LaneOwnership]:
        found: dict[str, LaneOwnership] = {}
        for unit in self._program.units:
            if unit not in self.placement.on_lane or not self._is_own_lane(unit):
                continue
            for access in self.accesses(unit):
                if not self._is_of(access.field, owner) or self._is_settled(access, owner):
                    continue
                if self._guards_itself(unit, access):
                    continue
                known = found.get(access.field.name)
                if known is None or (access.is_write and not known.is_written):
                    found[access.field.name] = LaneOwnership(unit, access.site, access.is_write)
        return found

    def _is_own_lane(self, unit: Unit) -> bool:
        """Whether the lane belongs to the object whose method it is, or to the module."""
        lane = self.placement.on_lane[unit]
        return lane is None or lane[0][0] == "@" or (lane[0] == SELF and len(lane) == 2)

    def _is_of(self, field: Field, owner: ClassOutline | None) -> bool:
        if owner is None or field.owner is None:
            return field.owner is owner
        return field.owner in self._program.module.family(owner)

    def _guards_itself(self, unit: Unit, access: Access) -> bool:
        """Whether what is in the field is synchronised by itself, wherever it is used."""
        objects = self._program.objects
        if objects.concurrent_at(unit, access.reference) is not None:
            return True
        stored = objects.class_at(unit.owner, access.reference)
        return (
            stored is not None and stored is not unit.owner and guards_itself(objects, stored, self._program)
        )

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
        family = self._program.module.family(owner)
        constructors = [f for c in family for f in c.functions() if f.name in CONSTRUCTION]
        values = [v for f in constructors for n, v, _ in f.sketch.attribute_values if n == name]
        values += [value for each in family for value in _class_values(each, name)]
        return all(isinstance(value, ast.Constant) and value.value is None for value in values)


def _class_values(owner: ClassOutline, name: str) -> Iterator[ast.expr]:
    """What the class body gives the attribute; a field of a dataclass without a default is given its annotation."""
    is_dataclass = any((dotted(d) or "").endswith("dataclass") for d in owner.node.decorator_list)
    for node in owner.node.body:
        if isinstance(node, ast.AnnAssign) and dotted(node.target) == name:
            value = node.value or (node.annotation if is_dataclass else None)
            if value is not None:
                yield value
        elif isinstance(node, ast.Assign) and any(dotted(target) == name for target in node.targets):
            yield node.value


def touches_off_lane(facts: FunctionFacts) -> Iterator[OffLane]:
    """The first access of each owned field, in a function that runs outside of turns."""
    state = facts.program.whole.lane_state
    if facts.unit not in state.placement.off_lane or not state.placement.on_lane:
        return
    if dropped_turn(facts) is not None:
        return
    by_field: dict[Field, list[Access]] = {}
    for access in (*state.accesses(facts.unit), *_through_turn_bodies(facts)):
        owned = state.ownership(access.field)
        is_touch = owned is not None and (access.is_write or owned.is_written)
        if is_touch and not _is_out_of_reach(facts, access):
            by_field.setdefault(access.field, []).append(access)
    for field, accesses in by_field.items():
        owned = state.ownership(field)
        assert owned is not None
        access = _first(facts, accesses)
        helper = access.path[0][1:] if access.path[0][0] == HELPER else None
        yield OffLane(field, access.path, facts.place(access.site), access.is_write, helper, owned)


def _first(facts: FunctionFacts, accesses: list[Access]) -> Access:
    """The first access; on its line, a change says more than the look that leads to it."""
    line = facts.place(accesses[0].site).line
    changes = (a for a in accesses if a.is_write and facts.place(a.site).line == line)
    return next(changes, accesses[0])


def _is_out_of_reach(facts: FunctionFacts, access: Access) -> bool:
    """Whether the bare collection is handed to the lane, or the lane has been closed before."""
    if not access.is_content and _is_handed_over(facts, access):
        return not _is_rebound(facts.program, access.field)
    return any(site < access.site for site in facts.records.lane_closings)


def _is_handed_over(facts: FunctionFacts, access: Access) -> bool:
    """Whether the bare collection, or a method of it, is given to the lane, perhaps through an own function."""
    placement = facts.program.whole.lane_state.placement
    if access.site in facts.records.lane_arguments:
        return True
    return any(
        value.path is not None and value.path[: len(access.path)] == access.path and access.site < record.site
        for record in facts.records.calls
        if placement.forwards_to(record.call.unit) is not None
        for _, value in record.call.arguments
    )


def _is_rebound(program: Program, field: Field) -> bool:
    if field.owner is None:
        return any(field.name in f.sketch.declared for f in program.sharing.global_writers(field.name))
    return any(not w.link for _, w in program.sharing.attribute_writes(field.owner, field.name))


def _through_turn_bodies(facts: FunctionFacts) -> Iterator[Access]:
    """What a call of a function that is made for turns touches, when it is called outside of one."""
    state = facts.program.whole.lane_state
    for record in facts.records.calls:
        callee = record.call.unit
        if record.call.is_turn or callee not in state.placement.on_lane or state.enters(callee):
            continue
        if record.call.receiver is not None and record.call.receiver[0][0] == "%":
            continue  # nobody else has the object yet, as in a factory
        for _, access in state.all_accesses(callee):
            path = (HELPER + callee.name, *access.path[1:])
            yield access._replace(site=record.site, path=path)
