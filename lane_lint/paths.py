"""Which files a run reads: git's tracked Python files in a work tree, else a walk."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lane_lint.settings import Settings

STANDARD_INPUT = "-"
_SUFFIXES = (".py", ".pyi")


@dataclass(frozen=True, slots=True)
class Selection:
    """What the given paths stand for.

    Attributes:
        files: The files to read, each once, in the order of the paths and sorted below each.
        errors: (path, reason) of given paths that do not exist and of folders that cannot be listed.
        empty: Given folders without a Python file.
    """

    files: tuple[str, ...]
    errors: tuple[tuple[str, str], ...]
    empty: tuple[str, ...]


def select_files(paths: Sequence[str], settings: Settings) -> Selection:
    """Find the files to read. A file that is named itself needs no Python suffix."""
    files: dict[str, None] = {}
    errors: list[tuple[str, str]] = []
    empty: list[str] = []
    for path in paths:
        if path == STANDARD_INPUT:
            files[path] = None
        elif os.path.isdir(path):
            found = [] if settings.is_excluded(path) else _files_below(path, settings, errors)
            files.update(dict.fromkeys(found))
            if not found:
                empty.append(path)
        elif not os.path.lexists(path):
            errors.append((path, "no such file or folder"))
        elif not settings.is_excluded(path):
            files[path] = None
    return Selection(tuple(files), tuple(errors), tuple(empty))


def _files_below(folder: str, settings: Settings, errors: list[tuple[str, str]]) -> list[str]:
    """The Python files below a folder, sorted; a symbolic link to a folder is not followed."""
    tracked = _tracked_files(folder)
    found = _not_excluded(folder, tracked, settings) if tracked else _walked_files(folder, settings, errors)
    return sorted(_shown(folder, name) for name in found if os.path.isfile(os.path.join(folder, name)))


def _tracked_files(folder: str) -> list[str]:
    """Names relative to the folder; empty outside a work tree, where nothing is tracked, or without git."""
    patterns = [f"*{suffix}" for suffix in _SUFFIXES]
    command = ["git", "-C", folder, "ls-files", "-z", "--cached", "--", *patterns]
    try:
        done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError:
        return []
    if done.returncode != 0:
        return []
    return list(dict.fromkeys(os.fsdecode(name) for name in done.stdout.split(b"\0") if name))


def _not_excluded(folder: str, names: Sequence[str], settings: Settings) -> Iterator[str]:
    excluded: dict[str, bool] = {"": False}

    def is_excluded(name: str) -> bool:
        if name not in excluded:
            inside_excluded = is_excluded(os.path.dirname(name))
            excluded[name] = inside_excluded or settings.is_excluded(os.path.join(folder, name))
        return excluded[name]

    return (name for name in names if not is_excluded(name))


def _walked_files(folder: str, settings: Settings, errors: list[tuple[str, str]]) -> Iterator[str]:
    def note(error: OSError) -> None:
        errors.append((str(error.filename), error.strerror or str(error)))

    for root, folders, names in os.walk(folder, onerror=note):
        folders[:] = sorted(name for name in folders if not settings.is_excluded(os.path.join(root, name)))
        for name in names:
            path = os.path.join(root, name)
            if name.endswith(_SUFFIXES) and not settings.is_excluded(path):
                yield os.path.relpath(path, folder)


def _shown(folder: str, name: str) -> str:
    return name if folder in {".", "./"} else os.path.join(folder, name)
