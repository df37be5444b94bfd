"""nats-py 2.16.0, LAN109 at src/nats/js/client.py:978: a flow control request is never answered.

The server sends a message and asks, behind it, to be told when it was read; so twice.
1. The user reads message one; the client answers the first request, on a line that is busy.
2. Message two and the second request arrive. 3. The line is free again, and the client forgets the request it
holds, which is the second by now. 4. The user reads message two.
One after the other, both requests are answered; here the second is not, and the server goes on holding back.
The fake is the server.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from driving import Hazard, Wire, network, running, settle

HAZARD = Hazard(
    package="nats-py==2.16.0",
    finding="LAN109 src/nats/js/client.py:978",
    right="answered request-1, request-2",
    wrong="answered request-1",
)
INFO = {"server_id": "fake", "version": "2.10.0", "max_payload": 1 << 20, "headers": True, "proto": 1}
CONSUMER = {
    "name": "reader",
    "stream_name": "orders",
    "created": "2026-01-01T00:00:00Z",
    "config": {"deliver_subject": "deliver"},
}


class Server:
    """Speaks as much of the protocol as one consumer needs."""

    def __init__(self) -> None:
        self.answered: list[str] = []
        self._sids: dict[str, str] = {}

    def greet(self, wire: Wire) -> None:
        wire.answer(b"INFO " + json.dumps(INFO).encode() + b"\r\n")

    def serve(self, wire: Wire, data: bytes) -> None:
        for line in data.decode().split("\r\n"):
            match line.split():
                case ["PING"]:
                    wire.answer(b"PONG\r\n")
                case ["SUB", subject, sid]:
                    self._sids[subject] = sid
                case ["PUB", subject, reply, _] if subject.startswith("$JS.API.CONSUMER.CREATE"):
                    inbox = next(sid for subject, sid in self._sids.items() if subject.startswith("_INBOX"))
                    text = json.dumps(CONSUMER)
                    wire.answer(f"MSG {reply} {inbox} {len(text)}\r\n{text}\r\n".encode())
                case ["PUB", subject, _] if subject.startswith("request-"):
                    self.answered.append(subject)

    def send(self, wire: Wire, number: int) -> None:
        """Send a message, and the request to be told when it was read."""
        sid = self._sids["deliver"]
        place = f"$JS.ACK.orders.reader.1.{number}.{number}.0.0"
        header = "NATS/1.0 100 FlowControl Request\r\n\r\n"
        wire.answer(f"MSG orders {sid} {place} 2\r\nhi\r\n".encode())
        wire.answer(
            f"HMSG orders {sid} request-{number} {len(header)} {len(header)}\r\n{header}\r\n".encode()
        )

    def told(self) -> str:
        return f"answered {', '.join(self.answered)}"


@contextlib.asynccontextmanager
async def subscribed(server: Server) -> AsyncIterator[tuple[Any, Wire]]:
    """A subscription with flow control over a line whose buffer one answer fills."""
    import nats
    from nats.js.api import ConsumerConfig

    with network(server.serve, server.greet) as wires:
        client = await nats.connect("nats://fake:4222", pending_size=1, allow_reconnect=False)
        yield (
            await client.jetstream().subscribe(
                "orders",
                stream="orders",
                config=ConsumerConfig(deliver_subject="deliver"),
                idle_heartbeat=3600,
                flow_control=True,
            ),
            wires[0],
        )
        await client.close()


async def one_after_the_other() -> str:
    server = Server()
    async with subscribed(server) as (subscription, wire):
        for number in (1, 2):
            server.send(wire, number)
            await settle()
            await subscription.next_msg()
    return server.told()


async def overlapping() -> str:
    server = Server()
    async with subscribed(server) as (subscription, wire):
        server.send(wire, 1)
        await settle()
        wire.may_send.clear()
        async with running(subscription.next_msg()) as reading:
            server.send(wire, 2)
            await settle()
            wire.may_send.set()
            await reading
        await subscription.next_msg()
    return server.told()


if __name__ == "__main__":
    sys.exit(HAZARD.drive(one_after_the_other, overlapping))
