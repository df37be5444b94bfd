"""The steps of one run, written down while it goes: lines with what they read and wrote, and lane events."""

from __future__ import annotations

import asyncio
import dis
import sys
from dataclasses import dataclass
from types import CodeType, FrameType, TracebackType
from typing import Any, Final, Literal, TypeAlias

from lane_runtime.testing._call import current_call
from lane_runtime.testing._lanes_seen import LaneEye
from lane_runtime.testing._loop import ExploredTask
from lane_runtime.testing._places import RUNTIME, is_users, name_of, place, source
from lane_runtime.testing._touched import Touched, touched_by

TraceKind: TypeAlias = Literal["happens", "line", "lane"]

MOST_LINES: Final = 400
# Where a frame stands that has been left at a wait; from 3.13 on it is already past the first of them.
_WAITING: Final = frozenset({dis.opmap["YIELD_VALUE"], dis.opmap["RESUME"]})


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One step.

    Attributes:
        kind: `happens`: an entry of the schedule; `line`: a task ran a line; `lane`: what a lane did.
        task: Name of the task, empty for what happens outside of tasks.
        place: File and line, such as `pool.py:41`; empty for what happens outside.
        text: The label, the source line, or what the lane did.
        reads: Attributes and items that the line reads, with their values before it, where known.
        writes: The same for what it writes, with their values after it.
    """

    kind: TraceKind
    task: str
    place: str
    text: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "happens":
            return f"-> {self.text}"
        touched = [f"reads {one}" for one in self.reads] + [f"writes {one}" for one in self.writes]
        where = f"{self.place}  " if self.place else ""
        return f"   {self.task:12} {where}{self.text}" + (f"    [{', '.join(touched)}]" if touched else "")


class _Pending:
    """A line that has begun in some frame."""

    __slots__ = ("line", "number", "reads", "task", "touched")

    def __init__(self, task: str, number: int, line: int, touched: Touched, reads: tuple[str, ...]) -> None:
        self.task = task
        self.number = number
        self.line = line
        self.touched = touched
        self.reads = reads


class Tracer:
    """Writes down what runs on this thread inside a `with` block. One run only."""

    def __init__(self) -> None:
        self.lines: list[TraceLine] = []
        self._pending: dict[FrameType, _Pending] = {}
        self._before: Any = None
        self._lanes = LaneEye(self._add_lane)

    def note(self, label: str) -> None:
        """Write down that an entry of the schedule happens."""
        self._add(TraceLine("happens", "", "", label))

    def __enter__(self) -> Tracer:
        self._before = sys.gettrace()
        sys.settrace(self._global)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        sys.settrace(self._before)
        self._pending.clear()

    def _add(self, line: TraceLine) -> int:
        if len(self.lines) < MOST_LINES:
            self.lines.append(line)
        return len(self.lines) - 1

    def _add_lane(self, text: str) -> None:
        self._add(TraceLine("lane", _task_name(), "", text))

    def _global(self, frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        if code.co_filename.startswith(RUNTIME):
            return self._lanes.watch(frame)
        if not is_users(code.co_filename):
            return None
        return self._local

    def _local(self, frame: FrameType, event: str, value: object) -> Any:
        if event == "line":
            pending = self._pending.get(frame)
            # Newer Pythons tell of a line again after a wait or a jump in it.
            if pending is None or pending.line != frame.f_lineno:
                self._finish(frame)
                self._begin(frame)
        elif event == "return" and not _is_suspended(frame):
            self._finish(frame)
        return self._local

    def _begin(self, frame: FrameType) -> None:
        code, line = frame.f_code, frame.f_lineno
        task = _task_name()
        # Before the first call starts the scenario is set up.
        if len(self.lines) >= MOST_LINES or not (task or self.lines):
            return
        touched = touched_by(code.co_filename, line)
        reads = tuple(touched.read_in(frame))
        number = self._add(
            TraceLine("line", task, place(code.co_filename, line), source(code.co_filename, line), reads)
        )
        self._pending[frame] = _Pending(task, number, line, touched, reads)

    def _finish(self, frame: FrameType) -> None:
        pending = self._pending.pop(frame, None)
        if pending is None:
            return
        writes = tuple(pending.touched.written_in(frame))
        if not writes:
            return
        begun = self.lines[pending.number]
        is_last = pending.number == len(self.lines) - 1
        if is_last:
            self.lines[-1] = TraceLine("line", begun.task, begun.place, begun.text, begun.reads, writes)
        else:  # it was suspended in between: the write belongs here
            self._add(TraceLine("line", begun.task, begun.place, begun.text, (), writes))


def _task_name() -> str:
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return ""
    if task is None:
        return ""
    call = current_call()
    return name_of(task) if isinstance(task, ExploredTask) or call is None else f"{call.name} (turn)"


def _is_suspended(frame: FrameType) -> bool:
    code: CodeType = frame.f_code
    return frame.f_lasti >= 0 and code.co_code[frame.f_lasti] in _WAITING
