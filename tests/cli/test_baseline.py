"""`lane-lint baseline`, and `lane-lint check` with the baseline that it has written."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from flake8.main.application import Application

from lane_lint.cli import main

FILE = "lane-lint-baseline.json"
POOL = """\
class Pool:
    def __init__(self):
        self._connection = None

    async def connection(self):
        if self._connection is None:
            self._connection = await connect()
        return self._connection

    async def reset(self):
        self._connection = None
"""
SECOND = POOL.replace("Pool", "Second").replace("connect()", "reach()")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files with one finding each, in the current folder; only the first is in the baseline."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "pool.py").write_text(POOL)
    assert main(["baseline", "write"]) == 0
    (tmp_path / "src" / "second.py").write_text(SECOND)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run the command: its status, and what it has printed."""
    capsys.readouterr()

    def call(*arguments: str) -> tuple[int, str]:
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return call


def entries(folder: Path) -> list[dict[str, str]]:
    return json.loads((folder / FILE).read_text())["findings"]


def paths(folder: Path) -> list[str]:
    return [entry["path"] for entry in entries(folder)]


def test_only_new_findings_are_reported(project, run) -> None:
    status, text = run("check", "--no-cache", "--baseline", FILE, "--statistics")
    assert status == 1
    assert "src/second.py:7:13: LAN103" in text
    assert "src/pool.py" not in text
    assert "1 finding in 1 of 2 files; 1 more in the baseline" in text


def test_the_setting_holds_back_and_no_baseline_shows_all(project, run) -> None:
    (project / "pyproject.toml").write_text(f'[tool.lane-lint]\nbaseline = "{FILE}"\n')
    status, text = run("check", "--no-cache", "--format", "json", "src/pool.py")
    assert (status, json.loads(text)["statistics"]["held_back"]) == (0, 1)
    assert run("check", "--no-cache", "--no-baseline", "src/pool.py")[0] == 1


def test_it_holds_from_any_folder_and_for_any_spelling(project, run, monkeypatch) -> None:
    (project / "pyproject.toml").write_text(f'[tool.lane-lint]\nbaseline = "./{FILE}"\n')
    monkeypatch.chdir(project / "src")
    for path in ("pool.py", "./pool.py", "../src/pool.py", str(project / "src" / "pool.py")):
        assert run("check", "--no-cache", path) == (0, "")
    monkeypatch.chdir("/")
    assert run("check", "--no-cache", "--baseline", f"{project}/{FILE}", f"{project}/src/pool.py") == (0, "")


def test_standard_input_goes_by_its_display_name(project, lane_lint) -> None:
    arguments = ("check", "--no-cache", "--baseline", FILE, "-", "--stdin-display-name")
    assert lane_lint(*arguments, "src/pool.py", stdin=POOL).returncode == 0
    assert lane_lint(*arguments, "src/other.py", stdin=POOL).returncode == 1


@pytest.mark.parametrize(
    ("changed", "is_known"),
    [
        ("import os\n\n\n" + POOL, True),
        (POOL.replace("await connect()", "await  connect()"), True),
        (
            POOL.replace("async def reset", "async def other(self):\n        pass\n\n    async def reset"),
            True,
        ),
        (POOL.replace("await connect()", "await connect(1)"), False),
        (POOL.replace("def connection", "def renamed"), False),
    ],
)
def test_entries_survive_what_changes_elsewhere(project, run, changed, is_known) -> None:
    (project / "src" / "pool.py").write_text(changed)
    assert run("check", "--no-cache", "--baseline", FILE, "src/pool.py")[0] == (0 if is_known else 1)


def test_a_comment_that_silences_one_of_two_equal_lines_makes_the_other_no_new_one(project, run) -> None:
    once = "        if self._connection is None:\n            self._connection = \\\n                await connect()"
    text = f"{POOL[: POOL.index('        if')]}{once}\n        self.use()\n{once}\n{POOL[POOL.index('        return') :]}"
    (project / "src" / "pool.py").write_text(text)
    assert run("baseline", "write", "src/pool.py")[0] == 0
    assert len(entries(project)) == 2
    (project / "src" / "pool.py").write_text(text.replace("connect()", "connect()  # noqa: LAN103", 1))
    assert "1 finding in 1" in run("check", "--no-cache", "--statistics", "src/pool.py")[1]
    assert run("check", "--no-cache", "--baseline", FILE, "src/pool.py") == (0, "")


def test_the_file_is_the_same_whatever_the_order_and_has_no_place_that_moves(project, run) -> None:
    assert run("baseline", "write", "src/second.py", "src/pool.py")[0] == 0
    first = (project / FILE).read_bytes()
    assert run("baseline", "write", f"{project}/src")[0] == 0
    assert (project / FILE).read_bytes() == first
    assert str(project).encode() not in first
    assert [line.count(b"fingerprint") for line in first.splitlines()] == [0, 0, 0, 1, 1, 0, 0]
    assert set(entries(project)[0]) == {"path", "function", "code", "line", "fingerprint"}


def test_check_fails_for_new_findings_and_tells_stale_entries(project, run) -> None:
    status, text = run("baseline", "check")
    assert status == 1
    assert "src/second.py:7:13: LAN103" in text
    (project / "src" / "second.py").unlink()
    assert run("baseline", "check")[0] == 0
    (project / "src" / "pool.py").write_text("x = 1\n")
    status, text = run("baseline", "check")
    assert status == 0
    assert (
        "src/pool.py: LAN103 in Pool.connection is no longer found: self._connection = await connect()"
        in text
    )
    assert run("baseline", "check", "--fail-on-stale")[0] == 1


def test_prune_takes_out_only_what_was_looked_at(project, run) -> None:
    (project / "other").mkdir()
    (project / "other" / "gone.py").write_text(POOL)
    run("baseline", "write")
    assert paths(project) == ["other/gone.py", "src/pool.py", "src/second.py"]
    (project / "src" / "pool.py").write_text("x = 1\n")
    (project / "other" / "gone.py").unlink()
    assert run("baseline", "prune", "src")[0] == 0
    assert paths(project) == ["other/gone.py", "src/second.py"]
    assert run("baseline", "prune")[0] == 0
    assert paths(project) == ["src/second.py"]
    before = (project / FILE).stat().st_ino
    assert run("baseline", "prune")[0] == 0
    assert (project / FILE).stat().st_ino == before, "nothing to take out, nothing to write"


def test_write_keeps_the_entries_of_other_files(project, run) -> None:
    assert run("baseline", "write", "src/second.py")[0] == 0
    assert paths(project) == ["src/pool.py", "src/second.py"]


def test_what_cannot_be_read_keeps_its_entries_and_ends_with_2(project, run) -> None:
    (project / "src" / "pool.py").unlink()
    (project / "src" / "pool.py").symlink_to("pool.py")
    status, text = run("baseline", "prune", "src/pool.py", "src/second.py")
    assert (status, paths(project)) == (2, ["src/pool.py"])
    assert "src/pool.py: " in text
    assert run("baseline", "write", "src/pool.py", "src/second.py")[0] == 2
    assert paths(project) == ["src/pool.py", "src/second.py"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (None, ["baseline = 'No such file or directory'", "what lane-lint baseline write makes"]),
        ("", ["its text = 'Expecting value"]),
        ("<<<<<<< ours\n", ["its text = 'Expecting value: line 1"]),
        ("[" * 100_000, ["its text = "]),
        ("\xff", ["its text = "]),
        ("[]", ["its text = 'list'", "a JSON object"]),
        ("{}", ["schema_version = None", "allowed is 1"]),
        ('{"schema_version": 2, "findings": []}', ["schema_version = 2", "allowed is 1; remove the file"]),
        ('{"schema_version": 1}', ["findings = None", "a list"]),
        ('{"schema_version": 1, "findings": [1]}', ["findings = 1", "objects with the texts path"]),
        ('{"schema_version": 1, "findings": [{"path": 1}]}', ["findings = {'path': 1}"]),
    ],
)
def test_what_is_no_baseline_ends_with_2_and_is_left_alone(project, run, text, parts) -> None:
    path = project / FILE
    path.unlink()
    if text is not None:
        path.write_bytes(text.encode("latin-1"))
    commands = [["check", "--baseline", FILE], ["baseline", "check"], ["baseline", "prune"]]
    for command in commands + ([["baseline", "write"]] if text is not None else []):
        status, shown = run(*command)
        assert status == 2
        assert all(part in shown for part in [FILE, *parts]), shown
    assert text is None or path.read_bytes() == text.encode("latin-1")


def test_a_folder_is_no_baseline(project, run) -> None:
    for command in (["check", "--baseline", "src"], ["baseline", "write", "--output", "src"]):
        status, text = run(*command)
        assert (status, "Is a directory" in text) == (2, True)


def test_a_byte_order_mark_and_unknown_keys_are_no_mistake(project, run) -> None:
    document = json.loads((project / FILE).read_text())
    document["findings"][0]["owner"] = "somebody"
    (project / FILE).write_text("\N{ZERO WIDTH NO-BREAK SPACE}" + json.dumps(document))
    assert run("check", "--no-cache", "--baseline", FILE, "src/pool.py")[0] == 0


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(project, run, monkeypatch) -> None:
    before, names = (project / FILE).read_bytes(), sorted(os.listdir(project))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    status, text = run("baseline", "write")
    assert (status, "No space left on device" in text) == (2, True)
    assert (project / FILE).read_bytes() == before
    assert sorted(os.listdir(project)) == names


def test_a_link_to_the_baseline_stays_a_link(project, run) -> None:
    (project / FILE).rename(project / "kept.json")
    (project / FILE).symlink_to("kept.json")
    assert run("baseline", "write")[0] == 0
    assert (project / FILE).is_symlink()
    assert paths(project) == ["src/pool.py", "src/second.py"]


def test_it_holds_whatever_links_lead_to_the_folder(project, run, monkeypatch) -> None:
    (project / "link").symlink_to("src")
    (project / "around").symlink_to(project)
    assert run("check", "--no-cache", "--baseline", FILE, "link/pool.py") == (0, "")
    assert run("check", "--no-cache", "--baseline", FILE, f"{project}/around/src/pool.py") == (0, "")
    assert run("check", "--no-cache", "--baseline", f"around/{FILE}", "src/pool.py") == (0, "")
    (project / "src" / "pool.py").write_text("x = 1\n")
    assert "1 taken out" in run("baseline", "prune", "--baseline", f"around/{FILE}", "link")[1]


def test_the_empty_name_is_no_file(project, run) -> None:
    for command in (["baseline", "write", "--output", ""], ["check", "--baseline", ""]):
        status, text = run(*command)
        assert (status, "= '': allowed is the path of a file" in text) == (2, True)


def test_a_name_that_is_no_text_has_its_entry(project, run) -> None:
    name = os.fsdecode(b"src/p\xff.py")
    try:
        (project / name).write_text(POOL)
    except OSError:
        pytest.skip("the file system takes names of text only")
    assert run("baseline", "write")[0] == 0
    assert len(entries(project)) == 3
    assert run("check", "--no-cache", "--baseline", FILE)[0] == 0


def test_flake8_holds_back_the_same(project, run, capsys, monkeypatch) -> None:
    (project / "pyproject.toml").write_text(f'[tool.lane-lint]\nbaseline = "{FILE}"\n')
    for folder in (project, project / "src"):
        monkeypatch.chdir(folder)
        Application().run(["--jobs=1", "--select=LAN", "."])
        by_flake8 = re.findall(r"(\w+)\.py:(\d+:\d+): (LAN\d+)", capsys.readouterr().out)
        by_command = re.findall(r"(\w+)\.py:(\d+:\d+): (LAN\d+)", run("check", "--no-cache", ".")[1])
        assert by_flake8 == by_command == [("second", "7:13", "LAN103")]


def test_flake8_says_that_the_baseline_is_none(project, capsys) -> None:
    (project / "pyproject.toml").write_text('[tool.lane-lint]\nbaseline = "missing.json"\n')
    application = Application()
    application.run(["--jobs=1", "."])
    assert application.exit_code() == 1
    text = capsys.readouterr()
    assert "missing.json: baseline = 'No such file or directory'" in text.out + text.err
