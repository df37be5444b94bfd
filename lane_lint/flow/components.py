"""The components of a module: their state, who reads and writes it under which guard, and its class.

Source: state lane contract, section 4. A registry that stands alone is of class C1; fields that change
together, or that a decision rests on which asynchronous action follows, are of class C2; a counter, a
flag or one reference is of class C3. A component with a field of class C2 is of class C2 as a whole.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.accesses import Access, Field, accesses_of, field_of
from lane_lint.flow.concurrent import plain_path
from lane_lint.flow.values import BUSY
from lane_lint.model.path import ANY_ITEM, SELF, Path, display

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import Records, WriteRecord
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Hold
    from lane_lint.outline import ClassOutline


class StateClass(enum.Enum):
    """What kind of state a field is; the value names it as the contract does."""

    REGISTRY = "C1"
    INVARIANT = "C2"
    ATOM = "C3"

    @property
    def mechanism(self) -> str:
        """What the contract prescribes for it."""
        return _MECHANISMS[self]


_MECHANISMS = {
    StateClass.REGISTRY: "concurrent map",
    StateClass.INVARIANT: "state lane that owns plain collections",
    StateClass.ATOM: "atomic",
}


@dataclass(frozen=True, slots=True, order=True)
class Touch:
    """A function that reads or writes a field, with the first line where it does, and what guards it there."""

    line: int
    function: str
    guard: str | None


class StateOf(NamedTuple):
    """One field of a component.

    Attributes:
        is_collection: Entries are put in and taken out; else it is rebound as a whole.
        reason: Why it is of its class.
        guards: The locks and lanes under which it is touched; None among them where there is none.
    """

    name: str
    is_collection: bool
    state_class: StateClass
    reason: str
    readers: tuple[Touch, ...]
    writers: tuple[Touch, ...]

    @property
    def guards(self) -> tuple[str | None, ...]:
        """The locks and lanes under which it is touched, each once; None where there is none."""
        found = {touch.guard for touch in (*self.readers, *self.writers)}
        return tuple(sorted(found, key=lambda guard: (guard is None, guard or "")))


class Component(NamedTuple):
    """A class with its relatives in the module, or the module itself, and the state it owns.

    Attributes:
        name: The class's name; "" for the module.
    """

    name: str
    line: int
    state: tuple[StateOf, ...]

    @property
    def state_class(self) -> StateClass:
        """The strongest class of its state, which decides for all of it."""
        classes = {each.state_class for each in self.state}
        order = (StateClass.INVARIANT, StateClass.REGISTRY, StateClass.ATOM)
        return next(each for each in order if each in classes)

    def mechanism(self, state: StateOf) -> str:
        """What the contract prescribes for a field of this component."""
        is_lane = self.state_class is StateClass.INVARIANT
        return StateClass.INVARIANT.mechanism if is_lane else state.state_class.mechanism


def components_of(program: Program) -> list[Component]:
    """The components that have state, in order of the source; every function must have been analysed."""
    found: dict[ClassOutline | None, _Gathered] = {}
    for unit in program.units:
        if program.sharing.is_construction(unit.outline):
            continue
        records = program.final_result(unit).records
        accesses = [*accesses_of(program, unit, records), *_of_maps(program, unit, records)]
        for access in _without_bare_references(accesses):
            root = _root_of(program, access.field)
            found.setdefault(root, _Gathered(program)).add(unit, access)
        changed = [field for field, _ in _changed_fields(program, unit, records)]
        for root, gathered in found.items():
            own = [access for access in accesses if _root_of(program, access.field) is root]
            names = {field.name for field in changed if _root_of(program, field) is root}
            gathered.note_operation(unit, own, names, records)
    components = [_component(root, gathered) for root, gathered in found.items()]
    return sorted((c for c in components if c.state), key=lambda c: (c.line, c.name))


def _without_bare_references(accesses: list[Access]) -> list[Access]:
    """Naming a collection in order to change an entry is no look at it."""
    bare = [a for a in accesses if not a.is_write and not a.is_content]
    content = [a.reference for a in accesses if a.is_content]
    named = [a.reference for a in bare]
    passing = {reference for reference in named if named.count(reference) <= content.count(reference)}
    return [a for a in accesses if a not in bare or a.reference not in passing]


def _root_of(program: Program, field: Field) -> ClassOutline | None:
    """The topmost class of the module that objects with the field are instances of."""
    return program.module.class_order(field.owner)[-1] if field.owner is not None else None


def _component(root: ClassOutline | None, gathered: _Gathered) -> Component:
    name, line = ("", 0) if root is None else (root.name, root.node.lineno)
    return Component(name, line, tuple(gathered.states()))


def _changed_fields(program: Program, unit: Unit, records: Records) -> Iterator[tuple[Field, Path]]:
    """The fields that a function changes, itself or through what it calls; none when it only puts all back to nothing."""
    shared = [write for write in records.writes if write.is_shared]
    is_reset = all(w.is_reset and (not w.is_mutation or w.operation == "clear") for w in shared)
    paths = [] if is_reset else [write.path for write in shared]
    paths += [plain_path(change.path) for change in records.map_changes]
    found = (field_of(program, unit, path) for path in paths)
    return (each for each in found if each is not None)


def _of_maps(program: Program, unit: Unit, records: Records) -> Iterator[Access]:
    """Looks at concurrent collections, and changes of them, that are made right here."""
    operations = [(c.site, c.path, c.holds) for c in records.map_changes if c.helper is None]
    changes = {site for site, _, _ in operations}
    no_holds: frozenset[Hold] = frozenset()
    operations += [(site, path, no_holds) for site, _, path in records.map_looks]
    for site, path, holds in operations:
        plain = plain_path(path)
        found = field_of(program, unit, plain)
        if found is not None:
            yield Access(found[0], plain, plain[:-1], site, site in changes, holds)


class _Gathered:
    """What is known of one component while its functions are gone through."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._touches: dict[str, dict[bool, dict[Unit, Touch]]] = {}
        self._collections: set[str] = set()
        self._reasons: dict[str, str] = {}
        self._stepped: dict[str, bool] = {}
        self._operations: list[tuple[str, frozenset[str]]] = []

    def add(self, unit: Unit, access: Access) -> None:
        """Note one access."""
        name = access.field.name
        by_unit = self._touches.setdefault(name, {False: {}, True: {}})[access.is_write]
        if access.is_content and access.path[len(access.reference)][0] == "[":
            self._collections.add(name)
        if unit not in by_unit:
            line = unit.span(access.site).line
            by_unit[unit] = Touch(line, unit.label, self._guard(unit, access))

    def _guard(self, unit: Unit, access: Access) -> str | None:
        placement = self._program.whole.lane_state.placement
        if unit in placement.on_lane:
            lane = placement.on_lane[unit]
            return "a lane" if lane is None else f"lane {display(lane, 'self')}"
        locks = sorted(display(h.lock, "self") for h in access.holds if h.lock[0] != BUSY)
        if locks:
            return f"lock {locks[0]}"
        kind = self._program.objects.concurrent_at(unit, access.reference)
        return "itself" if kind is not None else None

    def note_operation(self, unit: Unit, accesses: list[Access], changed: set[str], records: Records) -> None:
        """Note which fields one function changes, itself or through calls, and what it decides before it waits."""
        steps = {
            w.path[1][1:] for w in records.writes if w.is_step and len(w.path) == 2 and w.path[0] == SELF
        }
        for name in {a.field.name for a in accesses if a.is_write}:
            is_step = name in steps and self._is_only_counted(name, accesses)
            self._stepped[name] = self._stepped.get(name, True) and is_step
        self._operations.append((unit.label, frozenset(changed)))
        for name, reason in _spread_over_waits(records):
            self._reasons.setdefault(name, f"'{unit.label}' {reason}")

    def _is_only_counted(self, name: str, accesses: list[Access]) -> bool:
        """Whether a function only steps a number: each read of it belongs to a step."""
        own = [a for a in accesses if a.field.name == name]
        return sum(not a.is_write for a in own) <= sum(a.is_write for a in own)

    def _note_invariants(self) -> None:
        """Fields that one function changes together belong together, counters apart."""
        counters = {name for name, is_stepped in self._stepped.items() if is_stepped}
        for label, changed in self._operations:
            together = sorted((changed & self._touches.keys()) - counters)
            for name in together if len(together) > 1 else ():
                others = " and ".join(f"'{other}'" for other in together if other != name)
                self._reasons.setdefault(name, f"'{label}' changes it together with {others}")

    def states(self) -> Iterator[StateOf]:
        """Each field that somebody changes after construction."""
        self._note_invariants()
        for name in sorted(self._touches):
            readers, writers = (self._touches[name][is_write] for is_write in (False, True))
            if not writers:
                continue
            is_collection = name in self._collections
            state_class, reason = self._class_of(name, is_collection=is_collection)
            yield StateOf(
                name,
                is_collection,
                state_class,
                reason,
                tuple(sorted(readers.values())),
                tuple(sorted(writers.values())),
            )

    def _class_of(self, name: str, *, is_collection: bool) -> tuple[StateClass, str]:
        if name in self._reasons:
            return StateClass.INVARIANT, self._reasons[name]
        if is_collection:
            return StateClass.REGISTRY, "one collection, changed by itself"
        what = "a counter" if self._stepped.get(name) else "one value, replaced as a whole"
        return StateClass.ATOM, what


def _spread_over_waits(records: Records) -> Iterator[tuple[str, str]]:
    """The fields with which a function does something that spans a suspension, and what."""
    acted: list[Path] = [use.token.path for use in records.uses]
    for write in records.writes:
        acted += [stale.token.path for stale in (*write.by_value, *write.by_decision)]
        if _is_carried_over(write):
            acted.append(write.path)
        if write.emptied is not None and write.emptied.epoch != write.epoch:
            yield from _named([write.path], "empties it and fills it after it has waited")
    yield from _named(acted, "acts on it after it has waited")
    waiting = {loop for suspension in records.suspensions for loop in suspension.loops}
    walked = [loop.path for loop in records.loops if loop.loop in waiting]
    yield from _named(walked, "goes through it and waits on the way")


def _named(paths: list[Path], reason: str) -> Iterator[tuple[str, str]]:
    for path in paths:
        if len(path) > 1 and path[0] == SELF and path[1][0] == ".":
            yield path[1][1:], reason


def _is_carried_over(write: WriteRecord) -> bool:
    """Whether a lock has carried the read that the write depends on over a suspension."""
    return bool(write.relies_on) and write.path[-1] != ANY_ITEM
