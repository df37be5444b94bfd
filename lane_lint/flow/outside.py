"""What goes on record of the world outside of a component: waits for it, calls that block, futures it watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.library_waits import (
    AWAITABLES,
    BLOCKING_FUNCTIONS,
    CHECKPOINTS,
    EXECUTORS,
    SLEEPS,
    WORKERS,
    blocks,
    canonical,
    is_inline_future,
)
from lane_lint.flow.locks import looks_acquirable
from lane_lint.flow.object_types import element_types, types_of
from lane_lint.flow.primitives import CONDITION_WAIT, EVENT_WAIT, LOCK_ACQUIRE
from lane_lint.flow.starting import note_awaited_starts, start
from lane_lint.flow.turn_records import CompletionRecord, GateRecord, OutsideRecord
from lane_lint.flow.turns import is_on_lane_name
from lane_lint.flow.values import CALLBACK, OF_LANE, OWN, Constant, Made, Pending, Value
from lane_lint.model.instructions import Why

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.unit import Unit
    from lane_lint.model.instructions import Argument, CallMethod, Enter, Suspend

LOOP_RUNNERS = frozenset({"run_until_complete", "run_forever"})
COMPLETIONS = frozenset({"set_result", "set_exception", "cancel"})
FUTURE = Made("concurrent.futures.Future")


# Awaiting


def note_wait(run: Interpretation, source: Value, i: Suspend) -> None:
    """Record a suspension that waits for somebody outside of the module's code."""
    if not run.program.module_has_lanes or i.why not in (Why.AWAIT, Why.NEXT, Why.ENTER):
        return
    if i.why is Why.ENTER and _is_left_to_entering(run, source):
        return
    if isinstance(source.what, Pending):
        return
    if not _waits_for_nobody(run, source, i):
        receiver = run.receivers.get(i.source)
        derived = receiver.waits if receiver is not None else source.waits
        run.records.outside.append(OutsideRecord(i.at, _is_known(source), derived_from=derived))


def _is_left_to_entering(run: Interpretation, context: Value) -> bool:
    """A lock is a gate, a context of the module's own is followed, a stack only collects others."""
    if isinstance(context.what, Pending) or run.lock_of(context, is_async=True) is not None:
        return True
    made = context.what.name if isinstance(context.what, Made) else ""
    return made.endswith("ExitStack") or made in run.program.settings.non_suspending


def _waits_for_nobody(run: Interpretation, source: Value, i: Suspend) -> bool:
    """Whether an await is someone else's matter, or only gives other tasks a chance to run."""
    if isinstance(source.what, Made) and (
        source.what.name in CHECKPOINTS
        or source.what.name in (CALLBACK, OWN, OF_LANE, LOCK_ACQUIRE)
        or source.what.name in run.program.settings.non_suspending
    ):
        return True
    if i.callee is not None and is_on_lane_name(run.program.settings, i.callee):
        return True
    if (answering := run.answers.get(i.source)) is not None and _gives_own_coroutine(run, answering):
        return True
    if i.source in run.unknown_callees:
        return True
    return i.callee == "sleep" and any(is_zero(run.value(t)) for t in i.given)


def _gives_own_coroutine(run: Interpretation, unit: Unit) -> bool:
    """Whether a plain function returns a coroutine of the module, which is followed where it is made."""
    return any(isinstance(v.what, Pending) for v, _, _ in run.program.result(unit).records.returns)


def _is_known(source: Value) -> bool:
    """Whether what is waited for is known to wait."""
    return isinstance(source.what, Made) and (
        source.what.name in AWAITABLES or source.what.name in (EVENT_WAIT, CONDITION_WAIT)
    )


def is_zero(value: Value) -> bool:
    """Whether a value is the number nought."""
    return isinstance(value.what, Constant) and value.what.text in ("0", "0.0")


def note_returned(run: Interpretation, value: Value, at: int) -> None:
    """Record an awaitable that a plain function returns: a turn that does so waits for it."""
    if not run.program.module_has_lanes or not isinstance(value.what, Made):
        return
    if value.what.name in AWAITABLES or (value.what.name == EVENT_WAIT and not _is_thread_event(run, value)):
        run.records.outside.append(OutsideRecord(at, is_known=True, is_returned=True))


def note_gate(run: Interpretation, name: str | None, i: Enter) -> None:
    """Record the entry of an object that is known as a gate by its name only."""
    if run.program.module_has_lanes and name is not None and looks_acquirable(name):
        run.records.gates.append(GateRecord(i.at))


# Calls


def call_outside(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    """Record a method of a library's object that starts something, acquires a gate or completes a future.

    The value is what the call gives, where that is known.
    """
    if not run.program.module_has_lanes:
        return None
    attribute = run.attributes.get(i.base)
    types = frozenset(map(canonical, types_of(run.program, run.unit, base, attribute)))
    if i.method == "start" and types & WORKERS:
        return start(run, f"{min(types & WORKERS)}.start", i.arguments, i.at, i.result)
    if i.method == "submit" and (types & EXECUTORS or (not types and _is_named_executor(base, attribute))):
        return start(run, i.method, i.arguments, i.at, i.result)._replace(what=FUTURE)
    if i.method == "acquire" and _is_gate(base, attribute) and _does_wait(run, i.arguments):
        run.records.gates.append(GateRecord(i.at))
        return Value(what=Made(LOCK_ACQUIRE))
    if i.method in COMPLETIONS:
        types = types or element_types(run.program, run.unit, base)
        run.records.completions.append(CompletionRecord(i.at, i.method, base, _is_future(types)))
    return None


def note_blocking(run: Interpretation, base: Value, i: CallMethod) -> None:
    """Record a method of a library's object that makes its thread wait, a lock's with a limit of time too."""
    if i.is_awaited or not run.program.module_has_lanes or not _does_wait(run, i.arguments):
        return
    if i.method == "acquire" and i.arguments and _is_thread_lock(run, base):
        run.records.gates.append(GateRecord(i.at))
    types = types_of(run.program, run.unit, base, run.attributes.get(i.base))
    if i.method in LOOP_RUNNERS or any(blocks(each, i.method) for each in types):
        note_awaited_starts(run, {i.base})
        run.records.outside.append(OutsideRecord(i.at, is_known=True))


def _is_thread_lock(run: Interpretation, base: Value) -> bool:
    lock = run.lock_of(base, is_async=None)
    return lock is not None and lock[1].is_blocking


def _is_future(types: frozenset[str]) -> bool | None:
    """Whether it is a future that runs its callbacks inline; None when that is not known."""
    return any(map(is_inline_future, types)) if types else None


def _is_named_executor(base: Value, attribute: str | None) -> bool:
    return _name_of(base, attribute).lower().endswith(("executor", "pool", "threads"))


def _is_gate(base: Value, attribute: str | None) -> bool:
    return looks_acquirable(_name_of(base, attribute))


def _name_of(base: Value, attribute: str | None) -> str:
    return attribute or (base.path[-1].strip(".$^@") if base.path is not None else "")


def call_blocking(run: Interpretation, name: str, arguments: tuple[Argument, ...], at: int) -> None:
    """Record a call of a library's function that blocks."""
    if name in BLOCKING_FUNCTIONS and not (
        name in SLEEPS and any(is_zero(run.value(a.value)) for a in arguments)
    ):
        run.records.outside.append(OutsideRecord(at, is_known=True))


def _does_wait(run: Interpretation, arguments: tuple[Argument, ...]) -> bool:
    """Whether a blocking call may block: not when it is told `block=False`, `wait=False` or `timeout=0`."""
    for argument in arguments:
        what = run.value(argument.value).what
        if not isinstance(what, Constant):
            continue
        if what.text == "False" and argument.keyword in (None, "block", "wait", "blocking"):
            return False
        if argument.keyword == "timeout" and what.text in ("0", "0.0"):
            return False
    return True


def _is_thread_event(run: Interpretation, value: Value) -> bool:
    return "threading.Event" in types_of(run.program, run.unit, value._replace(what=None))
