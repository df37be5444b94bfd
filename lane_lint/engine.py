"""One file's way: source -> outline -> lowering -> flow -> rules -> findings."""

from __future__ import annotations

import ast
import gc
import os
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from lane_lint.file_kind import is_test_file
from lane_lint.finding import Confidence, Finding, Span
from lane_lint.gate import Gate
from lane_lint.mentions import Mentions
from lane_lint.outline import FunctionOutline, ModuleOutline
from lane_lint.outlining import outline_module
from lane_lint.precedence import one_code_a_place
from lane_lint.rules import all_rules
from lane_lint.rules.lan901_not_analysed import NotAnalysed
from lane_lint.settings import Settings
from lane_lint.source import Source, SourceError
from lane_lint.stopwatch import IMPORTS, NO_CLOCK, Clock

if TYPE_CHECKING:
    from lane_lint.flow.passages import Question
    from lane_lint.flow.program import Program
    from lane_lint.lowering import Slice
    from lane_lint.project.project import Project
    from lane_lint.project.view import Lender, ProjectView

_FIRST_LINE = Span(1, 0, 1, 0)


class _UnparsableError(Exception):
    """The text is no Python; the message says where and why."""


def check_module(
    source: Source,
    settings: Settings,
    tree: ast.Module | None = None,
    project: Project | None = None,
    clock: Clock = NO_CLOCK,
) -> list[Finding]:
    """Find the defects of one module, sorted by path, line, column and code.

    Whatever the text is, the answer is findings: what cannot be analysed becomes LAN901.

    Args:
        source: The module's text.
        settings: `min_confidence` counts here; codes are selected by who calls.
        tree: The text's `ast`, when somebody has parsed it already.
        project: Where the modules around this one can be looked up; None looks at no other.
        clock: Is told which phase is at work.
    """
    try:
        with _collector_paused(), clock.phase("gate"):
            findings = _findings_of(source, settings, tree, project, clock)
    except _UnparsableError as error:
        findings = [not_analysed(source.path, str(error), "Mend the syntax, or exclude the file")]
    except RecursionError:
        findings = [not_analysed(source.path, "it is nested too deeply", "Flatten it, or exclude the file")]
    except MemoryError:
        # The parser raises it for deep nesting too.
        reason = "it is nested too deeply, or larger than the memory"
        findings = [not_analysed(source.path, reason, "Flatten it, or exclude the file")]
    except Exception as error:
        reason = f"internal error, {type(error).__name__}: {error}"
        findings = [not_analysed(source.path, reason, "Report it with the file, or exclude the file")]
    return sorted(finding for finding in findings if finding.confidence >= settings.min_confidence)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the cycle collector from walking the many small nodes again and again while one file is read."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def undecodable(path: str, error: SourceError) -> Finding:
    """The finding for bytes that are no Python text."""
    return not_analysed(path, str(error), "Mend the encoding, or exclude the file")


def not_analysed(path: str, reason: str, remedy: str) -> Finding:
    """The finding for a file that could not be analysed."""
    return NotAnalysed().finding(
        _FIRST_LINE, path=path, confidence=Confidence.HIGH, part="this file", reason=reason, remedy=remedy
    )


def _findings_of(
    source: Source, settings: Settings, tree: ast.Module | None, project: Project | None, clock: Clock
) -> list[Finding]:
    mentions, path = Mentions(source.text, settings), os.path.abspath(source.path)
    if project is not None:
        from lane_lint.project.around import note_surroundings

        with clock.phase("other modules"):
            note_surroundings(mentions, project.files, path, source.text, settings)
    # Stale reads in tests are of low confidence, so they are not looked for when those are not shown.
    only_locks = settings.min_confidence > Confidence.LOW and is_test_file(source.path)
    if not mentions.are_worth_a_look(only_locks=only_locks):
        if tree is None:
            with clock.phase("parse"):
                _require_python(source)
        return []
    module = _outlined(source, path, tree, project, clock)
    view = None
    if project is not None:
        from lane_lint.project.around import link_classes
        from lane_lint.project.view import ProjectView

        with clock.phase("other modules"):
            view = ProjectView(project, path)
            link_classes(module, view, mentions, only_locks=only_locks)
    try:
        selected = Gate(module, mentions, only_locks=only_locks).selected()
        if not selected:
            return []
        return _defects_in(module, selected, source, settings, view, clock, has_lanes=mentions.lanes)
    finally:
        module.dissolve()
        if view is not None:
            view.dissolve()


def _outlined(
    source: Source, path: str, tree: ast.Module | None, project: Project | None, clock: Clock
) -> ModuleOutline:
    made = project.take_outline(path, source.text) if project is not None else None
    if made is not None:
        return made
    with clock.phase("parse"):
        tree = tree or _parsed(source)
    return outline_module(tree, project.files.finder.package(path) if project is not None else "")


def _defects_in(
    module: ModuleOutline,
    selected: list[FunctionOutline],
    source: Source,
    settings: Settings,
    view: ProjectView | None,
    clock: Clock,
    *,
    has_lanes: bool,
) -> list[Finding]:
    """Take the dear look at the definitions that have passed the gate."""
    # The analysis takes longer to import than most files take to check, and few files need it.
    with clock.phase(IMPORTS):
        from lane_lint.flow.program import Program

    slices: dict[FunctionOutline, Slice] = {}
    passing: frozenset[Question] = frozenset()
    while True:
        program = Program(
            module, source.lines, settings, _lender(view), clock, has_lanes=has_lanes, passing=passing
        )
        with closing(program), clock.phase("flow"):
            program.slices = slices
            program.analyse(selected)
            findings = _found_by(program, source.path, settings.min_confidence, clock)
            if passing or not any(f.confidence >= settings.min_confidence for f in findings):
                return findings
            # Only now is it worth the time to know which awaits of what is elsewhere let no other task run.
            passing = program.passages.answered()
        if not passing:
            return findings


def _found_by(program: Program, path: str, min_confidence: Confidence, clock: Clock) -> list[Finding]:
    with clock.phase(IMPORTS):
        from lane_lint.flow.facts import FunctionFacts

    findings: list[Finding] = []
    for unit in program.units:
        try:
            facts = FunctionFacts(program, unit, program.final_result(unit), path, min_confidence)
            findings += [
                finding for rule in all_rules() for finding in clock.timed(rule.code, rule.check(facts))
            ]
        except (RecursionError, MemoryError):
            program.give_up_on(unit)
    findings += [_part_not_analysed(path, f, why) for f, why in program.failures.items()]
    return one_code_a_place(findings)


def _lender(view: ProjectView | None) -> Lender | None:
    if view is None:
        return None
    from lane_lint.project.project import REACH
    from lane_lint.project.view import Lender

    return Lender(view, REACH)


def _part_not_analysed(path: str, function: FunctionOutline, reason: str) -> Finding:
    line = function.node.lineno
    return NotAnalysed().finding(
        Span(line, 0, line, 0),
        path=path,
        confidence=Confidence.HIGH,
        part=f"'{function.name}'",
        reason=reason,
        remedy="Simplify it, or exclude the file",
    )


def _require_python(source: Source) -> None:
    """Refuse what is no Python. A table of symbols takes less than a tree; a doubt is left to the parser."""
    import symtable

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            symtable.symtable(source.text, source.path, "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            _parsed(source)


def _parsed(source: Source) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the code that is read
        try:
            return ast.parse(source.text)
        except SyntaxError as error:
            raise _UnparsableError(f"line {error.lineno or 1}: {error.msg}") from error
        except ValueError as error:
            raise _UnparsableError(str(error)) from error
