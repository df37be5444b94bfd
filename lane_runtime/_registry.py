"""`ConcurrentMap`: one map of independent entries, for any number of threads and tasks (class C1)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar, overload

from lane_runtime.errors import LaneMisuseError

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

_ABSENT: Final = object()


class _Making:
    """A value that one thread is making while others wait for it."""

    __slots__ = ("is_over", "thread")

    def __init__(self) -> None:
        self.is_over = threading.Event()
        self.thread = threading.get_ident()


class ConcurrentMap(Generic[K, V]):
    """A map whose single operations are atomic in every build of Python; nothing in it suspends.

    Only for lookups, additions and removals of independent entries. As soon as two entries, or an
    entry and a field, must agree with each other, a lane has to own them all.

    Source: state lane contract, section 4, class C1.
    """

    __slots__ = ("_entries", "_making", "_mutex")

    def __init__(self) -> None:
        self._entries: dict[K, V] = {}
        self._making: dict[K, _Making] = {}
        # Re-entrant: keys compare with code of the user's, which may use the map.
        self._mutex = threading.RLock()

    @overload
    def get(self, key: K) -> V | None: ...
    @overload
    def get(self, key: K, default: D) -> V | D: ...
    def get(self, key: K, default: object = None) -> object:
        """The value of `key`, or `default`."""
        with self._mutex:
            return self._entries.get(key, default)

    def set(self, key: K, value: V) -> None:
        """Put `value` under `key`, whatever was there."""
        with self._mutex:
            self._entries[key] = value

    @overload
    def pop(self, key: K) -> V: ...
    @overload
    def pop(self, key: K, default: D) -> V | D: ...
    def pop(self, key: K, default: object = _ABSENT) -> object:
        """Take the entry of `key` out and give its value; only one of many callers gets it.

        Raises:
            KeyError: There is none, and no default was given.
        """
        with self._mutex:
            if default is _ABSENT:
                return self._entries.pop(key)
            return self._entries.pop(key, default)

    def add_if_absent(self, key: K, value: V) -> bool:
        """Put `value` under `key` if nothing is there; True for the one caller that did."""
        with self._mutex:
            if key in self._entries:
                return False
            self._entries[key] = value
            return True

    def compare_and_set(self, key: K, expected: V, value: V) -> bool:
        """Replace the value of `key` if it is, or equals, `expected`; whether it did."""
        with self._mutex:
            found: object = self._entries.get(key, _ABSENT)
            if found is _ABSENT or not (found is expected or found == expected):
                return False
            self._entries[key] = value
            return True

    def get_or_add(self, key: K, factory: Callable[[], V]) -> V:
        """The value of `key`, made by `factory()` if there is none.

        One thread makes the value, outside of the map's own lock; others that ask for the same
        key wait for it. When the factory fails, its caller gets the error and the next one tries.

        Raises:
            LaneMisuseError: `factory` asked for the very key it is making.
        """
        while True:
            with self._mutex:
                if key in self._entries:
                    return self._entries[key]
                making = self._making.get(key)
                if making is None:
                    making = self._making[key] = _Making()
                    break
            if making.thread == threading.get_ident():
                raise LaneMisuseError(
                    f"get_or_add({key!r}) was called by its own factory; return the value instead of asking for it"
                )
            making.is_over.wait()
        return self._make(key, factory, making)

    def _make(self, key: K, factory: Callable[[], V], making: _Making) -> V:
        try:
            made = factory()
            with self._mutex:
                # Somebody may have set the key meanwhile: what is there stays.
                return self._entries.setdefault(key, made)
        finally:
            with self._mutex:
                del self._making[key]
            making.is_over.set()

    def __getitem__(self, key: K) -> V:
        with self._mutex:
            return self._entries[key]

    def __setitem__(self, key: K, value: V) -> None:
        self.set(key, value)

    def __delitem__(self, key: K) -> None:
        with self._mutex:
            del self._entries[key]

    def __contains__(self, key: object) -> bool:
        with self._mutex:
            return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[K]:
        """The keys of one moment."""
        return iter(self.keys())

    def keys(self) -> list[K]:
        """The keys of one moment, in a new list."""
        with self._mutex:
            return list(self._entries)

    def values(self) -> list[V]:
        """The values of one moment, in a new list."""
        with self._mutex:
            return list(self._entries.values())

    def items(self) -> list[tuple[K, V]]:
        """The entries of one moment, in a new list."""
        with self._mutex:
            return list(self._entries.items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self.items())!r})"
