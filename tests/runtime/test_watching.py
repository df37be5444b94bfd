"""Figures, events, capacity, and the text of a lane."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
import threading

import pytest

from lane_runtime import LaneClosedError, LaneEvent, LaneFullError, LaneReentryError, LaneStats, StateLane

from .conftest import Held, outcome, poll, settle, until


def test_an_idle_lane_shows_zeros():
    figures = StateLane().stats()
    assert figures == LaneStats(
        active=False, active_age=0.0, queued=0, oldest_age=0.0, turns=0, withdrawn=0, rejected=0,
        max_queued=0, post_errors=0, closed=False, stranded=False, abandoned=0,
    )  # fmt: skip
    with pytest.raises(dataclasses.FrozenInstanceError):
        figures.turns = 1


def test_figures_follow_the_turns(run):
    async def main():
        lane = StateLane()
        async with Held(lane) as held:
            tasks = [asyncio.create_task(lane.run(int)) for _ in range(3)]
            await settle()
            figures = lane.stats()
            assert (figures.active, figures.queued, figures.max_queued) == (True, 3, 3)
            await until(lambda: lane.stats().active_age > 0 and lane.stats().oldest_age > 0)
            assert lane.stats().active_age >= lane.stats().oldest_age
            tasks[1].cancel()
            await settle()
            held.release()
            await asyncio.gather(*tasks, return_exceptions=True)
        figures = lane.stats()
        assert (figures.turns, figures.withdrawn, figures.queued, figures.max_queued) == (3, 1, 0, 3)
        assert (figures.active, figures.active_age, figures.oldest_age) == (False, 0.0, 0.0)

    run(main())


@pytest.mark.parametrize("way", ["run", "run_blocking", "post"])
def test_another_thread_sees_how_long_a_plain_turn_has_hung(way):
    lane = StateLane()
    may_end = threading.Event()

    def serve():
        async def main():
            await lane.run(may_end.wait)

        if way == "run":
            asyncio.run(main())
        elif way == "post":
            lane.try_post(may_end.wait)
        else:
            lane.run_blocking(may_end.wait)

    thread = threading.Thread(target=serve)
    thread.start()
    poll(lambda: lane.stats().active)
    first = lane.stats().active_age
    poll(lambda: lane.stats().active_age > first)
    may_end.set()
    thread.join()
    poll(lambda: not lane.stats().active)


def test_the_text_of_a_lane_says_what_it_does(run):
    async def main():
        lane = StateLane("pool")
        assert repr(lane) == "<StateLane 'pool' idle, 0 turns>"
        async with Held(lane):
            task = asyncio.create_task(lane.run(int))
            await settle()
            assert repr(lane).startswith("<StateLane 'pool' in Held._turn (conftest.py:")
            assert repr(lane).endswith("1 queued, 0 turns>")
        await task
        assert (await lane.run(lane.__repr__)).startswith("<StateLane 'pool' in StateLane.__repr__")
        await lane.close()
        assert repr(lane) == "<StateLane 'pool' closed, idle, 3 turns>"

    run(main())


# Capacity


def test_capacity_counts_waiting_requests_and_not_the_active_turn(run):
    async def main():
        lane = StateLane("small", capacity=2)
        async with Held(lane):
            tasks = [asyncio.create_task(lane.run(int)) for _ in range(2)]
            await settle()
            with pytest.raises(LaneFullError, match=r"lane 'small' has 2 waiting .*Held\._turn"):
                await lane.run(int)
            with pytest.raises(LaneFullError):
                lane.try_post(int)
            tasks[0].cancel()
            await settle()
            assert lane.try_post(int) is True
            assert lane.stats().rejected == 2
        await asyncio.gather(*tasks, return_exceptions=True)
        await lane.close()
        assert lane.try_post(int) is False

    run(main())


def test_capacity_zero_runs_only_on_a_free_lane(run):
    async def main():
        lane = StateLane(capacity=0)
        assert await lane.run(lambda: 1) == 1
        async with Held(lane):
            assert isinstance(await outcome(lane.run(int)), LaneFullError)
        assert await lane.run(lambda: 2) == 2

    run(main())


@pytest.mark.parametrize("capacity", [-1, 1.5, "3"])
def test_a_capacity_that_is_no_count_is_refused(capacity):
    with pytest.raises(ValueError, match="capacity of a lane must be"):
        StateLane(capacity=capacity)


# Events


def test_the_observer_sees_each_step_with_its_age(run):
    async def main():
        events: list[LaneEvent] = []
        lane = StateLane("seen", observer=events.append)
        await lane.run(int)
        async with Held(lane) as held:
            withdrawn = asyncio.create_task(outcome(lane.run(str)))
            await settle()
            withdrawn.cancel()
            await withdrawn
            lane.try_post(list)
            held.release()
        await lane.close()
        assert isinstance(await outcome(lane.run(dict)), LaneClosedError)
        assert {event.lane for event in events} == {"seen"}
        steps = [(event.kind, event.work.split(" ")[0]) for event in events]
        assert steps == [
            ("queued", "int"), ("started", "int"), ("ended", "int"),
            ("queued", "Held._turn"), ("started", "Held._turn"),
            ("queued", "str"), ("withdrawn", "str"),
            ("queued", "list"),
            ("ended", "Held._turn"),
            ("started", "list"), ("ended", "list"),
            ("rejected", "dict"),
        ]  # fmt: skip
        ages = {(event.kind, event.work.split(" ")[0]): (event.waited, event.ran) for event in events}
        assert ages["withdrawn", "str"][0] > 0
        assert ages["started", "list"][0] > 0
        assert ages["ended", "Held._turn"][1] > 0

    run(main())


def test_an_observer_that_fails_is_reported_and_harms_no_turn(loop_factory):
    async def main():
        seen: list[dict[str, object]] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: seen.append(context))

        def fail(event: LaneEvent) -> None:
            raise KeyError(event.kind)

        lane = StateLane("seen", observer=fail)
        assert await lane.run(lambda: 1) == 1
        assert [context["exception"].args for context in seen] == [("queued",), ("started",), ("ended",)]
        assert "'seen'" in seen[0]["message"]

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_an_observer_that_fails_on_a_plain_thread_reaches_the_unraisable_hook(monkeypatch):
    seen: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda fault: seen.append(fault.exc_type))

    def fail(event: LaneEvent) -> None:
        raise KeyError

    assert StateLane(observer=fail).run_blocking(lambda: 1) == 1
    assert seen == [KeyError] * 3


@pytest.mark.parametrize("error", [asyncio.CancelledError, GeneratorExit, KeyboardInterrupt])
@pytest.mark.parametrize("kind", ["queued", "started", "ended"])
def test_no_exception_of_an_observer_costs_the_lane(error, kind):
    async def main():
        seen: list[object] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: seen.append(context["exception"])
        )

        def fail(event: LaneEvent) -> None:
            if event.kind == kind:
                raise error

        lane = StateLane(observer=fail)
        assert await lane.run(lambda: 1) == 1
        assert await asyncio.wait_for(lane.run(lambda: 2), 10) == 2
        assert [type(one) for one in seen] == [error, error]
        assert not lane.stats().active

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["queued", "started", "ended"])
def test_an_observer_that_waits_for_its_own_lane_is_refused(kind):
    got: list[object] = []

    def ask(event: LaneEvent) -> None:
        if event.kind == kind and not got:
            got.append(None)
            with pytest.raises(LaneReentryError) as refusal:
                lane.run_blocking(int, timeout=10)
            got[0] = str(refusal.value)

    lane = StateLane("seen", observer=ask)
    assert lane.run_blocking(str) == ""
    assert "lane 'seen'" in got[0]
    assert "str" in got[0]
    assert lane.run_blocking(int, timeout=10) == 0
