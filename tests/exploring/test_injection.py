"""Failures and cancellations happen where the scenario asks for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lane_runtime.testing import World, explore, replay


def seat(world: World) -> Callable[[], tuple[int, bool]]:
    """Takes a place and gives it back, but not when it is cancelled or the request fails."""
    state = {"taken": 0}

    async def sit(*, tidy: bool = False) -> None:
        state["taken"] += 1
        try:
            await request()
        except BaseException:
            if tidy:
                state["taken"] -= 1
            raise
        state["taken"] -= 1

    request = world.fake("request", raises=[ConnectionError("lost"), TimeoutError])
    world.call(sit, cancellable=True)
    world.call(sit, tidy=True, cancellable=True, name="tidy")
    return lambda: (state["taken"], True)


def test_each_failure_and_each_cancellation_is_tried() -> None:
    report = explore(seat, invariant=lambda _: True)
    assert report.exhausted
    ends = {
        (found.outcome.calls[0].end, found.outcome.state[0]) for found in (*report.serial, *report.overlapped)
    }
    assert ends == {("returned", 0), ("raised", 1), ("cancelled", 1), ("cancelled", 0)}
    kinds = {
        repr(found.outcome.calls[0].value)
        for found in report.serial
        if found.outcome.calls[0].end == "raised"
    }
    assert kinds == {"ConnectionError(args=('lost',))", "TimeoutError(args=())"}


def test_a_failure_can_be_replayed() -> None:
    again = replay(seat, "sit#1 starts; request#1 fails with ConnectionError; tidy starts; tidy is cancelled")
    assert [call.end for call in again.outcome.calls] == ["raised", "cancelled"]
    assert again.outcome.state == (1, True)


def test_nothing_is_injected_without_being_asked_for() -> None:
    def scenario(world: World) -> None:
        async def work() -> None:
            await world.outside("io")

        world.call(work)

    report = explore(scenario)
    assert report.tried == 2
    assert report.exhausted


def test_the_error_of_an_operation_is_new_in_each_run() -> None:
    given = OSError("broken")
    seen: list[OSError] = []

    def scenario(world: World) -> None:
        async def work() -> None:
            try:
                await world.outside("io", raises=[given])
            except OSError as error:
                seen.append(error)

        world.call(work)

    explore(scenario)
    assert len(seen) == 2
    assert given not in seen
    assert given.__traceback__ is None


def test_the_work_of_an_operation_is_done_when_it_ends() -> None:
    def scenario(world: World) -> None:
        table = {"row": 1}

        async def read() -> int:
            return await world.outside("query", lambda: table["row"])

        async def write() -> None:
            table["row"] = 2

        world.call(read)
        world.call(write)

    report = explore(scenario, stop_at_first=False)
    # The row is read when the answer is made: as in no serial order, but that is what both orders give too.
    assert {found.outcome.calls[0].value for found in (*report.serial, *report.overlapped)} == {1, 2}
    assert report.is_clean


def test_an_operation_is_given_up_with_its_task() -> None:
    def scenario(world: World) -> None:
        async def impatient() -> str:
            try:
                async with asyncio.timeout(1):
                    await world.outside("slow")
            except TimeoutError:
                return "gave up"
            return "got it"

        world.call(impatient)

    report = explore(scenario)
    late = next(found for found in report.serial if found.outcome.calls[0].value == "gave up")
    assert [(effect.name, effect.call, effect.end) for effect in late.outcome.effects] == [
        ("slow", "impatient#1", "cancelled")
    ]


def test_the_operations_are_on_record_with_caller_and_arguments() -> None:
    def scenario(world: World) -> None:
        send = world.fake("send", lambda *_, **__: "sent")

        async def work() -> object:
            return await asyncio.create_task(send(7, to="b"))

        world.call(work)

    outcome = explore(scenario).serial[0].outcome
    assert outcome.calls[0].value == "sent"
    (effect,) = outcome.effects
    assert (effect.name, effect.call, effect.arguments, effect.end) == (
        "send", "work#1", ((7,), {"to": "b"}), "returned",
    )  # fmt: skip
