"""`OperationGate`: one external operation at a time, and one disposal ever."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import threading
from asyncio import _get_running_loop
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Final, Self, TypeVar, TypeVarTuple, Unpack, cast, overload

from lane_runtime._context import current_lane, current_task, start_detached
from lane_runtime._report import report
from lane_runtime._wording import describe_turn, label
from lane_runtime.errors import LaneAffinityError, LaneClosedError, LaneOrderError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_numbers: Final = itertools.count(1)


class _Entry:
    """A task that waits for the gate."""

    __slots__ = ("future", "loop", "task")

    def __init__(self, task: asyncio.Task[object]) -> None:
        self.task = task
        self.loop = task.get_loop()
        self.future: asyncio.Future[None] = self.loop.create_future()

    def wake(self) -> bool:
        if _get_running_loop() is self.loop:
            return self._resolve()
        try:
            self.loop.call_soon_threadsafe(self._resolve)
        except RuntimeError:  # the loop is closed
            return False
        return True

    def _resolve(self) -> bool:
        if self.future.done():
            return False
        self.future.set_result(None)
        return True


class OperationGate:
    """Serialise an external operation: `async with gate:` around its start and its end.

    For operations, never for state: state that several calls share belongs to a lane. Inside the
    gate waiting for a lane is fine; inside a turn the gate is refused, even when it is free, for
    the two directions together deadlock. First come, first served; tasks of several loops may
    share a gate. The lanes' wait-for graph does not see gates.

    Source: state lane contract, section 4, "state protection and operation serialisation".
    """

    __slots__ = ("__weakref__", "_disposal", "_holder", "_mutex", "_name", "_observers", "_waiting")

    def __init__(self, name: str | None = None) -> None:
        self._name = name if name is not None else f"gate-{next(_numbers)}"
        self._mutex = threading.RLock()
        self._holder: asyncio.Task[object] | None = None
        self._waiting: OrderedDict[_Entry, None] = OrderedDict()
        self._disposal: Future[object] | None = None
        self._observers = 0

    @property
    def name(self) -> str:
        """The name given, or a distinct one."""
        return self._name

    @property
    def is_held(self) -> bool:
        """Whether an operation is inside the gate."""
        return self._holder is not None

    @property
    def is_disposed(self) -> bool:
        """Whether disposal was asked for; from then on nobody new is let in."""
        return self._disposal is not None

    async def __aenter__(self) -> Self:
        """Wait for the gate.

        Raises:
            LaneOrderError: The caller is in a turn of a lane, or holds this gate already.
            LaneClosedError: The gate was disposed of.
            LaneAffinityError: The caller is not a task.
        """
        task = self._admissible_task("entered")
        with self._mutex:
            if self._disposal is not None:
                raise LaneClosedError(
                    f"gate {self._name!r} was disposed of; make a new resource and a new gate for it"
                )
            entry = self._enter_or_queue(task)
        if entry is not None:
            await self._wait(entry)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._mutex:
            if self._holder is not current_task():
                raise LaneOrderError(
                    f"gate {self._name!r} was left by a task that does not hold it; "
                    f"enter and leave it in one task with 'async with'"
                )
            self._pass_on()

    def _admissible_task(self, verb: str) -> asyncio.Task[object]:
        lane = current_lane()
        if lane is not None:
            raise LaneOrderError(
                f"gate {self._name!r} cannot be {verb} inside a turn of lane {lane.name!r} "
                f"({describe_turn(lane)}); enter the gate first and the lane inside it"
            )
        task = current_task()
        if task is None:
            raise LaneAffinityError(f"gate {self._name!r} can only be {verb} by a task; use asyncio.run")
        if self._holder is task:
            raise LaneOrderError(
                f"gate {self._name!r} is held by this very task {task.get_name()!r}, which would wait for "
                f"itself; do the inner part without the gate, or leave it first"
            )
        return task

    def _enter_or_queue(self, task: asyncio.Task[object]) -> _Entry | None:
        if self._holder is not None and self._holder.get_loop().is_closed():
            self._pass_on()  # its loop was closed inside the gate: nobody will ever leave it
        if self._holder is None:
            self._holder = task
            return None
        entry = _Entry(task)
        self._waiting[entry] = None
        return entry

    async def _wait(self, entry: _Entry) -> None:
        try:
            await entry.future
        except BaseException:
            with self._mutex:
                self._waiting.pop(entry, None)
                if self._holder is entry.task:
                    self._pass_on()
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            entry = self._waiting.popitem(last=False)[0]
            self._holder = entry.task
            if entry.wake():
                return
        self._holder = None

    @overload
    async def dispose(self, work: Callable[[Unpack[Ts]], Awaitable[T]], /, *args: *Ts) -> T: ...
    @overload
    async def dispose(self, work: Callable[[Unpack[Ts]], T], /, *args: *Ts) -> T: ...
    async def dispose(self, work: Callable[..., object], /, *args: object) -> object:
        """Close the gate, wait for the operations already accepted, and run `work(*args)` exactly once.

        Every call, the first and all later ones, gets the outcome of the first call's work; the
        work of the others is not run. The disposal is a task of its own: cancelling a caller
        does not stop it, and a failure that no caller is left to see is reported to the loop.

        Raises:
            LaneOrderError: The caller is in a turn of a lane, or holds this gate.

        Source: state lane contract, section 4, "exact-once disposal".
        """
        self._admissible_task("disposed of")
        with self._mutex:
            outcome = self._disposal
            if outcome is None:
                outcome = self._disposal = Future()
                start_detached(self._dispose, outcome, work, args)
        self._observers += 1
        try:
            return await asyncio.shield(asyncio.wrap_future(outcome))
        finally:
            self._observers -= 1

    async def _dispose(
        self, outcome: Future[object], work: Callable[..., object], args: tuple[object, ...]
    ) -> None:
        task = cast("asyncio.Task[object]", current_task())
        try:
            with self._mutex:
                entry = self._enter_or_queue(task)
            if entry is not None:
                await self._wait(entry)
            try:
                result = work(*args)
                outcome.set_result(await result if inspect.isawaitable(result) else result)
            finally:
                with self._mutex:
                    self._pass_on()
        except BaseException as error:
            with contextlib.suppress(Exception):
                outcome.set_exception(error)
            if self._observers == 0:
                report(f"disposal {label(work)} behind gate {self._name!r} failed", error)
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise

    def __repr__(self) -> str:
        state = "disposed" if self.is_disposed else "held" if self.is_held else "free"
        return f"<{type(self).__name__} {self._name!r} {state}, {len(self._waiting)} waiting>"
