"""Callable parameters: whether what a function is given to call comes from outside of the component."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.flow.collections import CONTAINERS
from lane_lint.flow.objects import BUILTINS
from lane_lint.flow.passed_work import call_as_turn, parameter_of, passed_by
from lane_lint.flow.turns import is_helper
from lane_lint.flow.values import Function, Value
from lane_lint.model.path import ANY_ITEM
from lane_lint.sketch import OWN_NAMES

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import Records
    from lane_lint.flow.summary import Call
    from lane_lint.flow.turn_records import CallbackRecord
    from lane_lint.flow.unit import Unit
    from lane_lint.model.path import Path


def leaves_component(program: Program, unit: Unit, record: CallbackRecord) -> bool:
    """Whether a stored or passed callable is somebody else's code.

    The parameter of a helper is what its callers give it: functions of the module are the component's own.
    """
    if record.path is None:
        return True
    if record.path[0][0] not in "$^" or len(record.path) > 1:
        return not _is_own_table(program, unit, record.path)
    name = record.path[0][1:]
    owner = unit.defining(name)
    return owner is None or _is_given_from_outside(program, owner, name, set())


def _is_own_table(program: Program, unit: Unit, path: Path) -> bool:
    """Whether all that was ever stored there is the component's own, or a function of a library."""
    if path[0][0] == "@" and not program.sharing.is_shared(unit, path):
        return True
    makers = program.objects.makers(unit.owner, path)
    if makers & CONTAINERS:
        makers = program.objects.makers(unit.owner, (*path, ANY_ITEM))
    return bool(makers) and all(_is_fixed(program, unit, maker) for maker in makers)


def _is_fixed(program: Program, unit: Unit, maker: str) -> bool:
    """Whether a name means one function that is written down: of the module, of the object, of a library."""
    head, _, rest = maker.partition(".")
    module = program.module
    if rest and head in (*OWN_NAMES, unit.self_name) and unit.owner is not None:
        return module.method(unit.owner, rest) is not None
    if not rest:
        return maker in module.functions or maker in module.classes or maker in BUILTINS
    is_imported = any(maker == name or maker.startswith(name + ".") for name in module.imports.values())
    return is_imported and maker.rpartition(".")[2][:1].islower()


def _is_given_from_outside(program: Program, owner: Unit, name: str, seen: set[tuple[Unit, str]]) -> bool:
    if name not in {parameter.name for parameter in owner.body.parameters}:
        return True
    if not is_helper(owner):
        return True
    if (owner, name) in seen:
        return False
    seen.add((owner, name))
    for caller, value in given_to(program, owner, name):
        if isinstance(value.what, Function):
            continue
        parameter = parameter_of(value)
        around = caller.defining(parameter) if parameter is not None else None
        if around is None or parameter is None or _is_given_from_outside(program, around, parameter, seen):
            return True
    return False


def given_to(program: Program, owner: Unit, name: str) -> Iterator[tuple[Unit, Value]]:
    """What the module's calls of a function give for one of its parameters, with who calls."""
    for unit, call in program.whole.callers.get(owner, ()):
        yield from ((unit, value) for each, value in call.arguments if each == name)


def find_callers(program: Program, units: list[Unit]) -> dict[Unit, list[tuple[Unit, Call]]]:
    """Function -> its calls, by the module's functions and by lanes, with who calls or gives it to a lane."""
    found: dict[Unit, list[tuple[Unit, Call]]] = {}
    for unit in units:
        for call in _calls(program, program.result(unit).records):
            found.setdefault(call.unit, []).append((unit, call))
    return found


def _calls(program: Program, records: Records) -> Iterator[Call]:
    for record in records.calls:
        yield record.call
        for _, _, work in passed_by(program, record):
            if isinstance(work.what, Function):
                yield call_as_turn(work.what)
    for lane in records.lanes:
        if lane.call is not None:
            yield lane.call
