"""`explore` and `replay`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from lane_runtime.testing._choosers import FromText
from lane_runtime.testing._course import Course
from lane_runtime.testing._outcome import Outcome
from lane_runtime.testing._report import Replayed, Report
from lane_runtime.testing._run import Run, Scenario
from lane_runtime.testing._text import schedule_of, text_of
from lane_runtime.testing._trace import Tracer
from lane_runtime.testing.errors import ScheduleTextError

MAX_SCHEDULES: Final = 1_000
MAX_STEPS: Final = 10_000


def explore(
    scenario: Scenario,
    *,
    invariant: Callable[[Outcome], object] | None = None,
    max_schedules: int = MAX_SCHEDULES,
    seed: int | None = None,
    stop_at_first: bool = True,
    max_steps: int = MAX_STEPS,
) -> Report:
    """Run `scenario` under one schedule after the other, the simplest first.

    Without an `invariant` the calls are run one after the other first, in every order; what they
    come to then is right, and an overlap that comes to something else is the problem.

    Args:
        scenario: Called with a `World` for each run, so it must make everything anew. What it
            returns, or what a function that it returns gives at the end, is the state to compare.
        invariant: Called with the outcome of each run; False or an AssertionError is the problem.
        max_schedules: Most schedules to try. Three quarters go to the simplest, the rest to chance.
        seed: Of the random part; None always takes the same one.
        stop_at_first: Whether to stop at the first problem; the outcomes found later are missing then.
        max_steps: Cycles of the loop after which a run counts as endless.

    Raises:
        ExplorationError: The scenario does what cannot be explored: threads, sockets, chance.
    """
    if max_schedules < 1:
        raise ValueError(f"max_schedules must be 1 or more, not {max_schedules!r}")
    course = Course(scenario, invariant, max_steps, stop_at_first=stop_at_first)
    report = course.run(max_schedules, 0 if seed is None else seed)
    if report.problem is None:
        return report
    traced = replay(scenario, report.problem.schedule, max_steps=max_steps)
    return replace(report, problem=replace(report.problem, trace=traced.trace))


def replay(scenario: Scenario, text: str, *, max_steps: int = MAX_STEPS) -> Replayed:
    """Run `scenario` once under the schedule of `text`, and write down each step.

    Raises:
        ScheduleTextError: The schedule does not fit the scenario.
        ExplorationError: The scenario does what cannot be explored.
    """
    chooser = FromText(schedule_of(text))
    tracer = Tracer()
    run = Run(scenario, chooser, max_steps=max_steps, watcher=tracer)
    ran = run.run()
    if not chooser.is_used_up:
        raise ScheduleTextError(
            f"the scenario ended before the schedule did; {text_of(ran.schedule)!r} is what happened"
        )
    return Replayed(ran.outcome, text_of(ran.schedule), ran.failure, tuple(tracer.lines))
