"""Makes sketches: one loop over the statements of a definition, one over the nodes of each.

A sketch is taken of every definition of a module that passes the text gate, so a table leads from
the type of a node to what to note. Lines are those where statements start, so that what happens in
one statement happens on one line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from lane_lint.assignments import note_annotated, note_assign, note_item, note_walrus
from lane_lint.blocking_calls import SUBMITTERS, WAITERS, can_be_waited_for, may_block
from lane_lint.loop_lines import walked
from lane_lint.method_names import ITEM_MUTATORS, LIST_MUTATORS, MUTATORS, STARTERS
from lane_lint.other_names import follow_other_names, note_name_write
from lane_lint.sketch import LoopLines, Sketch, Write, base_name, dotted, plainly_dotted

ACQUIRERS = frozenset({"acquire", "acquire_nowait", "enter_async_context", "enter_context"})
CHANGES = MUTATORS | ITEM_MUTATORS


def sketch_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Sketch:
    """Note what a definition, with what is nested in it, touches."""
    arguments = (*node.args.posonlyargs, *node.args.args)
    sketch = Sketch(self_name=arguments[0].arg if arguments else None)
    statements: list[tuple[ast.AST, bool, bool]] = [(statement, False, False) for statement in node.body]
    while statements:
        statement, sketch.is_inside_nested, sketch.is_inside_try = statements.pop()
        is_nested = sketch.is_inside_nested or isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        # A `with` may do something on the way out, as `try` does.
        in_try = sketch.is_inside_try or isinstance(statement, (ast.Try, ast.With, ast.AsyncWith))
        statements += [(inner, is_nested, in_try) for inner in _note_statement(sketch, statement)]
    sketch.resets.clear()
    sketch.awaited.clear()
    follow_other_names(sketch)
    return sketch


def _note_statement(sketch: Sketch, statement: Any) -> list[ast.AST]:
    """Note every node of a statement but for the statements inside it, which are returned."""
    sketch.line = statement.lineno
    sketch.ends_function = isinstance(statement, ast.Return) and not sketch.is_inside_try
    inner: list[ast.AST] = []
    pending = [statement]
    kinds = _KINDS
    while pending:
        current = pending.pop()
        kind = kinds.get(current.__class__)
        if kind is None:  # a constant, or None or a name in a list
            continue
        note, parts, is_statement = kind
        if is_statement and current is not statement:
            inner.append(current)
            continue
        if note is not None:
            note(sketch, current)
        for name in parts:
            value = getattr(current, name)
            if value.__class__ is list:
                pending += value
            elif value is not None:
                pending.append(value)
    inner.reverse()
    return inner


def _note_write(sketch: Sketch, node: ast.expr, link: str = "", whole: ast.expr | None = None) -> None:
    target = whole or node
    if found := sketch.own_attribute(node):
        attribute, own_link, is_deeper = found
        is_reset = id(target) in sketch.resets or isinstance(getattr(target, "ctx", None), ast.Del)
        is_deeper = bool(own_link) if link else is_deeper
        kept = Write(attribute, link or own_link, sketch.line, is_reset=is_reset, is_deeper=is_deeper)
        sketch.writes.append(kept)
        return
    if isinstance(node, ast.Attribute):
        _latest(sketch.other_writes, node.attr, sketch.line)
    is_removal = isinstance(getattr(target, "ctx", None), ast.Del)
    note_name_write(sketch, node, link, is_removal=is_removal)
    if name := base_name(node):
        _note_free_write(sketch, name)


def _note_free_write(sketch: Sketch, name: str) -> None:
    _latest(sketch.free_writes, name, sketch.line)
    if sketch.is_inside_nested:
        sketch.nested_writes.add(name)


def _latest(lines: dict[str, int], name: str, line: int) -> None:
    """Keep the last line on which a name is met; statements come in no order."""
    lines[name] = max(lines.get(name, 0), line)


def _note_attribute(sketch: Sketch, node: ast.Attribute) -> None:
    if node.attr == "release":
        sketch.releases.add((dotted(node.value) or "").rpartition(".")[2])
    if not isinstance(node.ctx, ast.Load):
        _note_write(sketch, node)
    elif isinstance(node.value, ast.Name) and sketch.is_own(node.value.id):
        sketch.reads[node.attr] = min(sketch.reads.get(node.attr, sketch.line), sketch.line)
        sketch.references.add(node.attr)
    elif node.attr in CHANGES and (found := sketch.own_attribute(node.value)):
        # Also without a call: `call_later(delay, self.units.pop, key)` will mutate.
        sketch.writes.append(Write(found[0], "[]", sketch.line, node.attr, is_deeper=bool(found[1])))
    elif node.attr in CHANGES and (name := base_name(node.value)):
        _note_free_write(sketch, name)
        note_name_write(sketch, node.value, "[]", operation=node.attr)
    else:
        sketch.other_reads[node.attr] = min(sketch.other_reads.get(node.attr, sketch.line), sketch.line)


def _note_subscript(sketch: Sketch, node: ast.Subscript) -> None:
    if not isinstance(node.ctx, ast.Load):
        _note_write(sketch, node.value, "[]", node)


def _note_call(sketch: Sketch, node: ast.Call) -> None:
    function = node.func
    name = None
    if isinstance(function, ast.Attribute):
        name = function.attr
        if name in ACQUIRERS:
            # Also of the first parameter, which in a plain function is no `self`.
            sketch.acquires = True
        if (isinstance(function.value, ast.Name) and sketch.is_own(function.value.id)) or (
            isinstance(function.value, ast.Call) and dotted(function.value) == "super"
        ):
            _latest(sketch.own_calls, name, sketch.line)
        else:
            _note_foreign_call(sketch, node, function)
    elif isinstance(function, ast.Name):
        name = function.id
        _latest(sketch.name_calls, name, sketch.line)
        if name == "setattr" and len(node.args) > 1:
            _note_setattr(sketch, node)
    if name in STARTERS:
        _note_start(sketch, node)
    elif name in LIST_MUTATORS and node.args:
        _note_write(sketch, node.args[0], "[]")
    if name in SUBMITTERS and isinstance(function, ast.Attribute):
        sketch.submits = True
    if name in WAITERS and id(node) not in sketch.awaited:
        sketch.waits = sketch.waits or may_block(node)
    for argument in node.args:
        if argument.__class__ is ast.Name and sketch.is_own(argument.id):
            sketch.handed_to.add(dotted(function) or "")


def _note_foreign_call(sketch: Sketch, node: ast.Call, function: ast.Attribute) -> None:
    sketch.method_calls.add(function.attr)
    if function.attr == "setdefault" and len(node.args) == 2:
        note_item(sketch, function.value, node.args[1])
    elif function.attr in ("append", "add") and len(node.args) == 1 and can_be_waited_for(node.args[0]):
        note_item(sketch, function.value, node.args[0])


def _note_setattr(sketch: Sketch, node: ast.Call) -> None:
    target, name = node.args[:2]
    if isinstance(target, ast.Name) and isinstance(name, ast.Constant):
        _note_write(sketch, ast.Attribute(target, str(name.value), ast.Store()))


def _note_start(sketch: Sketch, node: ast.Call) -> None:
    sketch.starts_tasks = True
    for argument in node.args:
        target = argument.func if isinstance(argument, ast.Call) else argument
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            sketch.started.add(target.attr)
        elif isinstance(target, ast.Name):
            sketch.started.add(target.id)


def _note_suspension(sketch: Sketch, node: ast.AST, call: str = "") -> None:
    sketch.awaited_calls.add(call)
    sketch.suspensions.append(sketch.line)
    if sketch.ends_function:
        sketch.last_waits.append(sketch.line)
    if sketch.is_inside_nested:
        sketch.nested_suspends = True


def _note_await(sketch: Sketch, node: ast.Await) -> None:
    sketch.awaited.add(id(node.value))
    call = plainly_dotted(node.value.func) if isinstance(node.value, ast.Call) else ""
    _note_suspension(sketch, node, call)


def _note_async_for(sketch: Sketch, node: ast.AsyncFor) -> None:
    _note_suspension(sketch, node)
    sketch.loops.append(LoopLines(node.lineno, node.end_lineno or node.lineno))


def _note_async_with(sketch: Sketch, node: ast.AsyncWith) -> None:
    _note_suspension(sketch, node)
    _note_contexts(sketch, node)


def _note_contexts(sketch: Sketch, node: ast.With | ast.AsyncWith) -> None:
    """Note items that may be locks; a call of something foreign makes a context of its own."""
    for item in node.items:
        expression = item.context_expr
        if isinstance(expression, ast.Call):
            if isinstance(expression.func, ast.Attribute) and not _may_give_lock(sketch, expression.func):
                continue
        elif not isinstance(expression, (ast.Name, ast.Attribute, ast.Subscript)):
            continue
        sketch.context_count += 1
        sketch.contexts.add((dotted(expression) or "").rpartition(".")[2])


def _may_give_lock(sketch: Sketch, function: ast.Attribute) -> bool:
    """An own method may be a wrapper of a lock, `setdefault` may hand one out."""
    is_own = isinstance(function.value, ast.Name) and sketch.is_own(function.value.id)
    return is_own or function.attr in ("setdefault", "get")


def _note_for(sketch: Sketch, node: ast.For) -> None:
    sketch.loops.append(walked(sketch, node.iter, node.lineno, node.end_lineno or node.lineno))


def _note_while(sketch: Sketch, node: ast.While) -> None:
    sketch.loops.append(LoopLines(node.lineno, node.end_lineno or node.lineno))


def _note_comprehension(sketch: Sketch, node: ast.comprehension) -> None:
    if node.is_async:
        sketch.suspensions.append(sketch.line)
        sketch.awaited_calls.add("")
    sketch.loops.append(walked(sketch, node.iter, sketch.line, sketch.line))


def _note_declared(sketch: Sketch, node: ast.Global | ast.Nonlocal) -> None:
    sketch.declared.update(node.names)


def _note_name(sketch: Sketch, node: ast.Name) -> None:
    # `global` may stand after a use only in code that does not compile, so any store counts.
    if not isinstance(node.ctx, ast.Load):
        _latest(sketch.stores, node.id, sketch.line)


def _note_class(sketch: Sketch, node: ast.ClassDef) -> None:
    sketch.classes.append(node)


def _note_import(sketch: Sketch, node: ast.Import | ast.ImportFrom) -> None:
    sketch.imports.append(node)


def _note_nested(sketch: Sketch, node: ast.AST) -> None:
    sketch.has_nested = True


_NOTES: dict[type[ast.AST], Callable[[Sketch, Any], None]] = {
    ast.Attribute: _note_attribute,
    ast.Subscript: _note_subscript,
    ast.Call: _note_call,
    ast.Name: _note_name,
    ast.Assign: note_assign,
    ast.AnnAssign: note_annotated,
    ast.NamedExpr: note_walrus,
    ast.Await: _note_await,
    ast.Yield: _note_suspension,
    ast.AsyncFor: _note_async_for,
    ast.AsyncWith: _note_async_with,
    ast.With: _note_contexts,
    ast.For: _note_for,
    ast.While: _note_while,
    ast.comprehension: _note_comprehension,
    ast.Global: _note_declared,
    ast.Nonlocal: _note_declared,
    ast.FunctionDef: _note_nested,
    ast.AsyncFunctionDef: _note_nested,
    ast.Lambda: _note_nested,
    ast.ClassDef: _note_class,
    ast.Import: _note_import,
    ast.ImportFrom: _note_import,
}

# What holds no node, or none that is worth a note.
_PLAIN_FIELDS = frozenset(
    {"ctx", "id", "attr", "op", "ops", "kind", "type_comment", "simple", "is_async", "conversion"}
)

# Type of node -> what notes it, its fields that lead further, whether it is a statement.
_KINDS: dict[type, tuple[Callable[[Sketch, Any], None] | None, tuple[str, ...], bool]] = {
    node: (
        _NOTES.get(node),
        tuple(name for name in node._fields if name not in _PLAIN_FIELDS),
        issubclass(node, ast.stmt),
    )
    for node in vars(ast).values()
    if isinstance(node, type) and issubclass(node, ast.AST) and node is not ast.Constant
}
