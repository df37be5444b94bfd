"""`lane-lint config` shows every setting, its values, and where each of them comes from."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from lane_lint.cli import main
from lane_lint.settings import Settings


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "tox.ini").write_text("[flake8]\nignore = E203\nextend-ignore = LAN1\n")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.lane-lint]\nextend-ignore = ["LAN2"]\nmin-confidence = "low"\nlock-types = ["x.Lock"]\n'
        'exclude = [".git", "gen"]\n[tool.lane-lint.per-file-ignores]\n"src/*" = ["LAN3"]\n'
    )
    return tmp_path


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]):
    """The JSON of `lane-lint config`, with the settings by key."""

    def run(*arguments: str) -> dict[str, object]:
        assert main(["config", "--format", "json", *arguments]) == 0
        document = json.loads(capsys.readouterr().out)
        document["settings"] = {one["key"]: one["values"] for one in document["settings"]}
        return document

    return run


def pairs(values: list[dict[str, object]]) -> list[tuple[object, object]]:
    return [(one["value"], one["origin"]) for one in values]


def test_every_setting_is_shown(project, shown) -> None:
    keys = [field.name.replace("_", "-") for field in dataclasses.fields(Settings)]
    assert list(shown()["settings"]) == keys


def test_each_value_has_its_origin(project, shown) -> None:
    settings = shown("--select", "LAN1,LAN2")["settings"]
    table, section = f"{project}/pyproject.toml", f"{project}/tox.ini"
    assert pairs(settings["select"]) == [("LAN1", "command line"), ("LAN2", "command line")]
    assert pairs(settings["ignore"]) == [("E203", f"{section}:2 [flake8]")]
    assert pairs(settings["extend-ignore"]) == [
        ("LAN1", f"{section}:3 [flake8]"),
        ("LAN2", f"{table}:2 [tool.lane-lint]"),
    ]
    assert pairs(settings["min-confidence"]) == [("low", f"{table}:3 [tool.lane-lint]")]
    assert pairs(settings["lock-types"]) == [("x.Lock", f"{table}:4 [tool.lane-lint]")]
    assert {origin for _, origin in pairs(settings["exclude"])} == {f"{table}:5 [tool.lane-lint]"}
    assert pairs(settings["across-files"]) == [(False, "default")]
    entry = {"pattern": f"{project}/src/*", "codes": ["LAN3"]}
    assert pairs(settings["per-file-ignores"]) == [(entry, f"{table}:6 [tool.lane-lint]")]


def test_added_words_stand_beside_the_known_ones(project, shown) -> None:
    (project / "pyproject.toml").write_text('[tool.lane-lint]\nsuppressors = ["x.leave"]\n')
    values = pairs(shown()["settings"]["suppressors"])
    assert values[-1] == ("x.leave", f"{project}/pyproject.toml:2 [tool.lane-lint]")
    assert {origin for _, origin in values[:-1]} == {"default"}


def test_what_holds_for_a_file(project, shown) -> None:
    inside, generated, *_ = shown("--for", "src/a.py", "--for", "gen/b.py", "--for", "", "--for", "/x/y")[
        "files"
    ]
    assert inside["excluded_by"] is None
    assert inside["per_file_ignores"] == f"{project}/src/*"
    assert {code[:4] for code in inside["reported"]} == {"LAN4", "LAN9"}
    assert {code[:4] for code in inside["silent"]} == {"LAN1", "LAN2", "LAN3"}
    assert generated["excluded_by"] == "gen"


def test_text_has_one_line_a_value(project, capsys) -> None:
    assert main(["config", "--for", "src/a.py"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "select every code default"
    assert f"gen {project}/pyproject.toml:5 [tool.lane-lint]" in lines
    assert "src/a.py: is checked" in lines


def test_keys_that_flake8_takes_from_its_own_file_are_told(project, capsys) -> None:
    (project / "tox.ini").write_text(
        "[flake8]\nextend-ignore = LAN1\nexclude = x\nlan-min-confidence = high\n"
    )
    assert main(["config"]) == 0
    assert "both set extend-ignore, exclude:" in capsys.readouterr().err


def test_a_mistake_ends_with_2_and_is_named(project, capsys) -> None:
    (project / "pyproject.toml").write_text('[tool.lane-lint]\n\nignore = ["LAN999"]\n')
    assert main(["config"]) == main(["check"]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert errors[0] == errors[1]
    assert (
        f"{project}/pyproject.toml:3 [tool.lane-lint]: ignore = 'LAN999': allowed is a prefix of" in errors[0]
    )
