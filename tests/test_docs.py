"""What is written is true: pages are up to date, examples do what they say, commands exist."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from lane_lint import Finding, Settings, check_source
from lane_lint.finding import Confidence
from lane_lint.rule import Rule
from lane_lint.rules import all_rules

PROJECT = Path(__file__).resolve().parent.parent
README = PROJECT / "README.md"
CHECK_COMMAND = "python3 -m venv .venv && .venv/bin/pip install --quiet '.[lint]' && .venv/bin/lane-lint check fixtures/demo"
TEST_COMMAND = (
    "python3 -m venv .venv && .venv/bin/pip install --quiet -e '.[test]' && .venv/bin/python -m pytest -q"
)

# Rules that are shown only to those who ask for findings of low confidence.
QUIET_RULES = frozenset({"LAN310"})

every_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


def tool(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, PROJECT / "tools" / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_rule_pages_are_what_the_docstrings_say() -> None:
    assert tool("render_rule_docs").drift(PROJECT / "docs" / "rules") == ""


def test_writing_the_pages_removes_those_of_codes_that_are_gone(tmp_path: Path) -> None:
    render = tool("render_rule_docs")
    (tmp_path / "LAN999.md").write_text("gone")
    assert "LAN999" in render.drift(tmp_path)
    render.write_pages(tmp_path)
    assert render.drift(tmp_path) == ""


def findings_in(rule: Rule, example: str) -> list[Finding]:
    minimum = Confidence.LOW if rule.code in QUIET_RULES else Confidence.MEDIUM
    return check_source(example, settings=Settings(min_confidence=minimum))


@every_rule
def test_the_bad_example_gets_its_code(rule: Rule) -> None:
    assert rule.code in [finding.code for finding in findings_in(rule, rule.documentation().bad)]


@every_rule
def test_the_good_example_gets_nothing(rule: Rule) -> None:
    assert findings_in(rule, rule.documentation().good) == []


@every_rule
def test_a_message_points_to_the_page_and_ends_without_a_full_stop(rule: Rule) -> None:
    message = next(f.message for f in findings_in(rule, rule.documentation().bad) if f.code == rule.code)
    assert message.endswith(f" [docs/rules/{rule.code}.md]")
    assert "\n" not in message
    assert not message.removesuffix(f" [docs/rules/{rule.code}.md]").endswith(".")


def test_the_readme_has_the_two_commands() -> None:
    commands = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.strip() for block in commands for line in block.splitlines()]
    assert lines.index(CHECK_COMMAND) < lines.index(TEST_COMMAND)


def test_the_readme_shows_what_the_demo_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    from lane_lint import check_paths

    monkeypatch.chdir(PROJECT)
    shown = tool("readme_findings").shown_findings(README.read_text(encoding="utf-8"))
    found = [
        f"{one.path}:{one.span.line}:{one.span.column + 1}: {one.code} {one.message}"
        for one in check_paths(["fixtures/demo"])
    ]
    assert shown == found


def test_every_setting_is_documented() -> None:
    text = (PROJECT / "docs" / "configuration.md").read_text(encoding="utf-8")
    keys = [field.name.replace("_", "-") for field in dataclasses.fields(Settings)]
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_the_changelog_has_an_unreleased_part() -> None:
    text = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## Unreleased$", text, re.MULTILINE)


def test_the_hook_brings_what_the_extra_lint_brings() -> None:
    with (PROJECT / "pyproject.toml").open("rb") as stream:
        extra = tomllib.load(stream)["project"]["optional-dependencies"]["lint"]
    hook = (PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    assert f"additional_dependencies: {json.dumps(extra)}" in hook


def test_the_version_stands_in_one_place() -> None:
    with (PROJECT / "pyproject.toml").open("rb") as stream:
        project = tomllib.load(stream)
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "lane_runtime/_version.py"
