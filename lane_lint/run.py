"""Many files' way: read, check, drop what is suppressed; in one process or several, in the same order."""

from __future__ import annotations

import hashlib
import os
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from lane_lint.engine import check_module, not_analysed, undecodable
from lane_lint.finding import Finding
from lane_lint.settings import Settings
from lane_lint.source import Source, SourceError
from lane_lint.suppress import is_file_suppressed, without_suppressed

_FILES_WORTH_A_PROCESS = 24
_BATCHES_PER_JOB = 8


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What became of one file.

    Attributes:
        path: The file, as the user calls it.
        findings: Sorted, without what is deselected or suppressed.
        fingerprints: One for each finding; the same after lines have moved.
        error: Why the file could not be read, None when it could.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    fingerprints: tuple[str, ...] = ()
    error: str | None = None


def check_files(
    files: Sequence[str], settings: Settings, *, jobs: int | None = None
) -> Iterator[CheckedFile]:
    """Check files; the answers come in the order of `files` whatever the number of jobs.

    Args:
        jobs: Processes to use; None uses every core for many files and one for few.
    """
    count = jobs if jobs is not None else _jobs_worth_starting(len(files))
    if count <= 1 or len(files) <= 1:
        for path in files:
            yield check_file(path, settings)
        return
    size = max(1, -(-len(files) // (count * _BATCHES_PER_JOB)))
    batches = [tuple(files[start : start + size]) for start in range(0, len(files), size)]
    yield from _in_processes(batches, settings, count)


def check_file(path: str, settings: Settings) -> CheckedFile:
    """Read and check one file."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return CheckedFile(path, error=reason)
    return check_bytes(path, data, settings)


def check_bytes(path: str, data: bytes, settings: Settings) -> CheckedFile:
    """Check the bytes of one file under the name `path`."""
    try:
        source = Source.from_bytes(path, data)
    except SourceError as error:
        # latin-1 keeps every line; it only serves to look for comments and to tell findings apart.
        return _reported(Source.from_text(path, data.decode("latin-1")), [undecodable(path, error)], settings)
    return check_text(source, settings)


def check_text(source: Source, settings: Settings) -> CheckedFile:
    """Check the text of one file."""
    if is_file_suppressed(source.lines):
        return CheckedFile(source.path)
    return _reported(source, check_module(source, settings), settings)


def _reported(source: Source, findings: list[Finding], settings: Settings) -> CheckedFile:
    selected = [finding for finding in findings if settings.is_reported(finding.code, source.path)]
    kept = tuple(without_suppressed(selected, source.lines))
    return CheckedFile(source.path, kept, _fingerprints(kept, source))


def _fingerprints(findings: Sequence[Finding], source: Source) -> tuple[str, ...]:
    """Hashes of code, path and the line's text without its white space; equal ones are counted."""
    seen: Counter[tuple[str, str]] = Counter()
    result: list[str] = []
    path = os.path.relpath(source.path) if os.path.isabs(source.path) else os.path.normpath(source.path)
    for finding in findings:
        number = finding.span.line
        text = "".join(source.lines[number - 1].split()) if number <= len(source.lines) else ""
        occurrence = seen[finding.code, text]
        seen[finding.code, text] += 1
        parts = (finding.code, path.replace(os.path.sep, "/"), text, str(occurrence))
        digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16)
        result.append(digest.hexdigest())
    return tuple(result)


def _jobs_worth_starting(files: int) -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, files // _FILES_WORTH_A_PROCESS))


def _in_processes(batches: Sequence[tuple[str, ...]], settings: Settings, jobs: int) -> Iterator[CheckedFile]:
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
            finding = not_analysed(path, "the process that read it died", "Exclude the file")
            return _reported(Source.from_text(path, ""), [finding], settings)
