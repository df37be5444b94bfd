"""Mutators that put things elsewhere: methods in another order, a module's state and functions into a class."""

from __future__ import annotations

import ast
import re

import libcst as cst
import libcst.matchers as m
from mutating import (
    Statement,
    block,
    is_docstring,
    is_stub,
    line,
    only_small_statement,
    parsed,
    transformed,
)

_DECORATORS_THAT_FIT = m.Decorator(decorator=m.Name("property") | m.Name("turn") | m.Name("on_lane"))


class _Reversed(cst.CSTTransformer):
    """Reverses the methods of a class among the places that methods have in it."""

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Statement:
        statements = list(updated_node.body.body)
        places = [at for at, each in enumerate(statements) if isinstance(each, cst.FunctionDef)]
        methods = [statements[at] for at in places]
        if len({each.name.value for each in methods}) < len(methods) or _refer_to_each_other(updated_node):
            return updated_node
        for at, method in zip(places, reversed(methods), strict=True):
            statements[at] = method
        return updated_node.with_changes(body=updated_node.body.with_changes(body=statements))


def _refer_to_each_other(owner: cst.ClassDef) -> bool:
    """Whether something that runs with the class body needs a method above it."""
    return any(
        isinstance(each, cst.FunctionDef)
        and not all(m.matches(d, _DECORATORS_THAT_FIT) for d in each.decorators)
        for each in owner.body.body
    ) or any(m.findall(each, m.Name()) for each in owner.body.body if m.matches(each, _CLASS_LEVEL))


_CLASS_LEVEL = m.SimpleStatementLine(body=[m.Assign()])


class _IntoClass(cst.CSTTransformer):
    """Makes methods of functions, and fields of what they share."""

    def __init__(self, members: set[str]) -> None:
        super().__init__()
        self._members = members
        self._depth = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._depth += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> Statement:
        self._depth -= 1
        if self._depth:
            return updated_node
        parameters = updated_node.params
        own = [cst.Param(cst.Name("self")), *parameters.params]
        return updated_node.with_changes(params=parameters.with_changes(params=own))

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if original_node.value not in self._members:
            return updated_node
        return cst.Attribute(cst.Name("self"), updated_node)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Global(
        self, original_node: cst.Global, updated_node: cst.Global
    ) -> cst.BaseSmallStatement | cst.RemovalSentinel:
        return cst.Pass()


def module_in_a_class(text: str) -> str | None:
    """A module of functions that share plain variables becomes a class with the same methods and fields."""
    tree = ast.parse(text)
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    fields = {n.targets[0].id for n in tree.body if isinstance(n, ast.Assign) and _is_plain(n)}
    fields |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign) and _is_plain_annotated(n)}
    members = fields | {each.name for each in functions}
    if not fields or not functions or not _is_only_functions(tree, members):
        return None
    return _wrapped(parsed(text), fields, members).code


def _is_plain(assignment: ast.Assign) -> bool:
    return len(assignment.targets) == 1 and isinstance(assignment.targets[0], ast.Name)


def _is_plain_annotated(assignment: ast.AnnAssign) -> bool:
    return isinstance(assignment.target, ast.Name) and assignment.value is not None


def _is_only_functions(tree: ast.Module, members: set[str]) -> bool:
    """Whether each top-level statement fits, and the names of the members mean nothing else anywhere."""
    fitting = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef)
    if not all(isinstance(n, fitting) or _is_doc(n) for n in tree.body):
        return False
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    if any(n.decorator_list or n.args.posonlyargs for n in functions):
        return False
    inner = [n for f in functions for each in f.body for n in ast.walk(each)]
    bound = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    bound |= {n.name for n in inner if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    for function in functions:
        declared = {name for n in ast.walk(function) if isinstance(n, ast.Global) for name in n.names}
        stored = {
            n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        bound |= stored - declared
    return not bound & members and "self" not in bound


def _is_doc(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _wrapped(module: cst.Module, fields: set[str], members: set[str]) -> cst.Module:
    outside = [
        each for each in module.body if not isinstance(each, cst.FunctionDef) and not _targets(each, fields)
    ]
    built = [each.visit(_IntoClass(members)) for each in module.body if _targets(each, fields)]
    methods = [_method(each, members) for each in module.body if isinstance(each, cst.FunctionDef)]
    start = cst.parse_statement("def __init__(self):\n    pass\n").with_changes(body=block(built))
    owner = cst.parse_statement("class CaseOwner:\n    pass\n").with_changes(body=block([start, *methods]))
    return module.with_changes(body=[*outside, owner])


def _targets(statement: cst.CSTNode, fields: set[str]) -> bool:
    small = only_small_statement(statement)
    match small:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return name in fields
        case cst.AnnAssign(target=cst.Name(value=name)):
            return name in fields
    return False


def _method(function: cst.FunctionDef, members: set[str]) -> Statement:
    return function.visit(_IntoClass(members)).with_changes(name=function.name)


class _Inherited(cst.CSTTransformer):
    """Every class becomes the base of an empty one with its name, and gets an empty base if it has none."""

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> Statement | cst.FlattenSentinel[Statement]:
        if updated_node.decorators or re.search(r"\bsuper\b|__class__", _code(original_node)):
            return updated_node
        name = updated_node.name.value
        bases = updated_node.bases
        if not bases and not updated_node.keywords:
            bases = [cst.Arg(cst.Name("CaseBase"))]
        base = updated_node.with_changes(name=cst.Name(f"Base{name}"), bases=bases)
        heir = cst.parse_statement(f"class {name}(Base{name}):\n    pass\n")
        return cst.FlattenSentinel([base, heir])

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False


def everything_inherited(text: str) -> str | None:
    return transformed(text, _Inherited(), needs="class ", head=("class CaseBase:\n    pass\n",))


class _Delegated(cst.CSTTransformer):
    """The body of each plain public method moves into a private one, which the public one calls."""

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> Statement:
        statements = [part for each in updated_node.body.body for part in self._parts(each)]
        return updated_node.with_changes(body=updated_node.body.with_changes(body=statements))

    def _parts(self, statement: Statement) -> list[Statement]:
        if not isinstance(statement, cst.FunctionDef) or not _is_plain_method(statement):
            return [statement]
        name, parameters = statement.name.value, statement.params
        given = [each.name.value for each in parameters.params[1:]]
        given += [f"{each.name.value}={each.name.value}" for each in parameters.kwonly_params]
        waiting = "await " if statement.asynchronous else ""
        call = line(f"return {waiting}{parameters.params[0].name.value}._{name}_body({', '.join(given)})")
        marks = "  ".join(re.findall(r"# expect: .*", _code(statement.body)))
        if marks:
            end = cst.TrailingWhitespace(cst.SimpleWhitespace("  "), cst.Comment(marks))
            call = call.with_changes(trailing_whitespace=end)
        inner = statement.with_changes(name=cst.Name(f"_{name}_body"), leading_lines=[])
        outer = block([call]).with_changes(header=statement.body.header)
        return [statement.with_changes(body=outer), inner]


def _is_plain_method(function: cst.FunctionDef) -> bool:
    parameters = function.params
    return not (
        function.name.value.startswith("_")
        or function.decorators
        or is_stub(function)
        or isinstance(parameters.star_arg, cst.Param)
        or parameters.star_kwarg
        or parameters.posonly_params
        or not parameters.params
        or re.search(r"\b(?:yield|nonlocal|super)\b", _code(function.body))
    )


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def delegated_to_private_methods(text: str) -> str | None:
    return transformed(text, _Delegated())


def classes_turned_round(text: str) -> str | None:
    """Methods are reversed; the classes of a module that has nothing else are made by a function besides."""
    module = parsed(text).visit(_Reversed())
    changed = (_in_a_function(module) or module).code
    return changed if changed != text else None


def _in_a_function(module: cst.Module) -> cst.Module | None:
    classes = [each for each in module.body if isinstance(each, cst.ClassDef)]
    stays = [each for each in module.body if _is_import(each) or is_docstring(each)]
    if not classes or len(classes) + len(stays) < len(module.body):
        return None
    answer = line(f"return {', '.join(each.name.value for each in classes)}")
    scope = cst.parse_statement("def case_scope():\n    pass\n").with_changes(body=block([*classes, answer]))
    return module.with_changes(body=[*stays, scope])


def _is_import(statement: cst.CSTNode) -> bool:
    return isinstance(only_small_statement(statement), cst.Import | cst.ImportFrom)
