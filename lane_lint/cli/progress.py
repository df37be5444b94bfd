"""How far a long run is, for who watches it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO, TypeVar

T = TypeVar("T")

_QUIET_SECONDS = 1.0
_SECONDS_BETWEEN = 0.1


def with_progress(
    files: Iterable[T], total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic
) -> Iterator[T]:
    """Hand the files on; a terminal sees one line with their number once that takes long, and nothing at the end."""
    if not _is_watched(stream):
        yield from files
        return
    started = shown = clock()
    line = ""
    try:
        for done, file in enumerate(files, 1):
            yield file
            now = clock()
            if now - started >= _QUIET_SECONDS and now - shown >= _SECONDS_BETWEEN:
                shown, line = now, f"{done} of {total} files"
                stream.write(f"\r{line}")
                stream.flush()
    finally:
        if line:
            stream.write(f"\r{' ' * len(line)}\r")
            stream.flush()


def _is_watched(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")
