"""Words for people: names of turns, where they were entered, and the longer messages."""

from __future__ import annotations

import functools
import os.path
import sys
import threading
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from lane_runtime._context import ThreadMarks, current_task, here, visible_turn
from lane_runtime._turn import Turn

if TYPE_CHECKING:
    from lane_runtime._core import LaneCore

_OWN_FILES = os.path.dirname(__file__)


def label(work: object) -> str:
    """The name of `work` and the place of its definition, such as `Pool.take (pool.py:41)`."""
    while isinstance(work, functools.partial):
        work = work.func
    function = getattr(work, "__func__", work)
    function = getattr(function, "__wrapped__", function)
    name = getattr(function, "__qualname__", None) or type(work).__qualname__
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        return f"{name} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"
    return str(name)


def describe_turn(lane: LaneCore) -> str:
    """The turn that `lane` is running, with the place where it was entered when that is known."""
    owner = lane._owner
    if isinstance(owner, Turn):
        return _entered(owner.work, owner.site)
    if isinstance(owner, ThreadMarks):
        return _entered(lane._work, _site_on_this_stack(lane))
    return label(owner.work) if owner is not None else "a turn that has just ended"


def _entered(work: object, site: tuple[CodeType, int] | None) -> str:
    if site is None:
        return label(work)
    code, last_instruction = site
    if os.path.basename(os.path.dirname(code.co_filename)) == "asyncio":  # run is the body of a task itself
        return label(work)
    line = _line_of(code, last_instruction)
    return f"{label(work)}, entered in {code.co_qualname} ({os.path.basename(code.co_filename)}:{line})"


def _line_of(code: CodeType, last_instruction: int) -> int:
    for start, end, line in code.co_lines():
        if start <= last_instruction < end and line is not None:
            return line
    return code.co_firstlineno


def call_site(frame: FrameType | None) -> tuple[CodeType, int] | None:
    """The nearest place outside of this package on the stack from `frame` on."""
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_OWN_FILES):
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def _site_on_this_stack(lane: LaneCore) -> tuple[CodeType, int] | None:
    # A plain turn is on the stack of its thread; the outermost frame of its lane is where it was entered.
    frame: FrameType | None = sys._getframe()
    entry = None
    while frame is not None:
        if frame.f_code.co_filename.startswith(_OWN_FILES) and frame.f_locals.get("self") is lane:
            entry = frame
        frame = frame.f_back
    return call_site(entry) if entry is not None and lane._owner is here.marks else None


def reentry_message(lane: LaneCore, work: object) -> str:
    """Why `work` may not enter `lane` here, and the way out."""
    owner = lane._owner
    asked = f"instead of running {label(work)}" if work is not None else "instead of entering it again"
    innermost = visible_turn()
    # Who runs the innermost of nested turns is taken to have come down from the outermost.
    is_on_one_path = innermost is not None and innermost.is_run_by_caller()
    if isinstance(owner, Turn) and not is_on_one_path:
        return (
            f"lane {lane.name!r} is still in the turn {describe_turn(lane)}, which {_who()} inherited; "
            f"start it with start_detached(...) or under suppress_lane_context() {asked} inside the turn"
        )
    return (
        f"lane {lane.name!r} is running this very turn ({describe_turn(lane)}); "
        f"call the ..._on_lane body directly {asked}"
    )


def _who() -> str:
    task = current_task()
    return f"task {task.get_name()!r}" if task is not None else f"thread {threading.current_thread().name!r}"


def closed_message(lane: LaneCore, work: object) -> str:
    """Why a closed lane did not take `work`."""
    return f"lane {lane.name!r} is closed and refused {label(work)}; stop its callers before close(), or make a new lane"


def full_message(lane: LaneCore, work: object, capacity: int) -> str:
    """Why a full lane did not take `work`."""
    return (
        f"lane {lane.name!r} has {capacity} waiting requests, its capacity, behind {describe_turn(lane)} "
        f"and refused {label(work)}; retry later or raise the capacity"
    )


def misuse_message(lane: LaneCore, work: object, kind: str) -> str:
    """Why what `work` returned cannot be a turn."""
    return (
        f"lane {lane.name!r} got {kind} from {label(work)}, whose body would run after the turn; "
        f"collect its items inside the turn and return a list"
    )
