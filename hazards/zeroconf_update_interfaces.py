"""zeroconf 0.154.0, LAN102 at src/zeroconf/_core.py:455: one change of the interfaces undoes another.

A changes the interfaces, B the IP version; each fills in what it was not given before it waits for the lock.
1. A holds the lock and opens sockets. 2. B waits for the lock, with the old interfaces in hand. 3. Both end.
4. A plain rescan. One after the other, it takes what A and B asked for; here it takes the old interfaces.
The fake is what opens sockets.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import patch

from driving import Hazard, running

OLD, NEW = ["192.0.2.1"], ["192.0.2.7"]
HAZARD = Hazard(
    package="zeroconf==0.154.0",
    finding="LAN102 src/zeroconf/_core.py:455",
    right="a rescan looks at 192.0.2.7",
    wrong="a rescan looks at 192.0.2.1",
)


class Sockets:
    """The engine's side of the sockets: notes what it is asked for, and opens them when the script says so."""

    def __init__(self) -> None:
        self.asked_for: list[Any] = []
        self.may_open = asyncio.Event()

    async def async_update_interfaces(self, interfaces: list[str], *_: object) -> bool:
        self.asked_for.append(interfaces)
        await self.may_open.wait()
        return False


@contextlib.asynccontextmanager
async def started() -> AsyncIterator[tuple[Any, Sockets]]:
    """A client on the old interfaces, and its sockets."""
    from zeroconf.asyncio import AsyncZeroconf

    with patch("zeroconf._core.create_sockets", lambda *_, **__: (None, [])):
        client = AsyncZeroconf(interfaces=OLD)
    sockets = Sockets()
    with patch("zeroconf._engine.AsyncEngine.async_update_interfaces", sockets.async_update_interfaces):
        yield client, sockets
    await client.async_close()


async def rescanned(client: Any, sockets: Sockets) -> str:
    await client.async_update_interfaces()
    return f"a rescan looks at {', '.join(sockets.asked_for[-1])}"


async def one_after_the_other() -> str:
    from zeroconf import IPVersion

    async with started() as (client, sockets):
        sockets.may_open.set()
        await client.async_update_interfaces(interfaces=NEW)
        await client.async_update_interfaces(ip_version=IPVersion.All)
        return await rescanned(client, sockets)


async def overlapping() -> str:
    from zeroconf import IPVersion

    async with started() as (client, sockets):
        async with (
            running(client.async_update_interfaces(interfaces=NEW)) as first,
            running(client.async_update_interfaces(ip_version=IPVersion.All)) as second,
        ):
            sockets.may_open.set()
            await asyncio.gather(first, second)
        return await rescanned(client, sockets)


if __name__ == "__main__":
    sys.exit(HAZARD.drive(one_after_the_other, overlapping))
