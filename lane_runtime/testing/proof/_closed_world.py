"""Keep the code under proof from the real world: its clock, its processes, its files, its threads."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from unittest.mock import patch

from lane_runtime.testing._call import current_call
from lane_runtime.testing.errors import ExplorationError
from lane_runtime.testing.proof._stage import Stage

# Rounds of a loop that sleeps in each, before it is left.
MOST_NAPS: Final = 2

_FORBIDDEN: Final = frozenset(
    {
        "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.chown", "os.link",
        "os.symlink", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.kill", "os.killpg",
        "shutil.rmtree", "shutil.move", "shutil.copyfile", "subprocess.Popen", "socket.connect", "socket.bind",
        "socket.sendto", "socket.getaddrinfo", "ftplib.connect", "smtplib.connect", "webbrowser.open",
        "sqlite3.connect", "urllib.Request",
    }
)  # fmt: skip


class Moment(float):
    """A time of the wall or the monotonic clock; all of them look alike in a state."""

    def __frozen__(self) -> str:
        return "<a time>"

    def __add__(self, other: float) -> Moment:
        return Moment(float(self) + other)

    __radd__ = __add__

    def __sub__(self, other: float) -> Any:
        difference = float(self) - float(other)
        return difference if isinstance(other, Moment) else Moment(difference)


class BlockedLoopError(RuntimeError):
    """A thread lock was asked for that a suspended task holds: the event loop would stop for ever."""


class LoopLock:
    """A `threading.Lock` as it is met on one thread: who would wait waits for ever."""

    def __init__(self) -> None:
        self._is_held = False

    def __frozen__(self) -> str:
        return "<lock>"

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if self._is_held and blocking and timeout < 0:
            raise BlockedLoopError(
                "a thread lock is asked for while a suspended task of the same loop holds it"
            )
        was_held, self._is_held = self._is_held, True
        return not was_held

    def release(self) -> None:
        if not self._is_held:
            raise RuntimeError("release unlocked lock")
        self._is_held = False

    def locked(self) -> bool:
        return self._is_held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


_is_closed = False
_is_watched = False


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if not _is_closed:
        return
    writes = (
        event == "open" and isinstance(arguments[1], str) and any(letter in arguments[1] for letter in "wax+")
    )
    if writes or event in _FORBIDDEN:
        raise ExplorationError(
            f"{event}{arguments!r} was asked for; a proof lets nothing out into the real world"
        )


@contextlib.contextmanager
def closed_world(stage: Stage) -> Iterator[None]:
    """Inside the block the clock stands still, chance is none, and nothing reaches the real world."""
    global _is_closed, _is_watched
    if not _is_watched:
        sys.addaudithook(_watch)
        _is_watched = True
    with contextlib.ExitStack() as stack:
        for owner, name, instead in _replacements(stage):
            stack.enter_context(patch.object(owner, name, instead))
        before, _is_closed = _is_closed, True
        random.seed(0)
        try:
            yield
        finally:
            _is_closed = before


def _replacements(stage: Stage) -> Iterator[tuple[Any, str, Any]]:
    numbers = itertools.count(1)

    async def to_thread(function: Any, /, *args: object, **keywords: object) -> Any:
        called = getattr(function, "__name__", None) or getattr(function, "_path", "work")
        stand_in = stage.stand_in(f"to_thread {called}")
        await stand_in(*args, **keywords)
        return function(*args, **keywords)

    sleep, naps = asyncio.sleep, Counter[object]()

    async def sleep_some_times(delay: float, result: object = None) -> object:
        if delay > 0:
            naps[current_call()] += 1
            if naps[current_call()] > MOST_NAPS:
                raise asyncio.CancelledError("a loop without end, left after some rounds")
        return await sleep(delay, result)

    yield asyncio, "sleep", sleep_some_times
    for name in ("time", "monotonic", "perf_counter"):
        yield time, name, lambda: Moment(stage.now)
    yield time, "sleep", lambda _: None
    yield uuid, "uuid4", lambda: uuid.UUID(int=next(numbers))
    yield asyncio, "to_thread", to_thread
    for name in ("create_subprocess_exec", "create_subprocess_shell", "open_connection", "start_server"):
        yield asyncio, name, stage.stand_in(f"asyncio.{name}")
    for name in ("kill", "remove", "unlink", "replace", "rename", "makedirs"):
        yield os, name, stage.stand_in(f"os.{name}")
    for name in ("run", "Popen", "check_output", "check_call"):
        yield subprocess, name, stage.stand_in(f"subprocess.{name}")
    yield signal, "signal", stage.stand_in("signal.signal")
    yield threading, "Lock", LoopLock
