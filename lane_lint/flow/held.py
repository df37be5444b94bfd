"""Locks by what they are rather than by where one function sees them, and which may be held on entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.callees import with_overrides
from lane_lint.flow.names import annotated
from lane_lint.flow.values import BUSY, Instance
from lane_lint.model.path import ANY_ITEM, SELF

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Hold
    from lane_lint.model.path import Path
    from lane_lint.outline import ClassOutline


@dataclass(frozen=True, slots=True, order=True)
class LockName:
    """A lock of a class, the same for all of its instances, or a lock that is a global or an outer variable.

    Attributes:
        owner: The class that makes it; "@" for a global, the function for a variable.
        links: What leads from there to it.
    """

    owner: str
    links: Path

    def label_in(self, other: LockName) -> str:
        """The lock's name beside another one, with its class when that is another."""
        name = "".join(self.links).lstrip(".@^").replace(ANY_ITEM, "[...]")
        is_of_class = self.links[0][0] == "."
        return f"{self.owner}.{name}" if is_of_class and self.owner != other.owner else name


class Holder(NamedTuple):
    """The function that holds a lock, and where it took it.

    Attributes:
        distance: How many calls of public functions lie between it and the function that is asked about.
    """

    unit: Unit
    site: int
    distance: int = 0

    @property
    def line(self) -> int:
        """Where it took the lock; the function's own line when a decorator did."""
        body = self.unit.body
        return body.line if self.site < 0 else self.unit.slice.span(body.places[self.site]).line

    def seen_from(self, callee: Unit) -> Holder:
        """The same, for a function that is called under the lock."""
        is_inner = callee.is_nested or callee.outline.is_private
        return Holder(self.unit, self.site, self.distance + (not is_inner))


def lock_name(program: Program, unit: Unit, path: Path) -> LockName | None:
    """What a lock is, in terms that all functions of the module share; None where that is not known."""
    root, links = path[0], tuple(ANY_ITEM if link[0] == "[" else link for link in path[1:])
    if root[0] == "@":
        return LockName("@", (root, *links))
    if root[0] == "^":
        outer = unit.defining(root[1:])
        return (
            LockName(f"{outer.outline.name}:{outer.body.line}", (root, *links)) if outer is not None else None
        )
    owner = unit.owner if root == SELF else _class_of_parameter(unit, root[1:]) if root[0] == "$" else None
    return _in_class(program, owner, links) if owner is not None and links else None


def _class_of_parameter(unit: Unit, name: str) -> ClassOutline | None:
    annotation = next((p.annotation for p in unit.body.parameters if p.name == name), None)
    what = annotated(unit.program, annotation)
    return what.outline if isinstance(what, Instance) else None


def _in_class(program: Program, owner: ClassOutline, links: Path) -> LockName:
    """A lock behind an instance of a class, led back to the class that makes it."""
    for end in range(len(links) - 1, 0, -1):
        inner = program.objects.class_at(owner, (SELF, *links[:end]))
        if inner is not None:
            owner, links = inner, links[end:]
            break
    attribute = links[0][1:]
    makes = [each for each in program.module.class_order(owner) if attribute in each.makers]
    return LockName(makes[-1].name if makes else owner.name, links)


def names_of(program: Program, unit: Unit, holds: Iterable[Hold]) -> dict[LockName, Holder]:
    """The locks among holds, with where they were taken."""
    found = {}
    for hold in sorted(holds):
        if hold.lock[0] != BUSY and (name := lock_name(program, unit, hold.lock)) is not None:
            found[name] = Holder(unit, hold.site)
    return found


def find_held_on_entry(program: Program, units: list[Unit]) -> dict[Unit, dict[LockName, Holder]]:
    """The locks that some caller holds when it calls a function, itself or further up."""
    found: dict[Unit, dict[LockName, Holder]] = {}
    pending = list(units)
    while pending:
        unit = pending.pop(0)
        around = found.get(unit, {})
        for record in program.result(unit).records.calls:
            held = around | names_of(program, unit, record.holds)
            if not held:
                continue
            for callee in with_overrides(program, record.call.unit):
                if callee is unit:
                    continue  # `super()` means no override
                known = found.setdefault(callee, {})
                if new := {name: each.seen_from(callee) for name, each in held.items() if name not in known}:
                    known.update(new)
                    pending.append(callee)
    return found
