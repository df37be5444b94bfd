"""What a loop without an outside world refuses."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn, Protocol

from lane_runtime.testing.errors import OutsideRefusedError

_LIBRARY = os.path.dirname(os.path.abspath(asyncio.__file__))
_OWN = os.path.dirname(os.path.abspath(__file__))

_INSTEAD = {
    "run_in_executor": "to_thread and run_in_executor start threads",
    "getaddrinfo": "name look-ups go to a thread and the network",
    "getnameinfo": "name look-ups go to a thread and the network",
    "subprocess_exec": "subprocesses are the real world",
    "subprocess_shell": "subprocesses are the real world",
    "add_signal_handler": "signals come from the real world",
    "remove_signal_handler": "signals come from the real world",
}
_SOCKETS = (
    "create_connection", "create_server", "create_datagram_endpoint", "create_unix_connection",
    "create_unix_server", "connect_accepted_socket", "connect_read_pipe", "connect_write_pipe",
    "sendfile", "start_tls", "sock_recv", "sock_recv_into", "sock_recvfrom", "sock_recvfrom_into",
    "sock_sendall", "sock_sendto", "sock_connect", "sock_accept", "sock_sendfile",
    "add_reader", "remove_reader", "add_writer", "remove_writer",
)  # fmt: skip

REFUSED = {**dict.fromkeys(_SOCKETS, "sockets and pipes are real I/O"), **_INSTEAD}


class Refusing(Protocol):
    """A loop that keeps what it refused: code that swallows the error must not hide it."""

    refused: list[OutsideRefusedError]


def refusal(name: str) -> Callable[..., NoReturn]:
    """A stand-in for the loop's method `name`, which keeps on record what it raises."""

    def refuse(loop: Refusing, *_: object, **__: object) -> NoReturn:
        error = OutsideRefusedError(
            f"loop.{name} was called at {_place(sys._getframe(1))}; {REFUSED[name]}, which an exploration "
            "cannot order: give the scenario a fake made by world.fake(...) in its place"
        )
        loop.refused.append(error)
        raise error

    return refuse


def _place(frame: FrameType | None) -> str:
    while frame is not None:
        folder = os.path.dirname(os.path.abspath(frame.f_code.co_filename))
        if folder not in (_LIBRARY, _OWN):
            return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return "an unknown place"
