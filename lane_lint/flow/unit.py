"""A unit: one function body with the definition and class it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_lint.lowering import Slice
    from lane_lint.model.graph import FunctionBody
    from lane_lint.outline import ClassOutline, FunctionOutline


@dataclass(eq=False, repr=False)
class Unit:
    """What is analysed on its own: a function, a method, a nested function or a lambda."""

    body: FunctionBody
    outline: FunctionOutline
    slice: Slice
    parent: Unit | None

    @property
    def owner(self) -> ClassOutline | None:
        """The class whose `self` the function can reach."""
        return self.outline.owner

    @property
    def name(self) -> str:
        return self.body.name

    @property
    def label(self) -> str:
        """The name as its author would say it."""
        return self.body.name if self.parent is None or self.body.name != "<lambda>" else "the lambda"

    @property
    def is_nested(self) -> bool:
        return self.parent is not None

    @cached_property
    def self_name(self) -> str | None:
        """The name of the parameter that is the object itself, in a method or seen from inside one."""
        top = self
        while top.parent is not None:
            top = top.parent
        parameters = top.body.parameters
        if top.owner is None or top.outline.is_static or not parameters:
            return None
        return parameters[0].name

    @cached_property
    def nested(self) -> tuple[Unit, ...]:
        return tuple(Unit(body, self.outline, self.slice, self) for body in self.body.nested)

    def defining(self, name: str) -> Unit | None:
        """The unit around (or at) this one whose variable `name` is."""
        owner = self.body.owner_of(name)
        unit: Unit | None = self
        while unit is not None and unit.body is not owner:
            unit = unit.parent
        return unit

    def nested_function(self, name: str) -> Unit | None:
        return next((u for u in reversed(self.nested) if u.name == name), None)
