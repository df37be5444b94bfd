"""What is imported from other modules of the project: their functions, classes, locks and lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.locks import lock_kind
from lane_lint.flow.object_types import types_of
from lane_lint.flow.passages import Awaited
from lane_lint.flow.values import ClassObject, Dotted, Function, Instance, Value

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import CallMethod, CallName

# Raising an error has no effect that matters, and nearly every module raises some of another.
_ERRORS = ("Error", "Exception", "Warning")
_LOCK_METHODS = frozenset(
    {"acquire", "acquire_nowait", "release", "locked", "wait", "wait_for", "notify_all"}
)


def imported_callable(
    run: Interpretation, name: str, i: CallName | CallMethod
) -> Function | ClassObject | None:
    """The function or class of another module of the project that a call leads to.

    Asked for only where it may matter: for a call that is entered, or awaited under a lock, for one that is
    given something of ours, and where lanes are at hand.
    """
    module = run.program.module
    if module.foreign is None or name.endswith(_ERRORS):
        return None
    if name in run.program.objects.lane_types or lock_kind((name,), run.program.objects.lock_types):
        return None
    last = name.rpartition(".")[2]
    if last[:1].isupper():
        owner = module.foreign.class_of_instances(name)
        return ClassObject(owner) if owner is not None else None
    may_matter = last in run.unit.outline.sketch.contexts or (i.is_awaited and run.state.holds)
    may_matter = may_matter or any(_is_ours(run.value(a.value)) for a in i.arguments)
    if not may_matter and not module.foreign.has_lanes(name):
        _note_passing(run, frozenset(), name, i)
        return None
    unit = run.program.known_unit(module.foreign.function_named(name))
    return Function(unit, None) if unit is not None else None


def _is_ours(value: Value) -> bool:
    """Whether a callee could act on it for us: the object itself, its state, or what to call."""
    return value.path is not None or isinstance(value.what, Function)


def note_method_passing(run: Interpretation, base: Value, i: CallMethod) -> None:
    """Note that a method is awaited of an object whose class another module of the project may have."""
    if i.is_awaited and run.program.module.foreign is not None:
        types = types_of(run.program, run.unit, base)
        if types:
            _note_passing(run, types, i.method, i)


def _note_passing(run: Interpretation, types: frozenset[str], name: str, i: CallName | CallMethod) -> None:
    if i.is_awaited and run.program.passages.runs_through(Awaited(types, name)):
        run.passing.add(i.result)


def imported_global(run: Interpretation, value: Value, method: str = "") -> Value:
    """A lock, a lane or an object of the project that another module has made: one path in every module.

    Args:
        method: What is called on it; asked for only where that may be a lock's or a lane's method.
    """
    program = run.program
    if not isinstance(value.what, Dotted) or program.module.foreign is None:
        return value
    if method and method not in _LOCK_METHODS | {
        *program.settings.lane_entry_methods,
        *program.settings.asserting_methods,
    }:
        return value
    name = program.module.foreign_global(value.what.name)
    if name is None:
        return value
    path = ("@" + name,)
    objects = program.objects
    if objects.lock_at(None, path) is not None or objects.is_lane(None, path):
        return Value(path=path)
    owner = objects.class_at(None, path)
    return Value(path=path, what=Instance(owner)) if owner is not None else value
