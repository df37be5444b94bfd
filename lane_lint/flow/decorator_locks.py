"""Locks that decorators of the module hold around what they wrap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit


def find_decorator_locks(program: Program, unit: Unit) -> frozenset[Path]:
    """Locks that a decorator's wrapper holds where it calls the function it wraps."""
    found: set[Path] = set()
    for name in unit.body.decorators if unit.is_nested else unit.outline.decorators:
        decorator = program.module.functions.get(name) if unit.outline.origin is None else None
        outer = program.unit(decorator) if decorator is not None and decorator is not unit.outline else None
        for wrapper in outer.nested if outer is not None else ():
            found |= _held_around_wrapped(program, wrapper)
    return frozenset(found)


def _held_around_wrapped(program: Program, wrapper: Unit) -> set[Path]:
    """The locks of the wrapper's first parameter that are held at the call of the wrapped function."""
    if wrapper.parent is None or not wrapper.parent.body.parameters or not wrapper.body.parameters:
        return set()
    wrapped = "^" + wrapper.parent.body.parameters[0].name
    first = "$" + wrapper.body.parameters[0].name
    return {
        (SELF, *hold.lock[1:])
        for record in program.result(wrapper).records.callbacks
        if record.path == (wrapped,)
        for hold in record.holds
        if hold.lock[0] == first
    }
