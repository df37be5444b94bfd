"""The catalogue holds together: each code has its file, page, cases and changelog line."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

import pytest

from lane_lint.rule import Rule
from lane_lint.rules import all_rules, known_codes

PROJECT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"\bLAN\d{3}\b")
PYTHON_FOLDERS = ("lane_lint", "lane_runtime", "fixtures", "tools", "benchmarks")

every_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


@every_rule
def test_a_rule_has_a_page(rule: Rule) -> None:
    assert (PROJECT / "docs" / "rules" / f"{rule.code}.md").is_file()


@every_rule
def test_a_rule_has_three_bad_and_three_good_cases(rule: Rule) -> None:
    if rule.code == "LAN901":
        pytest.skip("files that cannot be read are made at run time in tests/hostile")
    folder = PROJECT / "fixtures" / rule.code
    assert len(list(folder.glob("bad_*.py"))) >= 3
    assert len(list(folder.glob("good_*.py"))) >= 3


@every_rule
def test_a_bad_case_has_a_good_twin(rule: Rule) -> None:
    folder = PROJECT / "fixtures" / rule.code
    for bad in folder.glob("bad_*.py"):
        assert bad.with_name(bad.name.replace("bad_", "good_", 1)).is_file(), f"{bad.name} has no twin"


@every_rule
def test_the_changelog_names_a_rule(rule: Rule) -> None:
    assert rule.code in (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")


@every_rule
def test_a_rule_names_what_is_wrong_not_what_to_do(rule: Rule) -> None:
    assert not rule.name.startswith(("use-", "avoid-", "no-", "do-not-"))


def test_codes_are_unique_and_in_the_order_of_the_files() -> None:
    codes = [rule.code for rule in all_rules()]
    assert tuple(codes) == known_codes()
    assert len(set(codes)) == len(codes)


def test_no_page_or_case_folder_is_of_an_unknown_code() -> None:
    pages = {path.stem for path in (PROJECT / "docs" / "rules").glob("LAN*.md")}
    folders = {path.name for path in (PROJECT / "fixtures").glob("LAN*")}
    assert pages | folders <= set(known_codes())


def test_no_noqa_or_marker_names_an_unknown_code() -> None:
    unknown: list[str] = []
    for path in (file for folder in PYTHON_FOLDERS for file in sorted((PROJECT / folder).rglob("*.py"))):
        with tokenize.open(path) as stream:
            comments = [line.partition("#")[2] for line in stream if "noqa" in line or "expect:" in line]
        codes = {code for comment in comments for code in CODE.findall(comment)}
        unknown += [f"{path.relative_to(PROJECT)}: {code}" for code in codes - set(known_codes())]
    assert not unknown
