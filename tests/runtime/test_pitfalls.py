"""The pitfalls and the small print of the contract that no other file covers."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest

from lane_runtime import StateLane, _core, _lane, start_detached

from .conftest import Held, outcome, settle, until

pytestmark = pytest.mark.timeout(30)


class Counted:
    """An awaitable shell that counts how often its inner coroutine is stepped."""

    def __init__(self, inner):
        self.inner = inner
        self.steps = 0

    def __await__(self):
        iterator = self.inner.__await__()
        try:
            sent = iterator.send(None)
            while True:
                self.steps += 1
                try:
                    yield sent
                except BaseException as error:
                    sent = iterator.throw(error)
                else:
                    sent = iterator.send(None)
        except StopIteration as stop:
            return stop.value


def test_a_cancellation_that_is_delivered_in_every_cycle_wakes_the_caller_once(run):
    """As an anyio cancel scope does: it cancels again and again until its task has gone."""

    async def main():
        lane = StateLane()
        may_end = asyncio.Event()
        shell = Counted(lane.run(may_end.wait))

        async def call():
            await shell

        task = asyncio.create_task(call())
        await settle()
        for _ in range(200):
            task.cancel()
            await asyncio.sleep(0)
        assert shell.steps == 2
        assert not task.done()
        may_end.set()
        assert isinstance(await outcome(task), asyncio.CancelledError)

    run(main())


def test_a_failure_whose_caller_was_destroyed_is_reported(loop_factory):
    async def main():
        seen: list[object] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: seen.append(type(context["exception"])))
        may_end = asyncio.Event()

        async def fail():
            await may_end.wait()
            raise KeyError

        lane = StateLane()
        caller = lane.run(fail)
        caller.send(None)
        caller.close()
        may_end.set()
        await until(lambda: bool(seen))
        assert seen == [KeyError]
        assert not lane.stats().active

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_a_wake_up_ahead_of_the_grant_is_waited_off(run):
    """Tasks behind a plain turn are woken together; a turn that suspends makes them wait again."""

    async def main():
        lane = StateLane()
        order: list[int] = []

        async def slow(i: int) -> None:
            await settle(3)
            order.append(i)

        def looks_plain(i: int):
            return slow(i) if i % 3 == 0 else order.append(i)

        async with Held(lane):
            tasks = [asyncio.create_task(lane.run(looks_plain, i)) for i in range(80)]
            await settle()
        await asyncio.gather(*tasks)
        assert order == list(range(80))

    run(main())


def test_a_tight_loop_of_turns_does_not_yield(run):
    async def main():
        lane = StateLane()
        other_ran = False

        async def other():
            nonlocal other_ran
            other_ran = True

        task = asyncio.create_task(other())
        for _ in range(100):
            await lane.run(int)
        assert not other_ran
        await task

    run(main())


def test_a_users_task_factory_makes_the_task_of_a_turn(loop_factory):
    made: list[str] = []

    async def main():
        def factory(loop, coroutine, **kwargs):
            made.append(coroutine.__qualname__)
            return asyncio.Task(coroutine, loop=loop, **kwargs)

        asyncio.get_running_loop().set_task_factory(factory)

        async def work():
            await asyncio.sleep(0)
            return 1

        assert await StateLane().run(work) == 1

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())
    assert "Turn.drive" in made, made


def test_a_task_factory_that_fails_releases_the_lane(run):
    async def main():
        lane = StateLane()
        loop = asyncio.get_running_loop()

        def factory(loop, coroutine, **kwargs):
            coroutine.close()
            raise MemoryError

        async def work(): ...

        loop.set_task_factory(factory)
        try:
            assert isinstance(await outcome(lane.run(work)), MemoryError)
        finally:
            loop.set_task_factory(None)
        assert await lane.run(lambda: 1) == 1

    run(main())


def test_a_turns_task_cancelled_before_its_first_step_closes_its_coroutine(loop_factory):
    async def main():
        lane = StateLane()
        loop = asyncio.get_running_loop()
        tasks: list[asyncio.Task[object]] = []

        def factory(loop, coroutine, **kwargs):
            tasks.append(asyncio.Task(coroutine, loop=loop, **kwargs))
            return tasks[-1]

        async def work():
            raise AssertionError("must not start")

        loop.set_task_factory(factory)
        caller = asyncio.create_task(outcome(lane.run(work)))
        await until(lambda: len(tasks) == 2)
        tasks[-1].cancel()
        assert isinstance(await caller, asyncio.CancelledError)
        gc.collect()  # "coroutine was never awaited" would be an error here
        assert await lane.run(lambda: 1) == 1

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_the_error_of_a_turn_has_no_context_of_the_runtimes_own(run):
    async def main():
        lane = StateLane()
        async with Held(lane):
            pending = asyncio.create_task(outcome(lane.run(divmod, 1, 0)))
            await settle()
        error = await pending
        assert isinstance(error, ZeroDivisionError)
        assert error.__context__ is None
        assert await lane.run(sys.exc_info) == (None, None, None)

    run(main())


def test_a_turn_leaves_no_reference_cycle(run):
    async def main():
        lane = StateLane()

        async def fail():
            await asyncio.sleep(0)
            raise KeyError

        async def succeed():
            await asyncio.sleep(0)

        gc.collect()
        gc.disable()
        try:
            for work in (fail, succeed):
                before = len([thing for thing in gc.get_objects() if type(thing).__name__ == "Turn"])
                await outcome(lane.run(work))
                await settle()
                after = len([thing for thing in gc.get_objects() if type(thing).__name__ == "Turn"])
                assert after == before
        finally:
            gc.enable()

    run(main())


def test_everything_holds_when_the_mutex_is_taken_at_both_ends(run, monkeypatch):
    """The way of the free-threaded build, tried on this one."""
    monkeypatch.setattr(_core, "FREE_THREADED", True)
    monkeypatch.setattr(_lane, "FREE_THREADED", True)

    async def main():
        lane = StateLane()
        order: list[int] = []
        async with Held(lane):
            tasks = [asyncio.create_task(lane.run(order.append, i)) for i in range(5)]
            await settle()
            lane.try_post(order.append, 5)
        await asyncio.gather(*tasks)
        await lane.run(order.append, 6)
        await lane.close()
        assert order == list(range(7))
        assert lane.stats().turns == 8

    run(main())


def test_a_detached_task_is_held_until_it_is_done(run):
    async def main():
        seen: list[str] = []

        async def wait_on_nothing_else() -> None:
            future = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(0.001, seen.append, "timer")
            try:
                for _ in range(5):
                    await asyncio.sleep(0)
            finally:
                seen.append("done")
            del future

        start_detached(wait_on_nothing_else)
        gc.collect()
        await until(lambda: "done" in seen)

    run(main())
