"""What the hazard scripts share: what one is, how its two orders are compared, and a network that is not there."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from unittest.mock import patch

SEEN, NOT_SEEN, NOT_INSTALLED = 0, 1, 2
_TIME_LIMIT_SECONDS = 30
_STEPS_TO_SETTLE = 200


@dataclass(frozen=True)
class Hazard:
    """One finding, and what users of the package get from two orders of the same calls.

    Attributes:
        package: The package on the index, `name==version`.
        finding: Code and place, as `lane-lint` says them in the source distribution.
        right: What each order should give.
        wrong: What the overlapping order gives.
    """

    package: str
    finding: str
    right: object
    wrong: object

    def drive(
        self,
        one_after_the_other: Callable[[], Awaitable[object]],
        overlapping: Callable[[], Awaitable[object]],
    ) -> int:
        """Run both orders, print what they gave, and say by exit status whether the hazard is real.

        Returns:
            0 when the serial order was right and the overlapping one wrong, 1 when either was not,
            2 when the package is not installed in this version.
        """
        name, _, wanted = self.package.partition("==")
        if (found := _installed(name)) != wanted:
            print(f"{self.package} is not installed, found {found}", file=sys.stderr)
            return NOT_INSTALLED
        serial = asyncio.run(_within_limit(one_after_the_other))
        overlapped = asyncio.run(_within_limit(overlapping))
        print(f"{self.package}: {self.finding}")
        print(f"  one after the other: {serial}")
        print(f"  overlapping:         {overlapped}")
        return SEEN if serial == self.right and overlapped == self.wrong else NOT_SEEN


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


async def _within_limit(order: Callable[[], Awaitable[object]]) -> object:
    async with asyncio.timeout(_TIME_LIMIT_SECONDS):
        return await order()


async def settle() -> None:
    """Let every task go as far as it can without the outside world."""
    for _ in range(_STEPS_TO_SETTLE):
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def running(work: Coroutine[object, object, object]) -> AsyncIterator[asyncio.Task[object]]:
    """Start `work`, let it go as far as it can, and end it with the block."""
    task = asyncio.create_task(work)
    await settle()
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Wire:
    """Both streams of one connection: what the client wrote goes to the server, and its answers come back."""

    def __init__(self, serve: Callable[[Wire, bytes], None], port: object) -> None:
        self.port = port
        self.reader = asyncio.StreamReader()
        self.may_send = asyncio.Event()
        self.may_send.set()
        self._serve = serve
        self._is_closed = False

    def answer(self, data: bytes) -> None:
        """Let the client read `data`."""
        self.reader.feed_data(data)

    @property
    def transport(self) -> Wire:
        return self

    def get_extra_info(self, name: str, default: object = None) -> object:
        return default

    def write(self, data: bytes) -> None:
        self._serve(self, data)

    def writelines(self, chunks: list[bytes]) -> None:
        self.write(b"".join(chunks))

    async def drain(self) -> None:
        await self.may_send.wait()

    def is_closing(self) -> bool:
        return self._is_closed

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self.reader.feed_eof()

    async def wait_closed(self) -> None:
        return None


@contextlib.contextmanager
def network(
    serve: Callable[[Wire, bytes], None], greet: Callable[[Wire], None] = lambda wire: None
) -> Iterator[list[Wire]]:
    """Let `asyncio.open_connection` reach `serve` instead of the network; gives the wires opened so far."""
    wires: list[Wire] = []

    async def open_connection(*_: object, **where: object) -> tuple[asyncio.StreamReader, Wire]:
        wires.append(Wire(serve, where.get("port")))
        greet(wires[-1])
        return wires[-1].reader, wires[-1]

    with patch("asyncio.open_connection", open_connection):
        yield wires
