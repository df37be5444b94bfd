"""The functions that other tools call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.jobs import check_files
from lane_lint.paths import select_files
from lane_lint.run import CheckedFile, check_bytes, check_text
from lane_lint.settings import Settings
from lane_lint.source import Source

if TYPE_CHECKING:
    from concurrent.futures import Executor


def check_source(
    source: str | bytes, *, path: str = "<source>", settings: Settings | None = None
) -> list[Finding]:
    """Find the defects of one module's text; text that is no Python gives LAN901.

    Args:
        path: What to call the module; nothing is read under that name.
        settings: None takes the defaults and reads no configuration file.
    """
    settings = settings or Settings()
    if isinstance(source, bytes):
        return list(check_bytes(path, source, settings).findings)
    return list(check_text(Source.from_text(path, source), settings).findings)


def check_paths(
    paths: Iterable[str | os.PathLike[str]],
    *,
    settings: Settings | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
) -> list[Finding]:
    """Find the defects of files, and of the Python files below folders, sorted by path and place.

    Args:
        settings: None takes the defaults and reads no configuration file.
        jobs: Processes to use.
        executor: Where to do it instead, in batches of files. Its workers must find the files under the same
            paths, from the same working directory. It is not shut down.

    Raises:
        OSError: A path does not exist or a file cannot be read.
        ValueError: Both `jobs` and `executor` are given.
    """
    if executor is not None and jobs != 1:
        raise ValueError(f"jobs={jobs} and executor={executor!r}: the executor decides how many work at once")
    settings = settings or Settings()
    selection = select_files([os.fspath(path) for path in paths], settings)
    for path, reason in selection.errors:
        raise OSError(f"cannot read {path}: {reason}")
    findings: list[Finding] = []
    for checked in _checked(selection.files, settings, jobs, executor):
        if checked.error is not None:
            raise OSError(f"cannot read {checked.path}: {checked.error}")
        findings += checked.findings
    return sorted(findings)


def _checked(
    files: Sequence[str], settings: Settings, jobs: int, executor: Executor | None
) -> Iterator[CheckedFile]:
    if executor is None:
        return check_files(files, settings, jobs=jobs)
    from lane_lint.batches import check_on_executor

    return check_on_executor(files, settings, executor)
