"""A unit: one function body with the definition and class it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_lint.finding import Span
    from lane_lint.flow.program import Program
    from lane_lint.flow.variables import Origins
    from lane_lint.lowering import Slice
    from lane_lint.model.graph import FunctionBody
    from lane_lint.outline import ClassOutline, FunctionOutline

# The runtime's decorators: of methods that are one turn each, and of bodies that run in turns only.
TURN, ON_LANE = "turn", "on_lane"


@dataclass(eq=False, repr=False)
class Unit:
    """What is analysed on its own: a function, a method, a nested function or a lambda.

    Its body is lowered when it is first asked for: a function that is only mentioned costs nothing.

    Attributes:
        number: Which function of `parent` it is; unused for a whole definition.
        origins: What is known so far of what its variables are bound to.
    """

    program: Program
    outline: FunctionOutline
    parent: Unit | None
    number: int = 0
    origins: dict[str, Origins] = field(default_factory=dict)

    @cached_property
    def slice(self) -> Slice:
        """The lowered definition that the unit is, or stands in."""
        return self.parent.slice if self.parent is not None else self.program.lower(self)

    @cached_property
    def body(self) -> FunctionBody:
        return self.parent.body.nested[self.number] if self.parent is not None else self.slice.body

    @property
    def owner(self) -> ClassOutline | None:
        """The class whose `self` the function can reach."""
        return self.outline.owner

    @property
    def name(self) -> str:
        return self.body.name if self.parent is not None else self.outline.name

    @property
    def label(self) -> str:
        """The name as its author would say it."""
        return "the lambda" if self.name == "<lambda>" else self.name

    @cached_property
    def runtime_decorator(self) -> str | None:
        """`turn` or `on_lane` where the runtime's decorator marks the function; the module's own `turn` is another."""
        module, origin = self.program.module, self.outline.origin
        for decorator in self.body.decorators:
            head, last = decorator.partition(".")[0], decorator.rpartition(".")[2]
            is_own = head in module.functions or head in module.classes or head in module.global_makers
            if origin is not None:
                is_own = head in origin.functions
            if last in (TURN, ON_LANE) and not is_own:
                return last
        return None

    @property
    def stands_at(self) -> str:
        """Its line, for a message, with its file when that is another one."""
        return f"line {self.body.line}" if self.is_nested else self.outline.stands_at

    @property
    def is_nested(self) -> bool:
        return self.parent is not None

    @cached_property
    def self_name(self) -> str | None:
        """The name of the parameter that is the object itself, in a method or seen from inside one."""
        is_method = self.outline.owner is not None and not self.outline.is_static
        return self.outline.sketch.self_name if is_method else None

    @cached_property
    def nested(self) -> tuple[Unit, ...]:
        """The functions and lambdas right inside, in order of the source."""
        return tuple(
            Unit(self.program, self.outline, self, number) for number in range(len(self.body.nested))
        )

    def span(self, site: int) -> Span:
        """Where a place of the body stands in the file."""
        return self.slice.span(self.body.places[site])

    def defining(self, name: str) -> Unit | None:
        """The unit around (or at) this one whose variable `name` is."""
        owner = self.body.owner_of(name)
        unit: Unit | None = self
        while unit is not None and unit.body is not owner:
            unit = unit.parent
        return unit

    def nested_function(self, name: str) -> Unit | None:
        """The function right inside that a name means; the last one when there are several."""
        return next((u for u in reversed(self.nested) if u.name == name), None)


def with_nested(unit: Unit) -> Iterator[Unit]:
    """A unit and everything nested in it, from the outside in."""
    yield unit
    for inner in unit.nested:
        yield from with_nested(inner)
