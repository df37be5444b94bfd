"""Which functions a call on the object itself may mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit


def with_overrides(program: Program, callee: Unit) -> list[Unit]:
    """The function and what overrides it in subclasses of this module: the same call may mean each."""
    if callee.is_nested or callee.owner is None:
        return [callee]
    family = program.module.family(callee.owner)
    outlines = [each.methods[callee.name] for each in family if callee.name in each.methods]
    return [program.unit(outline) for outline in outlines]


def possible_callees(program: Program, callee: Unit) -> list[Unit]:
    """The function that a call on the object itself means, and what overrides it in subclasses."""
    owner = callee.owner
    if callee.is_nested or owner is None:
        return [callee]
    module = program.module
    heirs = [c for c in module.family(owner) if c is not owner and owner in module.class_order(c)]
    return [callee, *(program.unit(c.methods[callee.name]) for c in heirs if callee.name in c.methods)]
