"""Which paths two tasks can reach, and who writes them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from lane_lint.flow.unit import Unit, with_nested
from lane_lint.method_names import MUTATORS, REMOVERS
from lane_lint.model.instructions import BindName, CallMethod, LoadName, StoreAttribute, StoreItem
from lane_lint.model.path import SELF, Path, first_attribute
from lane_lint.outline import CONSTRUCTION
from lane_lint.sketch import Write

if TYPE_CHECKING:
    from lane_lint.flow.objects import Objects
    from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline


COLLECTIONS = frozenset(
    {"dict", "list", "set", "UserDict", "UserList", "OrderedDict", "defaultdict", "deque"}
)


class Sharing:
    """Answers from the sketches of all definitions of a module, so for functions never lowered too.

    Args:
        is_open: Classes of other modules may write every attribute, too.
    """

    def __init__(self, module: ModuleOutline, objects: Objects, *, is_open: bool = False) -> None:
        self._is_open = is_open
        self._module = module
        self._objects = objects
        self._attribute_writes: dict[tuple[str, str], list[tuple[FunctionOutline, Write]]] = {}
        self._shared_attributes: dict[tuple[ClassOutline | None, Path], bool] = {}
        self._helpers: dict[str, frozenset[str]] = {}
        self._global_writers: dict[str, list[FunctionOutline]] = {}
        self._attribute_writers: dict[str, list[FunctionOutline]] = {}
        self._closures: dict[tuple[int, str], bool] = {}

    def is_shared(self, unit: Unit, path: Path) -> bool:
        """Whether another task may change what is at the path while this function waits."""
        root = path[0]
        if root == SELF:
            key = (unit.owner, path)
            if key not in self._shared_attributes:
                self._shared_attributes[key] = self._is_shared_attribute(unit, path)
            return self._shared_attributes[key]
        if root[0] == "@":
            return self._is_shared_global(unit, path)
        if root[0] == "^":
            return self._is_shared_closure(unit, root[1:])
        return root[0] == "$" and self._is_shared_parameter(unit, path)

    def writers(self, unit: Unit, path: Path) -> list[FunctionOutline]:
        """The functions, construction apart, that write what is at the path."""
        root = path[0]
        if root == SELF and unit.owner is not None and len(path) > 1:
            writes = self.attribute_writes(unit.owner, path[1][1:])
            return _unique((f for f, w in writes if reaches(w, path)), self._entry_writers(path))
        if root[0] == "@":
            return self.global_writers(root[1:])
        if root[0] == "$" and len(path) > 1:
            return self._parameter_writers(path[1][1:])
        return []

    def _entry_writers(self, path: Path) -> list[FunctionOutline]:
        """Those that store the same attribute of an object as is read of an entry: `self.rows[key].count`."""
        if len(path) < 4 or path[2][0] != "[" or path[3][0] != ".":
            return []
        name = path[3][1:]
        return [
            f
            for f in self._module.all_functions()
            if name in f.sketch.other_writes and not self.is_construction(f)
        ]

    def is_set_anew(self, unit: Unit, path: Path) -> bool:
        """Whether anything outside construction puts a value at the path that is not a reset."""
        if path[0] != SELF or unit.owner is None or len(path) < 2:
            return True
        return bool(self.setters(unit, path))

    def setters(self, unit: Unit, path: Path) -> list[FunctionOutline]:
        """The functions, construction apart, that put a value at the path which is not a reset.

        To change the object in a field (`self.stream.limit = 1`) puts no other object there.
        """
        if path[0] != SELF or unit.owner is None or len(path) < 2:
            return self.writers(unit, path)
        return _unique(
            f
            for f, w in self.attribute_writes(unit.owner, path[1][1:])
            if reaches(w, path)
            and not w.is_reset
            and w.operation not in REMOVERS
            and not (len(path) == 2 and w.link[:1] == ".")
        )

    # Attributes

    def content_writers(self, owner: ClassOutline) -> list[FunctionOutline]:
        """For a class that is itself a collection, the methods that change its entries."""
        bases = {base.rpartition(".")[2] for each in self._module.class_order(owner) for base in each.bases}
        if not bases & COLLECTIONS:
            return []
        functions = [f for each in self._module.family(owner) for f in each.functions()]
        return [
            f for f in functions if f.sketch.self_name in f.sketch.free_writes and not self.is_construction(f)
        ]

    def attribute_writes(self, owner: ClassOutline, attribute: str) -> list[tuple[FunctionOutline, Write]]:
        """Writes of `self.attribute` or deeper in the class and its relatives, outside construction."""
        key = (owner.name, attribute)
        if key not in self._attribute_writes:
            self._attribute_writes[key] = [
                (function, write)
                for each in self._module.family(owner)
                for function in each.functions()
                if not self.is_construction(function)
                for write in function.sketch.writes
                if write.attribute == attribute
            ]
        return self._attribute_writes[key]

    def _is_shared_attribute(self, unit: Unit, path: Path) -> bool:
        attribute = first_attribute(path)
        owner = unit.owner
        if attribute is None and owner is not None:
            return len(path) > 1 and bool(self.content_writers(owner))
        if attribute is None or owner is None:
            return attribute is not None and len(path) > 1
        objects = self._objects
        if self._module.method(owner, attribute) is not None or objects.is_transport(owner, path[:2]):
            return False
        if len(path) > 2 and objects.is_transport(owner, path):
            return False
        if self._is_open:
            return True
        if any(reaches(write, path) for _, write in self.attribute_writes(owner, attribute)):
            return True
        return any(link[0] == "." and link[1:] in self._written_names for link in path[2:])

    @cached_property
    def _written_names(self) -> frozenset[str]:
        """Attribute names that some function stores, on whatever object, outside construction."""
        functions = [f for f in self._module.all_functions() if f.name not in CONSTRUCTION]
        own = frozenset(w.attribute for f in functions for w in f.sketch.writes)
        return own.union(*(f.sketch.other_writes for f in functions))

    def is_construction(self, function: FunctionOutline) -> bool:
        """Whether a method runs only before the object is handed out."""
        return function.name in CONSTRUCTION or (
            function.owner is not None and function.name in self._construction_helpers(function.owner)
        )

    def _construction_helpers(self, owner: ClassOutline) -> frozenset[str]:
        if owner.name not in self._helpers:
            self._helpers[owner.name] = self._find_construction_helpers(owner)
        return self._helpers[owner.name]

    def _find_construction_helpers(self, owner: ClassOutline) -> frozenset[str]:
        """Private methods that only construction calls; two rounds suffice for helpers of helpers."""
        functions = list(owner.functions())
        private = {f.name for f in functions if f.is_private and not f.is_async}
        helpers: set[str] = set()
        for _ in range(2):
            for name in private:
                callers = [f.name for f in functions if name in f.sketch.references and f.name != name]
                if callers and all(caller in CONSTRUCTION or caller in helpers for caller in callers):
                    helpers.add(name)
        return frozenset(helpers)

    def is_lane(self, owner: ClassOutline, attribute: str) -> bool:
        """Whether an attribute is a lane, or is named as one."""
        return self._objects.is_lane(owner, (SELF, f".{attribute}"))

    # Globals

    @cached_property
    def has_global_lane(self) -> bool:
        """Whether the module keeps a lane in a global."""
        return any(self._objects.is_lane(None, (f"@{name}",)) for name in self._module.global_makers)

    def _is_shared_global(self, unit: Unit, path: Path) -> bool:
        name = path[0][1:]
        if name in self._module.imports or self._objects.is_transport(unit.owner, path[:1]):
            return False
        return name in self._global_names and bool(self.global_writers(name))

    @cached_property
    def _global_names(self) -> frozenset[str]:
        module = self._module
        declared = frozenset().union(*(f.sketch.declared for f in module.all_functions()))
        return frozenset(module.global_makers) | declared

    def global_writers(self, name: str) -> list[FunctionOutline]:
        """The functions that rebind a module global or change its object in place."""
        if name not in self._global_writers:
            self._global_writers[name] = [
                f
                for f in self._module.all_functions()
                if _rebinds(f, name) or (name in f.sketch.free_writes and not _binds(f, name))
            ]
        return self._global_writers[name]

    # Closures and parameters

    def _is_shared_closure(self, unit: Unit, name: str) -> bool:
        owner = unit.defining(name)
        if owner is None or owner is unit:
            return False
        key = (id(owner), name)
        if key not in self._closures:
            self._closures[key] = any(
                _changes(inner, name) for inner in with_nested(owner) if inner is not owner
            )
        return self._closures[key]

    def _is_shared_parameter(self, unit: Unit, path: Path) -> bool:
        """A parameter's object is the caller's, unless somebody else in the module writes it too."""
        if len(path) < 2 or path[1][0] != ".":
            return False
        if path[0] in ("$self", "$cls"):
            return True
        return any(f is not unit.outline for f in self._parameter_writers(path[1][1:]))

    def _parameter_writers(self, attribute: str) -> list[FunctionOutline]:
        """The functions, construction apart, that write an attribute of that name on whatever object."""
        if attribute not in self._attribute_writers:
            self._attribute_writers[attribute] = [
                f
                for f in self._module.all_functions()
                if attribute in f.sketch.other_writes
                or (f.name not in CONSTRUCTION and any(w.attribute == attribute for w in f.sketch.writes))
            ]
        return self._attribute_writers[attribute]


def reaches(write: Write, path: Path) -> bool:
    """Whether a write seen in a sketch can change what is at the path behind self, or in it."""
    if not write.link or len(path) == 2:
        return True
    return write.link[0] == path[2][0] and (write.link[0] == "[" or write.link == path[2])


def _unique(*functions: Iterable[FunctionOutline]) -> list[FunctionOutline]:
    return list(dict.fromkeys(chain(*functions)))


def _rebinds(function: FunctionOutline, name: str) -> bool:
    return name in function.sketch.declared and (
        name in function.sketch.stores or name in function.sketch.free_writes
    )


def _binds(function: FunctionOutline, name: str) -> bool:
    """Whether the name is a local variable or a parameter of the function."""
    if name in function.sketch.stores and name not in function.sketch.declared:
        return True
    for node in ast.walk(function.node):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.arg) and node.arg == name:
            return True
    return False


def _changes(unit: Unit, name: str) -> bool:
    """Whether a nested function rebinds the outer variable or changes the object it names."""
    if name in unit.body.declared_nonlocal:
        return any(
            isinstance(i, BindName) and i.name == name
            for block in unit.body.blocks
            for i in block.instructions
        )
    if unit.body.is_local(name):
        return False
    for block in unit.body.blocks:
        loaded = set()
        for instruction in block.instructions:
            if isinstance(instruction, LoadName) and instruction.name == name:
                loaded.add(instruction.result)
            elif (isinstance(instruction, (StoreItem, StoreAttribute)) and instruction.base in loaded) or (
                isinstance(instruction, CallMethod)
                and instruction.base in loaded
                and instruction.method in MUTATORS
            ):
                return True
    return False
