"""redis 8.1.0, LAN103 at redis/asyncio/client.py:1283: two first subscriptions go to two connections.

1. A subscribes to news, finds no connection and opens one. 2. B subscribes to weather, finds none either.
3. Both end; the second connection is kept, the first is forgotten. 4. Somebody publishes on both channels.
One after the other, both messages are read; here one subscription stands on a connection that nobody reads.
The fake is the server.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from driving import Hazard, Wire, network

HAZARD = Hazard(
    package="redis==8.1.0",
    finding="LAN103 redis/asyncio/client.py:1283",
    right="read from 1 connection: news, weather",
    wrong="read from 2 connections: weather",
)


class Server:
    """Knows who subscribed to what."""

    def __init__(self) -> None:
        self.subscribers: list[tuple[Wire, str]] = []

    def serve(self, wire: Wire, data: bytes) -> None:
        words = data.decode().split("\r\n")[2::2]
        if words[0] == "SUBSCRIBE":
            self.subscribers.append((wire, words[1]))
        else:
            wire.answer(b"+OK\r\n" * data.count(b"CLIENT"))

    def publish(self) -> None:
        for wire, channel in self.subscribers:
            kind, length = b"$7\r\nmessage\r\n", len(channel)
            wire.answer(b"*3\r\n%b$%d\r\n%b\r\n$2\r\nhi\r\n" % (kind, length, channel.encode()))


async def what_is_read(listener: Any, server: Server, wires: list[Wire]) -> str:
    server.publish()
    channels = set()
    while message := await listener.get_message(timeout=0):
        channels.add(message["channel"].decode())
    opened = f"{len(wires)} connection{'s' if len(wires) > 1 else ''}"
    return f"read from {opened}: {', '.join(sorted(channels))}"


async def one_after_the_other() -> str:
    from redis.asyncio import Redis

    server = Server()
    with network(server.serve) as wires:
        async with Redis(protocol=2) as client, client.pubsub() as listener:
            await listener.subscribe("news")
            await listener.subscribe("weather")
            return await what_is_read(listener, server, wires)


async def overlapping() -> str:
    from redis.asyncio import Redis

    server = Server()
    with network(server.serve) as wires:
        async with Redis(protocol=2) as client, client.pubsub() as listener:
            await asyncio.gather(listener.subscribe("news"), listener.subscribe("weather"))
            return await what_is_read(listener, server, wires)


if __name__ == "__main__":
    sys.exit(HAZARD.drive(one_after_the_other, overlapping))
