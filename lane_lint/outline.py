"""What a module holds: imports, globals, classes, functions, and who touches what.

This is what the cheap look at every definition finds. It decides which ones are worth the dear look
(see `gate`), and it knows who else writes a piece of state, which no single function can tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from lane_lint.foreign import Foreign, Origin
from lane_lint.sketch import Sketch, dotted

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
    """One top-level function or method.

    Attributes:
        node: Of a function of another module only name, parameters and line are there.
        origin: The other module that the function stands in; None for the module under analysis.
    """

    name: str
    node: Definition
    owner: ClassOutline | None
    decorators: tuple[str, ...]
    sketch: Sketch
    origin: Origin | None = None

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, ast.AsyncFunctionDef)

    @property
    def stands_at(self) -> str:
        """Its line, for a message, with its file when that is another one."""
        line = f"line {self.node.lineno}"
        return f"{self.origin.file} {line}" if self.origin is not None else line

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

    def annotation_of(self, parameter: str) -> str:
        """The source of a parameter's annotation; empty where there is none."""
        arguments = self.node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.arg == parameter and argument.annotation is not None:
                return ast.unparse(argument.annotation)
        return ""

    @property
    def is_static(self) -> bool:
        return "staticmethod" in self.decorators


@dataclass(slots=True, eq=False)
class ClassOutline:
    """One class: its own methods and what its attributes are made from.

    Attributes:
        parents: Those of the bases that are known, in order.
        makers: What an attribute is made from: dotted names of constructors and annotations.
        item_makers: The same for the entries of a collection attribute.
        origin: The other module that the class stands in; None for the module under analysis.
    """

    name: str
    node: ast.ClassDef
    bases: tuple[str, ...]
    parents: list[ClassOutline] = field(default_factory=list)
    methods: dict[str, FunctionOutline] = field(default_factory=dict)
    setters: dict[str, FunctionOutline] = field(default_factory=dict)
    makers: dict[str, set[str]] = field(default_factory=dict)
    item_makers: dict[str, set[str]] = field(default_factory=dict)
    origin: Origin | None = None

    def dissolve(self) -> None:
        """Break the circles of the class, its methods and its relatives when nobody needs them any more."""
        for each in (self.methods, self.setters, self.parents):
            each.clear()

    def functions(self) -> Iterator[FunctionOutline]:
        """Methods first, then setters."""
        yield from (*self.methods.values(), *self.setters.values())


@dataclass(slots=True)
class ModuleOutline:
    """A module at a glance.

    Attributes:
        imports: Local name -> dotted name of what was imported.
        stars: Dotted names of the modules from which everything is imported.
        global_makers: Module global -> dotted names of what it is made from.
        global_item_makers: The same for the entries of a global collection.
        sets_eager_tasks: A statement of the module itself gives a loop a factory whose tasks start eagerly.
        foreign: What other modules of the project lend; None when no other module is looked at.
        families: What `family` has found so far.
        methods_found: What `method` has found so far.
    """

    imports: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    functions: dict[str, FunctionOutline] = field(default_factory=dict)
    classes: dict[str, ClassOutline] = field(default_factory=dict)
    global_makers: dict[str, set[str]] = field(default_factory=dict)
    global_item_makers: dict[str, set[str]] = field(default_factory=dict)
    sets_eager_tasks: bool = False
    foreign: Foreign | None = None
    families: dict[ClassOutline, list[ClassOutline]] = field(default_factory=dict)
    methods_found: dict[tuple[ClassOutline, str], FunctionOutline | None] = field(default_factory=dict)

    def dissolve(self) -> None:
        """Break the circles of classes and methods when nobody needs the outline any more.

        The syntax of the whole module hangs on them, and the collector takes long to find that out.
        """
        for each in self.classes.values():
            each.dissolve()
        self.foreign = None
        self.families.clear()
        self.methods_found.clear()

    def class_order(self, owner: ClassOutline) -> list[ClassOutline]:
        """The class and its known bases, nearest first."""
        order, pending = [], [owner]
        while pending:
            current = pending.pop(0)
            if current not in order:
                order.append(current)
                pending.extend(current.parents)
        return order

    def family(self, owner: ClassOutline) -> list[ClassOutline]:
        """Every known class whose methods may run on the same object, nearest bases first."""
        if owner not in self.families:
            family = self.class_order(owner)
            for each in self.classes.values():
                order = self.class_order(each)
                if owner in order:
                    family.extend(c for c in order if c not in family)
            self.families[owner] = family
        return self.families[owner]

    def method(
        self, owner: ClassOutline, name: str, *, after: ClassOutline | None = None
    ) -> FunctionOutline | None:
        """The method that `name` means on an instance of `owner`; behind `after` for `super()`."""
        if after is not None:
            order = self.class_order(owner)
            behind = order[order.index(after) + 1 :] if after in order else order
            return next((c.methods[name] for c in behind if name in c.methods), None)
        key = (owner, name)
        if key not in self.methods_found:
            order = self.class_order(owner)
            self.methods_found[key] = next((c.methods[name] for c in order if name in c.methods), None)
        return self.methods_found[key]

    def only_override(self, owner: ClassOutline, name: str) -> FunctionOutline | None:
        """The method of a subclass that a base class calls without having it, when there is just one."""
        found = [each.methods[name] for each in self.family(owner) if name in each.methods]
        return found[0] if len(found) == 1 else None

    def only_class_with(self, method: str) -> ClassOutline | None:
        """The class that defines a method, when no other class of the module does."""
        found = [c for c in self.classes.values() if method in c.methods]
        return found[0] if len(found) == 1 else None

    def setter(self, owner: ClassOutline, name: str) -> FunctionOutline | None:
        """The function that an assignment to the attribute calls, on an instance of `owner`."""
        return next((c.setters[name] for c in self.class_order(owner) if name in c.setters), None)

    def has_callers(self, function: FunctionOutline) -> bool:
        """Whether a function of the same class or module calls it."""
        if function.owner is None:
            return any(function.name in f.sketch.name_calls for f in self.all_functions())
        family = self.family(function.owner)
        return any(
            function.name in f.sketch.own_calls for c in family for f in c.functions() if f is not function
        )

    def all_functions(self) -> Iterator[FunctionOutline]:
        """Plain functions, then the methods of each class."""
        yield from self.functions.values()
        for each in self.classes.values():
            yield from each.functions()

    def resolve(self, name: str) -> str:
        """The dotted name behind a local spelling: `aio.Lock` after `import asyncio as aio`."""
        head, dot, rest = name.partition(".")
        return self.imports.get(head, head) + dot + rest

    def class_named(self, name: str) -> ClassOutline | None:
        """The class that a name means in this module, or that its absolute dotted name leads to."""
        if name in self.classes:
            return self.classes[name]
        return self.foreign.class_of_instances(self.resolve(name)) if self.foreign is not None else None

    def function_named(self, name: str) -> FunctionOutline | None:
        """The plain function that a name means in this module, or that its absolute dotted name leads to."""
        if name in self.functions:
            return self.functions[name]
        return self.foreign.function_named(self.resolve(name)) if self.foreign is not None else None

    def foreign_global(self, name: str) -> str | None:
        """The one name of another module's global, when the absolute dotted name leads to one."""
        return self.foreign.global_named(name) if self.foreign is not None else None

    def makers_of_global(self, name: str) -> set[str]:
        """What a global is made from; another module's is asked for by its one name."""
        if name in self.global_makers or self.foreign is None or "." not in name:
            return self.global_makers.get(name, set())
        return self.foreign.makers(name)

    def item_makers_of_global(self, name: str) -> set[str]:
        """The same for the entries of a global collection."""
        if name in self.global_item_makers or self.foreign is None or "." not in name:
            return self.global_item_makers.get(name, set())
        return self.foreign.item_makers(name)


def _says_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        return dotted(statement.exc) == "NotImplementedError"
    return isinstance(statement, ast.Pass)
