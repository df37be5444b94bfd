"""The project around the files of a run: interfaces of modules, and what their functions tell.

What a function tells others may rest on what it is told itself. How far that goes is a number, its
`reach`: with 1 it rests on other modules that look no further, with 0 on none. So the answers do not
depend on who asks first, and circles of imports end.
"""

from __future__ import annotations

import ast
import json
import os
import warnings
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lane_lint.outlining import outline_module
from lane_lint.project.files import ProjectFiles
from lane_lint.project.interface import interface_of, restored_module
from lane_lint.project.store import Store, key_of
from lane_lint.setting_values import PROJECT_WORDS
from lane_lint.settings import Settings

if TYPE_CHECKING:
    from lane_lint.outline import ModuleOutline
    from lane_lint.project.lending import LendingModule

Json: TypeAlias = dict[str, Any]

# Grows with the form of what is kept, so that no version reads another's.
FORMAT = 2
# How far a function under analysis looks, through the functions it calls.
REACH = 2
# Interfaces kept in memory; each is some 25 kB of text.
INTERFACES_AT_HAND = 512
# Outlines made for an interface and kept for the check of the file itself; each hangs on its syntax.
OUTLINES_AT_HAND = 8
# Modules whose functions are being asked for; each takes much more room than its text.
MODULES_AT_HAND = 4


class Need(NamedTuple):
    """Something that an answer rests on.

    Attributes:
        asker: The file that a name stands in, from the folder of the module that was asked; "" for itself.
        name: An absolute dotted name.
        content: A hash of the files that it leads to; "" for a name that leads out of the project.
    """

    asker: str
    name: str
    content: str


def relative(path: str, other: str) -> str:
    """A file as another one's needs name it."""
    if path == other:
        return ""
    return os.path.relpath(other, os.path.dirname(path)).replace(os.sep, "/")


def seen_from(path: str, other: str, need: Sequence[str]) -> Need:
    """A need of one module as that of another that rests on it."""
    asker, name, content = need
    return Need(relative(path, asker_of(other, asker)), name, content)


def asker_of(path: str, asker: str) -> str:
    """The file that a need of a module names."""
    return os.path.normpath(os.path.join(os.path.dirname(path), asker)) if asker else path


class Project:
    """What is known of other modules, kept for one process and, through the store, for later ones.

    Args:
        store: Where it is kept between runs; None keeps nothing.
        may_analyse: Whether what is not in the store is found out, which takes time.
    """

    def __init__(self, settings: Settings, store: Store | None, *, may_analyse: bool) -> None:
        self.settings = settings
        self.files = ProjectFiles(settings)
        self._store = store
        self._may_analyse = may_analyse
        self._version = key_of(_version(), str(FORMAT), _options(settings))
        self._interfaces: OrderedDict[str, Json | None] = OrderedDict()
        self._outlined: OrderedDict[str, tuple[str, ModuleOutline]] = OrderedDict()
        self._told: dict[tuple[str, str, int], bytes | None] = {}
        self._lending: OrderedDict[str, LendingModule] = OrderedDict()

    def interface(self, path: str) -> Json | None:
        """What a file's module lends; None when it cannot be read, or may not be analysed now."""
        if path not in self._interfaces:
            self._interfaces[path] = self._find_interface(path)
            if len(self._interfaces) > INTERFACES_AT_HAND:
                self._interfaces.popitem(last=False)
        return self._interfaces[path]

    def _find_interface(self, path: str) -> Json | None:
        digest = self.files.digest(path)
        if not digest:
            return None
        key = self._key(path, "interface")
        if (kept := self._kept(key)) is not None:
            return kept
        if not self._may_analyse or (source := self.files.source(path)) is None:
            return None
        outline = self._outline(path, source.text)
        if outline is None:
            return None
        found = interface_of(outline)
        self._outlined[path] = (source.text, outline)
        if len(self._outlined) > OUTLINES_AT_HAND:
            self._outlined.popitem(last=False)[1][1].dissolve()
        self._keep(key, found)
        return found

    def _outline(self, path: str, text: str) -> ModuleOutline | None:
        """A module's outline; None when it is no Python or too much for this process."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the code that is read
            try:
                return outline_module(ast.parse(text), self.files.finder.package(path))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None

    @property
    def outlined(self) -> tuple[str, ...]:
        """The files whose outlines are at hand for a check of their own; the last one was made last."""
        return tuple(self._outlined)

    def take_outline(self, path: str, text: str) -> ModuleOutline | None:
        """The outline of a file, when it is at hand and was made from that text."""
        made_from, outline = self._outlined.pop(path, ("", None))
        return outline if made_from == text else None

    # What functions tell

    def told(self, path: str, function: str, reach: int) -> Json | None:
        """What a function of a file tells others (`told`), and what that rests on (`needs`).

        Args:
            function: `name`, `Class.name`, or `Class.name=` for a setter.
        """
        at = (path, function, reach)
        if at not in self._told:
            self._told[at] = None  # whoever asks meanwhile is told nothing
            self._told[at] = _pack(self._find_told(path, function, reach))
        return _unpack(self._told[at])

    def _find_told(self, path: str, function: str, reach: int) -> Json | None:
        key = self._key(path, f"{function} {reach}")
        kept = self._kept(key)
        if kept is not None and all(self._holds(path, Need(*need)) for need in kept["needs"]):
            return kept
        if not self._may_analyse:
            return None
        module = self._lending_module(path)
        told = module.tell(function, reach) if module is not None else None
        if module is None or told is None:
            return None
        entry: Json = json.loads(json.dumps({"told": told, "needs": sorted(module.needs)}))
        self._keep(key, entry)
        return entry

    def _lending_module(self, path: str) -> LendingModule | None:
        if path not in self._lending:
            # What lends a function's effects needs the analysis, which few runs do.
            from lane_lint.project.lending import LendingModule

            interface, source = self.interface(path), self.files.source(path)
            if interface is None or source is None:
                return None
            self._lending[path] = LendingModule(self, path, source, restored_module(interface))
            if len(self._lending) > MODULES_AT_HAND:
                self._lending.popitem(last=False)[1].dissolve()
        self._lending.move_to_end(path)
        return self._lending[path]

    def _holds(self, path: str, need: Need) -> bool:
        """Whether a need of a module is still met."""
        return self.content(asker_of(path, need.asker), need.name) == need.content

    def content(self, asker: str, name: str) -> str:
        """A hash of the files that a name leads to; "" for a name that leads out of the project."""
        found = self.files.finder.find(asker, name)
        return key_of(*(self.files.digest(path) for path, _ in found)) if found else ""

    # The store

    def _key(self, path: str, what: str) -> str:
        return key_of(self._version, self.files.finder.dotted(path), self.files.digest(path), what)

    def _kept(self, key: str) -> Json | None:
        return self._store.get(key) if self._store is not None else None

    def _keep(self, key: str, entry: Json) -> None:
        if self._store is not None:
            self._store.put(key, entry)


def project_of(settings: Settings, cache: str | None) -> Project | None:
    """The project of a run that may take its time; None when files are to be checked each by itself.

    Args:
        cache: The folder that keeps what is found out; None keeps nothing.
    """
    if not settings.across_files:
        return None
    store = Store(cache, may_write=True) if cache is not None else None
    return Project(settings, store, may_analyse=True)


def _version() -> str:
    import lane_lint

    return lane_lint.__version__


def _options(settings: Settings) -> str:
    """The settings that change what is true of a function."""
    return repr([(name, sorted(getattr(settings, name))) for name in sorted(PROJECT_WORDS)])


def _pack(entry: Json | None) -> bytes | None:
    """Packed, since nearly everything is asked for once and kept until the end."""
    return zlib.compress(json.dumps(entry).encode(), 1) if entry is not None else None


def _unpack(packed: bytes | None) -> Json | None:
    if packed is None:
        return None
    entry: Json = json.loads(zlib.decompress(packed))
    return entry
