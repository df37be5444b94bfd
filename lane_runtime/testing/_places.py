"""Where tasks are: the user's line that each of them waits at."""

from __future__ import annotations

import asyncio
import functools
import linecache
import os
import re
import sysconfig
from types import FrameType
from typing import Any, Final

from lane_runtime.testing._loop import ExplorationLoop, ExploredTask

_LIBRARIES: Final = tuple(
    os.path.abspath(folder) + os.sep
    for folder in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    if folder
)
# pytest runs code of its own inside a failing assertion.
_MACHINERY: Final = re.compile(r"[\\/](_pytest|pluggy|coverage)[\\/]")
RUNTIME: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@functools.lru_cache(maxsize=1024)
def is_users(file: str) -> bool:
    """Whether a file is neither part of Python nor of this package; most installed libraries are the user's."""
    if file.startswith(("<", RUNTIME)) or _MACHINERY.search(file):
        return False
    return "site-packages" in file or "dist-packages" in file or not file.startswith(_LIBRARIES)


def place(file: str, line: int) -> str:
    """A short name for a line, such as `pool.py:41`."""
    return f"{os.path.basename(file)}:{line}"


def source(file: str, line: int) -> str:
    """The text of a line, without its indentation."""
    return linecache.getline(file, line).strip()


def name_of(task: asyncio.Task[Any]) -> str:
    """The name of a task; those that the runtime makes for turns have none that lasts."""
    return task.get_name() if isinstance(task, ExploredTask) else "a turn"


def waiting_lines(loop: ExplorationLoop, *, is_endless: bool) -> tuple[str, ...]:
    """Each task that has not ended, with the line it is at."""
    tasks = sorted(
        asyncio.all_tasks(loop),
        key=lambda task: (loop.tasks.get(task, 0), len(task.get_name()), task.get_name()),
    )
    verb = "goes on without end" if is_endless else "waits"
    return tuple(f"{name_of(task)} {verb} at {_line_of(task)}" for task in tasks)


def _line_of(task: asyncio.Task[Any]) -> str:
    frames = _frames_of(task)
    own = [frame for frame in frames if is_users(frame.f_code.co_filename)]
    if not own:
        return f"a line outside of the scenario ({task.get_coro()!r})" if not frames else _text(frames[-1])
    return _text(own[-1])


def _text(frame: FrameType) -> str:
    file, line = frame.f_code.co_filename, frame.f_lineno
    return f"{place(file, line)} in {frame.f_code.co_qualname}: {source(file, line)}"


def _frames_of(task: asyncio.Task[Any]) -> list[FrameType]:
    """The frames of a suspended task, outermost first."""
    frames: list[FrameType] = []
    awaited: Any = task.get_coro()
    while awaited is not None and len(frames) < 200:
        frame = (
            getattr(awaited, "cr_frame", None)
            or getattr(awaited, "gi_frame", None)
            or getattr(awaited, "ag_frame", None)
        )
        if frame is not None:
            frames.append(frame)
        awaited = (
            getattr(awaited, "cr_await", None)
            or getattr(awaited, "gi_yieldfrom", None)
            or getattr(awaited, "ag_await", None)
        )
    return frames
