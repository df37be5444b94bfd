"""Values that come of several: where ways meet, and where one is computed from others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lane_lint.flow.values import (
    KEY,
    Attempt,
    Constant,
    Instance,
    Lane,
    Lock,
    Made,
    Pending,
    Readiness,
    Several,
    Value,
    What,
    Work,
    cut,
)

if TYPE_CHECKING:
    from lane_lint.model.path import Path


def merge(left: Value, right: Value) -> Value:
    """What is known of a value that is one or the other."""
    if left is right or left == right:
        return left
    return Value(
        cut(left.tokens | right.tokens),
        left.path if left.path == right.path else _path_of_lane(left, right),
        left.fresh and right.fresh,
        cut(left.decided | right.decided),
        left.waits | right.waits,
        left.what if left.what == right.what else _usable(left.what, right.what),
        left.parameters | right.parameters,
        left.contains | right.contains | _one_of(left, right),
    )


def _one_of(left: Value, right: Value) -> frozenset[Path]:
    """The shared objects that a value of two ways may be, when its path can no longer tell."""
    if left.path == right.path:
        return frozenset()
    return frozenset(
        v.path for v in (left, right) if v.path is not None and len(v.path) > 1 and v.what != KEY
    )


def _path_of_lane(left: Value, right: Value) -> Path | None:
    """A lane that is made where a registry lacks it is the registry's from then on."""
    if isinstance(left.what, Lane) or isinstance(right.what, Lane):
        return left.path if right.path is None else right.path if left.path is None else None
    return None


def _usable(left: What | None, right: What | None) -> What | None:
    """A lock or a future that is None on one side is still that where it is used, and so are many that may be none."""
    for one, other in ((left, right), (right, left)):
        is_nothing = other is None or (isinstance(other, Constant) and other.reset)
        if isinstance(one, (Work, Several)) and is_nothing:
            return one
        if isinstance(one, (Lock, Lane)) and (
            other is None or (isinstance(other, Constant) and other.text == "None")
        ):
            return one
    return None


def is_one_of_several(value: Value) -> bool:
    """Whether the value itself may be an object that it is said to contain: it is no new collection of them."""
    return bool(value.contains) and (not value.fresh or isinstance(value.what, Instance))


def combine(values: list[Value], *, fresh: bool) -> Value:
    """A new value computed from all of `values`."""
    if not any(v.tokens or v.decided or v.waits or v.parameters or v.what for v in values):
        return Value(fresh=fresh)
    if len(values) == 1 and not fresh:
        only = values[0]
        return Value(only.tokens, None, False, only.decided, only.waits, None, only.parameters)
    return Value(
        cut(frozenset().union(*(v.tokens for v in values))),
        None,
        fresh,
        cut(frozenset().union(*(v.decided for v in values))),
        frozenset().union(*(v.waits for v in values)),
        _pending_of(values) or _kept_in(values, fresh=fresh),
        frozenset().union(*(v.parameters for v in values)),
        _contained(values) if fresh else frozenset(),
    )


def _contained(values: list[Value]) -> frozenset[Path]:
    """The shared objects that a new collection of these values has in it."""
    paths = frozenset(v.path for v in values if v.path is not None and len(v.path) > 1 and v.what != KEY)
    return paths.union(*(v.contains for v in values))


def _pending_of(values: list[Value]) -> Pending | None:
    """Coroutines put into a display or handed to `gather` are waited for together."""
    calls = tuple(call for v in values if isinstance(v.what, Pending) for call in v.what.calls)
    return Pending(calls) if calls else None


def _kept_in(values: list[Value], *, fresh: bool) -> Work | Several | None:
    """Futures, threads and the like put into a display or a comprehension are waited for one by one later."""
    for value in values:
        if isinstance(value.what, (Work, Several)):
            return value.what
        if fresh and isinstance(value.what, Made) and value.what.name.rpartition(".")[2][:1].isupper():
            return Several(value.what)
    return None


def negated(what: What | None) -> What | None:
    """The opposite of an answer that is waited for in a test; None for what is no such answer."""
    return replace(what, when=not what.when) if isinstance(what, (Attempt, Readiness)) else None
