"""LAN302: the start stands in `with suppress_lane_context():`."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator

import libcst as cst
from libcst import matchers

from lane_lint.finding import Finding, Span
from lane_lint.fixes.edits import Edit, insertion
from lane_lint.fixes.fixer import Fixer, NotSafeError
from lane_lint.fixes.importing import name_of_import
from lane_lint.fixes.parsed import ParsedModule
from lane_lint.settings import Settings

# Calls beside the start that do the same in a turn and outside of it.
_INDIFFERENT_NAMES = frozenset(
    {"Thread", "Timer", "get_event_loop", "get_running_loop", "len", "partial", "repr", "str", "to_thread"}
)
_INDIFFERENT_METHODS = _INDIFFERENT_NAMES | {"add", "add_done_callback", "append", "setdefault"}


class HideTheTurn(Fixer):
    """`self._task = create_task(...)` is put into `with suppress_lane_context():`, which is imported if need be."""

    code = "LAN302"

    def edits(self, finding: Finding, module: ParsedModule, settings: Settings) -> tuple[Edit, ...]:
        start = module.node_at(finding.span, cst.Call)
        if any(argument.keyword and argument.keyword.value == "context" for argument in start.args):
            raise NotSafeError("the start is given a context of its own, which has the turn's mark already")
        statement = _statement_around(start, module)
        if not module.is_alone(statement):
            raise NotSafeError("the start shares its line with another statement")
        if matchers.findall(statement, matchers.Await() | matchers.Yield()):
            raise NotSafeError("the statement waits, and what it waits for would leave the turn too")
        _require_nothing_else(start, statement, module)
        name, imports = name_of_import("lane_runtime", "suppress_lane_context", module)
        return (*imports, *_wrapped(statement, name, module))


FIXER = HideTheTurn()


def _statement_around(start: cst.Call, module: ParsedModule) -> cst.BaseSmallStatement:
    for node in module.ancestors(start):
        if isinstance(node, cst.BaseSmallStatement):
            return node
        if isinstance(node, cst.Lambda):
            raise NotSafeError("the start is the body of a lambda, which has no room for a 'with'")
        if isinstance(node, cst.GeneratorExp):
            raise NotSafeError("the start is in a generator, which may run elsewhere")
        if isinstance(node, cst.BaseCompoundStatement):
            break
    raise NotSafeError("the start is in the head of a statement whose body would leave the turn too")


def _require_nothing_else(start: cst.Call, statement: cst.BaseSmallStatement, module: ParsedModule) -> None:
    """Refuse a statement that calls more than the start and what is indifferent to turns."""
    given = [argument.value for argument in start.args]
    for call in _calls_now(statement):
        name = module.code(call.func).split("(")[0]
        last = name.rpartition(".")[2]
        if own := module.names.definitions.get(last):
            is_harmless = all(isinstance(each, ast.AsyncFunctionDef) for each in own)
        else:
            is_harmless = call in given or last in (
                _INDIFFERENT_METHODS if "." in name else _INDIFFERENT_NAMES
            )
        if call is not start and not is_harmless:
            raise NotSafeError(f"'{name}(...)' in the same statement would leave the turn too")


def _calls_now(node: cst.CSTNode) -> Iterator[cst.Call]:
    """The calls that running a node makes; what a lambda calls comes later."""
    if isinstance(node, cst.Call):
        yield node
    if not isinstance(node, cst.Lambda):
        for child in node.children:
            yield from _calls_now(child)


def _wrapped(statement: cst.BaseSmallStatement, name: str, module: ParsedModule) -> Iterator[Edit]:
    place = module.span(module.parent(statement))
    indent, step = module.indent_of(place.line), module.root.default_indent
    yield insertion(place.line, place.column, f"with {name}():\n{indent}{step}")
    kept = _lines_begun_inside_a_text(module, place)
    for line in range(place.line + 1, place.end_line + 1):
        if line not in kept and module.source.lines[line - 1].strip():
            yield insertion(line, 0, step)


def _lines_begun_inside_a_text(module: ParsedModule, place: Span) -> set[int]:
    """The lines of a statement that white space would change."""
    lines = iter(module.source.lines[place.line - 1 : place.end_line])
    inside: set[int] = set()
    for token in tokenize.generate_tokens(lambda: next(lines, "")):
        is_text = token.type == tokenize.STRING or "FSTRING_MIDDLE" in tokenize.tok_name[token.type]
        if is_text and token.end[0] > token.start[0]:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    return {line + place.line - 1 for line in inside}
