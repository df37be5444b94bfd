"""Counters, flags and single references that change in one step (class C3)."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

T = TypeVar("T")


class AtomicCounter:
    """An integer that many threads and tasks add to; no addition is lost.

    Source: state lane contract, section 4, class C3.
    """

    __slots__ = ("_mutex", "_value")

    def __init__(self, value: int = 0) -> None:
        self._value = value
        self._mutex = threading.RLock()  # re-entrant: a signal handler may count too

    def increment(self) -> int:
        """Add one and give the new value."""
        return self.add(1)

    def add(self, amount: int) -> int:
        """Add `amount`, which may be negative, and give the new value."""
        with self._mutex:
            self._value = value = self._value + amount
            return value

    @property
    def value(self) -> int:
        """The value at this moment."""
        return self._value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._value})"


class AtomicFlag:
    """A flag that exactly one of many callers raises.

    Source: state lane contract, section 4, class C3.
    """

    __slots__ = ("_is_set", "_mutex")

    def __init__(self) -> None:
        self._is_set = False
        self._mutex = threading.RLock()

    def set(self) -> bool:
        """Raise the flag; True only for the caller that did."""
        with self._mutex:
            was_set, self._is_set = self._is_set, True
            return not was_set

    def clear(self) -> bool:
        """Lower the flag; True only for the caller that did."""
        with self._mutex:
            was_set, self._is_set = self._is_set, False
            return was_set

    def is_set(self) -> bool:
        """Whether the flag is up at this moment."""
        return self._is_set

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'set' if self._is_set else 'clear'}>"


class AtomicReference(Generic[T]):
    """One reference that is read and replaced in one step.

    Source: state lane contract, section 4, class C3.
    """

    __slots__ = ("_mutex", "_value")

    def __init__(self, value: T) -> None:
        self._value = value
        self._mutex = threading.RLock()

    def get(self) -> T:
        """The object referred to at this moment."""
        return self._value

    def set(self, value: T) -> T:
        """Refer to `value` from now on, and give what was there before."""
        with self._mutex:
            before, self._value = self._value, value
            return before

    def compare_and_set(self, expected: T, value: T) -> bool:
        """Refer to `value` if the present object is, or equals, `expected`; whether it did."""
        with self._mutex:
            if not (self._value is expected or self._value == expected):
                return False
            self._value = value
            return True

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._value!r})"
