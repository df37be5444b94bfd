"""Which files a run reads: what is named, and below folders git's tracked Python files, else a walk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lane_lint.git_files import git_files
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
        untracked: Files below given folders that are not read because git does not track them.
    """

    files: tuple[str, ...]
    errors: tuple[tuple[str, str], ...]
    empty: tuple[str, ...]
    untracked: tuple[str, ...]


def select_files(paths: Sequence[str], settings: Settings) -> Selection:
    """Find the files to read. What is named itself is read, excluded or not; a file needs no Python suffix then."""
    below = _Below(settings)
    files: dict[str, str] = {}
    errors: list[tuple[str, str]] = []
    empty: list[str] = []
    for path in paths:
        if path == STANDARD_INPUT:
            files.setdefault(path, path)
        elif os.path.isdir(path):
            found = below.files_of(path)
            for file in found:
                files.setdefault(os.path.abspath(file), file)
            if not found:
                empty.append(path)
        elif os.path.lexists(path):
            files.setdefault(os.path.abspath(path), path)
        else:
            errors.append((path or "''", "no such file or folder"))
    untracked = tuple(dict.fromkeys(file for file in below.untracked if os.path.abspath(file) not in files))
    return Selection(tuple(files.values()), (*errors, *below.errors), tuple(empty), untracked)


def without_excluded(paths: Sequence[str], settings: Settings) -> list[str]:
    """The paths that are not excluded themselves and in no excluded folder below the current one."""
    return [path for path in paths if path == STANDARD_INPUT or not _is_excluded_here(path, settings)]


def _is_excluded_here(path: str, settings: Settings) -> bool:
    if settings.is_excluded(path):
        return True
    here, folder = os.getcwd(), os.path.dirname(os.path.abspath(path))
    while folder.startswith(os.path.join(here, "")):
        if settings.is_excluded(folder):
            return True
        folder = os.path.dirname(folder)
    return False


class _Below:
    """Finds the Python files below folders, and notes what is left out."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.errors: list[tuple[str, str]] = []
        self.untracked: list[str] = []

    def files_of(self, folder: str) -> list[str]:
        """Sorted; a symbolic link to a folder is not followed."""
        known = git_files(folder, _SUFFIXES)
        if known.tracked:
            names = self._not_excluded(folder, known.tracked)
            self.untracked += [_shown(folder, name) for name in self._not_excluded(folder, known.untracked)]
        else:
            names = list(self._walked(folder))
        return sorted(_shown(folder, name) for name in names if _may_be_read(os.path.join(folder, name)))

    def _not_excluded(self, folder: str, names: Sequence[str]) -> list[str]:
        excluded: dict[str, bool] = {"": False}

        def is_excluded(name: str) -> bool:
            if name not in excluded:
                inside_excluded = is_excluded(os.path.dirname(name))
                excluded[name] = inside_excluded or self._settings.is_excluded(os.path.join(folder, name))
            return excluded[name]

        return [name for name in names if not is_excluded(name)]

    def _walked(self, folder: str) -> Iterator[str]:
        is_excluded = self._settings.is_excluded
        for root, folders, names in os.walk(folder, onerror=self._note):
            folders[:] = sorted(name for name in folders if not is_excluded(os.path.join(root, name)))
            for name in names:
                path = os.path.join(root, name)
                if name.endswith(_SUFFIXES) and not is_excluded(path):
                    yield os.path.relpath(path, folder)

    def _note(self, error: OSError) -> None:
        self.errors.append((os.path.normpath(error.filename), error.strerror or str(error)))


def _may_be_read(path: str) -> bool:
    """Whether it is a file, or may be one; links that lead nowhere and files that have been removed are none."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except PermissionError:
        return True  # the attempt to read it says so
    except OSError:
        return False


def _shown(folder: str, name: str) -> str:
    return name if folder in {".", "./"} else os.path.join(folder, name)
