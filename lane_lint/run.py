"""One file from its name to what is reported of it: read, check, drop what is suppressed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, BinaryIO

from lane_lint.baseline import Baseline
from lane_lint.engine import check_module, not_analysed, undecodable
from lane_lint.finding import Confidence, Finding
from lane_lint.fingerprint import Mark, marks_of, path_from
from lane_lint.rules import known_codes
from lane_lint.rules.lan901_not_analysed import NotAnalysed
from lane_lint.settings import Settings
from lane_lint.source import Source, SourceError
from lane_lint.stopwatch import NO_CLOCK, Clock, Stopwatch
from lane_lint.suppress import is_file_suppressed, without_suppressed
from lane_lint.unused_noqa import UnusedNoqa, names_our_codes, unused_noqa

if TYPE_CHECKING:
    from lane_lint.project.project import Project


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What became of one file.

    Attributes:
        path: The file, as the user calls it.
        findings: Sorted, without what is deselected or suppressed.
        fingerprints: One for each finding; the same after lines have moved.
        error: Why the file could not be read, None when it could.
        lines: The first lines of all places that the findings name, by number.
        seconds: What each phase took, when that was measured.
        marks: What each fingerprint is made of.
        held_back: How many findings a baseline has taken out.
        unused_noqa: Comments that silence nothing, when that was asked for.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    fingerprints: tuple[str, ...] = ()
    error: str | None = None
    lines: Mapping[int, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    held_back: int = 0
    unused_noqa: tuple[UnusedNoqa, ...] = ()


def project_around(settings: Settings, cache: str | None) -> Project | None:
    """Where the files of a run can look up other modules; None, at no cost, where settings do not ask for it.

    Args:
        cache: The folder that keeps what is found out about modules; None keeps nothing.
    """
    if not settings.across_files:
        return None
    from lane_lint.project.project import project_of

    return project_of(settings, cache)


def check_file(
    path: str, settings: Settings, project: Project | None = None, clock: Clock = NO_CLOCK
) -> CheckedFile:
    """Read and check one file.

    Args:
        project: Where the modules around it can be looked up; None looks at no other.
        clock: Is told which phase is at work.
    """
    try:
        with clock.phase("read"), open(path, "rb") as stream:
            if _is_endless(stream):
                return CheckedFile(path, error="it is a device")
            data = stream.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return CheckedFile(path, error=reason)
    except MemoryError:
        return CheckedFile(path, error="it is larger than the memory")
    return check_bytes(path, data, settings, project, clock)


def check_file_timed(path: str, settings: Settings, project: Project | None = None) -> CheckedFile:
    """Read and check one file, and measure what that takes."""
    clock = Stopwatch()
    checked = check_file(path, settings, project, clock)
    return replace(checked, seconds=clock.seconds)


def check_batch(
    paths: Sequence[str], settings: Settings, project: Project | None, *, is_timed: bool = False
) -> Iterator[CheckedFile]:
    """Check files; the answers come in the order of `paths`.

    The order in which they are looked at is another one: a module that others have asked for comes next,
    while its outline is at hand.
    """
    check = check_file_timed if is_timed else check_file
    places = {os.path.abspath(path): place for place, path in enumerate(paths)} if project is not None else {}
    checked: dict[int, CheckedFile] = {}
    for place in range(len(paths)):
        pending = [place]
        while pending:
            current = pending.pop()
            if current < place or current in checked:
                continue
            checked[current] = check(paths[current], settings, project)
            if project is not None:
                pending += [places[path] for path in project.outlined if path in places]
        yield checked.pop(place)


def _is_endless(stream: BinaryIO) -> bool:
    """Whether reading may never end: a device, but neither a terminal nor the null device."""
    found = os.fstat(stream.fileno())
    if not (stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)):
        return False
    return not stream.isatty() and found.st_rdev != os.stat(os.devnull).st_rdev


def check_bytes(
    path: str, data: bytes, settings: Settings, project: Project | None = None, clock: Clock = NO_CLOCK
) -> CheckedFile:
    """Check the bytes of one file under the name `path`."""
    try:
        with clock.phase("read"):
            source = Source.from_bytes(path, data)
    except SourceError as error:
        # latin-1 keeps every line; it only serves to look for comments and to tell findings apart.
        return _reported(Source.from_text(path, data.decode("latin-1")), [undecodable(path, error)], settings)
    return check_text(source, settings, project, clock)


def check_text(
    source: Source, settings: Settings, project: Project | None = None, clock: Clock = NO_CLOCK
) -> CheckedFile:
    """Check the text of one file."""
    if is_file_suppressed(source.lines) and not settings.warn_unused_noqa:
        return CheckedFile(source.path)
    findings = check_module(source, settings, project=project, clock=clock)
    with clock.phase("select"):
        file = _reported(source, findings, settings)
    if settings.warn_unused_noqa and names_our_codes(source.lines):
        return replace(file, unused_noqa=_unused_noqa(source, findings, settings, project))
    return file


def _unused_noqa(
    source: Source, findings: list[Finding], settings: Settings, project: Project | None
) -> tuple[UnusedNoqa, ...]:
    """The comments that silence nothing, not even a finding of lower confidence than is reported."""
    known = known_codes()
    selected = [code for code in known if settings.is_reported(code, source.path)]
    unused = unused_noqa(source.lines, findings, selected, known)
    if unused and settings.min_confidence > Confidence.LOW:
        every_confidence = replace(settings, min_confidence=Confidence.LOW)
        findings = [*findings, *check_module(source, every_confidence, project=project)]
        unused = unused_noqa(source.lines, findings, selected, known)
    is_read = not any(finding.code == NotAnalysed.code for finding in findings)
    return unused if is_read else ()


def died_while_read(path: str, settings: Settings) -> CheckedFile:
    """What is reported of a file whose reading ended the process."""
    finding = not_analysed(path, "the process that read it died", "Exclude the file")
    return _reported(Source.from_text(path, ""), [finding], settings)


def without_known(file: CheckedFile, baseline: Baseline) -> CheckedFile:
    """The file without the findings that a baseline has."""
    marked = zip(file.findings, file.marks, strict=True)
    new = [(finding, mark) for finding, mark in marked if not baseline.has(file.path, mark)]
    if len(new) == len(file.findings):
        return file
    return _with_findings(replace(file, held_back=len(file.findings) - len(new)), new)


def _reported(source: Source, findings: list[Finding], settings: Settings) -> CheckedFile:
    selected = [finding for finding in findings if settings.is_reported(finding.code, source.path)]
    shown = frozenset(without_suppressed(selected, source.lines))
    marked = [pair for pair in zip(selected, marks_of(selected, source), strict=True) if pair[0] in shown]
    file = CheckedFile(source.path, lines=_lines_of([finding for finding, _ in marked], source))
    return _with_findings(file, marked)


def _with_findings(file: CheckedFile, marked: Sequence[tuple[Finding, Mark]]) -> CheckedFile:
    path = path_from(os.curdir, file.path) if marked else ""
    return replace(
        file,
        findings=tuple(finding for finding, _ in marked),
        fingerprints=tuple(mark.fingerprint(path) for _, mark in marked),
        marks=tuple(mark for _, mark in marked),
    )


def _lines_of(findings: Sequence[Finding], source: Source) -> dict[int, str]:
    spans = [span for each in findings for span in (each.span, *(other.span for other in each.related))]
    numbers = sorted({span.line for span in spans})
    return {number: source.lines[number - 1] for number in numbers if number <= len(source.lines)}
