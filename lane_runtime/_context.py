"""Where the caller is: the marks of running turns, on threads and in contexts."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar, Token, copy_context
from types import TracebackType
from typing import TYPE_CHECKING, Final, TypeVar, TypeVarTuple, Unpack

from lane_runtime.errors import LaneAffinityError, LaneMisuseError

if TYPE_CHECKING:
    from lane_runtime._core import LaneCore
    from lane_runtime._turn import Turn

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class ThreadMarks:
    """The plain turns that one thread is in, innermost first, and the lanes it is blocked on.

    Plain work never suspends, so the thread says exactly who is in the turn, and nothing can
    inherit it. The stack is linked through the lanes (`lane._outer`): a lane is in it once at most.
    """

    __slots__ = ("lane", "waits")

    def __init__(self) -> None:
        self.lane: LaneCore | None = None
        self.waits: list[LaneCore] = []


class _Here(threading.local):
    def __init__(self) -> None:
        self.marks = ThreadMarks()


here = _Here()


class Hidden:
    """A mark put out of sight of everybody but the task, or the thread without a task, that hid it."""

    __slots__ = ("holder", "turn")

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.holder = _flow_of_control()

    def is_held_here(self) -> bool:
        return self.holder == _flow_of_control()


turn_mark: ContextVar[Turn | Hidden | None] = ContextVar("lane_runtime.turn_mark", default=None)


def current_task() -> asyncio.Task[object] | None:
    """The running task, or None outside of tasks and loops."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def _flow_of_control() -> object:
    return current_task() or threading.get_ident()


def visible_turn() -> Turn | None:
    """The innermost coroutine turn of this context that has not ended, else None."""
    mark = turn_mark.get()
    if mark is None:
        return None
    if isinstance(mark, Hidden):
        if not mark.is_held_here():
            return None
        mark = mark.turn
    return mark if not mark.ended else mark.active_parent()


def turns_in_sight() -> Iterator[Turn]:
    """The coroutine turns of this context that have not ended, innermost first."""
    turn = visible_turn()
    while turn is not None:
        yield turn
        turn = turn.active_parent()


def owners_in_sight() -> list[Turn | ThreadMarks]:
    """Everything the caller holds lanes through: plain turns of its thread, turns of its context."""
    owners: list[Turn | ThreadMarks] = []
    marks = here.marks
    if marks.lane is not None:
        owners.append(marks)
    for turn in turns_in_sight():
        owners.append(turn)
        if turn.caller is not None:
            owners.append(turn.caller)
    return owners


def is_held_by_caller(owner: object) -> bool:
    """Whether `owner`, the holder of some lane, is a turn that the caller is in."""
    if owner is here.marks:
        return True
    if turn_mark.get() is None or owner is None:
        return False
    return any(turn is owner or turn.caller is owner for turn in turns_in_sight())


def current_lane() -> LaneCore | None:
    """The lane of the innermost turn the caller is in, else None."""
    plain = here.marks.lane
    turn = visible_turn()
    if turn is None:
        return plain
    if plain is None or turn.was_started_inside(plain):
        return turn.lane
    return plain


class suppress_lane_context:  # noqa: N801 - reads as the function it is used as, like contextlib.suppress
    """Keep tasks, callbacks and threads started inside the block from inheriting the turn.

    The mark is hidden from others only: the task that enters the block is still on its lane, and
    `await lane.run(...)` there raises instead of waiting for itself. What is started may wait for
    the lane at once; it gets it when the turn has ended. A task started eagerly in a plain turn
    runs its first steps inside that turn: use `start_detached` for it.

    Source: state lane contract, section 6, type 2.
    """

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        turn = visible_turn()
        self._token: Token[Turn | Hidden | None] = turn_mark.set(Hidden(turn) if turn else None)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        turn_mark.reset(self._token)


# A loop holds its tasks weakly; a detached task would vanish with the last other reference.
_detached: Final[set[asyncio.Future[object]]] = set()


def keep_until_done(task: asyncio.Future[T]) -> None:
    """Hold a strong reference to `task` as long as it runs."""
    kept: set[asyncio.Future[T]] = _detached  # type: ignore[assignment]  # only identity matters here
    kept.add(task)
    task.add_done_callback(kept.discard)


def start_detached(coro_fn: Callable[[Unpack[Ts]], Awaitable[T]], /, *args: *Ts) -> asyncio.Future[T]:
    """Start `coro_fn(*args)` as a task of its own, outside of the turn the caller is in.

    Not even the part before its first `await` runs inside the turn, so it may enter the lane at
    once; it gets it when the turn has ended. The task is held until it is done.

    Returns:
        A future of the result. Cancelling it cancels the task.

    Raises:
        LaneAffinityError: This thread runs no event loop.

    Source: state lane contract, section 6, type 2.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise LaneAffinityError(
            "start_detached needs a running event loop on this thread; "
            "from a plain thread post to a lane with try_post, or use asyncio.run_coroutine_threadsafe"
        ) from None
    context = copy_context()
    context.run(turn_mark.set, None)
    is_maybe_eager = loop.get_task_factory() is not None
    task: asyncio.Future[T] = context.run(loop.create_task, _detach(coro_fn, args, is_maybe_eager))
    keep_until_done(task)
    return task


async def _detach(coro_fn: Callable[[Unpack[Ts]], Awaitable[T]], args: tuple[*Ts], is_maybe_eager: bool) -> T:
    if is_maybe_eager:
        await asyncio.sleep(0)  # a task factory may have started this task inside the turn
    pending = coro_fn(*args)
    if not isinstance(pending, Awaitable):
        raise LaneMisuseError(
            f"start_detached got {type(pending).__name__} from {coro_fn!r} instead of a coroutine; "
            "pass the async function itself and its arguments"
        )
    return await pending
