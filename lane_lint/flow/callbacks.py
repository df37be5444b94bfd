"""Calls of what was stored or passed in: callables, and methods of listeners."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lane_lint.flow.combining import combine
from lane_lint.flow.own_calls import own_call, values_of
from lane_lint.flow.passing import through_foreign
from lane_lint.flow.turn_records import CallbackRecord
from lane_lint.flow.values import CALLBACK, TAKEN, Function, Instance, Made, Value, in_order

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import Argument, CallMethod, CallName
    from lane_lint.model.path import Path

_LISTENER = re.compile(
    r"(?:^|_)(?:listener|observer|subscriber|watcher|callback|handler|hook|delegate)s?$", re.IGNORECASE
)
# What owners do to a listener, or to a collection of them, that hands no control out.
_HOUSEKEEPING = frozenset(
    ["cancel", "close", "done", "cancelled", "copy", "get", "items", "keys", "values", "count", "index"]
)
# They are given the function as their first argument; others, if at all, as `key`.
FUNCTION_FIRST = frozenset({"map", "filter", "functools.reduce"})


def call_unknown(run: Interpretation, callee: Value, i: CallName) -> Value:
    """Call a value of which it is not known what it is; what was stored or passed in is a callback."""
    origin = origin_of(callee)
    is_taken = callee.what == Made(TAKEN)
    if origin is not None or is_taken:
        name = i.name or (origin[-1].strip(".$^@") if origin is not None else "the entry")
        run.records.callbacks.append(CallbackRecord(i.at, name, origin, run.state.holds))
    elif i.name is not None and run.body.is_local(i.name):
        run.unknown_callees.add(i.result)
    is_class = bool(i.name) and i.name is not None and i.name[:1].isupper()
    made = through_foreign([callee, *(run.value(a.value) for a in i.arguments)], fresh=is_class)
    return made._replace(what=made.what or Made(CALLBACK)) if origin is not None or is_taken else made


def origin_of(value: Value) -> Path | None:
    """Where a callable was stored, or which parameter it is."""
    return value.path or next((t.path for t in in_order(value.tokens)), None)


def call_stored(run: Interpretation, path: Path, i: CallMethod) -> Value:
    """Call what an attribute holds: a callback, but for an object of an own class that can be called."""
    stored = run.program.objects.class_at(run.unit.owner, path)
    method = run.program.module.method(stored, "__call__") if stored is not None else None
    unit = run.program.known_unit(method)
    if unit is not None:
        return own_call(run, Function(unit, path), values_of(run, i.arguments), i.at, i.arguments)
    run.records.callbacks.append(CallbackRecord(i.at, i.method, path, run.state.holds))
    result = combine([run.value(a.value) for a in i.arguments], fresh=False)
    return result._replace(what=Instance(stored) if stored is not None else Made(CALLBACK))


def note_listener(run: Interpretation, base: Value, i: CallMethod) -> bool:
    """Record a call of a method of something that is named as a listener. False when it is none."""
    if not run.program.module_has_lanes or i.method in _HOUSEKEEPING:
        return False
    origin = origin_of(base)
    local = run.loaded.get(i.base, "")
    if origin is None or not (_LISTENER.search(local) or _names_listener(origin)):
        return False
    name = f"{local or run.attributes.get(i.base, '')}.{i.method}".strip(".")
    run.records.callbacks.append(CallbackRecord(i.at, name, None, run.state.holds))
    return True


def _names_listener(path: Path) -> bool:
    return any(_LISTENER.search(link.strip(".$^@")) for link in path if link[0] in ".$^")


def note_function_run_now(run: Interpretation, name: str, arguments: tuple[Argument, ...], at: int) -> None:
    """Record a callable parameter that `sorted(key=...)`, `map` and the like call at once."""
    if not run.program.module_has_lanes:
        return
    for number, argument in enumerate(arguments):
        is_function = (
            number == 0 and name in FUNCTION_FIRST if argument.keyword is None else argument.keyword == "key"
        )
        value = run.value(argument.value)
        if is_function and value.what is None and value.path is not None and value.path[0][0] in "$^":
            run.records.callbacks.append(
                CallbackRecord(at, value.path[-1].strip(".$^"), value.path, run.state.holds)
            )
