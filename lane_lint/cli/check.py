"""`lane-lint check`."""

from __future__ import annotations

import argparse
import os
import sys

from lane_lint.cli.output import Destination, destinations, write_report, write_statistics
from lane_lint.cli.selection import add_selection, selected_settings
from lane_lint.cli.status import CANNOT, CLEAN, FINDINGS, complain
from lane_lint.config import ConfigError
from lane_lint.jobs import check_files
from lane_lint.paths import STANDARD_INPUT, select_files
from lane_lint.project.project import project_of
from lane_lint.project.store import FOLDER
from lane_lint.report import FORMATS
from lane_lint.report.content import Report
from lane_lint.requirements import INSTALL, has_libcst
from lane_lint.rules import known_codes
from lane_lint.run import check_bytes
from lane_lint.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `check` takes."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files, or folders (in a git work tree their tracked files); - is standard input; default .",
    )
    parser.add_argument("--stdin-display-name", metavar="NAME", default="stdin", help="what to call -")
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="format on standard output")
    output.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FORMAT[=FILE]",
        help="also write this format to FILE; without FILE, or with -, it takes the place of --format (repeatable)",
    )
    output.add_argument("--show-source", action="store_true", help="show the lines of each finding in text")
    output.add_argument("--statistics", action="store_true", help="count the findings of each code")
    add_selection(parser)
    run = parser.add_argument_group("run")
    run.add_argument("--jobs", type=_jobs, metavar="N", help="processes (every core for many files)")
    run.add_argument("--no-cache", action="store_true", help=f"do not keep what is found out in {FOLDER}")


def run(options: argparse.Namespace) -> int:
    """Check what was asked for and report it."""
    if not has_libcst():
        complain(f"the checker needs libcst: {INSTALL}")
        return CANNOT
    try:
        outputs = destinations(options.format, options.output)
        settings = selected_settings(options)
    except ConfigError as error:
        complain(str(error))
        return CANNOT
    if not _is_any_code_reported(settings):
        complain("note: the configuration deselects every LAN code; see select and ignore")
    return _check(options, settings, outputs)


def _check(options: argparse.Namespace, settings: Settings, outputs: list[Destination]) -> int:
    selection = select_files(options.paths or ["."], settings)
    files = [path for path in selection.files if path != STANDARD_INPUT]
    cache = None if options.no_cache else os.path.abspath(FOLDER)
    checked = list(check_files(files, settings, jobs=options.jobs, cache=cache))
    name = options.stdin_display_name or "stdin"
    if STANDARD_INPUT in selection.files and (name == "stdin" or not settings.is_excluded(name)):
        checked.append(check_bytes(name, _standard_input(), settings, project_of(settings, cache)))
    errors = list(selection.errors)
    errors += [(file.path, file.error) for file in checked if file.error is not None]
    for path, reason in errors:
        complain(f"{path}: {reason}")
    for path in selection.empty:
        complain(f"note: {path}: no Python files")
    report = Report(checked, errors, options.show_source, options.statistics)
    files_first = sorted(outputs, key=lambda output: output.file is None)  # who reads the rest may have gone
    written = [write_report(report, output) for output in files_first]
    if options.statistics and all(output.format_name != "text" for output in outputs):
        write_statistics(report)
    if errors or not all(written):
        return CANNOT
    return FINDINGS if any(file.findings for file in checked) else CLEAN


def _standard_input() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin is not None else b""


def _is_any_code_reported(settings: Settings) -> bool:
    return any(settings.is_reported(code, "") for code in known_codes())


def _jobs(value: str) -> int:
    try:
        jobs = int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is no number") from None
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return jobs
