"""Calls of things outside the module, by their dotted names: builtins, asyncio, functools, copy."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from lane_lint.flow.blocking import call_function
from lane_lint.flow.callbacks import note_function_run_now
from lane_lint.flow.combining import combine
from lane_lint.flow.entries import entries_of
from lane_lint.flow.lanes import note_methods_given, run_on_all
from lane_lint.flow.library_waits import SLEEPS, is_inline_future
from lane_lint.flow.locks import lock_kind
from lane_lint.flow.outside import call_blocking, is_zero
from lane_lint.flow.own_calls import is_coroutine, own_call
from lane_lint.flow.passed_work import parameter_of
from lane_lint.flow.passing import through_foreign
from lane_lint.flow.reading import content_of, load_attribute
from lane_lint.flow.starting import name_of_context, start
from lane_lint.flow.taking import note_foreign_call
from lane_lint.flow.values import (
    COPY,
    LAZY,
    NOTHING,
    Constant,
    Function,
    Lane,
    Lock,
    Made,
    Pending,
    Super,
    Value,
    Work,
)
from lane_lint.flow.waiting_types import FUTURES
from lane_lint.flow.writes import Manner, write
from lane_lint.method_names import EMPTY_MAKERS, LIST_MUTATORS, STARTERS
from lane_lint.model.path import ANY_ITEM, SELF, extend

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import Argument, Temp

COPIES = frozenset(
    [
        "list",
        "dict",
        "set",
        "tuple",
        "frozenset",
        "sorted",
        "copy.copy",
        "copy.deepcopy",
        "collections.deque",
        "collections.OrderedDict",
        "types.SimpleNamespace",
        "dataclasses.replace",
    ]
)
# Their results have none of the very objects that they are given.
DEEP_COPIES = frozenset({"deepcopy", "replace", "SimpleNamespace"})
VIEWS = frozenset(
    [
        "enumerate",
        "zip",
        "reversed",
        "iter",
        "filter",
        "map",
        "itertools.chain",
        "itertools.islice",
        "itertools.chain.from_iterable",
    ]
)
WRAPPERS = frozenset(
    [
        "asyncio.wait_for",
        "asyncio.shield",
        "asyncio.gather",
        "asyncio.wait",
        "asyncio.as_completed",
        "async_timeout.timeout",
    ]
)
# Calls of these do not end in an exception in the ordinary course of things: builtins, and the clock.
PLAIN_MODULES = frozenset(
    (*dir(builtins), "time", "logging", "asyncio", "contextlib", "functools", "itertools")
)
CONTENT = frozenset(["len", "any", "all", "sum", "min", "max", "bool"])


def call_dotted(
    run: Interpretation, name: str, arguments: tuple[Argument, ...], at: int, result: Temp | None
) -> Value:
    """Call something by its dotted name."""
    last = name.rpartition(".")[2]
    values = [run.value(a.value) for a in arguments]
    if name in _SPECIAL:
        return _SPECIAL[name](run, arguments, values, at)
    call_blocking(run, name, arguments, at)
    if (waited := call_function(run, name, arguments, at)) is not None:
        return waited
    if name in run.program.settings.suppressors and (last in STARTERS or last == "start_detached"):
        return NOTHING
    if last in STARTERS or name == "asyncio.Task":
        started = _start(run, name, arguments, at, result)
        return Value(what=Work(None)) if name in FUTURES else started
    note_methods_given(run, arguments, at)
    permits = values[0].what if values else None
    none = "(0)" if isinstance(permits, Constant) and permits.text == "0" else ""
    if (kind := lock_kind((name + none, f"{name}(1)"), run.program.objects.lock_types)) is not None:
        return Value(fresh=True, what=Lock(kind))
    if run.program.objects.is_lane_type(name):
        return Value(fresh=True, what=Lane())
    if last in EMPTY_MAKERS and len(arguments) <= (last == "defaultdict"):
        return Value(fresh=True, what=Constant("", reset=True))
    return _call_with_values(run, name, arguments, values, at)


def _call_with_values(
    run: Interpretation, name: str, arguments: tuple[Argument, ...], values: list[Value], at: int
) -> Value:
    """Call what goes by what it is given: changes of lists, copies, views, wrappers, and the unknown."""
    last = name.rpartition(".")[2]
    if last in LIST_MUTATORS and values and values[0].path is not None:
        return _changed_list(run, last, values, at)
    note_function_run_now(run, name, arguments, at)
    _call_given_functions(run, name, values, at)
    if name in COPIES:
        made = combine([content_of(run, v, at) for v in values], fresh=True)
        is_mapping = last in ("dict", "OrderedDict", "copy")
        entries = frozenset() if last in DEEP_COPIES else entries_of(run, values, is_mapping=is_mapping)
        return made._replace(what=Made(COPY), contains=entries)
    if name in VIEWS:
        return _view(values)
    if name in CONTENT:
        return _looked_into(run, name, arguments, values, at)
    if name in WRAPPERS:
        return _wrapped(name, values)
    if name.partition(".")[0] not in PLAIN_MODULES:
        note_foreign_call(run, last, values, at)
    if name in SLEEPS and values and is_zero(values[0]):
        name += "(0)"
    made = through_foreign(values, fresh=last[:1].isupper())
    return made if isinstance(made.what, Pending) else made._replace(what=Made(name_of_context(run, name)))


def _start(
    run: Interpretation, name: str, arguments: tuple[Argument, ...], at: int, result: Temp | None
) -> Value:
    handle = start(run, name.rpartition(".")[2], arguments, at, result)
    return handle._replace(what=Made(name)) if is_inline_future(name) else handle


def _changed_list(run: Interpretation, name: str, values: list[Value], at: int) -> Value:
    """`heappush(self.jobs, job)` changes the list as its own methods do; `heappop` takes out."""
    assert values[0].path is not None
    manner = Manner(is_mutation=True, is_removal=name == "heappop", operation=name)
    write(run, extend(values[0].path, ANY_ITEM), combine(values[1:], fresh=False), at, manner)
    return Value(fresh=True)


def _looked_into(
    run: Interpretation, name: str, arguments: tuple[Argument, ...], values: list[Value], at: int
) -> Value:
    """A length, a sum or a choice of what is in a collection."""
    found = combine([content_of(run, v, at) for v in values], fresh=False)._replace(what=Made(name))
    positional = [v for a, v in zip(arguments, values, strict=True) if a.keyword is None]
    is_choice = name in ("min", "max") and len(positional) == 1
    return found._replace(contains=entries_of(run, positional, is_mapping=False)) if is_choice else found


def _view(values: list[Value]) -> Value:
    for value in values:
        if value.path is not None and not isinstance(value.what, Function):
            return Value(tokens=value.tokens, path=value.path, parameters=value.parameters)
    return combine(values, fresh=False)


def _wrapped(name: str, values: list[Value]) -> Value:
    """`wait_for(f())`, `gather(f(), g())`: awaiting it awaits them, and always suspends."""
    primitive = next(
        (v for v in values if isinstance(v.what, Made) and (v.path is not None or v.what.name[0] == "%")),
        None,
    )
    if primitive is not None:
        return primitive
    merged = combine([*values, NOTHING], fresh=False)
    if isinstance(merged.what, Pending):
        return merged._replace(what=Pending(merged.what.calls, is_wrapped=True))
    return merged._replace(what=Made(name))


def _call_given_functions(run: Interpretation, name: str, values: list[Value], at: int) -> None:
    """A function handed to something that runs it at once runs here, under what is held here."""
    if name in run.program.settings.runs_callback_now:
        for value in values:
            if isinstance(value.what, Function) and not is_coroutine(value.what.unit):
                own_call(run, value.what, (), at)


def _super(run: Interpretation, arguments: tuple[Argument, ...], values: list[Value], at: int) -> Value:
    owner = run.unit.owner
    if owner is None:
        return NOTHING
    return Value(path=(SELF,), what=Super(owner, owner))


def _partial(run: Interpretation, arguments: tuple[Argument, ...], values: list[Value], at: int) -> Value:
    note_methods_given(run, arguments, at)
    function = values[0].what if values else None
    if isinstance(function, Function):
        given = tuple(v for a, v in zip(arguments[1:], values[1:], strict=True) if a.keyword is None)
        return Value(what=Function(function.unit, function.receiver, (*function.arguments, *given)))
    # Of a parameter it is still known which one it is, so that it can be seen to reach a lane.
    is_parameter = bool(values) and parameter_of(values[0]) is not None
    return combine(values, fresh=False)._replace(path=values[0].path if is_parameter else None)


def _getattr(run: Interpretation, arguments: tuple[Argument, ...], values: list[Value], at: int) -> Value:
    if len(values) > 1 and isinstance(values[1].what, Constant):
        return load_attribute(run, values[0], values[1].what.text.strip("\"'"), at)
    return combine(values, fresh=False)


def _setattr(run: Interpretation, arguments: tuple[Argument, ...], values: list[Value], at: int) -> Value:
    if len(values) == 3 and values[0].path is not None and isinstance(values[1].what, Constant):
        name = values[1].what.text.strip("\"'")
        write(run, extend(values[0].path, f".{name}"), values[2], at)
    return NOTHING


def _next(run: Interpretation, arguments: tuple[Argument, ...], values: list[Value], at: int) -> Value:
    if values and values[0].path is not None:
        path = extend(values[0].path, ANY_ITEM)
        is_computed = values[0].what == LAZY and path not in values[0].contains
        what = LAZY if is_computed else None
        return Value(tokens=run.read(path, at), path=path, what=what, parameters=values[0].parameters)
    return combine(values, fresh=False)


def _run_all(run: Interpretation, arguments: tuple[Argument, ...], values: list[Value], at: int) -> Value:
    return run_on_all(run, arguments, at)


_SPECIAL = {
    "lane_runtime.run_all": _run_all,
    "super": _super,
    "functools.partial": _partial,
    "getattr": _getattr,
    "hasattr": _getattr,
    "setattr": _setattr,
    "next": _next,
}
