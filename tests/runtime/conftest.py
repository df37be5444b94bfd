"""Loops to run the tests on, and steps to drive tasks with."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import TypeVar

import pytest

from lane_runtime import StateLane

T = TypeVar("T")
LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def _uvloop_factory() -> asyncio.AbstractEventLoop:
    import uvloop  # present on the platforms that have it

    return uvloop.new_event_loop()


LOOPS: dict[str, LoopFactory] = {"asyncio": asyncio.new_event_loop, "uvloop": _uvloop_factory}


@pytest.fixture(params=sorted(LOOPS))
def loop_factory(request: pytest.FixtureRequest) -> LoopFactory:
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    return LOOPS[request.param]


@pytest.fixture
def run(loop_factory: LoopFactory) -> Iterator[Callable[[Coroutine[object, object, T]], T]]:
    """Run one coroutine to its end on each kind of loop; a failure that only the loop saw fails the test."""
    unseen: list[dict[str, object]] = []

    def run_to_end(main: Coroutine[object, object, T]) -> T:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.get_loop().set_exception_handler(lambda loop, context: unseen.append(context))
            return runner.run(main)

    yield run_to_end
    assert unseen == []


async def until(is_true: Callable[[], bool], steps: int = 1000) -> None:
    """Let the loop turn until `is_true`, at most `steps` times."""
    for _ in range(steps):
        if is_true():
            return
        await asyncio.sleep(0)
    raise AssertionError("did not come true")


async def settle(steps: int = 10) -> None:
    """Let everything that can go on go on."""
    for _ in range(steps):
        await asyncio.sleep(0)


class Held:
    """A lane held by a coroutine turn until `release` is called: `async with Held(lane) as held:`."""

    def __init__(self, lane: object) -> None:
        self._lane = lane
        self.may_end = asyncio.Event()
        self.has_begun = asyncio.Event()

    async def _turn(self) -> None:
        self.has_begun.set()
        await self.may_end.wait()

    async def __aenter__(self) -> Held:
        self.task: asyncio.Task[None] = asyncio.ensure_future(self._lane.run(self._turn))
        await self.has_begun.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.may_end.set()
        await self.task

    def release(self) -> None:
        self.may_end.set()


async def outcome(pending: Awaitable[T]) -> T | BaseException:
    """The result, or the exception as a value."""
    try:
        return await pending
    except BaseException as error:
        return error


def poll(is_true: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for something that another thread does: looked at again and again, for a bounded time."""
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            raise AssertionError("did not come true")
        time.sleep(0.001)


class HeldByThread:
    """A lane held by a plain turn of another thread."""

    def __init__(self, lane: StateLane) -> None:
        self.lane = lane
        self.may_end = threading.Event()
        self.has_begun = threading.Event()
        self.thread = threading.Thread(target=lane.run_blocking, args=(self._turn,))

    def _turn(self) -> None:
        self.has_begun.set()
        self.may_end.wait()

    def __enter__(self) -> HeldByThread:
        self.thread.start()
        self.has_begun.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.may_end.set()
        self.thread.join()
