"""Check-then-act on concurrent collections: each operation is atomic, what is made of two is not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.file_kind import is_test_file
from lane_lint.finding import Confidence
from lane_lint.flow.concurrent import plain_path
from lane_lint.flow.evidence import TEARDOWN
from lane_lint.model.graph import Kind
from lane_lint.model.path import Path, is_same_state
from lane_lint.sketch import dotted

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.records import MapRecord
    from lane_lint.flow.solved import Place
    from lane_lint.flow.values import Token

# Exceptions that tell what a test before was to find out.
TELLING = frozenset(
    {"Empty", "Full", "KeyError", "IndexError", "LookupError", "ValueError", "Exception", "BaseException"}
)
TAKES = frozenset({"get", "get_nowait", "put_nowait", "put", "pop", "popitem", "remove", "__delitem__"})
FORGIVING = frozenset({"pop", "discard"})
ASKS_PRESENCE = frozenset({"[]", "__contains__", "contains", "has", "exists"})


class Compound(NamedTuple):
    """A change of a concurrent collection that rests on an earlier look at the same collection.

    Attributes:
        is_computed: The new content was computed from the look; else the look decided that it is made.
    """

    path: Path
    look: Place
    act: Place
    is_computed: bool
    helper: str | None
    confidence: Confidence


def compounds(facts: FunctionFacts) -> Iterator[Compound]:
    """The first such change of each collection."""
    if facts.is_construction or facts.runs_in_turn:
        return
    seen: set[Path] = set()
    for change in sorted(facts.records.map_changes, key=lambda c: c.site):
        collection = change.path[:-1]
        token = None if collection in seen else _look_behind(change)
        if token is None or _is_caught(facts, change, token) or _is_stale_act(facts, change, token):
            continue
        seen.add(collection)
        yield Compound(
            plain_path(collection),
            facts.place(token.site),
            facts.place(change.site),
            token in change.value and token not in change.decided,
            change.helper,
            _confidence(facts, change, token),
        )


def _look_behind(change: MapRecord) -> Token | None:
    """The look at the same entries that a change rests on, with no lock held over both; the last one before it."""
    rests_on = [
        t
        for t in change.decided | change.value
        if is_same_state(t.path, change.path) and not t.holds & change.holds
    ]
    return max(rests_on, key=lambda t: (t.epoch == change.epoch, not t.is_old, t.site), default=None)


def _is_stale_act(facts: FunctionFacts, change: MapRecord, token: Token) -> bool:
    """Whether something else is waited for in between, and the act is known as one on a stale read."""
    own_waits = {
        record.site for record in facts.records.calls if record.call.receiver == plain_path(token.path[:-1])
    }
    waits = {s.site for s in facts.records.suspensions if token.site < s.site < change.site} - own_waits
    # The place of an await comes right after that of the call which is awaited.
    places = (change.site, change.site + 1)
    return bool(waits) and any(act.act.site in places for act in facts.stale_acts())


def _is_caught(facts: FunctionFacts, change: MapRecord, token: Token) -> bool:
    """Whether it does no harm when the look has gone wrong: the operation tells, and somebody listens."""
    if change.method not in TAKES | FORGIVING:
        return False
    line = facts.place(change.site).line
    node = facts.unit.outline.node
    if any(_listens(each, line) for each in ast.walk(node)):
        return True
    looked = {method for site, method, _ in facts.records.map_looks if site == token.site}
    return (
        change.method in FORGIVING
        and looked <= ASKS_PRESENCE
        and any(_is_alone(n, line) for n in ast.walk(node))
    )


def _listens(node: ast.AST, line: int) -> bool:
    """Whether an exception of the line is caught by its kind."""
    if isinstance(node, ast.Try):
        inside = node.body[0].lineno <= line <= (node.body[-1].end_lineno or line)
        return inside and any(
            handler.type is None or _names(handler.type) & TELLING for handler in node.handlers
        )
    if isinstance(node, ast.With):
        inside = node.lineno <= line <= (node.end_lineno or line)
        calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        return inside and any(
            (dotted(call.func) or "").endswith("suppress") and any(_names(a) & TELLING for a in call.args)
            for call in calls
        )
    return False


def _names(node: ast.expr) -> set[str]:
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    return {(dotted(each) or "").rpartition(".")[2] for each in nodes}


def _is_alone(node: ast.AST, line: int) -> bool:
    """Whether a removal that forgives absence stands alone on the line, so that nobody uses what it took out."""
    if not isinstance(node, ast.Expr) or node.lineno != line or not isinstance(node.value, ast.Call):
        return False
    function = node.value.func
    if not isinstance(function, ast.Attribute):
        return False
    return function.attr == "discard" or (function.attr == "pop" and len(node.value.args) == 2)


def _confidence(facts: FunctionFacts, change: MapRecord, token: Token) -> Confidence:
    kind = facts.program.objects.concurrent_at(facts.unit, plain_path(change.path[:-1]))
    if is_test_file(facts.file):
        return Confidence.LOW
    if kind is None or not kind.is_queue:
        return Confidence.HIGH
    # In one step of an event loop, or with one consumer, nobody else takes from the queue.
    is_one_step = facts.unit.body.kind is Kind.ASYNC and token.epoch == change.epoch
    is_alone = facts.program.ownership.runs_in_one_task(facts.unit.outline)
    ends = TEARDOWN.match(facts.unit.name) is not None
    return Confidence.LOW if is_one_step or is_alone or ends else Confidence.MEDIUM
