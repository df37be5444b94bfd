"""What every rule must have, and how its findings read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lane_lint import rules
from lane_lint.finding import Confidence, Related, Span
from lane_lint.rule import Rule, RuleDefinitionError

DOCSTRING = """Something is wrong.

    Because of this.

    Bad:
        class A:
            pass

        x = A()
    Good:
        pass

    Silent on: one thing,
        and another.
    Source: a book.
    Since: 0.1
    """
PARTS = {
    "__doc__": DOCSTRING,
    "code": "LAN999",
    "name": "some-thing-wrong",
    "message": "'{name}' was read on line {line}",
    "hint": "do it for {name}",
}


def made(**parts: object) -> Rule:
    namespace = {key: value for key, value in (PARTS | parts).items() if value is not None}
    return type("Made", (Rule,), namespace)()


def test_the_docstring_is_read_by_its_sections() -> None:
    doc = made().documentation()
    assert doc.summary == "Something is wrong."
    assert doc.explanation == "Because of this."
    assert doc.bad == "class A:\n    pass\n\nx = A()\n"
    assert doc.good == "pass\n"
    assert doc.silent_on == "one thing,\nand another."
    assert (doc.source, doc.since) == ("a book.", "0.1")


@pytest.mark.parametrize("part", ["code", "name", "message", "hint"])
def test_a_rule_without_a_part_is_refused(part) -> None:
    with pytest.raises(RuleDefinitionError, match=part):
        made(**{part: None})


@pytest.mark.parametrize("section", ["Bad", "Good", "Silent on", "Source", "Since"])
def test_a_docstring_without_a_section_is_refused(section) -> None:
    with pytest.raises(RuleDefinitionError, match=section):
        made(__doc__=DOCSTRING.replace(f"{section}:", "Other:"))


@pytest.mark.parametrize(
    "parts",
    [
        {"code": "LAN1"},
        {"name": "Some_Name"},
        {"message": "{0} is wrong"},
        {"message": "{a.b} is wrong"},
        {"message": "{a!r} is wrong"},
        {"hint": "do it."},
        {"__doc__": ""},
    ],
)
def test_a_part_of_the_wrong_form_is_refused(parts) -> None:
    with pytest.raises(RuleDefinitionError):
        made(**parts)


def test_a_finding_says_what_and_what_to_do() -> None:
    related = (Related(Span(1, 0, 1, 1), "read here"),)
    finding = made().finding(
        Span(3, 4, 3, 9), path="a.py", confidence=Confidence.HIGH, related=related, name="self.n", line=1
    )
    assert finding.message == "'self.n' was read on line 1. Do it for self.n [docs/rules/LAN999.md]"
    assert (finding.path, finding.code, finding.name) == ("a.py", "LAN999", "some-thing-wrong")
    assert finding.related == related


def test_a_finding_is_one_line_whatever_the_names_hold() -> None:
    finding = made().finding(Span(1, 0, 1, 1), path="a.py", confidence=Confidence.LOW, name="a\nb", line=1)
    assert "\n" not in finding.message


def test_a_users_name_at_the_start_of_a_hint_keeps_its_case() -> None:
    finding = made(hint="{name} is better").finding(
        Span(1, 0, 1, 1), path="a.py", confidence=Confidence.LOW, name="self", line=1
    )
    assert ". self is better" in finding.message


@pytest.mark.parametrize(
    ("file_name", "copies", "complaint"),
    [
        ("lan999_other_name", 1, "call it lan999_some_thing_wrong.py"),
        ("lan999_some_thing_wrong", 0, "defines 0 rules, not one"),
        ("lan999_some_thing_wrong", 2, "defines 2 rules, not one"),
    ],
)
def test_a_file_that_does_not_hold_its_one_rule_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file_name: str, copies: int, complaint: str
) -> None:
    body = "".join(f"    {key} = {value!r}\n" for key, value in PARTS.items())
    classes = "".join(f"class Rule{number}(Rule):\n{body}\n" for number in range(copies))
    (tmp_path / f"{file_name}.py").write_text(f"from lane_lint.rule import Rule\n\n{classes}")
    monkeypatch.setattr(rules, "__path__", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, f"lane_lint.rules.{file_name}", raising=False)
    assert rules.known_codes() == ("LAN999",)
    with pytest.raises(RuleDefinitionError, match=complaint):
        rules.rule_of_code("LAN999")
    sys.modules.pop(f"lane_lint.rules.{file_name}", None)
