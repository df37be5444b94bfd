"""Reading what is behind objects: attributes, entries, elements and whole contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.combining import combine, is_one_of_several
from lane_lint.flow.entries import kind_of_element
from lane_lint.flow.operations import note_content, note_load
from lane_lint.flow.own_calls import after_of, call_now, class_of
from lane_lint.flow.passing import through
from lane_lint.flow.taking import note_given_back
from lane_lint.flow.values import (
    KEY,
    NO_TOKENS,
    PAIR,
    TAKEN,
    Dotted,
    Function,
    Instance,
    Lane,
    Made,
    Token,
    Value,
)
from lane_lint.model.path import ANY_ITEM, EACH_ITEM, Path, extend, item_link

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.model.instructions import LoadItem


def load_attribute(run: Interpretation, base: Value, attribute: str, at: int) -> Value:
    """Read an attribute: a property runs its getter, a method is bound, state is read."""
    if isinstance(base.what, Dotted):
        return Value(what=Dotted(f"{base.what.name}.{attribute}"))
    if attribute == "release" and (lock := run.lock_of(base, is_async=None)) is not None:
        # Whoever is given this will call it.
        note_given_back(run, lock[0], at)
    owner = class_of(run, base)
    if owner is not None:
        function = run.program.module.method(owner, attribute, after=after_of(base))
        unit = run.program.known_unit(function)
        if function is not None and unit is not None and function.is_property:
            return _placed(through(base, call_now(run, unit, base.path, (), at), attribute), base, attribute)
        if unit is not None:
            return Value(what=Function(unit, base.path))
    if base.path is None:
        made_here = base.fresh and isinstance(base.what, (Instance, Made))
        tokens = NO_TOKENS if made_here else base.tokens
        inside = base.contains if is_one_of_several(base) else ()
        contains = frozenset(extend(path, f".{attribute}") for path in inside)
        return Value(
            tokens, None, made_here, base.decided, base.waits, parameters=base.parameters, contains=contains
        )
    path = extend(base.path, f".{attribute}")
    return read_at(run, path, at, base)


def _placed(gotten: Value, base: Value, attribute: str) -> Value:
    """What a property gave; a cached one that makes a lane is from then on where the lane is."""
    if isinstance(gotten.what, Lane) and gotten.path is None and base.path is not None:
        return gotten._replace(path=extend(base.path, f".{attribute}"))
    return gotten


def read_at(run: Interpretation, path: Path, at: int, base: Value) -> Value:
    """Read a path behind `base`; a stale `base` makes the value stale, too."""
    tokens = run.read(path, at) | run.outdated(base.tokens)
    return Value(tokens=tokens, path=path, decided=base.decided, waits=base.waits, parameters=base.parameters)


def load_item(run: Interpretation, i: LoadItem) -> Value:
    """Read an entry of what is known, or a part of what is not."""
    base = run.value(i.base)
    if base.path is None:
        part = combine([base, run.value(i.at_key)], fresh=False)
        return part._replace(what=base.what) if base.what == Made(TAKEN) else part
    return note_load(run, base, i, _item_of(run, base, base.path, i))


def _item_of(run: Interpretation, base: Value, path: Path, i: LoadItem) -> Value:
    if base.what == PAIR and i.key == "1":
        return read_at(run, path, i.at, base)
    value = read_at(run, extend(path, item_link(i.key)), i.at, base)
    if base.what == PAIR and i.key == "0":
        value = value._replace(what=KEY)
    index = run.value(i.at_key)
    return value._replace(tokens=value.tokens | index.tokens, waits=value.waits | index.waits)


def element_of(run: Interpretation, source: Value, at: int) -> Value:
    """Read the element that an iteration over a known collection is at."""
    assert source.path is not None
    path = extend(source.path, ANY_ITEM)
    source = note_content(run, source, at)
    value = read_at(run, path, at, source)
    # Storing another entry does not change what was seen of this one.
    each = frozenset(_element(t) if t.path == path else t for t in value.tokens)
    return value._replace(tokens=each | source.tokens, what=kind_of_element(run, source))


def _element(token: Token) -> Token:
    return Token(
        token.site, (*token.path[:-1], EACH_ITEM), token.epoch, token.holds, token.is_old, token.is_from_turn
    )


def content_of(run: Interpretation, value: Value, at: int) -> Value:
    """What goes into a copy, a length or a sum is the content of a collection, not the reference."""
    if value.path is None:
        return value
    tokens = run.read(extend(value.path, ANY_ITEM), at)
    value = note_content(run, value, at)
    return value._replace(tokens=value.tokens | tokens)
