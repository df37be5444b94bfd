"""What other modules of the project lend to the one under analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lane_lint.outline import ClassOutline, FunctionOutline


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a definition stands that another module of the project has lent to the one under analysis.

    Attributes:
        path: The absolute path of its file.
        file: The file as messages name it: from the folder on that holds the outermost package.
        module: The dotted name of its module.
        functions: The plain functions of its module.
    """

    path: str
    file: str
    module: str
    functions: frozenset[str]


class Foreign(Protocol):
    """What other modules of the project lend, by absolute dotted names; None for what is not of the project."""

    def class_named(self, name: str) -> ClassOutline | None:
        """The class behind a name, with its bases."""

    def overrides(self, owner: ClassOutline, method: str) -> list[FunctionOutline]:
        """What heirs in the class's own module have under a method's name."""

    def class_of_instances(self, name: str) -> ClassOutline | None:
        """The class behind a name, with its bases; only one whose objects are worth to be followed."""

    def has_lanes(self, name: str) -> bool:
        """Whether a module that the name leads to has to do with lanes."""

    def function_named(self, name: str) -> FunctionOutline | None:
        """The plain function behind a name."""

    def function_in(self, origin: Origin, name: str) -> FunctionOutline | None:
        """The plain function that another module has imported under a name."""

    def global_named(self, name: str) -> str | None:
        """The one name, `module.variable`, of the lock or lane that a name leads to."""

    def makers(self, name: str) -> set[str]:
        """What the global of that one name is made from."""

    def item_makers(self, name: str) -> set[str]:
        """What the entries of the global are made from."""
