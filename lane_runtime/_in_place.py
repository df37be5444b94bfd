"""Start a task in place on Pythons whose tasks cannot: those before 3.12.

The task is made, and its first step is taken by hand: in the task's context, and with the task
entered as the current one, which asyncio lets those do who step tasks themselves (its reference,
"Extending", "Task lifetime support"). What the coroutine then waits for is handed to the task when
the loop comes to what it takes for the first step. That saves one cycle of the loop.
"""

from __future__ import annotations

import asyncio
import types
from asyncio.tasks import _enter_task, _leave_task
from collections.abc import Coroutine, Generator
from contextvars import copy_context
from typing import Any


def start_in_place(
    coroutine: Coroutine[Any, None, None], loop: asyncio.AbstractEventLoop
) -> asyncio.Task[None]:
    """Start a task on the running `loop`; on return it has run up to its first suspension or its end."""
    context = copy_context()
    steps = _steps(coroutine)
    task = asyncio.Task(steps, loop=loop, context=context)
    caller = asyncio.current_task(loop)
    if caller is not None:
        _leave_task(loop, caller)
    _enter_task(loop, task)
    try:
        context.run(next, steps, None)
    finally:
        _leave_task(loop, task)
        if caller is not None:
            _enter_task(loop, caller)
    return task


@types.coroutine
def _steps(coroutine: Coroutine[Any, None, None]) -> Generator[Any, None, None]:
    """What the task gets to run: `coroutine`, with its first step done ahead of the task's own first one."""
    try:
        awaited = coroutine.send(None)
        is_future = getattr(awaited, "_asyncio_future_blocking", None) is True
        if is_future:
            awaited._asyncio_future_blocking = False  # as a task does, for others may await it meanwhile
        error = yield from _error_at(None)
        if is_future:
            if error is not None and _cancels(error, awaited):
                error = None
            awaited._asyncio_future_blocking = True
        if awaited is not None:  # else a cycle of the loop was all that it asked for
            late = yield from _error_at(awaited)
            if error is None or isinstance(late, asyncio.CancelledError):
                error = late
        while error is not None:
            awaited = coroutine.throw(error)
            error = yield from _error_at(awaited)
    except StopIteration:
        return
    awaited = None  # long tasks would keep it
    yield from coroutine


def _error_at(awaited: object) -> Generator[object, None, BaseException | None]:
    """Yield `awaited` and give the error that is thrown in there."""
    try:
        yield awaited
    except BaseException as error:  # thrown into the coroutine next
        return error
    return None


def _cancels(error: BaseException, awaited: asyncio.Future[object]) -> bool:
    """Pass a cancellation of the task on to what it waits for; whether that takes it."""
    return isinstance(error, asyncio.CancelledError) and awaited.cancel(*error.args)
