"""Every schedule of small scenarios on lanes keeps what the lane promises."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from lane_runtime import (
    LaneClosedError,
    LaneDeadlockError,
    LaneReentryError,
    StateLane,
    run_all,
    start_detached,
)
from lane_runtime.testing import Outcome, World, explore

from .judging import Recorder, holds_the_promises


def explored(scenario: Callable[[World], object], most: int = 3_000) -> None:
    """Assert that no schedule breaks a promise of the lane, and that there are no others."""
    report = explore(scenario, invariant=holds_the_promises, max_schedules=most)
    assert report.is_clean, str(report)
    assert report.exhausted
    assert report.distinct > 3


def test_turns_of_tasks_never_overlap_and_none_is_lost() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"))
        for number in range(3):
            world.call(recorder.waiting_turn, number)
        return recorder.account

    explored(scenario)


def test_plain_and_waiting_turns_mix() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"))
        world.call(recorder.waiting_turn, 0)
        world.call(recorder.plain_turn, 1)
        world.call(recorder.waiting_turn, 2)
        return recorder.account

    explored(scenario)


def test_a_cancellation_anywhere_tears_no_turn_and_keeps_no_lane() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"))
        world.call(recorder.waiting_turn, 0, cancellable=True)
        world.call(recorder.waiting_turn, 1, cancellable=True)
        return recorder.account

    explored(scenario)


def test_a_cancellation_in_line_loses_neither_the_one_before_nor_the_one_behind() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"))
        world.call(recorder.waiting_turn, 0)
        world.call(recorder.plain_turn, 1, cancellable=True)
        world.call(recorder.plain_turn, 2)
        return recorder.account

    explored(scenario)


def test_posts_run_in_their_order_and_never_inside_the_post() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"))
        world.call(recorder.waiting_turn, 0)
        world.call(recorder.post_two, 1)
        world.call(recorder.plain_turn, 3)
        return recorder.account

    explored(scenario)


def test_close_waits_for_what_was_accepted_and_refuses_the_rest() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"))
        world.call(recorder.waiting_turn, 0)
        world.call(recorder.post_two, 1)
        world.call(recorder.close)
        return recorder.account

    explored(scenario)


def test_a_request_is_accepted_before_the_close_or_refused() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"))
        world.call(recorder.plain_turn, 0)
        world.call(recorder.waiting_turn, 1, cancellable=True)
        world.call(recorder.close)
        return recorder.account

    explored(scenario)


def test_two_closes_and_a_cancelled_one() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"))
        world.call(recorder.waiting_turn, 0)
        world.call(recorder.close, cancellable=True)
        world.call(recorder.close)
        return recorder.account

    explored(scenario)


def test_a_failing_turn_gives_the_lane_up() -> None:
    def scenario(world: World) -> Callable[[], object]:
        recorder = Recorder(world, StateLane("a"), raises=[ConnectionError])
        world.call(recorder.waiting_turn, 0, cancellable=True)
        world.call(recorder.plain_turn, 2)
        return recorder.account

    explored(scenario, most=20_000)


def test_lanes_nested_in_opposite_orders_are_refused_never_stuck() -> None:
    def scenario(world: World) -> None:
        lanes = StateLane("a"), StateLane("b")

        async def both(first: int, second: int) -> bool:
            async def turn() -> None:
                await world.outside("io")
                await lanes[second].run(int)

            try:
                await lanes[first].run(turn)
            except LaneDeadlockError:
                return False
            return True

        world.call(both, 0, 1)
        world.call(both, 1, 0)

    def one_gets_through(outcome: Outcome) -> None:
        assert any(call.value for call in outcome.calls)

    report = explore(scenario, invariant=one_gets_through)
    assert report.is_clean, str(report)
    assert report.exhausted
    assert any(not all(call.value for call in found.outcome.calls) for found in report.overlapped)


def test_run_all_finishes_in_whatever_order_the_lanes_are_given() -> None:
    def scenario(world: World) -> Callable[[], tuple[int, int]]:
        lanes = [StateLane("a"), StateLane("b"), StateLane("c")]
        cents = [10, 10]

        async def transfer(giver: int, taker: int) -> None:
            async def move() -> None:
                cents[giver] -= 1
                await world.outside("io")
                cents[taker] += 1

            await run_all([lanes[giver], lanes[taker]], move)

        world.call(transfer, 0, 1)
        world.call(transfer, 1, 0)
        world.call(lanes[1].run, int)
        return lambda: (cents[0], cents[1])

    report = explore(scenario)
    assert report.is_clean, str(report)
    assert report.exhausted
    assert [found.outcome.state for found in report.overlapped] == [(10, 10)]


@pytest.mark.parametrize("nested", [False, True])
def test_re_entry_is_refused_in_every_schedule(nested: bool) -> None:
    def scenario(world: World) -> None:
        lane, other = StateLane("a"), StateLane("b")

        async def again() -> bool:
            async def inner() -> None:
                await lane.run(int)

            async def turn() -> bool:
                await world.outside("io")
                try:
                    await (other.run(inner) if nested else inner())
                except LaneReentryError:
                    return True
                return False

            return await lane.run(turn)

        world.call(again)
        world.call(lane.run, int)
        world.call(other.run, int)

    def is_refused(outcome: Outcome) -> bool:
        return outcome.calls[0].value is True

    report = explore(scenario, invariant=is_refused)
    assert report.is_clean, str(report)
    assert report.exhausted


def test_a_detached_task_enters_when_the_turn_has_ended() -> None:
    def scenario(world: World) -> list[str]:
        lane = StateLane("a")
        seen: list[str] = []

        async def later() -> None:
            await lane.run(seen.append, "detached")

        async def turn() -> asyncio.Future[None]:
            pending = start_detached(later)
            await world.outside("io")
            seen.append("turn")
            return pending

        async def work() -> None:
            await (await lane.run(turn))

        world.call(work)
        world.call(lane.run, int)
        return seen

    def in_order(outcome: Outcome) -> bool:
        return outcome.state == ["turn", "detached"]

    report = explore(scenario, invariant=in_order)
    assert report.is_clean, str(report)
    assert report.exhausted


def test_the_trace_shows_turns_waits_and_refusals() -> None:
    def scenario(world: World) -> None:
        lane = StateLane("desk")

        async def bind() -> None:
            await world.outside("io")

        async def again() -> None:
            await lane.run(bind)

        world.call(lane.run, bind, name="first")
        world.call(lane.run, again, name="second")
        world.call(lane.close, name="third")

    report = explore(scenario, invariant=lambda outcome: outcome.calls[1].end != "raised")
    assert report.problem is not None
    refused = [(line.task, line.text) for line in report.problem.trace if line.kind == "lane"]
    assert ("second (turn)", "is refused: re-entry into lane 'desk'") in refused
    from lane_runtime.testing import replay

    trace = replay(scenario, "first starts; second starts; third starts").trace
    told = [(line.task, line.text) for line in trace if line.kind == "lane"]
    assert told[0][1].startswith("begins a turn of lane 'desk': ")
    assert told[1] == ("second", "waits in line for lane 'desk', number 1 in it")
    assert told[2] == ("third", "closes lane 'desk'")
    assert told[3] == ("first (turn)", "ends its turn of lane 'desk'")
    assert told[4][0] == "second"


def test_a_call_after_the_close_is_refused() -> None:
    def scenario(world: World) -> None:
        lane = StateLane("a")

        async def use() -> str:
            try:
                await lane.run(int)
            except LaneClosedError:
                return "refused"
            return "done"

        world.call(use)
        world.call(lane.close)

    report = explore(scenario)
    assert report.is_clean
    assert {found.outcome.calls[0].value for found in report.serial} == {"refused", "done"}
