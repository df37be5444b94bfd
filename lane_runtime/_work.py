"""What work returned: a result, a coroutine to go on with, or something that is no turn.

Source: decision table, "what is a turn".
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Coroutine, Generator
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from lane_runtime._room import ensure_room_to_begin
from lane_runtime._wording import misuse_message
from lane_runtime.errors import LaneMisuseError

if TYPE_CHECKING:
    from lane_runtime._core import LaneCore

# Types whose values cannot be coroutines or generators; a set test is all that common results pay.
VALUE_TYPES: Final = frozenset({type(None), bool, int, float, str, bytes, tuple, list, dict, set, frozenset})


def is_coroutine(result: object) -> TypeGuard[Coroutine[object, Any, object]]:
    """Whether `result` is to be run as a coroutine turn; true for Cython's coroutines too."""
    kind = type(result)
    return kind is CoroutineType or (hasattr(kind, "send") and isinstance(result, Coroutine))


def kind_of_generator(result: object) -> str | None:
    """The name of the kind when `result` is a generator of either sort, else None."""
    kind = type(result)
    if kind is GeneratorType or (hasattr(kind, "gi_frame") and isinstance(result, Generator)):
        return "a generator"
    if kind is AsyncGeneratorType or (hasattr(kind, "asend") and isinstance(result, AsyncGenerator)):
        return "an async generator"
    return None


def body_of(lane: LaneCore, work: object, result: object) -> Coroutine[object, Any, object] | None:
    """The coroutine to go on with inside the turn, or None when `result` is the result.

    Raises:
        LaneMisuseError: It is a generator, whose body would run after the turn.
    """
    if type(result) in VALUE_TYPES:
        return None
    if is_coroutine(result):
        # A task that asyncio starts in place keeps an error of its first step to itself; before 3.12 it
        # comes out of the start of the turn, which then ends the turn.
        if sys.version_info >= (3, 12):
            try:
                ensure_room_to_begin()
            except RecursionError:
                result.close()
                raise
        return result
    kind = kind_of_generator(result)
    if kind is not None:
        raise LaneMisuseError(misuse_message(lane, work, kind))
    return None
