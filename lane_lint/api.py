"""The functions that other tools call."""

from __future__ import annotations

import os
from collections.abc import Iterable

from lane_lint.finding import Finding
from lane_lint.jobs import check_files
from lane_lint.paths import select_files
from lane_lint.run import check_bytes, check_text
from lane_lint.settings import Settings
from lane_lint.source import Source


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
    paths: Iterable[str | os.PathLike[str]], *, settings: Settings | None = None, jobs: int = 1
) -> list[Finding]:
    """Find the defects of files, and of the Python files below folders, sorted by path and place.

    Args:
        settings: None takes the defaults and reads no configuration file.
        jobs: Processes to use.

    Raises:
        OSError: A path does not exist or a file cannot be read.
    """
    settings = settings or Settings()
    selection = select_files([os.fspath(path) for path in paths], settings)
    for path, reason in selection.errors:
        raise OSError(f"cannot read {path}: {reason}")
    findings: list[Finding] = []
    for checked in check_files(selection.files, settings, jobs=jobs):
        if checked.error is not None:
            raise OSError(f"cannot read {checked.path}: {checked.error}")
        findings += checked.findings
    return sorted(findings)
