"""Room on the stack: a turn must not begin where too little is left to end it.

A function that calls itself for ever meets the recursion limit anywhere, in the middle of the
bookkeeping of a lane too, which would then be held for good. So the depth of that bookkeeping is
tried out before anything is changed. For plain turns that is too dear: an uncontended one looks
only when its work has failed, one that waited in line not at all, as with a lock of asyncio.
"""

from __future__ import annotations

# Written out: a function that calls itself with a count takes twice the time.


def _level_1() -> None:
    return


def _level_2() -> None:
    _level_1()


def _level_3() -> None:
    _level_2()


def _level_4() -> None:
    _level_3()


def _level_5() -> None:
    _level_4()


def _level_6() -> None:
    _level_5()


def ensure_room() -> None:
    """Raise RecursionError here, where nothing is lost by it, if a turn could not be ended."""
    _level_6()


def ensure_much_room(levels: int = 40) -> None:
    """The same for calls that cross threads, for which a loop in debug mode walks the stack."""
    if levels:
        ensure_much_room(levels - 1)
