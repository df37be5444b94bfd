"""The lane and the process around it: memory, finalizers, signals, forks, the end."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from lane_runtime import StateLane
from lane_runtime._core import FREE_THREADED

from .conftest import Held

pytestmark = pytest.mark.timeout(30)


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
    # Objects have larger heads in a free-threaded build; after a turn there are two more of them.
    assert used <= (352 if FREE_THREADED else 320)


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


def test_a_keyboard_interrupt_in_a_turn_releases_the_lane(run):
    lane = StateLane()

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lane.run_blocking(interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(lane.run(interrupt))
    assert lane.run_blocking(threading.get_ident) == threading.get_ident()
