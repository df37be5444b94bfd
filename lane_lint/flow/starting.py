"""Starts of tasks, timers and threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.executors import note_job, pool_path
from lane_lint.flow.lanes import note_methods_given, note_started
from lane_lint.flow.taking import note_handed_on
from lane_lint.flow.turn_records import StartRecord
from lane_lint.flow.values import NOTHING, SUPPRESSED, Constant, Dotted, Function, Made, Pending, Value
from lane_lint.method_names import EAGER_FACTORIES

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Argument, Temp

# What makes a task on the running loop, so that an eager task factory starts it there and then.
TASK_STARTERS = frozenset({"create_task", "ensure_future", "Task"})
# It hides the mark by itself, and starts outside of the turn.
DETACHED = "start_detached"
COPY_OF_CONTEXT = "contextvars.copy_context"


def start(
    run: Interpretation, starter: str, arguments: tuple[Argument, ...], at: int, result: Temp | None
) -> Value:
    """Something is started that runs on its own: a task, a timer, a thread. The result is its handle."""
    note_started(run, arguments)
    note_methods_given(run, arguments, at)
    note_handed_on(run, [run.value(a.value) for a in arguments], at)
    if starter == "run_in_executor" and len(arguments) > 1:
        executor = arguments[0].value
        note_job(run, pool_path(run, run.value(executor), executor), arguments[1:], at)
    record = StartRecord(
        at,
        starter,
        _target(run, arguments),
        _is_suppressed(run, starter, arguments),
        _is_eager(run, starter, arguments),
        result,
    )
    run.records.starts.append(record)
    return NOTHING


def _target(run: Interpretation, arguments: tuple[Argument, ...]) -> Unit | None:
    for argument in arguments:
        what = run.value(argument.value).what
        if isinstance(what, Pending):
            return what.calls[0].unit
        if isinstance(what, Function):
            return what.unit
    return None


def _is_suppressed(run: Interpretation, starter: str, arguments: tuple[Argument, ...]) -> bool:
    """The mark is hidden, or the work gets a context without it; a copy taken where it shows brings it along."""
    if starter == DETACHED:
        return True
    contexts = [run.value(a.value).what for a in arguments if a.keyword == "context"]
    given = [what for what in contexts if what != Constant("None", reset=True)]
    if given:
        return Made(COPY_OF_CONTEXT) not in given
    return SUPPRESSED in run.state.env


def name_of_context(run: Interpretation, name: str) -> str:
    """The name of what makes a context: a copy taken where the mark is hidden is told apart from others."""
    return f"{name}(hidden)" if name == COPY_OF_CONTEXT and SUPPRESSED in run.state.env else name


def _is_eager(run: Interpretation, starter: str, arguments: tuple[Argument, ...]) -> bool | None:
    for argument in arguments:
        if argument.keyword == "eager_start":
            what = run.value(argument.value).what
            return isinstance(what, Constant) and what.text == "True"
    return None if starter in TASK_STARTERS else False


def note_task_factory(run: Interpretation, arguments: tuple[Argument, ...], at: int) -> None:
    """Remember that a loop is given a factory whose tasks start there and then."""
    for argument in arguments:
        what = run.value(argument.value).what
        if isinstance(what, (Dotted, Made)) and what.name in EAGER_FACTORIES:
            run.records.eager_factories.append(at)


def note_awaited_starts(run: Interpretation, awaited: set[Temp]) -> None:
    """What is waited for where it is started does not outlive the place."""
    run.records.starts[:] = [
        r._replace(is_awaited=True) if r.result in awaited else r for r in run.records.starts
    ]
