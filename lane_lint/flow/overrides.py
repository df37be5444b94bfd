"""Overrides of turns that leave the turn out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.finding import Related, Span
from lane_lint.flow.placement import enters_by_decorator

if TYPE_CHECKING:
    from lane_lint.flow.accesses import Access
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.outline import ClassOutline, FunctionOutline


class DroppedTurn(NamedTuple):
    """An override that touches owned state without the turn that the method it overrides is.

    Attributes:
        span: The head of the override.
        base: The method that is a turn, or runs one.
        toucher: The function that touches the state, the override itself or a helper of it.
    """

    span: Span
    base: FunctionOutline
    toucher: Unit
    access: Access

    def related(self) -> tuple[Related, ...]:
        """Where the state is touched, and the turn that is left out."""
        touched = self.toucher.span(self.access.site)
        return (
            Related(touched, "touched here"),
            Related(head_of(self.base), f"'{self.base.name}' is a turn here"),
        )


def head_of(function: FunctionOutline) -> Span:
    """The words `def name` of a definition."""
    node = function.node
    words = "async def " if function.is_async else "def "
    return Span(node.lineno, node.col_offset, node.lineno, node.col_offset + len(words) + len(node.name))


def dropped_turn(facts: FunctionFacts) -> DroppedTurn | None:
    """The turn that an override leaves out, with the first owned state that it then touches."""
    unit, program = facts.unit, facts.program
    state = program.whole.lane_state
    if unit.owner is None or unit.is_nested or unit not in state.placement.off_lane:
        return None
    base = next(
        (each for each in _overridden(program, unit.owner, unit.name) if _is_turn(program, each)), None
    )
    if base is None or facts.records.lanes:
        return None
    for toucher, access in state.all_accesses(unit):
        owned = state.ownership(access.field)
        if owned is not None and (access.is_write or owned.is_written):
            return DroppedTurn(head_of(unit.outline), base, toucher, access)
    return None


def _overridden(program: Program, owner: ClassOutline, name: str) -> Iterator[FunctionOutline]:
    """What a method stands before: in its own bases, or in those of a class that it is mixed into."""
    for each in program.module.family(owner):
        if owner in program.module.class_order(each):
            found = program.module.method(each, name, after=owner)
            if found is not None and program.module.method(each, name) in (None, owner.methods.get(name)):
                yield found


def _is_turn(program: Program, function: FunctionOutline) -> bool:
    return enters_by_decorator(function) or bool(program.summary(program.unit(function)).enters)
