"""What plain names mean: variables, the object itself, outer variables, globals, imports."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from lane_lint.flow.locks import lock_kind
from lane_lint.flow.values import (
    NOTHING,
    ClassObject,
    Dotted,
    Function,
    Instance,
    Lane,
    Lock,
    Made,
    Value,
    What,
)
from lane_lint.flow.waiting_types import EXECUTORS, WAITING_METHODS
from lane_lint.flow.writes import write
from lane_lint.model.path import SELF

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.program import Program

BUILTINS = frozenset(dir(builtins))


def annotated(program: Program, annotation: str | None) -> What | None:
    """What a parameter with this annotation is, as far as the checker can use it."""
    if annotation is None:
        return None
    name = program.module.resolve(annotation)
    if (kind := lock_kind((name,), program.objects.lock_types)) is not None:
        return Lock(kind)
    if name in program.objects.lane_types or name.endswith(".StateLane"):
        return Lane()
    if name in WAITING_METHODS or name in EXECUTORS:
        return Made(name)
    owner = program.module.class_named(annotation)
    return Instance(owner) if owner is not None else None


def load(run: Interpretation, name: str, at: int) -> Value:
    """Evaluate a name."""
    if run.body.is_local(name):
        return run.state.env.get(name, NOTHING)
    unit = run.unit.defining(name)
    if unit is not None:
        return _outer(run, name, at)
    return _global(run, name, at)


def _outer(run: Interpretation, name: str, at: int) -> Value:
    """A variable of an enclosing function."""
    owner = run.unit.defining(name)
    if owner is None:
        return NOTHING
    if name == run.unit.self_name and not owner.is_nested:
        return Value(path=(SELF,))
    if (function := owner.nested_function(name)) is not None:
        return Value(what=Function(function, None))
    path = ("^" + name,)
    parameter = next((p for p in owner.body.parameters if p.name == name), None)
    what = annotated(run.program, parameter.annotation) if parameter is not None else None
    return Value(tokens=run.read(path, at), path=path, what=what)


def _global(run: Interpretation, name: str, at: int) -> Value:
    program, module = run.program, run.program.module
    if name in module.functions:
        return Value(what=Function(program.unit(module.functions[name]), None))
    if name in module.classes:
        return _class(run, name)
    if name in module.imports:
        return Value(what=Dotted(module.imports[name]), path=("@" + name,))
    if name in BUILTINS and name not in module.global_makers:
        return Value(what=Dotted(name))
    if name in module.global_makers or run.program.sharing.global_writers(name):
        path = ("@" + name,)
        owner = program.objects.class_at(None, path)
        return Value(
            tokens=run.read(path, at), path=path, what=Instance(owner) if owner is not None else None
        )
    return NOTHING


def _class(run: Interpretation, name: str) -> Value:
    """A class of the module; from inside it, its attributes are those of the object itself."""
    outline = run.program.module.classes[name]
    path = (SELF,) if run.unit.owner is outline else ("@" + name,)
    return Value(path=path, what=ClassObject(outline))


def bind(run: Interpretation, name: str, value: Value, at: int) -> None:
    """Assign to a plain name."""
    if run.body.is_local(name):
        run.state.env[name] = value
    elif name in run.body.declared_global:
        write(run, ("@" + name,), value, at)
    elif run.unit.defining(name) is not None:
        write(run, ("^" + name,), value, at)
