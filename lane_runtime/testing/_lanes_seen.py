"""What lanes do in a traced run: turns that begin and end, waits in line, refused re-entry, closing.

Seen from outside, by which of the runtime's functions run, so that a traced run takes the very path
that it takes untraced: an observer on the lane would lead it round the fast path.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from types import FrameType
from typing import Any

from lane_runtime._core import LaneCore
from lane_runtime._turn import Turn
from lane_runtime._wording import label
from lane_runtime.errors import LaneReentryError


class LaneEye:
    """Trace functions for the frames of the runtime."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lines: dict[FrameType, int] = {}

    def watch(self, frame: FrameType) -> Any:
        """What is to trace this new frame of the runtime, or None."""
        name = frame.f_code.co_qualname
        seen = _CALLED.get(name)
        if seen is not None and frame.f_lasti <= 0:
            self._tell(seen(frame))
        if name in _LINES:
            return self._local
        if name == "Admission._refuse_reentry":
            return self._refusing
        return None

    def _tell(self, text: str | None) -> None:
        if text is not None:
            self._say(text)

    def _local(self, frame: FrameType, event: str, value: object) -> Any:
        if event == "return":
            self._lines.pop(frame, None)
        elif event == "line" and self._lines.get(frame) != frame.f_lineno:
            self._lines[frame] = frame.f_lineno
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            for start, seen in _LINES[frame.f_code.co_qualname]:
                if text.startswith(start):
                    self._tell(seen(frame))
        return self._local

    def _refusing(self, frame: FrameType, event: str, value: object) -> Any:
        if event == "exception" and isinstance(value, tuple) and value[0] is LaneReentryError:
            self._tell(f"is refused: re-entry into {_lane(frame)}")
        return self._refusing


def _lane(frame: FrameType) -> str:
    lane = frame.f_locals.get("self")
    if not isinstance(lane, LaneCore):
        lane = frame.f_locals.get("lane")
    return f"lane {lane.name!r}" if isinstance(lane, LaneCore) else "a lane"


def _begins(frame: FrameType) -> str:
    return f"begins a turn of {_lane(frame)}: {label(frame.f_locals.get('work'))}"


def _ends(frame: FrameType) -> str | None:
    caller = frame.f_back
    is_told = caller is not None and caller.f_code.co_qualname == "LaneCore._end_plain"
    if is_told and frame.f_code.co_qualname == "LaneCore._leave_counted":
        return None
    return f"ends its turn of {_lane(frame)}"


def _waits(frame: FrameType) -> str:
    number = frame.f_locals["self"].stats().queued
    return f"waits in line for {_lane(frame)}, number {number} in it"


def _coroutine_ends(frame: FrameType) -> str | None:
    turn = frame.f_locals.get("self")
    if not isinstance(turn, Turn) or (turn.ended and turn.lane._owner is not turn):
        return None
    return f"ends its turn of lane {turn.lane.name!r}"


def _posted(frame: FrameType) -> str:
    return f"posts a turn to {_lane(frame)}: {label(frame.f_locals.get('work'))}"


def _closes(frame: FrameType) -> str:
    return f"closes {_lane(frame)}"


_CALLED: dict[str, Callable[[FrameType], str | None]] = {
    "LaneCore._end_plain": _ends,
    "LaneCore._leave_counted": _ends,
    "Turn._end": _coroutine_ends,
    "StateLane.try_post": _posted,
    "Admission._shut": _closes,
}
_LINES: dict[str, tuple[tuple[str, Callable[[FrameType], str | None]], ...]] = {
    "StateLane.run": (("result = work(", _begins), ("marks.lane = self._outer", _ends)),
    "_run": (("body = body_of(", _begins),),
    "TaskSide._wait_in_line": (("await ticket.future", _waits),),
}
