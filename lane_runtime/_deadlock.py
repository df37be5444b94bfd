"""The wait-for graph: turns that wait for a lane, lanes that are held by a turn.

An edge is added only when code inside a turn has to wait for another lane. The new edge is the
only one that can close a circle, so one search at that moment is enough.

Source: decision table, "nested other lane".
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from lane_runtime._context import ThreadMarks, owners_in_sight
from lane_runtime._turn import Turn
from lane_runtime._wording import describe_turn, label
from lane_runtime.errors import LaneDeadlockError

if TYPE_CHECKING:
    from types import TracebackType

    from lane_runtime._core import LaneCore

_GRAPH: Final = threading.RLock()


class NestedWait:
    """`with NestedWait(lane, work):` around a wait for `lane`; free of cost outside of turns.

    Raises:
        LaneDeadlockError: On entry, when the lane can only come free after the caller's own turn.
    """

    __slots__ = ("_lane", "_owners", "_work")

    def __init__(self, lane: LaneCore, work: object) -> None:
        self._lane = lane
        self._work = work
        self._owners: list[Turn | ThreadMarks] = []

    def __enter__(self) -> None:
        owners = owners_in_sight()
        if not owners:
            return
        with _GRAPH:
            circle = _circle(self._lane, owners)
            if circle is not None:
                raise LaneDeadlockError(self._message(circle), tuple(lane.name for lane in circle))
            for owner in owners:
                owner.waits.append(self._lane)
        self._owners = owners

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._owners:
            with _GRAPH:
                for owner in self._owners:
                    owner.waits.remove(self._lane)

    def _message(self, circle: list[LaneCore]) -> str:
        path = " -> ".join(repr(lane.name) for lane in circle)
        holder = circle[0]
        return (
            f"lane {self._lane.name!r} cannot be entered for {label(self._work)} inside the turn of lane "
            f"{holder.name!r} ({describe_turn(holder)}): the turns wait for each other, {path}; "
            f"enter the lanes in one order with run_all([...], work)"
        )


def _circle(wanted: LaneCore, owners: list[Turn | ThreadMarks]) -> list[LaneCore] | None:
    """The lanes from one that the caller holds, over `wanted`, back to it; None when there is no way."""
    came_from: dict[LaneCore, LaneCore | None] = {wanted: None}
    open_ends = [wanted]
    while open_ends:
        lane = open_ends.pop()
        holder = lane._owner
        if not isinstance(holder, Turn | ThreadMarks):
            continue
        if any(holder is owner for owner in owners):
            return _path_to(lane, came_from)
        for next_lane in holder.waits:
            if next_lane not in came_from:
                came_from[next_lane] = lane
                open_ends.append(next_lane)
    return None


def _path_to(held: LaneCore, came_from: dict[LaneCore, LaneCore | None]) -> list[LaneCore]:
    path = [held]
    step = came_from[held]
    while step is not None:
        path.append(step)
        step = came_from[step]
    path.append(held)
    return [path[0], *reversed(path[1:-1]), path[-1]]
