"""The world of a scenario: calls that start at some time, operations that end at some time."""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, overload

from lane_runtime.testing._call import Call
from lane_runtime.testing._loop import ExplorationLoop
from lane_runtime.testing._operation import Operation, Raisable
from lane_runtime.testing.errors import ExplorationError

T = TypeVar("T")


class World:
    """What a scenario is made of: its calls, and the outside operations that they wait for.

    Attributes:
        loop: The event loop of this run; `loop.time()` is the virtual clock.
        calls: The calls, in the order in which they were named.
        operations: The outside operations, in the order in which they were asked for.
    """

    def __init__(self, loop: ExplorationLoop) -> None:
        self.loop = loop
        self.calls: list[Call[Any]] = []
        self.operations: list[Operation] = []
        self._pending: list[Operation] = []
        self._numbers: Counter[str] = Counter()

    @overload
    def call(
        self,
        function: Callable[..., Awaitable[T]],
        /,
        *args: object,
        name: str | None = None,
        cancellable: bool = False,
        **keywords: object,
    ) -> Call[T]: ...
    @overload
    def call(
        self,
        function: Callable[..., T],
        /,
        *args: object,
        name: str | None = None,
        cancellable: bool = False,
        **keywords: object,
    ) -> Call[T]: ...
    def call(
        self,
        function: Callable[..., Any],
        /,
        *args: object,
        name: str | None = None,
        cancellable: bool = False,
        **keywords: object,
    ) -> Call[Any]:
        """Add a call of `function(*args, **keywords)`, plain or async, that may start at any time.

        Args:
            name: For the trace, and different for each call; `transfer#1` and so on by default.
            cancellable: Whether schedules are tried in which the call is cancelled, once, while it waits.

        Returns:
            The call, which can be awaited for its result.
        """
        made: Call[Any] = Call(
            self.loop,
            len(self.calls),
            name or self._numbered(_name_of(function)),
            functools.partial(function, *args, **keywords),
            cancellable=cancellable,
        )
        self.calls.append(made)
        return made

    @overload
    async def outside(self, name: str, /, *, raises: Sequence[Raisable] = ()) -> None: ...
    @overload
    async def outside(self, name: str, work: Callable[[], T], /, *, raises: Sequence[Raisable] = ()) -> T: ...
    async def outside(
        self, name: str, work: Callable[[], object] | None = None, /, *, raises: Sequence[Raisable] = ()
    ) -> object:
        """Wait for an operation of the outside world: a request, a query, a file.

        Args:
            work: Called when the operation ends, in no task; its result or error is the operation's.
            raises: Errors with which schedules are tried in which it fails, without doing its work.
        """
        return await self.begin(name, work=work, answer=None, raises=raises, arguments=())

    def fake(
        self, name: str, answer: object = None, *, raises: Sequence[Raisable] = ()
    ) -> Callable[..., Awaitable[Any]]:
        """An async function that is one outside operation for each call of it.

        Args:
            answer: What the operation gives; when callable, called with the arguments at its end.
            raises: As for `outside`.
        """

        async def operation(*args: object, **keywords: object) -> Any:
            work = functools.partial(answer, *args, **keywords) if callable(answer) else None
            arguments = (args, keywords) if keywords else args
            return await self.begin(name, work=work, answer=answer, raises=raises, arguments=arguments)

        operation.__name__ = operation.__qualname__ = name
        return operation

    def open_operations(self) -> list[Operation]:
        """The operations that have not ended and were not given up, oldest first."""
        for one in self._pending:
            if one.future.done():
                self._pending = [one for one in self._pending if not one.future.done()]
                break
        return self._pending

    def active_calls(self) -> list[Call[Any]]:
        """The calls that have started and not ended."""
        return [call for call in self.calls if call.task is not None and not call.task.done()]

    def begin(
        self,
        kind: str,
        *,
        work: Callable[[], object] | None,
        answer: object,
        raises: Sequence[Raisable],
        arguments: object,
    ) -> asyncio.Future[Any]:
        """Ask for an outside operation; what `outside` and `fake` are made of.

        Args:
            kind: Its name; a number is added.
            work: As for `outside`; None when the result is `answer`.
            arguments: What it was asked with, for the record.
        """
        if asyncio.get_running_loop() is not self.loop:
            raise ExplorationError(f"outside operation {kind!r} was asked for on another event loop")
        future: asyncio.Future[Any] = self.loop.create_future()
        operation = Operation(
            kind, self._numbered(kind), future, work=work, answer=answer, raises=raises, arguments=arguments
        )
        self.operations.append(operation)
        self._pending.append(operation)
        return future

    def _numbered(self, kind: str) -> str:
        self._numbers[kind] += 1
        return f"{kind}#{self._numbers[kind]}"


def _name_of(function: Callable[..., object]) -> str:
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    name = getattr(inner, "__name__", None)
    return name if isinstance(name, str) else type(inner).__name__
