"""Awaiting: coroutines of the module, and the methods of locks, conditions and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.combining import combine
from lane_lint.flow.locks import ASYNC_LOCK
from lane_lint.flow.own_calls import apply
from lane_lint.flow.primitives import CONDITION_WAIT, EVENT_WAIT, LOCK_ACQUIRE, note_waited
from lane_lint.flow.records import UseRecord
from lane_lint.flow.taking import note_taken
from lane_lint.flow.values import NOTHING, Made, Pending, Value, in_order
from lane_lint.method_names import ENTERS_ON_STACK
from lane_lint.model.instructions import Suspend, Why

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation


def wait_for(run: Interpretation, source: Value, at: int) -> Value:
    """Await coroutines of own functions; without a suspension inside, there is none here."""
    pending = source.what
    if not isinstance(pending, Pending):
        return NOTHING
    results = [
        apply(run, call, at, is_awaited=True, must_suspend=pending.is_wrapped) for call in pending.calls
    ]
    if len(results) == 1:
        return results[0]
    return combine(results, fresh=True)._replace(what=None)


def wait_for_primitive(run: Interpretation, source: Value, at: int) -> bool:
    """Await a lock's, condition's or event's own method. False when the value is none of these."""
    made = source.what
    if not isinstance(made, Made) or source.path is None:
        return False
    if made.name == LOCK_ACQUIRE:
        run.suspend(at, Why.AWAIT)
        kind = run.lock_kinds.get(source.path, ASYNC_LOCK)
        run.acquire(source.path, kind, at)
        note_taken(run, source.path, kind, at)
    elif made.name == CONDITION_WAIT:
        held = [h for h in run.state.holds if h.lock == source.path]
        run.release(source.path)
        run.suspend(at, Why.AWAIT)
        for hold in held:
            run.acquire(hold.lock, run.lock_kinds.get(hold.lock, ASYNC_LOCK), at, waits=False)
    elif made.name == EVENT_WAIT:
        run.suspend(at, Why.AWAIT)
        note_waited(run, source.path, at)
    else:
        return False
    return True


def note_released(run: Interpretation, i: Suspend) -> None:
    """Record what was read under a lock, is given to what is awaited here, and is under no lock any more."""
    for value in map(run.value, i.given):
        is_lock_entered = i.callee in ENTERS_ON_STACK and run.lock_of(value, is_async=True) is not None
        if value.fresh or is_lock_entered:
            continue
        for token in in_order(value.tokens):
            if token.was_released(run.state.holds) and not token.is_derived:
                run.records.uses.append(UseRecord(i.at, token))
