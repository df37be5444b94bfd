"""The flake8 plugin: the only file that knows flake8."""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from lane_lint.config import pyproject_settings
from lane_lint.requirements import INSTALL, has_libcst
from lane_lint.setting_values import PROJECT_WORDS, Place, settings_over
from lane_lint.settings import ConfigError, Settings

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

    from lane_lint.project.project import Project

_PREFIX = "lan_"
_INSTALL = f"lane-lint: LAN codes are not checked, libcst is missing: {INSTALL}"


class LanePlugin:
    """Check one file for flake8, which decides on `noqa`, `--select` and the like itself.

    Attributes:
        settings: What configuration says, None without libcst. flake8 sets it once in each process by
            `parse_options`, before the first file.
        project: What the command has found out about the modules around; nothing is added to it.
    """

    settings: ClassVar[Settings | None] = None
    project: ClassVar[Project | None] = None

    def __init__(self, tree: ast.Module, lines: Sequence[str], filename: str) -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Register our options, each of which may stand in the [flake8] section too."""
        manager.add_option(
            "--lan-min-confidence",
            metavar="LEVEL",
            parse_from_config=True,
            help="lowest confidence that LAN codes report: low, medium (the default) or high",
        )
        manager.add_option(
            "--lan-across-files",
            metavar="BOOL",
            parse_from_config=True,
            help="true: use what lane-lint check has found out about the modules around; false (the default)",
        )
        for name in sorted(PROJECT_WORDS):
            key = name.replace("_", "-")
            manager.add_option(
                f"--lan-{key}",
                metavar="NAMES",
                parse_from_config=True,
                comma_separated_list=True,
                help=f"names for {key} on top of the known ones",
            )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Take flake8's options over those of [tool.lane-lint].

        Raises:
            flake8.exceptions.ExecutionError: A value cannot be used.
        """
        cls.settings = None
        if not has_libcst():
            if multiprocessing.parent_process() is None:
                print(_INSTALL, file=sys.stderr)
            return
        try:
            cls.settings = _settings_from(options)
        except ConfigError as error:
            from flake8.exceptions import ExecutionError

            raise ExecutionError(f"lane-lint: {error}") from error
        cls.project = None
        if cls.settings.across_files:
            from lane_lint.project.project import Project
            from lane_lint.project.store import FOLDER, Store

            store = Store(os.path.abspath(FOLDER), may_write=False)
            cls.project = Project(cls.settings, store, may_analyse=False)

    def run(self) -> Iterator[tuple[int, int, str, type[LanePlugin]]]:
        """Give each finding as flake8 wants it: line, 0-based column, text, type."""
        settings = type(self).settings
        if settings is None or settings.is_excluded(self._filename):
            return
        from lane_lint.engine import check_module
        from lane_lint.source import Source

        source = Source.from_lines(self._filename, self._lines)
        for finding in check_module(source, settings, self._tree, type(self).project):
            if settings.is_reported(finding.code, self._filename):
                text = f"{finding.code} {finding.message}"
                yield finding.span.line, finding.span.column, text, type(self)


def _settings_from(options: argparse.Namespace) -> Settings:
    folder = os.getcwd()
    # flake8 goes by its own exclude; ours counts only where [tool.lane-lint] has one.
    base = pyproject_settings(folder, Settings(exclude=()))
    given = {
        name.removeprefix(_PREFIX).replace("_", "-"): value
        for name, value in vars(options).items()
        if name.startswith(_PREFIX) and value is not None
    }
    return settings_over(base, given, Place("flake8 options", folder, "--lan-"))
