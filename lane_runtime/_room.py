"""Room on the stack: a turn must not begin where too little is left to end it.

A function that calls itself for ever meets the recursion limit anywhere, in the middle of the
bookkeeping of a lane too, which would then be held, or have lost a request, for good. So the depth of
that bookkeeping is tried out before anything is changed. That is dear, some 30 ns for each call tried,
and so it is done only before what wakes somebody or begins a coroutine. Everywhere else a step either
fails before it has changed anything, or can be handed to another thread, for which a call or two suffice.
"""

from __future__ import annotations

import sys

# Written out: a function that calls itself with a count takes twice the time.


def ensure_room_for_a_call() -> None:
    """Raise RecursionError here, where nothing is lost by it, if no function can be called."""


def _level_2() -> None:
    ensure_room_for_a_call()


def _level_3() -> None:
    _level_2()


def _level_4() -> None:
    _level_3()


def _level_5() -> None:
    _level_4()


def _level_6() -> None:
    _level_5()


def _level_7() -> None:
    _level_6()


def _level_8() -> None:
    _level_7()


def _level_9() -> None:
    _level_8()


def _level_10() -> None:
    _level_9()


def _level_11() -> None:
    _level_10()


def ensure_room_to_end() -> None:
    """Raise RecursionError here, where nothing is lost by it, if the end of a turn could not be handed on."""
    ensure_room_for_a_call()


def ensure_room_to_begin() -> None:
    """The same if a coroutine that fails to begin could not be ended."""
    _level_8()


def ensure_much_room(levels: int = 40) -> None:
    """The same for calls that cross threads, for which a loop in debug mode walks the stack."""
    if levels:
        ensure_much_room(levels - 1)


if sys.flags.dev_mode:  # all loops are in debug mode

    def ensure_room_to_wake() -> None:
        """The same if nobody could be woken."""
        ensure_much_room()
else:

    def ensure_room_to_wake() -> None:
        """The same if nobody could be woken."""
        _level_11()
