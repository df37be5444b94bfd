"""Calls of the methods that collections have: what they read, change, and give away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.combining import combine
from lane_lint.flow.entries import entries_of
from lane_lint.flow.held_entries import note_entry_change, note_stored
from lane_lint.flow.values import POSITION, TAKEN, Lock, Made, Value
from lane_lint.flow.writes import Manner, write
from lane_lint.method_names import MUTATORS, REMOVERS
from lane_lint.model.path import ANY_ITEM, Path, extend, item_link

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import CallMethod, Temp

KEYED = frozenset(
    {"pop", "setdefault", "add", "discard", "remove", "get", "__setitem__", "__getitem__", "__delitem__"}
)
VIEWS = frozenset({"keys", "values", "items"})
LOOKS = frozenset({"get", "index", "count"})
COPIES = frozenset({"copy"})
GATHERS = frozenset({"append", "appendleft", "add", "insert", "extend", "update"})
TAKERS = frozenset({"pop", "popleft"})
CARRIES_VALUE = frozenset({"update", "extend", "setdefault", "insert", "__setitem__"})

CONTAINERS = frozenset(
    {
        "dict",
        "list",
        "set",
        "collections.deque",
        "collections.defaultdict",
        "collections.OrderedDict",
        "collections.Counter",
        "collections.ChainMap",
        "weakref.WeakSet",
        "weakref.WeakValueDictionary",
        "weakref.WeakKeyDictionary",
        "bytearray",
    }
)


def call_collection(run: Interpretation, base: Value, i: CallMethod) -> Value | None:
    """The effect of a collection's method on the path of `base`; None when it is not such a method."""
    if base.path is None:
        if i.method in MUTATORS:
            note_entry_change(run, base, ANY_ITEM, i.at)
        if i.method in GATHERS and gather(run, i.base, [run.value(a.value) for a in i.arguments]):
            return Value()
        if i.method in VIEWS | LOOKS | COPIES:
            return combine([base, *(run.value(a.value) for a in i.arguments)], fresh=i.method in COPIES)
        return None
    if not may_be_container(run, base):
        return None
    if i.method in MUTATORS or i.method in ("__setitem__", "__delitem__"):
        return _mutate(run, base, i)
    content = extend(base.path, ANY_ITEM)
    if i.method == "get" and i.arguments:
        path = extend(base.path, item_link(i.arguments[0].text))
        key = run.value(i.arguments[0].value)
        tokens = run.read(path, i.at) | run.outdated(base.tokens) | run.outdated(key.tokens)
        return Value(tokens=tokens, path=path, waits=key.waits, parameters=base.parameters)
    if i.method in VIEWS and not i.arguments:
        tokens = run.read(content, i.at) | run.outdated(base.tokens)
        view = Made(f"dict.{i.method}")
        return Value(tokens=tokens, path=base.path, what=view, parameters=base.parameters)
    if i.method in COPIES | {"index", "count"}:
        entries = entries_of(run, [base], is_mapping=True) if i.method in COPIES else frozenset()
        tokens = run.read(content, i.at) | base.tokens
        what = POSITION if i.method == "index" else None
        return Value(tokens=tokens, fresh=True, what=what, parameters=base.parameters, contains=entries)
    return None


def gather(run: Interpretation, collection: Temp, values: list[Value]) -> bool:
    """Put values into a collection that a variable holds and nobody else can reach: it then stems from them."""
    base, name = run.value(collection), run.loaded.get(collection)
    if not base.fresh or name not in run.state.env:
        return False
    run.state.env[name] = combine([base, *values], fresh=True)
    return True


def may_be_container(run: Interpretation, base: Value) -> bool:
    """Whether the object may be a plain collection: of unknown make, or of a known collection's."""
    if base.path is None or base.what is not None:
        return False
    makers = run.program.objects.makers(run.unit.owner, base.path)
    known = {m for m in makers if m.rpartition(".")[2][:1].isupper() or m in CONTAINERS}
    return not known or bool(known & CONTAINERS) or any(_names_container(m) for m in known)


def _names_container(maker: str) -> bool:
    """Annotations such as `Dict`, `MutableMapping` or an own `FooDict`."""
    return maker.endswith(("Dict", "List", "Set", "Mapping", "MutableSequence", "Deque", "Counter", "Map"))


def _mutate(run: Interpretation, base: Value, i: CallMethod) -> Value:
    assert base.path is not None
    key = i.arguments[0].text if i.arguments and i.method in KEYED else None
    path = extend(base.path, item_link(key))
    given = [run.value(a.value) for a in i.arguments]
    carried = given if i.method in CARRIES_VALUE else []
    is_removal = i.method in REMOVERS or i.method == "__delitem__"
    manner = Manner(is_mutation=True, is_removal=is_removal, operation=i.method)
    write(run, path, combine(carried, fresh=False), i.at, manner)
    for value in given:
        if value.fresh and i.method in GATHERS | CARRIES_VALUE:
            note_stored(run, value, path)
    if i.method == "setdefault":
        lock = next((v.what for v in given if isinstance(v.what, Lock)), None)
        return Value(tokens=run.read(path, i.at), path=path, what=lock)
    # What was taken out belongs to this call: a claim, not a snapshot.
    return Value(fresh=True, what=_made_as(run, path) if i.method in TAKERS else None)


def _made_as(run: Interpretation, path: Path) -> Made | None:
    """What an entry of a collection was made by, when all are made by the same thing of a library; else an entry."""
    if not run.program.module_has_lanes:
        return None
    makers = run.program.objects.makers(run.unit.owner, path)
    return Made(next(iter(makers)) if len(makers) == 1 and "." in next(iter(makers)) else TAKEN)
