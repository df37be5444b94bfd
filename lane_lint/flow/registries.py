"""Registries of per-key locks, and what takes a lock out of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.locks import lock_kind
from lane_lint.model.path import ANY_ITEM

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.solved import Place
    from lane_lint.model.path import Path


class Eviction(NamedTuple):
    """A lock is removed from `path` at `place`."""

    path: Path
    place: Place


def lock_evictions(facts: FunctionFacts) -> Iterator[Eviction]:
    if facts.is_construction or facts.runs_in_turn:
        return
    seen: set[Path] = set()
    for write in facts.records.writes:
        if not write.is_removal or write.call is not None:
            continue
        registry = write.path[:-1] if write.path[-1][0] == "[" else write.path
        if registry in seen or not _holds_locks(facts, registry) or _asks_if_locked(facts):
            continue
        seen.add(registry)
        yield Eviction(registry, facts.place(write.site))


def _holds_locks(facts: FunctionFacts, registry: Path) -> bool:
    makers = facts.program.objects.makers(facts.unit.owner, (*registry, ANY_ITEM))
    kind = lock_kind(makers, facts.program.objects.lock_types)
    return kind is not None and kind.is_exclusive


def _asks_if_locked(facts: FunctionFacts) -> bool:
    """Whether the function looks at the lock's state, or at a count of its users, before it removes it."""
    if {"locked", "statistics"} & facts.unit.outline.sketch.method_calls:
        return True
    looked_at = {r.path[:2] for r in facts.records.reads}
    family = facts.program.module.family(facts.unit.owner) if facts.unit.owner is not None else []
    units = [u for u in facts.program.units if u.owner in family or u.owner is facts.unit.owner]
    counted = {w.path[:2] for u in units for w in facts.program.result(u).records.writes if w.is_step}
    return bool(looked_at & counted)
