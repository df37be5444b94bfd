"""Awaits of what another module has, which let no other task run when all that is awaited there runs through.

To know that costs a look at the other module, and most awaits decide no finding. So they count as
suspensions at first, and what was asked is kept; only for a module with findings is it answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lane_lint.never_suspending import NeverSuspending

if TYPE_CHECKING:
    from lane_lint.outline import FunctionOutline, ModuleOutline


class Awaited(NamedTuple):
    """A call that is awaited.

    Attributes:
        types: Absolute names of the types whose method it may be; empty for a plain function.
        name: The method, or the function's absolute name.
    """

    types: frozenset[str]
    name: str


Question: TypeAlias = "Awaited | FunctionOutline"


class Passages:
    """What one program asks, and the answers it was given beforehand.

    Args:
        known: What is known to run through.
    """

    def __init__(self, module: ModuleOutline, known: frozenset[Question]) -> None:
        self._module = module
        self._known = known
        self._asked: dict[Question, None] = {}

    def runs_through(self, question: Question) -> bool:
        """Whether the await lets no other task run, as far as that is known by now."""
        if question in self._known:
            return True
        self._asked[question] = None
        return False

    def answered(self) -> frozenset[Question]:
        """Of what was asked, what runs through; to find that out may take time."""
        coroutines = NeverSuspending(self._module)
        return frozenset(each for each in self._asked if self._passes(coroutines, each))

    def _passes(self, coroutines: NeverSuspending, question: Question) -> bool:
        if isinstance(question, Awaited):
            if question.types:
                return coroutines.method(question.types, question.name)
            found = self._module.function_named(question.name)
            return found is not None and coroutines.function(found)
        return coroutines.function(question)
