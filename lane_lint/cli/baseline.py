"""`lane-lint baseline write|check|prune`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping

from lane_lint.baseline import FILE_NAME, Baseline, Entry, read_baseline, rendered_baseline
from lane_lint.cli.checking import Checked, add_checking, checked
from lane_lint.cli.output import replace_file, write_timings
from lane_lint.cli.status import CANNOT, CLEAN, FINDINGS, complain
from lane_lint.cli.terminal import shows_colors
from lane_lint.config import ConfigError, load_settings
from lane_lint.report import rendered
from lane_lint.report.content import Report
from lane_lint.report.places import one_line, shown_path
from lane_lint.requirements import INSTALL, has_libcst
from lane_lint.run import without_known
from lane_lint.stopwatch import NO_CLOCK, Stopwatch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `baseline` takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    write = actions.add_parser("write", help="put every finding into the baseline")
    check = actions.add_parser(
        "check", help="report what is not in the baseline, and what is no longer found"
    )
    prune = actions.add_parser("prune", help="take out of the baseline what is no longer found")
    default = f"default: the setting baseline, else {FILE_NAME}"
    write.add_argument("--output", dest="file", metavar="FILE", help=f"the file to write ({default})")
    for action in (check, prune):
        action.add_argument("--baseline", dest="file", metavar="FILE", help=f"the file to read ({default})")
    check.add_argument(
        "--fail-on-stale", action="store_true", help="exit with 1 when an entry is no longer found, too"
    )
    for action in (write, check, prune):
        add_checking(action)


def run(options: argparse.Namespace) -> int:
    """Write, check or prune the baseline."""
    if not has_libcst():
        complain(f"the checker needs libcst: {INSTALL}")
        return CANNOT
    try:
        settings = load_settings(os.getcwd(), {})
        if options.file == "":
            raise ConfigError("command line", "the baseline", "", "the path of a file")
        file = options.file or settings.baseline or FILE_NAME
        may_be_missing = options.action == "write" and not os.path.isfile(file)
        baseline = Baseline(file) if may_be_missing else read_baseline(file)
    except ConfigError as error:
        complain(str(error))
        return CANNOT
    clock = Stopwatch() if options.timings else NO_CLOCK
    found = checked(options, settings, clock)
    status = _ACTIONS[options.action](options, baseline, found)
    if options.timings:
        write_timings(Report(found.files), clock)
    return CANNOT if found.errors else status


def _write(options: argparse.Namespace, baseline: Baseline, found: Checked) -> int:
    """Entries about what was not read stay."""
    about, new = set(_about(options, baseline, found)), _found(baseline, found)
    written = Baseline.of(baseline.file, (set(baseline.entries) - about) | new)
    if not _replace(written):
        return CANNOT
    print(f"{_sizes(written)}, {len(new - about)} of them new, {len(about - new)} taken out")
    return CLEAN


def _check(options: argparse.Namespace, baseline: Baseline, found: Checked) -> int:
    report = Report(
        [without_known(file, baseline) for file in found.files], is_colored=shows_colors(sys.stdout)
    )
    sys.stdout.write(rendered(report, "text"))
    stale = sorted(set(_about(options, baseline, found)) - _found(baseline, found))
    for entry in stale:
        where = f" in {entry.function}" if entry.function else ""
        print(f"{shown_path(entry.path)}: {entry.code}{where} is no longer found: {one_line(entry.line)}")
    new = sum(len(file.findings) for file in report.files)
    print(f"{_sizes(baseline)}, {len(stale)} of them no longer found; {new} more found")
    return FINDINGS if new or (stale and options.fail_on_stale) else CLEAN


def _prune(options: argparse.Namespace, baseline: Baseline, found: Checked) -> int:
    stale = set(_about(options, baseline, found)) - _found(baseline, found)
    kept = Baseline.of(baseline.file, set(baseline.entries) - stale)
    if stale and not _replace(kept):
        return CANNOT
    print(f"{_sizes(kept)}, {len(stale)} taken out")
    return CLEAN


_ACTIONS: Mapping[str, Callable[[argparse.Namespace, Baseline, Checked], int]] = {
    "write": _write,
    "check": _check,
    "prune": _prune,
}


def _found(baseline: Baseline, found: Checked) -> set[Entry]:
    return {baseline.entry(file.path, mark) for file in found.files for mark in file.marks}


def _about(options: argparse.Namespace, baseline: Baseline, found: Checked) -> Iterator[Entry]:
    """The entries that this run can say something about."""
    folders = [path for path in options.paths or ["."] if os.path.isdir(path)]
    read = [*folders, *(file.path for file in found.files)]
    return baseline.about(read, (path for path, _ in found.errors))


def _replace(baseline: Baseline) -> bool:
    try:
        replace_file(baseline.file, rendered_baseline(baseline.entries))
    except OSError as error:
        complain(f"cannot write {baseline.file}: {error.strerror or error}")
        return False
    return True


def _sizes(baseline: Baseline) -> str:
    count = len(baseline.entries)
    return f"{shown_path(baseline.file)}: {count} finding{'' if count == 1 else 's'}"
