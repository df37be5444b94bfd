"""Callable parameters: whether what a function is given to call comes from outside of the component."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.flow.passed_work import call_as_turn, parameter_of, passed_by
from lane_lint.flow.turns import is_helper
from lane_lint.flow.values import Function, Value

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import CallbackRecord, Records
    from lane_lint.flow.summary import Call
    from lane_lint.flow.unit import Unit


def leaves_component(program: Program, unit: Unit, record: CallbackRecord) -> bool:
    """Whether a stored or passed callable is somebody else's code.

    The parameter of a helper is what its callers give it: functions of the module are the component's own.
    """
    if record.path is None or len(record.path) > 1 or record.path[0][0] not in "$^":
        return True
    name = record.path[0][1:]
    owner = unit.defining(name)
    return owner is None or _is_given_from_outside(program, owner, name, set())


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
    for unit in program.units:
        for call in _calls(program, program.result(unit).records):
            if call.unit is owner:
                yield from ((unit, value) for each, value in call.arguments if each == name)


def _calls(program: Program, records: Records) -> Iterator[Call]:
    for record in records.calls:
        yield record.call
        for _, _, work in passed_by(program, record):
            if isinstance(work.what, Function):
                yield call_as_turn(work.what)
    for lane in records.lanes:
        if lane.call is not None:
            yield lane.call
