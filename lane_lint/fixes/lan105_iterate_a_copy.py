"""LAN105: the loop gets a copy, `list(...)`."""

from __future__ import annotations

import ast

import libcst as cst

from lane_lint.finding import Finding
from lane_lint.fixes.edits import Edit, insertion
from lane_lint.fixes.fixer import Fixer, NotSafeError
from lane_lint.fixes.names import ModuleNames, adds_entries, empties, last_name, looks_up_entries, mentioned
from lane_lint.fixes.parsed import ParsedModule
from lane_lint.settings import Settings

_VIEWS = frozenset({"items", "keys", "values"})
_LOOKUPS = frozenset({"get", "setdefault"})
_WRAPPERS = frozenset({"enumerate", "reversed"})


class IterateACopy(Fixer):
    """`for client in self._clients:` becomes `for client in list(self._clients):`."""

    code = "LAN105"

    def edits(self, finding: Finding, module: ParsedModule, settings: Settings) -> tuple[Edit, ...]:
        loop = module.node_at(finding.span, cst.For, cst.CompFor)
        if loop.asynchronous is not None:
            raise NotSafeError("an asynchronous iterator cannot be copied with list()")
        if not module.names.is_builtin("list"):
            raise NotSafeError("'list' is another thing than the built-in in this file")
        collection = _collection_in(module.syntax(loop.iter), module.names)
        _require_same_round(loop, collection, module)
        place = module.outer_span(loop.iter)
        return (
            insertion(place.line, place.column, "list("),
            insertion(place.end_line, place.end_column, ")"),
        )


FIXER = IterateACopy()


def _collection_in(iterable: ast.expr, names: ModuleNames) -> ast.expr:
    """The collection that is walked, of which a copy is known to have the same items in the same order."""
    computed = sorted(name for name in mentioned(iterable) if name in names.definitions)
    if computed:
        raise NotSafeError(
            f"'{computed[0]}' is computed by a function of this file, which a copy would run to its end"
        )
    if isinstance(iterable, ast.Call):
        called = last_name(iterable.func)
        if isinstance(iterable.func, ast.Attribute) and called in _VIEWS | _LOOKUPS:
            iterable = iterable.func.value
        elif called in _WRAPPERS and names.is_builtin(called) and iterable.args:
            return _collection_in(iterable.args[0], names)
    while isinstance(iterable, ast.Subscript):
        iterable = iterable.value
    if not isinstance(iterable, (ast.Name, ast.Attribute)):
        raise NotSafeError("what is iterated is no plain collection")
    return iterable


def _require_same_round(loop: cst.For | cst.CompFor, collection: ast.expr, module: ParsedModule) -> None:
    """Refuse where the loop, or its function, means to see what is added while it runs."""
    name = last_name(collection)
    if any(adds_entries(node, name) for node in module.names.reached(_body_of(loop, module))):
        raise NotSafeError(f"what the loop runs may add to '{name}', which a copy would not show it")
    if any(looks_up_entries(node, name) for node in _body_of(loop, module)):
        raise NotSafeError(f"the loop's body looks entries of '{name}' up, which may be gone by then")
    function = module.names.function_around(module.span(loop).line)
    if function and any(empties(node, name) for node in module.names.reached([function])):
        reason = f"the same function empties or replaces '{name}', so what is added meanwhile would be dropped unseen"
        raise NotSafeError(f"{reason}; take the collection out before the loop")


def _body_of(loop: cst.For | cst.CompFor, module: ParsedModule) -> list[ast.AST]:
    """What stands on the lines of the loop; of a comprehension, on those of all of it."""
    whole: cst.CSTNode = loop
    while isinstance(whole, cst.CompFor):
        whole = module.parent(whole)
    place = module.span(whole)
    return [
        node
        for node in ast.walk(module.tree)
        if isinstance(node, (ast.stmt, ast.expr))
        and place.line <= node.lineno
        and (node.end_lineno or 0) <= place.end_line
    ]
