"""Mutators that call the same things by other names.

A new name keeps the words of the old one at its end (`lock` becomes `my_lock`, `Reader` becomes `OurReader`) and its
underscore in front, because the checker takes some names for what they say.
"""

from __future__ import annotations

import ast
from fnmatch import fnmatch

import libcst as cst
import libcst.matchers as m
from mutating import transformed

from lane_lint import Settings


def _mine(name: str) -> str:
    return f"_my{name}" if name.startswith("_") else f"my_{name}"


def _words_in_strings(tree: ast.Module) -> str:
    """Everything that stands in a string, a name of an attribute perhaps."""
    strings = [each.value for each in ast.walk(tree) if isinstance(each, ast.Constant)]
    return " ".join(each for each in strings if isinstance(each, str))


class _NamesRenamed(cst.CSTTransformer):
    def __init__(self, new: dict[str, str]) -> None:
        super().__init__()
        self._new = new

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self._new.get(updated_node.value, updated_node.value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


class _AllRenamed(_NamesRenamed):
    def __init__(self, names: dict[str, str], attributes: dict[str, str]) -> None:
        super().__init__(names)
        self._attributes = attributes

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        name = original_node.attr.value
        return updated_node.with_changes(attr=cst.Name(self._attributes.get(name, name)))


def renamed(text: str) -> str | None:
    """Local variables, fields, classes and the first parameter of methods get other names."""
    tree = ast.parse(text)
    names = _new_locals(tree) | _new_classes(tree) | _new_self(tree)
    return transformed(text, _AllRenamed(names, _new_attributes(tree)))


def _new_locals(tree: ast.Module) -> dict[str, str]:
    """Variables that functions assign and that mean nothing else anywhere in the file."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    stored = {n.id for f in functions for n in ast.walk(f) if isinstance(n, ast.Name) and _is_stored(n)}
    taken = {each for n in ast.walk(tree) for each in _other_meanings(n)}
    taken |= {n.id for each in _outside_functions(tree) for n in ast.walk(each) if isinstance(n, ast.Name)}
    return {name: _mine(name) for name in stored - taken}


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _other_meanings(node: ast.AST) -> list[str]:
    """Names that a node gives another meaning than that of a local variable."""
    match node:
        case ast.Global() | ast.Nonlocal():
            return list(node.names)
        case ast.arg():
            return [node.arg]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.alias():
            return [(node.asname or node.name).partition(".")[0]]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
    return []


def _outside_functions(tree: ast.Module) -> list[ast.stmt]:
    bodies = [tree.body, *(n.body for n in ast.walk(tree) if isinstance(n, ast.ClassDef))]
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [statement for body in bodies for statement in body if not isinstance(statement, definitions)]


def _new_attributes(tree: ast.Module) -> dict[str, str]:
    """Fields that methods assign on their object, and that no other object of the file has."""
    attributes = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute)]
    own = {n.attr for n in attributes if _is_of(n, "self") and isinstance(n.ctx, ast.Store)}
    foreign = {n.attr for n in attributes if not _is_of(n, "self")}
    taken = foreign | {each for n in ast.walk(tree) for each in _class_level_names(n)}
    strings = _words_in_strings(tree)
    return {name: _mine(name) for name in own - taken if name not in strings and not name.startswith("__")}


def _class_level_names(node: ast.AST) -> list[str]:
    """Names that a class gives its attributes by other means than `self.name = ...`."""
    if not isinstance(node, ast.ClassDef):
        return []
    return [n.id for each in node.body for n in _targets(each)] + [
        each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _targets(statement: ast.stmt) -> list[ast.Name]:
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return [each for each in targets if isinstance(each, ast.Name)]


def _new_classes(tree: ast.Module) -> dict[str, str]:
    """Top-level classes; those that a setting knows by their names keep them."""
    strings = _words_in_strings(tree)
    names = {each.name for each in tree.body if isinstance(each, ast.ClassDef)}
    known = {name for name in names for pattern in Settings().confined_classes if fnmatch(name, pattern)}
    return {name: _ours(name) for name in names - known if name not in strings}


def _ours(name: str) -> str:
    return f"_Our{name[1:]}" if name.startswith("_") else f"Our{name}"


def _new_self(tree: ast.Module) -> dict[str, str]:
    """The first parameter of methods may have any name; elsewhere its name tells what it is."""
    functions = {n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    methods = {each for n in ast.walk(tree) if isinstance(n, ast.ClassDef) for each in n.body}
    with_self = {each for each in functions if each.args.args and each.args.args[0].arg == "self"}
    return {"self": "this"} if with_self <= methods else {}


class _ImportsAliased(_NamesRenamed):
    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import:
        return updated_node.with_changes(names=[self._aliased(each) for each in original_node.names])

    def _aliased(self, name: cst.ImportAlias) -> cst.ImportAlias:
        if not isinstance(name.name, cst.Name) or name.asname is not None:
            return name
        alias = cst.AsName(cst.Name(self._new[name.name.value]))
        return name.with_changes(asname=alias)


def aliased_imports(text: str) -> str | None:
    """`import asyncio` becomes `import asyncio as asyncio_`."""
    imports = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import)]
    plain = [a.name for each in imports for a in each.names if "." not in a.name and not a.asname]
    return transformed(text, _ImportsAliased({name: f"{name}_" for name in plain})) if plain else None


class _FromImports(cst.CSTTransformer):
    """Takes one module's names from it, and its plain import for their import."""

    def __init__(self, module: str, names: list[str]) -> None:
        super().__init__()
        self._module = module
        self._names = names

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        return updated_node.attr if m.matches(updated_node.value, m.Name(self._module)) else updated_node

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.BaseSmallStatement:
        if not m.matches(updated_node, m.Import(names=[m.ImportAlias(m.Name(self._module), asname=None)])):
            return updated_node
        names = [cst.ImportAlias(cst.Name(name)) for name in self._names]
        return cst.ImportFrom(module=cst.Name(self._module), names=names)


def names_imported_one_by_one(text: str) -> str | None:
    """`asyncio.Lock()` becomes `Lock()`, with `from asyncio import Lock`."""
    changed = text
    for module in ("asyncio", "threading", "contextlib"):
        tree = ast.parse(changed)
        bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id != module}
        bound |= {each for n in ast.walk(tree) for each in _other_meanings(n)}
        names = sorted({n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and _is_of(n, module)})
        if names and not bound & set(names) and f"import {module}\n" in changed:
            changed = transformed(changed, _FromImports(module, names)) or changed
    return changed if changed != text else None


def _is_of(attribute: ast.Attribute, name: str) -> bool:
    return isinstance(attribute.value, ast.Name) and attribute.value.id == name
