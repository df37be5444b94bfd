"""What each instruction does to the state: one function for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lane_lint.flow import names
from lane_lint.flow.blocking import note_awaited
from lane_lint.flow.calls import call_method, call_value
from lane_lint.flow.collections import gather
from lane_lint.flow.contexts import enter, enter_suspends, leave
from lane_lint.flow.iterating import step
from lane_lint.flow.own_calls import call_now, class_of
from lane_lint.flow.reading import load_attribute, load_item
from lane_lint.flow.records import CallRecord, UseRecord
from lane_lint.flow.taking import note_handed_on
from lane_lint.flow.values import (
    NO_TOKENS,
    NOTHING,
    Constant,
    Function,
    Pending,
    Value,
    combine,
    in_order,
    negated,
)
from lane_lint.flow.waiting import wait_for, wait_for_primitive
from lane_lint.flow.writes import GONE, Manner, write
from lane_lint.model.graph import Kind
from lane_lint.model.instructions import (
    BindName,
    CallMethod,
    CallName,
    Combine,
    Decide,
    DeleteAttribute,
    DeleteItem,
    DeleteName,
    EndFunction,
    EndStatement,
    Enter,
    Exit,
    Fetch,
    Keep,
    Literal,
    LoadAttribute,
    LoadItem,
    LoadName,
    MakeFunction,
    Return,
    Step,
    StoreAttribute,
    StoreItem,
    Suspend,
    Walk,
    Why,
)
from lane_lint.model.path import extend, item_link

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation


def _literal(run: Interpretation, i: Literal) -> None:
    run.state.temps[i.result] = Value(fresh=i.collection, what=Constant(i.text, i.reset))


def _combine(run: Interpretation, i: Combine) -> None:
    values = [run.value(s) for s in i.sources]
    combined = combine(values, fresh=i.fresh)
    if i.negates and (what := negated(values[0].what)) is not None:
        combined = combined._replace(what=what, path=values[0].path)
    run.state.temps[i.result] = combined


def _load_name(run: Interpretation, i: LoadName) -> None:
    run.loaded[i.result] = i.name
    run.state.temps[i.result] = names.load(run, i.name, i.at)


def _load_attribute(run: Interpretation, i: LoadAttribute) -> None:
    run.state.temps[i.result] = load_attribute(run, run.value(i.base), i.attribute, i.at)


def _load_item(run: Interpretation, i: LoadItem) -> None:
    run.state.temps[i.result] = load_item(run, i)


def _call_name(run: Interpretation, i: CallName) -> None:
    run.state.temps[i.result] = call_value(run, i)


def _call_method(run: Interpretation, i: CallMethod) -> None:
    run.state.temps[i.result] = call_method(run, i)


def _make_function(run: Interpretation, i: MakeFunction) -> None:
    run.state.temps[i.result] = Value(what=Function(run.unit.nested[i.function], None))


def _bind_name(run: Interpretation, i: BindName) -> None:
    names.bind(run, i.name, run.value(i.source), i.at)


def _store_attribute(run: Interpretation, i: StoreAttribute) -> None:
    base, value = run.value(i.base), run.value(i.source)
    owner = class_of(run, base)
    setter = run.program.module.setter(owner, i.attribute) if owner is not None else None
    unit = run.program.unit(setter) if setter is not None else None
    if unit is not None:
        call_now(run, unit, base.path, (value,), i.at)
    elif base.path is not None:
        write(run, extend(base.path, f".{i.attribute}"), value, i.at, Manner(is_step=i.step))


def _store_item(run: Interpretation, i: StoreItem) -> None:
    base = run.value(i.base)
    if base.path is not None:
        path = extend(base.path, item_link(i.key))
        write(run, path, run.value(i.source), i.at, Manner(is_step=i.step, is_mutation=True))
    else:
        gather(run, i.base, [run.value(i.source)])


def _delete_attribute(run: Interpretation, i: DeleteAttribute) -> None:
    base = run.value(i.base)
    if base.path is not None:
        write(run, extend(base.path, f".{i.attribute}"), GONE, i.at, Manner(is_removal=True, operation="del"))


def _delete_item(run: Interpretation, i: DeleteItem) -> None:
    base = run.value(i.base)
    if base.path is not None:
        path = extend(base.path, item_link(i.key))
        write(run, path, GONE, i.at, Manner(is_removal=True, is_mutation=True, operation="del"))


def _delete_name(run: Interpretation, i: DeleteName) -> None:
    run.state.env.pop(i.name, None)


def _suspend(run: Interpretation, i: Suspend) -> None:
    source = run.value(i.source)
    if i.why is Why.YIELD:
        run.records.yields.append((i.at, run.state.holds, run.block.loops))
        if run.body.kind is Kind.ASYNC_GENERATOR:
            run.suspend(i.at, i.why)
        run.state.temps[i.result] = NOTHING
        return
    _note_released(run, i)
    note_awaited(run, (i.source, *i.given))
    _note_awaited(run, source, i)
    if i.why is Why.ENTER:
        if enter_suspends(run, source):
            run.suspend(i.at, i.why, i.callee)
        return
    if i.why is Why.AWAIT and wait_for_primitive(run, source, i.at):
        run.state.temps[i.result] = NOTHING
        return
    if isinstance(source.what, Pending) and i.why is Why.AWAIT:
        run.state.temps[i.result] = wait_for(run, source, i.at)
        return
    run.suspend(i.at, i.why, i.callee)
    # What the other side answers replaces what it was told: its answer is no copy of our state.
    run.state.temps[i.result] = Value(waits=source.waits | {i.at})


def _note_awaited(run: Interpretation, source: Value, i: Suspend) -> None:
    """Remember reads of what is waited for itself, bare or through `asyncio.wait` and the like."""
    if i.why is not Why.AWAIT:
        return
    tokens = source.tokens
    if i.callee is not None:
        tokens = (
            frozenset().union(*(run.value(t).tokens for t in i.given)) if i.callee in WAITERS else NO_TOKENS
        )
    run.state.awaited |= frozenset(t for t in tokens if len(t.path) == 2 and t.path[1][0] == ".")


def _note_released(run: Interpretation, i: Suspend) -> None:
    """Record what was read under a lock, is given to what is awaited here, and is under no lock any more."""
    for value in map(run.value, i.given):
        if value.fresh:
            continue
        for token in in_order(value.tokens):
            if token.was_released(run.state.holds) and not token.is_derived:
                run.records.uses.append(UseRecord(i.at, token))


def _enter(run: Interpretation, i: Enter) -> None:
    run.state.temps[i.result] = enter(run, run.value(i.context), i)


def _exit(run: Interpretation, i: Exit) -> None:
    leave(run, i)


def _keep(run: Interpretation, i: Keep) -> None:
    run.state.env[i.name] = run.value(i.source)


def _fetch(run: Interpretation, i: Fetch) -> None:
    run.state.temps[i.result] = run.state.env.get(i.name, NOTHING)


def _walk(run: Interpretation, i: Walk) -> None:
    source, made = run.value(i.source), run.value(i.made)
    if source.path is None or source.fresh:
        run.state.temps[i.result] = made
    else:
        run.state.temps[i.result] = made._replace(path=source.path, fresh=False, what=None)


def _decide(run: Interpretation, i: Decide) -> None:
    tokens = run.value(i.source).tokens
    if tokens:
        run.state.decisions[i.branch] = run.state.decisions.get(i.branch, NO_TOKENS) | tokens


def _end_statement(run: Interpretation, i: EndStatement) -> None:
    run.state.temps.clear()


def _return(run: Interpretation, i: Return) -> None:
    if i.source is not None:
        state, what = run.state, run.value(i.source).what
        if isinstance(what, Pending) and run.body.kind is Kind.SYNC:
            run.records.calls.extend(CallRecord(i.at, call, state.holds) for call in what.calls)
        returned = (run.value(i.source), state.holds - run.entry, state.decision_tokens())
        run.records.returns.append(returned)
        note_handed_on(run, [run.value(i.source)], i.at)


def _end_function(run: Interpretation, i: EndFunction) -> None:
    by_with = {hold for holds in run.entered.values() for hold in holds}
    run.records.exits.append(run.state.holds - run.entry - by_with)


# What waits for what it is given.
WAITERS = frozenset({"wait", "wait_for", "gather", "shield"})

# What changes what a handler must know: staleness, holds and shared state.
EFFECTS = (Suspend, Enter, Exit, StoreAttribute, StoreItem)

TRANSFER: dict[type, Callable[[Interpretation, Any], None]] = {
    Literal: _literal,
    Combine: _combine,
    LoadName: _load_name,
    LoadAttribute: _load_attribute,
    LoadItem: _load_item,
    CallName: _call_name,
    CallMethod: _call_method,
    MakeFunction: _make_function,
    BindName: _bind_name,
    StoreAttribute: _store_attribute,
    StoreItem: _store_item,
    DeleteAttribute: _delete_attribute,
    DeleteItem: _delete_item,
    DeleteName: _delete_name,
    Suspend: _suspend,
    Enter: _enter,
    Exit: _exit,
    Step: step,
    Keep: _keep,
    Fetch: _fetch,
    Walk: _walk,
    Decide: _decide,
    EndStatement: _end_statement,
    EndFunction: _end_function,
    Return: _return,
}
