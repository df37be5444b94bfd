"""Whatever a file, a line and a message hold, every report can be read by who it is for."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lane_lint.finding import Confidence, Finding, Related, Span
from lane_lint.report import github, gitlab, junit, sarif, text
from lane_lint.report import json as json_report
from lane_lint.report.content import Report
from lane_lint.run import CheckedFile

numbers = st.integers(0, 300)
spans = st.builds(Span, st.integers(1, 4), numbers, st.integers(4, 5), numbers)
texts = st.text(max_size=300) | st.text("\t\x0c\x1b\u202e\u4e16e\u0301%:,<&'] \r\n", max_size=300)
findings = st.builds(
    Finding,
    st.binary(min_size=1).map(os.fsdecode),
    spans,
    st.just("LAN103"),
    st.just("check-await-act"),
    texts,
    st.sampled_from(Confidence),
    st.lists(st.builds(Related, spans, texts), max_size=3).map(tuple),
)


@given(finding=findings, lines=st.dictionaries(st.integers(1, 4), texts), reason=texts)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_report_can_be_read(finding: Finding, lines: dict[int, str], reason: str) -> None:
    file = CheckedFile(finding.path, (finding,), ("f1",), lines=lines)
    report = Report([file], [(finding.path, reason)], has_source=True)
    for module in (sarif, gitlab, json_report):
        json.loads(module.render(report))
    assert len(ElementTree.fromstring(junit.render(report).encode("utf-8"))[0]) == 2
    assert github.render(report).count("\n") == 2
    shown = text.render(report)
    assert "LAN103" in shown.partition("\n")[0]
    assert not {"\x1b", "\r", "\u202e"} & set(shown.partition("\n")[2])
