"""Who touches which field: the reads and changes of one function, by the component whose field it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.flow.locks import lock_kind
from lane_lint.model.path import ANY_ITEM, SELF, Path

if TYPE_CHECKING:
    from lane_lint.flow.objects import Objects
    from lane_lint.flow.program import Program
    from lane_lint.flow.records import CallRecord, Records
    from lane_lint.flow.unit import Unit
    from lane_lint.flow.values import Hold
    from lane_lint.outline import ClassOutline


class Field(NamedTuple):
    """A piece of state of a component: an attribute of a class, or a global of the module (no owner)."""

    owner: ClassOutline | None
    name: str


class Access(NamedTuple):
    """A function reads or changes a field.

    Attributes:
        path: What it touches, as the function sees it.
        is_write: The field is rebound, or what is in it is changed.
        reference: The path of the field itself.
        holds: The locks held there.
    """

    field: Field
    path: Path
    reference: Path
    site: int
    is_write: bool
    holds: frozenset[Hold]

    @property
    def is_content(self) -> bool:
        """Whether it looks at or changes what is in the field, not the bare reference."""
        return len(self.path) > len(self.reference)


def accesses_of(program: Program, unit: Unit, records: Records) -> list[Access]:
    """What a function touches itself, in order of the source.

    What its own helpers touch is theirs; a method of an object in a field touches that field.
    """
    found = [*_reads(program, unit, records), *_writes(program, unit, records)]
    found += _calls(program, unit, records)
    named = {access.reference for access in found if not access.is_content}
    # What was got from somewhere else, as from a finished turn, is only known to have come from the field.
    found = [access for access in found if access.reference in named]
    return sorted(found, key=lambda access: (access.site, not access.is_write))


def field_of(program: Program, unit: Unit, path: Path) -> tuple[Field, Path] | None:
    """The field that a path leads into, and the links behind it; None when nobody's field is known there."""
    owner, links = _start(program, unit, path)
    if owner is None:
        return (Field(None, path[0][1:]), path[1:]) if path[0][0] == "@" else None
    while links and links[0][0] == ".":
        inner = program.objects.class_at(owner, (SELF, links[0]))
        if (
            inner is None
            or len(links) < 2
            or links[1][0] != "."
            or not guards_itself(program.objects, inner, program)
        ):
            return Field(owner, links[0][1:]), links[1:]
        owner, links = inner, links[1:]
    return None


def guards_itself(objects: Objects, owner: ClassOutline, program: Program) -> bool:
    """Whether a class has a lane or a lock of its own, so that its fields are its own affair."""
    makers = {
        name: objects.makers(owner, (SELF, f".{name}")) for c in _order(program, owner) for name in c.makers
    }
    return any(
        objects.is_lane(owner, (SELF, f".{name}")) or lock_kind(made, objects.lock_types) is not None
        for name, made in makers.items()
    )


def _order(program: Program, owner: ClassOutline) -> list[ClassOutline]:
    return program.module.class_order(owner)


def _start(program: Program, unit: Unit, path: Path) -> tuple[ClassOutline | None, Path]:
    """The class of the object that the path starts at, and the links behind that object."""
    root = path[0]
    if root == SELF:
        return unit.owner, path[1:]
    if root[0] == "$":
        annotation = next((p.annotation for p in unit.body.parameters if p.name == root[1:]), None)
        return program.module.classes.get(annotation or ""), path[1:]
    if root[0] == "@" and len(path) > 1 and path[1][0] == ".":
        return program.objects.class_at(None, path[:1]), path[1:]
    return None, path


def _reads(program: Program, unit: Unit, records: Records) -> Iterator[Access]:
    at_calls = {call.site for call in records.calls}
    for read in records.reads:
        found = field_of(program, unit, read.path) if read.site not in at_calls else None
        if found is not None:
            yield Access(found[0], read.path, _reference(read.path, found[1]), read.site, False, read.holds)


def _writes(program: Program, unit: Unit, records: Records) -> Iterator[Access]:
    for write in records.writes:
        found = field_of(program, unit, write.path) if write.effect is None else None
        if found is not None and not _is_transport(program, found[0]):
            yield Access(
                found[0], write.path, _reference(write.path, found[1]), write.site, True, write.holds
            )


def _reference(path: Path, behind: Path) -> Path:
    """The part of a path that names the field."""
    return path[: len(path) - len(behind)]


def _calls(program: Program, unit: Unit, records: Records) -> Iterator[Access]:
    for record in records.calls:
        found = _object_of(program, unit, record)
        if found is not None:
            field, reference = found
            is_write = any(w.path[0] == SELF for w in program.summary(record.call.unit).writes)
            inside = (*reference, ANY_ITEM)
            yield Access(field, reference, reference, record.site, False, record.holds)
            yield Access(field, inside, reference, record.site, is_write, record.holds)


def _object_of(program: Program, unit: Unit, record: CallRecord) -> tuple[Field, Path] | None:
    """The field whose object's method is called, when that object is not guarded by itself."""
    receiver = record.call.receiver
    if receiver is None or len(receiver) < 2 or record.call.is_turn:
        return None
    callee = record.call.unit
    if callee.owner is None or guards_itself(program.objects, callee.owner, program):
        return None
    found = field_of(program, unit, receiver)
    if found is None or _is_transport(program, found[0]):
        return None
    return found[0], _reference(receiver, found[1])


def _is_transport(program: Program, field: Field) -> bool:
    path = (SELF, f".{field.name}") if field.owner is not None else (f"@{field.name}",)
    return program.objects.is_transport(field.owner, path)
