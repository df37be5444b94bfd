"""An operation of the outside world: asked for by a task, ended by the schedule."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from lane_runtime.testing._call import current_call
from lane_runtime.testing._frozen import frozen
from lane_runtime.testing._outcome import Effect

Raisable: TypeAlias = BaseException | type[BaseException]


class Operation:
    """One outside operation that has been asked for.

    Attributes:
        kind: Its name without its number.
        work: Called when it ends, for its result; None when the result is `answer`.
        raises: Errors with which it may fail instead.
    """

    __slots__ = ("answer", "arguments", "call", "end", "future", "kind", "name", "raises", "work")

    def __init__(
        self,
        kind: str,
        name: str,
        future: asyncio.Future[Any],
        *,
        work: Callable[[], object] | None,
        answer: object,
        raises: Sequence[Raisable],
        arguments: object,
    ) -> None:
        self.kind = kind
        self.name = name
        self.future = future
        self.work = work
        self.answer = answer
        self.raises = raises
        self.arguments = frozen(arguments)
        self.end: str = "open"
        call = current_call()
        self.call = call.name if call is not None else ""

    def complete(self) -> None:
        """Do its work now; whoever waits goes on in the next cycle."""
        try:
            value = self.answer if self.work is None else self.work()
        except Exception as error:
            self.fail(error)
        else:
            self.end = "returned"
            self.future.set_result(value)

    def fail(self, error: Raisable) -> None:
        """End with an error of the scenario's; a copy, since each run adds its traceback."""
        self.end = "raised"
        self.future.set_exception(copy.copy(error) if isinstance(error, BaseException) else error)

    def effect(self) -> Effect:
        """What there is to say of it afterwards."""
        end: Any = "cancelled" if self.future.cancelled() else self.end
        return Effect(self.kind, self.call, self.arguments, end)
