"""Graphs: a function as blocks of instructions with the edges between them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import ast

    from lane_lint.model.instructions import Instruction, Temp


class Part(NamedTuple):
    """A place that has no syntax node of its own: a comparison, `with` item, comprehension's clause or case.

    Attributes:
        number: Which of the node's parts it is.
    """

    node: ast.Compare | ast.With | ast.AsyncWith | ast.Match | Comprehension
    number: int


Comprehension: TypeAlias = "ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp"
Site: TypeAlias = "ast.expr | ast.stmt | ast.excepthandler | Part"


class Kind(enum.Enum):
    """How a function runs when it is called."""

    SYNC = "sync"
    ASYNC = "async"
    GENERATOR = "generator"
    ASYNC_GENERATOR = "async generator"


@dataclass(frozen=True, slots=True)
class Branch:
    """A test at the end of a block; `key` names it where its two sides meet again.

    `present_when` is the outcome that finds what was tested present, for tests of truth, `is None` and `in`.
    `was_made_before`: what is tested is a variable that holds the outcome of a test.
    """

    key: int
    test: Temp
    at: int
    present_when: bool | None
    was_made_before: bool


@dataclass(slots=True)
class Block:
    """A straight run of instructions. Filled by the lowering, read-only afterwards.

    Attributes:
        branch: The test that decides between the first successor (true) and the second (false).
        successors: Where control goes at the end; empty at the end of the function.
        handlers: Blocks that control may go to from any instruction in here when it raises.
        joins: Keys of branches whose decision is over at the start of this block.
        loops: Keys of the loops around this block, outermost first.
        is_loop_header: Whether the back edges of a loop lead here.
        lingers: Whether it is the meeting point of an `if`: a wait that only one side made stays in doubt.
    """

    index: int
    instructions: list[Instruction] = field(default_factory=list)
    branch: Branch | None = None
    successors: list[int] = field(default_factory=list)
    handlers: tuple[int, ...] = ()
    joins: set[int] = field(default_factory=set)
    loops: tuple[int, ...] = ()
    is_loop_header: bool = False
    lingers: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of the source; `at` is the statement or the comprehension's clause."""

    key: int
    header: int
    at: int


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    annotation: str | None


@dataclass(slots=True)
class FunctionBody:
    """One function, lowered. Filled by the lowering, read-only afterwards.

    Attributes:
        nested: The functions and lambdas defined in here, by the index `MakeFunction` names.
        places: What `at` means: the syntax node of each instruction that can be reported.
        loop_tests: Keys of the branches that are the conditions of `while` loops.
        crossing: Temporaries that are used in another block than the one that makes them.
        bound: Names this function binds, its parameters included.
        cancelled: Handlers that stand for leaving the function when it is cancelled, all errors being caught.
    """

    name: str
    kind: Kind
    parameters: tuple[Parameter, ...]
    line: int
    parent: FunctionBody | None
    decorators: tuple[str, ...]
    blocks: list[Block] = field(default_factory=list)
    nested: list[FunctionBody] = field(default_factory=list)
    places: list[Site] = field(default_factory=list)
    loops: dict[int, Loop] = field(default_factory=dict)
    loop_tests: set[int] = field(default_factory=set)
    crossing: set[int] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)

    def is_local(self, name: str) -> bool:
        """Whether a name means a variable of this very function."""
        return name in self.bound and name not in self.declared_global and name not in self.declared_nonlocal

    def owner_of(self, name: str) -> FunctionBody | None:
        """The innermost function around (or at) this one that the name is a variable of."""
        if name in self.declared_global:
            return None
        if self.is_local(name):
            return self
        return self.parent.owner_of(name) if self.parent else None
