"""Which names a module binds, and what running an expression may reach, by names alone.

Who runs is told by names: every definition of the module that has a mentioned name may run. That is more
than what really runs, so that "it is not touched" can be relied on, as far as the module goes.
"""

from __future__ import annotations

import ast
import symtable
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from lane_lint.source import Source

Definition = ast.FunctionDef | ast.AsyncFunctionDef
CONSTRUCTION = frozenset({"__init__", "__new__", "__post_init__", "__attrs_post_init__"})
_REMOVING = frozenset({"clear", "pop", "popitem", "popleft", "remove", "discard"})


class ModuleNames:
    """The names of one module, which must be Python."""

    def __init__(self, source: Source) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the code that is read
            self.tree = ast.parse(source.text)
            self._table = symtable.symtable(source.text, source.path, "exec")

    @cached_property
    def definitions(self) -> dict[str, list[Definition]]:
        """The functions and methods of the module by their names."""
        found: dict[str, list[Definition]] = defaultdict(list)
        for node in ast.walk(self.tree):
            if isinstance(node, Definition):
                found[node.name].append(node)
        return found

    @cached_property
    def stored_attributes(self) -> frozenset[str]:
        """Attributes that the module sets anywhere, on whatever object, or names in a class body."""
        classes = [node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)]
        in_bodies = {name for node in classes for child in node.body for name in _bound_in(child)}
        return frozenset(_stored(self.tree)) | in_bodies

    @cached_property
    def rebound_attributes(self) -> frozenset[str]:
        """Attributes that are set or deleted outside of construction."""
        return frozenset(_stored(self.tree, skipping=CONSTRUCTION))

    @cached_property
    def declared_outer(self) -> frozenset[str]:
        """Names that some function declares `global` or `nonlocal`, so that it may bind them for others."""
        nodes = ast.walk(self.tree)
        return frozenset(
            n for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for n in node.names
        )

    def binds(self, name: str, *, imported: bool = False) -> bool:
        """Whether the module, or a function of it, gives a name a meaning of its own.

        Methods and other names of a class body are not seen from functions and do not count.

        Args:
            imported: Imports at the module's level count too.
        """
        pending = [self._table]
        while pending:
            table = pending.pop()
            pending += table.get_children()
            if table.get_type() in ("module", "function") and name in table.get_identifiers():
                symbol = table.lookup(name)
                is_import = symbol.is_imported() and table is self._table
                if is_import and not imported:
                    continue
                if (
                    symbol.is_assigned()
                    or symbol.is_parameter()
                    or symbol.is_imported()
                    or symbol.is_namespace()
                ):
                    return True
        return False

    def is_builtin(self, name: str) -> bool:
        """Whether a name means the built-in thing everywhere in the module."""
        return not self.binds(name, imported=True)

    def reached(self, nodes: Iterable[ast.AST]) -> list[ast.AST]:
        """The nodes and the bodies of all definitions of the module that running them may run."""
        found: list[ast.AST] = list(nodes)
        seen: set[str] = set()
        for node in found:  # grows while it is walked
            for name in mentioned(node) - seen:
                seen.add(name)
                found += self.definitions.get(name, ())
        return found

    def function_around(self, line: int) -> Definition | None:
        """The innermost definition that a line belongs to."""
        each = (node for nodes in self.definitions.values() for node in nodes)
        around = [node for node in each if node.lineno <= line <= (node.end_lineno or 0)]
        return max(around, key=lambda node: node.lineno, default=None)

    def removes_entries(self, attribute: str) -> bool:
        """Whether the module takes entries out of a collection of this name."""
        return any(_removes(node, attribute) for node in ast.walk(self.tree))


def mentioned(node: ast.AST) -> set[str]:
    """Every name, attribute and text in a node that may be the name of something."""
    found: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Attribute):
            found.add(each.attr)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            found.add(each.value)  # getattr(self, "total")
    return found


def last_name(node: ast.AST) -> str:
    """`total` for `self.total` and for `total`, "" for what has no name of its own."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def adds_entries(node: ast.AST, collection: str) -> bool:
    """Whether a statement or expression puts entries into a list of this name, which a running loop would see."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            is_adding = each.func.attr in ("append", "appendleft", "extend", "insert")
            if is_adding and last_name(each.func.value) == collection:
                return True
        elif isinstance(each, ast.AugAssign) and last_name(each.target) == collection:
            return True
    return False


def looks_up_entries(node: ast.AST, collection: str) -> bool:
    """Whether code needs or makes an entry of a collection of this name, so that it matters that it is still there."""
    for each in ast.walk(node):
        if isinstance(each, ast.Subscript) and last_name(each.value) == collection:
            return True
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            is_taking = each.func.attr in ("pop", "remove") and len(each.args) == 1
            if is_taking and last_name(each.func.value) == collection:
                return True
    return False


def empties(node: ast.AST, collection: str) -> bool:
    """Whether code clears a collection of this name, or puts another in its place on an object or in the module."""
    declared = {
        n for each in ast.walk(node) if isinstance(each, (ast.Global, ast.Nonlocal)) for n in each.names
    }
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and each.attr == "clear" and last_name(each.value) == collection:
            return True
        if isinstance(each, ast.Name) and each.id not in declared:
            continue  # a variable of the function is another name of the collection at most
        is_bound = isinstance(each, (ast.Attribute, ast.Name)) and not isinstance(each.ctx, ast.Load)
        if is_bound and last_name(each) == collection:
            return True
    return False


def _removes(node: ast.AST, attribute: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _REMOVING and last_name(node.value) == attribute
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Del) and last_name(node.value) == attribute
    return False


def _stored(tree: ast.AST, skipping: Collection[str] = ()) -> Iterator[str]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Definition) and node.name in skipping:
            continue
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.attr
        pending += ast.iter_child_nodes(node)


def _bound_in(statement: ast.stmt) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return (target.id for target in targets if isinstance(target, ast.Name))
