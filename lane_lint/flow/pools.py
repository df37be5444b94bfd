"""Executors: which functions run on them, and which of those wait for work of the same one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lane_lint.model.path import SELF

if TYPE_CHECKING:
    from lane_lint.flow.executors import Job
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.solved import Place
    from lane_lint.flow.summary import Call
    from lane_lint.flow.unit import Unit
    from lane_lint.model.path import Path

# An executor as all functions of the module see it: where its first link belongs to, and the path.
PoolName: TypeAlias = "tuple[object, Path]"


class PoolJob(NamedTuple):
    """A function runs on an executor; `root` was given to it on the line `line`."""

    root: Unit
    line: int


class SamePoolWait(NamedTuple):
    """Work of an executor waits for other work of it."""

    place: Place
    call: str
    pool: str
    root: str
    line: int
    is_timed: bool


def pool_name(program: Program, unit: Unit, path: Path) -> PoolName:
    """What an executor is, in terms that all functions of the module share."""
    root = path[0]
    if root == SELF and unit.owner is not None:
        family = program.module.class_order(unit.owner)
        attribute = path[1][1:] if len(path) > 1 else ""
        makes = [each for each in family if attribute in each.makers]
        return (makes[-1] if makes else unit.owner, path)
    if root[0] == "^":
        # A local variable is called so by its own function, too.
        return (unit.defining(root[1:]) or unit, path)
    if root[0] == "$":
        return (unit, ("^" + root[1:], *path[1:]))  # as a function nested here calls it
    return (None, path)


def find_jobs(program: Program, units: list[Unit]) -> dict[Unit, dict[PoolName, PoolJob]]:
    """Every function that runs on an executor, given to it or called there, with the executor's names."""
    found: dict[Unit, dict[PoolName, PoolJob]] = {}
    pending: list[Unit] = []
    for unit in units:
        for job in program.result(unit).records.jobs:
            found.setdefault(job.unit, {}).update(_names_of(program, unit, job))
            pending.append(job.unit)
    while pending:
        unit = pending.pop(0)
        for record in program.result(unit).records.calls:
            known = found.setdefault(record.call.unit, {})
            names = found[unit] | _passed_on(program, unit, record.call, found[unit])
            if names.keys() - known.keys():
                found[record.call.unit] = names | known
                pending.append(record.call.unit)
    return found


def _names_of(program: Program, unit: Unit, job: Job) -> dict[PoolName, PoolJob]:
    """The executor that a job runs on: as its own name, and as the parameters that it is given to the job as."""
    name = pool_name(program, unit, job.pool)
    root = PoolJob(job.unit, unit.slice.span(unit.body.places[job.site]).line)
    passed = [n for n, path in job.given if pool_name(program, unit, path) == name]
    return dict.fromkeys([name, *(_parameter(job.unit, n) for n in passed)], root)


def _passed_on(
    program: Program, unit: Unit, call: Call, known: dict[PoolName, PoolJob]
) -> dict[PoolName, PoolJob]:
    """The executors that a function gives to another one which it calls."""
    found: dict[PoolName, PoolJob] = {}
    for parameter, value in call.arguments:
        name = pool_name(program, unit, value.path) if value.path is not None else None
        if name is not None and name in known:
            found[_parameter(call.unit, parameter)] = known[name]
    return found


def _parameter(unit: Unit, name: str) -> PoolName:
    return (unit, ("^" + name,))


def same_pool_waits(facts: FunctionFacts) -> Iterator[SamePoolWait]:
    jobs = facts.program.whole.pool_jobs.get(facts.unit)
    if not jobs:
        return
    seen: set[int] = set()
    for wait in sorted(facts.records.waits, key=lambda w: w.site):
        if wait.pool is None or wait.site in seen:
            continue
        job = jobs.get(pool_name(facts.program, facts.unit, wait.pool))
        if job is not None:
            seen.add(wait.site)
            shown = facts.display(wait.pool)
            yield SamePoolWait(
                facts.place(wait.site), wait.call, shown, job.root.label, job.line, wait.is_timed
            )
