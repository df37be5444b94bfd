"""Writes of shared paths: what they depend on, and what is true after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lane_lint.flow.held_entries import note_stored
from lane_lint.flow.locks import ASYNC_LOCK
from lane_lint.flow.records import StaleRead, WriteRecord
from lane_lint.flow.state import Emptied, OwnWrite, State
from lane_lint.flow.values import BUSY, NO_TOKENS, Constant, Hold, Made, Token, Tokens, Value, in_order
from lane_lint.model.path import ANY_ITEM, Path, conflicts, overlaps

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.summary import Call, WriteEffect

GONE = Value(what=Constant("", reset=True))


class Manner(NamedTuple):
    """How a place is written.

    Attributes:
        is_step: The old value went into the new one.
        is_mutation: The object at the place stays; its content changes.
        operation: The collection's method, `del`, or "" for an assignment.
    """

    is_step: bool = False
    is_mutation: bool = False
    is_removal: bool = False
    operation: str = ""


class Helped(NamedTuple):
    """A helper's write, as its summary has it, and the call of the helper."""

    effect: WriteEffect
    call: Call


ASSIGNED = Manner()


def write(
    run: Interpretation,
    path: Path,
    value: Value,
    at: int,
    manner: Manner = ASSIGNED,
    helped: Helped | None = None,
) -> None:
    """Write a path: put it on record with the stale reads it depends on, then settle what it decides.

    Args:
        helped: Set when a helper makes the write and `at` is its call.
    """
    if path[0][0] == "%" or (len(path) == 1 and path[0][0] in "$s"):
        return
    record = _record(run, path, value, at, manner, helped)
    run.records.writes.append(record)
    _settle(run, record)
    if value.fresh and helped is None:
        note_stored(run, value, path)


def _record(
    run: Interpretation, path: Path, value: Value, at: int, manner: Manner, helped: Helped | None
) -> WriteRecord:
    state = run.state
    effect = helped.effect if helped is not None else None
    is_reset = manner.is_removal or _is_reset(value) or (effect is not None and effect.is_reset)
    is_fill = None if manner.is_step else not is_reset
    decided = state.decision_tokens() | value.decided
    deciding = _deciding_tokens(run, path, value, is_fill=is_fill, effect=effect)
    # `setdefault` looks again itself, and leaves what it finds.
    is_free = manner.operation == "setdefault" or _gives_back(state, path, at, manner)
    is_free = is_free or not _acts_on_decisions(state, path, value, effect)
    by_decision = () if is_free else _stale(state, deciding, path)
    tests_itself = effect is not None and effect.is_decided
    return WriteRecord(
        site=at,
        path=path,
        value=value,
        is_shared=run.program.sharing.is_shared(run.unit, path),
        is_reset=is_reset,
        is_step=manner.is_step,
        is_removal=manner.is_removal,
        is_mutation=manner.is_mutation,
        is_decided=any(not state.is_stale(t) and overlaps(path, t.path) for t in decided | state.settled),
        is_checked=any(t not in state.crossed and t.epoch == state.epoch for t in decided),
        operation=manner.operation,
        is_read_anew=_is_read_anew(state, value, path),
        tested=_tested_with(state, decided, by_decision),
        relies_on=_relied_on(state, NO_TOKENS if tests_itself else deciding, value.tokens, path),
        found=_found_there(state, path),
        by_value=() if _takes_no_value(manner, effect) else _stale(state, value.tokens, path),
        by_decision=by_decision,
        lingering=_stale(state, state.lingering, path) if effect is None else (),
        holds=state.holds,
        epoch=state.epoch,
        last_suspension=state.last_suspension,
        own_write=state.written.get(path),
        emptied=_emptied_before(state, path) if manner.is_mutation else None,
        by_wait=_stale(state, frozenset(t for t in state.awaited if t.path == path), path),
        effect=effect,
        call=helped.call if helped is not None else None,
    )


def _emptied_before(state: State, path: Path) -> Emptied | None:
    """Where this call emptied the collection that an entry, or something in an entry, is put into."""
    return state.emptied.get(path[:-1]) or state.emptied.get(path[:-2])


def _is_reset(value: Value) -> bool:
    return isinstance(value.what, Constant) and value.what.reset


def _deciding_tokens(
    run: Interpretation, path: Path, value: Value, *, is_fill: bool | None, effect: WriteEffect | None
) -> Tokens:
    """The reads whose outcome makes this write wrong when it has changed meanwhile.

    Filling what was found present, or emptying what was found empty, is an update that the test
    did not ask for. A loop's own test is made again in each pass, so a flag or a helper that ends
    the loop is none of its acts.
    """
    state = run.state
    found: set[Token] = set(value.decided)
    ends_loop = effect is not None or isinstance(value.what, Constant)
    for key, tokens in state.decisions.items():
        if ends_loop and key in run.body.loop_tests:
            continue
        asked_for = is_fill is None or state.presence.get(key) != is_fill
        found |= {t for t in tokens if asked_for or _looks_deeper(t.path, path)}
    return frozenset(found)


def _looks_deeper(read: Path, written: Path) -> bool:
    """Whether the read looked at something of the object, not whether it is there."""
    return len(read) - (read[-1] == ANY_ITEM) > len(written)


def _acts_on_decisions(state: State, path: Path, value: Value, effect: WriteEffect | None) -> bool:
    """Whether earlier decisions count for a write.

    Not for a helper that tests the state itself or changes some other entry, and not for a value that
    `max` or `min` merges with the present one.
    """
    if effect is not None:
        # An entry that the caller has no name for is not the one that it looked at.
        is_some_entry = effect.is_mutation and path[-1] == ANY_ITEM and effect.operation != "clear"
        return not effect.is_decided and not is_some_entry
    merges = isinstance(value.what, Made) and value.what.name in ("max", "min")
    return not (merges and any(t not in state.crossed and conflicts(path, t.path) for t in value.tokens))


def _gives_back(state: State, path: Path, at: int, manner: Manner) -> bool:
    """Whether a step follows on this call's own earlier step: it takes back what was booked, from the present value."""
    before = state.written.get(path)
    return manner.is_step and before is not None and before.is_step and before.site != at


def _tested_with(state: State, decided: Tokens, acted_on: tuple[StaleRead, ...]) -> frozenset[Path]:
    """The pieces of state that were tested together with what is acted on."""
    epochs = {stale.token.epoch for stale in acted_on}
    return frozenset(t.path[:2] for t in decided if t.epoch in epochs and state.is_stale(t))


def _relied_on(state: State, decided: Tokens, values: Tokens, path: Path) -> frozenset[Hold]:
    """The holds that have kept reads of the same state valid over a suspension.

    A test that was made again after it relies on none.
    """
    looked_at = [t for t in decided if conflicts(path, t.path)]
    if any(t not in state.crossed for t in looked_at):
        looked_at = []
    looked_at += [t for t in values if conflicts(path, t.path)]
    return frozenset().union(*(state.crossed[t].protection for t in looked_at if t in state.crossed))


def _found_there(state: State, path: Path) -> bool | None:
    """Whether the outermost test in force found something at the path; None where that is not known."""
    for key, tokens in state.decisions.items():
        if key in state.presence and any(conflicts(path, t.path) for t in tokens):
            return state.presence[key]
    return None


def _takes_no_value(manner: Manner, effect: WriteEffect | None) -> bool:
    """Whether a helper takes away, or compares before it sets: no stale value gets through."""
    return effect is not None and (manner.is_removal or effect.is_decided)


def _is_read_anew(state: State, value: Value, path: Path) -> bool:
    """Whether a read of the very path since the last suspension went into the value."""
    outdated = {t.site for t in value.tokens if state.is_stale(t)}
    return any(t.path == path and t.site not in outdated for t in value.tokens)


def _stale(state: State, tokens: Tokens, path: Path) -> tuple[StaleRead, ...]:
    """The stale reads among `tokens` that a write of `path` acts on, in order of the source."""
    found = [t for t in tokens if state.is_stale(t) and conflicts(path, t.path)]
    found = in_order(found)
    return tuple(StaleRead(t, state.crossed[t]) for t in found)


def _settle(run: Interpretation, record: WriteRecord) -> None:
    """After a write our own value is the current one, and a decision it reserved is taken."""
    state, path = run.state, record.path
    reserves = record.is_decided and any(
        not state.is_stale(t) and overlaps(path, t.path)
        for tokens in state.decisions.values()
        for t in tokens
    )
    acted_epochs = {stale.token.epoch for stale in record.by_decision}
    for key, tokens in list(state.decisions.items()):
        if reserves and not any(state.is_stale(t) for t in tokens):
            state.settled |= tokens
            state.decisions[key] = NO_TOKENS
            continue
        left = frozenset(
            t
            for t in tokens
            if not conflicts(path, t.path) and not (t.epoch in acted_epochs and state.is_stale(t))
        )
        state.decisions[key] = left
    state.lingering = frozenset(t for t in state.lingering if not conflicts(path, t.path))
    state.written[path] = OwnWrite(
        record.site,
        state.epoch,
        reserves or state.has_reserved,
        record.value,
        record.effect is not None,
        record.is_step,
    )
    state.has_reserved = state.has_reserved or reserves
    state.current |= {path}
    _raise_or_lower_flag(run, record, reserves=reserves)
    _note_emptying(state, record)
    if record.operation == "del" or not (record.is_mutation or record.is_step):
        _take_over(run, path)


def _raise_or_lower_flag(run: Interpretation, record: WriteRecord, *, reserves: bool) -> None:
    """A busy flag that is tested and raised in one step keeps other calls out until it is lowered."""
    flag = (BUSY, *record.path)
    what = record.value.what
    if reserves and isinstance(what, Constant) and what.text == "True":
        run.acquire(flag, ASYNC_LOCK, record.site, waits=False)
    elif not record.is_mutation:
        run.release(flag)


def _note_emptying(state: State, record: WriteRecord) -> None:
    """Remember that a collection was cleared or rebound empty, until it is rebound to something else."""
    is_cleared = record.operation == "clear"
    collection = record.path[:-1] if record.is_mutation else record.path
    if _is_kept(state, collection, by_reference=not is_cleared):
        # The old content was taken out first, so what is put in later may be what is left of it.
        state.emptied.pop(collection, None)
        return
    if is_cleared or (not record.is_mutation and record.value.fresh and record.is_reset):
        state.emptied[collection] = Emptied(collection, record.site, state.epoch)
    elif not record.is_mutation:
        state.emptied.pop(collection, None)


def _is_kept(state: State, collection: Path, *, by_reference: bool) -> bool:
    """Whether a variable holds a copy of the content or, which helps against rebinding only, the collection.

    In a swap (`self.rows, old = [], self.rows`) it is still a value of the statement.
    """
    values = [v for name, v in state.env.items() if name[0] != "%"]
    values += state.temps.values()
    return any(
        (by_reference and v.path == collection) or any(t.path[:-1] == collection for t in v.tokens)
        for v in values
    )


def _take_over(run: Interpretation, path: Path) -> None:
    """What a variable still holds of a path that has just been rebound belongs to this call alone."""
    variables: tuple[dict[Any, Value], ...] = (run.state.env, run.state.temps)
    for values in variables:
        for name, value in values.items():
            if value.path is not None and value.path[: len(path)] == path:
                values[name] = value._replace(tokens=NO_TOKENS, path=None, fresh=True)
