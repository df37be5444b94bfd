"""Files in processes of their own, so that every core works and a file that kills one ends no run."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from lane_lint.run import CheckedFile, check_file, died_while_read
from lane_lint.settings import Settings

_BATCHES_PER_JOB = 8


def check_in_processes(files: Sequence[str], settings: Settings, jobs: int) -> Iterator[CheckedFile]:
    """Check batches of files in `jobs` processes; one that dies costs its batch a second try."""
    size = max(1, -(-len(files) // (jobs * _BATCHES_PER_JOB)))
    batches = [tuple(files[start : start + size]) for start in range(0, len(files), size)]
    done = 0
    while done < len(batches):
        for checked in _until_a_process_dies(batches[done:], settings, jobs):
            yield from checked
            done += 1
        if done < len(batches):
            for path in batches[done]:
                yield _checked_alone(path, settings)
            done += 1


def _until_a_process_dies(
    batches: Sequence[tuple[str, ...]], settings: Settings, jobs: int
) -> Iterator[list[CheckedFile]]:
    executor = ProcessPoolExecutor(min(jobs, len(batches)), initializer=_die_quietly_on_interrupt)
    is_interrupted = True
    try:
        for future in [executor.submit(_check_batch, batch, settings) for batch in batches]:
            yield future.result()
        is_interrupted = False
    except BrokenProcessPool:
        is_interrupted = False
    finally:
        executor.shutdown(wait=not is_interrupted, cancel_futures=True)


def _die_quietly_on_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _check_batch(paths: tuple[str, ...], settings: Settings) -> list[CheckedFile]:
    return [check_file(path, settings) for path in paths]


def _checked_alone(path: str, settings: Settings) -> CheckedFile:
    """Check a file in a process of its own, after one of those around it has ended a worker."""
    with ProcessPoolExecutor(1) as executor:
        try:
            return executor.submit(check_file, path, settings).result()
        except BrokenProcessPool:
            return died_while_read(path, settings)
