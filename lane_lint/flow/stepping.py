"""Iterations: what each step gives, and which live collections are walked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.blocking import step_through
from lane_lint.flow.combining import combine
from lane_lint.flow.own_calls import note_generators
from lane_lint.flow.reading import element_of
from lane_lint.flow.records import LoopRecord
from lane_lint.flow.summary import translate
from lane_lint.flow.values import COPY, LAZY, Made, Pending, Value
from lane_lint.model.graph import Kind
from lane_lint.model.path import ANY_ITEM, extend

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import Step, Walk


def _coroutines(source: Value) -> Pending | None:
    """The coroutines that an iteration gives one by one, as `for job in jobs: await job` does."""
    if not isinstance(source.what, Pending):
        return None
    calls = tuple(call for call in source.what.calls if call.unit.body.kind is Kind.ASYNC)
    return Pending(calls, source.what.is_wrapped) if calls else None


def step(run: Interpretation, i: Step) -> None:
    """Take the next element of an iteration."""
    source = run.value(i.source)
    if (asked := step_through(run, source, i.at)) is not None:
        run.state.temps[i.result] = asked
        return
    if source.path is not None and not source.fresh:
        if run.program.sharing.is_shared(run.unit, extend(source.path, ANY_ITEM)):
            run.records.loops.append(LoopRecord(i.loop, i.at, source.path, run.state.holds))
        run.state.temps[i.result] = element_of(run, source, i.at)
        return
    pending = source.what if isinstance(source.what, Pending) else None
    _walk_generators(run, pending, i)
    if pending is not None:
        note_generators(run, pending, i.at)
    # Walking a copy is reading it out: its elements are no snapshot to act on.
    is_copy = source.what == Made(COPY)
    run.state.temps[i.result] = combine([source], fresh=False)._replace(
        what=_coroutines(source), fresh=is_copy
    )


def _walk_generators(run: Interpretation, pending: Pending | None, i: Step) -> None:
    """A loop over an own generator walks the live collections that the generator walks."""
    for call in pending.calls if pending is not None else ():
        for path in sorted(run.program.summary(call.unit).walks):
            seen_as = translate(path, call)
            if seen_as is not None:
                origin = (call.unit, path)
                run.records.loops.append(LoopRecord(i.loop, i.at, seen_as, run.state.holds, origin))


def walk(run: Interpretation, i: Walk) -> None:
    """A generator expression is a live view of what it walks."""
    source, made = run.value(i.source), run.value(i.made)
    if source.path is None or source.fresh:
        run.state.temps[i.result] = made
    else:
        run.state.temps[i.result] = made._replace(path=source.path, fresh=False, what=LAZY)
