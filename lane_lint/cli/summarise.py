"""`lane-lint summarise`."""

from __future__ import annotations

import argparse
import os

from lane_lint.cli.checking import add_checking, checked
from lane_lint.cli.output import replace_file
from lane_lint.cli.selection import add_selection, selected_settings
from lane_lint.cli.status import CANNOT, CLEAN, complain
from lane_lint.config import ConfigError
from lane_lint.requirements import INSTALL, has_libcst
from lane_lint.shards import WHOLE, Shard, shard_of
from lane_lint.summaries import Summary, file_name, maker_of, rendered_summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `summarise` takes."""
    parser.add_argument(
        "--shard", type=_shard, default=WHOLE, metavar="N/COUNT", help="which share of the files (1/1)"
    )
    parser.add_argument(
        "--out", required=True, metavar="DIR", help="folder for the summary; made when missing"
    )
    add_checking(parser)
    add_selection(parser)


def run(options: argparse.Namespace) -> int:
    """Check the files of the shard and write what was found; findings are no failure here."""
    if not has_libcst():
        complain(f"the checker needs libcst: {INSTALL}")
        return CANNOT
    try:
        settings = selected_settings(options)
    except ConfigError as error:
        complain(str(error))
        return CANNOT
    found = checked(options, settings, shard=options.shard)
    summary = Summary(options.shard, maker_of(settings), tuple(found.files), tuple(found.errors))
    try:
        os.makedirs(options.out, exist_ok=True)
        replace_file(os.path.join(options.out, file_name(options.shard)), rendered_summary(summary))
    except OSError as error:
        complain(f"cannot write {options.out}: {error.strerror or error}")
        return CANNOT
    return CANNOT if found.errors else CLEAN


def _shard(text: str) -> Shard:
    try:
        return shard_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
