"""A module's interface: what other modules need of its outline, as plain JSON, and back.

Names stay as the module itself resolves them; whoever reads an interface knows the module's dotted
name and puts it in front of what is the module's own. Each function and each class is a text of its
own, since most are never asked for.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, TypeAlias

from lane_lint.foreign import Origin
from lane_lint.outline import ClassOutline, Definition, FunctionOutline, ModuleOutline
from lane_lint.sketch import LoopLines, Sketch, Write

Json: TypeAlias = dict[str, Any]

# What of a sketch holds syntax, or serves only while it is made.
_OF_THE_TREE = frozenset(
    {
        "attribute_values",
        "attribute_items",
        "name_items",
        "local_values",
        "classes",
        "imports",
        "resets",
        "line",
    }
)


def interface_of(module: ModuleOutline) -> Json:
    """What a module lends: its imports, functions, classes, and what its globals are made from."""
    return {
        "imports": module.imports,
        "stars": module.stars,
        "functions": {name: json.dumps(_function(f)) for name, f in module.functions.items()},
        "classes": {name: json.dumps(_class(c)) for name, c in module.classes.items()},
        "globals": _makers(module.global_makers),
        "items": _makers(module.global_item_makers),
    }


def restored_module(interface: Json) -> ModuleOutline:
    """A module from its own interface, to be analysed with its text; of its syntax only places are there."""
    module = ModuleOutline(imports=interface["imports"], stars=interface["stars"])
    module.functions = {n: restored_function(f, None) for n, f in interface["functions"].items()}
    module.classes = {n: restored_class(c) for n, c in interface["classes"].items()}
    module.global_makers = _restored_makers(interface["globals"])
    module.global_item_makers = _restored_makers(interface["items"])
    for each in module.classes.values():
        each.parents = [module.classes[base] for base in each.bases if base in module.classes]
    return module


def restored_function(text: str, origin: Origin | None) -> FunctionOutline:
    """A plain function of an interface."""
    return _restored_function(json.loads(text), None, origin)


def _restored_function(found: Json, owner: ClassOutline | None, origin: Origin | None) -> FunctionOutline:
    """A function; of its syntax only the name, the parameters and the lines are there."""
    # Called as anything: from 3.12 on they take `type_params`, which nobody reads here.
    kind: Callable[..., Definition] = ast.AsyncFunctionDef if found["async"] else ast.FunctionDef
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in found["parameters"]],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )
    body: list[ast.stmt] = [ast.Pass() if found["stub"] else ast.Return()]
    first, line, last = found["lines"]
    decorators: list[ast.expr] = [ast.Name("", ast.Load(), lineno=first)] if first != line else []
    node = kind(found["name"], arguments, body, decorators, lineno=line, end_lineno=last)
    return FunctionOutline(
        found["name"], node, owner, tuple(found["decorators"]), _restored_sketch(found["sketch"]), origin
    )


def restored_class(text: str, origin: Origin | None = None) -> ClassOutline:
    """A class of an interface, its parents apart."""
    found = json.loads(text)
    kind: Callable[..., ast.ClassDef] = ast.ClassDef
    node = kind(name=found["name"], bases=[], keywords=[], body=[], decorator_list=[])
    outline = ClassOutline(found["name"], node, tuple(found["bases"]), origin=origin)
    outline.methods = {n: _restored_function(f, outline, origin) for n, f in found["methods"].items()}
    outline.setters = {n: _restored_function(f, outline, origin) for n, f in found["setters"].items()}
    outline.makers = _restored_makers(found["makers"])
    outline.item_makers = _restored_makers(found["items"])
    return outline


def _function(function: FunctionOutline) -> Json:
    arguments = function.node.args
    return {
        "name": function.name,
        "lines": [_first_line(function.node), function.node.lineno, function.node.end_lineno],
        "async": function.is_async,
        "decorators": function.decorators,
        "stub": function.is_stub,
        "parameters": [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)],
        "sketch": _sketch(function.sketch),
    }


def _class(outline: ClassOutline) -> Json:
    return {
        "name": outline.name,
        "bases": outline.bases,
        "methods": {name: _function(f) for name, f in outline.methods.items()},
        "setters": {name: _function(f) for name, f in outline.setters.items()},
        "makers": _makers(outline.makers),
        "items": _makers(outline.item_makers),
    }


def _makers(makers: Mapping[str, set[str]]) -> dict[str, list[str]]:
    return {name: sorted(made) for name, made in makers.items()}


def _first_line(node: Definition) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _restored_makers(found: dict[str, list[str]]) -> dict[str, set[str]]:
    return {name: set(made) for name, made in found.items()}


def _sketch(sketch: Sketch) -> Json:
    """The fields that say something."""
    return {
        each.name: _plain(value)
        for each in fields(Sketch)
        if each.name not in _OF_THE_TREE and (value := getattr(sketch, each.name))
    }


def _plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, (Write, LoopLines)):
        return [_plain(getattr(value, each.name)) for each in fields(value)]
    return value


def _restored_sketch(found: Json) -> Sketch:
    return Sketch(**{e.name: _restored(e, found[e.name]) for e in fields(Sketch) if e.name in found})


def _restored(of: Field[Any], value: Any) -> Any:
    if of.name in ("writes", "name_writes"):
        return [Write(*each) for each in value]
    if of.name == "loops":
        return [LoopLines(first, last, *map(frozenset, rest)) for first, last, *rest in value]
    return set(value) if of.default_factory is not MISSING and of.default_factory is set else value
