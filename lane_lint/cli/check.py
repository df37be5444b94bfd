"""`lane-lint check`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lane_lint.baseline import Baseline, read_baseline
from lane_lint.cli.checking import add_checking, checked
from lane_lint.cli.output import Destination, add_output, destinations, write_reports, write_timings
from lane_lint.cli.selection import add_selection, selected_settings
from lane_lint.cli.status import CANNOT, CLEAN, FINDINGS, complain
from lane_lint.config import ConfigError
from lane_lint.report.content import Report
from lane_lint.report.places import one_line, shown_path
from lane_lint.requirements import INSTALL, has_libcst
from lane_lint.rules import known_codes
from lane_lint.run import CheckedFile, without_known
from lane_lint.settings import Settings
from lane_lint.stopwatch import NO_CLOCK, Stopwatch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `check` takes."""
    add_checking(parser)
    add_output(parser)
    add_selection(parser)
    parser.add_argument(
        "--warn-unused-noqa",
        action="store_true",
        default=None,
        help="report comments that name LAN codes and silence nothing",
    )
    known = parser.add_argument_group("known findings").add_mutually_exclusive_group()
    known.add_argument("--baseline", metavar="FILE", help="do not report the findings of this file")
    known.add_argument(
        "--no-baseline", action="store_true", help="report them, whatever the configuration says"
    )


def run(options: argparse.Namespace) -> int:
    """Check what was asked for and report it."""
    if not has_libcst():
        complain(f"the checker needs libcst: {INSTALL}")
        return CANNOT
    try:
        outputs = destinations(options.format, options.output)
        settings = selected_settings(options)
        uses_baseline = settings.baseline and not options.no_baseline
        baseline = read_baseline(settings.baseline) if uses_baseline else None
    except ConfigError as error:
        complain(str(error))
        return CANNOT
    if not _is_any_code_reported(settings):
        complain("note: the configuration deselects every LAN code; see select and ignore")
    return _check(options, settings, outputs, baseline)


def _check(
    options: argparse.Namespace, settings: Settings, outputs: list[Destination], baseline: Baseline | None
) -> int:
    clock = Stopwatch() if options.timings else NO_CLOCK
    found = checked(options, settings, clock)
    files = [without_known(file, baseline) for file in found.files] if baseline else found.files
    report = Report(files, found.errors, options.show_source, options.statistics)
    with clock.phase("report"):
        is_written = write_reports(report, outputs)
    if options.timings:
        write_timings(report, clock)
    _warn_of_unused_noqa(files)
    if found.errors or not is_written:
        return CANNOT
    return FINDINGS if any(file.findings or file.unused_noqa for file in files) else CLEAN


def _warn_of_unused_noqa(files: Sequence[CheckedFile]) -> None:
    for file in files:
        for unused in file.unused_noqa:
            place = f"{shown_path(file.path)}:{unused.line}:{unused.column + 1}"
            print(f"{place}: warning: {one_line(unused.message)}", file=sys.stderr)


def _is_any_code_reported(settings: Settings) -> bool:
    return any(settings.is_reported(code, "") for code in known_codes())
