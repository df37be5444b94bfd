"""Operations on concurrent collections: which look, which change, which decide by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.concurrent import Concurrent, is_map_path, map_path
from lane_lint.flow.records import MapRecord
from lane_lint.flow.summary import translate
from lane_lint.flow.values import NO_TOKENS, Token, Tokens, Value
from lane_lint.model.path import Path, conflicts, extend, item_link

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.program import Program
    from lane_lint.flow.summary import Call, Summary
    from lane_lint.model.instructions import CallMethod, DeleteItem, LoadItem, StoreItem
    from lane_lint.outline import FunctionOutline

QUEUE_LOOKS = frozenset({"empty", "full", "qsize"})
QUEUE_CHANGES = frozenset({"get", "get_nowait", "put", "put_nowait"})
MAP_LOOKS = frozenset(
    {"get", "keys", "values", "items", "copy", "count", "index", "__contains__", "__getitem__"}
)
MAP_CHANGES = frozenset(
    {
        "set",
        "pop",
        "popitem",
        "update",
        "clear",
        "remove",
        "append",
        "extend",
        "insert",
        "__setitem__",
        "__delitem__",
    }
)
# What looks at one entry by its key.
KEYLESS = frozenset({"keys", "values", "items", "copy", "clear", "popitem", "update", "append", "extend"})


class Operation(NamedTuple):
    """An operation that changes a concurrent collection: on what, where, by which method, given what."""

    path: Path
    at: int
    method: str
    values: tuple[Value, ...]
    names: frozenset[str]
    helper: str | None = None


def note_call(run: Interpretation, base: Value, i: CallMethod) -> Tokens:
    """Put a call of a concurrent collection's method on record, before its own effects settle decisions.

    Returns:
        What tells of the look in the result, when it is one.
    """
    kind = run.concurrent_at(base)
    change = _changes(run.program, kind, i.method) if kind is not None else None
    if kind is None or base.path is None or change is None:
        return NO_TOKENS
    has_key = not kind.is_queue and i.method not in KEYLESS and bool(i.arguments)
    path = _entry(base.path, i.arguments[0].text if has_key else None)
    if not change:
        return look(run, path, i.at, i.method)
    values = tuple(run.value(a.value) for a in i.arguments[has_key:])
    names = frozenset(a.text for a in i.arguments if a.text is not None)
    note_change(run, Operation(path, i.at, i.method, values, names))
    return NO_TOKENS


def note_load(run: Interpretation, base: Value, i: LoadItem, result: Value) -> Value:
    """`rows[key]` and `key in rows` look at one entry."""
    if run.concurrent_at(base) is None or base.path is None:
        return result
    return result._replace(tokens=result.tokens | look(run, _entry(base.path, i.key), i.at, "[]"))


def note_content(run: Interpretation, value: Value, at: int) -> Value:
    """A length, a copy or an iteration looks at everything in it."""
    if run.concurrent_at(value) is None or value.path is None:
        return value
    return value._replace(tokens=value.tokens | look(run, _entry(value.path, None), at, "content"))


def note_item(run: Interpretation, base: Value, i: StoreItem | DeleteItem, value: Value | None) -> None:
    """`rows[key] = value` and `del rows[key]` change one entry."""
    if run.concurrent_at(base) is None or base.path is None:
        return
    method = "__delitem__" if value is None else "__setitem__"
    names = frozenset() if i.key is None else frozenset({i.key})
    values = () if value is None else (value,)
    note_change(run, Operation(_entry(base.path, i.key), i.at, method, values, names))


def note_changes_by_helper(run: Interpretation, summary: Summary, call: Call, at: int) -> None:
    """What a helper changes is changed by its caller at the call."""
    names = frozenset(text for _, text in call.texts if text is not None)
    values = tuple(value for _, value in call.arguments)
    for path, method in summary.map_changes:
        translated = translate(path, call)
        if translated is not None and not call.is_turn:
            note_change(run, Operation(translated, at, method, values, names, call.unit.name))


def _entry(path: Path, key: str | None) -> Path:
    return map_path(extend(path, item_link(key)))


def look(run: Interpretation, path: Path, at: int, method: str) -> Tokens:
    """Look at the content of a concurrent collection."""
    token = Token(at, path, run.state.epoch, run.state.holds)
    run.state.crossed.pop(token, None)
    run.records.map_looks.append((at, method, path))
    return frozenset((token,))


def note_change(run: Interpretation, operation: Operation) -> None:
    """Change a concurrent collection: what was decided on it before is then settled."""
    state, path = run.state, operation.path
    values = operation.values
    used = frozenset().union(*(v.tokens | v.decided for v in values)) if values else NO_TOKENS
    names = operation.names.union(*(v.parameters for v in values)) - {run.unit.self_name or ""}
    run.records.map_changes.append(
        MapRecord(
            site=operation.at,
            path=path,
            method=operation.method,
            decided=_on_maps(state.decision_tokens()),
            value=_on_maps(used),
            names=names,
            holds=state.holds,
            epoch=state.epoch,
            helper=operation.helper,
        )
    )
    for key, tokens in state.decisions.items():
        state.decisions[key] = frozenset(t for t in tokens if not conflicts(path, t.path))


def looks_of(source: Value) -> Tokens:
    """What an awaited operation of a concurrent collection has looked at."""
    return _on_maps(source.tokens)


def _on_maps(tokens: Tokens) -> Tokens:
    return frozenset(t for t in tokens if is_map_path(t.path))


def _changes(program: Program, kind: Concurrent, method: str) -> bool | None:
    """Whether a method changes the collection (True) or looks at it (False); None when neither is known."""
    if kind.own is not None:
        function = program.module.method(kind.own, method)
        return None if function is None else _own_changes(program, kind, function)
    if kind.is_queue:
        return True if method in QUEUE_CHANGES else False if method in QUEUE_LOOKS else None
    return True if method in MAP_CHANGES else False if method in MAP_LOOKS else None


def _own_changes(program: Program, kind: Concurrent, function: FunctionOutline) -> bool | None:
    """What an own method does; one that tests and acts in its own section is neither look nor change."""
    assert kind.own is not None
    if not program.objects.changes_content(kind.own, function):
        return False
    writes = program.summary(program.unit(function)).writes
    decides = [w.is_decided or w.operation == "setdefault" for w in writes]
    return None if decides and all(decides) else True
