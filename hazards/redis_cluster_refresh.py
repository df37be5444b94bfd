"""redis 8.1.0, LAN106 at redis/asyncio/cluster.py:1330: a failover that is noticed during a refresh is forgotten.

Two commands are under way at node 7001, which answers for everything; each may be tried twice.
1. The first loses its connection. Before it tries again it refreshes the layout, under the lock: 7001, as before.
2. The server thinks about the last question of the refresh. 7001 dies, 7002 takes over, and the second command asks,
without the lock, for a refresh. 3. The server answers, and the end of the first refresh wipes that request.
One after the other, the second command finds 7002; here it goes back to the dead node and fails.
The fakes are the two servers.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from driving import Hazard, Wire, network, running, settle

HAZARD = Hazard(
    package="redis==8.1.0",
    finding="LAN106 redis/asyncio/cluster.py:1330",
    right="the second command is answered by 7002",
    wrong="the second command fails: Connection closed by server.",
)
GET = b"*6\r\n$3\r\nget\r\n:2\r\n*1\r\n+readonly\r\n:1\r\n:1\r\n:1\r\n"


def words_of(data: bytes) -> Iterator[list[str]]:
    """The commands in what a client wrote."""
    lines = iter(data.decode().split("\r\n"))
    for line in lines:
        if line.startswith("*"):
            yield [(next(lines), next(lines))[1] for _ in range(int(line[1:]))]


def node(port: int) -> bytes:
    return b"*3\r\n$4\r\nfake\r\n:%d\r\n$4\r\n%d\r\n" % (port, port)


class Servers:
    """Both nodes. A GET waits for the script; so does the end of a refresh when `may_refresh` is unset."""

    def __init__(self) -> None:
        self.is_failed_over = False
        self.may_refresh = True
        self.refreshing: list[Wire] = []
        self.gets: dict[str, Wire] = {}

    def serve(self, wire: Wire, data: bytes) -> None:
        for words in words_of(data):
            if wire.port == 7001 and self.is_failed_over:
                wire.close()
            elif words[0] == "GET":
                self.gets[words[1]] = wire
            elif words[:2] == ["CLUSTER", "SLOTS"]:
                nodes = [node(7002)] if self.is_failed_over else [node(7001), node(7002)]
                head = b"*1\r\n*%d\r\n:0\r\n:16383\r\n" % (2 + len(nodes))
                wire.answer(head + b"".join(nodes))
            elif words[0] == "COMMAND":
                self.refreshing.append(wire)
                self.end_refresh()
            else:
                wire.answer(b"+OK\r\n")

    def end_refresh(self) -> None:
        while self.may_refresh and self.refreshing:
            self.refreshing.pop().answer(b"*1\r\n" + GET)

    def answer(self, key: str) -> None:
        wire = self.gets.pop(key)
        wire.answer(b"$4\r\n%d\r\n" % wire.port)

    def lose(self, key: str) -> None:
        self.gets.pop(key).close()


@contextlib.asynccontextmanager
async def connected(servers: Servers) -> AsyncIterator[Any]:
    from redis.asyncio.cluster import ClusterNode, RedisCluster
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    with network(servers.serve):
        async with RedisCluster(
            startup_nodes=[ClusterNode("fake", 7001), ClusterNode("fake", 7002)],
            dynamic_startup_nodes=False,
            retry=Retry(NoBackoff(), 1),
            protocol=2,
        ) as client:
            yield client


async def what_becomes_of(second: asyncio.Task[Any]) -> str:
    from redis.exceptions import ConnectionError as LostConnectionError

    try:
        return f"the second command is answered by {(await second).decode()}"
    except LostConnectionError as error:
        return f"the second command fails: {error}"


async def one_after_the_other() -> str:
    servers = Servers()
    async with connected(servers) as client:
        async with running(client.get("first")) as first:
            servers.lose("first")
            await settle()
            servers.answer("first")
            await first
        async with running(client.get("second")) as second:
            servers.is_failed_over = True
            servers.lose("second")
            await settle()
            servers.answer("second")
            return await what_becomes_of(second)


async def overlapping() -> str:
    servers = Servers()
    async with (
        connected(servers) as client,
        running(client.get("first")),
        running(client.get("second")) as second,
    ):
        servers.may_refresh = False
        servers.lose("first")
        await settle()
        servers.is_failed_over = True
        servers.lose("second")
        await settle()
        servers.may_refresh = True
        servers.end_refresh()
        return await what_becomes_of(second)


if __name__ == "__main__":
    sys.exit(HAZARD.drive(one_after_the_other, overlapping))
