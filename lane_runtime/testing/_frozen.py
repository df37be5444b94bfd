"""Values that can be compared after the run that made them: plain, nested, without identities."""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Iterator, Mapping, Set
from types import ModuleType
from typing import Any, Final

DEPTH: Final = 8
MOST_PARTS: Final = 5_000

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
# What these libraries make has no content to compare: locks, tasks, lanes, loggers.
_OPAQUE = frozenset({"asyncio", "_asyncio", "threading", "_thread", "lane_runtime", "logging", "weakref"})


class Thing(tuple[Any, ...]):
    """An object as the name of its type and its attributes; printed as a call."""

    __slots__ = ()

    def __repr__(self) -> str:
        name, attributes = self[0], self[1:]
        return f"{name}({', '.join(f'{key}={value!r}' for key, value in attributes)})"


class Text(str):
    """A text that stands for something else, such as `<Lock>`: printed without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


_CUT: Final = Text("...")


def frozen(value: object, depth: int = DEPTH) -> Any:
    """A picture of `value` that compares by content and does not change with it.

    Objects become their type's name and attributes; what has neither content nor attributes becomes
    the name of its type, so that two locks, say, are equal. An object may say how it is pictured by
    a method `__frozen__`, which returns the value to picture in its place.

    Args:
        depth: How deep to look; what lies deeper, or after very many parts, is `...`.
    """
    return _Camera().picture(value, depth, ())


class _Camera:
    """One picture being taken."""

    def __init__(self) -> None:
        self._parts = 0

    def picture(self, value: object, depth: int, above: tuple[int, ...]) -> Any:
        self._parts += 1
        kind = type(value)
        if kind in _PLAIN or kind is Thing or kind is Text:
            return value
        if depth == 0 or id(value) in above or self._parts > MOST_PARTS:
            return _CUT
        below = (*above, id(value))
        own = getattr(kind, "__frozen__", None)
        if own is not None:
            return self.picture(own(value), depth - 1, below)
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, Mapping):
            return {
                self._key(key, depth, below): self.picture(item, depth - 1, below)
                for key, item in value.items()
            }
        if isinstance(value, list | deque):
            return [self.picture(item, depth - 1, below) for item in value]
        if isinstance(value, tuple):
            return tuple(self.picture(item, depth - 1, below) for item in value)
        if isinstance(value, Set):
            return sorted((self.picture(item, depth - 1, below) for item in value), key=repr)
        if isinstance(value, BaseException):
            return Thing((type(value).__name__, ("args", self.picture(value.args, depth - 1, below))))
        return self._object(value, depth, below)

    def _key(self, key: object, depth: int, above: tuple[int, ...]) -> Any:
        made = self.picture(key, depth - 1, above)
        try:
            hash(made)
        except TypeError:
            return Text(repr(made))
        return made

    def _object(self, value: object, depth: int, above: tuple[int, ...]) -> Any:
        kind = type(value)
        if isinstance(value, type | ModuleType) or callable(value):
            name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
            return Text(name if isinstance(name, str) else _ADDRESS.sub("", kind.__qualname__))
        if kind.__module__.partition(".")[0] in _OPAQUE:
            return Text(f"<{kind.__qualname__}>")
        attributes = sorted(dict(_attributes(value)).items())
        return Thing(
            (kind.__qualname__, *((key, self.picture(item, depth - 1, above)) for key, item in attributes))
        )


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    if dataclasses.is_dataclass(value):
        yield from ((field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value))
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            if not name.startswith("__") and hasattr(value, name):
                yield name, getattr(value, name)
    yield from getattr(value, "__dict__", {}).items()
