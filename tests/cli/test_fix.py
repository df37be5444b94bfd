"""`lane-lint fix` as a user calls it."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from lane_lint.fixes.files import NotWrittenError, replace_file

ROOM = """\
class Room:
    def __init__(self):
        self.members = set()
        self.total = 0

    def leave(self, name):
        self.members.discard(name)
        self.total = 0

    async def say(self, source):
        for each in self.members:{comment}
            await each.send()

    async def count(self, source):
        self.total = self.total + await source.size()
"""
BEFORE = ROOM.format(comment="")
AFTER = BEFORE.replace("in self.members:", "in list(self.members):")
LEFT = "not fixed: LAN102 room.py:15: only `x += await ...` can be split without a decision\n"


@pytest.fixture
def room(tmp_path: Path) -> Path:
    path = tmp_path / "room.py"
    path.write_text(BEFORE)
    return path


@pytest.mark.parametrize("flags", [[], ["--diff"]])
def test_by_itself_it_prints_a_diff_and_exits_1(lane_lint, room, flags) -> None:
    done = lane_lint("fix", *flags)
    assert done.returncode == 1
    assert done.stdout == (
        "--- room.py\n+++ room.py\n@@ -8,7 +8,7 @@\n         self.total = 0\n \n"
        "     async def say(self, source):\n"
        "-        for each in self.members:\n"
        "+        for each in list(self.members):\n"
        "             await each.send()\n \n     async def count(self, source):\n"
    )
    assert done.stderr == LEFT + "1 would be fixed with --write in 1 file, 1 not fixed\n"
    assert room.read_text() == BEFORE


def test_the_diff_can_be_applied_with_patch(lane_lint, room, tmp_path) -> None:
    difference = lane_lint("fix").stdout
    subprocess.run(["git", "apply", "-p0"], input=difference.encode(), cwd=tmp_path, check=True)
    assert room.read_text() == AFTER


def test_write_changes_the_file_and_exits_0_and_then_nothing_is_left(lane_lint, room) -> None:
    done = lane_lint("fix", "--write", ".")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == LEFT + "1 fixed in 1 file, 1 not fixed\n"
    assert room.read_text() == AFTER
    again = lane_lint("fix")
    assert (again.returncode, again.stdout) == (0, "")


def test_a_clean_folder_says_nothing(lane_lint, tmp_path) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")
    done = lane_lint("fix")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "flags", [["--select", "LAN102"], ["--ignore", "LAN105"], ["--per-file-ignores", "room.py:LAN1"]]
)
def test_what_is_not_selected_is_not_fixed(lane_lint, room, flags) -> None:
    assert lane_lint("fix", *flags).stdout == ""


def test_what_is_below_the_confidence_is_not_fixed(lane_lint, room) -> None:
    assert "not fixed: LAN102" not in lane_lint("fix", "--min-confidence", "high").stderr


def test_what_is_suppressed_is_not_fixed(lane_lint, room) -> None:
    room.write_text(ROOM.format(comment="  # noqa: LAN105  closed by now"))
    assert lane_lint("fix").stdout == ""


def test_a_code_that_no_rule_has_exits_2(lane_lint, room) -> None:
    done = lane_lint("fix", "--select", "LAN999")
    assert done.returncode == 2
    assert "LAN999" in done.stderr


def test_diff_and_write_exclude_each_other(lane_lint) -> None:
    assert lane_lint("fix", "--diff", "--write").returncode == 2


def test_a_file_that_is_no_python_exits_2_and_the_others_are_fixed(lane_lint, room, tmp_path) -> None:
    (tmp_path / "broken.py").write_text("x = (\n")
    done = lane_lint("fix", "--write", "missing.py", "broken.py", "room.py")
    assert done.returncode == 2
    assert "missing.py: no such file or folder" in done.stderr
    assert "broken.py:1: this file was not analysed" in done.stderr
    assert room.read_text() == AFTER


def test_standard_input_gives_a_diff(lane_lint) -> None:
    done = lane_lint("fix", "-", "--stdin-display-name", "src/room.py", stdin=BEFORE)
    assert done.returncode == 1
    assert done.stdout.startswith("--- src/room.py\n+++ src/room.py\n@@")


def test_standard_input_gives_the_mended_text_when_it_is_to_be_written(lane_lint) -> None:
    done = lane_lint("fix", "--write", "-", stdin=BEFORE)
    assert (done.returncode, done.stdout) == (0, AFTER)
    assert lane_lint("fix", "--write", "-", stdin="x = 1\n").stdout == "x = 1\n"


def test_standard_input_that_is_no_python_comes_back_as_it_was_and_exits_2(lane_lint) -> None:
    done = lane_lint("fix", "--write", "-", stdin="x = (\n")
    assert (done.returncode, done.stdout) == (2, "x = (\n")


def test_the_mode_of_the_file_stays(lane_lint, room) -> None:
    room.chmod(0o751)
    lane_lint("fix", "--write")
    assert stat.S_IMODE(room.stat().st_mode) == 0o751
    assert room.read_text() == AFTER


def test_a_link_stays_and_what_it_leads_to_is_changed(lane_lint, room, tmp_path) -> None:
    (tmp_path / "code").mkdir()
    target = room.rename(tmp_path / "code" / "target.py")
    room.symlink_to(Path("code") / "target.py")
    lane_lint("fix", "--write", "room.py")
    assert os.readlink(room) == os.path.join("code", "target.py")
    assert target.read_text() == AFTER


def test_a_file_that_is_read_only_is_left_alone_with_a_message(lane_lint, room) -> None:
    room.chmod(0o444)
    done = lane_lint("fix", "--write")
    assert done.returncode == 2
    assert "lane-lint: room.py: it is read-only\n" in done.stderr
    assert room.read_text() == BEFORE


def test_a_file_that_has_changed_since_it_was_read_is_left_alone(room) -> None:
    room.write_text("x = 1\n")
    with pytest.raises(NotWrittenError, match="it has changed since it was read"):
        replace_file(str(room), BEFORE.encode(), AFTER.encode())
    assert room.read_text() == "x = 1\n"
    assert os.listdir(room.parent) == ["room.py"]
