"""The peers of the lane that need some code of their own: a queue with a worker, and Pykka."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

try:
    import pykka
except ImportError:
    pykka = None

Measure = Callable[[int], Awaitable[float]]


def work() -> None:
    """What every contestant runs: nothing."""


def clocked(steps: Callable[[int], Awaitable[None]]) -> Measure:
    """Seconds of CPU for each of `count` operations."""

    async def measure(count: int) -> float:
        begun = time.process_time()
        await steps(count)
        return (time.process_time() - begun) / count

    return measure


class QueueWorker:
    """The usual hand-made lane: a task that takes work from an `asyncio.Queue` and answers by futures."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[tuple[Callable[[], object], asyncio.Future[object] | None]] = (
            asyncio.Queue()
        )
        self.task = asyncio.create_task(self._serve())

    async def _serve(self) -> None:
        while True:
            call, answer = await self.queue.get()
            try:
                result = call()
                if asyncio.iscoroutine(result):
                    result = await result
            except Exception as error:
                if answer is not None:
                    answer.set_exception(error)
            else:
                if answer is not None and not answer.done():
                    answer.set_result(result)

    async def run(self, call: Callable[[], object]) -> object:
        answer = asyncio.get_running_loop().create_future()
        self.queue.put_nowait((call, answer))
        return await answer


def pykka_contestants() -> dict[str, Measure]:
    class Actor(pykka.ThreadingActor):
        def on_receive(self, message: object) -> None:
            if message is not None:
                message()

    actor = Actor.start()

    async def ask(count: int) -> None:
        for _ in range(count):
            actor.ask(work)

    async def ask_hundred(count: int) -> None:
        for _ in range(count // 100):
            for answer in [actor.ask(work, block=False) for _ in range(100)]:
                answer.get()

    async def tell(count: int) -> None:
        for _ in range(count // 100):
            for _ in range(100):
                actor.tell(work)
            actor.ask(None)

    return {"ask": clocked(ask), "ask 100": clocked(ask_hundred), "tell": clocked(tell)}
