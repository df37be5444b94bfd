"""Owned state that a turn lets out as it is, so that it is read and changed outside of turns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.finding import Confidence
from lane_lint.flow.accesses import Field, field_of
from lane_lint.flow.entries import ITEMS, KEYS, VALUES
from lane_lint.flow.summary import translate
from lane_lint.flow.values import LAZY, Instance
from lane_lint.model.path import ANY_ITEM, MAX_LINKS, SELF, Path, links_match
from lane_lint.sketch import dotted

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import OutletRecord
    from lane_lint.flow.solved import Place
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Value
    from lane_lint.outline import ClassOutline

RECORDS = frozenset({"dataclass", "define", "mutable", "s", "attrs"})


class Escape(NamedTuple):
    """A turn lets out what later turns go on changing.

    Attributes:
        path: The collection, or the entry.
        is_inside: It is inside a new collection.
        given_to: The method that it is given to; None when it is returned.
        changer: Where it is changed in place: the function and the place; None when callers may change it.
    """

    path: Path
    is_inside: bool
    given_to: str | None
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
        found = set(self._program.whole.lane_state.placement.answering)
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
            if outlet.given_to is None:
                yield from (call for call in self.helpers_behind(unit, outlet))

    def helpers_behind(self, unit: Unit, outlet: OutletRecord) -> Iterator[Unit]:
        """The own helpers that have found what the function lets out."""
        node = unit.body.places[outlet.site]
        result = getattr(node, "value", None) or getattr(node, "body", None)
        result = result.value if isinstance(result, ast.Await) else result
        for record in self._program.result(unit).records.calls:
            callee = record.call.unit
            if record.call.is_turn or not (callee.is_nested or callee.outline.is_private):
                continue
            if callee.name == "<lambda>":  # the key of a choice, say: what is chosen is not what it gives
                continue
            returned = self._program.summary(callee).returned_path
            path = translate(returned, record.call) if returned is not None else None
            if unit.body.places[record.site] is result or (path is not None and path == outlet.value.path):
                yield callee

    def changer(self, unit: Unit, path: Path) -> tuple[Unit, int] | None:
        """Where the component changes, in place, the object at a path."""
        # A path of full length stands for what is behind it too.
        is_full = len(path) > MAX_LINKS and path[-1][0] == "."
        for other in self._program.units:
            if not _is_relative(self._program, unit, other):
                continue
            records = self._program.result(other).records
            changes = [*records.entry_changes, *((w.site, w.path, w.is_mutation) for w in records.writes)]
            for site, changed, is_content in changes:
                is_behind = len(changed) > len(path) or (is_full and is_content and len(changed) == len(path))
                if is_behind and all(map(links_match, changed, path)):
                    return other, site
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
    known, placement = facts.program.whole.escapes, facts.program.whole.lane_state.placement
    if facts.unit not in placement.on_lane:
        return
    seen: set[int] = set()
    for outlet in facts.records.outlets:
        if outlet.site in seen or (outlet.given_to is None and facts.unit not in known.leaving):
            continue
        if any(True for _ in known.helpers_behind(facts.unit, outlet)):
            continue
        escape = next(_live_in(facts, outlet), None)
        if escape is not None:
            seen.add(outlet.site)
            yield escape


def _live_in(facts: FunctionFacts, outlet: OutletRecord) -> Iterator[Escape]:
    """The owned objects that a value is, or has in it, and that are changed in place."""
    value, known = outlet.value, facts.program.whole.escapes
    is_stored = isinstance(value.what, Instance) and value.fresh
    is_inside = value.fresh and not is_stored
    paths = [(path, is_inside) for path in sorted(value.contains)]
    if value.path is not None and not value.fresh and _is_the_thing(value):
        paths.insert(0, (value.path, False))
    for path, inside in paths:
        found = field_of(facts.program, facts.unit, path)
        if found is None or facts.program.whole.lane_state.ownership(found[0]) is None:
            continue
        changer = known.changer(facts.unit, path)
        if changer is None and (is_stored or not known.is_mutable_record(facts.unit, found[0], path)):
            continue
        is_certain = changer is not None and not inside
        confidence = Confidence.HIGH if is_certain else Confidence.MEDIUM
        yield Escape(
            path,
            inside,
            outlet.given_to,
            facts.place(outlet.site),
            facts.program.whole.lane_state.placement.turn_of(facts.unit).label,
            changer,
            confidence,
        )


def _is_the_thing(value: Value) -> bool:
    """Whether the value is the object at its path: that, a view of it, or what walks it, but no key of it."""
    if value.path is None or value.what is None or isinstance(value.what, Instance):
        return True
    is_walk = value.what == LAZY and value.path[-1] != ANY_ITEM
    return is_walk or value.what in (KEYS, ITEMS, VALUES)
