"""Time the lane against its peers: all in one process, interleaved, medians of CPU time.

    python benchmarks/runtime.py [--rounds 15] [--check]

Peers that are not installed (`aiologic`, `pykka`) are reported as missing. CPU time of the whole
process is measured, so a peer that works in a second thread pays for both. With `--check` the
exit code is 1 when a gate is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import sys
import tracemalloc
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from runtime_peers import Measure, QueueWorker, clocked, pykka, pykka_contestants, work

from lane_runtime import StateLane  # the copy beside this file

try:
    import aiologic
except ImportError:
    aiologic = None

# A bare task of its own that starts in place and wakes its creator by a future takes 2.4 times the lock
# on 3.11 and 2.2 times on 3.13, and that is what a coroutine turn is made of.
SUSPENDING_GATE = 3.75


async def suspend() -> None:
    await asyncio.sleep(0)


async def return_at_once() -> None: ...


@dataclass
class Row:
    """One comparison; the first contestant is the measure of the others, the second is the lane."""

    name: str
    target: float
    gate: float
    count: int
    contestants: dict[str, Measure]
    seconds: dict[str, list[float]] = field(default_factory=dict)
    since: tuple[int, int] = (3, 11)

    def median(self, who: str) -> float:
        return statistics.median(self.seconds[who])

    def ratio(self, who: str) -> float:
        return self.median(who) / self.median(next(iter(self.contestants)))


def one_by_one(lock: object, body: Callable[[], object]) -> Measure:
    if asyncio.iscoroutinefunction(body):

        async def steps(count: int) -> None:
            for _ in range(count):
                async with lock:
                    await body()
    else:

        async def steps(count: int) -> None:
            for _ in range(count):
                async with lock:
                    body()

    return clocked(steps)


def calls(run: Callable[[Callable[[], object]], Awaitable[object]], body: Callable[[], object]) -> Measure:
    async def steps(count: int) -> None:
        for _ in range(count):
            await run(body)

    return clocked(steps)


def hundred_queued(
    call: Callable[[], Awaitable[object]], hold: Callable[[asyncio.Event], Awaitable[object]]
) -> Measure:
    """A hundred tasks that wait while the lock or lane is held, then go one after the other."""

    async def steps(count: int) -> None:
        for _ in range(count // 100):
            may_end = asyncio.Event()
            holder = asyncio.create_task(hold(may_end))
            await asyncio.sleep(0)
            tasks = [asyncio.create_task(call()) for _ in range(100)]
            await asyncio.sleep(0)
            may_end.set()
            await holder
            for task in tasks:
                await task

    return clocked(steps)


def hundred_behind_a_lock(lock: object) -> Measure:
    async def call() -> None:
        async with lock:
            work()

    async def hold(may_end: asyncio.Event) -> None:
        async with lock:
            await may_end.wait()

    return hundred_queued(call, hold)


def hundred_behind_a_turn(lane: StateLane) -> Measure:
    async def call() -> None:
        await lane.run(work)

    async def hold(may_end: asyncio.Event) -> None:
        await lane.run(may_end.wait)
        assert lane.stats().max_queued >= 100

    return hundred_queued(call, hold)


def hundred_behind_a_queue(worker: QueueWorker) -> Measure:
    async def call() -> None:
        await worker.run(work)

    async def steps(count: int) -> None:
        for _ in range(count // 100):
            for task in [asyncio.create_task(call()) for _ in range(100)]:
                await task

    return clocked(steps)


def posts(post: Callable[[Callable[[], None]], object], wait: Callable[[], Awaitable[object]]) -> Measure:
    async def steps(count: int) -> None:
        for _ in range(count // 100):
            for _ in range(100):
                post(work)
            await wait()

    return clocked(steps)


def rows() -> list[Row]:
    lock, lane, worker = asyncio.Lock(), StateLane(), QueueWorker()
    loop = asyncio.get_running_loop()

    async def put_and_wait() -> None:
        await worker.run(work)

    names = ("asyncio.Lock", "lane", "Queue worker")

    def of(*measures: Measure) -> dict[str, Measure]:
        return dict(zip(names, measures, strict=True))

    def bodies(body: Callable[[], object]) -> dict[str, Measure]:
        return of(one_by_one(lock, body), calls(lane.run, body), calls(worker.run, body))

    table = [
        Row("plain turn, uncontended", 1.0, 1.25, 20_000, bodies(work)),
        Row("100 queued plain turns", 1.1, 1.4, 2_000, of(
            hundred_behind_a_lock(lock), hundred_behind_a_turn(lane), hundred_behind_a_queue(worker))),
        Row("coroutine turn that suspends", 3.0, SUSPENDING_GATE, 2_000, bodies(suspend)),
        Row("coroutine turn that does not", 8.0, 10.0, 5_000, bodies(return_at_once), since=(3, 12)),
        Row("posted turn", 6.0, 7.5, 5_000, {
            "call_soon": posts(loop.call_soon, lambda: asyncio.sleep(0)),
            "lane": posts(lane.try_post, lambda: lane.run(work)),
            "Queue worker": posts(lambda call: worker.queue.put_nowait((call, None)), put_and_wait),
        }),
    ]  # fmt: skip
    if aiologic is not None:
        other = aiologic.Lock()
        for row, body in zip((table[0], table[2], table[3]), (work, suspend, return_at_once), strict=True):
            row.contestants["aiologic.Lock"] = one_by_one(other, body)
        table[1].contestants["aiologic.Lock"] = hundred_behind_a_lock(other)
    if pykka is not None:
        actor = pykka_contestants()
        for row, key in zip((table[0], table[1], table[4]), ("ask", "ask 100", "tell"), strict=True):
            row.contestants["Pykka"] = actor[key]
    return table


async def measure(rounds: int) -> list[Row]:
    table = rows()
    for _ in range(rounds + 1):  # the first round warms up and is thrown away
        for row in table:
            for who, take in row.contestants.items():
                gc.collect()
                count = row.count if who != "Pykka" else max(row.count // 10, 100)
                row.seconds.setdefault(who, []).append(await take(count))
    for row in table:
        for seconds in row.seconds.values():
            del seconds[0]
    return table


def bytes_of_an_idle_lane() -> float:
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    lanes = [StateLane() for _ in range(1000)]
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return taken / len(lanes)


def print_table(table: list[Row]) -> bool:
    columns = ["base", "lane", "Queue worker", "aiologic.Lock", "Pykka"]
    print(
        f"{'row (ns for each operation)':30}" + "".join(f"{name:>15}" for name in columns),
        "  ratio  target  gate",
    )
    are_met = True
    for row in table:
        base = next(iter(row.contestants))
        cells = [
            f"{row.median(who) * 1e9:15,.0f}" if who in row.seconds else f"{'-':>15}"
            for who in (base, *columns[1:])
        ]
        is_due = sys.version_info >= row.since
        is_met = not is_due or row.ratio("lane") <= row.gate
        are_met = are_met and is_met
        verdict = (
            "" if not is_due else "met" if row.ratio("lane") <= row.target else "over" if is_met else "MISSED"
        )
        print(
            f"{row.name:30}{''.join(cells)}  {row.ratio('lane'):6.2f}  {row.target:6.2f} {row.gate:5.2f} {verdict}"
        )
    return are_met


def main() -> int:
    parser = argparse.ArgumentParser(description="Time the lane against its peers.")
    parser.add_argument("--rounds", type=int, default=15, help="measured rounds; medians are shown")
    parser.add_argument("--check", action="store_true", help="exit 1 when a gate is missed")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, {options.rounds} rounds, CPU time")
    for name, module in (("aiologic", aiologic), ("pykka", pykka)):
        if module is None:
            print(f"{name} is not installed: its column is missing")
    are_met = print_table(asyncio.run(measure(options.rounds)))
    if pykka is not None:
        pykka.ActorRegistry.stop_all()
    size = bytes_of_an_idle_lane()
    print(f"an idle lane takes {size:.0f} bytes, at most 300")
    return 1 if options.check and not (are_met and size <= 300) else 0


if __name__ == "__main__":
    sys.exit(main())
