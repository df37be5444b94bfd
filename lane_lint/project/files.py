"""The files of other modules: read once, known by their content."""

from __future__ import annotations

import builtins
import hashlib
import os
import stat
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from lane_lint.mentions import Mentions
from lane_lint.project.bases import STAR, base_names, imported_names
from lane_lint.project.finder import ModuleFinder, is_package
from lane_lint.settings import Settings
from lane_lint.source import Source, SourceError

# Larger ones take more time and memory than what they tell is worth.
MOST_BYTES = 256_000
BUILTINS = frozenset(dir(builtins))
# How often a name may be handed on by packages before its file is reached.
MOST_EXPORTS = 5
# Texts that are kept for the next question.
TEXTS_AT_HAND = 2


@dataclass(frozen=True, slots=True)
class Words:
    """What a module's words tell of it.

    Attributes:
        makes_locks: It names a kind of lock.
        lanes: It speaks of lanes.
        bases: The files of the project that its classes' bases are imported from.
    """

    makes_locks: bool
    lanes: bool
    bases: tuple[str, ...]


NO_WORDS = Words(False, False, ())


class ProjectFiles:
    """Reads what other modules are asked for; a file that cannot be read is as good as none."""

    def __init__(self, settings: Settings) -> None:
        self.finder = ModuleFinder()
        self._settings = settings
        self._digests: dict[str, str] = {}
        self._words: dict[str, Words] = {}
        self._exports: dict[str, dict[str, str]] = {}
        self._texts: OrderedDict[str, Source | None] = OrderedDict()

    def source(self, path: str) -> Source | None:
        """The text of a file; None when it cannot be read or is no Python text."""
        if path in self._texts:
            self._texts.move_to_end(path)
            return self._texts[path]
        data = _read(path)
        self._digests[path] = hashlib.blake2b(data, digest_size=16).hexdigest() if data is not None else ""
        try:
            source = Source.from_bytes(path, data) if data is not None else None
        except SourceError:
            source = None
        self._texts[path] = source
        if len(self._texts) > TEXTS_AT_HAND:
            self._texts.popitem(last=False)
        return source

    def digest(self, path: str) -> str:
        """A hash of a file's content; "" when it cannot be read."""
        if path not in self._digests:
            self.source(path)
        return self._digests[path]

    def words(self, path: str) -> Words:
        """What the words of a file's text tell."""
        if path not in self._words:
            source = self.source(path)
            self._words[path] = self._words_of(path, source.text) if source is not None else NO_WORDS
        return self._words[path]

    def _words_of(self, path: str, text: str) -> Words:
        mentions = Mentions(text, self._settings)
        return Words(mentions.makes_locks, mentions.lanes, self.base_files(path, text))

    def base_files(self, path: str, text: str) -> tuple[str, ...]:
        """The files of the project that the bases of a text's classes are imported from."""
        names = base_names(text) if "class " in text else ()
        heads = {name.partition(".")[0] for name in names} - BUILTINS
        if not heads:
            return ()
        imports = imported_names(text, self.finder.package(path), heads)
        found: dict[str, None] = {}
        for name in sorted(names):
            if (origin := imports.get(name.partition(".")[0])) is not None:
                rest = name.partition(".")[2]
                dotted = f"{origin}.{rest}" if rest else origin
                found.update(dict.fromkeys(self.defining(path, dotted)))
        return tuple(file for file in found if file != path)

    def defining(self, asker: str, dotted: str, handed_on: int = 0) -> Iterator[str]:
        """The files that a name leads to, and those that a package takes it from."""
        for file, rest in self.finder.find(asker, dotted):
            yield file
            if is_package(file) and rest and handed_on < MOST_EXPORTS:
                exports = self._exports_of(file)
                named = exports.get(rest[0])
                stars = [origin for local, origin in exports.items() if local.startswith(STAR)]
                for origin in [named] if named is not None else [f"{star}.{rest[0]}" for star in stars]:
                    yield from self.defining(file, origin, handed_on + 1)

    def _exports_of(self, path: str) -> dict[str, str]:
        """What a package's own file imports: local name -> dotted name."""
        if path not in self._exports:
            source = self.source(path)
            text = source.text if source is not None else ""
            self._exports[path] = imported_names(text, self.finder.package(path))
        return self._exports[path]

    def ancestors(self, bases: tuple[str, ...]) -> list[Words]:
        """The words of the files that classes are built on, at any distance."""
        seen: dict[str, Words] = {}
        pending = list(bases)
        while pending:
            path = pending.pop()
            if path not in seen:
                seen[path] = self.words(path)
                pending.extend(seen[path].bases)
        return list(seen.values())


def _read(path: str) -> bytes | None:
    """The bytes of a plain file of sensible size."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            return None
        with open(path, "rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except (OSError, ValueError, MemoryError):
        return None
