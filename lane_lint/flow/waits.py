"""Waits that block the thread: what goes on record of one, and what is known not to wait any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.summary import translate
from lane_lint.flow.values import NOTHING, Constant, Value
from lane_lint.model.path import display

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.summary import Call
    from lane_lint.model.instructions import CallMethod, Temp
    from lane_lint.model.path import Path


class Wait(NamedTuple):
    """A call that blocks the thread.

    Attributes:
        call: What is called, as it is written.
        reason: What it waits for.
        pool: The executor whose work it waits for, as this function sees it.
        is_timed: It gives up after a time.
        path: Where the object is that it waits for.
        through: The call further down that waits, when this one calls a function of the module.
    """

    site: int
    call: str
    reason: str
    pool: Path | None = None
    is_timed: bool = False
    path: Path | None = None
    through: str | None = None


def note_wait(
    run: Interpretation, i: CallMethod, reason: str, pool: Path | None, path: Path | None = None
) -> None:
    shown = spelled(run, i)
    is_timed = any(a.keyword == "timeout" for a in i.arguments) or (
        i.method in ("join", "wait", "result") and bool(i.arguments)
    )
    run.records.waits.append(Wait(i.at, shown, reason, pool, is_timed, path))


def spelled(run: Interpretation, i: CallMethod) -> str:
    """What is called, as it is written, as far as it is a name or an attribute of the object itself."""
    name = run.loaded.get(i.base)
    if name is None:
        path = run.value(i.base).path
        name = display(path, run.unit.self_name or "self") if path is not None and path[0][0] != "%" else None
    return f"{name}.{i.method}" if name is not None else i.method


def may_wait(run: Interpretation, i: CallMethod) -> bool:
    """Whether the arguments let the call wait: not `timeout=0`, not `block=False`."""
    values = [(a.keyword, run.value(a.value).what) for a in i.arguments]
    if i.method == "put":
        values = values[1:]
    for keyword, what in values:
        text = what.text if isinstance(what, Constant) else None
        if text in ("0", "0.0", "False") and keyword in (None, "timeout", "block", "blocking"):
            return False
    return True


def note_helper(run: Interpretation, wait: Wait | None, call: Call, at: int) -> None:
    """A plain function of the module is called, which waits itself or further down."""
    if wait is None or call.is_turn:
        return
    path = translate(wait.path, call) if wait.path is not None else None
    if path is not None and settled_name(run, Value(path=path), -1) in run.state.env:
        return
    through = wait.through or wait.call
    run.records.waits.append(Wait(at, call.unit.label, wait.reason, None, wait.is_timed, path, through))


def settle(run: Interpretation, value: Value, temp: Temp) -> None:
    """Whoever has asked whether there is something to wait for knows what the wait finds."""
    key = settled_name(run, value, temp)
    if key is not None:
        run.state.env[key] = NOTHING


def is_settled(run: Interpretation, value: Value, temp: Temp) -> bool:
    return settled_name(run, value, temp) in run.state.env


def settled_name(run: Interpretation, value: Value, temp: Temp) -> str | None:
    """The name no user can write that is bound once a wait for the object is known to end at once."""
    if value.path is not None:
        return "%settled " + " ".join(value.path)
    name = run.loaded.get(temp)
    return f"%settled {name}" if name is not None else None


def forget(run: Interpretation, temp: Temp) -> None:
    """A future that has been waited for, or asked whether it is done, blocks nobody any more."""
    name = run.loaded.get(temp)
    if name is not None and name in run.state.env:
        run.state.env[name] = run.state.env[name]._replace(what=None)
