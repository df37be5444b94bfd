"""Posted turns: never inside the call, in order, and no failure is lost."""

from __future__ import annotations

import asyncio
import threading

import pytest

from lane_runtime import LaneReentryError, StateLane

from .conftest import settle, until


def test_a_post_never_runs_inside_the_call(run):
    async def main():
        lane = StateLane()
        seen: list[int] = []
        assert lane.try_post(seen.append, 1) is True
        assert seen == []
        assert lane.stats().active
        await until(lambda: seen == [1])
        assert not lane.stats().active

    run(main())


def test_posts_and_runs_share_one_order(run):
    async def main():
        lane = StateLane()
        order: list[int] = []
        lane.try_post(order.append, 0)
        lane.try_post(order.append, 1)
        await lane.run(order.append, 2)
        lane.try_post(order.append, 3)
        assert await lane.run(lambda: list(order)) == [0, 1, 2, 3]

    run(main())


def test_a_turn_may_post_to_its_own_lane_and_the_post_runs_after_it(run):
    async def main():
        lane = StateLane()
        order: list[str] = []

        def plain():
            lane.try_post(order.append, "posted by plain")
            order.append("plain")

        async def coroutine():
            lane.try_post(order.append, "posted by coroutine")
            await settle()
            order.append("coroutine")

        await lane.run(plain)
        await lane.run(coroutine)
        await lane.close()
        assert order == ["plain", "posted by plain", "coroutine", "posted by coroutine"]

    run(main())


def test_posts_that_post_again_do_not_keep_the_loop_from_other_work(run):
    async def main():
        lane = StateLane()
        turns = 0

        def again():
            nonlocal turns
            turns += 1
            if turns < 10_000:
                lane.try_post(again)

        for _ in range(10):
            lane.try_post(again)
        await settle(5)
        assert turns < 1000
        turns = 10_000

    run(main())


def test_a_posted_coroutine_runs_to_its_end(run):
    async def main():
        lane = StateLane()
        order: list[str] = []

        async def slow(name: str):
            order.append(name + " begun")
            await settle(3)
            order.append(name + " ended")

        lane.try_post(slow, "a")
        lane.try_post(order.append, "b")
        lane.try_post(slow, "c")
        await lane.close()
        assert order == ["a begun", "a ended", "b", "c begun", "c ended"]

    run(main())


def test_a_post_does_not_inherit_the_turn_it_was_posted_in(run):
    async def main():
        first, second = StateLane("first"), StateLane("second")
        seen: list[object] = []

        async def posted():
            seen.append(StateLane.current())
            seen.append(await first.run(lambda: "entered"))

        async def work():
            second.try_post(posted)
            await until(lambda: first.stats().queued == 1)

        await first.run(work)
        await second.close()
        assert seen == [second, "entered"]

    run(main())


# Failures


@pytest.mark.parametrize("kind", ["plain", "coroutine", "suspending", "generator"])
def test_a_failing_post_goes_to_on_post_error_and_the_lane_goes_on(run, kind):
    async def main():
        errors: list[BaseException] = []
        seen: list[object] = []

        def note(error: BaseException) -> None:
            errors.append(error)
            seen.append(lane.is_on_lane)

        lane = StateLane(on_post_error=note)

        def fail():
            raise ValueError("plain")

        async def fail_at_once():
            raise ValueError("coroutine")

        async def fail_later():
            await asyncio.sleep(0)
            raise ValueError("suspending")

        def generator():
            yield

        work = {"plain": fail, "coroutine": fail_at_once, "suspending": fail_later, "generator": generator}
        lane.try_post(work[kind])
        lane.try_post(seen.append, "next")
        await lane.close()
        assert [kind == "generator" or str(error) == kind for error in errors] == [True]
        assert sorted(seen, key=str) == [False, "next"]
        assert lane.stats().post_errors == 1
        assert lane.stats().turns == 2

    run(main())


@pytest.mark.parametrize("steps", [0, 1])
def test_the_failure_of_a_post_is_told_when_the_lane_is_free_again(run, steps):
    async def main():
        seen: list[tuple[bool, bool]] = []
        lane = StateLane(on_post_error=lambda _: seen.append((lane.is_on_lane, lane.stats().active)))

        async def fail():
            await settle(steps)
            raise ValueError

        lane.try_post(fail)
        await until(lambda: bool(seen))
        assert seen == [(False, False)]

    run(main())


def test_without_on_post_error_the_failure_reaches_the_loops_handler(loop_factory):
    async def main():
        seen: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: seen.append(context))
        lane = StateLane("posts")
        lane.try_post(divmod, 1, 0)
        await lane.close()
        assert isinstance(seen[0]["exception"], ZeroDivisionError)
        assert "'posts'" in seen[0]["message"]

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_when_on_post_error_fails_both_errors_reach_the_loops_handler(loop_factory):
    async def main():
        seen: list[object] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: seen.append(type(context["exception"]))
        )

        def fail(error: BaseException) -> None:
            raise KeyError

        lane = StateLane(on_post_error=fail)
        lane.try_post(divmod, 1, 0)
        await lane.close()
        assert seen == [ZeroDivisionError, KeyError]

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_reentry_from_a_posted_turn_is_refused(run):
    async def main():
        errors: list[BaseException] = []
        lane = StateLane(on_post_error=errors.append)

        async def again():
            await lane.run(lambda: None)

        lane.try_post(again)
        await lane.close()
        assert [type(error) for error in errors] == [LaneReentryError]

    run(main())


def test_posts_of_many_threads_are_all_run_in_each_threads_order():
    lane = StateLane()
    seen: list[tuple[int, int]] = []

    def post(name: int) -> None:
        for i in range(200):
            lane.try_post(seen.append, (name, i))

    threads = [threading.Thread(target=post, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lane.run_blocking(lambda: None)
    assert len(seen) == 800
    for name in range(4):
        assert [i for other, i in seen if other == name] == list(range(200))
