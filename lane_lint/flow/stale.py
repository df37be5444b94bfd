"""Acts on stale snapshots: which read, over which suspension, into which act."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.values import Constant, Token
from lane_lint.model.path import ANY_ITEM, overlaps

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.records import StaleRead, UseRecord, WriteRecord
    from lane_lint.flow.solved import Place
    from lane_lint.model.path import Path


# Names of what says how long something else is good for.
LIFETIME = re.compile(
    r"expir|until|deadline|valid|stale|fresh|ttl|time|age$|born|_at$|_on$|since|last|next", re.IGNORECASE
)
FLAGS = frozenset({"True", "False"})
ADDS = frozenset({"append", "appendleft", "add"})
KEYED_RESETS = frozenset({"", "clear", "del", "pop", "discard", "remove"})


class Shape(enum.Enum):
    """How the act depends on the stale read; the order is that of precedence."""

    RELEASED = "read under a lock or in a turn that was let go"
    RESET = "a constant is stored because of it"
    VALUE = "the written value was computed from it"
    DECISION = "it decided that the write is made"
    GIVEN = "it is given to what is awaited after the lock was let go"


class StaleAct(NamedTuple):
    """A complete witness: read, suspension, act.

    Attributes:
        helper: The own function that makes the write, when the act is a call.
        callees: What is awaited between the read and the act, by the last names of the calls.
        is_waited_for: What was read was then waited for; there was no test.
        is_flag: The act stores True or False.
        is_expiring: The deciding test looks at other state too, as a lifetime.
    """

    shape: Shape
    path: Path
    read: Place
    suspension: Place
    act: Place
    helper: str | None
    callees: frozenset[str]
    is_expiring: bool
    is_flag: bool
    is_waited_for: bool

    @property
    def is_decided(self) -> bool:
        return self.shape is Shape.DECISION

    @property
    def is_reset(self) -> bool:
        return self.shape is Shape.RESET

    @property
    def is_computed_before(self) -> bool:
        """Whether the written value itself is older than the suspension."""
        return self.shape is Shape.VALUE


def stale_acts(facts: FunctionFacts) -> Iterator[StaleAct]:
    """One act for each (path, code), the first in the source; tests decide each act on its own."""
    if facts.is_construction or facts.runs_in_turn:
        return
    seen: set[object] = set()
    acts = [*_written(facts), *_given(facts)]
    acts.sort(key=lambda act: (act.act.site, act.read.site, act.path))
    for act in acts:
        shape = Shape.RELEASED if act.shape is Shape.GIVEN else act.shape
        key = (act.path, shape, act.act.site if shape is Shape.DECISION else None)
        if key not in seen:
            seen.add(key)
            yield act


def _written(facts: FunctionFacts) -> Iterator[StaleAct]:
    for write in facts.records.writes:
        if not write.is_shared:
            continue
        found = _shape_of(facts, write)
        if found is not None:
            shape, read = found
            yield _act(facts, shape, write.path, read.token, read.crossing.site, write.site, write)


def _shape_of(facts: FunctionFacts, write: WriteRecord) -> tuple[Shape, StaleRead] | None:
    if write.call is not None and write.call.unit is facts.unit:
        return None  # to begin anew is to look again
    for read in (*write.by_value, *write.by_decision):
        if read.token.was_released(write.holds):
            return Shape.RELEASED, read
    if write.by_decision and resets(write):
        if not facts.program.sharing.is_set_anew(facts.unit, write.path):
            return None
        return Shape.RESET, write.by_decision[0]
    if write.by_wait and resets(write) and facts.program.sharing.is_set_anew(facts.unit, write.path):
        return Shape.RESET, write.by_wait[0]
    if write.by_value and not write.is_read_anew:
        return Shape.VALUE, write.by_value[0]
    if write.by_decision:
        return Shape.DECISION, write.by_decision[0]
    if write.lingering and (write.is_step or write.operation in ADDS):
        return Shape.DECISION, write.lingering[0]
    return None


def resets(write: WriteRecord) -> bool:
    """Whether the write puts a constant back: None, False, 0, empty, or takes a named entry away."""
    return (
        write.is_reset
        and write.operation in KEYED_RESETS
        and (write.operation != "pop" or write.path[-1] != ANY_ITEM)
    )


def _given(facts: FunctionFacts) -> Iterator[StaleAct]:
    for use in facts.records.uses:
        if _is_worth_keeping(facts, use):
            token = use.token
            yield _act(facts, Shape.GIVEN, token.path, token, use.site, use.site, None)


def _is_worth_keeping(facts: FunctionFacts, use: UseRecord) -> bool:
    """Whether what is told the value takes it as it comes, and a function that has not read it can change it."""
    path = use.token.path
    if any(
        at > use.site and token.epoch == use.token.epoch and token.path != path
        for at, token in facts.records.comparisons
    ):
        return False  # a generation read with it tells afterwards whether it was still good
    told = [
        w for w in facts.records.writes if w.site == use.site and w.effect is not None and w.effect.is_decided
    ]
    if any(overlaps(write.path, path) for write in told):
        return False
    readers = {c.call.unit.outline for c in facts.records.calls if c.site == use.token.site}
    return any(f not in readers for f in facts.rivals(path))


def _act(
    facts: FunctionFacts,
    shape: Shape,
    path: Path,
    token: Token,
    crossed: int,
    site: int,
    write: WriteRecord | None,
) -> StaleAct:
    helper = write.call.unit.name if write is not None and write.call is not None else None
    waits = {crossed, *(write.value.waits if write is not None else ())}
    callees = {s.callee for s in facts.records.suspensions if s.site in waits and s.callee}
    return StaleAct(
        shape=shape,
        path=path,
        read=facts.place(token.site),
        suspension=facts.place(crossed),
        act=facts.place(site),
        helper=helper,
        callees=frozenset(callees),
        is_expiring=write is not None and any(LIFETIME.search(p[-1]) for p in write.tested - {path[:2]}),
        is_waited_for=write is not None and bool(write.by_wait) and not write.by_decision,
        is_flag=write is not None
        and isinstance(write.value.what, Constant)
        and write.value.what.text in FLAGS,
    )
