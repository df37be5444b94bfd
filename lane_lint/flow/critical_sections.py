"""Critical sections of classes: methods that do all they do with their object under one hold of its lock."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lane_lint.flow.locks import lock_kind
from lane_lint.method_names import ENTERS_ON_STACK
from lane_lint.outline import CONSTRUCTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lane_lint.outline import ClassOutline, FunctionOutline, ModuleOutline
    from lane_lint.sketch import Sketch

# Methods that say something about the object and are no operation on its content.
NO_OPERATIONS = frozenset(
    {"__repr__", "__str__", "__enter__", "__exit__", "__del__", "__getstate__", "__reduce__"}
)


class CriticalSections:
    """Answers from the `ast` for one class with its bases in the module.

    Attributes:
        locks: The attributes that are locks with one holder.
        operations: The public methods, construction apart.
    """

    def __init__(self, module: ModuleOutline, owner: ClassOutline) -> None:
        order = module.class_order(owner)
        functions = [f for c in order for f in c.functions()]
        self._module = module
        self.locks = {n for c in order for n, made in c.makers.items() if _is_lock(made)}
        self.operations = [f for f in functions if _is_operation(f)]
        self._functions = {f.name: f for f in reversed(functions)}
        later = [f for f in functions if f.name not in CONSTRUCTION]
        # What nobody changes after construction needs no lock; what a method does may need one.
        self._delicate = {w.attribute for f in later for w in f.sketch.writes} - self.locks
        self._delicate |= {f.name for f in functions}
        self._rebound = {w.attribute for f in later for w in f.sketch.writes if not w.link}

    def is_one(self, function: FunctionOutline, callers: frozenset[str] = frozenset()) -> bool:
        """Whether a method is one critical section, or leaves all to one that is, or touches nothing.

        Args:
            callers: The methods that leave all to this one.
        """
        if any(self._is_locking_decorator(name) for name in function.decorators):
            return True
        sections = list(self._sections(function.sketch, function.node))
        inside = {id(node) for section in sections for node in ast.walk(section)}
        outside = [name for node, name in self._touched(function) if id(node) not in inside]
        if sections:
            return len(sections) == 1 and not outside
        return not outside or (
            len(outside) == 1 and self._is_left_to(outside[0], function, callers | {function.name})
        )

    def _is_left_to(self, name: str, function: FunctionOutline, callers: frozenset[str]) -> bool:
        called = self._functions.get(name) if name in function.sketch.own_calls else None
        return called is not None and (name in callers or self.is_one(called, callers))

    def _touched(self, function: FunctionOutline) -> Iterator[tuple[ast.AST, str]]:
        """Where a method touches what may need the lock; giving it one more name is no touch."""
        sketch = function.sketch
        naming = {id(value) for name, value in sketch.local_values.items() if self._other_name(sketch, name)}
        for node in ast.walk(function.node):
            name = self._attribute(sketch, node)
            if name is not None and name in self._delicate and id(node) not in naming:
                yield node, name

    def _attribute(self, sketch: Sketch, node: ast.AST) -> str | None:
        """The own attribute that an expression is, by its own name or by a variable."""
        if isinstance(node, ast.Attribute):
            return node.attr if _is_name(node.value, sketch.self_name) else None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._other_name(sketch, node.id)
        return None

    def _other_name(self, sketch: Sketch, variable: str) -> str | None:
        """The attribute that a variable is another name of; none where methods put something else there."""
        name, link = sketch.attribute_behind(variable) or ("", "")
        return name if name and not link and name not in self._rebound else None

    def _sections(self, sketch: Sketch, method: ast.AST) -> Iterator[ast.AST]:
        for node in ast.walk(method):
            if isinstance(node, (ast.With, ast.AsyncWith)):
                entered = [item.context_expr for item in node.items]
                if any(self._holds(sketch, each) for each in (*entered, *_entered_first(node))):
                    yield node
            elif isinstance(node, ast.Try) and any(self._lets_go(sketch, each) for each in node.finalbody):
                yield node

    def _holds(self, sketch: Sketch, context: ast.expr) -> bool:
        """Whether a context is a lock of the object, or a context manager of its own around one."""
        if isinstance(context, ast.Call):
            manager = self._functions.get(self._attribute(sketch, context.func) or "")
            return manager is not None and self._takes_lock(manager)
        return self._attribute(sketch, context) in self.locks

    def _lets_go(self, sketch: Sketch, node: ast.stmt) -> bool:
        """Whether a statement is `self.lock.release()`, as behind an acquisition by hand."""
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            return False
        function = node.value.func
        return (
            isinstance(function, ast.Attribute)
            and function.attr == "release"
            and self._attribute(sketch, function.value) in self.locks
        )

    def _is_locking_decorator(self, name: str) -> bool:
        """Whether a decorator of this module holds a lock of that name around what it wraps."""
        decorator = self._module.functions.get(name)
        return decorator is not None and self._takes_lock(decorator)

    def _takes_lock(self, function: FunctionOutline) -> bool:
        """Whether a decorator or a context manager, which wraps something, has to do with the lock."""
        return bool((function.sketch.contexts | function.sketch.references) & self.locks)


def _is_lock(makers: set[str]) -> bool:
    kind = lock_kind(makers)
    return kind is not None and kind.is_exclusive


def _entered_first(node: ast.With | ast.AsyncWith) -> list[ast.expr]:
    """What the first statement of a `with` enters on an exit stack: `stack.enter_context(lock)`."""
    first = node.body[0].value if isinstance(node.body[0], ast.Expr) else None
    call = first.value if isinstance(first, ast.Await) else first
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return []
    return call.args[:1] if call.func.attr in ENTERS_ON_STACK else []


def _is_operation(function: FunctionOutline) -> bool:
    is_special = function.name.startswith("__")
    is_public = not function.name.startswith("_") or is_special
    return is_public and function.name not in CONSTRUCTION | NO_OPERATIONS and not function.is_static


def _is_name(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name
