"""websockets 17.4, LAN103 at src/websockets/legacy/protocol.py:698: fragments of two messages mix.

Both messages come from asynchronous iterators, and each send waits its turn before it has its first fragment.
1. A finds no message in the making and waits for its first fragment. 2. So does B. 3. Both get it and send.
One after the other, the other end reads two messages; here B's first frame falls inside A's message, which RFC 6455
section 5.4 forbids.
The fake is the transport.
"""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections.abc import AsyncIterator
from typing import Any

from driving import Hazard, running, settle

HAZARD = Hazard(
    package="websockets==17.4",
    finding="LAN103 src/websockets/legacy/protocol.py:698",
    right="start A1, go on A2, end, start B1, go on B2, end",
    wrong="start A1, start B1, go on A2, end, go on B2, end",
)


class Transport(asyncio.Transport):
    """Keeps what the frames say; a client's have two bytes, four of a mask, and the masked text."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[str] = []

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is buffered."""

    def write(self, data: bytes) -> None:
        is_last, is_first = bool(data[0] & 0x80), bool(data[0] & 0x0F)
        text = bytes(byte ^ data[2 + place % 4] for place, byte in enumerate(data[6:])).decode()
        self.frames.append("end" if is_last else f"{'start' if is_first else 'go on'} {text}")

    def is_closing(self) -> bool:
        return False

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        """The script ends the connection itself."""


class Message:
    """A text in two fragments, each of which comes when the script says so."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.may_come = asyncio.Semaphore(0)

    async def __aiter__(self) -> AsyncIterator[str]:
        for number in (1, 2):
            await self.may_come.acquire()
            yield f"{self._name}{number}"


def opened() -> tuple[Any, Transport]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from websockets.legacy.client import WebSocketClientProtocol

        protocol = WebSocketClientProtocol(ping_interval=None)
    transport = Transport()
    protocol.connection_made(transport)
    protocol.connection_open()
    return protocol, transport


async def sent(protocol: Any, transport: Transport) -> str:
    protocol.connection_lost(None)
    await protocol.wait_closed()
    return ", ".join(transport.frames)


async def one_after_the_other() -> str:
    protocol, transport = opened()
    for message in (Message("A"), Message("B")):
        async with running(protocol.send(message)) as sending:
            message.may_come.release()
            message.may_come.release()
            await sending
    return await sent(protocol, transport)


async def overlapping() -> str:
    protocol, transport = opened()
    first, second = Message("A"), Message("B")
    async with running(protocol.send(first)), running(protocol.send(second)):
        for message in (first, second, first, second):
            message.may_come.release()
            await settle()
    return await sent(protocol, transport)


if __name__ == "__main__":
    sys.exit(HAZARD.drive(one_after_the_other, overlapping))
