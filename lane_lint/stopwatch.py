"""Where the time of a run goes, for who asks; nobody else pays for it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import MappingProxyType
from typing import Protocol, TypeVar

T = TypeVar("T")

# The one phase that is the first file's by chance only.
IMPORTS = "imports"


class Clock(Protocol):
    """What the parts of a run tell which of them is at work."""

    @property
    def seconds(self) -> Mapping[str, float]:
        """Seconds by phase so far, without those of the phases inside of it."""

    def phase(self, name: str) -> AbstractContextManager[object]:
        """While the context is open the time counts for `name`, but for that of phases opened within."""

    def timed(self, name: str, work: Iterable[T]) -> Iterable[T]:
        """The items of `work`, the making of which counts for `name`."""


class Stopwatch:
    """Measures phases; see `Clock`."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._open: list[str] = []
        self._since = 0.0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self._book()
        self._open.append(name)
        try:
            yield
        finally:
            self._book()
            self._open.pop()

    def timed(self, name: str, work: Iterable[T]) -> list[T]:
        with self.phase(name):
            return list(work)

    def _book(self) -> None:
        now = time.perf_counter()
        if self._open:
            name = self._open[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now


class _NoClock:
    """Measures nothing."""

    seconds: Mapping[str, float] = MappingProxyType({})

    def phase(self, name: str) -> AbstractContextManager[None]:
        return _NOTHING

    def timed(self, name: str, work: Iterable[T]) -> Iterable[T]:
        return work


_NOTHING = nullcontext()
NO_CLOCK: Clock = _NoClock()
