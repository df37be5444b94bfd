"""The classic faults are found, by their simplest schedule, and their mended twins pass."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from lane_runtime.testing import Outcome, World, explore

from .components import Account, LaneAccount, LockedAccount, two_additions


def test_the_lost_update_is_found_with_its_shortest_schedule() -> None:
    report = explore(two_additions(Account))
    assert report.problem is not None
    assert report.problem.kind == "no serial order"
    assert report.problem.outcome.state == 2
    assert report.problem.schedule == "add#1 starts; add#2 starts; fetch#1 ends; fetch#2 ends"
    assert [found.outcome.state for found in report.serial] == [3]


@pytest.mark.parametrize("kind", [LockedAccount, LaneAccount])
def test_the_guarded_twin_passes_every_schedule(kind: type[Account]) -> None:
    report = explore(two_additions(kind))
    assert report.problem is None
    assert report.exhausted
    assert report.is_clean


def test_without_stopping_every_outcome_is_kept_with_its_first_schedule() -> None:
    report = explore(two_additions(Account), stop_at_first=False)
    assert report.exhausted
    assert sorted(found.outcome.state for found in report.overlapped) == [1, 2]
    assert report.problem is not None
    assert report.problem.schedule == report.overlapped[0].schedule


def test_an_invariant_takes_the_place_of_the_serial_orders() -> None:
    def is_positive(outcome: Outcome) -> bool:
        return outcome.state > 0

    assert explore(two_additions(Account), invariant=is_positive).is_clean


def test_an_assertion_in_the_invariant_is_the_message() -> None:
    def all_is_there(outcome: Outcome) -> None:
        assert outcome.state == 3, "an addition is lost"

    report = explore(two_additions(Account), invariant=all_is_there)
    assert report.problem is not None
    assert report.problem.kind == "invariant broken"
    assert "an addition is lost" in report.problem.message


def test_an_async_scenario_may_assert_by_itself() -> None:
    async def scenario(world: World) -> None:
        account = Account(world.fake("fetch"))
        async with asyncio.TaskGroup() as group:
            group.create_task(account.add(1))
            group.create_task(account.add(2))
        assert account.balance == 3, "lost"

    report = explore(scenario)
    assert report.problem is not None
    assert report.problem.kind == "scenario failed"
    assert "lost" in report.problem.message


def test_an_async_scenario_may_wait_for_its_calls() -> None:
    async def scenario(world: World) -> tuple[int, int]:
        account = LockedAccount(world.fake("fetch"))
        first = world.call(account.add, 1)
        await first
        second = world.call(account.add, 2)
        await second
        return account.balance, len(world.calls)

    report = explore(scenario)
    assert report.is_clean
    assert [found.outcome.state for found in report.serial] == [(3, 2)]


def test_an_error_that_no_caller_sees_is_a_problem_only_when_no_serial_run_has_it() -> None:
    def scenario(world: World) -> None:
        state = {"open": True}

        async def use() -> None:
            await world.outside("io")
            if not state["open"]:
                raise ConnectionError("closed in between")

        async def start() -> None:
            state["task"] = asyncio.ensure_future(use())  # type: ignore[assignment]

        async def close() -> None:
            state["open"] = False

        world.call(start)
        world.call(close)

    report = explore(scenario)
    assert report.problem is not None
    assert report.problem.kind == "error"
    assert "closed in between" in report.problem.message


def test_a_call_that_fails_alone_too_is_no_problem() -> None:
    def scenario(world: World) -> None:
        async def fail() -> None:
            await world.outside("io")
            raise KeyError("always")

        world.call(fail)
        world.call(fail)

    report = explore(scenario)
    assert report.is_clean
    assert report.serial[0].outcome.calls[0].end == "raised"


def test_each_run_has_a_context_of_its_own() -> None:
    from contextvars import ContextVar

    seen: list[int] = []
    variable = ContextVar("variable", default=0)

    def scenario(world: World) -> None:
        seen.append(variable.get())
        variable.set(variable.get() + 1)
        world.call(lambda: None)

    explore(scenario)
    assert set(seen) == {0}


def test_plain_functions_are_calls_too() -> None:
    def scenario(world: World) -> Callable[[], list[int]]:
        order: list[int] = []
        world.call(order.append, 1)
        world.call(order.append, 2)
        return lambda: order

    report = explore(scenario)
    assert report.is_clean
    assert [found.outcome.state for found in report.serial] == [[1, 2], [2, 1]]


def test_less_than_one_schedule_is_refused() -> None:
    with pytest.raises(ValueError, match="max_schedules must be 1 or more, not 0"):
        explore(two_additions(Account), max_schedules=0)


def test_the_report_is_said_in_words() -> None:
    text = str(explore(two_additions(Account)))
    assert "schedules tried" in text
    assert "no serial order: add#1 returned None; add#2 returned None; state 2" in text
    assert "in order: add#1 returned None; add#2 returned None; state 3" in text
    assert "replay: add#1 starts; add#2 starts; fetch#1 ends; fetch#2 ends" in text
