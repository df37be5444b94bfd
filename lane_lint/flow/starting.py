"""Starts of tasks, timers and threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.executors import note_job, pool_path
from lane_lint.flow.records import StartRecord
from lane_lint.flow.taking import note_handed_on
from lane_lint.flow.values import NOTHING, Function, Pending, Value

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Argument

# The name no user can write that is bound while started tasks do not inherit the turn.
SUPPRESSED = "%suppressed"


def start(run: Interpretation, starter: str, arguments: tuple[Argument, ...], at: int) -> Value:
    """Something is started that runs on its own: a task, a timer, a thread. The result is its handle."""
    note_handed_on(run, [run.value(a.value) for a in arguments], at)
    if starter == "run_in_executor" and len(arguments) > 1:
        executor = arguments[0].value
        note_job(run, pool_path(run, run.value(executor), executor), arguments[1:], at)
    target: Unit | None = None
    for argument in arguments:
        what = run.value(argument.value).what
        if isinstance(what, Pending):
            target = what.calls[0].unit
        elif isinstance(what, Function):
            target = what.unit
        if target is not None:
            break
    suppressed = SUPPRESSED in run.state.env or any(a.keyword == "context" for a in arguments)
    run.records.starts.append(StartRecord(at, starter, target, suppressed))
    return NOTHING
