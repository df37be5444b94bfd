"""Which places of a function can follow each other in one pass, loops and handlers of exceptions left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.reachable import reachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lane_lint.model.graph import Block, FunctionBody


class Routes:
    """Answers for one function."""

    def __init__(self, body: FunctionBody) -> None:
        self._body = body
        self._known: dict[int, frozenset[int]] = {}
        self._blocks: dict[int, set[int]] = {}
        for block in body.blocks:
            for instruction in block.instructions:
                site = getattr(instruction, "at", None)
                if site is not None:
                    self._blocks.setdefault(site, set()).add(block.index)

    def leads(self, first: int, second: int) -> bool:
        """Whether control can come from one place to a later one without a new pass of a loop."""
        starts, ends = self._blocks.get(first, set()), self._blocks.get(second, set())
        return any(end in reachable(start, self._onward, self._known) for start in starts for end in ends)

    def _onward(self, index: int) -> Iterator[int]:
        block = self._body.blocks[index]
        yield from (target for target in block.successors if not self._is_back(block, target))

    def _is_back(self, block: Block, target: int) -> bool:
        loops = self._body.loops
        header = self._body.blocks[target]
        return header.is_loop_header and any(target == loops[loop].header for loop in block.loops)
