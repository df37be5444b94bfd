"""What a function of another module tells, made into a result that callers here can use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lane_lint.flow.guards import Guard
from lane_lint.flow.lent import Lent
from lane_lint.flow.locks import LockKind
from lane_lint.flow.records import AcquireRecord, CallRecord, FunctionResult, Records
from lane_lint.flow.summary import Call, PassedWork, Summary, WriteEffect
from lane_lint.flow.turn_records import LaneRecord
from lane_lint.flow.values import Hold, Instance, Lane, Lock, Made
from lane_lint.flow.waits import Wait
from lane_lint.model.graph import FunctionBody, Kind, Parameter
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import What
    from lane_lint.outline import FunctionOutline


class _Lines(list[Any]):
    """Places of a function of another module: the number of a place is its line."""

    def __getitem__(self, line: Any) -> Any:
        return line


def taken(program: Program, unit: Unit, told: dict[str, Any]) -> Lent:
    """What the module under analysis knows of a function of another one."""
    outline = unit.outline
    if told.get("inert"):
        return _inert(outline, suspends=told.get("suspends", bool(outline.sketch.suspensions)))
    body = _empty_body(outline, Kind(told["kind"]), told["parameters"], told["decorators"])
    records = Records()
    records.calls = _taken_calls(program, unit, told)
    for lanes, method, name, is_waited in told["lanes"]:
        work = _own_unit(program, unit, name) if name is not None else None
        call = Call(work, (SELF,), (), is_turn=True) if work is not None else None
        records.lanes.append(
            LaneRecord(body.line, _paths(lanes), method, call, None, None, is_waited=is_waited)
        )
    for lock, *traits in told["acquisitions"]:
        records.acquisitions.append(AcquireRecord(body.line, tuple(lock), LockKind(*traits), frozenset()))
    kinds = {tuple(lock): LockKind(*traits) for lock, *traits in told["kinds"]}
    guards = tuple(
        Guard(tuple(lock), tuple(path), unit, line, only_fills)
        for lock, path, line, only_fills in told["guards"]
    )
    return Lent(body, FunctionResult(records, kinds, _taken_summary(program, told["summary"])), guards)


def _inert(outline: FunctionOutline, *, suspends: bool) -> Lent:
    # What it calls is foreign to it, and may raise.
    summary = Summary(suspends=outline.is_async and suspends, may_raise=True)
    return Lent(unknown_body(outline), FunctionResult(summary=summary), is_inert=True)


def unknown_body(outline: FunctionOutline) -> FunctionBody:
    """The body of a function of which only its head is known."""
    kind = Kind.ASYNC if outline.is_async else Kind.SYNC
    return _empty_body(outline, kind, [a.arg for a in outline.node.args.args], outline.decorators)


def _empty_body(
    outline: FunctionOutline, kind: Kind, parameters: Iterable[str], decorators: Iterable[str]
) -> FunctionBody:
    named = tuple(Parameter(name, None) for name in parameters)
    body = FunctionBody(outline.name, kind, named, outline.node.lineno, None, tuple(decorators))
    body.places = _Lines()
    return body


def _taken_calls(program: Program, unit: Unit, told: dict[str, Any]) -> list[CallRecord]:
    """Calls on the same object, also of hooks that only a subclass has."""
    calls, line = [], unit.outline.node.lineno
    for name, locks in (*told["calls"], *told["hooks"]):
        callee = _own_unit(program, unit, name)
        if callee is not None:
            holds = frozenset(Hold(tuple(lock), line) for lock in locks)
            calls.append(CallRecord(line, Call(callee, (SELF,), ()), holds))
    return calls


def _own_unit(program: Program, unit: Unit, name: str) -> Unit | None:
    owner = unit.owner
    if owner is None:
        return None
    method = program.module.method(owner, name) or program.module.only_override(owner, name)
    return program.unit(method) if method is not None else None


def _taken_summary(program: Program, told: dict[str, Any]) -> Summary:
    plain = _taken_fields(told, Summary)
    plain["writes"] = tuple(WriteEffect(**_taken_fields(effect, WriteEffect)) for effect in told["writes"])
    plain["waits"] = _taken_wait(told["waits"])
    plain["runs_as_turns"] = tuple(
        PassedWork(parameter, _paths(lanes), method) for parameter, lanes, method in told["runs_as_turns"]
    )
    plain["map_changes"] = tuple((tuple(path), method) for path, method in told["map_changes"])
    plain["returned_what"] = _taken_what(program, told["returned_what"])
    return Summary(**plain)


def _taken_wait(told: dict[str, Any] | None) -> Wait | None:
    if told is None:
        return None
    path = tuple(told["path"]) if told["path"] is not None else None
    return Wait(**{**told, "path": path})


def _paths(told: Iterable[list[str]]) -> tuple[Path, ...]:
    return tuple(tuple(path) for path in told)


def _taken_fields(told: dict[str, Any], of: type) -> dict[str, Any]:
    """What `_Writer.fields` wrote; a list is a path where the field's type says so, else a set."""
    found: dict[str, Any] = {}
    for each in fields(of):
        value = told.get(each.name)
        if isinstance(value, list):
            is_set = str(each.type).startswith("frozenset")
            found[each.name] = frozenset(map(_hashable, value)) if is_set else tuple(value)
        elif value is not None:
            found[each.name] = value
    return found


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _taken_what(program: Program, told: list[Any] | None) -> What | None:
    if told is None:
        return None
    kind, *rest = told
    if kind == "lock":
        return Lock(LockKind(*rest))
    if kind == "lane":
        return Lane()
    if kind == "made":
        return Made(rest[0])
    owner = program.module.class_named(rest[0])
    return Instance(owner) if owner is not None else None
