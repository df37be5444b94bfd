"""The flake8 plugin: the only file that knows flake8."""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from lane_lint.config import pyproject_layer, settings_of
from lane_lint.flake8_section import flake8_option
from lane_lint.requirements import INSTALL, has_libcst
from lane_lint.setting_values import PROJECT_WORDS, Layer, Place, require_known_codes
from lane_lint.settings import ConfigError, Settings

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

    from lane_lint.baseline import Baseline
    from lane_lint.finding import Finding
    from lane_lint.project.project import Project
    from lane_lint.source import Source

_PREFIX = "lan_"
_INSTALL = f"lane-lint: LAN codes are not checked, libcst is missing: {INSTALL}"


class _FromCommandLine(str):
    """What flake8's command line gave, to be told apart from what its files say."""

    __slots__ = ()


class _Given(argparse.Action):
    """Called for flags only; a `type` would be applied to the values of files too."""

    def __call__(self, parser: object, namespace: argparse.Namespace, value: object, *_: object) -> None:
        setattr(namespace, self.dest, _FromCommandLine(value))


class LanePlugin:
    """Check one file for flake8, which decides on `noqa`, `--select` and the like itself.

    Attributes:
        settings: What configuration says, None without libcst. flake8 sets it once in each process by
            `parse_options`, before the first file.
        project: What the command has found out about the modules around; nothing is added to it.
        baseline: The findings that are held back; None holds none back.
        named: What flake8 was told to check: absolute paths, and how they were spelled.
    """

    settings: ClassVar[Settings | None] = None
    project: ClassVar[Project | None] = None
    baseline: ClassVar[Baseline | None] = None
    named: ClassVar[Mapping[str, str]] = {}

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
            action=_Given,
            parse_from_config=True,
            help="lowest confidence that LAN codes report: low, medium (the default) or high",
        )
        manager.add_option(
            "--lan-across-files",
            metavar="BOOL",
            action=_Given,
            parse_from_config=True,
            help="true: use what lane-lint check has found out about the modules around; false (the default)",
        )
        for name in sorted(PROJECT_WORDS):
            key = name.replace("_", "-")
            manager.add_option(
                f"--lan-{key}",
                metavar="NAMES",
                action=_Given,
                parse_from_config=True,
                help=f"names for {key} on top of the known ones",
            )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Take flake8's command line over [tool.lane-lint] over flake8's files, as the command does.

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
            cls.baseline = _baseline_of(cls.settings)
        except ConfigError as error:
            from flake8.exceptions import ExecutionError

            raise ExecutionError(f"lane-lint: {error}") from error
        cls.named = {os.path.abspath(path): path for path in getattr(options, "filenames", None) or ["."]}
        cls.project = None
        if cls.settings.across_files:
            from lane_lint.project.project import Project
            from lane_lint.project.store import FOLDER, Store

            store = Store(os.path.abspath(FOLDER), may_write=False)
            cls.project = Project(cls.settings, store, may_analyse=False)

    def run(self) -> Iterator[tuple[int, int, str, type[LanePlugin]]]:
        """Give each finding as flake8 wants it: line, 0-based column, text, type."""
        settings = type(self).settings
        if settings is None or _is_excluded(self._filename, settings, type(self).named):
            return
        from lane_lint.engine import check_module
        from lane_lint.source import Source

        source = Source.from_lines(self._filename, self._lines)
        found = check_module(source, settings, self._tree, type(self).project)
        reported = [finding for finding in found if settings.is_reported(finding.code, self._filename)]
        for finding in _new(reported, source, type(self).baseline):
            yield finding.span.line, finding.span.column, f"{finding.code} {finding.message}", type(self)


def _baseline_of(settings: Settings) -> Baseline | None:
    if not settings.baseline:
        return None
    from lane_lint.baseline import read_baseline

    return read_baseline(settings.baseline)


def _new(findings: list[Finding], source: Source, baseline: Baseline | None) -> list[Finding]:
    """The findings that the baseline does not have."""
    if baseline is None or not findings:
        return findings
    from lane_lint.fingerprint import marks_of

    pairs = zip(findings, marks_of(findings, source), strict=True)
    return [finding for finding, mark in pairs if not baseline.has(source.path, mark)]


def _is_excluded(path: str, settings: Settings, named: Mapping[str, str]) -> bool:
    """Whether a file, or a folder between it and the one that flake8 was told to check, is excluded."""
    if settings.is_excluded(path):
        return True
    if not (settings.exclude or settings.extend_exclude):
        return False
    absolute = PurePath(os.path.abspath(path))
    inside: list[str] = []
    for folder in map(str, (absolute, *absolute.parents)):
        if folder in named:
            return any(map(settings.is_excluded, (*inside, named[folder])))
        inside.append(folder)
    return False


def _settings_from(options: argparse.Namespace) -> Settings:
    folder = os.getcwd()
    given = {
        name.removeprefix(_PREFIX).replace("_", "-"): value
        for name, value in vars(options).items()
        if name.startswith(_PREFIX) and value is not None
    }
    flags = {key for key, value in given.items() if isinstance(value, _FromCommandLine)}
    values = {key: flake8_option(key, value) for key, value in given.items()}
    table = pyproject_layer(folder)
    if table is not None:
        from lane_lint.rules import known_codes

        require_known_codes([table], known_codes())
    in_files = {key: value for key, value in values.items() if key not in flags}
    on_command_line = {key: value for key, value in values.items() if key in flags}
    layers = (
        Layer(Place("flake8's configuration", folder, prefix="lan-"), in_files),
        table,
        Layer(Place("flake8's command line", folder, prefix="--lan-"), on_command_line),
    )
    # flake8 goes by its own exclude; ours counts only where [tool.lane-lint] has one.
    return settings_of((layer for layer in layers if layer is not None), Settings(exclude=()))
