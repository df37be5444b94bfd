"""What objects are at paths, by what they are made from: locks, lanes, events, instances of own classes."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from lane_lint.flow.concurrent import Concurrent, ConcurrentTypes
from lane_lint.flow.locks import EVENTS, LANE_TYPES, TRANSPORTS, LockKind, lock_kind, looks_like_lane
from lane_lint.model.path import SELF, Path

BUILTINS = frozenset(dir(builtins))

if TYPE_CHECKING:
    from lane_lint.flow.unit import Unit
    from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline
    from lane_lint.settings import Settings


class Objects:
    """The objects of one module.

    Every question takes the class whose `self` the path may start at; None for a plain function.
    """

    def __init__(self, module: ModuleOutline, settings: Settings) -> None:
        self._module = module
        self._makers: dict[tuple[ClassOutline | None, Path], frozenset[str]] = {}
        self._attributes: dict[str, frozenset[str]] = {}
        self.lock_types = tuple(settings.lock_types)
        self._concurrent_types = ConcurrentTypes(module, settings.concurrent_map_types)
        self._concurrent: dict[tuple[ClassOutline | None, Path], Concurrent | None] = {}
        self.lane_types = LANE_TYPES | frozenset(settings.lane_types)

    def makers(self, owner: ClassOutline | None, path: Path) -> frozenset[str]:
        """Dotted names of what the object at a path was made from or is annotated as."""
        key = (owner, path)
        if key not in self._makers:
            self._makers[key] = self._find_makers(owner, path)
        return self._makers[key]

    def _find_makers(self, owner: ClassOutline | None, path: Path) -> frozenset[str]:
        if path[0] == SELF and len(path) > 1 and owner is not None:
            order, name, rest = self._module.family(owner), path[1][1:], path[2:]
            direct = frozenset(next(filter(None, (c.makers.get(name) for c in order)), ()))
            items = frozenset(next(filter(None, (c.item_makers.get(name) for c in order)), ()))
        elif path[0][0] == "@":
            direct = frozenset(self._module.makers_of_global(path[0][1:]))
            items = frozenset(self._module.item_makers_of_global(path[0][1:]))
            rest = path[1:]
        else:
            return frozenset()
        if not rest:
            return direct
        if rest[0][0] == "[":
            return items if len(rest) == 1 else frozenset()
        for maker in direct:
            inner = self._module.class_named(maker)
            if inner is not None:
                return self.makers(inner, (SELF, *rest))
        return frozenset()

    def makers_of_attribute(self, attribute: str) -> frozenset[str]:
        """What an attribute is made from on whichever class of the module has it, where they all agree."""
        if attribute not in self._attributes:
            classes = self._module.classes.values()
            found = {frozenset(c.makers[attribute]) for c in classes if c.makers.get(attribute)}
            self._attributes[attribute] = found.pop() if len(found) == 1 else frozenset()
        return self._attributes[attribute]

    def lock_at(self, owner: ClassOutline | None, path: Path) -> LockKind | None:
        """The kind of lock at a path, if there is one."""
        # What a call says of the permits counts more than an annotation.
        ordered = sorted(self.makers(owner, path), key=lambda maker: not maker.endswith("(1)"))
        return lock_kind(ordered, self.lock_types)

    def same_lock(self, owner: ClassOutline | None, path: Path) -> Path:
        """The lock that a condition at the path was built on; else the path itself."""
        shared = next((maker for maker in self.makers(owner, path) if maker[0] == "="), None)
        return (*path[:-1], f".{shared[1:]}") if shared is not None else path

    def is_lane(self, owner: ClassOutline | None, path: Path) -> bool:
        """Whether a lane is at the path, by its make, or by its name where the make is unknown."""
        makers = self.makers(owner, path)
        if any(map(self.is_lane_type, makers)):
            return True
        is_known = any(not self._is_variable(maker) for maker in makers)
        return not is_known and path[-1][0] == "." and self.is_named_as_lane(path)

    def _is_variable(self, maker: str) -> bool:
        """Whether a maker is only the name of what was passed in or called: it tells nothing of the type."""
        return maker[:1].islower() and "." not in maker and maker not in BUILTINS

    def is_lane_type(self, name: str) -> bool:
        """Whether a dotted name means a type of lanes: the runtime's, a configured one, or a class made from one."""
        if name in self.lane_types or name.rpartition(".")[2] == "StateLane":
            return True
        own = self._module.classes.get(name)
        if own is None:
            return False
        bases = (self._module.resolve(base) for each in self._module.class_order(own) for base in each.bases)
        return any(base in self.lane_types or base.rpartition(".")[2] == "StateLane" for base in bases)

    def is_named_as_lane(self, path: Path) -> bool:
        """Whether the last part of a path is named as a lane is."""
        return looks_like_lane(path[-1].lstrip(".$^@"))

    def only_lane(self, owner: ClassOutline | None) -> Path | None:
        """The lane of a class, when it has just one."""
        if owner is None:
            return None
        names = {name for each in self._module.class_order(owner) for name in each.makers}
        lanes = [(SELF, f".{name}") for name in sorted(names) if self.is_lane(owner, (SELF, f".{name}"))]
        return lanes[0] if len(lanes) == 1 else None

    def is_event(self, owner: ClassOutline | None, path: Path) -> bool:
        """Whether an event is at the path: tasks wait for it to be set."""
        return bool(self.makers(owner, path) & EVENTS)

    def is_transport(self, owner: ClassOutline | None, path: Path) -> bool:
        """Whether the path is a lock, a lane, a queue or the like: not state that is snapshotted."""
        makers = self.makers(owner, path)
        if not makers:
            return False
        is_lock = lock_kind(makers, self.lock_types) is not None
        return is_lock or bool(makers & TRANSPORTS) or bool(makers & self.lane_types)

    def concurrent_at(self, unit: Unit, path: Path) -> Concurrent | None:
        """The kind of concurrent collection at a path as a function sees it, if there is one."""
        if path[0][0] == "$" and len(path) == 1:
            annotation = next((p.annotation for p in unit.body.parameters if p.name == path[0][1:]), None)
            makers = frozenset() if annotation is None else frozenset({self._module.resolve(annotation)})
            return self._concurrent_types.of_makers(None, makers)
        if path == (SELF,):
            is_map = unit.owner is not None and self._concurrent_types.extends_map(unit.owner)
            return Concurrent(None) if is_map else None
        key = (unit.owner, path)
        if key not in self._concurrent:
            owner = unit.owner if path[0] == SELF else None
            self._concurrent[key] = self._concurrent_types.of_makers(owner, self.makers(owner, path))
        return self._concurrent[key]

    def changes_content(self, owner: ClassOutline, function: FunctionOutline) -> bool:
        """Whether a method of a concurrent collection of this module changes its content."""
        return self._concurrent_types.changes(owner, function)

    def class_at(self, owner: ClassOutline | None, path: Path) -> ClassOutline | None:
        """The class of this module that the object at a path is an instance of, if that is known."""
        if path == (SELF,):
            return owner
        makers = self.makers(owner, path)
        if makers & self.lane_types or lock_kind(makers, self.lock_types) is not None:
            return None  # known by what it is for, even where its source is at hand
        for maker in sorted(makers):
            if found := self._module.class_named(maker):
                return found
        return None
