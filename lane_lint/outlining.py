"""Makes a module's outline: one look over its statements and a sketch of each definition."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lane_lint.makers import annotated_parameter, item_makers_of, makers_of
from lane_lint.outline import ClassOutline, Definition, FunctionOutline, ModuleOutline
from lane_lint.sketch import dotted
from lane_lint.sketching import sketch_function


def outline_module(tree: ast.Module) -> ModuleOutline:
    """Look over a whole module once."""
    module = ModuleOutline()
    _collect_imports(module, tree)
    _collect_body(module, tree.body)
    for function in module.all_functions():
        _collect_makers(module, function)
    return module


def _collect_imports(module: ModuleOutline, tree: ast.Module) -> None:
    """Imports at the level of the module, those under `if` and `try` too."""
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                module.imports[name] = alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom):
            prefix = "." * node.level + (node.module or "")
            for alias in node.names:
                module.imports[alias.asname or alias.name] = f"{prefix}.{alias.name}"
        elif isinstance(node, (ast.If, ast.Try)):
            pending.extend(node.body)
            pending.extend(node.orelse)
            if isinstance(node, ast.Try):
                pending.extend(statement for handler in node.handlers for statement in handler.body)


def _collect_body(module: ModuleOutline, statements: list[ast.stmt]) -> None:
    for node in statements:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            module.functions[node.name] = _function(node, None)
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = _class(module, node)
        elif isinstance(node, (ast.If, ast.Try)):
            _collect_body(module, [*node.body, *node.orelse])
        else:
            for name, value, annotation in _assigned_names(node):
                module.global_makers.setdefault(name, set()).update(makers_of(module, value, annotation))
                module.global_item_makers.setdefault(name, set()).update(item_makers_of(module, value))


def _function(node: Definition, owner: ClassOutline | None) -> FunctionOutline:
    decorators = tuple(filter(None, (dotted(d) for d in node.decorator_list)))
    return FunctionOutline(node.name, node, owner, decorators, sketch_function(node))


def _class(module: ModuleOutline, node: ast.ClassDef) -> ClassOutline:
    bases = tuple(filter(None, (dotted(base) for base in node.bases)))
    found = ClassOutline(node.name, node, bases)
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = _function(statement, found)
            (found.setters if function.is_setter else found.methods)[function.name] = function
        for name, value, annotation in _assigned_names(statement):
            found.makers.setdefault(name, set()).update(makers_of(module, value, annotation))
            found.item_makers.setdefault(name, set()).update(item_makers_of(module, value))
    return found


def _assigned_names(node: ast.stmt) -> Iterator[tuple[str, ast.expr | None, ast.expr | None]]:
    """Name, value and annotation of each plain assignment in a statement."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value, None
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value, node.annotation


def _collect_makers(module: ModuleOutline, function: FunctionOutline) -> None:
    """Learn from `self.x = Maker()` and from stores into entries what attributes and globals are."""
    owner = function.owner
    for attribute, value, annotation in function.sketch.attribute_values:
        if owner is not None:
            value = annotated_parameter(function.node, value) or value
            owner.makers.setdefault(attribute, set()).update(makers_of(module, value, annotation))
            owner.item_makers.setdefault(attribute, set()).update(item_makers_of(module, value))
    for attribute, value in function.sketch.attribute_items:
        if owner is not None:
            owner.item_makers.setdefault(attribute, set()).update(makers_of(module, value, None))
    for name, value in function.sketch.name_items:
        module.global_item_makers.setdefault(name, set()).update(makers_of(module, value, None))
