"""The pitfalls and the small print of the contract that no other file covers."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from lane_runtime import StateLane, _core, _lane, start_detached

from .conftest import Held, outcome, settle, until

pytestmark = pytest.mark.timeout(30)


def test_a_cancellation_that_is_delivered_in_every_cycle_wakes_the_caller_once(run):
    """As an anyio cancel scope does: it cancels again and again until its task has gone."""

    async def main():
        lane = StateLane()
        may_end = asyncio.Event()
        steps = 0

        class Counted:
            """An awaitable shell that counts how often its inner coroutine is stepped."""

            def __init__(self, inner):
                self.inner = inner

            def __await__(self):
                nonlocal steps
                iterator = self.inner.__await__()
                try:
                    sent = iterator.send(None)
                    while True:
                        steps += 1
                        try:
                            yield sent
                        except BaseException as error:
                            sent = iterator.throw(error)
                        else:
                            sent = iterator.send(None)
                except StopIteration as stop:
                    return stop.value

        async def call():
            await Counted(lane.run(may_end.wait))

        task = asyncio.create_task(call())
        await settle()
        for _ in range(200):
            task.cancel()
            await asyncio.sleep(0)
        assert steps == 2
        may_end.set()
        assert isinstance(await outcome(task), asyncio.CancelledError)

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


def test_a_finalizer_may_post_while_the_lane_is_being_changed(run):
    class Posting:
        def __init__(self, lane: StateLane, seen: list[int]) -> None:
            self.lane, self.seen, self.cycle = lane, seen, self

        def __del__(self) -> None:
            self.lane.try_post(self.seen.append, 1)

    async def main():
        lane = StateLane()
        seen: list[int] = []
        threshold = gc.get_threshold()
        gc.set_threshold(5, 2, 2)
        try:
            for _ in range(200):
                Posting(lane, seen)
                async with Held(lane):
                    lane.try_post(int)
        finally:
            gc.set_threshold(*threshold)
        gc.collect()
        await lane.close()
        assert len(seen) == 200

    run(main())


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_a_signal_handler_may_post_at_any_time():
    lane = StateLane()
    sent: list[int] = []
    seen: list[int] = []

    def handle(number, frame):
        if len(sent) < 100:
            sent.append(1)
            lane.try_post(seen.append, 1)

    before = signal.signal(signal.SIGVTALRM, handle)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0005, 0.0005)
    try:
        while len(sent) < 100:
            lane.try_post(int)
            lane.run_blocking(int)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    lane.run_blocking(int)
    assert len(seen) == 100


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


class Meddling(list):
    """The token of a lane, with something that happens in another thread at the worst moment."""

    before_append = after_pop = None

    def append(self, item):
        meddle, self.before_append = self.before_append, None
        if meddle is not None:
            meddle()
        super().append(item)

    def pop(self):
        item = super().pop()
        meddle, self.after_pop = self.after_pop, None
        if meddle is not None:
            meddle()
        return item


@pytest.mark.parametrize("is_mutex_at_both_ends", [False, True])
def test_an_arrival_between_the_last_look_and_the_release_is_not_lost(
    run, monkeypatch, is_mutex_at_both_ends
):
    monkeypatch.setattr(_core, "FREE_THREADED", is_mutex_at_both_ends)
    monkeypatch.setattr(_lane, "FREE_THREADED", is_mutex_at_both_ends)

    async def main():
        lane = StateLane()
        seen: list[str] = []
        lane._token = token = Meddling([None])
        for is_coroutine in (False, True):
            token.before_append = lambda: lane.try_post(seen.append, "arrival")
            await lane.run(settle if is_coroutine else int)
            await until(lambda: bool(seen))
            assert seen.pop() == "arrival"
            assert not lane.stats().active

    run(main())


def test_an_arrival_between_the_token_and_the_look_goes_first(run):
    async def main():
        lane = StateLane()
        order: list[str] = []
        lane._token = token = Meddling([None])
        token.after_pop = lambda: lane.try_post(order.append, "arrival")
        await lane.run(order.append, "run")
        assert order == ["arrival", "run"]

    run(main())


def test_an_idle_lane_takes_at_most_300_bytes():
    import tracemalloc

    async def use(lanes: list[StateLane]) -> None:
        for lane in lanes:
            await lane.run(int)

    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        lanes = [StateLane() for _ in range(1000)]
        fresh = (tracemalloc.get_traced_memory()[0] - before) / len(lanes)
        asyncio.run(use(lanes))
        gc.collect()
        used = (tracemalloc.get_traced_memory()[0] - before) / len(lanes)
    finally:
        tracemalloc.stop()
    assert fresh <= 300
    assert used <= 320


def run_script(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def test_a_program_that_used_the_loop_of_the_runtime_ends_cleanly():
    done = run_script(
        """
        import asyncio, threading
        from lane_runtime import StateLane
        lane = StateLane()
        async def work(): await asyncio.sleep(0); return 1
        assert lane.run_blocking(work) == 1
        lane.try_post(print, "posted")
        lane.try_post(work)
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "posted\n", "")


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs fork")
def test_a_forked_child_gets_a_loop_of_its_own():
    done = run_script(
        """
        import os, warnings
        warnings.simplefilter("ignore")  # fork in a program with threads
        from lane_runtime import StateLane
        lane = StateLane()
        async def work(): return os.getpid()
        assert lane.run_blocking(work) == os.getpid()
        child = os.fork()
        if not child:
            os._exit(0 if lane.run_blocking(work) == os.getpid() else 3)
        assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_runtime_starts_nothing():
    done = run_script(
        """
        import threading
        import lane_runtime
        lane_runtime.StateLane("idle")
        assert threading.active_count() == 1
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


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


def test_a_keyboard_interrupt_in_a_turn_releases_the_lane(run):
    lane = StateLane()

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lane.run_blocking(interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(lane.run(interrupt))
    assert lane.run_blocking(threading.get_ident) == threading.get_ident()
