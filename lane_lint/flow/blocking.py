"""Calls that block the thread until something happens, by what is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.combining import combine
from lane_lint.flow.executors import (
    ask_kept_work,
    ask_work,
    is_named_executor,
    types_of,
    use_executor,
    work_kept,
)
from lane_lint.flow.values import NOTHING, Constant, Made, Readiness, Several, Value, Work
from lane_lint.flow.waiting_types import (
    ANSWERS,
    EXECUTORS,
    FUTURE,
    FUTURES,
    SUBMITS,
    TELLS,
    VIEWS,
    WAITING_FUNCTIONS,
    WAITING_METHODS,
)
from lane_lint.flow.waits import Wait, forget, is_settled, may_wait, note_wait, settle, settled_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import Argument, CallMethod, Temp


def call_waiter(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    """Call a method of what can make its caller wait; None when `base` is nothing of the kind."""
    if isinstance(base.what, Work):
        return ask_work(run, base.what, i)
    types = types_of(run, base)
    if not types and i.method not in SUBMITS:
        return None
    if base.path is not None and (work := work_kept(run, types)) is not None:
        return None if is_settled(run, base, i.base) else ask_kept_work(run, work, base, i)
    if types & EXECUTORS or (i.method in SUBMITS and is_named_executor(run, base, i)):
        return use_executor(run, base, i)
    reason = next((m[i.method] for t in sorted(types) if i.method in (m := WAITING_METHODS.get(t, {}))), None)
    if reason is not None and not i.is_awaited and may_wait(run, i) and not is_settled(run, base, i.base):
        note_wait(run, i, reason, None, base.path)
    elif i.method in TELLS:
        settle(run, base, i.base)
    elif i.method in ANSWERS and (name := settled_name(run, base, i.base)) is not None:
        return Value(tokens=base.tokens, what=Readiness(name, ANSWERS[i.method]))
    if _future_of(types) is not None and i.method in WAITING_METHODS[FUTURE]:
        return NOTHING
    return None


def _future_of(types: Iterable[str]) -> str | None:
    return next((t for t in types if t in FUTURES), None)


def call_function(run: Interpretation, name: str, arguments: tuple[Argument, ...], at: int) -> Value | None:
    """Call a function of another module that waits, or that makes something which does; None for others."""
    values = [run.value(a.value) for a in arguments]
    work = next((v.what for v in values if isinstance(v.what, Work)), None)
    if name in WAITING_FUNCTIONS:
        is_zero = (
            bool(values) and isinstance(values[0].what, Constant) and values[0].what.text in ("0", "0.0")
        )
        if name != "time.sleep" or not is_zero:
            pool = work.pool if work is not None else None
            is_timed = any(a.keyword == "timeout" for a in arguments)
            run.records.waits.append(Wait(at, name, WAITING_FUNCTIONS[name], pool, is_timed))
        for argument in arguments:
            forget(run, argument.value)
        return NOTHING
    if work is None:
        return Value(what=Made(name + "(bounded)")) if _is_bounded(name, values) else None
    if name in VIEWS:
        return Value(what=work)
    if work.is_lazy:
        run.records.waits.append(Wait(at, name.rpartition(".")[2], "for the results", work.pool))
        return NOTHING
    if name.endswith("wrap_future"):
        forget(run, arguments[0].value)
    return None


def _is_bounded(name: str, values: list[Value]) -> bool:
    if f"{name}(bounded)" not in WAITING_METHODS or not values:
        return False
    size = values[0].what
    return not (isinstance(size, Constant) and size.text == "0")


def step_through(run: Interpretation, source: Value, at: int) -> Value | None:
    """The next one of futures and the like, or of results that come as they are asked for."""
    if isinstance(source.what, Several):
        return combine([source], fresh=False)._replace(what=source.what.of)
    if not isinstance(source.what, Work):
        return None
    if source.what.is_lazy:
        run.records.waits.append(Wait(at, "the loop", "for the results", source.what.pool))
        return NOTHING
    return Value(what=source.what)


def note_awaited(run: Interpretation, temps: Iterable[Temp]) -> None:
    """Futures that were awaited, or given to what was, are done."""
    for temp in temps:
        if isinstance(run.value(temp).what, Work):
            forget(run, temp)
