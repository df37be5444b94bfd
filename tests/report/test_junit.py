"""JUnit's XML: well formed whatever is in it, with counts that add up."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from lane_lint.report import junit
from lane_lint.report.content import Report


def test_every_report_is_well_formed_and_its_counts_are_right(any_report: Report) -> None:
    text = junit.render(any_report)
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n')
    root = ElementTree.fromstring(text.encode("utf-8"))
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    for element in (root, suite):
        assert element.get("tests") == str(len(suite.findall("testcase")))
        assert element.get("failures") == str(len(suite.findall("testcase/failure")))
        assert element.get("errors") == str(len(suite.findall("testcase/error")))


# Source: the schema of Jenkins' xUnit plugin, junit-10.xsd; what it requires is always there.
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors"},
    "testcase": {"name", "classname"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
}


def test_elements_have_the_attributes_that_are_known(any_report: Report) -> None:
    for element in ElementTree.fromstring(junit.render(any_report)).iter():
        assert set(element.attrib) == ATTRIBUTES[element.tag]


def test_a_clean_file_passes_a_finding_fails_and_an_unread_file_errs(full: Report) -> None:
    (suite,) = ElementTree.fromstring(junit.render(full))
    assert [
        (case.get("classname"), case.get("name"), [outcome.tag for outcome in case]) for case in suite
    ] == [
        ("clean.py", "no findings", []),
        ("broken.py", "LAN901 not-analysed (line 1:1)", ["failure"]),
        ("src/pool.py", "LAN103 check-await-act (line 3:5)", ["failure"]),
        ("src/pool.py", "LAN103 check-await-act (line 5:1)", ["failure"]),
        ("src/pool.py", "LAN103 check-await-act (line 7:1)", ["failure"]),
        ("gone.py", "could not be read", ["error"]),
    ]
    failure = suite[2][0]
    assert failure.attrib == {"message": "what, why", "type": "LAN103"}
    assert failure.text == "src/pool.py:3:5: LAN103 what, why"


def test_what_xml_cannot_write_is_spelled(odd: Report) -> None:
    (suite,) = ElementTree.fromstring(junit.render(odd))
    message = suite[0][0].get("message")
    assert message is not None
    assert message.endswith("\\x1b[31m \\x00\\udcff \\ufffe \N{PILE OF POO} ]]>")
    assert suite[0].get("classname").startswith("sp ace/%41:,\\n\\x1b")
