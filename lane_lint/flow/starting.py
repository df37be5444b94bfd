"""Starts of tasks, timers and threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.lanes import note_started
from lane_lint.flow.records import StartRecord
from lane_lint.flow.values import NOTHING, SUPPRESSED, Function, Pending, Value

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Argument


def start(run: Interpretation, starter: str, arguments: tuple[Argument, ...], at: int) -> Value:
    """Something is started that runs on its own: a task, a timer, a thread. The result is its handle."""
    target: Unit | None = None
    for argument in arguments:
        what = run.value(argument.value).what
        if isinstance(what, Pending):
            target = what.calls[0].unit
        elif isinstance(what, Function):
            target = what.unit
        if target is not None:
            break
    note_started(run, arguments)
    suppressed = SUPPRESSED in run.state.env or any(a.keyword == "context" for a in arguments)
    run.records.starts.append(StartRecord(at, starter, target, suppressed))
    return NOTHING
