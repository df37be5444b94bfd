"""Small components with and without the classic faults."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from lane_runtime import StateLane
from lane_runtime.testing import World

Fake = Callable[..., Awaitable[object]]


class Account:
    """Loses updates: what it read before the wait is written back after it."""

    def __init__(self, fetch: Fake) -> None:
        self.balance = 0
        self._fetch = fetch

    async def add(self, amount: int) -> None:
        balance = self.balance
        await self._fetch(amount)
        self.balance = balance + amount


class LockedAccount(Account):
    def __init__(self, fetch: Fake) -> None:
        super().__init__(fetch)
        self._lock = asyncio.Lock()

    async def add(self, amount: int) -> None:
        async with self._lock:
            await super().add(amount)


class LaneAccount(Account):
    def __init__(self, fetch: Fake) -> None:
        super().__init__(fetch)
        self.lane = StateLane("account")

    async def add(self, amount: int) -> None:
        await self.lane.run(super().add, amount)


def two_additions(kind: type[Account]) -> Callable[[World], Callable[[], int]]:
    """A scenario: two additions to one account of this kind."""

    def scenario(world: World) -> Callable[[], int]:
        account = kind(world.fake("fetch"))
        world.call(account.add, 1)
        world.call(account.add, 2)
        return lambda: account.balance

    return scenario


def independent(calls: int, operations: int) -> Callable[[World], None]:
    """A scenario: calls that have nothing to do with each other, of so many operations each."""

    def scenario(world: World) -> None:
        async def work() -> None:
            for _ in range(operations):
                await world.outside("step")

        for _ in range(calls):
            world.call(work)

    return scenario
