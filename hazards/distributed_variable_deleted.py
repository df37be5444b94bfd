"""distributed 2026.8.0, LAN108 at distributed/variable.py:130: a client that deletes a variable is heard no more.

1. Ann sets a variable to a future, and Bob gets it; his confirmation is still on its way.
2. Ann deletes the variable: the scheduler waits, in the handler of her stream, for that confirmation.
3. Cem sets the variable to another future and deletes it: the condition that Ann's handler waits on is thrown away.
4. Bob's confirmation comes and wakes a new condition. 5. Ann and Cem delete another variable.
One after the other, the scheduler hears both; here Ann's handler waits for ever, and nothing she sends is read.
The cluster lives in this process without a worker; the fake is Bob's outgoing stream.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from driving import Hazard, settle

HAZARD = Hazard(
    package="distributed==2026.8.0",
    finding="LAN108 distributed/variable.py:130",
    right="another variable was deleted by Ann, Cem",
    wrong="another variable was deleted by Cem",
)


@dataclass
class Cluster:
    """A scheduler with three clients, and which streams it has read a word from."""

    scheduler: Any
    clients: dict[str, Any] = field(default_factory=dict)
    heard: asyncio.Queue[tuple[str, str]] = field(default_factory=asyncio.Queue)

    def listen_to(self, word: str) -> None:
        """Note whose stream `word` is read from, and go on as before."""
        handle = self.scheduler.stream_handlers[word]

        async def note(name: str, client: str, **rest: object) -> None:
            names = {other.id: who for who, other in self.clients.items()}
            self.heard.put_nowait((names[client], name))
            await handle(name=name, client=client, **rest)

        self.scheduler.stream_handlers[word] = note

    def variable(self, who: str, name: str = "v") -> Any:
        from distributed import Variable

        return Variable(name, client=self.clients[who])

    def future(self, who: str) -> Any:
        """A task that no worker will run."""
        return self.clients[who].submit(print, who)

    async def delete(self, who: str) -> None:
        self.variable(who).delete()
        assert await self.heard.get() == (who, "v")
        await settle()

    async def delete_another(self) -> str:
        """Who is heard until the scheduler reads what Cem, the last, sends."""
        deleted = []
        for who in ("Ann", "Cem"):
            self.variable(who, "another").delete()
        while "Cem" not in deleted:
            deleted.append((await self.heard.get())[0])
        return f"another variable was deleted by {', '.join(deleted)}"


@contextlib.asynccontextmanager
async def cluster() -> AsyncIterator[Cluster]:
    from distributed import Client, Scheduler

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    async with contextlib.AsyncExitStack() as stack:
        scheduler = await stack.enter_async_context(
            Scheduler(protocol="inproc://", dashboard=False, dashboard_address=":0")
        )
        made = Cluster(scheduler)
        for word in ("variable_delete", "variable-future-received-confirm"):
            made.listen_to(word)
        for name in ("Ann", "Bob", "Cem"):
            client = Client(scheduler.address, asynchronous=True)
            made.clients[name] = await stack.enter_async_context(client)
        yield made


async def one_after_the_other() -> str:
    async with cluster() as made:
        await made.variable("Ann").set(made.future("Ann"))
        got = await made.variable("Bob").get()
        assert await made.heard.get() == ("Bob", "v")
        await made.delete("Ann")
        await made.variable("Cem").set(made.future("Cem"))
        await made.delete("Cem")
        del got
        return await made.delete_another()


async def overlapping() -> str:
    async with cluster() as made:
        await made.variable("Ann").set(made.future("Ann"))
        held: list[dict[str, object]] = []
        with patch.object(made.clients["Bob"].scheduler_comm, "send", held.append):
            got = await made.variable("Bob").get()
            await made.delete("Ann")
            await made.variable("Cem").set(made.future("Cem"))
            await made.delete("Cem")
        made.clients["Bob"].scheduler_comm.send(*held)
        assert await made.heard.get() == ("Bob", "v")
        del got
        return await made.delete_another()


if __name__ == "__main__":
    sys.exit(HAZARD.drive(one_after_the_other, overlapping))
