"""Hooks: methods of this module that a base class in another one calls while it holds a lock or a turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.flow.callees import possible_callees
from lane_lint.flow.lock_reentry import Found, blocks_itself, reentries_in
from lane_lint.flow.locks import looks_like_lock
from lane_lint.flow.turns import is_on_lane_name
from lane_lint.flow.unit import ON_LANE, TURN
from lane_lint.model.path import SELF
from lane_lint.outline import CONSTRUCTION

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.outline import ClassOutline, FunctionOutline
    from lane_lint.settings import Settings


def relatives_of(program: Program, units: list[Unit]) -> list[Unit]:
    """Methods of bases in other modules that may hold something while they call, or guard, what is here."""
    owners = dict.fromkeys(u.owner for u in units if u.owner is not None)
    family = dict.fromkeys(c for owner in owners for c in program.module.family(owner))
    ours = frozenset(name for c in family if c.origin is None for name in names_of(c))
    lent = [f for c in family if c.origin is not None for f in c.functions()]
    found = [program.known_unit(f) for f in lent if may_matter(program, f, ours)]
    return [unit for unit in found if unit is not None]


def may_matter(program: Program, function: FunctionOutline, ours: frozenset[str]) -> bool:
    """Whether a base's method may hold something over what is ours, as its sketch tells.

    Args:
        ours: The methods and attributes that the classes of this module have, or change.
    """
    sketch = function.sketch
    touched = sketch.references | sketch.own_calls.keys() | {w.attribute for w in sketch.writes}
    return bool(touched & ours) and function.name not in CONSTRUCTION and may_hold(program, function)


def names_of(owner: ClassOutline) -> Iterator[str]:
    """The methods of a class, and the attributes that they touch."""
    for function in owner.functions():
        yield function.name
        yield from (w.attribute for w in function.sketch.writes)
        yield from function.sketch.reads


def may_hold(program: Program, function: FunctionOutline) -> bool:
    """Whether a method may hold a lock or be a turn, itself or by what it gives to a lane."""
    sketch = function.sketch
    if sketch.acquires or any(_may_be_lock(program, function, name) for name in sketch.contexts):
        return True
    settings: Settings = program.settings
    entering = {*settings.lane_entry_methods, *settings.asserting_methods, "run_all"}
    called = sketch.method_calls | sketch.own_calls.keys() | sketch.name_calls.keys()
    if entering & called or is_on_lane_name(settings, function.name):
        return True
    return any(d.rpartition(".")[2] in (TURN, ON_LANE) for d in function.decorators)


def _may_be_lock(program: Program, function: FunctionOutline, name: str) -> bool:
    """Whether a context is named or made like a lock, or is an own method that may wrap one."""
    objects, owner = program.objects, function.owner
    if looks_like_lock(name) or objects.lock_at(owner, (SELF, f".{name}")) is not None:
        return True
    return owner is not None and program.module.method(owner, name) is not None


def find_lock_reentries(program: Program) -> list[Found]:
    """Acquisitions, in hooks, of a lock that the base holds where it calls the hook."""
    found: dict[tuple[Unit, int], Found] = {}
    for base in program.relatives:
        result = program.result(base)
        for record in result.records.calls:
            for hold in sorted(record.holds):
                if blocks_itself(result.lock_kinds.get(hold.lock)):
                    for hook in _own_overrides(program, record.call.unit):
                        for item in _taken_again(program, hook, base, hold.lock):
                            found.setdefault((item.unit, item.site), item)
    return list(found.values())


def _taken_again(program: Program, hook: Unit, base: Unit, lock: tuple[str, ...]) -> Iterator[Found]:
    for acquisition in program.result(hook).records.acquisitions:
        if acquisition.lock == lock and blocks_itself(acquisition.kind):
            yield Found(hook, acquisition.site, lock, None, base)
    yield from reentries_in(program, hook, base, lock, set())


def _own_overrides(program: Program, callee: Unit) -> list[Unit]:
    """The methods of this module that the call may mean, as far as they were analysed."""
    return [unit for unit in possible_callees(program, callee) if unit.outline.origin is None]
