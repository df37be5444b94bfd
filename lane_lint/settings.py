"""What a run is told: which codes, how sure, and the project's own words for locks, lanes and owners."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch, translate
from functools import lru_cache

from lane_lint.finding import Confidence

DEFAULT_EXCLUDE = (
    ".svn",
    "CVS",
    ".bzr",
    ".hg",
    ".git",
    "__pycache__",
    ".tox",
    ".nox",
    ".eggs",
    "*.egg",
    ".venv",
    "node_modules",
)

_NO_NAMES = ("", ".", "..")

CODE_PREFIX = re.compile(r"LAN[0-9]{0,3}")


class ConfigError(Exception):
    """A setting cannot be used.

    Args:
        place: The file, or the command line.
        key: The key as the user wrote it.
        value: What was read.
        allowed: What may stand there, in words.
    """

    def __init__(self, place: str, key: str, value: object, allowed: str) -> None:
        super().__init__(place, key, value, allowed)
        self.place = place
        self.key = key
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return f"{self.place}: {self.key} = {self.value!r}: allowed is {self.allowed}"


@dataclass(frozen=True, slots=True)
class Settings:
    """One run's settings; frozen and picklable, so that every worker has the same.

    Attributes:
        select: Code prefixes to report; None reports every code, an empty one none.
        extend_select: Code prefixes to report on top of `select`.
        ignore: Code prefixes not to report; against `select` the longer prefix wins, as in flake8.
        extend_ignore: Code prefixes not to report on top of `ignore`.
        per_file_ignores: (pattern, code prefixes) pairs; for each file the longest pattern counts.
        exclude: Patterns of paths that are not read. A pattern with a slash is absolute.
        extend_exclude: Such patterns on top of `exclude`.
        across_files: Bases, locks, lanes and helpers of other modules are looked up.
        min_confidence: The lowest confidence that is reported.
        baseline: The file of findings that the command and the plugin hold back; empty holds none back.
        warn_unused_noqa: The command reports comments that name our codes and silence nothing.
        lane_types: Qualified names whose instances are lanes.
        lane_entry_methods: Methods of a lane that run their argument as a turn.
        on_lane_name_patterns: Patterns of names of functions that run as (part of) a turn.
        asserting_methods: Methods that raise unless they are called on their lane; who calls one runs in a turn.
        suppressors: Names whose call or `with` body leaves the lane context behind.
        lock_types: Qualified names of lock constructors, on top of the libraries' own.
        concurrent_map_types: Qualified names of collections whose every method is one atomic operation.
        non_suspending: Names whose `await`, `async with` or `async for` never suspends.
        owned_parameters: Parameters whose object one call alone owns.
        confined_classes: Patterns of class names whose instances one task alone uses.
        runs_callback_now: Names that run the callable they are given before they return.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    across_files: bool = False
    min_confidence: Confidence = Confidence.MEDIUM
    baseline: str = ""
    warn_unused_noqa: bool = False
    lane_types: tuple[str, ...] = ("lane_runtime.StateLane",)
    lane_entry_methods: tuple[str, ...] = ("run", "run_blocking", "try_post")
    on_lane_name_patterns: tuple[str, ...] = ("_*_on_lane",)
    asserting_methods: tuple[str, ...] = ("assert_on_lane",)
    suppressors: tuple[str, ...] = (
        "lane_runtime.suppress_lane_context",
        "lane_runtime.start_detached",
    )
    lock_types: tuple[str, ...] = ()
    concurrent_map_types: tuple[str, ...] = ("lane_runtime.ConcurrentMap",)
    non_suspending: tuple[str, ...] = (
        "asyncio.timeout",
        "asyncio.timeout_at",
        "contextlib.nullcontext",
        "contextlib.suppress",
        "lane_runtime.suppress_lane_context",
    )
    owned_parameters: tuple[str, ...] = (
        "request",
        "req",
        "ctx",
        "context",
        "event",
        "scope",
        "message",
    )
    confined_classes: tuple[str, ...] = ("Test*", "*Test", "*Tests", "*TestCase")
    runs_callback_now: tuple[str, ...] = (
        "all",
        "any",
        "filter",
        "functools.reduce",
        "map",
        "max",
        "min",
        "sorted",
        "sum",
    )

    def is_reported(self, code: str, path: str) -> bool:
        """Decide as flake8 does whether `code` is selected for this file."""
        entry = self.per_file_entry(path)
        ignored = (*self.ignore, *self.extend_ignore, *(entry[1] if entry else ()))
        ignoring = _longest_prefix(code, ignored)
        selecting = _longest_prefix(code, (*(self.select or ()), *self.extend_select))
        if self.select is not None and not selecting:
            return False
        return not ignoring or selecting > ignoring

    def is_excluded(self, path: str) -> bool:
        """Whether a file or folder is not to be read."""
        is_match = _matcher((*self.exclude, *self.extend_exclude))
        name = os.path.basename(path)
        return (name not in _NO_NAMES and is_match(name)) or is_match(os.path.abspath(path))

    def excluding_pattern(self, path: str) -> str | None:
        """The first pattern that keeps a file or folder from being read."""
        patterns = (*self.exclude, *self.extend_exclude)
        return next((pattern for pattern in patterns if _matches(path, pattern)), None)

    def per_file_entry(self, path: str) -> tuple[str, tuple[str, ...]] | None:
        """The one entry of `per_file_ignores` that counts for a file."""
        matching = [entry for entry in self.per_file_ignores if _matches(path, entry[0])]
        return max(matching, key=lambda entry: len(entry[0]), default=None)


def absolute_pattern(pattern: str, folder: str) -> str:
    """Read a path pattern as flake8 does: one with a slash is meant from `folder`, another is a name."""
    if pattern == "." or "/" in pattern or os.path.sep in pattern:
        pattern = os.path.abspath(os.path.join(folder, pattern))
    return pattern.rstrip(os.path.sep)


def _longest_prefix(code: str, prefixes: tuple[str, ...]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=0)


def _matches(path: str, pattern: str) -> bool:
    name = os.path.basename(path)
    if name not in _NO_NAMES and fnmatch(name, pattern):
        return True
    return fnmatch(os.path.abspath(path), pattern)


@lru_cache(maxsize=16)
def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a text matches any of the patterns; every file of a run is asked about."""
    if not patterns:
        return lambda text: False
    expression = re.compile("|".join(translate(os.path.normcase(pattern)) for pattern in patterns))
    return lambda text: expression.match(os.path.normcase(text)) is not None
