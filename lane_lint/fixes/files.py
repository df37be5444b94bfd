"""One file of the disk: read once, mended, and put back only if it is still what was read."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress

from lane_lint.finding import Finding
from lane_lint.fixes import fixable_codes
from lane_lint.fixes.file_text import FileText
from lane_lint.fixes.fixer import NotSafeError
from lane_lint.fixes.fixing import Fixed, fix_text
from lane_lint.project.project import Project
from lane_lint.run import check_bytes
from lane_lint.settings import Settings
from lane_lint.source import SourceError


class NotWrittenError(Exception):
    """A file that could not be written; the message says why, without a full stop."""


def fix_bytes(path: str, data: bytes, settings: Settings, project: Project | None = None) -> Fixed:
    """Mend what is reported of a file's bytes.

    Args:
        path: What the user calls the file.
        project: Where the modules around it can be looked up; None looks at no other.
    """
    findings = check_bytes(path, data, settings, project).findings
    try:
        text = FileText.from_bytes(path, data)
    except (SourceError, NotSafeError) as reason:
        return Fixed(data, left=_all_left(findings, str(reason)))
    return fix_text(text, findings, settings, project)


def _all_left(findings: tuple[Finding, ...], reason: str) -> tuple[tuple[Finding, str], ...]:
    codes = fixable_codes()
    return tuple((finding, reason) for finding in findings if finding.code in codes)


def difference(path: str, before: bytes, after: bytes) -> bytes:
    """A unified diff in the bytes of the file, so that `patch -p0` makes the same change."""
    name = os.fsencode(path)
    lines = difflib.diff_bytes(
        difflib.unified_diff, _lines(before), _lines(after), fromfile=name, tofile=name, lineterm=b"\n"
    )
    return b"".join(_ended(lines))


def _lines(data: bytes) -> list[bytes]:
    """What diffs take for lines: only a line feed ends one."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1].removesuffix(b"\n")
    return lines if lines[-1] else lines[:-1]


def _ended(lines: Iterator[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def replace_file(path: str, before: bytes, after: bytes) -> None:
    """Put new bytes in a file's place in one step. Mode and, where it may be, owner stay; a link stays a link.

    Raises:
        NotWrittenError: It is read-only, no regular file, or no longer what was read.
        OSError: The folder cannot be written to.
    """
    target = os.path.realpath(path)
    found = os.stat(target)
    if not stat.S_ISREG(found.st_mode):
        raise NotWrittenError("it is no regular file")
    if not found.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise NotWrittenError("it is read-only")
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".lane-lint-")
    try:
        with open(descriptor, "wb") as stream:
            stream.write(after)
        _take_over(temporary, found)
        with open(target, "rb") as stream:
            if stream.read() != before:
                raise NotWrittenError("it has changed since it was read")
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _take_over(temporary: str, found: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # only the superuser gives files away
            os.chown(temporary, found.st_uid, found.st_gid)
    os.chmod(temporary, stat.S_IMODE(found.st_mode))
