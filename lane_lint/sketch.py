"""A sketch of one function from its `ast`: what it reads, writes, calls, starts, and where it suspends."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

OWN_NAMES = ("self", "cls")


@dataclass(slots=True)
class Write:
    """A write of `self.attribute` or deeper; `link` is "" for the attribute itself, `[]` for entries, `.name`.

    Attributes:
        is_deeper: There are further links behind that one: `self.rows[key].name`.
    """

    attribute: str
    link: str
    line: int
    operation: str = ""
    is_reset: bool = False
    is_deeper: bool = False


@dataclass(slots=True)
class LoopLines:
    """A loop: its first and last line, and what a `for` walks: own attributes, plain names, methods."""

    first: int
    last: int
    attributes: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()


@dataclass(slots=True)
class Sketch:
    """What a function (with what is nested in it) touches. Names of attributes are those behind self.

    Attributes:
        reads: Attribute -> line of the first read.
        other_writes: Attribute stored on anything that is not self -> line of the last such store.
        name_writes: Changes in place of what a plain name stands for, which is the attribute of the write.
        free_writes: Plain names rebound under `global` or `nonlocal`, or mutated in place -> last line.
        stores: Plain names assigned -> line of the last assignment.
        suspensions: Lines of statements that have an `await`, `async for`, `async with` or `yield`.
        awaited_calls: What is awaited, as it is spelled: `self.feed.read`; "" for whatever else may suspend.
        last_waits: Those of them that end the function: `return await ...` outside any `try`.
        contexts: Last names of `with` items that may be locks: a bare name or attribute, or an own method.
        context_count: How many such items there are.
        handed_to: What is called with the object itself among its arguments, as it is spelled.
        other_reads: Attribute read from anything that is not self -> line of the first such read.
        aliases: Plain names that are assigned an attribute or an entry as it is.
        local_values: Plain name -> the value it is assigned; None when there are several.
        classes: Classes defined inside the function.
        imports: Imports made inside the function.
        nested_writes: Plain names of things that a nested function changes in place.
        references: Own attributes that are mentioned, called or not.
        waits: It calls something, without awaiting it, that may block the thread.
        submits: It gives work to something that may be an executor.
        awaited: Identities of calls that are awaited, while the sketch is made.
        releases: Last names of what a `release` is called or mentioned of.
    """

    self_name: str | None = None
    line: int = 0
    reads: dict[str, int] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    other_writes: dict[str, int] = field(default_factory=dict)
    name_writes: list[Write] = field(default_factory=list)
    free_writes: dict[str, int] = field(default_factory=dict)
    stores: dict[str, int] = field(default_factory=dict)
    own_calls: dict[str, int] = field(default_factory=dict)
    name_calls: dict[str, int] = field(default_factory=dict)
    method_calls: set[str] = field(default_factory=set)
    references: set[str] = field(default_factory=set)
    handed_to: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)
    starts_tasks: bool = False
    suspensions: list[int] = field(default_factory=list)
    awaited_calls: set[str] = field(default_factory=set)
    last_waits: list[int] = field(default_factory=list)
    contexts: set[str] = field(default_factory=set)
    other_reads: dict[str, int] = field(default_factory=dict)
    context_count: int = 0
    acquires: bool = False
    waits: bool = False
    submits: bool = False
    awaited: set[int] = field(default_factory=set)
    releases: set[str] = field(default_factory=set)
    loops: list[LoopLines] = field(default_factory=list)
    declared: set[str] = field(default_factory=set)
    attribute_values: list[tuple[str, ast.expr | None, ast.expr | None]] = field(default_factory=list)
    attribute_items: list[tuple[str, ast.expr]] = field(default_factory=list)
    name_items: list[tuple[str, ast.expr]] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)
    local_values: dict[str, ast.expr | None] = field(default_factory=dict)
    classes: list[ast.ClassDef] = field(default_factory=list)
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    has_nested: bool = False
    nested_writes: set[str] = field(default_factory=set)
    nested_suspends: bool = False
    is_inside_nested: bool = False
    is_inside_try: bool = False
    ends_function: bool = False
    resets: set[int] = field(default_factory=set)

    def is_own(self, name: str) -> bool:
        """Whether a plain name is the object itself, or its class."""
        return name == self.self_name or name in OWN_NAMES

    def own_attribute(self, node: ast.expr) -> tuple[str, str, bool] | None:
        """Of an expression that leads through self: attribute, first link behind it, whether there are more."""
        link, is_deeper = "", False
        while True:
            if isinstance(node, ast.Attribute):
                if isinstance(node.value, ast.Name):
                    return (node.attr, link, is_deeper) if self.is_own(node.value.id) else None
                is_deeper = is_deeper or bool(link)
                link = f".{node.attr}"
                node = node.value
            elif isinstance(node, ast.Subscript):
                is_deeper = is_deeper or bool(link)
                link = "[]"
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.func
            else:
                return None

    def attribute_behind(self, name: str) -> tuple[str, str] | None:
        """(attribute, first link behind it) that a variable is another name of, else None."""
        value = self.local_values.get(name)
        found = self.own_attribute(value) if isinstance(value, ast.Attribute) else None
        return None if found is None else found[:2]


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` for a chain of names; a call or subscript stands for what it is made from."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Name):
            parts.append(node.id)
            return ".".join(reversed(parts))
        else:
            return None


def plainly_dotted(node: ast.expr) -> str:
    """`a.b.c` for a chain of names and nothing else; "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def base_name(node: ast.expr) -> str | None:
    """The plain name that a chain of attributes, entries and calls starts from."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def window_of_waits(sketch: Sketch) -> tuple[int, int]:
    """The lines from which on something comes after a suspension, and up to which before one.

    A loop with a suspension in it makes every line of it both.
    """
    waits = set(sketch.suspensions) - set(sketch.last_waits)
    first, last = min(waits), max(sketch.suspensions)
    for loop in sketch.loops:
        if any(loop.first <= line <= loop.last for line in sketch.suspensions):
            first, last = min(first, loop.first), max(last, loop.last)
    return first, last
