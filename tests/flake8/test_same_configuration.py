"""The same configuration, wherever it stands, gives the same findings through flake8 and the command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flake8.main.application import Application

from lane_lint.cli import main
from lane_lint.rules import rule_of_code

FILES = {"src/act.py": "LAN103", "lock.py": "LAN104", "post.py": "LAN310"}
USUAL = {"LAN103", "LAN104"}
INI_FILES = ("setup.cfg", "tox.ini", ".flake8")
# Options of a [flake8] section, the same as TOML, and the codes that are left.
CASES = [
    ("", "", USUAL),
    ("select = E,LAN104", 'select = ["LAN104"]', {"LAN104"}),
    ("select =", "select = []", set()),
    ("ignore = LAN103", 'ignore = ["LAN103"]', {"LAN104"}),
    ("extend-ignore = LAN1", 'extend-ignore = ["LAN1"]', set()),
    ("extend_ignore = LAN103", 'extend-ignore = ["LAN103"]', {"LAN104"}),
    (
        "ignore = LAN1\nextend-select = LAN103",
        'ignore = ["LAN1"]\nextend-select = ["LAN103"]',
        {"LAN103"},
    ),
    ("select = LAN1\nignore = LAN1", 'select = ["LAN1"]\nignore = ["LAN1"]', set()),
    (
        "per-file-ignores = src/*:LAN1",
        '[tool.lane-lint.per-file-ignores]\n"src/*" = ["LAN1"]',
        {"LAN104"},
    ),
    (
        "per-file-ignores =\n    src/*,lock.py: LAN10\n    act.py:LAN9",
        'per-file-ignores = {"src/*" = ["LAN10"], "lock.py" = ["LAN10"], "act.py" = ["LAN9"]}',
        set(),
    ),
    (
        "per-file-ignores =\n    *.py: LAN103\n    lock.py: E1",
        'per-file-ignores = {"*.py" = ["LAN103"], "lock.py" = ["LAN9"]}',
        {"LAN104"},
    ),
    ("exclude = src", 'exclude = ["src"]', {"LAN104"}),
    ("extend-exclude = ./src,nothing", 'extend-exclude = ["./src", "nothing"]', {"LAN104"}),
    ("lan-min-confidence = low", 'min-confidence = "low"', {*USUAL, "LAN310"}),
    ("lan-min-confidence =\n    low", 'min-confidence = "low"', {*USUAL, "LAN310"}),
    ("lan_min_confidence = HIGH", 'min-confidence = "HIGH"', {"LAN104"}),
    ("lan-lane-types = x.Lane", 'lane-types = ["x.Lane"]', USUAL),
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file for each of `FILES`, which is the current one."""
    for name, code in FILES.items():
        rule = rule_of_code(code)
        assert rule is not None
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(rule.documentation().bad)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def codes(capsys: pytest.CaptureFixture[str]):
    """The LAN codes that both faces report; they have to be the same at the same places."""

    def run(*flake8_flags: str, command_flags: tuple[str, ...] = ()) -> set[str]:
        application = Application()
        application.run(["--jobs=1", *flake8_flags, "."])
        by_flake8 = findings(capsys.readouterr().out)
        main(["check", "--no-cache", *command_flags, "."])
        by_command = findings(capsys.readouterr().out)
        assert by_flake8 == by_command
        return {code for _, code in by_command}

    return run


def findings(output: str) -> set[tuple[str, str]]:
    found = re.findall(r"^(?:\./)?(\S+?:\d+:\d+): (LAN\d+) ", output, re.MULTILINE)
    return {(place, code) for place, code in found}


@pytest.mark.parametrize("name", INI_FILES)
@pytest.mark.parametrize(("section", "table", "expected"), CASES)
def test_a_flake8_section(project, codes, name, section, table, expected) -> None:
    (project / name).write_text(f"[flake8]\n{section}\n")
    assert codes() == expected


@pytest.mark.parametrize(("section", "table", "expected"), CASES)
def test_our_table_of_pyproject(project, codes, section, table, expected) -> None:
    (project / "pyproject.toml").write_text(f"[tool.lane-lint]\n{table}\n")
    assert codes() == expected


@pytest.mark.parametrize("name", [".flake8", "pyproject.toml"])
def test_a_file_of_the_folder_above(project, codes, monkeypatch, name) -> None:
    text = "[flake8]\nper-file-ignores = act.py:LAN1, *lock.py:LAN9\nextend-exclude = lock.py"
    table = '[tool.lane-lint]\nper-file-ignores = {"src/*" = ["LAN1"]}\nextend-exclude = ["./post.py"]'
    (project / name).write_text(text if name == ".flake8" else table)
    monkeypatch.chdir(project / "src")
    assert codes() == set()


def test_patterns_of_flake8s_per_file_ignores_start_from_the_current_folder(
    project, codes, monkeypatch
) -> None:
    (project / ".flake8").write_text("[flake8]\nper-file-ignores = src/*:LAN1\n")
    assert codes() == {"LAN104"}
    monkeypatch.chdir(project / "src")
    assert codes() == {"LAN103"}


@pytest.mark.parametrize(
    ("section", "table", "flag", "expected"),
    [
        ("low", "high", None, {"LAN104"}),
        ("high", "low", None, {*USUAL, "LAN310"}),
        ("high", "high", "low", {*USUAL, "LAN310"}),
        ("low", None, "high", {"LAN104"}),
    ],
)
def test_flags_win_over_our_table_which_wins_over_flake8s_files(
    project, codes, section, table, flag, expected
) -> None:
    (project / ".flake8").write_text(f"[flake8]\nlan-min-confidence = {section}\n")
    if table is not None:
        (project / "pyproject.toml").write_text(f'[tool.lane-lint]\nmin-confidence = "{table}"\n')
    if flag is None:
        assert codes() == expected
    else:
        given = codes(f"--lan-min-confidence={flag}", command_flags=(f"--min-confidence={flag}",))
        assert given == expected


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("--ignore=LAN104",), set()),
        (("--select=LAN",), {"LAN104"}),
        (("--select=LAN103",), set()),
        (("--extend-select=LAN103",), {"LAN104"}),
        (("--extend-ignore=LAN104,LAN103",), set()),
        (("--exclude=lock.py",), set()),
        (("--extend-exclude=lock.py,src",), set()),
    ],
)
def test_the_same_flags_over_a_section(project, codes, flags, expected) -> None:
    (project / "tox.ini").write_text("[flake8]\nextend-ignore = LAN103\nextend-exclude = src\n")
    assert codes(*flags, command_flags=flags) == expected


def test_sections_that_flake8_passes_over(project, codes) -> None:
    (project / ".flake8").write_bytes(b"\xef\xbb\xbf[flake8]\nignore = LAN1\n")
    (project / "tox.ini").write_text("no section\n[flake8]\nignore = LAN1\n")
    assert codes() == USUAL
    (project / "setup.cfg").write_text("[flake8:local-plugins]\n")
    (project / ".flake8").write_text("[flake8]\nignore = LAN1\n")
    assert codes() == USUAL


def test_one_file_counts_and_setup_cfg_is_the_first(project, codes) -> None:
    (project / "setup.cfg").write_text("[metadata]\nname = x\n")
    (project / "tox.ini").write_text("[flake8]\nignore = LAN103\n")
    (project / ".flake8").write_text("[flake8]\nignore = LAN104\n")
    assert codes() == {"LAN104"}


def test_a_nested_project_goes_by_its_own_files_when_it_is_checked_itself(
    project, codes, monkeypatch
) -> None:
    (project / "pyproject.toml").write_text('[tool.lane-lint]\nignore = ["LAN104"]\n')
    (project / "src" / "pyproject.toml").write_text('[tool.lane-lint]\nignore = ["LAN103"]\n')
    assert codes() == {"LAN103"}
    monkeypatch.chdir(project / "src")
    assert codes() == set()


def test_a_file_that_is_named_itself_is_checked_in_an_excluded_folder(project, capsys) -> None:
    (project / "pyproject.toml").write_text('[tool.lane-lint]\nexclude = ["src"]\n')
    Application().run(["--jobs=1", "src/act.py", "lock.py"])
    by_flake8 = capsys.readouterr().out
    main(["check", "--no-cache", "src/act.py", "lock.py"])
    assert findings(by_flake8) == findings(capsys.readouterr().out)
    assert "src/act.py" in by_flake8


@pytest.mark.parametrize(("section", "table", "expected"), CASES)
def test_the_table_of_flake8_pyproject(project, codes, section, table, expected) -> None:
    """A section may stand in [tool.flake8] for those who have Flake8-pyproject; then no other file counts."""
    pairs = re.findall(r"^(\S+) =((?:.*\n(?: .*\n)*)+?)(?=\S|\Z)", f"{section}\n", re.MULTILINE)
    lines = [f"{key} = '''{value.strip()}'''" for key, value in pairs]
    (project / "pyproject.toml").write_text("\n".join(["[tool.flake8]", *lines, ""]))
    (project / ".flake8").write_text("[flake8]\nignore = LAN\n")
    assert codes() == expected


def test_lists_and_truth_values_of_flake8_pyproject(project, codes) -> None:
    table = (
        '[tool.flake8]\nmax-line-length = 100\nextend-ignore = ["E203", "LAN103"]\n'
        'per-file-ignores = ["lock.py:LAN1", "src/*:LAN1"]\n'
        'lan-min-confidence = "low"\nlan-across-files = false\nlan-lock-types = ["x.Lock"]\n'
    )
    (project / "pyproject.toml").write_text(table)
    assert codes() == {"LAN310"}
