"""Mutators that go to the same state by another way: through helpers, other names, and variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import libcst as cst
import libcst.matchers as m
from mutating import (
    FunctionBodies,
    Statement,
    comment_of,
    is_docstring,
    is_stub,
    line,
    only_small_statement,
    parsed,
    transformed,
)

_OWN = m.Attribute(value=m.Name("self"))
_CONSTANT = m.Name() | m.Integer() | m.SimpleString() | m.List() | m.Dict() | m.Call(args=[])
_MAKERS = {"dict", "list", "set", "deque", "defaultdict", "OrderedDict", "Counter"}
_CONSTRUCTION = {"__init__", "__post_init__", "__new__"}


class _ThroughHelpers(cst.CSTTransformer):
    """Inside methods, other than construction, something goes through new private methods of the class."""

    def __init__(self) -> None:
        super().__init__()
        self._helpers: list[dict[str, str]] = []
        self._functions: list[str] = []

    @property
    def is_inside(self) -> bool:
        return bool(self._helpers and self._functions) and self._functions[0] not in _CONSTRUCTION

    def helper(self, name: str, code: str) -> str:
        """The name of a method that the class gets."""
        self._helpers[-1][name] = code
        return name

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        names = {each.name.value for each in node.body.body if isinstance(each, cst.FunctionDef)}
        self._helpers.append({})
        return not self._functions and bool(names)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Statement:
        helpers = [cst.parse_statement(code) for code in self._helpers.pop().values()]
        body = updated_node.body
        return updated_node.with_changes(body=body.with_changes(body=[*body.body, *helpers]))

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._functions.append(node.name.value)

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Statement:
        self._functions.pop()
        return updated_node


class _StoredByHelpers(_ThroughHelpers):
    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.BaseSmallStatement:
        if not self.is_inside or not m.matches(
            original_node, m.Assign(targets=[m.AssignTarget(target=_OWN)])
        ):
            return updated_node
        if m.matches(original_node.value, _CONSTANT):
            return updated_node
        name = original_node.targets[0].target.attr.value
        helper = self.helper(
            f"_case_set_{name.strip('_')}",
            f"def _case_set_{name.strip('_')}(self, value):\n    self.{name} = value\n",
        )
        call = cst.Call(cst.Attribute(cst.Name("self"), cst.Name(helper)), [cst.Arg(updated_node.value)])
        return cst.Expr(call)


def stored_by_helpers(text: str) -> str | None:
    """`self.x = value` becomes `self._case_set_x(value)`; a constant says what a setter does not."""
    return None if _has_properties(text) else transformed(text, _StoredByHelpers())


class _TestedByHelpers(_ThroughHelpers):
    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        if not self.is_inside:
            return updated_node
        return updated_node.with_changes(test=updated_node.test.visit(_ReadByHelpers(self)))


class _ReadByHelpers(cst.CSTTransformer):
    def __init__(self, through: _ThroughHelpers) -> None:
        super().__init__()
        self._through = through

    def visit_Call(self, node: cst.Call) -> bool:
        return False

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if not m.matches(original_node, _OWN):
            return updated_node
        name = updated_node.attr.value
        helper = self._through.helper(
            f"_case_get_{name.strip('_')}",
            f"def _case_get_{name.strip('_')}(self):\n    return self.{name}\n",
        )
        return cst.Call(cst.Attribute(cst.Name("self"), cst.Name(helper)))


def tested_by_helpers(text: str) -> str | None:
    """`if self.x:` becomes `if self._case_get_x():`."""
    return None if _has_properties(text) else transformed(text, _TestedByHelpers(), needs="if ")


def _has_properties(text: str) -> bool:
    return "property" in text or "classmethod" in text


class _IteratedThroughALocal(FunctionBodies):
    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        return [part for each in statements for part in self._parts(each)]

    def _parts(self, statement: Statement) -> list[Statement]:
        if not isinstance(statement, cst.For) or isinstance(statement.iter, cst.Name):
            return [statement]
        assignment = cst.Assign([cst.AssignTarget(cst.Name("case_walked"))], statement.iter)
        first = cst.SimpleStatementLine(
            [assignment], leading_lines=statement.leading_lines, trailing_whitespace=comment_of(statement)
        )
        return [first, statement.with_changes(iter=cst.Name("case_walked"), leading_lines=[])]


def iterated_through_a_local(text: str) -> str | None:
    """`for x in self.xs:` becomes `xs = self.xs` and `for x in xs:`."""
    return transformed(text, _IteratedThroughALocal(), needs="for ")


class _AwaitedThroughALocal(FunctionBodies):
    def rewritten(self, statements: list[Statement]) -> list[Statement]:
        return [part for each in statements for part in self._parts(each)]

    def _parts(self, statement: Statement) -> list[Statement]:
        small = only_small_statement(statement)
        if small is None or not m.matches(small, m.Expr(m.Await(m.Call()))):
            return [statement]
        assignment = cst.Assign([cst.AssignTarget(cst.Name("case_waiting"))], small.value.expression)
        first = cst.SimpleStatementLine(
            [assignment], leading_lines=statement.leading_lines, trailing_whitespace=comment_of(statement)
        )
        then = line("await case_waiting").with_changes(trailing_whitespace=comment_of(statement))
        return [first, then]


def awaited_through_a_local(text: str) -> str | None:
    """`await f()` becomes `waiting = f()` and `await waiting`."""
    return transformed(text, _AwaitedThroughALocal(), needs="await ")


class _CollectionsAliased(cst.CSTTransformer):
    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self._names = frozenset(names)
        self._functions: list[set[str]] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._functions.append(set())

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Statement:
        used = self._functions.pop()
        if self._functions:
            self._functions[-1] |= used
            return updated_node
        statements = list(updated_node.body.body)
        head = [each for each in statements[:1] if is_docstring(each)]
        aliases = [line(f"case_{name.strip('_')} = self.{name}") for name in sorted(used)]
        body = [*head, *aliases, *statements[len(head) :]]
        return updated_node.with_changes(body=updated_node.body.with_changes(body=body))

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        name = original_node.attr.value
        if not self._functions or name not in self._names or not m.matches(original_node, _OWN):
            return updated_node
        self._functions[-1].add(name)
        return cst.Name(f"case_{name.strip('_')}")


class _ConstructionKept(_CollectionsAliased):
    """Construction gives the fields their collections, so it keeps their names."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        super().visit_FunctionDef(node)
        return node.name.value not in _CONSTRUCTION and not is_stub(node)


def collections_aliased(text: str) -> str | None:
    """Methods take a collection that is never replaced into a variable first; a lane's may not be read off it."""
    if "lane_runtime" in text:
        return None
    stores = [(f.name, *each) for f in _functions(ast.parse(text)) for each in _own_stores(f)]
    collections = {name for function, name, is_made in stores if function in _CONSTRUCTION and is_made}
    replaced = {name for function, name, is_made in stores if function not in _CONSTRUCTION or not is_made}
    kept = collections - replaced
    return parsed(text).visit(_ConstructionKept(kept)).code if kept else None


def _functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def _own_stores(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[tuple[str, bool]]:
    """The attributes that a function stores or deletes, and whether with a new collection."""
    made = {
        id(n.targets[0]): _is_collection(n.value) for n in ast.walk(function) if isinstance(n, ast.Assign)
    }
    return [
        (n.attr, made.get(id(n), False))
        for n in ast.walk(function)
        if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
    ]


def _is_collection(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return name in _MAKERS
    return isinstance(value, ast.Dict | ast.List | ast.Set)
