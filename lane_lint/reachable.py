"""What can be reached from a node of a graph, with answers kept for the next question."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reachable(
    start: Node, successors: Callable[[Node], Iterable[Node]], known: dict[Node, frozenset[Node]]
) -> frozenset[Node]:
    """The nodes that `start` leads to, itself included.

    Args:
        known: Complete answers of earlier calls; this one is added. Cycles are no trouble, since
            nothing half done is ever kept.
    """
    if start in known:
        return known[start]
    found, pending = {start}, [start]
    while pending:
        for node in successors(pending.pop()):
            if node in found:
                continue
            if node in known:
                found |= known[node]
            else:
                found.add(node)
                pending.append(node)
    known[start] = frozenset(found)
    return known[start]
