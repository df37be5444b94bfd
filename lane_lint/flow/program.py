"""A module under analysis: its units, solved when they are asked for, and what holds across them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.flow import callees, guards, hooks, lock_reentry, turns
from lane_lint.flow.borrowed import taken, unknown_body
from lane_lint.flow.closures import Closures
from lane_lint.flow.decorator_locks import find_decorator_locks
from lane_lint.flow.fixpoint import interpret
from lane_lint.flow.inert import Inertness
from lane_lint.flow.lent import UNKNOWN_ELSEWHERE, Lent, LentSlice
from lane_lint.flow.objects import Objects
from lane_lint.flow.ownership import Ownership
from lane_lint.flow.passages import Passages, Question
from lane_lint.flow.records import FunctionResult
from lane_lint.flow.results import Results
from lane_lint.flow.sharing import Sharing
from lane_lint.flow.summary import Summary
from lane_lint.flow.unit import Unit, with_nested
from lane_lint.flow.values import ENTRY, Hold
from lane_lint.flow.whole import WholeModule
from lane_lint.flow.worth_asking import Worth
from lane_lint.lowering import Slice, empty_slice, lower_definition
from lane_lint.model.path import SELF, Path
from lane_lint.stopwatch import NO_CLOCK, Clock

if TYPE_CHECKING:
    from lane_lint.flow.lent import Lender
    from lane_lint.outline import ClassOutline, Definition, FunctionOutline, ModuleOutline
    from lane_lint.settings import Settings

TOO_DEEP = "it is nested too deeply"
# How many functions may be under way for a definition that overflows the stack to be the cause of it.
SHALLOW = 8


class Program:
    """One module under analysis; units are lowered and solved when they are first asked for.

    Attributes:
        module_has_lanes: The module's text has to do with lanes.
        passages: What is asked of awaits that lead elsewhere.
        syntax_of: Gives the syntax of a definition; an outline that was kept has none of its own.
    """

    def __init__(
        self,
        module: ModuleOutline,
        lines: tuple[str, ...],
        settings: Settings,
        lender: Lender | None = None,
        clock: Clock = NO_CLOCK,
        *,
        has_lanes: bool,
        is_lending: bool = False,
        passing: frozenset[Question] = frozenset(),
    ) -> None:
        self.module = module
        self.lines = lines
        self.settings = settings
        self.objects = Objects(module, settings)
        self.closures = Closures()
        self.sharing = Sharing(module, self.objects, is_open=is_lending)
        self.ownership = Ownership(module, settings.confined_classes)
        self.module_has_lanes = has_lanes
        speaking = (*settings.lane_entry_methods, *settings.asserting_methods)
        self.inertness = Inertness(module, self.sharing, speaking, has_lanes=has_lanes, is_lending=is_lending)
        self.failures: dict[FunctionOutline, str] = {}
        self.slices: dict[FunctionOutline, Slice] = {}
        self.syntax_of: Callable[[FunctionOutline], Definition] = lambda outline: outline.node
        self._lender = lender
        self._clock = clock
        self.worth = Worth(self)
        self.passages = Passages(module, passing)
        self._lent: dict[Unit, Lent | None] = {}
        self._units: dict[FunctionOutline, Unit] = {}
        self._lowered: list[Unit] = []
        self._results = Results(self._solved)
        self._decorator_locks: dict[Unit, frozenset[Path]] = {}
        self._guards: dict[str, list[guards.Guard]] = {}

    # Units

    def unit(self, outline: FunctionOutline) -> Unit:
        """The unit of a definition; it is lowered when its body is first asked for."""
        if outline not in self._units:
            self._units[outline] = Unit(self, outline, None)
        return self._units[outline]

    def lower(self, unit: Unit) -> Slice:
        """Lower a definition. One that is nested too deeply is empty, and on record in `failures`."""
        outline = unit.outline
        if outline.origin is not None:
            lent = self.lent(unit)
            return LentSlice(lent.body if lent is not None else unknown_body(outline))
        try:
            with self._clock.phase("lowering"):
                lowered = self.slices.get(outline) or lower_definition(self.lines, self.syntax_of(outline))
            self.slices[outline] = lowered
        except RecursionError:
            if self._results.depth > SHALLOW:
                raise  # the chain of calls is too deep, not this definition
            self.failures[outline] = TOO_DEEP
            lowered = empty_slice(outline.name, outline.node.lineno)
        self._lowered.append(unit)
        return lowered

    # Functions of other modules

    def lent(self, unit: Unit) -> Lent | None:
        """What another module tells of a function of its own; None for this module's, and when it tells nothing."""
        if unit.outline.origin is None or self._lender is None:
            return None
        if unit not in self._lent:
            self._lent[unit] = None  # until it is known: the function may lead back to itself
            if not self.worth.is_worth_asking(unit.outline):
                runs_through = self.passages.runs_through(unit.outline)
                self._lent[unit] = taken(self, unit, {"inert": True, "suspends": not runs_through})
                return self._lent[unit]
            told = self._lender.told_of(unit.outline)
            self._lent[unit] = taken(self, unit, told) if told is not None else None
        return self._lent[unit]

    def known_unit(self, outline: FunctionOutline | None) -> Unit | None:
        """The unit of a function whose effects can be known: of this module, or one that another tells of."""
        if outline is None:
            return None
        unit = self.unit(outline)
        return unit if outline.origin is None or self.lent(unit) is not None else None

    def lent_guards(self, unit: Unit) -> tuple[guards.Guard, ...]:
        """What a function of another module guards."""
        lent = self.lent(unit)
        return lent.guards if lent is not None else ()

    def _solved(self, unit: Unit) -> FunctionResult:
        if unit.outline.origin is None:
            return interpret(self, unit)
        lent = self.lent(unit)
        return lent.result if lent is not None else FunctionResult(summary=UNKNOWN_ELSEWHERE)

    def analyse(self, functions: list[FunctionOutline]) -> None:
        """Solve these functions, the helpers they call, and those that may go past a lock they hold."""
        self._solve(functions)
        self._settle()
        units = list(self._all_lowered())
        self._solve(guards.bypass_candidates(self, [*units, *hooks.relatives_of(self, units)]))
        self._settle()

    def give_up_on(self, unit: Unit) -> None:
        """Put on record that a definition overflows the stack; callers know nothing of it."""
        self.failures[unit.outline] = TOO_DEEP
        self._results.put(unit, FunctionResult())

    def _solve(self, functions: list[FunctionOutline]) -> None:
        """Solve functions, whatever the length of the chains of calls that they begin."""
        for function in functions:
            self._solve_from_within(self.unit(function))

    def _solve_from_within(self, unit: Unit) -> None:
        """Solve a unit; where its calls lead too deep, the middle of that way first, and so on to its end."""
        waiting = [unit]
        while waiting:
            under_way = self._results.attempt(waiting[-1])
            if not under_way:
                waiting.pop()
                continue
            self.inertness.forget()
            inner = under_way[len(under_way) // 2]
            if len(under_way) <= SHALLOW or inner in waiting:
                # It is this unit that is too deep, or a circle that is too large.
                self.give_up_on(waiting.pop())
            else:
                waiting.append(inner)

    def _settle(self) -> None:
        """Solve every unit that was lowered; solving one may lower more."""
        done = 0
        while done < len(self._lowered):
            for unit in with_nested(self._lowered[done]):
                self._solve_from_within(unit)
            done += 1

    def _all_lowered(self) -> Iterator[Unit]:
        """Every unit lowered so far, nested ones after the function around them, in order of the source."""
        for unit in sorted(self._lowered, key=lambda u: u.outline.node.lineno):
            yield from with_nested(unit)

    def close(self) -> None:
        """Let everything go at once, of use to nobody any more.

        Units and their program know each other. What such a circle holds is left to the cycle collector
        otherwise, and that would look at each node of each tree.
        """
        for unit in self._units.values():
            vars(unit).clear()
        vars(self).clear()

    # The module as a whole

    @cached_property
    def units(self) -> list[Unit]:
        """Every unit that was analysed."""
        return list(self._all_lowered())

    @cached_property
    def relatives(self) -> list[Unit]:
        """Methods of other modules that may hold something while they call what was analysed here."""
        return hooks.relatives_of(self, self.units)

    @cached_property
    def in_turns(self) -> dict[Unit, turns.InTurn]:
        """Every function that may run inside a turn, with the turn and its lanes."""
        return turns.find_turns(self, [*self.units, *self.relatives])

    @cached_property
    def off_lane(self) -> frozenset[Unit]:
        """Functions that may run outside of any turn; those of `in_turns` among them run in both places."""
        return turns.find_off_lane(self, self.in_turns, self.units)

    @cached_property
    def whole(self) -> WholeModule:
        """What holds across all functions."""
        return WholeModule(self)

    @cached_property
    def lock_reentries(self) -> list[lock_reentry.Found]:
        """Calls, in all units, that take a lock under a hold of the same lock."""
        return [*lock_reentry.find_lock_reentries(self, self.units), *hooks.find_lock_reentries(self)]

    def guards_of(self, owner: ClassOutline | None) -> list[guards.Guard]:
        """The locks of a class with its relatives, or of the module's globals, and what they guard."""
        key = owner.name if owner is not None else ""
        if key not in self._guards:
            family = set(map(id, self.module.family(owner))) if owner is not None else None
            known = [*self.units, *self.relatives]
            units = [u for u in known if family is None or id(u.owner) in family]
            self._guards[key] = [
                g for g in guards.find_guards(self, units) if (family is None) == (g.path[0] != SELF)
            ]
            if owner is not None:
                self._guards[key] = [*self._guards[key], *self.guards_of(None)]
        return self._guards[key]

    # Solving

    def result(self, unit: Unit) -> FunctionResult:
        """The analysis of a unit on its own, with nothing held at its entry."""
        return self._results.of(unit)

    def final_result(self, unit: Unit) -> FunctionResult:
        """The analysis of a unit under the locks that all its callers hold."""
        entry = self.entry_locks.get(unit, frozenset())
        if not entry:
            return self.result(unit)
        return interpret(self, unit, frozenset(Hold(lock, ENTRY) for lock in entry))

    @cached_property
    def entry_locks(self) -> dict[Unit, frozenset[Path]]:
        """Private and nested functions -> the locks held at every call of theirs."""
        return guards.find_entry_locks(self, [*self.units, *self.relatives])

    @cached_property
    def locks_at_calls(self) -> dict[Unit, list[frozenset[Path]]]:
        """The locks held at each call of each function."""
        return guards.find_locks_at_calls(self, [*self.units, *self.relatives])

    def decorator_locks(self, unit: Unit) -> frozenset[Path]:
        """Locks that decorators of this module hold while they run the function."""
        if unit not in self._decorator_locks:
            self._decorator_locks[unit] = find_decorator_locks(self, unit)
        return self._decorator_locks[unit]

    def may_suspend(self, unit: Unit) -> bool:
        """Whether awaiting a function may let other tasks run: itself, or what overrides it in this module."""
        if self.summary(unit).suspends or unit.outline.is_stub:
            return True
        overrides = [other.outline for other in callees.possible_callees(self, unit)[1:]]
        return any(f.is_stub or f.sketch.suspensions for f in overrides)

    def summary(self, unit: Unit) -> Summary:
        """What a caller of the unit needs to know."""
        return self.result(unit).summary
