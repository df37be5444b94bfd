"""LAN204 compound-on-concurrent-map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class CompoundOnConcurrentMap(Rule):
    """A concurrent map is looked at and then changed because of it, in two operations instead of one.

    Each operation is atomic, the two of them are not: another thread or process can come in between.

    Bad:
        from lane_runtime import ConcurrentMap

        class Registry:
            def __init__(self):
                self._owners = ConcurrentMap()

            def claim(self, name, owner):
                if name in self._owners:
                    return False
                self._owners.set(name, owner)
                return True

    Good:
        from lane_runtime import ConcurrentMap

        class Registry:
            def __init__(self):
                self._owners = ConcurrentMap()

            def claim(self, name, owner):
                return self._owners.add_if_absent(name, owner)

    Silent on: operations that test and act at once, looks under the same lock or turn as the act, a
        check before an operation whose failure is caught, plain collections of one event loop.
    Source: state lane contract, section 4, class C1.
    Since: 0.1
    """

    code = "LAN204"
    name = "compound-on-concurrent-map"
    message = (
        "'{collection}' is changed here because of a look at it on line {line}; "
        "each operation is atomic, but others can change it between the two"
    )
    hint = "{remedy}"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for compound in function.compounds():
            yield self.finding(
                compound.act.span,
                path=function.file,
                confidence=compound.confidence,
                related=(compound.look.related("looked at here"),),
                collection=function.display(compound.path),
                line=compound.look.line,
                remedy=_remedy(is_computed=compound.is_computed, is_queue=function.is_queue(compound.path)),
            )


def _remedy(*, is_computed: bool, is_queue: bool) -> str:
    if is_queue:
        return "Do it without the look, with get_nowait or put_nowait, and catch queue.Empty or queue.Full"
    if is_computed:
        return "Compare and set in one operation, or hold a lock over both"
    return "Use one operation that does both, such as add_if_absent, setdefault or compare_and_set"
