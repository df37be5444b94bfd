"""Contexts: what entering and leaving the items of a `with` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.combining import combine
from lane_lint.flow.imported import imported_global
from lane_lint.flow.locks import ASYNC_LOCK
from lane_lint.flow.outside import note_gate
from lane_lint.flow.own_calls import apply, class_of
from lane_lint.flow.summary import Call, translate
from lane_lint.flow.values import NOTHING, SUPPRESSED, Hold, Instance, Made, Pending, Value
from lane_lint.flow.waiting_types import EXECUTORS, WAITING_METHODS
from lane_lint.model.instructions import Why

# The root of the path of an exit stack; the link behind it is the key of its `with` item.
STACK = "%stack"

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import Enter, Exit
    from lane_lint.model.path import Path
    from lane_lint.outline import ClassOutline


def never_suspends(run: Interpretation, source: Value, callee: str | None = None) -> bool:
    """Whether a project says that what is waited for never suspends: by its dotted name, or by a bare last name."""
    names = run.program.settings.non_suspending
    return callee in names or (isinstance(source.what, Made) and source.what.name in names)


def enter_suspends(run: Interpretation, source: Value) -> bool:
    """Whether entering an asynchronous context may let other tasks run."""
    if never_suspends(run, source):
        return False
    if isinstance(source.what, Pending):
        return any(run.program.summary(call.unit).suspends_before_yield for call in source.what.calls)
    if (owner := class_of(run, source)) is not None:
        return _method_suspends(run, owner, "__aenter__")
    return True


def is_suppressor(made: str, suppressors: tuple[str, ...]) -> bool:
    """Whether entering hides the turn's mark; the runtime's own may come by way of a module of the project."""
    return made in suppressors or made.rpartition(".")[2] == "suppress_lane_context"


def _method_suspends(run: Interpretation, owner: ClassOutline, name: str) -> bool:
    method = run.program.module.method(owner, name)
    unit = run.program.known_unit(method)
    return unit is None or run.program.may_suspend(unit)


def enter(run: Interpretation, context: Value, i: Enter) -> Value:
    """Enter a `with` item: a lock is acquired, an own context manager has its effects."""
    context = imported_global(run, context)
    made = context.what.name if isinstance(context.what, Made) else ""
    holds: tuple[Hold, ...] = ()
    suspends_at_exit = i.is_async and made not in run.program.settings.non_suspending
    if is_suppressor(made, run.program.settings.suppressors):
        run.state.env[SUPPRESSED] = NOTHING
        run.suppressing.add(i.key)
    elif isinstance(context.what, Pending):
        holds, suspends_at_exit = _enter_own(run, context.what, i)
    elif (lock := run.lock_of(context, is_async=i.is_async)) is not None:
        path, kind = lock
        holds = (run.acquire(path, kind, i.at),)
        suspends_at_exit = False
    elif (owner := class_of(run, context)) is not None:
        holds = _enter_object(run, owner, context, i)
        suspends_at_exit = i.is_async and _method_suspends(run, owner, "__aexit__")
    else:
        note_gate(run, run.attributes.get(i.context) or run.loaded.get(i.context), i)
    run.entered[i.key] = holds
    run.exits_suspend[i.key] = suspends_at_exit
    if isinstance(context.what, Instance) or made in EXECUTORS or made in WAITING_METHODS:
        return context
    if made.endswith("ExitStack"):
        return Value(path=(STACK, str(i.key)), what=context.what)
    return combine([context], fresh=False)._replace(waits=context.waits | ({i.at} if i.is_async else set()))


def _enter_object(run: Interpretation, owner: ClassOutline, context: Value, i: Enter) -> tuple[Hold, ...]:
    """Enter an object of an own class: what its `__aenter__` leaves locked, its `__aexit__` unlocks."""
    method = run.program.module.method(owner, "__aenter__" if i.is_async else "__enter__")
    unit = run.program.known_unit(method)
    if unit is None or context.path is None:
        return ()
    before = run.state.holds
    apply(run, Call(unit, context.path, ()), i.at)
    return tuple(sorted(run.state.holds - before))


def _enter_own(run: Interpretation, pending: Pending, i: Enter) -> tuple[tuple[Hold, ...], bool]:
    """Enter own `@contextmanager` functions: the body runs under what they hold at their `yield`."""
    holds: list[Hold] = []
    suspends = False
    for call in pending.calls:
        result = run.program.result(call.unit)
        apply(run, call, i.at)
        suspends = suspends or (i.is_async and result.summary.suspends_after_yield)
        for lock in sorted(result.summary.holds_at_yield):
            path = translate(lock, call)
            if path is not None:
                kind = result.lock_kinds.get(lock, ASYNC_LOCK)
                holds.append(run.acquire(path, kind, i.at, waits=False))
    return tuple(holds), suspends


def enter_on_stack(run: Interpretation, stack: Path, context: Value, at: int, *, is_async: bool) -> Value:
    """`stack.enter_context(lock)`: the lock is held until the stack's own `with` is left."""
    lock = run.lock_of(context, is_async=is_async)
    if lock is None:
        return NOTHING
    if is_async:
        run.suspend(at, Why.AWAIT)
    key = int(stack[1])
    run.entered[key] = (*run.entered.get(key, ()), run.acquire(*lock, at))
    return NOTHING


def leave(run: Interpretation, i: Exit) -> None:
    """Leave a `with` item, on whatever way."""
    # By lock, not by hold: waiting on a condition has let it go and taken it again meanwhile.
    for hold in run.entered.get(i.key, ()):
        run.release(hold.lock)
    if i.key in run.suppressing:
        run.state.env.pop(SUPPRESSED, None)
    if i.is_async and run.exits_suspend.get(i.key, True):
        run.suspend(i.at, Why.EXIT)
