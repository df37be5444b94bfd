"""Seeded storms: several loops and threads on one lane, with cancels and time-outs at random."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter

import pytest

from lane_runtime import StateLane, _core, _lane, run_all

from .conftest import LoopFactory, outcome

pytestmark = pytest.mark.timeout(60)


class Ledger:
    """State that only turns touch; it notices an overlap and remembers what ran."""

    def __init__(self) -> None:
        self.lane = StateLane("ledger")
        self.inside = 0
        self.ran: Counter[tuple[str, int]] = Counter()
        self.order: dict[str, list[int]] = {}

    def enter(self) -> None:
        self.inside += 1
        assert self.inside == 1, "two turns at once"

    def leave(self, who: str, number: int) -> None:
        self.ran[who, number] += 1
        self.order.setdefault(who, []).append(number)
        self.inside -= 1

    def plain(self, who: str, number: int) -> int:
        self.enter()
        self.leave(who, number)
        return number

    async def slow(self, who: str, number: int, steps: int) -> int:
        self.enter()
        for _ in range(steps):
            await asyncio.sleep(0)
        self.leave(who, number)
        return number


async def storm(ledger: Ledger, who: str, seed: int, count: int) -> dict[int, object]:
    """Send `count` requests of all kinds; the outcome of each by its number, None for a post."""
    dice = random.Random(seed)
    results: dict[int, object] = {}
    pending: list[asyncio.Task[None]] = []

    async def ask(number: int, kind: int) -> None:
        if kind < 4:
            call = ledger.lane.run(ledger.plain, who, number)
        else:
            call = ledger.lane.run(ledger.slow, who, number, dice.randrange(4))
        results[number] = await outcome(with_time_out(call) if kind % 4 == 3 else call)

    async def with_time_out(call):
        async with asyncio.timeout(dice.random() * 0.002):
            return await call

    for number in range(count):
        kind = dice.randrange(10)
        if kind < 8:
            pending.append(asyncio.create_task(ask(number, kind)))
        else:
            results[number] = None
            work = (ledger.plain, who, number) if kind == 8 else (ledger.slow, who, number, 2)
            assert ledger.lane.try_post(*work)
        if dice.random() < 0.3:
            await asyncio.sleep(0)
        if pending and dice.random() < 0.2:
            dice.choice(pending).cancel()
    while pending:
        await asyncio.wait([pending.pop()])
    return results


def storm_of_threads(ledger: Ledger, who: str, seed: int, count: int) -> dict[int, object]:
    dice = random.Random(seed)
    results: dict[int, object] = {}
    for number in range(count):
        kind = dice.randrange(4)
        timeout = dice.random() * 0.002 if dice.random() < 0.3 else None
        try:
            if kind == 0:
                results[number] = None
                ledger.lane.try_post(ledger.plain, who, number)
            elif kind == 1:
                results[number] = ledger.lane.run_blocking(ledger.slow, who, number, 2, timeout=timeout)
            else:
                results[number] = ledger.lane.run_blocking(ledger.plain, who, number, timeout=timeout)
        except TimeoutError as error:
            results[number] = error
    return results


def check(ledger: Ledger, results: dict[str, dict[int, object]]) -> None:
    assert ledger.inside == 0
    for who, outcomes in results.items():
        for number, result in outcomes.items():
            times = ledger.ran[who, number]
            if result is None or result == number:
                assert times == 1, (who, number, "lost" if times == 0 else "ran twice")
            else:
                assert isinstance(result, TimeoutError | asyncio.CancelledError), result
                assert times <= 1
    figures = ledger.lane.stats()
    assert figures.turns == sum(ledger.ran.values()) + 1  # and the one that waited for the end
    assert (figures.active, figures.queued, figures.post_errors) == (False, 0, 0)
    assert ledger.lane._line is None


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_mutex_at_both_ends", [False, True])
def test_a_storm_from_several_loops_and_threads(
    loop_factory: LoopFactory, seed: int, is_mutex_at_both_ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (_core, _lane):
        monkeypatch.setattr(module, "FREE_THREADED", is_mutex_at_both_ends)
    ledger = Ledger()
    results: dict[str, dict[int, object]] = {}
    failures: list[BaseException] = []

    def serve(who: str, seed: int) -> None:
        try:
            with asyncio.Runner(loop_factory=loop_factory) as runner:
                results[who] = runner.run(storm(ledger, who, seed, 120))
        except BaseException as error:
            failures.append(error)

    def call(who: str, seed: int) -> None:
        try:
            results[who] = storm_of_threads(ledger, who, seed, 60)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=serve, args=(f"loop {i}", 100 * seed + i)) for i in range(3)]
    threads += [threading.Thread(target=call, args=(f"thread {i}", 100 * seed + 50 + i)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    # Turns whose blocked caller timed out may still be on their way; this one is behind all of them.
    ledger.lane.run_blocking(lambda: None)
    check(ledger, results)


@pytest.mark.parametrize("seed", range(5))
def test_turns_of_one_loop_run_in_the_order_of_their_calls_whatever_is_cancelled(run, seed):
    async def main():
        dice = random.Random(seed)
        lane = StateLane()
        ran: list[int] = []
        sent: list[int] = []
        tasks: dict[int, asyncio.Task[object]] = {}

        async def slow(number: int) -> None:
            await asyncio.sleep(0)
            ran.append(number)

        async def call(number: int) -> None:
            sent.append(number)
            await lane.run(slow if number % 3 else ran.append, number)

        for number in range(400):
            if dice.random() < 0.2:
                sent.append(number)
                lane.try_post(ran.append, number)
            else:
                tasks[number] = asyncio.create_task(call(number))
            if dice.random() < 0.3:
                await asyncio.sleep(0)
            if dice.random() < 0.3 and tasks:
                dice.choice(list(tasks.values())).cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        await lane.close()
        chosen = set(ran)
        assert ran == [number for number in sent if number in chosen]
        for number, task in tasks.items():
            assert task.cancelled() or number in chosen

    run(main())


@pytest.mark.parametrize("seed", range(4))
def test_a_storm_of_transfers_keeps_the_sum_under_cancellation(run, seed):
    async def main():
        dice = random.Random(seed)
        lanes = [StateLane() for _ in range(4)]
        balances = [100] * 4

        async def move(source: int, target: int) -> None:
            amount = balances[source]
            await asyncio.sleep(0)
            balances[source] -= amount // 2
            await asyncio.sleep(0)
            balances[target] += amount // 2

        async def transfer() -> None:
            source, target = dice.sample(range(4), 2)
            await run_all([lanes[source], lanes[target]], move, source, target)

        tasks = [asyncio.create_task(transfer()) for _ in range(80)]
        for _ in range(60):
            await asyncio.sleep(0)
            dice.choice(tasks).cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(balances) == 400
        assert not any(lane.stats().active for lane in lanes)

    run(main())


@pytest.mark.parametrize("seed", range(3))
def test_closing_in_the_middle_of_a_storm_loses_nothing_accepted(loop_factory, seed):
    lane = StateLane()
    ran: list[tuple[int, int]] = []
    accepted: list[list[tuple[int, int]]] = [[], [], []]
    half_way = threading.Event()

    def post(who: int) -> None:
        for number in range(2000):
            if number == 300:
                half_way.set()
            if not lane.try_post(ran.append, (who, number)):
                return
            accepted[who].append((who, number))

    threads = [threading.Thread(target=post, args=(who,)) for who in range(3)]
    for thread in threads:
        thread.start()
    half_way.wait()
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(lane.close())
    seen = list(ran)
    for thread in threads:
        thread.join()
    assert ran == seen
    for who in range(3):
        assert [entry for entry in ran if entry[0] == who] == accepted[who]
    assert seed >= 0
