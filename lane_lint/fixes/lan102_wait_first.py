"""LAN102: `x += await e` waits first and reads `x` when it writes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import count

import libcst as cst
from libcst import matchers

from lane_lint.finding import Finding, Span
from lane_lint.fixes.edits import Edit, insertion
from lane_lint.fixes.fixer import Fixer, NotSafeError
from lane_lint.fixes.names import ModuleNames, last_name, mentioned
from lane_lint.fixes.parsed import ParsedModule
from lane_lint.settings import Settings

_OWN = ("self", "cls")


class WaitFirst(Fixer):
    """`self.total += await size()` becomes `added = await size()` and `self.total += added`."""

    code = "LAN102"

    def edits(self, finding: Finding, module: ParsedModule, settings: Settings) -> tuple[Edit, ...]:
        statements = list(_statements_on_the_same_state(finding.span, module))
        for statement in statements:
            _require_a_plain_wait(statement.value)
            written, waited = module.syntax(statement.target), module.syntax(statement.value)
            _require_the_same_place(written, module.names)
            _require_untouched(written, waited, module.names)
        return tuple(edit for statement in statements for edit in _split(statement, module))


FIXER = WaitFirst()


def _statements_on_the_same_state(place: Span, module: ParsedModule) -> Iterator[cst.AugAssign]:
    """The statement at a place, and those of its function that do the same to the same state: one finding is for all."""
    statements = list(module.nodes(cst.AugAssign))
    found = next((each for each in statements if module.span(each.target) == place), None)
    if found is None:
        raise NotSafeError("only `x += await ...` can be split without a decision")
    state, function = module.code(found.target), module.names.function_around(place.line)
    for each in statements:
        is_same = module.code(each.target) == state and (each is found or _has_wait(each.value))
        if is_same and module.names.function_around(module.span(each).line) is function:
            yield each


def _has_wait(value: cst.BaseExpression) -> bool:
    return bool(matchers.findall(value, matchers.Await()))


def _split(statement: cst.AugAssign, module: ParsedModule) -> tuple[Edit, ...]:
    name = _fresh_name(statement, module)
    start, value = module.span(statement), module.outer_span(statement.value)
    head = module.code(statement.target)
    operator = module.code(statement.operator).split()[0]
    separator = f"\n{module.indent_of(start.line)}" if module.is_alone(statement) else "; "
    return (
        Edit(Span(start.line, start.column, value.line, value.column), f"{name} = "),
        insertion(value.end_line, value.end_column, f"{separator}{head} {operator} {name}"),
    )


def _require_a_plain_wait(value: cst.BaseExpression) -> None:
    if not _has_wait(value):
        raise NotSafeError("the await is not in the value that is added")
    if matchers.findall(value, matchers.NamedExpr() | matchers.Yield()):
        raise NotSafeError("the value that is added binds a name or yields")


def _require_the_same_place(written: ast.expr, names: ModuleNames) -> None:
    """Refuse where the target may mean another place after the await than before it."""
    node = written
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript):
            _require_plain_index(node.slice, names)
            if names.removes_entries(last_name(node.value)):
                collection = ast.unparse(node.value)
                raise NotSafeError(f"the entry of '{collection}' may be gone after the await")
        node = node.value
        if isinstance(node, ast.Attribute) and _may_change(node.attr, names):
            raise NotSafeError(f"'{ast.unparse(node)}' may be another object after the await")
    if not isinstance(node, ast.Name):
        raise NotSafeError("what is written to is computed before the await")
    if node is not written and node.id in names.declared_outer:
        raise NotSafeError(f"'{node.id}' may be another object after the await")


def _may_change(attribute: str, names: ModuleNames) -> bool:
    """Whether an attribute may give another object later: it is set again, or a property."""
    return attribute in names.rebound_attributes or attribute in names.definitions


def _require_plain_index(index: ast.expr, names: ModuleNames) -> None:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for part in parts:
        is_plain = isinstance(part, ast.Constant) or (
            isinstance(part, ast.Name) and part.id not in names.declared_outer
        )
        if not is_plain:
            raise NotSafeError(f"the index '{ast.unparse(index)}' is computed before the await")


def _require_untouched(written: ast.expr, waited: ast.expr, names: ModuleNames) -> None:
    """Refuse where what is waited for may read or write the same state, or cannot be looked at."""
    touched, root = _state_names(written)
    _require_known_methods(waited, names)
    if _hands_on(waited, root):
        raise NotSafeError(
            f"'{root}' is handed to what is waited for, which may change '{ast.unparse(written)}'"
        )
    for node in names.reached([waited]):
        if common := sorted(touched & mentioned(node)):
            where = (
                f"'{node.name}'" if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else "the value"
            )
            raise NotSafeError(f"{where} has to do with '{common[0]}' itself")


def _state_names(written: ast.expr) -> tuple[set[str], str]:
    """The names of the state on the way to what is written, and the plain name that the way starts from."""
    found: set[str] = set()
    node = written
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        node = node.value
    root = last_name(node)
    return (found or {root}), root


def _hands_on(waited: ast.expr, root: str) -> bool:
    """Whether the object that is changed is mentioned by itself, not only for one of its attributes."""
    behind_a_dot = {id(node.value) for node in ast.walk(waited) if isinstance(node, ast.Attribute)}
    names = (node for node in ast.walk(waited) if isinstance(node, ast.Name))
    return any(node.id == root and id(node) not in behind_a_dot for node in names)


def _require_known_methods(waited: ast.expr, names: ModuleNames) -> None:
    """Refuse a method of the same object that stands in another file."""
    for node in ast.walk(waited):
        if isinstance(node, ast.Name) and node.id == "super":
            raise NotSafeError("what 'super()' does is not in sight")
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        method, owner = node.func.attr, node.func.value
        is_known = method in names.definitions or method in names.stored_attributes
        if isinstance(owner, ast.Name) and owner.id in _OWN and not is_known:
            raise NotSafeError(
                f"'{ast.unparse(node.func)}' is not in this file, so it may change the same state"
            )


def _fresh_name(statement: cst.AugAssign, module: ParsedModule) -> str:
    """A name that the function around the statement does not have."""
    function = module.names.function_around(module.span(statement).line)
    lines = module.source.lines
    if function is not None:
        lines = lines[function.lineno - 1 : function.end_lineno]
    taken = set(re.findall(r"\w+", "".join(lines)))
    stem = "added" if isinstance(statement.operator, cst.AddAssign) else "awaited"
    candidates = (stem if number == 1 else f"{stem}_{number}" for number in count(1))
    return next(name for name in candidates if name not in taken)
