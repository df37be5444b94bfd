"""What the variables of an enclosing function are made from, for the functions nested in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.model.instructions import BindName, CallMethod, CallName, Enter, LoadAttribute, LoadName, Temp

if TYPE_CHECKING:
    from lane_lint.flow.unit import Unit


class Closures:
    """Answers from the lowered bodies of the functions around; each variable is looked up once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Unit, str], frozenset[str]] = {}

    def makers(self, unit: Unit, name: str) -> frozenset[str]:
        """Dotted names of the constructors, and of the annotation, of an outer variable that `unit` sees."""
        outer = unit.defining(name)
        if outer is None:
            return frozenset()
        key = (outer, name)
        if key not in self._known:
            self._known[key] = frozenset(_find_makers(outer, name))
        return self._known[key]


def _find_makers(outer: Unit, name: str) -> set[str]:
    module = outer.program.module
    found = {
        module.resolve(p.annotation)
        for p in outer.body.parameters
        if p.name == name and p.annotation is not None
    }
    for block in outer.body.blocks:
        spelled: dict[Temp, str] = {}
        called: dict[Temp, str] = {}
        for i in block.instructions:
            if isinstance(i, LoadName):
                spelled[i.result] = i.name
            elif isinstance(i, LoadAttribute) and i.base in spelled:
                spelled[i.result] = f"{spelled[i.base]}.{i.attribute}"
            elif isinstance(i, CallName) and i.callee in spelled:
                called[i.result] = spelled[i.callee]
            elif isinstance(i, CallMethod) and i.base in spelled:
                called[i.result] = f"{spelled[i.base]}.{i.method}"
            elif isinstance(i, Enter) and i.context in called:
                called[i.result] = called[i.context]
            elif isinstance(i, BindName) and i.name == name and i.source in called:
                found.add(module.resolve(called[i.source]))
    return found
