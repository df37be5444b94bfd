"""Locks that are taken in opposite orders, on two ways or on two instances of a class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.held import LockName, lock_name, names_of
from lane_lint.flow.summary import translate
from lane_lint.flow.values import BUSY
from lane_lint.model.path import SELF

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import AcquireRecord
    from lane_lint.flow.solved import Place
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Hold
    from lane_lint.model.path import Path


class Inversion(NamedTuple):
    """The inner of two acquisitions that another way makes in the opposite order.

    Attributes:
        inner: The lock that is taken here.
        outer: The lock that is held meanwhile.
        holder: The function that took the outer lock.
        rival: Where the opposite order is taken; None when another call does it, with the objects swapped.
    """

    place: Place
    inner: str
    outer: str
    holder: str
    rival: tuple[str, int] | None


class Nesting(NamedTuple):
    """A lock is taken while another one is held.

    Attributes:
        held: All locks that are held there.
    """

    unit: Unit
    site: int
    inner: LockName
    outer: LockName
    inner_path: Path
    outer_text: str
    holder: Unit
    held: frozenset[LockName]


def find_nestings(program: Program, units: list[Unit]) -> list[Nesting]:
    """Every acquisition under another lock, held by the function itself or by a caller."""
    return [
        nesting
        for unit in units
        if not program.sharing.is_construction(unit.outline)
        for site, lock, held in _acquisitions(program, unit)
        for nesting in _nestings_at(program, unit, site, lock, held)
    ]


def _acquisitions(program: Program, unit: Unit) -> Iterator[tuple[int, Path, frozenset[Hold]]]:
    """What a function takes, itself or by entering a context manager of the module that holds it meanwhile."""
    records = program.result(unit).records
    for acquisition in records.acquisitions:
        yield acquisition.site, acquisition.lock, acquisition.held
    for record in records.calls:
        for lock in sorted(program.summary(record.call.unit).holds_at_yield):
            if (path := translate(lock, record.call)) is not None:
                yield record.site, path, record.holds


def _nestings_at(
    program: Program, unit: Unit, site: int, lock: Path, held: frozenset[Hold]
) -> Iterator[Nesting]:
    inner = lock_name(program, unit, lock)
    if inner is None:
        return
    around = names_of(program, unit, held)
    if inner in around:
        return  # its holder takes it once more, and does not wait
    on_entry = program.whole.held_on_entry.get(unit, {})
    # Who enters a context manager takes its lock, there and not in here.
    if inner not in on_entry and lock not in program.summary(unit).holds_at_yield:
        around = on_entry | around
    for outer, holder in sorted(around.items(), key=lambda item: item[0]):
        text = outer.label_in(inner)
        yield Nesting(unit, site, inner, outer, lock, text, holder.unit, frozenset(around))


def find_inversions(nestings: list[Nesting]) -> dict[Nesting, Nesting]:
    """Acquisitions whose order another one turns round, with no third lock held around both."""
    found: dict[Nesting, Nesting] = {}
    by_pair: dict[tuple[LockName, LockName], list[Nesting]] = {}
    for nesting in nestings:
        by_pair.setdefault((nesting.outer, nesting.inner), []).append(nesting)
    for nesting in nestings:
        for rival in by_pair.get((nesting.inner, nesting.outer), ()):
            if not (nesting.held & rival.held) - {nesting.inner, nesting.outer}:
                found.setdefault(nesting, rival)
    return found


def lock_order_inversions(facts: FunctionFacts) -> Iterator[Inversion]:
    seen: set[int] = set()
    for nesting, rival in facts.program.whole.lock_inversions.items():
        if nesting.unit is facts.unit and nesting.site not in seen:
            seen.add(nesting.site)
            rival_line = rival.unit.slice.span(rival.unit.body.places[rival.site]).line
            yield Inversion(
                facts.place(nesting.site),
                facts.display(nesting.inner_path),
                nesting.outer_text,
                nesting.holder.label,
                (rival.unit.label, rival_line),
            )
    for acquisition, outer in _in_argument_order(facts):
        if acquisition.site not in seen:
            seen.add(acquisition.site)
            texts = facts.display(acquisition.lock), facts.display(outer)
            yield Inversion(facts.place(acquisition.site), *texts, facts.label, None)


def _in_argument_order(facts: FunctionFacts) -> list[tuple[AcquireRecord, Path]]:
    """Locks of two objects of one kind, taken in the order in which a caller names the objects."""
    found: list[tuple[AcquireRecord, Path]] = []
    pairs: set[tuple[Path, Path]] = set()
    for acquisition in facts.records.acquisitions:
        for hold in sorted(acquisition.held):
            if hold.lock[0] != BUSY and _differ_by_argument(facts.unit, hold.lock, acquisition.lock):
                found.append((acquisition, hold.lock))
                pairs.add((hold.lock, acquisition.lock))
    # A function that takes them either way has looked at the objects first.
    return [(a, outer) for a, outer in found if (a.lock, outer) not in pairs]


def _differ_by_argument(unit: Unit, left: Path, right: Path) -> bool:
    """Whether two paths are the same but for the argument, or the key, that they go through."""
    parameters = {p.name for p in unit.body.parameters}
    if len(left) != len(right):
        return False
    different = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if len(different) != 1:
        return False
    names = [_argument(link, parameters) for link in different[0]]
    return all(name is not None for name in names) and _is_root_or_key(left, right)


def _is_root_or_key(left: Path, right: Path) -> bool:
    return left[1:] != () and (left[1:] == right[1:] or left[0] == right[0])


def _argument(link: str, parameters: set[str]) -> str | None:
    """The parameter that a root or a key is; the object itself counts as one."""
    if link == SELF:
        return link
    name = link[1:] if link[0] == "$" else link[1:-1].partition(".")[0] if link[0] == "[" else None
    return name if name in parameters else None
