"""What attributes and globals are made from, as values and annotations tell: `asyncio.Lock`, `dict`, an own class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.sketch import dotted

if TYPE_CHECKING:
    from lane_lint.outline import Definition, ModuleOutline


def told_by_parameter(
    node: Definition, value: ast.expr | None, annotation: ast.expr | None
) -> tuple[ast.expr | None, ast.expr | None]:
    """A value and its annotation; where the value names a parameter, that one's annotation tells instead.

    `self._lock = lock` tells what `lock: Lock` is, and nothing where `lock` has no annotation.
    """
    if isinstance(value, ast.Name):
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if argument.arg == value.id:
                return None, annotation or argument.annotation
    return value, annotation


def makers_of(module: ModuleOutline, value: ast.expr | None, annotation: ast.expr | None) -> Iterator[str]:
    """What a value is made from: dotted names of constructors and annotations, `dict` and the like for displays."""
    if annotation is not None:
        yield from (module.resolve(name) for name in _annotated_types(annotation))
    if isinstance(value, ast.Call):
        name = dotted(value.func)
        if name is None:
            return
        yield module.resolve(name) + _permits(value)
        yield from _shared_lock(value)
        if _is_bounded_queue(value):
            yield module.resolve(name) + "(bounded)"
        for keyword in value.keywords:
            if keyword.arg in ("default_factory", "factory"):
                yield from _made_by_factory(module, keyword.value)
    elif isinstance(value, (ast.BoolOp, ast.IfExp)):
        parts = value.values if isinstance(value, ast.BoolOp) else [value.body, value.orelse]
        for part in parts:
            yield from makers_of(module, part, None)
    elif isinstance(value, (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)):
        yield type(value).__name__.removesuffix("Comp").lower()
    elif isinstance(value, (ast.Name, ast.Attribute)):
        name = dotted(value)
        if name is not None:
            yield module.resolve(name)


def _made_by_factory(module: ModuleOutline, factory: ast.expr) -> Iterator[str]:
    """What a factory gives: a class, or a lambda around a call of one."""
    if isinstance(factory, ast.Lambda):
        yield from makers_of(module, factory.body, None)
    elif made := dotted(factory):
        yield module.resolve(made)


def _shared_lock(call: ast.Call) -> Iterator[str]:
    """A condition that is given a lock of the object is that lock: `=_lock` for `Condition(self._lock)`."""
    if (dotted(call.func) or "").endswith("Condition") and call.args:
        lock = call.args[0]
        if isinstance(lock, ast.Attribute) and isinstance(lock.value, ast.Name):
            yield f"={lock.attr}"


def _permits(call: ast.Call) -> str:
    """A semaphore with one permit is a lock, one with none a signal: their makers are marked `(1)` and `(0)`."""
    name = dotted(call.func) or ""
    is_limiter = name.endswith("CapacityLimiter")
    if not is_limiter and not name.endswith("Semaphore"):
        return ""
    first = (
        call.args[0]
        if call.args
        else next(
            (k.value for k in call.keywords if k.arg in ("value", "initial_value", "total_tokens")), None
        )
    )
    if first is None:
        return "" if is_limiter else "(1)"
    permits = first.value if isinstance(first, ast.Constant) else None
    return f"({permits})" if permits in (0, 1) else ""


def _is_bounded_queue(call: ast.Call) -> bool:
    """Whether a queue is made with a size, so that putting something in may wait; marked `(bounded)`."""
    if not (dotted(call.func) or "").endswith("Queue"):
        return False
    sizes = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "maxsize")]
    return any(not (isinstance(size, ast.Constant) and size.value == 0) for size in sizes)


def item_makers_of(
    module: ModuleOutline, value: ast.expr | None, annotation: ast.expr | None
) -> Iterator[str]:
    """What the entries are: `defaultdict(asyncio.Lock)`, `{k: Lock() for k in keys}`, `dict[str, Lock]`."""
    if isinstance(annotation, ast.Subscript) and _is_collection(annotation.value):
        inner = annotation.slice
        last = inner.elts[-1] if isinstance(inner, ast.Tuple) and inner.elts else inner
        yield from (module.resolve(name) for name in _annotated_types(last))
    if isinstance(value, ast.Call) and (dotted(value.func) or "").endswith(
        ("defaultdict", "WeakValueDictionary")
    ):
        for argument in value.args:
            target = argument.body if isinstance(argument, ast.Lambda) else argument
            name = dotted(target.func if isinstance(target, ast.Call) else target)
            if name:
                yield module.resolve(name)
    elif isinstance(value, ast.DictComp):
        yield from makers_of(module, value.value, None)
    elif isinstance(value, (ast.ListComp, ast.SetComp)):
        yield from makers_of(module, value.elt, None)
    elif isinstance(value, (ast.Dict, ast.List, ast.Set, ast.Tuple)):
        for each in value.values if isinstance(value, ast.Dict) else value.elts:
            yield from makers_of(module, each, None)


def _is_collection(container: ast.expr) -> bool:
    """Whether `container[...]` tells what the entries are."""
    return (
        (dotted(container) or "")
        .rpartition(".")[2]
        .lower()
        .endswith(("dict", "list", "set", "mapping", "sequence", "deque"))
    )


def annotated_names(text: str) -> Iterator[str]:
    """The names of an annotation's alternatives, as `makers_of` reads them."""
    yield from _annotated_types(ast.Constant(text))


def _annotated_types(annotation: ast.expr) -> Iterator[str]:
    """The names of an annotation's alternatives: `Lock`, `Lock | None`, `Optional[Lock]`, `"Lock"`."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return
    if isinstance(annotation, ast.BinOp):
        yield from _annotated_types(annotation.left)
        yield from _annotated_types(annotation.right)
    elif isinstance(annotation, ast.Subscript):
        container = dotted(annotation.value) or ""
        if container.rpartition(".")[2] in ("Optional", "ClassVar", "Final", "Annotated"):
            inner = annotation.slice
            yield from _annotated_types(
                inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
            )
        elif container:
            yield container
        if container.rpartition(".")[2] == "Final":
            yield "typing.Final"
    elif name := dotted(annotation):
        yield name
