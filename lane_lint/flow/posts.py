"""Posts to a lane: what their answer is used for, and what the method that posts promises on return."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.passed_work import passed_by
from lane_lint.model.instructions import (
    BindName,
    CallMethod,
    CallName,
    Combine,
    Instruction,
    LoadAttribute,
    LoadItem,
    LoadName,
    MakeFunction,
    Return,
    Suspend,
    Temp,
    operands_of,
)

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.solved import Place
    from lane_lint.flow.unit import Unit
    from lane_lint.model.graph import FunctionBody
    from lane_lint.model.path import Path

POST = "try_post"
# What waits for what it is given.
WAITERS = frozenset({"wait", "wait_for", "gather", "shield"})
PROMISE = re.compile(
    r"\b(?:on|before|upon|when|by the time|once|after)\b[^.]{0,40}\breturn(?:s|ed|ing)?\b"
    r"|\breturns?\b[^.]{0,30}\b(?:once|after|when|only)\b[^.]{0,40}\b(?:regist|reserv|subscrib|record|queued|stored|added|claimed)",
    re.IGNORECASE,
)
DENIAL = re.compile(r"\bnot\b|n't\b|\bmay\b|\bmight\b", re.IGNORECASE)
# They make a name of something from its parts, where an unknown function may answer anything.
NAMING_FUNCTIONS = frozenset({"str", "repr", "tuple", "int", "hash", "id", "format", "partial"})


class EarlyPromise(NamedTuple):
    """A post of work that its method's result, or its docstring, takes for done.

    Attributes:
        name: The variable that names the posted work and goes into the result; None for the docstring's word.
    """

    place: Place
    name: str | None
    lane: str


class DroppedAnswer(NamedTuple):
    """A post whose answer nobody looks at."""

    place: Place
    lane: str


def early_promises(facts: FunctionFacts) -> Iterator[EarlyPromise]:
    """Posts whose work a result or a docstring promises to be done on return."""
    unit = facts.unit
    posts = dict(_posts(facts))
    if not posts:
        return
    reader = _Reader(unit.body)
    returned = reader.returned_names() - _no_names(unit)
    promised = _promises(unit)
    for site, lanes in posts.items():
        if _is_waited_later(facts, site, lanes, reader):
            continue
        names = sorted(returned & reader.given_names(site))
        if lanes and (names or promised):
            yield EarlyPromise(facts.place(site), names[0] if names else None, facts.display(lanes[0]))


def _posts(facts: FunctionFacts) -> Iterator[tuple[int, tuple[Path, ...]]]:
    """Where work is posted, here or by a helper that is handed the work, and to which lane."""
    for record in facts.records.lanes:
        if record.method == POST:
            yield record.site, record.lanes
    for call in facts.records.calls:
        for lanes, method, _ in passed_by(facts.program, call):
            if method == POST:
                yield call.site, lanes


def dropped_answers(facts: FunctionFacts) -> Iterator[DroppedAnswer]:
    """Posts whose answer, whether the lane took the work, is not looked at."""
    used: set[Temp] | None = None
    for record in facts.records.lanes:
        if record.method == POST and record.result is not None:
            used = _used(facts.unit.body) if used is None else used
            if record.result not in used:
                yield DroppedAnswer(facts.place(record.site), facts.display(record.lanes[0]))


def _no_names(unit: Unit) -> set[str]:
    """What names no work: the object itself, and what belongs to the module."""
    module = unit.program.module
    known = (
        module.functions.keys() | module.classes.keys() | module.imports.keys() | module.global_makers.keys()
    )
    return {*known, unit.self_name or "self"}


def _promises(unit: Unit) -> bool:
    """Whether the docstring says what is done when the method returns."""
    if unit.is_nested:
        return False
    docstring = ast.get_docstring(unit.outline.node)
    sentences = (docstring or "").replace("\n", " ").split(".")
    return any(PROMISE.search(each) and not DENIAL.search(each) for each in sentences)


def _is_waited_later(facts: FunctionFacts, site: int, lanes: tuple[Path, ...], reader: _Reader) -> bool:
    """Whether the function goes on only when the work is done: a later turn of the lane, or a signal of the work."""
    for record in facts.records.lanes:
        if record.is_waited and record.site > site and set(record.lanes) & set(lanes):
            return True
    return bool(reader.awaited_names() & reader.given_names(site))


def _used(body: FunctionBody) -> set[Temp]:
    found = {t for block in body.blocks for i in block.instructions for t in operands_of(i)}
    return found | {block.branch.test for block in body.blocks if block.branch is not None}


class _Reader:
    """Which variables of a function go into what, by the instructions alone."""

    def __init__(self, body: FunctionBody) -> None:
        self._body = body
        self._instructions = [i for block in body.blocks for i in block.instructions]
        self._made_by: dict[Temp, Instruction] = {
            made: i for i in self._instructions if (made := getattr(i, "result", None)) is not None
        }
        self._bound: dict[str, list[Temp]] = {}
        for i in self._instructions:
            if isinstance(i, BindName):
                self._bound.setdefault(i.name, []).append(i.source)

    def returned_names(self) -> set[str]:
        """Variables that the function's result names: returned as they are, or as parts of a display or an object."""
        found: set[str] = set()
        for i in self._instructions:
            if isinstance(i, Return) and i.source is not None:
                found |= self._names_in(i.source, set())
        return found

    def given_names(self, site: int) -> set[str]:
        """Variables that posted work uses: its arguments, and what a function on the spot takes from around it."""
        calls = [i for i in self._instructions if isinstance(i, (CallName, CallMethod)) and i.at == site]
        return {n for call in calls for a in call.arguments for n in self._all_names_in(a.value, set())}

    def awaited_names(self) -> set[str]:
        """Variables that are waited for, themselves or one of their methods."""
        found: set[str] = set()
        for i in self._instructions:
            if isinstance(i, Suspend):
                for temp in (i.source, *(i.given if i.callee in WAITERS else ())):
                    found |= self._subject_of(temp)
        return found

    def _subject_of(self, temp: Temp) -> set[str]:
        made_by = self._made_by.get(temp)
        if isinstance(made_by, LoadName):
            sources = self._bound.get(made_by.name, ())
            calls = [source for source in sources if isinstance(self._made_by.get(source), CallMethod)]
            return {made_by.name}.union(*map(self._subject_of, calls))
        return self._subject_of(made_by.base) if isinstance(made_by, CallMethod) else set()

    def _names_in(self, temp: Temp, seen: set[str]) -> set[str]:
        """Variables that a value names; what a wait or an unknown function answers names nothing."""
        made_by = self._made_by.get(temp)
        if isinstance(made_by, LoadName):
            return self._named(made_by.name, seen)
        if isinstance(made_by, LoadAttribute):
            return self._names_in(made_by.base, seen)
        if isinstance(made_by, CallName) and _makes_name(made_by.name):
            return {n for a in made_by.arguments for n in self._names_in(a.value, seen)}
        if isinstance(made_by, MakeFunction):
            return _free_names(self._body.nested[made_by.function])
        if isinstance(made_by, Combine):
            found = {n for source in made_by.sources for n in self._names_in(source, seen)}
            # A sum of what was given names nothing; a text with a number that was made here does.
            return found if made_by.fresh else found - {p.name for p in self._body.parameters}
        return set()

    def _named(self, name: str, seen: set[str]) -> set[str]:
        """A variable, and those that it was made from; one that holds the answer to a wait names no work."""
        if name in seen:
            return set()
        seen.add(name)
        sources = self._bound.get(name, ())
        if any(isinstance(self._made_by.get(source), (Suspend, LoadItem)) for source in sources):
            return set()
        return {name}.union(*(self._names_in(source, seen) for source in sources))

    def _all_names_in(self, temp: Temp, seen: set[str]) -> set[str]:
        made_by = self._made_by.get(temp)
        if isinstance(made_by, MakeFunction):
            return _free_names(self._body.nested[made_by.function])
        if isinstance(made_by, LoadName):
            return {made_by.name} | self._names_behind(made_by.name, seen)
        if made_by is None:
            return set()
        return {n for operand in operands_of(made_by) for n in self._all_names_in(operand, seen)}

    def _names_behind(self, name: str, seen: set[str]) -> set[str]:
        """What a variable that holds the work itself was made with."""
        if name in seen:
            return set()
        seen.add(name)
        for function in self._body.nested:
            if function.name == name:
                return _free_names(function)
        partials = [
            s for s in self._bound.get(name, ()) if isinstance(self._made_by.get(s), (MakeFunction, CallName))
        ]
        return {n for source in partials for n in self._all_names_in(source, seen)}


def _makes_name(name: str | None) -> bool:
    return name is not None and (name[:1].isupper() or name in NAMING_FUNCTIONS)


def _free_names(body: FunctionBody) -> set[str]:
    """Names that a function takes from around it, with what is nested in it."""
    loaded = {i.name for block in body.blocks for i in block.instructions if isinstance(i, LoadName)}
    for inner in body.nested:
        loaded |= _free_names(inner)
    return {name for name in loaded if not body.is_local(name)}
