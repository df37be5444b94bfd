"""What a turn is, who runs it, and what comes out of it: first rows of the decision table."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading

import pytest

from lane_runtime import LaneMisuseError, StateLane

from .conftest import Held, outcome, settle

setting: contextvars.ContextVar[str] = contextvars.ContextVar("setting", default="unset")


def drive(coroutine):
    """Step a coroutine by hand: its result, provided that it does not suspend even once."""
    with pytest.raises(StopIteration) as stop:
        coroutine.send(None)
    return stop.value.value


# What is a turn


def test_plain_work_gives_its_result_and_its_exception(run):
    async def main():
        lane = StateLane()
        assert await lane.run(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await lane.run(divmod, 1, 0)
        assert await lane.run(lambda: 5) == 5
        assert lane.stats().turns == 3

    run(main())


def test_a_coroutine_that_work_returns_is_run_in_the_same_turn(run):
    class Call:
        async def __call__(self, value: int) -> int:
            await asyncio.sleep(0)
            return value

    async def double(value: int) -> int:
        await asyncio.sleep(0)
        return 2 * value

    async def main():
        lane = StateLane()
        assert await lane.run(double, 2) == 4
        assert await lane.run(functools.partial(double, 3)) == 6
        assert await lane.run(lambda: double(4)) == 8
        assert await lane.run(Call(), 9) == 9
        assert lane.stats().turns == 4

    run(main())


@pytest.mark.parametrize("is_contended", [False, True])
def test_a_generator_is_refused(run, is_contended):
    def numbers():
        yield 1

    async def more_numbers():
        yield 1

    async def main():
        lane = StateLane("numbers")
        for work in (numbers, more_numbers, lambda: (n for n in [1])):
            if is_contended:
                async with Held(lane):
                    pending = asyncio.create_task(outcome(lane.run(work)))
                    await settle()
                error = await pending
            else:
                error = await outcome(lane.run(work))
            assert isinstance(error, LaneMisuseError)
            assert "lane 'numbers'" in str(error)
        assert await lane.run(lambda: 1) == 1

    run(main())


def test_a_task_or_a_future_is_a_result_and_is_not_waited_for(run):
    async def main():
        lane = StateLane()
        future = asyncio.get_running_loop().create_future()
        assert await lane.run(lambda: future) is future
        task = await lane.run(lambda: asyncio.create_task(asyncio.sleep(0, "late")))
        assert not task.done()
        assert await task == "late"

    run(main())


def test_any_value_comes_back_as_it_is():
    class Odd:
        def send(self) -> None: ...

    lane = StateLane()
    for value in (None, True, 1.5, "text", b"", (), [], {}, set(), Odd(), Odd, object(), iter([1])):
        assert drive(lane.run(lambda value=value: value)) is value


# Who runs it


@pytest.mark.parametrize("is_contended", [False, True])
def test_plain_work_runs_in_the_callers_task_thread_and_context(run, is_contended):
    async def main():
        lane = StateLane()

        def work():
            before = setting.get()
            setting.set("changed")
            return asyncio.current_task(), threading.get_ident(), before

        async def call():
            setting.set("mine")
            return (*await lane.run(work), asyncio.current_task(), setting.get())

        if is_contended:
            async with Held(lane):
                pending = asyncio.create_task(call())
                await settle()
            ran_in, thread, before, called_in, after = await pending
        else:
            ran_in, thread, before, called_in, after = await call()
        assert ran_in is called_in
        assert thread == threading.get_ident()
        assert (before, after) == ("mine", "changed")

    run(main())


def test_a_coroutine_turn_sees_the_callers_context(run):
    async def main():
        setting.set("mine")

        async def read():
            await asyncio.sleep(0)
            return setting.get()

        assert await StateLane().run(read) == "mine"

    run(main())


def test_a_post_runs_in_a_callback_of_the_posters_loop_with_the_posters_context(run):
    async def main():
        lane = StateLane()
        seen: list[object] = []
        setting.set("posted")
        assert lane.try_post(
            lambda: seen.append((asyncio.get_running_loop(), asyncio.current_task(), setting.get()))
        )
        assert seen == []
        await lane.close()
        assert seen == [(asyncio.get_running_loop(), None, "posted")]

    run(main())


def test_plain_threads_share_one_lazily_made_daemon_loop():
    lane = StateLane()
    seen: list[object] = []

    def note():
        seen.append((asyncio.get_running_loop(), threading.current_thread()))

    for _ in range(2):
        thread = threading.Thread(target=lane.try_post, args=(note,))
        thread.start()
        thread.join()
    lane.run_blocking(lambda: None)
    (first_loop, first_thread), second = seen
    assert second == (first_loop, first_thread)
    assert first_thread.daemon
    assert first_thread not in (thread, threading.main_thread())


# Uncontended


def test_uncontended_plain_work_does_not_suspend():
    assert drive(StateLane().run(lambda: 7)) == 7


def test_an_uncontended_coroutine_that_does_not_suspend_does_not_suspend_its_caller(run):
    async def main():
        async def work():
            return 8

        assert drive(StateLane().run(work)) == 8

    run(main())


# Coroutine turns


def test_a_time_out_inside_a_turn_and_one_around_it_are_told_apart(run):
    async def main():
        lane = StateLane()
        seen: list[str] = []

        async def work():
            try:
                async with asyncio.timeout(0):
                    await asyncio.Event().wait()
            except TimeoutError:
                seen.append("inner")
            assert asyncio.current_task().cancelling() == 0
            return "done"

        async with asyncio.timeout(60):
            assert await lane.run(work) == "done"
        assert seen == ["inner"]
        assert asyncio.current_task().cancelling() == 0

    run(main())


def test_a_task_group_inside_a_turn_cancels_the_turns_task_only(run):
    async def main():
        async def fail():
            raise KeyError("child")

        async def work():
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
                await asyncio.Event().wait()

        with pytest.raises(ExceptionGroup) as caught:
            await StateLane().run(work)
        assert caught.group_contains(KeyError) if hasattr(caught, "group_contains") else True
        assert asyncio.current_task().cancelling() == 0

    run(main())


def test_two_turns_never_overlap_although_they_suspend(run):
    async def main():
        lane = StateLane()
        inside = 0

        async def work():
            nonlocal inside
            inside += 1
            assert inside == 1
            await settle(3)
            inside -= 1

        await asyncio.gather(*(lane.run(work) for _ in range(20)))
        assert lane.stats().turns == 20

    run(main())


def test_a_failure_releases_the_lane(run):
    async def main():
        lane = StateLane()

        async def fail():
            await asyncio.sleep(0)
            raise ValueError("turn")

        for error in await asyncio.gather(*(lane.run(fail) for _ in range(3)), return_exceptions=True):
            assert isinstance(error, ValueError)
        assert not lane.stats().active

    run(main())


def test_work_that_cancels_itself_ends_as_cancelled(run):
    async def main():
        lane = StateLane()

        async def work():
            asyncio.current_task().cancel()
            await asyncio.sleep(0)

        with pytest.raises(asyncio.CancelledError):
            await lane.run(work)
        assert asyncio.current_task().cancelling() == 0
        assert await lane.run(lambda: 1) == 1

    run(main())
