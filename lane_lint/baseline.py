"""Baselines: the findings that a project has for now, so that only new ones are reported."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields

from lane_lint.fingerprint import Mark, path_from
from lane_lint.settings import ConfigError

FILE_NAME = "lane-lint-baseline.json"
SCHEMA_VERSION = 1
_LONGEST_LINE = 160
_MADE_BY = "what lane-lint baseline write makes"


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One finding of a baseline. Only the fingerprint is compared; the rest tells people what it is.

    Attributes:
        path: The file from the baseline's folder, parted by `/`.
        function: Qualified name of the innermost definition around it.
        code: The finding's code.
        line: The first line's text with single spaces, cut when it is very long.
    """

    path: str
    function: str
    code: str
    line: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of one file."""

    file: str
    entries: tuple[Entry, ...] = ()
    known: frozenset[str] = frozenset()

    @classmethod
    def of(cls, file: str, entries: Iterable[Entry]) -> Baseline:
        """Entries sorted, each once; nothing is read or written."""
        kept = tuple(sorted(set(entries)))
        return cls(file, kept, frozenset(entry.fingerprint for entry in kept))

    def entry(self, path: str, mark: Mark) -> Entry:
        """The entry for a finding of a file, whether or not the baseline has it."""
        shown = path_from(self._folder(), _resolved(path))
        line = mark.text[:_LONGEST_LINE]
        return Entry(shown, mark.function, mark.code, line, mark.fingerprint(shown))

    def has(self, path: str, mark: Mark) -> bool:
        """Whether the finding is one of the baseline's."""
        return self.entry(path, mark).fingerprint in self.known

    def about(self, read: Iterable[str], unread: Iterable[str]) -> Iterator[Entry]:
        """The entries of files that were read, and of files that are gone from folders that were.

        Args:
            read: Files and folders, as the user calls them.
            unread: What of these could not be read.
        """
        folder, inside, outside = self._folder(), _Below(read), _Below(unread)
        for entry in self.entries:
            path = os.path.normpath(os.path.join(folder, entry.path))
            if inside.has(path) and not outside.has(path):
                yield entry

    def _folder(self) -> str:
        return os.path.dirname(_resolved(self.file))


class _Below:
    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(_resolved(path) for path in paths)

    def has(self, path: str) -> bool:
        """Whether an absolute path is one of the paths or below one."""
        while path not in self._paths:
            parent = os.path.dirname(path)
            if parent == path:
                return False
            path = parent
        return True


def _resolved(path: str) -> str:
    """The absolute path without links to folders, so that every way to a file leads to its entries."""
    path = os.path.abspath(path)
    if os.path.isdir(path):
        return os.path.realpath(path)
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def read_baseline(file: str) -> Baseline:
    """Read a baseline.

    Raises:
        ConfigError: The file is missing, cannot be read, or is not what a baseline is.
    """
    try:
        with open(file, "rb") as stream:
            document = json.loads(stream.read().decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(file, "baseline", error.strerror or str(error), _MADE_BY) from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(file, "its text", str(error), _MADE_BY) from None
    if not isinstance(document, dict):
        raise ConfigError(file, "its text", type(document).__name__, f"a JSON object, {_MADE_BY}")
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        allowed = f"{SCHEMA_VERSION}; remove the file and write it again"
        raise ConfigError(file, "schema_version", version, allowed)
    entries = document.get("findings")
    if not isinstance(entries, list):
        raise ConfigError(file, "findings", entries, "a list")
    return Baseline.of(file, [_entry(file, each) for each in entries])


def rendered_baseline(entries: Sequence[Entry]) -> str:
    """The file's text: one line an entry, so that a change shows and two changes seldom meet."""
    lines = ",\n".join(f"  {json.dumps(asdict(entry))}" for entry in entries)
    listed = f"[\n{lines}\n ]" if lines else "[]"
    return f'{{\n "schema_version": {SCHEMA_VERSION},\n "findings": {listed}\n}}\n'


def _entry(file: str, value: object) -> Entry:
    names = [field.name for field in fields(Entry)]
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in names):
        raise ConfigError(file, "findings", value, f"objects with the texts {', '.join(names)}")
    return Entry(**{name: value[name] for name in names})
