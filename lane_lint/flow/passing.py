"""What comes out of a call of what nobody knows, or through an object's property or method."""

from __future__ import annotations

from lane_lint.flow.combining import combine
from lane_lint.flow.values import Pending, Value
from lane_lint.model.path import extend


def through(base: Value, result: Value, name: str) -> Value:
    """A result that was got through an object's property or method depends on which object that was."""
    if base.path == ("self",) or not base.tokens:
        return result
    deeper = frozenset(t._replace(path=extend(t.path, f".{name}")) for t in base.tokens)
    return result._replace(tokens=result.tokens | deeper)


def through_foreign(values: list[Value], *, fresh: bool = False) -> Value:
    """What a call of unknown code makes of values: no longer the very thing that a lock guarded."""
    made = combine(values, fresh=fresh)
    # A coroutine that unknown code was given is waited for by that code, if at all.
    what = Pending(made.what.calls, is_wrapped=True) if isinstance(made.what, Pending) else None
    return made._replace(tokens=frozenset(t for t in made.tokens if not t.holds), what=what)
