"""`lane-lint fix`."""

from __future__ import annotations

import argparse
import sys

from lane_lint.cli.checking import add_checking, checked
from lane_lint.cli.output import write_timings
from lane_lint.cli.selection import add_selection, selected_settings
from lane_lint.cli.status import CANNOT, CLEAN, FINDINGS, complain
from lane_lint.config import ConfigError
from lane_lint.finding import Finding
from lane_lint.fixes import fixable_codes
from lane_lint.fixes.files import NotWrittenError, difference, fix_bytes, replace_file
from lane_lint.fixes.fixing import Fixed
from lane_lint.report.content import Report
from lane_lint.report.places import shown_path
from lane_lint.requirements import INSTALL, has_libcst
from lane_lint.run import CheckedFile, project_around
from lane_lint.settings import Settings
from lane_lint.stopwatch import NO_CLOCK, Stopwatch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `fix` takes."""
    add_checking(parser)
    way = parser.add_argument_group("what to do").add_mutually_exclusive_group()
    way.add_argument("--diff", action="store_true", help="print what would change, as without any flag")
    way.add_argument(
        "--write", action="store_true", help="change the files; the text of - goes to standard output"
    )
    add_selection(parser)


def run(options: argparse.Namespace) -> int:
    """Mend what is safe to mend, and say what is left."""
    if not has_libcst():
        complain(f"the checker needs libcst: {INSTALL}")
        return CANNOT
    try:
        settings = selected_settings(options)
    except ConfigError as error:
        complain(str(error))
        return CANNOT
    clock = Stopwatch() if options.timings else NO_CLOCK
    found = checked(options, settings, clock)
    work = _Work(settings, is_writing=options.write, has_failed=bool(found.errors))
    files = list(found.files)
    answered = files.pop() if found.standard_input is not None else None
    with clock.phase("fix"):
        for file in files:
            work.mend_file(file)
        if answered is not None and found.standard_input is not None:
            work.mend_standard_input(answered, found.standard_input)
    if options.timings:
        write_timings(Report(found.files, found.errors), clock)
    return work.status()


class _Work:
    """One run over the files, and what it has come to."""

    def __init__(self, settings: Settings, *, is_writing: bool, has_failed: bool) -> None:
        self._settings = settings
        self._project = project_around(settings, None)
        self._is_writing = is_writing
        self._mended = self._left = self._files = 0
        self._has_failed = has_failed

    def mend_file(self, file: CheckedFile) -> None:
        """Mend one file that has been checked, if it has anything to mend."""
        self._note_unread(file.findings)
        if not any(finding.code in fixable_codes() for finding in file.findings):
            return
        try:
            with open(file.path, "rb") as stream:
                data = stream.read()
            fixed = fix_bytes(file.path, data, self._settings, self._project)
            if self._is_writing and fixed.data != data:
                replace_file(file.path, data, fixed.data)
        except (OSError, NotWrittenError) as error:
            self._cannot(file.path, getattr(error, "strerror", None) or str(error))
            return
        self._say(file.path, data, fixed)

    def mend_standard_input(self, file: CheckedFile, data: bytes) -> None:
        """Mend a text; it is the answer, mended or not, when files would be written."""
        self._note_unread(file.findings)
        fixed = fix_bytes(file.path, data, self._settings, self._project)
        if self._is_writing:
            sys.stdout.flush()
            sys.stdout.buffer.write(fixed.data)
        self._say(file.path, data, fixed)

    def _note_unread(self, findings: tuple[Finding, ...]) -> None:
        for finding in findings:
            if finding.code == "LAN901":
                self._cannot(f"{finding.path}:{finding.span.line}", finding.message)

    def _cannot(self, place: str, reason: str) -> None:
        complain(f"{shown_path(place)}: {reason}")
        self._has_failed = True

    def _say(self, path: str, data: bytes, fixed: Fixed) -> None:
        if not self._is_writing:
            sys.stdout.flush()
            sys.stdout.buffer.write(difference(path, data, fixed.data))
        for finding, reason in fixed.left:
            place = f"{shown_path(path)}:{finding.span.line}"
            print(f"not fixed: {finding.code} {place}: {reason}", file=sys.stderr)
        self._mended += len(fixed.mended)
        self._left += len(fixed.left)
        self._files += fixed.data != data

    def status(self) -> int:
        """Sum up on standard error, and give the exit status."""
        if self._mended or self._left:
            fixed = "fixed" if self._is_writing else "would be fixed with --write"
            files = f"{self._files} file{'s' * (self._files != 1)}"
            print(f"{self._mended} {fixed} in {files}, {self._left} not fixed", file=sys.stderr)
        if self._has_failed:
            return CANNOT
        return FINDINGS if self._mended and not self._is_writing else CLEAN
