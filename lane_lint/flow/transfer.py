"""What each instruction does to the state: one function for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lane_lint.flow import names
from lane_lint.flow.calls import call_method, call_value
from lane_lint.flow.collections import gather
from lane_lint.flow.combining import combine, negated
from lane_lint.flow.contexts import enter, leave
from lane_lint.flow.held_entries import note_entry_change
from lane_lint.flow.lanes import lanes_among
from lane_lint.flow.operations import note_call, note_item
from lane_lint.flow.outside import note_returned
from lane_lint.flow.own_calls import call_now, class_of
from lane_lint.flow.reading import load_attribute, load_item
from lane_lint.flow.records import CallRecord, OutletRecord
from lane_lint.flow.stepping import step, walk
from lane_lint.flow.suspending import suspend
from lane_lint.flow.taking import note_handed_on
from lane_lint.flow.values import NO_TOKENS, NOTHING, POSITION, SUPPRESSED, Constant, Function, Pending, Value
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
)
from lane_lint.model.path import ANY_ITEM, extend, item_link

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation


def _literal(run: Interpretation, i: Literal) -> None:
    run.state.temps[i.result] = Value(fresh=i.collection, what=Constant(i.text, i.reset))


def _combine(run: Interpretation, i: Combine) -> None:
    values = [run.value(s) for s in i.sources]
    made = combine(values, fresh=i.fresh)
    if (lanes := lanes_among(run, values)) is not None:
        made = made._replace(what=lanes)
    if i.negates and (what := negated(values[0].what)) is not None:
        made = made._replace(what=what, path=values[0].path)
    run.state.temps[i.result] = made


def _load_name(run: Interpretation, i: LoadName) -> None:
    run.loaded[i.result] = i.name
    run.state.temps[i.result] = names.load(run, i.name, i.at)


def _load_attribute(run: Interpretation, i: LoadAttribute) -> None:
    run.attributes[i.result] = i.attribute
    run.state.temps[i.result] = load_attribute(run, run.value(i.base), i.attribute, i.at)


def _load_item(run: Interpretation, i: LoadItem) -> None:
    run.state.temps[i.result] = load_item(run, i)


def _call_name(run: Interpretation, i: CallName) -> None:
    run.state.temps[i.result] = call_value(run, i)


def _call_method(run: Interpretation, i: CallMethod) -> None:
    looks = note_call(run, run.value(i.base), i)
    result = call_method(run, i)
    run.state.temps[i.result] = result._replace(tokens=result.tokens | looks) if looks else result


def _make_function(run: Interpretation, i: MakeFunction) -> None:
    run.state.temps[i.result] = Value(what=Function(run.unit.nested[i.function], None))


def _bind_name(run: Interpretation, i: BindName) -> None:
    names.bind(run, i.name, run.value(i.source), i.at)


def _store_attribute(run: Interpretation, i: StoreAttribute) -> None:
    base, value = run.value(i.base), run.value(i.source)
    owner = class_of(run, base)
    setter = run.program.module.setter(owner, i.attribute) if owner is not None else None
    unit = run.program.known_unit(setter)
    if unit is not None:
        call_now(run, unit, base.path, (value,), i.at)
    elif base.path is not None:
        write(run, extend(base.path, f".{i.attribute}"), value, i.at, Manner(is_step=i.step))
    note_entry_change(run, base, f".{i.attribute}", i.at)


def _store_item(run: Interpretation, i: StoreItem) -> None:
    base = run.value(i.base)
    value, key = run.value(i.source), run.value(i.at_key)
    note_item(run, base, i, value)
    if base.path is not None:
        path = extend(base.path, item_link(i.key))
        if key.what == POSITION:
            # What is at the place now may be something else than what was found there.
            value = value._replace(tokens=value.tokens | key.tokens)
        write(run, path, value, i.at, Manner(is_step=i.step, is_mutation=True))
    else:
        gather(run, i.base, [value])
    note_entry_change(run, base, ANY_ITEM, i.at)


def _delete_attribute(run: Interpretation, i: DeleteAttribute) -> None:
    base = run.value(i.base)
    if base.path is not None:
        write(run, extend(base.path, f".{i.attribute}"), GONE, i.at, Manner(is_removal=True, operation="del"))


def _delete_item(run: Interpretation, i: DeleteItem) -> None:
    base = run.value(i.base)
    note_item(run, base, i, None)
    if base.path is not None:
        path = extend(base.path, item_link(i.key))
        write(run, path, GONE, i.at, Manner(is_removal=True, is_mutation=True, operation="del"))


def _delete_name(run: Interpretation, i: DeleteName) -> None:
    run.state.env.pop(i.name, None)


def _enter(run: Interpretation, i: Enter) -> None:
    run.state.temps[i.result] = enter(run, run.value(i.context), i)


def _exit(run: Interpretation, i: Exit) -> None:
    leave(run, i)


def _keep(run: Interpretation, i: Keep) -> None:
    run.state.env[i.name] = run.value(i.source)


def _fetch(run: Interpretation, i: Fetch) -> None:
    run.state.temps[i.result] = run.state.env.get(i.name, NOTHING)


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
            run.records.calls.extend(
                CallRecord(i.at, call, state.holds, SUPPRESSED in state.env) for call in what.calls
            )
        returned = (run.value(i.source), state.holds - run.entry, state.decision_tokens())
        run.records.returns.append(returned)
        if run.body.kind is Kind.SYNC:
            note_returned(run, run.value(i.source), i.at)
        note_handed_on(run, [run.value(i.source)], i.at)
        run.records.outlets.append(OutletRecord(i.at, run.value(i.source)))


def _end_function(run: Interpretation, i: EndFunction) -> None:
    by_with = {hold for holds in run.entered.values() for hold in holds}
    run.records.exits.append(run.state.holds - run.entry - by_with)


# What changes what a handler must know: staleness, holds and shared state. What follows on an `Enter`
# has a handler of its own, which leaves the context again.
EFFECTS = (Suspend, Exit, StoreAttribute, StoreItem)

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
    Suspend: suspend,
    Enter: _enter,
    Exit: _exit,
    Step: step,
    Keep: _keep,
    Fetch: _fetch,
    Walk: walk,
    Decide: _decide,
    EndStatement: _end_statement,
    EndFunction: _end_function,
    Return: _return,
}
