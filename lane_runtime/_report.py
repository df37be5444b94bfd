"""Where failures go that nobody waits for."""

from __future__ import annotations

import sys
from asyncio import AbstractEventLoop, _get_running_loop


def report(message: str, error: BaseException, loop: AbstractEventLoop | None = None) -> None:
    """Hand `error` to the exception handler of `loop` or of the running loop, else to `sys.unraisablehook`."""
    loop = loop or _get_running_loop()
    if loop is not None:
        loop.call_exception_handler({"message": message, "exception": error})
        return
    sys.unraisablehook(
        # The hook documents its argument by attributes only; the type cannot be made from Python.
        _Unraisable(message, error)  # type: ignore[arg-type]
    )


class _Unraisable:
    def __init__(self, message: str, error: BaseException) -> None:
        self.exc_type = type(error)
        self.exc_value = error
        self.exc_traceback = error.__traceback__
        self.err_msg = message
        self.object = None
