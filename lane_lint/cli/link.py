"""`lane-lint link`."""

from __future__ import annotations

import argparse
import glob
import os
from collections.abc import Iterator, Sequence

from lane_lint.baseline import read_baseline
from lane_lint.cli.output import add_output, destinations, write_reports
from lane_lint.cli.status import CANNOT, CLEAN, FINDINGS, complain
from lane_lint.config import ConfigError, load_settings
from lane_lint.report.content import Report
from lane_lint.report.places import shown_path
from lane_lint.run import CheckedFile, without_known
from lane_lint.summaries import NAMES, linked, read_summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `link` takes."""
    parser.add_argument("folders", nargs="+", metavar="DIR", help="folders with the summaries of all shards")
    add_output(parser)
    parser.add_argument("--baseline", metavar="FILE", help="do not report the findings of this file")


def run(options: argparse.Namespace) -> int:
    """Report as `check` would have done for all files at once."""
    try:
        outputs = destinations(options.format, options.output)
        summaries = {name: read_summary(name) for name in _summaries_in(options.folders)}
        files, errors = linked(summaries)
        files = _without_baseline(files, options.baseline or load_settings(os.getcwd(), {}).baseline)
    except ConfigError as error:
        complain(str(error))
        return CANNOT
    for path, reason in errors:
        complain(f"{shown_path(path)}: {reason}")
    report = Report(files, errors, options.show_source, options.statistics)
    if not write_reports(report, outputs) or errors:
        return CANNOT
    return FINDINGS if any(file.findings for file in files) else CLEAN


def _summaries_in(folders: Sequence[str]) -> Iterator[str]:
    """The summaries' names, each once.

    Raises:
        ConfigError: A folder has none.
    """
    names: dict[str, None] = {}
    for folder in folders:
        found = sorted(glob.glob(os.path.join(glob.escape(folder), NAMES)))
        if not found:
            raise ConfigError(
                "command line", "DIR", folder, "a folder that lane-lint summarise has written to"
            )
        names |= dict.fromkeys(os.path.normpath(name) for name in found)
    return iter(names)


def _without_baseline(files: list[CheckedFile], baseline: str) -> list[CheckedFile]:
    if not baseline:
        return files
    known = read_baseline(baseline)
    return [without_known(file, known) for file in files]
