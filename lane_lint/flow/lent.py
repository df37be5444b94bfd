"""What a function of one module tells those of another, as plain JSON, and the result made from it.

Paths, locks and lines are kept; values and positions are not. Globals are written with their module's
dotted name in front, since a path's root means another variable elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

from lane_lint.finding import Span
from lane_lint.flow.guards import Guard, guards_in
from lane_lint.flow.locks import LockKind
from lane_lint.flow.records import CallRecord, FunctionResult
from lane_lint.flow.summary import Call, Summary, WriteEffect
from lane_lint.flow.turn_records import LaneRecord
from lane_lint.flow.values import Hold, Instance, Lane, Lock, Made
from lane_lint.flow.waits import Wait
from lane_lint.lowering import Slice
from lane_lint.model.graph import FunctionBody
from lane_lint.model.path import SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import What
    from lane_lint.outline import FunctionOutline


class Lender(Protocol):
    """Who knows what other modules tell of their functions."""

    def told_of(self, function: FunctionOutline) -> dict[str, Any] | None:
        """What `lend` has said of a function of another module; None when that cannot be known."""


# What is taken for true of a function of another module that tells nothing.
UNKNOWN_ELSEWHERE = Summary(suspends=True, may_raise=True)


@dataclass(frozen=True, slots=True)
class Lent:
    """A function of another module as the module under analysis sees it.

    Attributes:
        body: Its name, kind and parameters; it has no blocks.
        guards: The locks that it holds over a suspension while it relies on a path.
        is_inert: Calling it has no effect but its result.
    """

    body: FunctionBody
    result: FunctionResult
    guards: tuple[Guard, ...] = ()
    is_inert: bool = False


class LentSlice(Slice):
    """What stands for the syntax of a function of another module: its places are lines of its file."""

    def __init__(self, body: FunctionBody) -> None:
        self.body = body

    def span(self, node: Any) -> Span:
        return Span(node, 0, node, 0)

    def iterable_text(self, node: Any) -> str:
        return ""


# Lending


def lend(program: Program, unit: Unit, module: str) -> dict[str, Any]:
    """What other modules are told of a function.

    Args:
        module: The dotted name of the program's module.
    """
    outline = unit.outline
    if program.inertness.is_inert(outline) and not outline.is_property:
        return {"inert": True}
    result, body = program.result(unit), unit.body
    writer = _Writer(unit, module)
    return {
        "kind": body.kind.value,
        "parameters": [p.name for p in body.parameters],
        "decorators": body.decorators,
        "summary": writer.summary(result.summary),
        "kinds": [[writer.path(lock), *_traits(kind)] for lock, kind in sorted(result.lock_kinds.items())],
        "calls": [[c.call.unit.name, writer.locks(c.holds)] for c in _own_calls(unit, result)],
        "hooks": [[h.name, writer.locks(h.holds)] for h in result.records.hooks],
        "lanes": [writer.lane(record) for record in result.records.lanes],
        "guards": [
            [writer.path(g.lock), writer.path(g.path), writer.line(g.site), g.only_fills]
            for g in guards_in(program, unit, result)
        ],
        "acquisitions": [[writer.path(a.lock), *_traits(a.kind)] for a in result.records.acquisitions],
    }


def _is_own(unit: Unit, other: Unit) -> bool:
    return not other.is_nested and other.owner is not None and unit.owner is not None


def _name_of_own(unit: Unit, work: Call | None) -> str | None:
    """The method that is given to a lane, when it is one of the same object."""
    is_own = work is not None and work.receiver == (SELF,) and _is_own(unit, work.unit)
    return work.unit.name if work is not None and is_own else None


def _own_calls(unit: Unit, result: FunctionResult) -> list[CallRecord]:
    """The calls on the same object."""
    calls = result.records.calls
    return [c for c in calls if c.call.receiver == (SELF,) and _is_own(unit, c.call.unit)]


def _traits(kind: LockKind) -> list[bool]:
    return [getattr(kind, each.name) for each in fields(LockKind)]


class _Writer:
    """Writes what is known of one function."""

    def __init__(self, unit: Unit, module: str) -> None:
        self._unit = unit
        self._module = module

    def line(self, site: int) -> int:
        unit = self._unit
        return unit.slice.span(unit.body.places[site]).line if site >= 0 else unit.body.line

    def path(self, path: Path) -> list[str]:
        if path[0][0] == "@" and "." not in path[0]:
            return [f"@{self._module}.{path[0][1:]}", *path[1:]]
        return list(path)

    def locks(self, holds: frozenset[Hold]) -> list[list[str]]:
        return [self.path(lock) for lock in sorted({h.lock for h in holds}) if lock[0][0] != "%"]

    def paths(self, paths: Iterable[Path]) -> list[list[str]]:
        """Those that a caller can have a name for."""
        return [self.path(path) for path in paths if path[0][0] != "%"]

    def lane(self, record: LaneRecord) -> list[Any]:
        work = _name_of_own(self._unit, record.call)
        return [self.paths(record.lanes), record.method, work, record.is_waited]

    def fields(self, of: Summary | WriteEffect) -> dict[str, Any]:
        """The fields that are flags, names, paths, or sets of these."""
        found = {}
        for each in fields(of):
            value = getattr(of, each.name)
            if isinstance(value, frozenset):
                found[each.name] = [self._told(one) for one in sorted(value) if one[0][0] != "%"]
            elif isinstance(value, (bool, str)) or _is_path(value):
                found[each.name] = self._told(value)
        return found

    def summary(self, summary: Summary) -> dict[str, Any]:
        return {
            **self.fields(summary),
            "writes": [self.fields(effect) for effect in summary.writes],
            "waits": self._wait(summary.waits),
            "runs_as_turns": [[w.parameter, self.paths(w.lanes), w.method] for w in summary.runs_as_turns],
            "map_changes": [[self.path(path), method] for path, method in summary.map_changes],
            "returned_what": _what(summary.returned_what, self._module),
        }

    def _wait(self, wait: Wait | None) -> dict[str, Any] | None:
        """The wait of a plain function; its pool is left out, which callers are never asked for.

        One further down is left out too: what decides there whether to wait is hardly ever known here.
        """
        if wait is None or wait.through is not None:
            return None
        path = self.path(wait.path) if wait.path is not None and wait.path[0][0] != "%" else None
        return {
            "site": self.line(wait.site),
            "call": wait.call,
            "reason": wait.reason,
            "is_timed": wait.is_timed,
            "path": path,
            "through": wait.through,
        }

    def _told(self, value: Any) -> Any:
        return self.path(value) if isinstance(value, tuple) else value


def _is_path(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], str)


def _what(what: What | None, module: str) -> list[Any] | None:
    if isinstance(what, Lock):
        return ["lock", *_traits(what.kind)]
    if isinstance(what, Lane):
        return ["lane"]
    if isinstance(what, Made):
        return ["made", what.name]
    if isinstance(what, Instance):
        home = what.outline.origin.module if what.outline.origin is not None else module
        return ["instance", f"{home}.{what.outline.name}"]
    return None


# Taking what was lent
