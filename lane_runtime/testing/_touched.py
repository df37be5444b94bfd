"""What a line of source reads and writes, as far as its text and the frame tell."""

from __future__ import annotations

import ast
import functools
import linecache
import reprlib
from collections.abc import Iterator
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final, NamedTuple

from lane_runtime.testing._frozen import frozen

_abbreviated: Final = reprlib.Repr()
_abbreviated.maxother = 60
_MISSING: Final = object()
_CHANGING: Final = frozenset(
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
_CODE: Final = (ModuleType, FunctionType, MethodType, BuiltinFunctionType, type)
# Keys whose comparison runs no code of the user.
_PLAIN_KEYS: Final = (str, int, bytes, bool, type(None))
_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Touched(NamedTuple):
    """Paths from a name, such as `self._rows[key]`, that a line reads and writes."""

    reads: tuple[ast.expr, ...]
    writes: tuple[ast.expr, ...]

    def read_in(self, frame: FrameType) -> Iterator[str]:
        """Each read path with its value in `frame`, where that is known without running code."""
        return _shown(self.reads, frame)

    def written_in(self, frame: FrameType) -> Iterator[str]:
        """The same for what is written."""
        return _shown(self.writes, frame)


def touched_by(file: str, line: int) -> Touched:
    """What the statement that begins on this line touches; nothing when its source is not to be had."""
    return _touched_in(file).get(line, Touched((), ()))


@functools.lru_cache(maxsize=64)
def _touched_in(file: str) -> dict[int, Touched]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return {}
    return {
        node.lineno: _touched(list(_header(node))) for node in ast.walk(tree) if isinstance(node, ast.stmt)
    }


def _header(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that run on it itself, not those of its body."""
    if isinstance(statement, _BLOCKS):
        return
    pending: list[ast.AST] = [
        child
        for child in ast.iter_child_nodes(statement)
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
    ]
    while pending:
        node = pending.pop()
        if isinstance(node, _BLOCKS):
            continue
        if isinstance(statement, ast.AugAssign) and node is statement.target:
            yield _as_read(node)
        yield node
        pending += ast.iter_child_nodes(node)


def _as_read(node: ast.AST) -> ast.AST:
    copied = ast.parse(ast.unparse(node), mode="eval").body
    return ast.copy_location(copied, node)


def _touched(nodes: list[ast.AST]) -> Touched:
    reads: dict[str, ast.expr] = {}
    writes: dict[str, ast.expr] = {}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)}
    for node in nodes:
        if not isinstance(node, ast.Attribute | ast.Subscript):
            continue
        if id(node) in called:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                kept = writes if node.attr in _CHANGING else reads
                kept[ast.unparse(node.value)] = node.value
        elif isinstance(node.ctx, ast.Store | ast.Del):
            writes[ast.unparse(node)] = node
        elif id(node) not in inner:
            reads[ast.unparse(node)] = node
    return Touched(tuple(reads.values()), tuple(writes.values()))


def _shown(paths: tuple[ast.expr, ...], frame: FrameType) -> Iterator[str]:
    for path in paths:
        value = _value(path, frame)
        if value is _MISSING and isinstance(path, ast.Subscript):
            container = _value(path.value, frame)
            if container is not _MISSING:
                yield f"{ast.unparse(path)} (absent)"
        elif value is not _MISSING and not isinstance(value, _CODE):
            yield f"{ast.unparse(path)} = {_short(value)}"


def _value(path: ast.expr, frame: FrameType) -> Any:
    """The value of a path, looked up in attributes and built-in containers only: no code runs."""
    if isinstance(path, ast.Constant):
        return path.value
    if isinstance(path, ast.Name):
        return frame.f_locals.get(path.id, frame.f_globals.get(path.id, _MISSING))
    if isinstance(path, ast.Attribute):
        owner = _value(path.value, frame)
        try:
            attributes = object.__getattribute__(owner, "__dict__")
        except AttributeError:
            return _MISSING
        return attributes.get(path.attr, _MISSING)
    if isinstance(path, ast.Subscript):
        return _item(_value(path.value, frame), _value(path.slice, frame))
    return _MISSING


def _item(container: object, key: object) -> Any:
    if isinstance(container, dict):
        return container.get(key, _MISSING) if type(key) in _PLAIN_KEYS else _MISSING
    if (
        isinstance(container, list | tuple)
        and isinstance(key, int)
        and -len(container) <= key < len(container)
    ):
        return container[key]
    return _MISSING


def _short(value: object) -> str:
    try:
        return _abbreviated.repr(frozen(value, depth=3))
    except Exception as error:  # somebody's attribute
        return f"<{type(value).__name__}, which fails with {type(error).__name__} when looked at>"
