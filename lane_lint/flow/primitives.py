"""Methods of what tasks meet at: locks, events and lanes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lane_lint.flow.lanes import call_lane
from lane_lint.flow.records import EventRecord
from lane_lint.flow.taking import note_given_back, note_taken
from lane_lint.flow.values import NOTHING, Attempt, Constant, Made, Value
from lane_lint.model.graph import Kind

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.locks import LockKind
    from lane_lint.model.instructions import Argument, CallMethod
    from lane_lint.model.path import Path

# What an own method of a primitive gives that has its effect when it is awaited or tested.
EVENT_WAIT = "event.wait"
CONDITION_WAIT = "condition.wait"
LOCK_ACQUIRE = "lock.acquire"


def call_primitive(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    """Call a method of a lock, lane or event; None when `base` is none of them or the method is another."""
    lock = run.lock_of(base, is_async=None)
    if lock is None and _is_gate_method(run, i):
        lock = run.gate_of(base, run.loaded.get(i.base), is_awaited=i.is_awaited)
    if lock is not None and i.method == "acquire" and i.is_awaited and lock[1].is_blocking:
        # Nobody awaits a lock of threads: it is made in another way than is told.
        lock = (lock[0], replace(lock[1], is_blocking=False))
    if lock is not None and (done := _lock_method(run, *lock, i)) is not None:
        return done
    if (done := call_lane(run, base, i)) is not None:
        return done
    if base.path is None:
        return None
    if run.program.objects.is_event(run.unit.owner, base.path):
        return _event_method(run, base.path, i)
    return None


def _is_gate_method(run: Interpretation, i: CallMethod) -> bool:
    """Whether a call is one that only locks and semaphores know, by its name and arguments."""
    if i.method == "release":
        return not i.arguments
    if i.method != "acquire" or any(a.keyword not in (None, "blocking", "timeout") for a in i.arguments):
        return False
    # A coroutine may give the coroutine of an asynchronous lock to something else that awaits it.
    return i.is_awaited or run.body.kind not in (Kind.ASYNC, Kind.ASYNC_GENERATOR)


def _lock_method(run: Interpretation, path: Path, kind: LockKind, i: CallMethod) -> Value | None:
    if i.method == "release":
        run.lock_kinds.setdefault(path, kind)
    else:
        run.lock_kinds[path] = kind
    if i.method == "release":
        run.release(path)
        note_given_back(run, path, i.at, is_direct=True)
    elif i.method == "acquire" and not kind.is_blocking:
        return Value(path=path, what=Made(LOCK_ACQUIRE))
    elif i.method == "acquire" and _may_fail(run, i.arguments):
        return Value(path=path, what=Attempt(i.at))
    elif i.method in ("acquire", "acquire_nowait"):
        run.acquire(path, kind, i.at, waits=i.method == "acquire")
        note_taken(run, path, kind, i.at)
    elif i.method in ("wait", "wait_for") and kind.is_condition:
        return Value(path=path, what=Made(CONDITION_WAIT))
    elif i.method not in ("locked", "notify", "notify_all"):
        return None
    return NOTHING


def _may_fail(run: Interpretation, arguments: tuple[Argument, ...]) -> bool:
    """Whether a blocking `acquire` can come back without the lock."""
    for argument in arguments:
        value = run.value(argument.value).what
        if argument.keyword == "timeout" or not (isinstance(value, Constant) and value.text in ("True", "1")):
            return True
    return len(arguments) > 1


def _event_method(run: Interpretation, path: Path, i: CallMethod) -> Value:
    if i.method == "wait":
        return Value(path=path, what=Made(EVENT_WAIT))
    if i.method in ("clear", "set"):
        waited = run.state.env.get(_waited_name(path))
        site = max(waited.waits) if waited is not None and waited.waits else None
        run.records.events.append(EventRecord(i.at, path, site, run.state.last_suspension, i.method == "set"))
    return NOTHING


def note_waited(run: Interpretation, event: Path, at: int) -> None:
    """Remember where this function last waited for an event."""
    run.state.env[_waited_name(event)] = Value(waits=frozenset({at}))


def _waited_name(event: Path) -> str:
    return "%waited " + " ".join(event)
