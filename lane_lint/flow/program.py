"""What a module means beyond one function: classes in order, types of paths, shared state, summaries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.flow import guards, turns
from lane_lint.flow.fixpoint import interpret
from lane_lint.flow.locks import EVENTS, LANE_TYPES, TRANSPORTS, LockKind, lock_kind, looks_like_lane
from lane_lint.flow.ownership import Ownership
from lane_lint.flow.records import FunctionResult
from lane_lint.flow.sharing import Sharing
from lane_lint.flow.summary import Summary
from lane_lint.flow.unit import Unit
from lane_lint.flow.values import ENTRY, Hold
from lane_lint.lowering import Slice, SliceError, empty_slice, lower_definition
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline
    from lane_lint.settings import Settings


TOO_DEEP = "it is nested too deeply"
# How many functions may be under way for a definition that overflows the stack to be the cause of it.
SHALLOW = 8


class Program:
    """One module under analysis; units are lowered and solved when they are first asked for."""

    def __init__(self, module: ModuleOutline, lines: tuple[str, ...], settings: Settings) -> None:
        self.module = module
        self.lines = lines
        self.settings = settings
        self.failures: dict[FunctionOutline, str] = {}
        self._units: dict[FunctionOutline, Unit] = {}
        self._lowered: list[Unit] = []
        self._inert: dict[FunctionOutline, bool] = {}
        self._makers: dict[tuple[ClassOutline | None, Path], frozenset[str]] = {}
        self._methods: dict[tuple[ClassOutline, str], FunctionOutline | None] = {}
        self._results: dict[Unit, FunctionResult] = {}
        self._in_progress: dict[Unit, int] = {}
        self._is_second_round = False
        self._decorator_locks: dict[Unit, frozenset[Path]] = {}
        self._guards: dict[str, list[guards.Guard]] = {}
        self.lock_types = tuple(settings.lock_types)
        self.lane_types = LANE_TYPES | frozenset(settings.lane_types)

    # Units

    def unit(self, outline: FunctionOutline) -> Unit:
        """The unit of a definition; it is lowered when its body is first asked for."""
        if outline not in self._units:
            self._units[outline] = Unit(self, outline, None)
        return self._units[outline]

    def lower(self, unit: Unit) -> Slice:
        """Lower a definition. One that cannot be parsed is empty, and on record in `failures`."""
        outline = unit.outline
        try:
            lowered = lower_definition(self.lines, outline.node)
        except SliceError as error:
            self.failures[outline] = str(error)
            lowered = empty_slice(outline.name, outline.node.lineno)
        except RecursionError:
            if len(self._in_progress) > SHALLOW:
                raise  # the chain of calls is too deep, not this definition
            self.failures[outline] = TOO_DEEP
            lowered = empty_slice(outline.name, outline.node.lineno)
        self._lowered.append(unit)
        return lowered

    def analyse(self, functions: list[FunctionOutline]) -> None:
        """Solve these functions, the helpers they call, and those that may go past a lock they hold."""
        self._solve(functions)
        self._settle()
        self._solve(guards.bypass_candidates(self, list(self._all_lowered())))
        self._settle()

    def give_up_on(self, unit: Unit) -> None:
        """Put on record that a definition overflows the stack; callers know nothing of it."""
        self.failures[unit.outline] = TOO_DEEP
        self._results[unit] = FunctionResult()

    def _solve(self, functions: list[FunctionOutline]) -> None:
        """Solve functions; at the second try the far end of a long chain of calls has been solved."""
        failed = [f for f in functions if not self._is_solvable(self.unit(f))]
        for function in reversed(failed):
            if not self._is_solvable(self.unit(function)):
                self.give_up_on(self.unit(function))

    def _is_solvable(self, unit: Unit) -> bool:
        try:
            self.result(unit)
        except (RecursionError, MemoryError):
            # What was half done would be taken for known.
            self._in_progress.clear()
            self._inert.clear()
            return False
        return True

    def _settle(self) -> None:
        """Solve every unit that was lowered; solving one may lower more."""
        done = 0
        while done < len(self._lowered):
            for unit in with_nested(self._lowered[done]):
                if not self._is_solvable(unit):
                    self.give_up_on(unit)
            done += 1

    def _all_lowered(self) -> Iterator[Unit]:
        """Every unit lowered so far, nested ones after the function around them, in order of the source."""
        for unit in sorted(self._lowered, key=lambda u: u.outline.node.lineno):
            yield from with_nested(unit)

    # Classes

    def class_order(self, owner: ClassOutline) -> list[ClassOutline]:
        """The class and its bases in this module, nearest first."""
        return self.module.class_order(owner)

    def class_named(self, name: str) -> ClassOutline | None:
        return self.module.classes.get(name)

    def family(self, owner: ClassOutline) -> list[ClassOutline]:
        """Every class of this module whose methods may run on the same object."""
        return self.module.family(owner)

    def method(
        self, owner: ClassOutline, name: str, *, after: ClassOutline | None = None
    ) -> FunctionOutline | None:
        """The method that `name` means on an instance of `owner`; behind `after` for `super()`."""
        if after is not None:
            order = self.class_order(owner)
            behind = order[order.index(after) + 1 :] if after in order else order
            return next((c.methods[name] for c in behind if name in c.methods), None)
        key = (owner, name)
        if key not in self._methods:
            order = self.class_order(owner)
            self._methods[key] = next((c.methods[name] for c in order if name in c.methods), None)
        return self._methods[key]

    def only_class_with(self, method: str) -> ClassOutline | None:
        """The class that defines a method, when no other class of the module does."""
        found = [c for c in self.module.classes.values() if method in c.methods]
        return found[0] if len(found) == 1 else None

    def setter(self, owner: ClassOutline, name: str) -> FunctionOutline | None:
        return next((c.setters[name] for c in self.class_order(owner) if name in c.setters), None)

    def has_unknown_base(self, owner: ClassOutline) -> bool:
        known = {"object", "ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol", "typing.Protocol"}
        return any(
            b not in known and self.class_named(b) is None for c in self.class_order(owner) for b in c.bases
        )

    # What paths are

    def makers(self, owner: ClassOutline | None, path: Path) -> frozenset[str]:
        """Dotted names of what the object at a path was made from or is annotated as."""
        key = (owner, path)
        if key not in self._makers:
            self._makers[key] = self._find_makers(owner, path)
        return self._makers[key]

    def _find_makers(self, owner: ClassOutline | None, path: Path) -> frozenset[str]:
        if path[0] == SELF and len(path) > 1 and owner is not None:
            order, name, rest = self.family(owner), path[1][1:], path[2:]
            direct = frozenset(next(filter(None, (c.makers.get(name) for c in order)), ()))
            items = frozenset(next(filter(None, (c.item_makers.get(name) for c in order)), ()))
        elif path[0][0] == "@":
            direct = frozenset(self.module.global_makers.get(path[0][1:], ()))
            items = frozenset(self.module.global_item_makers.get(path[0][1:], ()))
            rest = path[1:]
        else:
            return frozenset()
        if not rest:
            return direct
        if rest[0][0] == "[":
            return items if len(rest) == 1 else frozenset()
        for maker in direct:
            inner = self.class_named(maker)
            if inner is not None:
                return self.makers(inner, (SELF, *rest))
        return frozenset()

    def lock_at(self, owner: ClassOutline | None, path: Path) -> LockKind | None:
        return lock_kind(self.makers(owner, path), self.lock_types)

    def is_lane(self, owner: ClassOutline | None, path: Path) -> bool:
        makers = self.makers(owner, path)
        if makers & self.lane_types or any(m.rpartition(".")[2] == "StateLane" for m in makers):
            return True
        return not makers and path[-1][0] == "." and looks_like_lane(path[-1][1:])

    def only_lane(self, owner: ClassOutline | None) -> Path | None:
        """The lane of a class, when it has just one."""
        if owner is None:
            return None
        names = {name for each in self.class_order(owner) for name in each.makers}
        lanes = [(SELF, f".{name}") for name in sorted(names) if self.is_lane(owner, (SELF, f".{name}"))]
        return lanes[0] if len(lanes) == 1 else None

    def is_event(self, owner: ClassOutline | None, path: Path) -> bool:
        return bool(self.makers(owner, path) & EVENTS)

    def is_transport(self, owner: ClassOutline | None, path: Path) -> bool:
        """Whether the path is a lock, a lane, a queue or the like: not state that is snapshotted."""
        makers = self.makers(owner, path)
        if not makers:
            return False
        is_lock = lock_kind(makers, self.lock_types) is not None
        return is_lock or bool(makers & TRANSPORTS) or bool(makers & self.lane_types)

    def class_at(self, owner: ClassOutline | None, path: Path) -> ClassOutline | None:
        """The class of this module that the object at a path is an instance of, if that is known."""
        if path == (SELF,):
            return owner
        for maker in self.makers(owner, path):
            if found := self.class_named(maker):
                return found
        return None

    @cached_property
    def ownership(self) -> Ownership:
        return Ownership(self)

    @cached_property
    def sharing(self) -> Sharing:
        return Sharing(self)

    # The module as a whole

    @cached_property
    def units(self) -> list[Unit]:
        """Every unit that was analysed."""
        return list(self._all_lowered())

    @cached_property
    def in_turns(self) -> dict[Unit, tuple[Unit, Path | None]]:
        """Every function that runs inside a turn, with the turn's root and its lane."""
        return turns.reach_turns(self, turns.turn_roots(self, self.units))

    @cached_property
    def lane_reentries(self) -> list[turns.Found]:
        return turns.find_lane_reentries(self, self.in_turns)

    @cached_property
    def lock_reentries(self) -> list[turns.Found]:
        return turns.find_lock_reentries(self, self.units)

    def guards_of(self, owner: ClassOutline | None) -> list[guards.Guard]:
        """The locks of a class with its relatives, or of the module's globals, and what they guard."""
        key = owner.name if owner is not None else ""
        if key not in self._guards:
            family = set(map(id, self.family(owner))) if owner is not None else None
            units = [u for u in self.units if family is None or id(u.owner) in family]
            self._guards[key] = [
                g for g in guards.find_guards(self, units) if (family is None) == (g.path[0] != SELF)
            ]
            if owner is not None:
                self._guards[key] = [*self._guards[key], *self.guards_of(None)]
        return self._guards[key]

    def has_callers(self, function: FunctionOutline) -> bool:
        """Whether a function of the same class or module calls it."""
        if function.owner is None:
            return any(function.name in f.sketch.name_calls for f in self.module.all_functions())
        family = self.family(function.owner)
        return any(
            function.name in f.sketch.own_calls for c in family for f in c.functions() if f is not function
        )

    def is_inert(self, function: FunctionOutline) -> bool:
        """Whether calling a function can be taken for a call of something foreign.

        It writes nothing that is shared, looks at nothing that anybody changes, takes no lock and
        enters no lane, and neither does what it calls; so it need not be lowered.
        """
        if function not in self._inert:
            self._inert[function] = True
            self._inert[function] = self._find_inert(function)
        return self._inert[function]

    def _find_inert(self, function: FunctionOutline) -> bool:
        sketch, owner = function.sketch, function.owner
        if sketch.writes or sketch.other_writes or sketch.contexts or sketch.acquires or sketch.has_nested:
            return False
        if sketch.declared or sketch.free_writes.keys() - sketch.stores.keys() or sketch.starts_tasks:
            return False
        if function.decorators or (function.is_async and not sketch.suspensions):
            return False
        if any(name in self.module.global_makers for name in sketch.free_writes):
            return False
        called = [self.module.functions[n] for n in sketch.name_calls if n in self.module.functions]
        if owner is not None:
            if any(self.sharing.attribute_writes(owner, name) for name in sketch.references):
                return False
            called += [f for n in sketch.references for c in self.family(owner) if (f := c.methods.get(n))]
        elif not self._looks_at_no_global(function):
            return False
        return all(self.is_inert(f) for f in called)

    def _looks_at_no_global(self, function: FunctionOutline) -> bool:
        """Whether a plain function reads no module global that some function changes."""
        return not any(self.sharing.global_writers(name) for name in self.module.global_makers)

    # Solving

    def result(self, unit: Unit) -> FunctionResult:
        """The analysis of a unit on its own, with nothing held at its entry.

        A function that calls itself, also through others, sees the result of the round before;
        the second round is the last, since effects only add up.
        """
        if unit in self._results:
            return self._results[unit]
        if unit in self._in_progress:
            self._in_progress[unit] += 1
            return FunctionResult()
        before = set(self._results)
        self._in_progress[unit] = 0
        result = interpret(self, unit)
        if self._in_progress.pop(unit) and not self._is_second_round:
            result = self._second_round(unit, result, before)
        self._results[unit] = result
        return result

    def _second_round(self, unit: Unit, first: FunctionResult, before: set[Unit]) -> FunctionResult:
        for other in set(self._results) - before:
            del self._results[other]
        self._results[unit] = first
        self._is_second_round = True
        try:
            result = interpret(self, unit)
        finally:
            self._is_second_round = False
        # Those that were solved against the first round are solved again against the second.
        for other in set(self._results) - before - {unit}:
            del self._results[other]
        return result

    def final_result(self, unit: Unit) -> FunctionResult:
        """The analysis of a unit under the locks that all its callers hold."""
        entry = self.entry_locks.get(unit, frozenset())
        if not entry:
            return self.result(unit)
        return interpret(self, unit, frozenset(Hold(lock, ENTRY) for lock in entry))

    @cached_property
    def entry_locks(self) -> dict[Unit, frozenset[Path]]:
        """Private and nested functions -> the locks held at every call of theirs."""
        return guards.find_entry_locks(self, self.units)

    @cached_property
    def locks_at_calls(self) -> dict[Unit, list[frozenset[Path]]]:
        """The locks held at each call of each function."""
        return guards.find_locks_at_calls(self, self.units)

    def decorator_locks(self, unit: Unit) -> frozenset[Path]:
        """Locks that decorators of this module hold while they run the function."""
        if unit not in self._decorator_locks:
            self._decorator_locks[unit] = guards.find_decorator_locks(self, unit)
        return self._decorator_locks[unit]

    def may_suspend(self, unit: Unit) -> bool:
        """Whether awaiting a function may let other tasks run: itself, or what overrides it in this module."""
        if self.summary(unit).suspends or unit.outline.is_stub:
            return True
        if unit.owner is None or unit.is_nested:
            return False
        overrides = [c.methods.get(unit.name) for c in self.family(unit.owner)]
        return any(
            f.is_stub or f.sketch.suspensions for f in overrides if f is not None and f is not unit.outline
        )

    def summary(self, unit: Unit) -> Summary:
        return self.result(unit).summary


def with_nested(unit: Unit) -> Iterator[Unit]:
    yield unit
    for inner in unit.nested:
        yield from with_nested(inner)
