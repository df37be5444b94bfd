"""Flags of a function: names whose truth is known on the way that is followed."""

from __future__ import annotations

from lane_lint.model.graph import Branch
from lane_lint.model.instructions import (
    BindName,
    CallMethod,
    Combine,
    Instruction,
    Literal,
    LoadAttribute,
    LoadName,
    StoreAttribute,
    Suspend,
    Temp,
)

CONSTANTS = {"True": True, "False": False, "None": False}


class Flags:
    """Flags of a function that are known to be true or false on a way.

    Args:
        taken: The call that has taken the lock, which answers True.
    """

    def __init__(self, self_name: str | None, taken: int, known: dict[str, bool] | None = None) -> None:
        self._self_name = self_name
        self._taken = taken
        self._known = dict(known or {})
        self.name_of: dict[Temp, str] = {}
        self._constants: dict[Temp, bool] = {}
        # Name -> the other name whose value it was given; and negations -> what is negated.
        self._given: dict[str, str] = {}
        self._negated: dict[Temp, Temp] = {}
        # Comparisons with None and the like -> what is compared.
        self._compared: dict[Temp, Temp] = {}

    def known(self) -> frozenset[tuple[str, bool]]:
        return frozenset(self._known.items())

    def outcome_of(self, branch: Branch) -> bool | None:
        """What a test finds, where that is known."""
        if branch.test in self._compared:
            present = self._truth_of(self._compared[branch.test])
            return None if present is None or branch.present_when is None else present == branch.present_when
        return self._truth_of(branch.test)

    def names_of(self, temp: Temp) -> list[str]:
        """The names that have the value of a temporary."""
        name = self.name_of.get(temp)
        return [each for each in (name, self._given.get(name or "")) if each is not None]

    def _truth_of(self, temp: Temp) -> bool | None:
        if temp in self._negated:
            inner = self._truth_of(self._negated[temp])
            return None if inner is None else not inner
        if temp in self._constants:
            return self._constants[temp]
        return self._known.get(self.name_of.get(temp, ""))

    def follow(self, instruction: Instruction) -> None:
        """Take note of what an instruction binds."""
        if isinstance(instruction, Literal) and instruction.text in CONSTANTS:
            self._constants[instruction.result] = CONSTANTS[instruction.text]
        elif isinstance(instruction, Combine) and instruction.negates:
            self._negated[instruction.result] = instruction.sources[0]
        elif isinstance(instruction, Combine) and len(instruction.sources) == 2:
            if self._constants.get(instruction.sources[1]) is False:
                self._compared[instruction.result] = instruction.sources[0]
        elif isinstance(instruction, LoadName):
            self.name_of[instruction.result] = instruction.name
        elif isinstance(instruction, LoadAttribute) and self._is_self(instruction.base):
            self.name_of[instruction.result] = "." + instruction.attribute
        elif isinstance(instruction, (CallMethod, Suspend)) and self._says_taken(instruction):
            self._constants[instruction.result] = True
        elif isinstance(instruction, BindName):
            self._bind(instruction.name, instruction.source)
        elif isinstance(instruction, StoreAttribute) and self._is_self(instruction.base):
            self._bind("." + instruction.attribute, instruction.source)

    def _says_taken(self, instruction: CallMethod | Suspend) -> bool:
        if isinstance(instruction, CallMethod) and instruction.method == "locked":
            return True
        return instruction.at == self._taken

    def _is_self(self, temp: Temp) -> bool:
        return self._self_name is not None and self.name_of.get(temp) == self._self_name

    def _bind(self, name: str, source: Temp) -> None:
        truth = self._truth_of(source)
        self._known.pop(name, None)
        self._given.pop(name, None)
        if truth is not None:
            self._known[name] = truth
        elif source in self.name_of:
            self._given[name] = self.name_of[source]
