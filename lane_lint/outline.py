"""What a module holds, from its `ast`: imports, globals, classes, functions, and who touches what.

This is the cheap look at every definition. It decides which ones are worth the dear look (see
`gate`), and it knows who else writes a piece of state, which no single function can tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from lane_lint.sketch import Sketch, dotted, sketch_function

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

CONSTRUCTION = frozenset(
    {
        "__init__",
        "__post_init__",
        "__new__",
        "__set_name__",
        "__init_subclass__",
        "setUp",
        "asyncSetUp",
        "setup_method",
    }
)


@dataclass(slots=True, eq=False)
class FunctionOutline:
    """One top-level function or method."""

    name: str
    node: Definition
    owner: ClassOutline | None
    decorators: tuple[str, ...]
    sketch: Sketch

    @property
    def label(self) -> str:
        return f"{self.owner.name}.{self.name}" if self.owner else self.name

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, ast.AsyncFunctionDef)

    @property
    def is_private(self) -> bool:
        return self.name.startswith("_") and not self.name.endswith("__")

    @property
    def is_stub(self) -> bool:
        """Whether the body is only a promise: `...`, `pass`, a docstring, `raise NotImplementedError`."""
        if any(d.rpartition(".")[2] in ("abstractmethod", "overload") for d in self.decorators):
            return True
        return all(map(_says_nothing, self.node.body))

    @property
    def is_property(self) -> bool:
        return any(d.rpartition(".")[2] in ("property", "cached_property") for d in self.decorators)

    @property
    def is_setter(self) -> bool:
        return any(d.endswith(".setter") for d in self.decorators)

    @property
    def is_static(self) -> bool:
        return "staticmethod" in self.decorators


@dataclass(slots=True, eq=False)
class ClassOutline:
    """One class: its own methods and what its attributes are made from.

    Attributes:
        makers: What an attribute is made from: dotted names of constructors and annotations.
        item_makers: The same for the entries of a collection attribute.
    """

    name: str
    node: ast.ClassDef
    bases: tuple[str, ...]
    methods: dict[str, FunctionOutline] = field(default_factory=dict)
    setters: dict[str, FunctionOutline] = field(default_factory=dict)
    makers: dict[str, set[str]] = field(default_factory=dict)
    item_makers: dict[str, set[str]] = field(default_factory=dict)
    class_attributes: set[str] = field(default_factory=set)

    def functions(self) -> Iterator[FunctionOutline]:
        yield from self.methods.values()
        yield from self.setters.values()


@dataclass(slots=True)
class ModuleOutline:
    """A module at a glance.

    Attributes:
        imports: Local name -> dotted name of what was imported.
        global_makers: Module global -> dotted names of what it is made from; "" for a display.
    """

    imports: dict[str, str] = field(default_factory=dict)
    functions: dict[str, FunctionOutline] = field(default_factory=dict)
    classes: dict[str, ClassOutline] = field(default_factory=dict)
    global_makers: dict[str, set[str]] = field(default_factory=dict)
    global_item_makers: dict[str, set[str]] = field(default_factory=dict)
    families: dict[ClassOutline, list[ClassOutline]] = field(default_factory=dict)

    def class_order(self, owner: ClassOutline) -> list[ClassOutline]:
        """The class and its bases in this module, nearest first."""
        order, pending = [], [owner]
        while pending:
            current = pending.pop(0)
            if current not in order:
                order.append(current)
                pending.extend(self.classes[base] for base in current.bases if base in self.classes)
        return order

    def family(self, owner: ClassOutline) -> list[ClassOutline]:
        """Every class of this module whose methods may run on the same object, nearest bases first."""
        if owner not in self.families:
            family = self.class_order(owner)
            for each in self.classes.values():
                order = self.class_order(each)
                if owner in order:
                    family.extend(c for c in order if c not in family)
            self.families[owner] = family
        return self.families[owner]

    def all_functions(self) -> Iterator[FunctionOutline]:
        yield from self.functions.values()
        for each in self.classes.values():
            yield from each.functions()

    def resolve(self, name: str) -> str:
        """The dotted name behind a local spelling: `aio.Lock` after `import asyncio as aio`."""
        head, dot, rest = name.partition(".")
        return self.imports.get(head, head) + dot + rest


def _says_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        return dotted(statement.exc) == "NotImplementedError"
    return isinstance(statement, ast.Pass)


def outline_module(tree: ast.Module) -> ModuleOutline:
    """Look over a whole module once."""
    module = ModuleOutline()
    _collect_imports(module, tree)
    _collect_body(module, tree.body)
    for function in module.all_functions():
        _collect_makers(module, function)
    return module


def _collect_imports(module: ModuleOutline, tree: ast.Module) -> None:
    """Imports of the module and those inside functions: both name the same things."""
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
            for name, value, annotation in assigned_names(node):
                module.global_makers.setdefault(name, set()).update(_makers_of(module, value, annotation))
                module.global_item_makers.setdefault(name, set()).update(_item_makers_of(module, value))


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
        for name, value, annotation in assigned_names(statement):
            found.class_attributes.add(name)
            found.makers.setdefault(name, set()).update(_makers_of(module, value, annotation))
            found.item_makers.setdefault(name, set()).update(_item_makers_of(module, value))
    return found


def assigned_names(node: ast.stmt) -> Iterator[tuple[str, ast.expr | None, ast.expr | None]]:
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
            value = _annotated_parameter(function.node, value) or value
            owner.makers.setdefault(attribute, set()).update(_makers_of(module, value, annotation))
            owner.item_makers.setdefault(attribute, set()).update(_item_makers_of(module, value))
    for attribute, value in function.sketch.attribute_items:
        if owner is not None:
            owner.item_makers.setdefault(attribute, set()).update(_makers_of(module, value, None))
    for name, value in function.sketch.name_items:
        module.global_item_makers.setdefault(name, set()).update(_makers_of(module, value, None))


def _annotated_parameter(node: Definition, value: ast.expr | None) -> ast.expr | None:
    """The annotation of the parameter that `value` names: `self._lock = lock` tells what `lock: Lock` is."""
    if not isinstance(value, ast.Name):
        return None
    for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        if argument.arg == value.id:
            return argument.annotation
    return None


def _makers_of(module: ModuleOutline, value: ast.expr | None, annotation: ast.expr | None) -> Iterator[str]:
    if annotation is not None:
        yield from (module.resolve(name) for name in annotated_types(annotation))
    if isinstance(value, ast.Call):
        name = dotted(value.func)
        if name is None:
            return
        yield module.resolve(name) + _permits(value)
        for keyword in value.keywords:
            if keyword.arg in ("default_factory", "factory") and (made := dotted(keyword.value)):
                yield module.resolve(made)
    elif isinstance(value, (ast.BoolOp, ast.IfExp)):
        parts = value.values if isinstance(value, ast.BoolOp) else [value.body, value.orelse]
        for part in parts:
            yield from _makers_of(module, part, None)
    elif isinstance(value, (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)):
        yield type(value).__name__.removesuffix("Comp").lower()
    elif isinstance(value, (ast.Name, ast.Attribute)):
        name = dotted(value)
        if name is not None:
            yield from (module.resolve(name),)


def _permits(call: ast.Call) -> str:
    """A semaphore with one permit is a lock; its maker is marked `(1)`."""
    name = dotted(call.func) or ""
    if not name.endswith("Semaphore"):
        return ""
    first = (
        call.args[0]
        if call.args
        else next((k.value for k in call.keywords if k.arg in ("value", "initial_value")), None)
    )
    return "(1)" if first is None or (isinstance(first, ast.Constant) and first.value == 1) else ""


def _item_makers_of(module: ModuleOutline, value: ast.expr | None) -> Iterator[str]:
    """What the entries are: `defaultdict(asyncio.Lock)`, `{k: Lock() for k in keys}`, `[Lock()] * n`."""
    if isinstance(value, ast.Call) and (dotted(value.func) or "").endswith(
        ("defaultdict", "WeakValueDictionary")
    ):
        for argument in value.args:
            target = argument.body if isinstance(argument, ast.Lambda) else argument
            name = dotted(target.func if isinstance(target, ast.Call) else target)
            if name:
                yield module.resolve(name)
    elif isinstance(value, ast.DictComp):
        yield from _makers_of(module, value.value, None)
    elif isinstance(value, (ast.ListComp, ast.SetComp)):
        yield from _makers_of(module, value.elt, None)


def annotated_types(annotation: ast.expr) -> Iterator[str]:
    """The names of an annotation's alternatives: `Lock`, `Lock | None`, `Optional[Lock]`, `"Lock"`."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except (SyntaxError, ValueError):
            return
    if isinstance(annotation, ast.BinOp):
        yield from annotated_types(annotation.left)
        yield from annotated_types(annotation.right)
    elif isinstance(annotation, ast.Subscript):
        container = dotted(annotation.value) or ""
        if container.rpartition(".")[2] in ("Optional", "ClassVar", "Final", "Annotated"):
            inner = annotation.slice
            yield from annotated_types(
                inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
            )
        elif container:
            yield container
        if container.rpartition(".")[2] == "Final":
            yield "typing.Final"
    elif name := dotted(annotation):
        yield name
