"""The types of values, by the dotted names of what made them or what they are annotated as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.collections import CONTAINERS
from lane_lint.flow.values import Made, Value
from lane_lint.flow.variables import origins
from lane_lint.model.path import ANY_ITEM, EACH_ITEM, SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit

UNKNOWN: frozenset[str] = frozenset()


def types_of(program: Program, unit: Unit, value: Value, attribute: str | None = None) -> frozenset[str]:
    """Dotted names of the types that a value may have; empty when nothing is known.

    Args:
        attribute: The attribute that the value was loaded from, for an object of which nothing else is known.
    """
    if isinstance(value.what, Made) and value.what.name[0] != "%":
        return frozenset({value.what.name})
    if value.path is not None and (found := _types_at(program, unit, value.path)):
        return found
    return program.objects.makers_of_attribute(attribute) if attribute is not None else UNKNOWN


def element_types(program: Program, unit: Unit, value: Value) -> frozenset[str]:
    """Types of the entries of the collections that a value was taken from, for one of which no more is known."""
    found: set[str] = set()
    for token in value.tokens:
        if program.objects.makers(unit.owner, token.path) & CONTAINERS:
            found |= program.objects.makers(unit.owner, (*token.path, ANY_ITEM))
    return frozenset(found)


def _types_at(program: Program, unit: Unit, path: Path) -> frozenset[str]:
    if path[0][0] in "^$":
        return _types_in_variable(program, unit, path)
    found = program.objects.makers(unit.owner, path)
    if not found and path[-2:-1] in ((ANY_ITEM,), (EACH_ITEM,)) and path[-1][1:-1].isdigit():
        # One half of a pair that `items()` gives.
        return program.objects.makers(unit.owner, (*path[:-2], ANY_ITEM))
    return found


def _types_in_variable(program: Program, unit: Unit, path: Path) -> frozenset[str]:
    found = origins(unit, path[0][1:])
    if len(path) == 1:
        return found.makers or (_types_at(program, unit, found.path) if found.path is not None else UNKNOWN)
    for maker in found.makers:
        owner = program.module.classes.get(maker)
        if owner is not None:
            return program.objects.makers(owner, (SELF, *path[1:]))
    return UNKNOWN
