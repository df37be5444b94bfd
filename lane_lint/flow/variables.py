"""Variables of enclosing functions: what they are bound to, as the instructions that bind them tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lane_lint.makers import annotated_names
from lane_lint.model.instructions import (
    BindName,
    CallMethod,
    CallName,
    Instruction,
    LoadAttribute,
    LoadName,
    Temp,
)
from lane_lint.model.path import SELF, Path, extend

if TYPE_CHECKING:
    from lane_lint.flow.unit import Unit
    from lane_lint.model.graph import FunctionBody


class Origins(NamedTuple):
    """What a variable is bound to.

    Attributes:
        makers: Dotted names of what is called to make it, or that it is annotated as.
        path: The place of the object itself that it is another name of, when it is bound once.
        is_made: It is bound by the function itself.
    """

    makers: frozenset[str]
    path: Path | None
    is_made: bool


def origins(unit: Unit, name: str) -> Origins:
    """What a variable of `unit`, or of a function around it, is bound to."""
    owner = unit.defining(name)
    if owner is None:
        return Origins(frozenset(), None, is_made=False)
    if name not in owner.origins:
        owner.origins[name] = _find_origins(owner, name)
    return owner.origins[name]


def _find_origins(owner: Unit, name: str) -> Origins:
    makers = {owner.program.module.resolve(n) for n in _annotations(owner.body, name)}
    bindings = list(_bindings(owner.body, name))
    paths: list[Path | None] = []
    for made_by, table in bindings:
        if (dotted := _called(made_by, table)) is not None:
            makers.add(owner.program.module.resolve(dotted))
        paths.append(_path(owner, made_by, table))
    path = paths[0] if len(paths) == 1 else None
    return Origins(frozenset(makers), path, is_made=bool(bindings))


def _annotations(body: FunctionBody, name: str) -> list[str]:
    texts = [p.annotation for p in body.parameters if p.name == name and p.annotation is not None]
    return [each for text in texts for each in annotated_names(text)]


def _bindings(body: FunctionBody, name: str) -> list[tuple[Instruction | None, dict[Temp, Instruction]]]:
    """The instruction that makes each value which the name is bound to, with those it may refer to."""
    found = []
    for block in body.blocks:
        table: dict[Temp, Instruction] = {}
        for instruction in block.instructions:
            if isinstance(instruction, BindName) and instruction.name == name:
                found.append((table.get(instruction.source), table))
            elif (result := getattr(instruction, "result", None)) is not None:
                table[result] = instruction
    return found


def _called(made_by: Instruction | None, table: dict[Temp, Instruction]) -> str | None:
    """`a.b.c` for a value that is made by calling that."""
    if isinstance(made_by, CallName):
        return made_by.name
    if isinstance(made_by, CallMethod):
        base = _spelled(table.get(made_by.base), table)
        return f"{base}.{made_by.method}" if base else None
    return None


def _spelled(instruction: Instruction | None, table: dict[Temp, Instruction]) -> str | None:
    if isinstance(instruction, LoadName):
        return instruction.name
    if isinstance(instruction, LoadAttribute):
        base = _spelled(table.get(instruction.base), table)
        return f"{base}.{instruction.attribute}" if base else None
    return None


def _path(owner: Unit, instruction: Instruction | None, table: dict[Temp, Instruction]) -> Path | None:
    """The place of the object that an attribute chain names."""
    if isinstance(instruction, LoadName):
        return (SELF,) if instruction.name == owner.self_name else None
    if isinstance(instruction, LoadAttribute):
        base = _path(owner, table.get(instruction.base), table)
        return extend(base, f".{instruction.attribute}") if base is not None else None
    return None
