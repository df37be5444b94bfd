"""Who owns objects and functions: classes that live inside one call, functions that run in one task."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from lane_lint.flow.locks import lock_kind
from lane_lint.method_names import STARTERS
from lane_lint.outline import CONSTRUCTION
from lane_lint.sketch import dotted

if TYPE_CHECKING:
    from lane_lint.outline import ClassOutline, Definition, FunctionOutline, ModuleOutline


# Objects that by their name serve one call, one reader or one transaction.
SINGLE_OWNER = re.compile(
    r"(?:Reader|Parser|Decoder|Encoder|Transaction|Cursor|Pipeline|Payload|Multipart|Request|Response|Context|Iterator|Iter)$"
)

# Functions that only look at what they are given.
LOOKERS = frozenset({"isinstance", "len", "repr", "str", "type", "id", "bool"})

# They run coroutines beside one another, or beside what follows.
BESIDE = STARTERS | {"gather", "as_completed"}


class Ownership:
    """Answers are looked for only when a finding asks, so they may walk the `ast`.

    Args:
        confined_classes: Patterns of classes whose objects a project says belong to one call or task.
    """

    def __init__(self, module: ModuleOutline, confined_classes: Iterable[str]) -> None:
        self._module = module
        self._patterns = tuple(confined_classes)
        self._confined: dict[str, bool] = {}
        self._one_task: dict[FunctionOutline, bool] = {}

    def is_confined(self, owner: ClassOutline) -> bool:
        """Whether every instance that the module makes is used and dropped inside one call."""
        if owner.name not in self._confined:
            self._confined[owner.name] = self._find_confined(owner)
        return self._confined[owner.name]

    def _find_confined(self, owner: ClassOutline) -> bool:
        if any(
            fnmatch(each.name, pattern)
            for each in self._module.class_order(owner)
            for pattern in self._patterns
        ):
            return True
        names = {each.name for each in self._module.class_order(owner)} | set(owner.bases)
        if not _has_lock(owner) and any(SINGLE_OWNER.search(name) for name in names):
            return True
        heirs = [c.name for c in self._module.family(owner) if owner in self._module.class_order(c)]
        uses = [
            (f.node, name)
            for f in self._module.all_functions()
            for name in heirs
            if name in f.sketch.name_calls
        ]
        coroutines = {f.name for f in owner.functions() if f.is_async}
        return bool(uses) and all(_keeps_to_itself(node, name, coroutines) for node, name in uses)

    def runs_before_handing_out(self, function: FunctionOutline) -> bool:
        """Whether every call of a private method is on an object that its caller has just made and kept."""
        owner, name = function.owner, function.name
        if owner is None or not function.is_private:
            return False
        if any(name in each.sketch.references for each in self._module.all_functions()):
            return False
        heirs = {c.name for c in self._module.family(owner) if owner in self._module.class_order(c)}
        callers = [f for f in self._module.all_functions() if name in f.sketch.method_calls]
        return bool(callers) and all(_calls_on_fresh_object(f.node, heirs, name) for f in callers)

    def runs_in_one_task(self, function: FunctionOutline) -> bool:
        """Whether a method is started once as a task, or only called by methods that are."""
        if function not in self._one_task:
            self._one_task[function] = False
            self._one_task[function] = self._find_one_task(function)
        return self._one_task[function]

    def _find_one_task(self, function: FunctionOutline) -> bool:
        if function.owner is None:
            return False
        functions = [
            f for c in self._module.family(function.owner) for f in c.functions() if f is not function
        ]
        starters = [f for f in functions if function.name in f.sketch.started]
        callers = [f for f in functions if function.name in f.sketch.own_calls and f not in starters]
        if starters:
            return len(starters) == 1 and not callers and _starts_once(starters[0], function.name)
        return (
            function.is_private and bool(callers) and all(self.runs_in_one_task(caller) for caller in callers)
        )


def _starts_once(starter: FunctionOutline, name: str) -> bool:
    """Whether the task is started at construction or by a start method that starts one of them in each call."""
    return starter.name in CONSTRUCTION or _most_mentions(starter.node, name) == 1


def _most_mentions(node: ast.AST, name: str) -> int:
    """How often one way through the code mentions an attribute; in a loop twice."""
    if isinstance(node, (ast.If, ast.IfExp)):
        sides = [node.body, node.orelse]
        return _most_mentions(node.test, name) + max(_mentions_in(side, name) for side in sides)
    count = _mentions_in(list(ast.iter_child_nodes(node)), name)
    if isinstance(node, (ast.For, ast.While, ast.AsyncFor, ast.comprehension)):
        return 2 * count
    return count + (isinstance(node, ast.Attribute) and node.attr == name)


def _mentions_in(part: ast.AST | Sequence[ast.AST], name: str) -> int:
    nodes = [part] if isinstance(part, ast.AST) else part
    return sum(_most_mentions(node, name) for node in nodes)


def _calls_on_fresh_object(node: Definition, class_names: set[str], method: str) -> bool:
    """Whether a function calls a method only on instances that nobody else has at that line."""
    mentions = [n for n in _outside_classes(node) if isinstance(n, ast.Attribute) and n.attr == method]
    names = _made_in(node, class_names)
    return all(
        isinstance(mention.value, ast.Name)
        and mention.value.id in names
        and not _escapes(node, {mention.value.id}, before=mention.lineno)
        for mention in mentions
    )


def _outside_classes(node: ast.AST) -> Iterator[ast.AST]:
    """What a function does itself; methods of the classes inside it are functions of their own."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.ClassDef):
            yield from _outside_classes(inner)


def _made_in(node: Definition, class_names: set[str]) -> set[str]:
    """The variables that are nothing but a new instance of one of the classes."""
    made: set[str] = set()
    others: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign):
            names = {target.id for target in inner.targets if isinstance(target, ast.Name)}
            kept = any(_makes(inner.value, name) for name in class_names) and len(names) == len(inner.targets)
            (made if kept else others).update(names)
    return made - others


def _has_lock(owner: ClassOutline) -> bool:
    """Whether a class makes a lock itself: whatever it is named after, it expects several to come by."""
    return any(lock_kind(makers) is not None for makers in owner.makers.values())


def _keeps_to_itself(node: Definition, class_name: str, coroutines: set[str]) -> bool:
    """Whether the instances that a function makes stay in its variables: only their methods are used.

    Args:
        coroutines: The methods that are given to a task or to `gather` when nobody waits for them there and then.
    """
    names: set[str] = set()
    made = 0
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == class_name:
            made += 1
        if isinstance(inner, ast.Assign) and _makes(inner.value, class_name):
            if not all(isinstance(target, ast.Name) for target in inner.targets):
                return False
            names.update(target.id for target in inner.targets if isinstance(target, ast.Name))
            made -= 1
        if isinstance(inner, (ast.Global, ast.Nonlocal)):
            return False
    return made == 0 and bool(names) and not _escapes(node, names) and not _overlaps(node, names, coroutines)


def _overlaps(node: Definition, names: set[str], coroutines: set[str]) -> bool:
    """Whether a coroutine of a variable's object is started here: it runs beside what follows, or beside others."""
    starts = [n for n in ast.walk(node) if isinstance(n, ast.Call) and _last_name(n) in BESIDE]
    return any(
        isinstance(inner, ast.Attribute)
        and inner.attr in coroutines
        and isinstance(inner.value, ast.Name)
        and inner.value.id in names
        for start in starts
        for argument in start.args
        for inner in ast.walk(argument)
    )


def _makes(node: ast.expr, class_name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == class_name


def _escapes(node: Definition, names: set[str], before: int | None = None) -> bool:
    """Whether a variable is used otherwise than for an attribute, or is reached from a nested function.

    Args:
        before: Only uses above this line count.
    """
    harmless: set[int] = set()
    for inner in ast.walk(node):
        harmless.update(map(id, _looked_at(inner)))
        if inner is not node and _is_reached_from(inner, names):
            return True
    return any(
        isinstance(inner, ast.Name)
        and inner.id in names
        and isinstance(inner.ctx, ast.Load)
        and id(inner) not in harmless
        and (before is None or inner.lineno < before)
        for inner in ast.walk(node)
    )


def _looked_at(node: ast.AST) -> list[ast.expr]:
    """The parts of an expression that it only looks at: what an attribute is taken of, through a `cast` too."""
    if isinstance(node, ast.Attribute):
        is_cast = isinstance(node.value, ast.Call) and _last_name(node.value) == "cast"
        return [node.value, *(node.value.args if is_cast else ())]  # type: ignore[attr-defined]  # a call has them
    return node.args if isinstance(node, ast.Call) and _last_name(node) in LOOKERS else []


def _last_name(call: ast.Call) -> str:
    return (dotted(call.func) or "").rpartition(".")[2]


def _is_reached_from(node: ast.AST, names: set[str]) -> bool:
    """Whether a nested function mentions one of the variables."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return False
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))
