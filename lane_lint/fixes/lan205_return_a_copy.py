"""LAN205: a copy of the collection leaves the turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lane_lint.finding import Finding, Span
from lane_lint.fixes.edits import Edit, insertion
from lane_lint.fixes.fixer import Fixer, NotSafeError
from lane_lint.fixes.parsed import ParsedModule
from lane_lint.outlining import imports_of
from lane_lint.settings import Settings
from lane_lint.sketch import dotted

_COPIED_BY_CALL = frozenset({"dict", "list", "set"})
_COPIED_BY_METHOD = frozenset(
    {"collections.Counter", "collections.OrderedDict", "collections.defaultdict", "collections.deque"}
)
_DISPLAYS: dict[type[ast.expr], str] = {
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.List: "list",
    ast.ListComp: "list",
    ast.Set: "set",
    ast.SetComp: "set",
}


class ReturnACopy(Fixer):
    """`return self._prices` becomes `return dict(self._prices)` where a dict is all that the field ever is."""

    code = "LAN205"

    def edits(self, finding: Finding, module: ParsedModule, settings: Settings) -> tuple[Edit, ...]:
        answer = module.node_at(finding.span, cst.Return, cst.Lambda)
        value = answer.value if isinstance(answer, cst.Return) else answer.body
        if not _is_own_field(value):
            raise NotSafeError("what to copy is a decision; only a plain `self.field` is copied without one")
        assert isinstance(value, cst.Attribute)
        kind = _kind_of(value.attr.value, module)
        values = [value, *_returned_too(value, finding.span.line, module)]
        return tuple(edit for each in values for edit in _copied(module.span(each), kind))


FIXER = ReturnACopy()


def _returned_too(value: cst.Attribute, line: int, module: ParsedModule) -> Iterator[cst.Attribute]:
    """The other places where the function around a line returns the same field: one finding is for all."""
    function, text = module.names.function_around(line), module.code(value)
    for each in module.nodes(cst.Return):
        same = each.value is not None and each.value is not value and module.code(each.value) == text
        if same and module.names.function_around(module.span(each).line) is function:
            assert isinstance(each.value, cst.Attribute)
            yield each.value


def _copied(place: Span, kind: str) -> tuple[Edit, ...]:
    if kind in _COPIED_BY_METHOD:
        return (insertion(place.end_line, place.end_column, ".copy()"),)
    return (
        insertion(place.line, place.column, f"{kind}("),
        insertion(place.end_line, place.end_column, ")"),
    )


def _is_own_field(value: cst.BaseExpression | None) -> bool:
    return (
        isinstance(value, cst.Attribute) and isinstance(value.value, cst.Name) and value.value.value == "self"
    )


def _kind_of(field: str, module: ParsedModule) -> str:
    """The one type of collection that the module ever stores under a field's name."""
    imports = imports_of(module.tree, "")
    kinds = {_made(value, imports) for value in _stored_values(module.tree, field)}
    if len(kinds) != 1 or not kinds <= _COPIED_BY_CALL | _COPIED_BY_METHOD:
        raise NotSafeError(f"it is not known for sure what 'self.{field}' is")
    kind = kinds.pop()
    if kind in _COPIED_BY_CALL and not module.names.is_builtin(kind):
        raise NotSafeError(f"'{kind}' is another thing than the built-in in this file")
    return kind


def _made(value: ast.expr | None, imports: dict[str, str]) -> str:
    """What type of collection an expression makes; "" for all else."""
    if isinstance(value, ast.Call):
        first, *rest = (dotted(value.func) or "").split(".")
        return ".".join([imports.get(first, first), *rest])
    return _DISPLAYS.get(type(value), "") if value is not None else ""


def _stored_values(tree: ast.Module, field: str) -> Iterator[ast.expr | None]:
    """The values that go into fields of this name; None for one that comes in another way than `=`."""
    plain: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if _is_field(target, field) and (node.value or isinstance(target, ast.Attribute)):
                    plain.add(target)
                    yield node.value
        elif isinstance(node, ast.AugAssign):
            plain.add(node.target)  # a collection that grows in place stays what it is
    fields = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == field)
    yield from (None for node in fields if isinstance(node.ctx, ast.Store) and node not in plain)


def _is_field(target: ast.expr, field: str) -> bool:
    return isinstance(target, ast.Attribute) and target.attr == field
