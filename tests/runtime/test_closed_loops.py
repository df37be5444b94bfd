"""Loops that are closed under requests, grants, posts and turns."""

from __future__ import annotations

import asyncio
import gc

import pytest

from lane_runtime import StateLane

from .conftest import poll, settle

pytestmark = [
    pytest.mark.timeout(20),
    # Closing a loop under its tasks is the point; asyncio says so when they are collected.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


started: list[asyncio.Future[object]] = []


@pytest.fixture(autouse=True)
def _forget_started():
    yield
    started.clear()


def start(coroutine) -> None:
    """Start a task that its loop may never finish."""
    started.append(asyncio.ensure_future(coroutine))


def close_under_its_tasks(loop: asyncio.AbstractEventLoop) -> None:
    loop.set_exception_handler(lambda loop, context: None)  # "Task was destroyed but it is pending"
    loop.close()


async def hold(lane: StateLane, may_end: asyncio.Event) -> asyncio.Future[object]:
    """Hold the lane with a turn of the running loop."""
    task = asyncio.ensure_future(lane.run(may_end.wait))
    await settle()
    return task


async def wait_for(task: asyncio.Future[object]) -> object:
    return await task


def test_a_waiter_whose_loop_was_closed_is_skipped(loop_factory):
    lane = StateLane()
    order: list[str] = []
    dying, living = loop_factory(), loop_factory()
    may_end = asyncio.Event()

    async def queue(name: str) -> asyncio.Future[object]:
        start(lane.run(order.append, name))
        await settle()
        return started[-1]

    living.run_until_complete(hold(lane, may_end))
    dying.run_until_complete(queue("dead"))
    alive = living.run_until_complete(queue("alive"))
    close_under_its_tasks(dying)
    may_end.set()
    living.run_until_complete(wait_for(alive))  # no arrival helps
    living.close()
    assert order == ["alive"]


def test_a_post_of_a_closed_loop_still_runs(loop_factory):
    lane = StateLane()
    order: list[str] = []
    dying, living = loop_factory(), loop_factory()
    may_end = asyncio.Event()

    async def post():
        lane.try_post(order.append, "posted")

    holder = living.run_until_complete(hold(lane, may_end))
    dying.run_until_complete(post())
    close_under_its_tasks(dying)
    may_end.set()
    living.run_until_complete(wait_for(holder))  # no arrival helps
    living.close()
    poll(lambda: order == ["posted"])


def test_a_granted_post_whose_loop_was_closed_is_run_before_the_next_arrival(loop_factory):
    lane = StateLane()
    order: list[str] = []
    loop = loop_factory()

    async def post():
        lane.try_post(order.append, "granted")
        lane.try_post(order.append, "queued")

    loop.run_until_complete(post())
    close_under_its_tasks(loop)
    if order == []:  # asyncio runs no callback after the last one of the task; another loop might
        assert lane.stats().stranded
    lane.run_blocking(order.append, "arrival")
    assert order == ["granted", "queued", "arrival"]
    assert lane.stats().abandoned == 0


def test_a_grant_lost_with_its_loop_is_taken_over(loop_factory):
    lane = StateLane()
    ran: list[str] = []
    dying, living = loop_factory(), loop_factory()
    may_end = asyncio.Event()

    async def queue():
        start(lane.run(ran.append, "dead"))
        await settle()

    holder = living.run_until_complete(hold(lane, may_end))
    dying.run_until_complete(queue())
    may_end.set()
    living.run_until_complete(wait_for(holder))  # grants to the task of a loop that will not run again
    close_under_its_tasks(dying)
    assert lane.stats().stranded
    assert living.run_until_complete(lane.run(lambda: "next")) == "next"
    assert ran == []
    assert not lane.stats().active
    living.close()


@pytest.mark.parametrize("way", ["run", "run_blocking", "try_post", "close"])
def test_a_turn_suspended_on_a_closed_loop_gives_the_lane_to_the_next_arrival(loop_factory, way):
    lane = StateLane()
    ran: list[str] = []
    dying, living = loop_factory(), loop_factory()

    async def suspend():
        start(lane.run(asyncio.Event().wait))
        await settle()

    dying.run_until_complete(suspend())
    close_under_its_tasks(dying)
    figures = lane.stats()
    assert (figures.active, figures.stranded, figures.abandoned) == (True, True, 0)
    if way == "run":
        living.run_until_complete(lane.run(ran.append, "next"))
    elif way == "run_blocking":
        lane.run_blocking(ran.append, "next")
    elif way == "try_post":
        lane.try_post(ran.append, "next")
        poll(lambda: ran == ["next"])
    else:
        living.run_until_complete(lane.close())
    poll(lambda: not lane.stats().active)
    figures = lane.stats()
    assert (figures.stranded, figures.abandoned) == (False, 1)
    started.clear()
    gc.collect()  # the torn turn is destroyed now, and must not release the lane a second time
    assert lane._token == [None]
    if way != "close":
        assert ran == ["next"]
        assert lane.run_blocking(lambda: 1) == 1
    living.close()


def test_the_shutdown_of_asyncio_run_releases_the_lane(loop_factory):
    lane = StateLane()
    steps: list[str] = []

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            steps.append("torn")

    async def main(turns_of_loop: int):
        tasks = [asyncio.create_task(lane.run(work)) for _ in range(2)]
        tasks.append(asyncio.create_task(lane.run(steps.append, "never")))
        await settle(turns_of_loop)
        return tasks

    for turns_of_loop in (0, 1, 2, 5):
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            tasks = runner.run(main(turns_of_loop))
        assert all(task.cancelled() for task in tasks)
        assert lane.run_blocking(lambda: "free") == "free"
    assert "never" not in steps
    assert "torn" in steps


def test_posts_left_at_the_end_of_asyncio_run_are_run(loop_factory):
    lane = StateLane()
    seen: list[int] = []

    async def main():
        for i in range(500):
            lane.try_post(seen.append, i)

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())
    lane.run_blocking(lambda: None)
    assert seen == list(range(500))
