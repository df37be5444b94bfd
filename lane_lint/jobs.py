"""Many files, in one process or several; the answers come in the same order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from lane_lint.run import CheckedFile, check_batch, project_around
from lane_lint.settings import Settings

_FILES_WORTH_A_PROCESS = 24


def check_files(
    files: Sequence[str],
    settings: Settings,
    *,
    jobs: int | None = None,
    cache: str | None = None,
    is_timed: bool = False,
) -> Iterator[CheckedFile]:
    """Check files; the answers come in the order of `files` whatever the number of jobs.

    Args:
        jobs: Processes to use; None uses every core for many files and one for few.
        cache: The folder that keeps what is found out about modules; None keeps nothing.
        is_timed: Measure what each file takes, which takes time itself.
    """
    count = jobs if jobs is not None else _jobs_worth_starting(len(files))
    if count <= 1 or len(files) <= 1:
        yield from check_batch(files, settings, project_around(settings, cache), is_timed=is_timed)
        return
    # Importing what starts processes takes longer than reading a few files.
    from lane_lint.processes import Task, check_in_processes

    yield from check_in_processes(files, Task(settings, cache, is_timed), count)


def _jobs_worth_starting(files: int) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, files // _FILES_WORTH_A_PROCESS))
