"""Suspensions: what an `await`, an `async for`, an `async with` or a `yield` waits for, and what that does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.blocking import note_awaited
from lane_lint.flow.contexts import enter_suspends, never_suspends
from lane_lint.flow.operations import looks_of
from lane_lint.flow.outside import note_wait
from lane_lint.flow.own_calls import note_generators
from lane_lint.flow.starting import note_awaited_starts
from lane_lint.flow.values import NO_TOKENS, NOTHING, Pending, Value
from lane_lint.flow.waiting import note_released, wait_for, wait_for_primitive
from lane_lint.model.graph import Kind
from lane_lint.model.instructions import Suspend, Why

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation

# What waits for what it is given.
WAITERS = frozenset({"wait", "wait_for", "gather", "shield"})


def suspend(run: Interpretation, i: Suspend) -> None:
    """Wait for a value, if it really waits, and take what comes of it."""
    source = run.value(i.source)
    if i.why is Why.YIELD:
        run.records.yields.append((i.at, run.state.holds, run.block.loops))
        if run.body.kind is Kind.ASYNC_GENERATOR:
            run.suspend(i.at, i.why)
        run.state.temps[i.result] = NOTHING
        return
    note_wait(run, source, i)
    if i.why is Why.NEXT and isinstance(source.what, Pending):
        note_generators(run, source.what, i.at)
    note_awaited_starts(run, {i.source, *i.given})
    if i.callee not in WAITERS:  # waiting for a future or a task is no use of an old value
        note_released(run, i)
    note_awaited(run, (i.source, *i.given))
    _note_awaited(run, source, i)
    if i.why is Why.ENTER:
        if enter_suspends(run, source):
            run.suspend(i.at, i.why, i.callee)
        return
    if i.why is Why.AWAIT and wait_for_primitive(run, source, i.at):
        run.state.temps[i.result] = NOTHING
        return
    if isinstance(source.what, Pending) and i.why is Why.AWAIT:
        answer = wait_for(run, source, i.at)
        run.state.temps[i.result] = answer._replace(tokens=answer.tokens | looks_of(source))
        return
    if i.source in run.passing or never_suspends(run, source, i.callee):
        run.state.temps[i.result] = Value(waits=source.waits)
        return
    run.suspend(i.at, i.why, i.callee)
    # What the other side answers replaces what it was told: its answer is no copy of our state.
    run.state.temps[i.result] = Value(waits=source.waits | {i.at})


def _note_awaited(run: Interpretation, source: Value, i: Suspend) -> None:
    """Remember reads of what is waited for itself, bare or through `asyncio.wait` and the like."""
    if i.why is not Why.AWAIT:
        return
    tokens = source.tokens
    if i.callee is not None:
        tokens = (
            frozenset().union(*(run.value(t).tokens for t in i.given)) if i.callee in WAITERS else NO_TOKENS
        )
    run.state.awaited |= frozenset(t for t in tokens if len(t.path) == 2 and t.path[1][0] == ".")
