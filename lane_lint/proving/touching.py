"""What each function of a module reads and writes, by the names of attributes and variables.

Coarser than the facts of a finding on purpose: who touches the same name may run beside it, and
whether the two really meet on one object is what running them shows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
CHANGING = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "setdefault",
        "update",
    ]
)
LOOKING = frozenset({"items", "keys", "values", "get"})
# The items of the object itself, where a class is a collection.
OWN_ITEMS = "[items]"


@dataclass
class Touching:
    """One function.

    Attributes:
        name: Its qualified name, as Python spells it.
        calls: Names of the functions and methods it calls or hands to a task.
        started: Those among them that run as tasks of their own.
        waits: Whether it has an await of its own.
    """

    name: str
    node: FunctionNode
    owner: str
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)
    waits: bool = False

    @property
    def last_name(self) -> str:
        """The name that callers use."""
        return self.node.name


def functions_of(tree: ast.Module) -> list[Touching]:
    """Each function of the module, in the order of the text."""
    return list(_functions(tree, "", "", frozenset(_globals(tree))))


def _globals(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        for node in ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _functions(node: ast.AST, prefix: str, owner: str, outer: frozenset[str]) -> Iterator[Touching]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.", f"{prefix}{child.name}", outer)
        elif isinstance(child, FunctionNode):
            found = Touching(f"{prefix}{child.name}", child, owner)
            for part in _own_nodes(child):
                _note(found, part, outer)
            yield found
            inner = outer | {one.id for one in ast.walk(child) if isinstance(one, ast.Name)}
            yield from _functions(child, f"{prefix}{child.name}.<locals>.", "", inner)
        else:
            yield from _functions(child, prefix, owner, outer)


def _own_nodes(function: FunctionNode) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions in it; lambdas belong to it."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FunctionNode | ast.ClassDef):
            pending += ast.iter_child_nodes(node)


def _note(found: Touching, node: ast.AST, outer: frozenset[str]) -> None:
    if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
        found.waits = True
    if isinstance(node, ast.With | ast.AsyncWith):  # who takes the same lock has to do with it
        for item in node.items:
            if isinstance(item.context_expr, ast.Attribute):
                found.writes.add(item.context_expr.attr)
    if isinstance(node, ast.Attribute):
        kept = found.writes if isinstance(node.ctx, ast.Store | ast.Del) else found.reads
        kept.add(node.attr)
    elif isinstance(node, ast.Name) and node.id in outer:
        kept = found.writes if isinstance(node.ctx, ast.Store | ast.Del) else found.reads
        kept.add(node.id)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        found.writes.add(_last(node.value))
    elif isinstance(node, ast.Call):
        _note_call(found, node)


def _note_call(found: Touching, node: ast.Call) -> None:
    called = _last(node.func)
    found.calls.add(called)
    for argument in node.args:
        if isinstance(argument, ast.Call):
            if called in ("create_task", "ensure_future", "start_detached"):
                found.started.add(_last(argument.func))
        elif isinstance(argument, ast.Attribute):
            found.calls.add(argument.attr)
    if isinstance(node.func, ast.Attribute):
        owner = OWN_ITEMS if _is_self(node.func.value) else _last(node.func.value)
        if called in CHANGING or called == "acquire":
            found.writes.add(owner)
        elif called in LOOKING:
            found.reads.add(owner)
    for argument in node.args:  # call_later(delay, self.units.pop, key)
        if isinstance(argument, ast.Attribute) and argument.attr in CHANGING:
            found.writes.add(_last(argument.value))


def _last(node: ast.expr) -> str:
    if _is_self(node):
        return OWN_ITEMS
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")
