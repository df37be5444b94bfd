"""Lanes: what is one, and how work is given to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.combining import combine
from lane_lint.flow.library_waits import waits
from lane_lint.flow.own_calls import apply, values_of
from lane_lint.flow.passed_work import call_as_turn, parameter_of
from lane_lint.flow.turn_records import LaneRecord, OutsideRecord
from lane_lint.flow.values import (
    NOTHING,
    OF_LANE,
    Dotted,
    Function,
    Instance,
    Lane,
    Lanes,
    Made,
    Pending,
    Value,
)
from lane_lint.flow.variables import origins
from lane_lint.model.path import Path

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.summary import Call
    from lane_lint.model.instructions import Argument, CallMethod, Temp

RUN_ALL, CLOSE = "run_all", "close"


def lane_of(run: Interpretation, value: Value, temp: Temp | None = None) -> Path | None:
    """The lane that a value is, if it is one.

    Args:
        temp: Where the value was loaded, so that a lane of this very call is named by its variable.
    """
    if isinstance(value.what, Lane):
        return value.path or _unplaced(run, temp)
    if value.path is None:
        return None
    if run.program.objects.is_lane(run.unit.owner, value.path):
        return value.path
    if value.path[0][0] in "^$":
        return _lane_in_variable(run, value.path) if len(value.path) == 1 else _lane_of_other(run, value.path)
    return None


def _unplaced(run: Interpretation, temp: Temp | None) -> Path | None:
    """A lane of this very call: named by its variable, else told apart from all others."""
    if temp is None:
        return None
    name = run.loaded.get(temp)
    return ("^" + name,) if name is not None else ("%lane", f"{run.body.line}:{temp}")


def _lane_in_variable(run: Interpretation, path: Path) -> Path | None:
    """A lane that an outer variable or a parameter holds: by what it was bound to, else by its name."""
    found = origins(run.unit, path[0][1:])
    if any(run.program.objects.is_lane_type(maker) for maker in found.makers):
        return path
    if found.path is not None:
        return found.path if run.program.objects.is_lane(run.unit.owner, found.path) else None
    is_known = bool(found.makers) or found.is_made
    return path if not is_known and run.program.objects.is_named_as_lane(path) else None


def _lane_of_other(run: Interpretation, path: Path) -> Path | None:
    """A lane of an object of unknown make: by what such an attribute is made from on the module's classes."""
    types = run.program.objects.makers_of_attribute(path[-1].lstrip("."))
    return path if any(map(run.program.objects.is_lane_type, types)) else None


def call_lane(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    """Call a method of a lane that runs work or waits for turns; None when it is no such call."""
    is_entry = i.method in run.program.settings.lane_entry_methods
    if not is_entry and i.method != CLOSE:
        return None
    lane = lane_of(run, base, i.base)
    if lane is None:
        return None
    if is_entry:
        _note_handed_over(run, i)
        return give_work(run, (lane,), i.method, i.arguments, i.at, i.result)
    run.records.lane_closings.append(i.at)
    if i.is_awaited:
        run.records.lanes.append(LaneRecord(i.at, (lane,), CLOSE, None, None, i.result, True))
    return Value(what=Made(OF_LANE))


def _note_handed_over(run: Interpretation, i: CallMethod) -> None:
    """Remember the reads of `lane.run(self.rows.pop, key)`: its turn looks into the collection, not we."""
    reads = run.records.reads
    work = run.value(i.arguments[0].value).path if i.arguments else None
    if work is not None and len(work) == 2 and work[0][0] == "@" and work[1][0] == ".":
        # A method bound to a global is no content of it.
        reads[:] = [read for read in reads if read.path != work]
    for argument in i.arguments:
        path = run.value(argument.value).path
        if path is not None and len(path) > 1:
            on_the_way = (read.site for read in reads if read.path == path[: len(read.path)])
            run.records.lane_arguments.extend(site for site in on_the_way if site <= i.at)


def run_on_all(run: Interpretation, arguments: tuple[Argument, ...], at: int) -> Value:
    """`run_all(lanes, work, *args)`: one turn on several lanes."""
    what = run.value(arguments[0].value).what if arguments else None
    lanes = what.paths if isinstance(what, Lanes) else ()
    return give_work(run, lanes, RUN_ALL, arguments[1:], at, None)


def lanes_among(run: Interpretation, values: list[Value]) -> Lanes | None:
    """The lanes in a display, where it holds some."""
    if not run.program.module_has_lanes:
        return None
    paths = tuple(path for value in values if (path := lane_of(run, value)) is not None)
    return Lanes(paths) if paths else None


def give_work(
    run: Interpretation,
    lanes: tuple[Path, ...],
    method: str,
    arguments: tuple[Argument, ...],
    at: int,
    result: Temp | None,
) -> Value:
    """Give `work, *args` to lanes: the work is a turn; awaiting it has its effects."""
    work = run.value(arguments[0].value) if arguments else NOTHING
    call = _call_of_work(run, work, arguments[1:])
    is_waited = waits_for_turn(method)
    parameter = parameter_of(work)
    run.records.lanes.append(LaneRecord(at, lanes, method, call, parameter, result, is_waited))
    if isinstance(work.what, Dotted) and waits(work.what.name):
        run.records.outside.append(OutsideRecord(at, is_known=True, is_given=True))
    if call is None or not is_waited:
        made = combine([run.value(a.value) for a in arguments], fresh=False)
        return made._replace(what=Made(OF_LANE)) if is_waited else made
    if method == "run_blocking":
        return apply(run, call, at)
    return Value(what=Pending((call,), is_wrapped=True))


def note_methods_given(run: Interpretation, arguments: tuple[Argument, ...], at: int) -> None:
    """Work that goes to a lane by way of something that calls the lane's method: `to_thread(lane.run_blocking, work)`."""
    if not run.program.module_has_lanes:
        return
    for number, argument in enumerate(arguments):
        path = run.value(argument.value).path
        if path is None or len(path) < 2 or path[-1][1:] not in run.program.settings.lane_entry_methods:
            continue
        lane = lane_of(run, Value(path=path[:-1]))
        if lane is not None and number + 1 < len(arguments):
            work = run.value(arguments[number + 1].value)
            call = _call_of_work(run, work, arguments[number + 2 :])
            run.records.lanes.append(
                LaneRecord(at, (lane,), path[-1][1:], call, parameter_of(work), None, is_waited=False)
            )


def waits_for_turn(method: str) -> bool:
    """Whether who calls an entering method waits for the turn; a post does not."""
    return "post" not in method


def _call_of_work(run: Interpretation, work: Value, rest: tuple[Argument, ...]) -> Call | None:
    function = _function_of(run, work)
    if function is None:
        return None
    return call_as_turn(function, values_of(run, rest))


def _function_of(run: Interpretation, work: Value) -> Function | None:
    """The function that a lane is to call; for an object of an own class its `__call__`."""
    if isinstance(work.what, Function):
        return work.what
    if isinstance(work.what, Instance):
        unit = run.program.known_unit(run.program.module.method(work.what.outline, "__call__"))
        if unit is not None:
            return Function(unit, work.path or ("%fresh",))
    return None


def note_started(run: Interpretation, arguments: tuple[Argument, ...]) -> None:
    """What is given to a task to wait for is not waited for here."""
    started = {a.value for a in arguments}
    run.records.lanes[:] = [
        r._replace(is_waited=False) if r.result in started else r for r in run.records.lanes
    ]
