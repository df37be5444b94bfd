"""Mends what can be mended in one file, and holds every change to its promise before it is kept."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lane_lint.engine import check_module
from lane_lint.finding import Confidence, Finding
from lane_lint.fingerprint import enclosing_names
from lane_lint.fixes import fixable_codes, fixer_of
from lane_lint.fixes.edits import Edit, are_apart
from lane_lint.fixes.file_text import FileText
from lane_lint.fixes.fixer import NotSafeError
from lane_lint.project.project import Project
from lane_lint.settings import Settings


@dataclass(frozen=True, slots=True)
class Fixed:
    """What became of the findings of one file.

    Attributes:
        data: The file's new bytes; the old ones where nothing is mended.
        mended: The findings that are gone, with their places in the old text.
        left: Findings of codes that have a fixer, and why they are left alone.
    """

    data: bytes
    mended: tuple[Finding, ...] = ()
    left: tuple[tuple[Finding, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Proposal:
    finding: Finding
    edits: frozenset[Edit]


def fix_text(
    text: FileText, findings: Sequence[Finding], settings: Settings, project: Project | None = None
) -> Fixed:
    """Mend those of a file's findings that have a fixer and are safe to mend.

    Args:
        findings: What is reported of the file, without what is deselected or suppressed.
        project: Where the modules around it can be looked up; None looks at no other.
    """
    wanted = [finding for finding in findings if finding.code in fixable_codes()]
    if not wanted:
        return Fixed(text.data)
    proposals, left = _proposals(text, wanted, settings)
    keeper = _Keeper(text, settings, project)
    left += keeper.keep_what_holds(proposals)
    return Fixed(keeper.present.data, tuple(keeper.mended), tuple(sorted(left)))


def _proposals(
    text: FileText, findings: Iterable[Finding], settings: Settings
) -> tuple[list[_Proposal], list[tuple[Finding, str]]]:
    from lane_lint.fixes.parsed import ParsedModule  # libcst, for the few files that have something to mend

    proposals: list[_Proposal] = []
    left: list[tuple[Finding, str]] = []
    module: ParsedModule | None = None
    for finding in findings:
        try:
            module = module or ParsedModule(text.source)
            edits = fixer_of(finding.code).edits(finding, module, settings)
            proposals.append(_Proposal(finding, frozenset(edits)))
        except NotSafeError as reason:
            left.append((finding, str(reason)))
        except RecursionError:
            left.append((finding, "the code is nested too deeply"))
    return proposals, left


class _Keeper:
    """The text as mended so far; a change is kept only if its finding goes and no other comes."""

    def __init__(self, text: FileText, settings: Settings, project: Project | None) -> None:
        # A fix must not turn a finding into one that is merely not shown.
        self._settings = dataclasses.replace(settings, min_confidence=Confidence.LOW)
        self._project = project
        self._text = text
        self._edits: frozenset[Edit] = frozenset()
        self._known = self._findings_in(text)
        self.present = text
        self.mended: list[Finding] = []

    def keep_what_holds(self, proposals: list[_Proposal]) -> list[tuple[Finding, str]]:
        """Try all at once, then one after the other; gives what did not hold and why."""
        if self._is_kept(proposals) is None:
            return []
        left: list[tuple[Finding, str]] = []
        for proposal in proposals:
            if reason := self._is_kept([proposal]):
                left.append((proposal.finding, reason))
        return left

    def _is_kept(self, proposals: Sequence[_Proposal]) -> str | None:
        """Make changes if they hold; else say why not."""
        if not proposals:
            return None
        edits = self._edits
        for proposal in proposals:
            if not are_apart(proposal.edits, edits):
                return "its change meets that of another finding; run it again"
            edits |= proposal.edits
        try:
            changed = self._text.with_edits(edits)
        except NotSafeError as reason:
            return str(reason)
        found = self._findings_in(changed)
        if came := found - self._known:
            return f"the change would bring {min(came)[0]} in its place"
        gone = self._known - found
        if edits != self._edits and self._keys(proposal.finding for proposal in proposals) - gone:
            return "the finding would stay"
        self._edits, self._known, self.present = edits, found, changed
        self.mended += [proposal.finding for proposal in proposals]
        return None

    def _findings_in(self, text: FileText) -> Counter[tuple[str, str]]:
        findings = check_module(text.source, self._settings, project=self._project)
        names = enclosing_names(findings, text.source)
        return Counter(zip((finding.code for finding in findings), names, strict=True))

    def _keys(self, findings: Iterable[Finding]) -> Counter[tuple[str, str]]:
        wanted = list(findings)
        names = enclosing_names(wanted, self._text.source)
        return Counter(zip((finding.code for finding in wanted), names, strict=True))
