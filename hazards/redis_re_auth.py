"""redis 8.1.0, LAN109 at redis/asyncio/connection.py:1435: a fresh token is thrown away by the login before it.

1. A connection gets token one and sends it. 2. Token two arrives while the server thinks about one.
3. The server answers, and the connection forgets its token, which is two by now. 4. It is asked to log in again.
One after the other, the server gets both tokens; here token two is never sent.
The fake is the server.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from driving import Hazard, Wire, network, running, settle

HAZARD = Hazard(
    package="redis==8.1.0",
    finding="LAN109 redis/asyncio/connection.py:1435",
    right="the server got one, two",
    wrong="the server got one",
)


@dataclass(frozen=True)
class Token:
    """What a credential provider hands out."""

    value: str

    def try_get(self, key: str) -> str:
        return "user"

    def get_value(self) -> str:
        return self.value


class Server:
    """Answers everything at once but a login, which waits for the script."""

    def __init__(self) -> None:
        self.tokens: list[str] = []

    def serve(self, wire: Wire, data: bytes) -> None:
        words = data.decode().split("\r\n")[2::2]
        if words[0] == "AUTH":
            self.tokens.append(words[-1])
        else:
            wire.answer(b"+OK\r\n" * data.count(b"CLIENT"))

    def told(self) -> str:
        return f"the server got {', '.join(self.tokens)}"


async def connected() -> Any:
    from redis.asyncio import Connection

    connection = Connection(protocol=2)
    await connection.connect()
    return connection


async def one_after_the_other() -> str:
    server = Server()
    with network(server.serve) as wires:
        connection = await connected()
        for value in ("one", "two"):
            connection.set_re_auth_token(Token(value))
            async with running(connection.re_auth()) as login:
                wires[0].answer(b"+OK\r\n")
                await login
        await connection.disconnect()
    return server.told()


async def overlapping() -> str:
    server = Server()
    with network(server.serve) as wires:
        connection = await connected()
        connection.set_re_auth_token(Token("one"))
        async with running(connection.re_auth()) as login:
            connection.set_re_auth_token(Token("two"))
            wires[0].answer(b"+OK\r\n")
            await login
        async with running(connection.re_auth()):
            await settle()
        await connection.disconnect()
    return server.told()


if __name__ == "__main__":
    sys.exit(HAZARD.drive(one_after_the_other, overlapping))
