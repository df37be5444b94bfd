"""A module that is asked what its functions do: analysed as far as the questions go, and no further."""

from __future__ import annotations

import ast
import warnings
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.flow.lent import lend
from lane_lint.flow.program import Program
from lane_lint.project.view import Lender, ProjectView

if TYPE_CHECKING:
    from lane_lint.lowering import Slice
    from lane_lint.outline import Definition, FunctionOutline, ModuleOutline
    from lane_lint.project.project import Json, Need, Project
    from lane_lint.source import Source


class LendingModule:
    """One file's module; its functions are lowered once, however far they may look."""

    def __init__(self, project: Project, path: str, source: Source, outline: ModuleOutline) -> None:
        self._view = ProjectView(project, path)
        self._name = project.files.finder.dotted(path)
        self._settings = project.settings
        words = project.files.words(path)
        self._has_lanes = words.lanes or any(a.lanes for a in project.files.ancestors(words.bases))
        self._source = source
        self._outline = outline
        self._programs: dict[int, Program] = {}
        self._busy = 0
        self._slices: dict[FunctionOutline, Slice] = {}
        self._view.link(outline, outline.classes.values())

    @property
    def needs(self) -> set[Need]:
        """What the answers so far rest on."""
        return self._view.needs

    def tell(self, function: str, reach: int) -> Json | None:
        """What a function tells others; None when there is no such function or it is too much."""
        outline = self._function(function)
        if outline is None:
            return None
        program = self._program(reach)
        self._busy += 1
        try:
            return lend(program, program.unit(outline), self._name)
        except (RecursionError, MemoryError):
            del self._programs[reach]  # what is half done would be taken for known
            return None
        finally:
            self._busy -= 1

    def dissolve(self) -> None:
        """Break the circles of what was made, unless a question is still under way."""
        if self._busy:
            return
        for program in self._programs.values():
            program.close()
        self._outline.dissolve()
        self._view.dissolve()

    def _program(self, reach: int) -> Program:
        if reach not in self._programs:
            lender = Lender(self._view, reach - 1)
            program = Program(
                self._outline,
                self._source.lines,
                self._settings,
                lender,
                has_lanes=self._has_lanes,
                is_lending=True,
            )
            program.slices = self._slices
            program.syntax_of = lambda outline: self._definitions[outline.node.lineno]
            self._programs[reach] = program
        return self._programs[reach]

    @cached_property
    def _definitions(self) -> dict[int, Definition]:
        """The syntax of every definition by its line; the outline may come from where none was kept."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = ast.walk(ast.parse(self._source.text))
        return {n.lineno: n for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}

    def _function(self, name: str) -> FunctionOutline | None:
        owner, _, rest = name.rpartition(".")
        if not owner:
            return self._outline.functions.get(name)
        found = self._outline.classes.get(owner)
        if found is None:
            return None
        return found.setters.get(rest[:-1]) if rest.endswith("=") else found.methods.get(rest)
