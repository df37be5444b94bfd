"""Entries of collections: which objects an iteration gives, and which ones a copy has in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.values import KEY, LAZY, PAIR, Made, Value
from lane_lint.model.path import ANY_ITEM, MAX_LINKS, extend

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.values import What
    from lane_lint.model.path import Path

MAPPINGS = frozenset({"dict", "defaultdict", "OrderedDict", "Counter", "ChainMap", "WeakValueDictionary"})
MAPPING_NAMES = ("Dict", "Mapping", "Map", "Dictionary")
KEYS, ITEMS, VALUES = Made("dict.keys"), Made("dict.items"), Made("dict.values")


def is_mapping(run: Interpretation, path: Path) -> bool:
    """Whether iterating the collection at a path gives keys, as far as its make tells."""
    names = {maker.rpartition(".")[2] for maker in run.program.objects.makers(run.unit.owner, path)}
    return bool(names & MAPPINGS) or any(name.endswith(MAPPING_NAMES) for name in names)


def kind_of_element(run: Interpretation, source: Value) -> What | None:
    """What an iteration over a known collection gives: a key, a key with its entry, or an entry (None)."""
    if source.what == ITEMS:
        return PAIR
    if source.what in (VALUES, LAZY) or source.path is None:
        return None
    return KEY if source.what == KEYS or is_mapping(run, source.path) else None


def entries_of(run: Interpretation, values: list[Value], *, is_mapping: bool) -> frozenset[Path]:
    """The shared objects that a new collection made from these has in it.

    Args:
        is_mapping: The new collection keeps entries under their keys, so those are in it too.
    """
    found: set[Path] = set()
    for value in values:
        found |= value.contains
        if value.path is None or value.what == LAZY or len(value.path) > MAX_LINKS:
            continue
        if is_mapping or kind_of_element(run, value) != KEY:
            found.add(extend(value.path, ANY_ITEM))
    return frozenset(found)
