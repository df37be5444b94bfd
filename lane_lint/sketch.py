"""A sketch of one function from its `ast`: what it reads, writes, calls, starts, and where it suspends.

A sketch is taken of every definition of a gated module, so it is one loop over the nodes with a
table from node type to what to note.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

MUTATORS = frozenset(
    "append appendleft add update pop popleft popitem remove discard clear setdefault extend extendleft insert "
    "sort reverse rotate intersection_update difference_update symmetric_difference_update move_to_end".split()
)
STARTERS = frozenset(
    {
        "create_task",
        "ensure_future",
        "start_soon",
        "start_detached",
        "run_coroutine_threadsafe",
        "call_soon",
        "call_later",
        "call_at",
        "call_soon_threadsafe",
        "run_in_executor",
        "spawn",
        "add_task",
    }
)


@dataclass(slots=True)
class Write:
    """A write of `self.attribute` or deeper; `link` is "" for the attribute itself, `[]` for entries, `.name`."""

    attribute: str
    link: str
    line: int
    operation: str = ""
    is_reset: bool = False


@dataclass(slots=True)
class Sketch:
    """What a function (with what is nested in it) touches. Names of attributes are those behind self.

    Attributes:
        other_writes: Attribute names stored on anything that is not self.
        free_writes: Plain names rebound under `global` or `nonlocal`, or mutated in place.
        suspensions: Lines of `await`, `async for`, `async with` and `yield`.
        references: Own methods that are mentioned without being called.
    """

    self_name: str | None = None
    reads: dict[str, int] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    other_writes: set[str] = field(default_factory=set)
    free_writes: dict[str, int] = field(default_factory=dict)
    own_calls: set[str] = field(default_factory=set)
    name_calls: set[str] = field(default_factory=set)
    method_calls: set[str] = field(default_factory=set)
    references: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)
    starts_tasks: bool = False
    suspensions: list[int] = field(default_factory=list)
    plain_withs: list[int] = field(default_factory=list)
    acquires: bool = False
    declared: set[str] = field(default_factory=set)
    attribute_values: list[tuple[str, ast.expr | None, ast.expr | None]] = field(default_factory=list)
    attribute_items: list[tuple[str, ast.expr]] = field(default_factory=list)
    name_items: list[tuple[str, ast.expr]] = field(default_factory=list)
    has_nested: bool = False
    resets: set[int] = field(default_factory=set)


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` for a chain of names; a call or subscript stands for what it is made from."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Name):
            parts.append(node.id)
            return ".".join(reversed(parts))
        else:
            return None


def sketch_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Sketch:
    """One loop over every node of the definition."""
    arguments = (*node.args.posonlyargs, *node.args.args)
    sketch = Sketch(self_name=arguments[0].arg if arguments else None)
    pending: list[Any] = list(node.body)
    notes = _NOTES
    while pending:
        current = pending.pop()
        if note := notes.get(type(current)):
            note(sketch, current)
        for name in current._fields:
            value = getattr(current, name)
            if isinstance(value, list):
                pending.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST) and name != "ctx":
                pending.append(value)
    return sketch


def _self_attribute(sketch: Sketch, node: ast.expr) -> tuple[str, str] | None:
    """(attribute, first link behind it) of an expression that leads through self, else None."""
    link = ""
    while True:
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name):
                is_own = node.value.id in (sketch.self_name, "self", "cls")
                return (node.attr, link) if is_own else None
            link = f".{node.attr}"
            node = node.value
        elif isinstance(node, ast.Subscript):
            link = "[]"
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return None


def _base_name(node: ast.expr) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _note_write(
    sketch: Sketch, node: ast.expr, line: int, link: str | None = None, whole: ast.expr | None = None
) -> None:
    target = whole or node
    if found := _self_attribute(sketch, node):
        attribute, own_link = found
        is_reset = id(target) in sketch.resets or isinstance(getattr(target, "ctx", None), ast.Del)
        sketch.writes.append(Write(attribute, link or own_link, line, is_reset=is_reset))
        return
    if isinstance(node, ast.Attribute):
        sketch.other_writes.add(node.attr)
    if (name := _base_name(node)) and not (isinstance(node, ast.Name) and link is None):
        sketch.free_writes.setdefault(name, line)


def _note_attribute(sketch: Sketch, node: ast.Attribute) -> None:
    if not isinstance(node.ctx, ast.Load):
        _note_write(sketch, node, node.lineno)
    elif isinstance(node.value, ast.Name) and node.value.id in (sketch.self_name, "self", "cls"):
        sketch.reads.setdefault(node.attr, node.lineno)
        sketch.references.add(node.attr)
    elif node.attr in MUTATORS and (found := _self_attribute(sketch, node.value)):
        # Also without a call: `call_later(delay, self.units.pop, key)` will mutate.
        sketch.writes.append(Write(found[0], "[]", node.lineno, node.attr))
    elif node.attr in MUTATORS and (name := _base_name(node.value)):
        sketch.free_writes.setdefault(name, node.lineno)


def _note_subscript(sketch: Sketch, node: ast.Subscript) -> None:
    if not isinstance(node.ctx, ast.Load):
        _note_write(sketch, node.value, node.lineno, "[]", node)


def _note_call(sketch: Sketch, node: ast.Call) -> None:
    function = node.func
    name = None
    if isinstance(function, ast.Attribute):
        name = function.attr
        if isinstance(function.value, ast.Name) and function.value.id in (sketch.self_name, "self", "cls"):
            sketch.own_calls.add(name)
        elif isinstance(function.value, ast.Call) and dotted(function.value) == "super":
            sketch.own_calls.add(name)
        else:
            sketch.method_calls.add(name)
            if name == "acquire":
                sketch.acquires = True
            if name == "setdefault" and len(node.args) == 2:
                _note_item(sketch, function.value, node.args[1])
    elif isinstance(function, ast.Name):
        name = function.id
        sketch.name_calls.add(name)
        if name == "setattr" and node.args:
            _note_setattr(sketch, node)
    if name in STARTERS:
        _note_start(sketch, node)


def _note_setattr(sketch: Sketch, node: ast.Call) -> None:
    target, *rest = node.args
    if isinstance(target, ast.Name) and rest and isinstance(rest[0], ast.Constant):
        _note_write(sketch, ast.Attribute(target, str(rest[0].value), ast.Store()), node.lineno)


def _note_start(sketch: Sketch, node: ast.Call) -> None:
    sketch.starts_tasks = True
    for argument in node.args:
        target = argument.func if isinstance(argument, ast.Call) else argument
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            sketch.started.add(target.attr)
        elif isinstance(target, ast.Name):
            sketch.started.add(target.id)


def _note_item(sketch: Sketch, container: ast.expr, value: ast.expr) -> None:
    if found := _self_attribute(sketch, container):
        sketch.attribute_items.append((found[0], value))
    elif isinstance(container, ast.Name):
        sketch.name_items.append((container.id, value))


def _note_assign(sketch: Sketch, node: ast.Assign) -> None:
    for target in node.targets:
        _note_value(sketch, target, node.value, None)


def _note_annotated(sketch: Sketch, node: ast.AnnAssign) -> None:
    _note_value(sketch, node.target, node.value, node.annotation)


def _is_reset(value: ast.expr | None) -> bool:
    """None, False, 0 or an empty display or string."""
    if isinstance(value, ast.Constant):
        return not value.value
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return not value.elts
    return isinstance(value, ast.Dict) and not value.keys


def _note_value(
    sketch: Sketch, target: ast.expr, value: ast.expr | None, annotation: ast.expr | None
) -> None:
    if _is_reset(value):
        sketch.resets.add(id(target))
    if isinstance(target, ast.Attribute) and (found := _self_attribute(sketch, target)) and not found[1]:
        sketch.attribute_values.append((found[0], value, annotation))
    elif isinstance(target, ast.Subscript) and value is not None:
        _note_item(sketch, target.value, value)
    elif isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
        for number, part in enumerate(target.elts):
            _note_value(sketch, part, values[number] if values else None, None)


def _note_suspension(sketch: Sketch, node: ast.expr | ast.stmt) -> None:
    sketch.suspensions.append(node.lineno)


def _note_async_comprehension(sketch: Sketch, node: ast.comprehension) -> None:
    if node.is_async:
        sketch.suspensions.append(node.iter.lineno)


def _note_with(sketch: Sketch, node: ast.With) -> None:
    sketch.plain_withs.append(node.lineno)


def _note_declared(sketch: Sketch, node: ast.Global | ast.Nonlocal) -> None:
    sketch.declared.update(node.names)
    for name in node.names:
        sketch.free_writes.setdefault(name, node.lineno)


def _note_nested(sketch: Sketch, node: ast.AST) -> None:
    sketch.has_nested = True


_NOTES: dict[type[ast.AST], Callable[[Sketch, Any], None]] = {
    ast.Attribute: _note_attribute,
    ast.Subscript: _note_subscript,
    ast.Call: _note_call,
    ast.Assign: _note_assign,
    ast.AnnAssign: _note_annotated,
    ast.Await: _note_suspension,
    ast.AsyncFor: _note_suspension,
    ast.AsyncWith: _note_suspension,
    ast.Yield: _note_suspension,
    ast.comprehension: _note_async_comprehension,
    ast.With: _note_with,
    ast.Global: _note_declared,
    ast.Nonlocal: _note_declared,
    ast.FunctionDef: _note_nested,
    ast.AsyncFunctionDef: _note_nested,
    ast.Lambda: _note_nested,
}
