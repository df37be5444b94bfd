"""Resets: collections emptied and filled again over suspensions, and fields reset that others set anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.loops import GROWING
from lane_lint.flow.stale import ADDS, resets
from lane_lint.flow.values import Constant
from lane_lint.model.path import SELF

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.records import WriteRecord
    from lane_lint.flow.solved import Place
    from lane_lint.model.path import Path
    from lane_lint.outline import FunctionOutline


class Refill(NamedTuple):
    """A collection is emptied at `place` and filled at `fill`, with a suspension in between."""

    path: Path
    place: Place
    fill: Place
    reader: FunctionOutline


class StaleReset(NamedTuple):
    """A reset of what this call set before a suspension, or of an event it waited for before another."""

    path: Path
    place: Place
    before: Place
    suspension: Place
    is_event: bool


def refills(facts: FunctionFacts) -> Iterator[Refill]:
    if facts.is_construction or facts.runs_in_turn:
        return
    seen: set[Path] = set()
    for write in facts.records.writes:
        if not write.is_shared or write.emptied is None or write.is_removal:
            continue
        path, site, epoch = write.emptied
        if site == write.site:  # one call does both, and the finding is in the function called
            continue
        reader = _reader(facts, path, write)
        if epoch != write.epoch and path not in seen and reader is not None:
            seen.add(path)
            yield Refill(path, facts.place(site), facts.place(write.site), reader)


def _reader(facts: FunctionFacts, path: Path, write: WriteRecord) -> FunctionOutline | None:
    """A function that looks at the collection without the lock, if any, that the refill holds."""
    unit = facts.unit
    locks = {hold.lock for hold in write.holds}
    readers = [f for f in _readers(facts, path) if f is not unit.outline and not facts.is_own_part(f)]
    readers.sort(key=lambda f: f.is_private)
    return next((f for f in readers if not _reads_under(facts, f, path, locks)), None)


def _readers(facts: FunctionFacts, path: Path) -> list[FunctionOutline]:
    """The functions, construction apart, that mention an attribute or a global."""
    program, owner = facts.program, facts.unit.owner
    if path[0] == SELF and owner is not None and len(path) > 1:
        functions = [f for each in program.module.family(owner) for f in each.functions()]
        attribute = path[1][1:]
        return [
            f
            for f in functions
            if attribute in f.sketch.reads
            and not program.sharing.is_construction(f)
            and not _only_adds(f, attribute)
        ]
    if path[0][0] == "@":
        return [f for f in program.module.all_functions() if _mentions(f, path[0][1:])]
    return []


def _only_adds(function: FunctionOutline, attribute: str) -> bool:
    """Whether all that the function does with the collection is to put something in: it takes nothing for the truth."""
    adding: set[int] = set()
    for node in ast.walk(function.node):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Attribute) and called.attr in GROWING | ADDS:
                adding.add(id(called.value))
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            adding.add(id(node.value))
    return all(
        id(node) in adding
        for node in ast.walk(function.node)
        if isinstance(node, ast.Attribute) and node.attr == attribute
    )


def _mentions(function: FunctionOutline, name: str) -> bool:
    """Whether a plain name is read in the function, and is not a variable of its own."""
    if name in function.sketch.stores and name not in function.sketch.declared:
        return False
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(function.node))


def _reads_under(facts: FunctionFacts, function: FunctionOutline, path: Path, locks: set[Path]) -> bool:
    """Whether every read of the path in the function is made under one of the locks."""
    if not locks:
        return False
    reads = [
        r
        for r in facts.program.result(facts.program.unit(function)).records.reads
        if r.path[: len(path)] == path
    ]
    # To take the collection into a variable is no look at what is in it.
    looks = [r for r in reads if len(r.path) > len(path)] or reads
    return bool(looks) and all({h.lock for h in r.holds} & locks for r in looks)


def stale_resets(facts: FunctionFacts) -> Iterator[StaleReset]:
    if facts.is_construction or facts.runs_in_turn:
        return
    seen: set[Path] = set()
    for write in facts.records.writes:
        if write.path not in seen and _wipes_newer(facts, write) and write.own_write is not None:
            seen.add(write.path)
            before = facts.place(write.own_write.site)
            suspension = facts.place(write.last_suspension)
            yield StaleReset(write.path, facts.place(write.site), before, suspension, False)
    for event in (e for e in facts.records.events if not e.is_set):
        if event.waited is None or event.path in _set_here(facts):
            continue
        if event.waited != event.last_suspension and event.path not in seen:
            seen.add(event.path)
            suspension = facts.place(event.last_suspension)
            yield StaleReset(event.path, facts.place(event.site), facts.place(event.waited), suspension, True)


def _set_here(facts: FunctionFacts) -> set[Path]:
    """Events that the function sets itself: it uses them as gates, not as signals to itself."""
    return {event.path for event in facts.records.events if event.is_set}


def _wipes_newer(facts: FunctionFacts, write: WriteRecord) -> bool:
    """Whether a reset takes away what another call of this function, with its own value, put there since."""
    own = write.own_write
    if (
        own is None
        or write.effect is not None
        or not write.is_shared
        or not resets(write)
        or write.is_checked
        or write.by_decision
    ):
        return False
    if own.epoch == write.epoch or own.was_reserved or write.holds:
        return False
    if own.is_by_helper or isinstance(own.value.what, Constant):
        return False
    if not own.value.parameters - {facts.unit.self_name}:
        return False
    return _key_is_shared(facts, write.path)


def _key_is_shared(facts: FunctionFacts, path: Path) -> bool:
    """Whether two calls may mean the same entry: the key came from outside, not from this call."""
    parameters = {p.name for p in facts.unit.body.parameters}
    keys = [link[1:-1] for link in path if link[0] == "["]
    return all(key.partition(".")[0] in parameters or key[:1] in "\"'" for key in keys)
