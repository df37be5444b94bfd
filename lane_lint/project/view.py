"""What one module sees of the others: their classes, functions and globals, each restored when it is named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from lane_lint.foreign import Origin
from lane_lint.outline import CONSTRUCTION, ClassOutline, FunctionOutline, ModuleOutline
from lane_lint.project.interface import restored_class, restored_function
from lane_lint.project.project import Json, Need, Project, relative, seen_from

# How often a name may be handed on by imports before its definition is reached.
MOST_EXPORTS = 6

Place: TypeAlias = tuple[str, str]


class ProjectView:
    """The project as one file sees it; every object is this view's own.

    Args:
        path: The absolute path of the file; it need not exist.

    Attributes:
        needs: What the answers so far rest on.
    """

    def __init__(self, project: Project, path: str) -> None:
        self.needs: set[Need] = set()
        self._project = project
        self._path = path
        self._origins: dict[str, Origin] = {}
        self._homes: dict[str, str] = {}
        self._places: dict[tuple[str, str], Place | None] = {}
        self._classes: dict[Place, ClassOutline | None] = {}
        self._functions: dict[Place, FunctionOutline | None] = {}

    # For outlines

    def link(self, module: ModuleOutline, owners: Iterable[ClassOutline]) -> None:
        """Lend to the module under analysis, and give classes of it their parents in other modules."""
        module.foreign = self
        for owner in owners:
            found = [self._parent(module, owner, base) for base in owner.bases]
            owner.parents = [parent for parent in found if parent is not None]

    def _parent(self, module: ModuleOutline, owner: ClassOutline, base: str) -> ClassOutline | None:
        own = module.classes.get(base)
        return own if own is not None and own is not owner else self.class_named(module.resolve(base))

    def class_named(self, name: str) -> ClassOutline | None:
        """The class behind an absolute dotted name, with its parents."""
        place = self._place(self._path, name)
        return self._class_at(place) if place is not None else None

    def overrides(self, owner: ClassOutline, method: str) -> list[FunctionOutline]:
        """What heirs in the class's own module have under a method's name."""
        if owner.origin is None:
            return []
        path, order = owner.origin.path, ModuleOutline().class_order
        texts = self._lent(path)["classes"].items()
        likely = [name for name, text in texts if name != owner.name and f'"{method}"' in text]
        heirs = [c for name in likely if (c := self._class_at((path, name))) is not None]
        return [c.methods[method] for c in heirs if method in c.methods and owner in order(c)]

    def class_of_instances(self, name: str) -> ClassOutline | None:
        """The class behind a name when its module has to do with lanes.

        What else the objects of other modules do changes little, and to know it would cost a lot.
        """
        return self.class_named(name) if self.has_lanes(name) else None

    def has_lanes(self, name: str) -> bool:
        """Whether a module that the name leads to has to do with lanes."""
        files = self._project.files
        return any(files.words(file).lanes for file in files.defining(self._path, name))

    def function_named(self, name: str) -> FunctionOutline | None:
        """The plain function behind an absolute dotted name; one with a capital is a class."""
        if name.rpartition(".")[2][:1].isupper():
            return None
        place = self._place(self._path, name)
        if place is None:
            return None
        if place not in self._functions:
            found = self._lent(place[0])["functions"].get(place[1])
            made = restored_function(found, self._origin(place[0])) if found is not None else None
            self._functions[place] = made
        return self._functions[place]

    def function_in(self, origin: Origin, name: str) -> FunctionOutline | None:
        """The plain function that another module has imported under a name."""
        head, dot, rest = name.partition(".")
        imported = self._lent(origin.path)["imports"].get(head)
        return self.function_named(imported + dot + rest) if imported is not None else None

    def global_named(self, name: str) -> str | None:
        """The one name, `module.variable`, of the lock or lane that a name leads to."""
        files = self._project.files
        words = [files.words(file) for file in files.defining(self._path, name)]
        if not any(w.lanes or w.makes_locks for w in words):
            return None
        place = self._place(self._path, name)
        if place is None or place[1] not in self._lent(place[0])["globals"]:
            return None
        return f"{self._origin(place[0]).module}.{place[1]}"

    def makers(self, name: str) -> set[str]:
        """What the global of that one name is made from."""
        return self._made(name, "globals")

    def item_makers(self, name: str) -> set[str]:
        """What the entries of the global are made from."""
        return self._made(name, "items")

    def _made(self, name: str, part: str) -> set[str]:
        place = self._place(self._path, name)
        if place is None:
            return set()
        return self._qualified(place[0], self._lent(place[0])[part].get(place[1], ()))

    def dissolve(self) -> None:
        """Break the circles of what was lent when nobody needs it any more."""
        for each in self._classes.values():
            if each is not None:
                each.dissolve()

    # For functions

    def told_of(self, function: FunctionOutline, reach: int) -> Json | None:
        """What a function of another module tells; None when that cannot be known.

        Args:
            reach: How far that function may look itself.
        """
        origin = function.origin
        entry = self._project.told(origin.path, _called(function), reach) if origin is not None else None
        if entry is None or origin is None:
            return None
        self.needs.update(seen_from(self._path, origin.path, need) for need in entry["needs"])
        told: Json = entry["told"]
        return told

    # Where things are

    def _place(self, asker: str, name: str) -> Place | None:
        """The file and the name in it that a dotted name leads to, through what packages hand on."""
        key = (asker, name)
        if key not in self._places:
            self._places[key] = None
            self._places[key] = self._find_place(asker, name)
        return self._places[key]

    def _find_place(self, asker: str, name: str) -> Place | None:
        self._note(asker, name)
        module, _, last = name.rpartition(".")
        if module in self._homes:
            return self._defined(self._homes[module], last, 0)
        for path, rest in self._project.files.finder.find(asker, name):
            if len(rest) == 1 and (found := self._defined(path, rest[0], 0)) is not None:
                return found
        return None

    def _defined(self, path: str, name: str, handed_on: int) -> Place | None:
        """Where a name of a module is defined: there, or where the module imports it from."""
        if handed_on > MOST_EXPORTS or path == self._path:
            return None
        interface = self._project.interface(path)
        if interface is None:
            return None
        if any(name in interface[part] for part in ("classes", "functions", "globals")):
            return path, name
        named = interface["imports"].get(name)
        for dotted in [named] if named is not None else [f"{star}.{name}" for star in interface["stars"]]:
            self._note(path, dotted)
            for file, rest in self._project.files.finder.find(path, dotted):
                if len(rest) == 1 and (found := self._defined(file, rest[0], handed_on + 1)) is not None:
                    return found
        return None

    def _note(self, asker: str, name: str) -> None:
        """Note that the answers rest on what a name in a file leads to."""
        self.needs.add(Need(relative(self._path, asker), name, self._project.content(asker, name)))

    def _class_at(self, place: Place) -> ClassOutline | None:
        if place in self._classes:
            return self._classes[place]
        path, name = place
        found = self._lent(path)["classes"].get(name)
        if found is None:
            self._classes[place] = None
            return None
        outline = restored_class(found, self._origin(path))
        self._classes[place] = outline
        for makers in (outline.makers, outline.item_makers):
            for attribute, made in makers.items():
                makers[attribute] = self._qualified(path, made)
        outline.parents = [p for base in outline.bases if (p := self._base(path, base)) is not None]
        return outline

    def _base(self, path: str, base: str) -> ClassOutline | None:
        """A base of a class in another module; one that leads back here is left out."""
        lent = self._lent(path)
        if base in lent["classes"]:
            return self._class_at((path, base))
        head, dot, rest = base.partition(".")
        place = self._place(path, lent["imports"].get(head, head) + dot + rest)
        return self._class_at(place) if place is not None else None

    def _qualified(self, path: str, made: Any) -> set[str]:
        """Makers as the other module knows them, with its name in front of its own classes."""
        own, module = self._lent(path)["classes"], self._origin(path).module
        return {f"{module}.{maker}" if maker in own else maker for maker in made}

    def _lent(self, path: str) -> Json:
        return self._project.interface(path) or _NOTHING

    def _origin(self, path: str) -> Origin:
        if path not in self._origins:
            finder = self._project.files.finder
            module = finder.dotted(path)
            functions = frozenset(self._lent(path)["functions"])
            self._origins[path] = Origin(path, finder.label(path), module, functions)
            self._homes[module] = path
        return self._origins[path]


class Lender:
    """Asks the project's modules what their functions do.

    Args:
        reach: How far the functions may look themselves; below 0 nothing is asked.
    """

    def __init__(self, view: ProjectView, reach: int) -> None:
        self._view = view
        self._reach = reach

    def told_of(self, function: FunctionOutline) -> Json | None:
        """What a function of another module tells; None when that cannot be known."""
        if self._reach < 0 or function.name in CONSTRUCTION:
            return None
        return self._view.told_of(function, self._reach)


_NOTHING: Json = {"imports": {}, "stars": [], "functions": {}, "classes": {}, "globals": {}, "items": {}}


def _called(function: FunctionOutline) -> str:
    owner = function.owner
    if owner is None:
        return function.name
    return f"{owner.name}.{function.name}{'=' if function.is_setter else ''}"
