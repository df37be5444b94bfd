"""docs/command.md: its examples give what they show, and no flag is left out."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from console_examples import blocks, examples, folder_of_page, require_printed

from lane_lint.cli import check
from lane_lint.report import FORMATS

PROJECT = Path(__file__).resolve().parent.parent.parent
PAGE = (PROJECT / "docs" / "command.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of_page(PAGE, tmp_path)


@pytest.mark.parametrize(("command", "shown"), examples(PAGE), ids=lambda text: text[:60])
def test_an_example_prints_what_it_shows(folder, command, shown) -> None:
    require_printed(command, folder, shown)


def test_the_json_example_has_every_key(folder, lane_lint) -> None:
    shown = json.loads(blocks(PAGE, "json")[0])
    printed = json.loads(lane_lint("check", "--format", "json", "purse.py").stdout)
    for finding in (*shown["findings"], *printed["findings"]):
        finding["message"] = finding["fingerprint"] = "..."
    assert shown == printed


def test_every_format_and_every_flag_is_described() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (PROJECT / "docs").glob("*.md"))
    parser = argparse.ArgumentParser(add_help=False)
    check.add_arguments(parser)
    flags = {word for action in parser._actions for word in action.option_strings}
    assert [flag for flag in sorted(flags) if flag.removeprefix("--") not in pages] == []
    assert [name for name in FORMATS if f"| `{name}` |" not in PAGE] == []
