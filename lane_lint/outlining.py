"""Makes a module's outline: one look over its statements and a sketch of each definition."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator

from lane_lint.makers import item_makers_of, makers_of, told_by_parameter
from lane_lint.method_names import EAGER_FACTORIES
from lane_lint.outline import ClassOutline, Definition, FunctionOutline, ModuleOutline
from lane_lint.sketch import dotted
from lane_lint.sketching import sketch_function

# Values that tell by themselves what they are.
_MAKING = (
    ast.Call,
    ast.Attribute,
    ast.Dict,
    ast.List,
    ast.Set,
    ast.DictComp,
    ast.ListComp,
    ast.SetComp,
)


def outline_module(tree: ast.Module, package: str = "") -> ModuleOutline:
    """Look over a whole module once.

    Args:
        package: The dotted name of the package that relative imports start from; "" leaves them relative.
    """
    module = ModuleOutline()
    _collect_imports(module, _statements(tree.body), package)
    _collect_body(module, tree.body)
    functions = list(module.all_functions())
    for function in functions:
        _collect_imports(module, function.sketch.imports, package)
    for function in functions:
        _collect_makers(module, function)
    for each in module.classes.values():
        each.parents = [module.classes[base] for base in each.bases if base in module.classes]
    return module


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run where `body` runs: those under `if`, `try`, `with` and loops too, not those of functions."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for part in ("body", "orelse", "handlers", "cases", "finalbody"):
                for inner in getattr(node, part, ()):
                    yield from _statements(inner.body if part in ("handlers", "cases") else [inner])


def imports_of(tree: ast.Module, package: str) -> dict[str, str]:
    """The imports at a module's level alone: local name -> dotted name."""
    module = ModuleOutline()
    _collect_imports(module, _statements(tree.body), package)
    return module.imports


def _collect_imports(module: ModuleOutline, nodes: Iterable[ast.stmt], package: str) -> None:
    """Note what names are imported as; the first import of a name is the one that counts."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                module.imports.setdefault(name, alias.name if alias.asname else name)
        elif isinstance(node, ast.ImportFrom):
            prefix = _imported_from(node, package)
            for alias in node.names:
                if alias.name == "*":
                    module.stars.append(prefix)
                else:
                    module.imports.setdefault(alias.asname or alias.name, f"{prefix}.{alias.name}")


def _imported_from(node: ast.ImportFrom, package: str) -> str:
    """The module that names are imported from, absolute where the package is known and reaches so far."""
    parents = package.split(".")
    if not node.level or not package or node.level > len(parents):
        return "." * node.level + (node.module or "")
    return ".".join([*parents[: len(parents) - node.level + 1], *([node.module] if node.module else [])])


def _collect_body(module: ModuleOutline, body: list[ast.stmt]) -> None:
    for node in _statements(body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = _function(node, None)
            module.functions[_free_name(module.functions, node)] = function
            for inner in function.sketch.classes:
                _collect_class(module, inner)
        elif isinstance(node, ast.ClassDef):
            _collect_class(module, node)
        else:
            module.sets_eager_tasks = module.sets_eager_tasks or _sets_eager_tasks(module, node)
            for name, value, annotation in _assigned_names(node):
                module.global_makers.setdefault(name, set()).update(makers_of(module, value, annotation))
                module.global_item_makers.setdefault(name, set()).update(
                    item_makers_of(module, value, annotation)
                )


def _sets_eager_tasks(module: ModuleOutline, node: ast.stmt) -> bool:
    """Whether a statement is `loop.set_task_factory(asyncio.eager_task_factory)`."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    if (dotted(node.value.func) or "").rpartition(".")[2] != "set_task_factory":
        return False
    return any(module.resolve(dotted(argument) or "") in EAGER_FACTORIES for argument in node.value.args)


def _free_name(table: Container[str], node: Definition | ast.ClassDef) -> str:
    """The name of a definition, with its line when an earlier one in this table has the name already."""
    return node.name if node.name not in table else f"{node.name}@{node.lineno}"


def _collect_class(module: ModuleOutline, node: ast.ClassDef) -> None:
    """A class, and those inside it or inside its methods, each on its own."""
    found = _class(module, node)
    module.classes[_free_name(module.classes, node)] = found
    inner = [statement for statement in _statements(node.body) if isinstance(statement, ast.ClassDef)]
    for each in (*inner, *(c for function in found.functions() for c in function.sketch.classes)):
        _collect_class(module, each)


def _function(node: Definition, owner: ClassOutline | None) -> FunctionOutline:
    decorators = tuple(filter(None, (dotted(d) for d in node.decorator_list)))
    return FunctionOutline(node.name, node, owner, decorators, sketch_function(node))


def _class(module: ModuleOutline, node: ast.ClassDef) -> ClassOutline:
    bases = tuple(filter(None, (dotted(base) for base in node.bases)))
    found = ClassOutline(node.name, node, bases)
    for statement in _statements(node.body):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = _function(statement, found)
            table = found.setters if function.is_setter else found.methods
            is_overload = any(d.rpartition(".")[2] == "overload" for d in function.decorators)
            if not is_overload:
                table[_free_name(table, statement)] = function
        for name, value, annotation in _assigned_names(statement):
            found.makers.setdefault(name, set()).update(makers_of(module, value, annotation))
            found.item_makers.setdefault(name, set()).update(item_makers_of(module, value, annotation))
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
            value, annotation = told_by_parameter(function.node, _made(function, value), annotation)
            owner.makers.setdefault(attribute, set()).update(makers_of(module, value, annotation))
            owner.item_makers.setdefault(attribute, set()).update(item_makers_of(module, value, annotation))
    for attribute, entry in function.sketch.attribute_items:
        if owner is not None:
            value = _made(function, entry)
            owner.item_makers.setdefault(attribute, set()).update(makers_of(module, value, None))
    for name, entry in function.sketch.name_items:
        value = _made(function, entry)
        module.global_item_makers.setdefault(name, set()).update(makers_of(module, value, None))


def _made(function: FunctionOutline, value: ast.expr | None) -> ast.expr | None:
    """What a value was made by: `lock = Lock()`, `self._lock = lock` tells what `self._lock` is."""
    made = function.sketch.local_values.get(value.id) if isinstance(value, ast.Name) else None
    return made if isinstance(made, _MAKING) else value
