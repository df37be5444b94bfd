"""Functions that assert that they run on their lane, as a project's own methods for that do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.model.instructions import CallMethod, CallName

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit


def asserts_its_lane(program: Program, unit: Unit) -> bool:
    """Whether a function calls what raises off the lane: then it runs in a turn, or not at all."""
    names, sketch = set(program.settings.asserting_methods), unit.outline.sketch
    if unit.name in names or not names & {*sketch.own_calls, *sketch.method_calls, *sketch.name_calls}:
        return False
    if unit.outline.origin is not None:
        return True
    calls = (i for block in unit.body.blocks for i in block.instructions)
    return any(
        (isinstance(i, CallMethod) and i.method in names) or (isinstance(i, CallName) and i.name in names)
        for i in calls
    )
