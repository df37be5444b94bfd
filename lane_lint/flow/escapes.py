"""Owned state that a turn lets out as it is, so that it is read and changed outside of turns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.finding import Confidence
from lane_lint.flow.accesses import Field, field_of
from lane_lint.flow.placement import enters_by_decorator
from lane_lint.flow.summary import translate
from lane_lint.flow.values import Instance
from lane_lint.model.path import ANY_ITEM, SELF, Path, links_match
from lane_lint.sketch import dotted

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts, Place
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import OutletRecord
    from lane_lint.flow.unit import Unit
    from lane_lint.outline import ClassOutline

RETURNED = "returned"
RECORDS = frozenset({"dataclass", "define", "mutable", "s", "attrs"})


@dataclass(frozen=True, slots=True)
class Escape:
    """A turn lets out what later turns go on changing.

    Attributes:
        path: The collection, or the entry.
        is_inside: It is inside a new collection.
        way: How it gets out: `returned`, `given to 'put'`.
        changer: Where it is changed in place: the function and the place; None when callers may change it.
    """

    path: Path
    is_inside: bool
    way: str
    place: Place
    turn: str
    changer: tuple[Unit, int] | None
    confidence: Confidence


class Escapes:
    """Which functions' results leave turns, and what in them is live; for the units of one module."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def leaving(self) -> frozenset[Unit]:
        """The functions whose results leave a turn."""
        program, placement = self._program, self._program.lane_state.placement
        found = set(placement.forwarded)
        for unit in program.units:
            found |= {r.work for r in program.result(unit).records.lanes if r.work and r.method != "try_post"}
            if not unit.is_nested and enters_by_decorator(unit.outline):
                found.add(unit)
        pending = list(found)
        while pending:
            for callee in self._returned_callees(pending.pop()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return frozenset(found)

    def _returned_callees(self, unit: Unit) -> Iterator[Unit]:
        """The helpers whose results the function returns as they are."""
        records = self._program.result(unit).records
        for outlet in records.outlets:
            if outlet.way == RETURNED:
                yield from (call for call in self.helpers_behind(unit, outlet))

    def helpers_behind(self, unit: Unit, outlet: OutletRecord) -> Iterator[Unit]:
        """The own helpers that have found what the function lets out."""
        node = unit.body.places[outlet.site]
        result = getattr(node, "value", None) or getattr(node, "body", None)
        result = getattr(result, "expression", None) or result  # behind an await
        for record in self._program.result(unit).records.calls:
            callee = record.call.unit
            if record.call.is_turn or not (callee.is_nested or callee.outline.is_private):
                continue
            returned = self._program.summary(callee).returned_path
            path = translate(returned, record.call) if returned is not None else None
            if unit.body.places[record.site] is result or (path is not None and path == outlet.value.path):
                yield callee

    def changer(self, unit: Unit, path: Path) -> tuple[Unit, int] | None:
        """Where the component changes, in place, the object at a path."""
        for other in self._program.units:
            if not _is_relative(self._program, unit, other):
                continue
            for write in self._program.result(other).records.writes:
                behind = write.path[len(path) :]
                if behind and all(map(links_match, write.path, path)):
                    return other, write.site
        return None

    def is_mutable_record(self, unit: Unit, field: Field, path: Path) -> bool:
        """Whether an entry is an object of an own class that is made to be changed: its callers can."""
        if field.owner is None or len(path) != 3 or path[2][0] != "[":
            return False
        return any(self._is_record(each) for each in self._item_classes(field))

    def _item_classes(self, field: Field) -> Iterator[ClassOutline]:
        assert field.owner is not None
        module = self._program.module
        makers = self._program.objects.makers(field.owner, (SELF, f".{field.name}", ANY_ITEM))
        names = set(makers) | set(_annotated_items(self._program, field))
        yield from (module.classes[name] for name in sorted(names) if name in module.classes)

    def _is_record(self, owner: ClassOutline) -> bool:
        """A class of plain fields that may be set: a dataclass or the like that is not frozen, without methods."""
        if any(not name.startswith("__") for name in owner.methods):
            return False
        for decorator in owner.node.decorator_list:
            name = (dotted(decorator) or "").rpartition(".")[2]
            if name in RECORDS:
                return not (isinstance(decorator, ast.Call) and any(map(_freezes, decorator.keywords)))
        return False


def _freezes(keyword: ast.keyword) -> bool:
    return keyword.arg == "frozen" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True


def _annotated_items(program: Program, field: Field) -> Iterator[str]:
    """The names in what an annotation says of the entries: `Job` for `jobs: dict[str, Job]`."""
    assert field.owner is not None
    for each in program.module.family(field.owner):
        values = [value for f in each.functions() for value in f.sketch.attribute_values]
        annotations = [annotation for name, _, annotation in values if name == field.name]
        annotations += [
            node.annotation
            for node in each.node.body
            if isinstance(node, ast.AnnAssign) and dotted(node.target) == field.name
        ]
        for annotation in annotations:
            if isinstance(annotation, ast.Subscript):
                yield from (node.id for node in ast.walk(annotation.slice) if isinstance(node, ast.Name))


def _is_relative(program: Program, unit: Unit, other: Unit) -> bool:
    if unit.owner is None or other.owner is None:
        return unit.owner is other.owner
    return other.owner in program.module.family(unit.owner)


def escapes(facts: FunctionFacts) -> Iterator[Escape]:
    """What this function lets out of its turn; one finding for each place."""
    known, placement = facts.program.escapes, facts.program.lane_state.placement
    if facts.unit not in placement.on_lane:
        return
    seen: set[int] = set()
    for outlet in facts.records.outlets:
        if outlet.site in seen or (outlet.way == RETURNED and facts.unit not in known.leaving):
            continue
        if any(True for _ in known.helpers_behind(facts.unit, outlet)):
            continue
        escape = next(_live_in(facts, outlet), None)
        if escape is not None:
            seen.add(outlet.site)
            yield escape


def _live_in(facts: FunctionFacts, outlet: OutletRecord) -> Iterator[Escape]:
    """The owned objects that a value is, or has in it, and that are changed in place."""
    value = outlet.value
    paths = [(path, True) for path in sorted(value.contains)]
    if value.path is not None and not value.fresh and _is_the_thing(outlet):
        paths.insert(0, (value.path, False))
    for path, is_inside in paths:
        found = field_of(facts.program, facts.unit, path)
        if found is None or facts.program.lane_state.ownership(found[0]) is None:
            continue
        changer = facts.program.escapes.changer(facts.unit, path)
        if changer is None and not facts.program.escapes.is_mutable_record(facts.unit, found[0], path):
            continue
        is_certain = changer is not None and not is_inside
        confidence = Confidence.HIGH if is_certain else Confidence.MEDIUM
        turn = facts.program.in_turns.get(facts.unit)
        label = turn[0].label if turn is not None else facts.label
        place = facts.place(outlet.site)
        yield Escape(path, is_inside, outlet.way, place, label, changer, confidence)


def _is_the_thing(outlet: OutletRecord) -> bool:
    """Whether the value is the object at its path: that, a view of it, or what walks it, but no key of it."""
    what = outlet.value.what
    if what is None or isinstance(what, Instance):
        return True
    name = getattr(what, "name", "")
    return name.startswith("dict.") or name == "lazy"
