"""Work that reaches a lane through somebody else's hands: a helper that is given it, a decorator of the module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.own_calls import bind_arguments
from lane_lint.flow.summary import Call, PassedWork, translate
from lane_lint.flow.unit import with_nested
from lane_lint.flow.values import Function, Value
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import CallRecord, Records
    from lane_lint.flow.turn_records import LaneRecord
    from lane_lint.flow.unit import Unit


class Passed(NamedTuple):
    """Work that ends up on lanes, which are named as where it was handed over names them."""

    lanes: tuple[Path, ...]
    method: str
    work: Value


def passed_by(program: Program, record: CallRecord) -> Iterator[Passed]:
    """The arguments of a call that the callee gives to lanes."""
    for passed in program.summary(record.call.unit).runs_as_turns:
        lanes = tuple(p for lane in passed.lanes if (p := translate(lane, record.call)) is not None)
        for name, value in record.call.arguments:
            if name == passed.parameter:
                yield Passed(lanes, passed.method, value)


def work_handed_over(program: Program, unit: Unit) -> Iterator[tuple[tuple[Path, ...], str, Call]]:
    """Lanes, method and work of each function of the module that a unit hands to a helper with a lane."""
    for record in program.result(unit).records.calls:
        for lanes, method, work in passed_by(program, record):
            if isinstance(work.what, Function):
                yield lanes, method, call_as_turn(work.what)


def call_as_turn(function: Function, given: tuple[tuple[str | None, Value], ...] = ()) -> Call:
    """The call of a function that a lane makes."""
    values = (*((None, value) for value in function.arguments), *given)
    is_bound = function.receiver is not None
    bound = bind_arguments(function.unit, values, is_bound=is_bound)
    return Call(function.unit, function.receiver, bound, is_turn=True)


def parameter_of(value: Value) -> str | None:
    """The parameter of this function, or of the one around it, that a value is."""
    if value.path is None or len(value.path) > 1 or value.path[0][0] not in "$^":
        return None
    return value.path[0][1:]


def parameters_run_as_turns(program: Program, unit: Unit, records: Records) -> tuple[PassedWork, ...]:
    """The parameters that a function gives to lanes, itself or further down, or calls in a turn of its own."""
    found: dict[str, PassedWork] = {}
    if not program.module_has_lanes:
        return ()
    for record in records.lanes:
        for name in (record.parameter, *_called_in_turn(program, unit, record)):
            if name is not None:
                found.setdefault(name, PassedWork(name, record.lanes, record.method))
    for call in records.calls:
        for lanes, method, work in passed_by(program, call):
            if (name := parameter_of(work)) is not None:
                found.setdefault(name, PassedWork(name, lanes, method))
        for passed in _passed_by_nested(program, unit, call):
            found.setdefault(passed.parameter, passed)
    return tuple(passed for passed in found.values() if _is_parameter(unit, passed.parameter))


def _passed_by_nested(program: Program, unit: Unit, call: CallRecord) -> tuple[PassedWork, ...]:
    """What a function nested in this one gives to lanes; it takes it from around itself."""
    return program.summary(call.call.unit).runs_as_turns if call.call.unit.parent is unit else ()


def _is_parameter(unit: Unit, name: str) -> bool:
    """Whether a name is a parameter of the function, or of one around it."""
    owner = unit.defining(name)
    return owner is not None and name in {parameter.name for parameter in owner.body.parameters}


def _called_in_turn(program: Program, unit: Unit, record: LaneRecord) -> Iterator[str]:
    """Parameters that a nested turn calls: `lane.run(lambda: work(key))`."""
    if record.call is not None and record.call.unit.parent is unit:
        for callback in program.result(record.call.unit).records.callbacks:
            if callback.path is not None and len(callback.path) == 1:
                yield callback.path[0][1:]


def decorated_turn(program: Program, unit: Unit) -> tuple[Path | None, str] | None:
    """Lane and method of a function that a decorator of this module runs as a turn.

    The lane is None where the decorator does not take it from the object whose method it decorates.
    """
    for name in unit.body.decorators if program.module_has_lanes else ():
        outline = program.module.functions.get(name)
        if outline is None or unit.is_nested or unit.outline.origin is not None:
            continue
        decorator = program.unit(outline)
        for wrapper in with_nested(decorator):
            for record in program.result(wrapper).records.lanes:
                called = {record.parameter, *_called_in_turn(program, wrapper, record)}
                if any(name is not None and _is_given_to_decorator(wrapper, name) for name in called):
                    return _lane_of_method(wrapper, record), record.method
    return None


def _is_given_to_decorator(wrapper: Unit, name: str) -> bool:
    """Whether a name is a parameter of a function around the wrapper, as what is decorated is."""
    return wrapper.defining(name) is not wrapper and _is_parameter(wrapper, name)


def _lane_of_method(wrapper: Unit, record: LaneRecord) -> Path | None:
    """The lane as the decorated method names it, whose object is the wrapper's first parameter."""
    first = next((p.name for p in wrapper.body.parameters), None)
    for lane in record.lanes:
        if lane[0] == f"${first}":
            return (SELF, *lane[1:])
    return None
