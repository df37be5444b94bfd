"""Marks: who is in a turn, what inherits it, and when it is over."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import sys
import threading

import pytest

from lane_runtime import (
    LaneReentryError,
    StateLane,
)

from .conftest import Held, outcome, settle, until


def test_nothing_is_current_outside_of_turns(run):
    async def main():
        lane = StateLane()
        assert StateLane.current() is None
        assert not lane.is_on_lane
        lane.throw_if_reentrant()
        await lane.run(lambda: None)
        assert StateLane.current() is None
        assert not lane.is_on_lane

    run(main())


@pytest.mark.parametrize("is_failing", [False, True])
def test_no_mark_is_left_on_the_thread_whatever_the_way_of_the_turn(run, is_failing):
    def work() -> None:
        if is_failing:
            raise ValueError

    async def main():
        lane = StateLane(on_post_error=lambda _: None)
        await outcome(lane.run(work))
        assert StateLane.current() is None
        async with Held(lane):
            task = asyncio.create_task(outcome(lane.run(work)))
            lane.try_post(work)
            lane.try_post(work)
            await settle()
        await task
        await lane.close()
        assert StateLane.current() is None

    run(main())
    with contextlib.suppress(ValueError):
        StateLane().run_blocking(work)
    assert StateLane.current() is None


def test_the_mark_of_a_plain_turn_is_on_its_thread_only(run):
    async def main():
        lane = StateLane("mine")
        seen: list[object] = []

        def look() -> None:
            seen.append((StateLane.current(), lane.is_on_lane))

        def work() -> None:
            look()
            thread = threading.Thread(target=contextvars.copy_context().run, args=(look,))
            thread.start()
            thread.join()
            with pytest.raises(LaneReentryError, match="lane 'mine'"):
                lane.throw_if_reentrant()

        await lane.run(work)
        assert seen == [(lane, True), (None, False)]

    run(main())


def test_the_mark_of_a_coroutine_turn_holds_across_suspensions_and_ends_with_it(run):
    async def main():
        lane = StateLane()
        contexts: list[contextvars.Context] = []

        async def work():
            assert (StateLane.current(), lane.is_on_lane) == (lane, True)
            await settle()
            assert (StateLane.current(), lane.is_on_lane) == (lane, True)
            contexts.append(contextvars.copy_context())
            assert contexts[0].run(StateLane.current) is lane

        await lane.run(work)
        assert contexts[0].run(StateLane.current) is None
        async with Held(lane):  # a later turn does not bring the old mark back to life
            assert contexts[0].run(lambda: lane.is_on_lane) is False

    run(main())


def test_is_on_lane_is_true_exactly_when_run_raises(run):
    async def main():
        first, second = StateLane("first"), StateLane("second")

        async def check(*expected: bool) -> None:
            for lane, is_on in zip((first, second), expected, strict=True):
                assert lane.is_on_lane is is_on
                result = await outcome(lane.run(lambda: "ran"))
                assert isinstance(result, LaneReentryError) if is_on else result == "ran"

        await check(False, False)
        await first.run(check, True, False)
        await second.run(check, False, True)
        await first.run(second.run, check, True, True)

    run(main())


def test_a_turn_on_another_lane_may_be_nested_but_not_the_way_back(run):
    async def main():
        first, second = StateLane("first"), StateLane("second")

        async def back() -> None:
            assert StateLane.current() is second
            await first.run(lambda: None)

        async def outer() -> None:
            assert StateLane.current() is first
            await second.run(back)

        with pytest.raises(LaneReentryError, match="lane 'first'"):
            await first.run(outer)
        assert await first.run(lambda: 1) == await second.run(lambda: 1)

    run(main())


def test_current_is_the_innermost_lane_in_every_mix(run):
    async def main():
        first, second = StateLane(), StateLane()

        async def plain_in_coroutine() -> list[object]:
            inner = await second.run(StateLane.current)
            return [inner, StateLane.current()]

        assert await first.run(plain_in_coroutine) == [second, first]

        def coroutine_stepped_in_plain() -> list[object]:
            async def inner() -> object:
                return StateLane.current()

            task = asyncio.Task(second.run(inner), loop=asyncio.get_running_loop(), eager_start=True)
            return [task.result(), StateLane.current()]

        if sys.version_info >= (3, 12):
            assert await first.run(coroutine_stepped_in_plain) == [second, first]

    run(main())


@pytest.mark.timeout(10)
@pytest.mark.parametrize("way", ["await", "task", "gather", "thread", "timer", "eager"])
def test_an_inherited_mark_of_an_active_turn_is_refused_at_the_call(run, way):
    if way == "eager" and sys.version_info < (3, 12):
        pytest.skip("eager tasks exist from 3.12 on")

    async def main():
        lane = StateLane("busy")

        async def child():
            await lane.run(lambda: None)

        async def parent():
            if way == "await":
                await child()
            elif way == "task":
                await asyncio.create_task(child(), name="heir")
            elif way == "gather":
                await asyncio.gather(child(), child())
            elif way == "thread":
                await asyncio.to_thread(lane.run_blocking, lambda: None)
            elif way == "timer":
                done = asyncio.get_running_loop().create_future()
                asyncio.get_running_loop().call_soon(
                    lambda: done.set_result(asyncio.ensure_future(outcome(child())))
                )
                raise await (await done)
            else:
                await asyncio.Task(child(), loop=asyncio.get_running_loop(), eager_start=True)

        with pytest.raises(LaneReentryError) as caught:
            await lane.run(parent)
        message = str(caught.value)
        assert "lane 'busy'" in message
        assert "parent (test_reentry.py:" in message
        if way in ("task", "gather", "thread", "timer"):
            assert "start_detached" in message
        if way == "task":
            assert "'heir'" in message
        assert "\n" not in message

    run(main())


def test_an_eager_task_started_in_a_plain_turn_is_in_it(run):
    if sys.version_info < (3, 12):
        pytest.skip("eager tasks exist from 3.12 on")

    async def main():
        lane = StateLane()

        async def child():
            await lane.run(lambda: None)

        task = await lane.run(
            lambda: asyncio.Task(child(), loop=asyncio.get_running_loop(), eager_start=True)
        )
        assert isinstance(await outcome(task), LaneReentryError)

    run(main())


def test_an_inherited_mark_is_free_to_enter_when_the_turn_is_over(run):
    async def main():
        lane = StateLane()
        go_on = asyncio.Event()
        results: list[object] = []

        async def child():
            await go_on.wait()
            await lane.run(results.append, "task")

        def timer() -> None:
            results.append(asyncio.ensure_future(lane.run(lambda: "timer")))

        async def parent():
            asyncio.get_running_loop().call_soon(timer_later, timer)
            return asyncio.create_task(child())

        def timer_later(callback) -> None:
            if lane.stats().active:
                asyncio.get_running_loop().call_soon(timer_later, callback)
            else:
                callback()

        task = await lane.run(parent)
        await settle()
        go_on.set()
        await task
        assert await results[0] == "timer"
        assert results[1] == "task"

    run(main())


def test_a_chain_of_tasks_across_turns_keeps_no_ended_turn(run):
    async def main():
        kept: list[int] = []
        last: asyncio.Task[None] | None = None

        async def hop(left: int, has_begun: asyncio.Event) -> None:
            has_next_begun = asyncio.Event()

            async def inside() -> None:
                nonlocal last
                has_begun.set()
                if left:  # this turn ends after the next one, made within it, has begun
                    last = asyncio.create_task(hop(left - 1, has_next_begun))
                    await has_next_begun.wait()

            await StateLane().run(inside)
            gc.collect()
            kept.append(sum(type(thing).__name__ == "Turn" for thing in gc.get_objects()))

        await hop(12, asyncio.Event())
        await until(lambda: len(kept) == 13)
        assert last is not None
        assert kept[-1] <= kept[4]

    run(main())
