"""What may run beside the finding's function: itself, and whoever writes what it touches."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from lane_lint.proving.touching import FunctionNode, Touching, functions_of

MOST = 6
_TEARDOWN = frozenset(
    [
        "close",
        "aclose",
        "stop",
        "shutdown",
        "disconnect",
        "teardown",
        "terminate",
        "dispose",
        "__aexit__",
        "__exit__",
        "__del__",
        "destroy",
    ]
)
_OPENING = frozenset({"__aenter__", "__enter__"})
_NO_CALL = frozenset(
    {"__init__", "__new__", "__post_init__", "__repr__", "__str__", "__aenter__", "__enter__"}
)


@dataclass(frozen=True)
class Pairing:
    """A function, and those that may run beside it.

    Attributes:
        subject: Qualified name of the function.
        partners: Qualified names, the subject first.
        fillers: Those that may have been called before.
        fails: Built-in exceptions that handlers around its waits name.
    """

    subject: str
    partners: tuple[str, ...]
    fillers: tuple[str, ...]
    fails: tuple[str, ...]


def pairing_at(text: str, line: int) -> Pairing | None:
    """The function around a line and its partners; None outside of functions."""
    functions = functions_of(ast.parse(text))
    around = [one for one in functions if _first_line(one.node) <= line <= (one.node.end_lineno or line)]
    if not around:
        return None
    subject = around[-1]
    wide = {one.name: _with_helpers(one, functions) for one in functions}
    touched = wide[subject.name][0] | wide[subject.name][1]
    writers = [
        one for one in functions if one is not subject and wide[one.name][1] & touched and _can_be_called(one)
    ]
    entries = _entries(writers, functions, subject)
    entries.sort(key=lambda one: (one.owner != subject.owner, one.node.lineno))
    inner = _sibling_scope(subject.name)
    kept = [one.name for one in entries if "<locals>" not in one.name or _sibling_scope(one.name) == inner]
    partners = (subject.name, *kept[: MOST - 1])
    opening = [one.name for one in functions if one.last_name in _OPENING and wide[one.name][1] & touched]
    return Pairing(subject.name, partners, (*opening, *partners), _failures(subject.node, line))


def _first_line(node: FunctionNode) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _sibling_scope(name: str) -> str:
    return name.rpartition("<locals>.")[0]


def _can_be_called(one: Touching) -> bool:
    return one.last_name not in _NO_CALL and one.last_name not in _TEARDOWN


def _with_helpers(function: Touching, functions: Iterable[Touching]) -> tuple[set[str], set[str]]:
    """What a function reads and writes, through the helpers of the module that it calls too."""
    reads, writes = set(function.reads), set(function.writes)
    pending, seen = [function], {function.name}
    while pending:
        current = pending.pop()
        for other in functions:
            if other.last_name in current.calls and other.name not in seen:
                seen.add(other.name)
                pending.append(other)
                reads |= other.reads
                writes |= other.writes
    return reads, writes


def _entries(writers: list[Touching], functions: list[Touching], subject: Touching) -> list[Touching]:
    """Those that are called from outside, and tasks that somebody else than the subject or a constructor starts.

    Private ones that others of the module call are left to those; what a constructor starts runs anyway.
    """
    own = {subject.name} | {one.name for one in functions if one.last_name in subject.calls}
    starting = [one for one in functions if one.name not in own and one.last_name != "__init__"]
    started = {name for one in starting for name in one.started}
    called = {name for one in functions for name in one.calls}
    return [
        one
        for one in writers
        if not one.last_name.startswith("_") or one.last_name in started or one.last_name not in called
    ]


def _failures(function: FunctionNode, line: int) -> tuple[str, ...]:
    """What the handlers around the act catch, where it is in one; else nothing fails."""
    found: dict[str, None] = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Try):
            continue
        if not any(handler.lineno <= line <= (handler.end_lineno or 0) for handler in node.handlers):
            continue
        for handler in node.handlers:
            for name in _names(handler.type):
                found[name] = None
    import builtins

    return tuple(
        name
        for name in found
        if isinstance(getattr(builtins, name, None), type) and issubclass(getattr(builtins, name), Exception)
    )


def _names(node: ast.expr | None) -> Iterable[str]:
    if isinstance(node, ast.Tuple):
        return [name for element in node.elts for name in _names(element)]
    return [node.id] if isinstance(node, ast.Name) else []
