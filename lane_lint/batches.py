"""Files in batches on somebody else's executor: threads, processes, or the machines of a cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lane_lint.run import CheckedFile, check_file, project_around
from lane_lint.settings import Settings

if TYPE_CHECKING:
    from concurrent.futures import Executor

# About half a second of work: much more than what it takes to hand a task over, even to another machine.
FILES_A_BATCH = 32


def check_on_executor(files: Sequence[str], settings: Settings, executor: Executor) -> Iterator[CheckedFile]:
    """Check files as tasks of an executor; the answers come in the order of `files`.

    What is not asked for any more is cancelled. Whatever the executor raises is let through, such as
    `BrokenProcessPool` when one of its processes dies.

    Args:
        executor: Its workers must find the files under the same paths, from the same working directory.
    """
    starts = range(0, len(files), FILES_A_BATCH)
    batches = [tuple(files[start : start + FILES_A_BATCH]) for start in starts]
    tasks = deque(executor.submit(check_batch, batch, settings) for batch in batches)
    try:
        while tasks:
            yield from tasks[0].result()
            tasks.popleft()
    finally:
        for task in tasks:
            task.cancel()


def check_batch(paths: Sequence[str], settings: Settings) -> list[CheckedFile]:
    """Check some files in this thread; what an executor's task is."""
    project = project_around(settings, None)
    return [check_file(path, settings, project) for path in paths]
