"""What a time-out of a thread's call means: before the turn has started, and after."""

from __future__ import annotations

import asyncio
import threading

import pytest

from lane_runtime import StateLane

from .conftest import HeldByThread, poll

pytestmark = pytest.mark.timeout(20)


def test_a_time_out_while_queued_means_that_the_turn_did_not_run():
    lane = StateLane("slow")
    ran: list[int] = []
    with HeldByThread(lane):
        with pytest.raises(TimeoutError, match=r"lane 'slow'.*did not run.*_turn"):
            lane.run_blocking(ran.append, 1, timeout=0.01)
        assert lane.stats().queued == 0
        assert lane.stats().withdrawn == 1
    assert lane.run_blocking(lambda: 1) == 1
    assert ran == []


def test_a_time_out_after_the_start_means_that_the_turn_ends_by_itself():
    lane = StateLane("slow")
    order: list[str] = []
    may_end = threading.Event()

    async def work():
        await asyncio.to_thread(may_end.wait)
        order.append("ended")

    with pytest.raises(TimeoutError, match=r"lane 'slow'.*did start"):
        lane.run_blocking(work, timeout=0.01)
    assert order == []
    may_end.set()
    lane.run_blocking(order.append, "next")
    assert order == ["ended", "next"]


def test_a_failure_after_the_caller_has_gone_is_reported():
    from lane_runtime._blocking import runtime_loop

    lane = StateLane("slow")
    may_end = threading.Event()
    seen: list[dict[str, object]] = []
    runtime_loop().set_exception_handler(lambda loop, context: seen.append(context))

    async def work():
        await asyncio.to_thread(may_end.wait)
        raise ValueError("late")

    try:
        with pytest.raises(TimeoutError):
            lane.run_blocking(work, timeout=0.01)
        may_end.set()
        poll(lambda: bool(seen))
    finally:
        runtime_loop().set_exception_handler(None)
    assert isinstance(seen[0]["exception"], ValueError)
    assert "'slow'" in seen[0]["message"]


def test_plain_work_that_overruns_its_time_out_gives_its_result():
    lane = StateLane()
    assert lane.run_blocking(lambda: 1, timeout=0) == 1


def test_a_timeout_that_is_no_number_is_refused_before_anything_runs():
    lane = StateLane()
    with pytest.raises(ValueError, match="timeout of run_blocking must be seconds or None, not nan"):
        lane.run_blocking(int, timeout=float("nan"))
    assert lane.stats().turns == 0
