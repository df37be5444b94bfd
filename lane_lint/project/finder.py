"""From dotted names to files of the project, as far as the folders around a file tell."""

from __future__ import annotations

import os
from collections.abc import Iterator

# What marks the folder that a project begins at; imports are not looked for above it.
MARKERS = frozenset({"pyproject.toml", "setup.py", "setup.cfg", ".git", ".hg"})
SOURCES = "src"
INIT = "__init__.py"
# How far up a folder without such a mark is looked for.
MOST_FOLDERS = 8


def is_package(path: str) -> bool:
    """Whether a file is the one that stands for its package."""
    return os.path.basename(path) == INIT


class ModuleFinder:
    """Finds modules by looking at folders; nothing is imported, and each folder is listed once."""

    def __init__(self) -> None:
        self._listings: dict[str, frozenset[str]] = {}
        self._roots: dict[str, tuple[str, ...]] = {}

    def dotted(self, path: str) -> str:
        """The dotted name of the module in a file, from its outermost package on."""
        folder, name = os.path.split(path)
        parts = [] if name == INIT else [name.rpartition(".")[0] or name]
        while self._is_package(folder):
            folder, name = os.path.split(folder)
            parts.append(name)
        return ".".join(reversed(parts))

    def package(self, path: str) -> str:
        """The package that relative imports in a file start from; "" outside of any."""
        dotted = self.dotted(path)
        return dotted if is_package(path) else dotted.rpartition(".")[0]

    def label(self, path: str) -> str:
        """A file's path from the folder on that holds its outermost package."""
        return os.path.relpath(path, self._above_packages(os.path.dirname(path))).replace(os.sep, "/")

    def find(self, asker: str, name: str) -> list[tuple[str, tuple[str, ...]]]:
        """Files that a dotted name in the file `asker` may lead to, each with what is left of the name.

        A package comes before what it holds: `from package import run` means a name of its
        `__init__` first, then the module `run`.
        """
        parts = name.split(".")
        if not all(parts):
            return []
        for root in self._search(asker):
            if found := list(self._walk(root, parts)):
                return found
        return []

    def _walk(self, folder: str, parts: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for number, part in enumerate(parts):
            names, rest = self._names_in(folder), tuple(parts[number + 1 :])
            inner = os.path.join(folder, part)
            if part in names and self._is_package(inner):
                if len(rest) <= 1:
                    yield os.path.join(inner, INIT), rest
            elif f"{part}.py" in names:
                yield os.path.join(folder, f"{part}.py"), rest
                return
            elif part not in names or not rest:
                return
            folder = inner

    def _search(self, asker: str) -> tuple[str, ...]:
        """The folders that absolute imports of a file may start from, nearest first."""
        folder = os.path.dirname(asker)
        if folder not in self._roots:
            start = self._above_packages(folder)
            self._roots[folder] = tuple(dict.fromkeys(self._upwards(start)))
        return self._roots[folder]

    def _upwards(self, start: str) -> Iterator[str]:
        above = [start]
        while not MARKERS & self._names_in(above[-1]):
            parent = os.path.dirname(above[-1])
            if parent == above[-1] or len(above) == MOST_FOLDERS:
                above = above[:1]  # no project around it: the folder itself is all that counts
                break
            above.append(parent)
        for folder in above:
            yield folder
            if SOURCES in self._names_in(folder):
                yield os.path.join(folder, SOURCES)

    def _above_packages(self, folder: str) -> str:
        while self._is_package(folder):
            folder = os.path.dirname(folder)
        return folder

    def _is_package(self, folder: str) -> bool:
        return INIT in self._names_in(folder)

    def _names_in(self, folder: str) -> frozenset[str]:
        if folder not in self._listings:
            try:
                self._listings[folder] = frozenset(os.listdir(folder or "."))
            except (OSError, ValueError):
                self._listings[folder] = frozenset()
        return self._listings[folder]
