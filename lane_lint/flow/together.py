"""Collections that change together in one operation although each is synchronised apart from the other."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.file_kind import is_test_file
from lane_lint.finding import Confidence
from lane_lint.flow.accesses import Field, field_of
from lane_lint.flow.concurrent import plain_path
from lane_lint.flow.routes import Routes
from lane_lint.flow.summary import translate
from lane_lint.flow.values import BUSY
from lane_lint.model.path import ANY_ITEM, EACH_ITEM, Path

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.records import MapRecord, WriteRecord
    from lane_lint.flow.solved import Place
    from lane_lint.flow.values import Hold


class By(enum.Enum):
    """What synchronises the change of a collection."""

    MAP = "a concurrent map"
    QUEUE = "a queue"
    LOCK = "the lock"
    LANE = "the lane"


class Synchronisation(NamedTuple):
    """What synchronises a change: by what kind of thing, and which lock or lane, if it is one."""

    by: By
    guards: frozenset[Path]


class Change(NamedTuple):
    """A collection is changed under a synchronisation of its own.

    Attributes:
        reference: The path of the collection.
        guards: The locks held, or the lane.
        names: The keys and plain names that the change has to do with.
    """

    field: Field
    reference: Path
    site: int
    by: By
    guards: frozenset[Path]
    names: frozenset[str]
    operation: str


class TornChange(NamedTuple):
    """The second of two collections is changed, and nothing keeps the two changes together.

    Attributes:
        first: The collection that was changed, or tested, before.
        is_tested: The first was only tested, and that decided the change.
    """

    first: Path
    first_how: Synchronisation
    first_place: Place
    second: Path
    second_how: Synchronisation
    second_place: Place
    is_tested: bool
    confidence: Confidence


def torn_changes(facts: FunctionFacts) -> Iterator[TornChange]:
    """The first change of each collection that is the second one of an operation."""
    placement = facts.program.whole.lane_state.placement
    if facts.is_construction or facts.unit in placement.on_lane:
        return
    seen: set[Field] = set()
    for torn, field in (*_pairs(facts), *_decided(facts)):
        if field not in seen:
            seen.add(field)
            yield torn


def _pairs(facts: FunctionFacts) -> Iterator[tuple[TornChange, Field]]:
    changes = sorted(_changes(facts), key=lambda change: change.site)
    if len({change.reference for change in changes}) < 2:
        return
    routes = Routes(facts.unit.body)
    for second in changes:
        before = [c for c in changes if c.site < second.site and routes.leads(c.site, second.site)]
        if any(c.reference == second.reference for c in before):
            continue
        first = next((c for c in before if _is_apart(c, second, changes)), None)
        if first is not None:
            yield _torn(facts, first, second), second.field


def _is_apart(first: Change, second: Change, changes: list[Change]) -> bool:
    """Whether two changes of one object's collections are made by two operations with no guard in common."""
    is_one_object = first.reference[:-1] == second.reference[:-1] and first.reference != second.reference
    if not is_one_object or first.guards & second.guards:
        return False
    # A helper that changes both is reported itself.
    at_first = {c.reference for c in changes if c.site == first.site}
    at_second = {c.reference for c in changes if c.site == second.site}
    return second.reference not in at_first and first.reference not in at_second


def _torn(facts: FunctionFacts, first: Change, second: Change) -> TornChange:
    is_related = bool(first.names & second.names) or first.operation == second.operation == "clear"
    return TornChange(
        first.reference,
        Synchronisation(first.by, first.guards),
        facts.place(first.site),
        second.reference,
        Synchronisation(second.by, second.guards),
        facts.place(second.site),
        False,
        _confidence(facts, {first.by, second.by}, is_related=is_related),
    )


def _confidence(facts: FunctionFacts, by: set[By], *, is_related: bool) -> Confidence:
    if is_test_file(facts.file) or (By.QUEUE in by and By.MAP not in by):
        return Confidence.LOW
    if By.LOCK in by and By.LANE not in by:
        return Confidence.MEDIUM if is_related else Confidence.LOW
    if By.QUEUE in by:
        return Confidence.MEDIUM
    return Confidence.HIGH if is_related else Confidence.MEDIUM


# Changes of concurrent collections


def _changes(facts: FunctionFacts) -> Iterator[Change]:
    for record in facts.records.map_changes:
        found = _of_map(facts, record)
        if found is not None:
            yield found
    for write in facts.records.writes:
        if write.is_mutation and not write.is_step:
            yield from _of_plain(facts, write)


def _of_map(facts: FunctionFacts, record: MapRecord) -> Change | None:
    path = plain_path(record.path[:-1])
    found = field_of(facts.program, facts.unit, path)
    kind = facts.program.objects.concurrent_at(facts.unit, path)
    if found is None or kind is None or found[1]:
        return None
    by = By.QUEUE if kind.is_queue else By.MAP
    return Change(
        found[0], path, record.site, by, _locks(record.holds), record.names, _plain_name(record.method)
    )


def _plain_name(method: str) -> str:
    return method.strip("_")


def _locks(holds: frozenset[Hold]) -> frozenset[Path]:
    return frozenset(hold.lock for hold in holds if hold.lock[0] != BUSY)


# Changes of plain collections under a lock or in a turn


def _of_plain(facts: FunctionFacts, write: WriteRecord) -> Iterator[Change]:
    found = field_of(facts.program, facts.unit, write.path)
    if found is None or not write.is_shared:
        return
    field, behind = found
    reference = write.path[: len(write.path) - len(behind)]
    if facts.program.objects.concurrent_at(facts.unit, reference) is not None:
        return
    by, guards = _guards_of(facts, write)
    if guards:
        names = frozenset(link[1:-1] for link in behind if link[0] == "[") - {ANY_ITEM[1:-1], EACH_ITEM[1:-1]}
        names |= write.value.parameters - {facts.unit.self_name or ""}
        yield Change(field, reference, write.site, by, guards, names, write.operation)


def _guards_of(facts: FunctionFacts, write: WriteRecord) -> tuple[By, frozenset[Path]]:
    locks = _locks(write.holds)
    if write.call is None or write.effect is None:
        return By.LOCK, locks
    call, callee = write.call, write.call.unit
    if call.is_turn:
        lane = facts.program.whole.lane_state.placement.on_lane.get(callee)
        return By.LANE, locks | {lane if lane is not None else ("%lane",)}
    entered = [translate(lane, call) for lane in sorted(facts.program.summary(callee).enters)]
    if entered:
        return By.LANE, locks | {lane for lane in entered if lane is not None}
    inner = (translate(lock, call) for lock in write.effect.locks)
    return By.LOCK, locks | {lock for lock in inner if lock is not None and lock[0] != BUSY}


# A test of one that decides a change of another


def _decided(facts: FunctionFacts) -> Iterator[tuple[TornChange, Field]]:
    for record in sorted(facts.records.map_changes, key=lambda r: r.site):
        change = _of_map(facts, record)
        if change is None:
            continue
        for token in sorted(record.decided, key=lambda t: t.site):
            tested = plain_path(token.path[:-1])
            is_other = tested != change.reference and tested[:-1] == change.reference[:-1]
            if not is_other or token.holds & record.holds:
                continue
            kind = facts.program.objects.concurrent_at(facts.unit, tested)
            by = By.QUEUE if kind is not None and kind.is_queue else By.MAP
            key = token.path[-1][1:-1]
            confidence = _confidence(facts, {by, change.by}, is_related=key in record.names)
            if By.QUEUE in (by, change.by):
                confidence = Confidence.LOW
            first, second = facts.place(token.site), facts.place(record.site)
            test, act = Synchronisation(by, frozenset()), Synchronisation(change.by, frozenset())
            torn = TornChange(tested, test, first, change.reference, act, second, True, confidence)
            yield torn, change.field
            break
