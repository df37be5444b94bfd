"""What a run reads, for every subcommand that looks for findings: files, folders and standard input."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from lane_lint.cli.progress import with_progress
from lane_lint.cli.status import complain
from lane_lint.jobs import check_files
from lane_lint.paths import STANDARD_INPUT, Selection, select_files, without_excluded
from lane_lint.project.store import FOLDER
from lane_lint.report.places import shown_path
from lane_lint.run import CheckedFile, check_bytes, project_around
from lane_lint.settings import Settings
from lane_lint.shards import WHOLE, Shard
from lane_lint.stopwatch import NO_CLOCK, Clock

_NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Checked:
    """What was read.

    Attributes:
        files: In the order they were given, standard input last.
        errors: (path, reason) of what could not be read.
        standard_input: What was read from there; None when it was not asked for.
    """

    files: Sequence[CheckedFile]
    errors: Sequence[tuple[str, str]]
    standard_input: bytes | None = None


def add_checking(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files, or folders (in a git work tree their tracked files); - is standard input; default .",
    )
    parser.add_argument("--stdin-display-name", metavar="NAME", default="stdin", help="what to call -")
    parser.add_argument(
        "--force-exclude", action="store_true", help="exclude what is named on the command line too"
    )
    run = parser.add_argument_group("run")
    run.add_argument("--jobs", type=_jobs, metavar="N", help="processes (every core for many files)")
    run.add_argument("--timings", action="store_true", help="say on standard error what took how long")
    run.add_argument("--no-cache", action="store_true", help=f"do not keep what is found out in {FOLDER}")


def checked(
    options: argparse.Namespace, settings: Settings, clock: Clock = NO_CLOCK, shard: Shard = WHOLE
) -> Checked:
    """Check what the arguments name; what cannot be read or is left out is complained about.

    Args:
        shard: Only files of this share are read.
        clock: Is told which phase is at work, but for those of the files, which have their own.
    """
    with clock.phase("find files"):
        paths = options.paths or ["."]
        if options.force_exclude:
            paths = without_excluded(paths, settings)
        selection = select_files(paths, settings)
    cache = None if options.no_cache else os.path.abspath(FOLDER)
    named = [path for path in selection.files if path != STANDARD_INPUT and shard.has(path)]
    found = check_files(named, settings, jobs=options.jobs, cache=cache, is_timed=options.timings)
    files = list(with_progress(found, len(named), sys.stderr))
    name = options.stdin_display_name or "stdin"
    data = None
    if STANDARD_INPUT in selection.files and not (options.force_exclude and settings.is_excluded(name)):
        with clock.phase("standard input"):
            data = _standard_input()
            files.append(check_bytes(name, data, settings, project_around(settings, cache), clock))
    errors = [*selection.errors, *((file.path, file.error) for file in files if file.error is not None)]
    _complain_about(selection, errors)
    return Checked(files, errors, data)


def _complain_about(selection: Selection, errors: Sequence[tuple[str, str]]) -> None:
    for path, reason in errors:
        complain(f"{shown_path(path)}: {reason}")
    for path in selection.empty:
        complain(f"note: {shown_path(path)}: no Python files")
    if selection.untracked:
        complain(f"note: {_left_out(selection.untracked)}; git add them, or name them")


def _left_out(paths: Sequence[str]) -> str:
    """How many untracked files there are, and the first names."""
    count = f"{len(paths)} untracked Python file{'s' if len(paths) > 1 else ''} not read"
    names = [shown_path(path) for path in paths[:_NAMES_SHOWN]]
    return f"{count}: {', '.join(names)}{' and more' if len(paths) > _NAMES_SHOWN else ''}"


def _standard_input() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin is not None else b""


def _jobs(value: str) -> int:
    try:
        jobs = int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is no number") from None
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return jobs
