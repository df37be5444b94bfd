"""A name from another module: the one that the module under change has already, or a new import."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst
from libcst import matchers
from libcst.helpers import get_full_name_for_node

from lane_lint.fixes.edits import Edit, insertion
from lane_lint.fixes.fixer import NotSafeError
from lane_lint.fixes.parsed import ParsedModule


def name_of_import(package: str, wanted: str, module: ParsedModule) -> tuple[str, tuple[Edit, ...]]:
    """How to write `wanted` of `package`, and the edits that import it; none where it is imported already.

    Raises:
        NotSafeError: The name means something else here, or the package is imported under a condition only.
    """
    imports = list(_imports_at_the_top(module))
    if known := _known_name(imports, package, wanted):
        if module.names.binds(known.partition(".")[0]):
            raise NotSafeError(f"'{known.partition('.')[0]}' has another meaning somewhere in this file")
        return known, ()
    if module.names.binds(wanted, imported=True):
        raise NotSafeError(f"'{wanted}' has another meaning in this file")
    for statement in imports:
        if _source_of(statement) == package and not isinstance(statement.names, cst.ImportStar):
            return wanted, (_added_alias(statement, wanted, module),)
    if _is_imported_somewhere(module.tree, package):
        raise NotSafeError(f"{package} is imported under a condition or inside a function here")
    return wanted, (_new_import(f"from {package} import {wanted}", module),)


def _imports_at_the_top(module: ParsedModule) -> Iterator[cst.Import | cst.ImportFrom]:
    for line in module.root.body:
        if isinstance(line, cst.SimpleStatementLine):
            yield from (part for part in line.body if isinstance(part, (cst.Import, cst.ImportFrom)))


def _known_name(imports: list[cst.Import | cst.ImportFrom], package: str, wanted: str) -> str | None:
    for statement in imports:
        if isinstance(statement.names, cst.ImportStar):
            continue
        for alias in statement.names:
            local = alias.evaluated_alias or alias.evaluated_name
            if isinstance(statement, cst.ImportFrom):
                if _source_of(statement) == package and alias.evaluated_name == wanted:
                    return local
            elif alias.evaluated_name == package:
                return f"{local}.{wanted}"
    return None


def _source_of(statement: cst.Import | cst.ImportFrom) -> str:
    """The absolute module that a statement imports names from; "" for a relative one and for a plain import."""
    if isinstance(statement, cst.Import) or statement.relative or statement.module is None:
        return ""
    return get_full_name_for_node(statement.module) or ""


def _added_alias(statement: cst.Import | cst.ImportFrom, wanted: str, module: ParsedModule) -> Edit:
    """Put the name among the others: in the order that sorted imports have, in the form that they have."""
    assert not isinstance(statement.names, cst.ImportStar)
    names = list(statement.names)
    later = next((each for each in names if _order(each.evaluated_name) > _order(wanted)), None)
    place = module.span(later or names[-1].name)
    above = module.span(names[-2].name).line if len(names) > 1 else module.span(statement).line
    has_own_line = module.span(names[-1].name).line > above
    separator = f",\n{module.indent_of(place.line)}" if has_own_line else ", "
    if later is not None:
        return insertion(place.line, place.column, f"{wanted}{separator}")
    last = module.span(names[-1])
    return insertion(last.end_line, last.end_column, f"{separator}{wanted}")


def _order(name: str) -> tuple[int, str]:
    """Constants, classes, then the rest, as sorted imports stand."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name


def _new_import(text: str, module: ParsedModule) -> Edit:
    """A line behind the last import at the top of the module, or behind its docstring."""
    line = 0
    for number, statement in enumerate(module.root.body):
        is_docstring = number == 0 and matchers.matches(
            statement, matchers.SimpleStatementLine(body=[matchers.Expr(matchers.SimpleString())])
        )
        is_import = matchers.matches(
            statement, matchers.SimpleStatementLine(body=[matchers.Import() | matchers.ImportFrom()])
        )
        if is_docstring or is_import:
            line = module.span(statement).end_line
    if line == 0:
        raise NotSafeError("this file has no imports to put one beside")
    return insertion(line + 1, 0, f"{text}\n")


def _is_imported_somewhere(tree: ast.Module, package: str) -> bool:
    return any(
        (isinstance(node, ast.ImportFrom) and not node.level and node.module == package)
        or (isinstance(node, ast.Import) and any(alias.name == package for alias in node.names))
        for node in ast.walk(tree)
    )
