"""How many schedules there are, how many are tried, and that both are said."""

from __future__ import annotations

import asyncio
from math import factorial

import pytest

from lane_runtime.testing import World, explore

from .components import Account, independent, two_additions


def interleavings(calls: int, steps: int) -> int:
    """In how many orders the steps of independent calls can happen."""
    return factorial(calls * steps) // factorial(steps) ** calls


@pytest.mark.parametrize(
    ("calls", "operations"), [(1, 0), (1, 3), (2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1), (3, 2), (4, 1)]
)
def test_independent_calls_have_as_many_schedules_as_their_steps_have_orders(
    calls: int, operations: int
) -> None:
    report = explore(independent(calls, operations), max_schedules=100_000)
    assert report.exhausted
    assert report.is_clean
    # A start is a step like the end of an operation.
    assert report.distinct == interleavings(calls, operations + 1)


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_the_serial_orders_are_those_of_the_calls(calls: int) -> None:
    def scenario(world: World) -> list[int]:
        order: list[int] = []

        async def work(number: int) -> None:
            await world.outside("step")
            order.append(number)

        for number in range(calls):
            world.call(work, number)
        return order

    report = explore(scenario, max_schedules=10_000)
    assert report.serial_exhausted
    assert len(report.serial) == factorial(calls)


def test_no_schedule_of_independent_calls_is_tried_twice() -> None:
    report = explore(independent(2, 2), max_schedules=10_000)
    serial_orders = 2
    assert report.tried == report.distinct + serial_orders


def test_what_leads_to_the_same_steps_is_tried_once() -> None:
    def scenario(world: World) -> None:
        async def hop(times: int) -> None:
            for _ in range(times):
                await asyncio.sleep(0)

        world.call(hop, 2)
        world.call(hop, 2)

    report = explore(scenario)
    assert report.exhausted
    # Either call is the first; the other starts with it, after its first step, or after its second:
    # then its third is ready already and goes before, as when the other starts later.
    assert report.distinct == 2 * 3
    assert report.tried > report.distinct


def test_a_step_of_another_task_can_come_between_two_cycles() -> None:
    def scenario(world: World) -> list[str]:
        seen: list[str] = []

        async def hop() -> None:
            seen.append("before")
            await asyncio.sleep(0)
            seen.append("after")

        world.call(hop)
        world.call(seen.append, "between")
        return seen

    report = explore(scenario, stop_at_first=False)
    assert ["before", "between", "after"] in [found.outcome.state for found in report.overlapped]


def test_a_search_that_is_cut_off_says_so_and_goes_on_at_random() -> None:
    report = explore(independent(4, 3), max_schedules=200)
    assert not report.exhausted
    assert report.tried == 200 + factorial(4)
    assert 150 < report.distinct <= 200
    assert "more are left" in str(report)


def test_the_random_part_follows_from_the_seed() -> None:
    def outcomes(seed: int | None) -> list[str]:
        def scenario(world: World) -> list[int]:
            order: list[int] = []

            async def work(number: int) -> None:
                for _ in range(3):
                    await world.outside("step")
                    order.append(number)

            for number in range(4):
                world.call(work, number)
            return order

        report = explore(scenario, max_schedules=120, seed=seed, invariant=lambda _: True)
        return [found.schedule for found in report.overlapped]

    assert outcomes(None) == outcomes(0) == outcomes(0)
    assert outcomes(1) != outcomes(2)
    assert outcomes(1)[:60] == outcomes(2)[:60]


def test_one_schedule_is_enough_for_a_budget_of_one() -> None:
    report = explore(two_additions(Account), max_schedules=1)
    assert not report.exhausted
    assert report.is_clean
