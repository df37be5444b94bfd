"""`--warn-unused-noqa` names comments with our codes that silence nothing, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from lane_lint.cli import main

ACT = "            self._connection = await connect()"
POOL = f"""\
class Pool:
    def __init__(self):
        self._connection = None

    async def connection(self):
        if self._connection is None:
{ACT}
        return self._connection

    async def reset(self):
        self._connection = None
"""


@pytest.fixture
def warned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Check a text: the status, and the warnings without `pool.py:`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def run(text: str, *flags: str) -> tuple[int, list[str]]:
        (tmp_path / "pool.py").write_text(text)
        status = main(["check", "--no-cache", "--warn-unused-noqa", *flags, "pool.py"])
        return status, [line.removeprefix("pool.py:") for line in capsys.readouterr().err.splitlines()]

    return run


def at_the_act(comment: str) -> str:
    return POOL.replace(ACT, f"{ACT}  {comment}")


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: LAN103",
        "# noqa:LAN1",
        "# NOQA: E501, LAN103",
        "# noqa",
        "# noqa : LAN103",
        "# noqa: E501",
        "# noqa: LANG001,BLE001",
        "# noqa: LAN103 LAN10",
    ],
)
def test_a_comment_that_silences_something_or_is_not_ours_is_not_named(warned, comment) -> None:
    _, lines = warned(at_the_act(comment))
    assert lines == []


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# noqa: LAN104", "'# noqa: LAN104': LAN104 silences nothing; remove it"),
        ("# noqa: LAN103,LAN2", "'# noqa: LAN103,LAN2': LAN2 silences nothing; remove it"),
        (
            "# type: ignore  # noqa:LAN104 as it is",
            "'# noqa:LAN104': LAN104 silences nothing; remove it",
        ),
        ("# noqa: LAN103, LAN999", "'# noqa: LAN103, LAN999': no rule has the code LAN999; remove it"),
        ("# noqa: LAN1031", "'# noqa: LAN1031': no rule has the code LAN1031; remove it"),
        (
            "# noqa: lan103",
            "'# noqa: lan103': lan103 silences nothing, since case counts; write LAN103, or remove it",
        ),
        (
            "# noqa: LAN104,LAN105",
            "'# noqa: LAN104,LAN105': LAN104 silences nothing; remove it; LAN105 silences nothing; remove it",
        ),
    ],
)
def test_a_comment_that_silences_nothing_is_named_with_its_place(warned, comment, message) -> None:
    status, lines = warned(at_the_act(comment))
    column = len(f"{ACT}  ") + comment.index("# noqa") + 1
    assert (status, lines) == (1, [f"7:{column}: warning: {message}"])


def test_it_makes_the_status_1_by_itself(warned) -> None:
    assert warned("x = 1  # noqa: LAN103\n")[0] == 1
    assert warned("x = 1\n") == (0, [])


def test_it_is_off_unless_asked_for_and_may_be_a_setting(warned, tmp_path, capsys) -> None:
    warned("x = 1  # noqa: LAN103\n")
    assert main(["check", "--no-cache", "pool.py"]) == 0
    (tmp_path / "pyproject.toml").write_text("[tool.lane-lint]\nwarn-unused-noqa = true\n")
    assert main(["check", "--no-cache", "pool.py"]) == 1


@pytest.mark.parametrize(
    "flags",
    [
        ("--select=LAN1",),
        ("--ignore=LAN201",),
        ("--per-file-ignores=pool.py:LAN2",),
        ("--extend-ignore=LAN",),
    ],
)
def test_what_is_not_looked_for_is_not_judged(warned, flags) -> None:
    _, lines = warned("x = 1  # noqa: LAN2\n", *flags)
    assert [line for line in lines if "warning" in line] == []


def test_a_finding_of_lower_confidence_counts(warned) -> None:
    flags = ("--min-confidence=high",)
    assert warned(at_the_act("# noqa: LAN103"), *flags) == (0, [])
    assert warned(at_the_act("# noqa: LAN104"), *flags)[0] == 1


def test_a_file_that_cannot_be_analysed_is_not_judged(warned) -> None:
    status, lines = warned("x = 1  # noqa: LAN103\ny = (\n")
    assert (status, lines) == (1, [])


def test_words_in_a_string_are_no_comment(warned) -> None:
    assert warned("x = '# noqa: LAN103'\ny = '''\n# noqa: LAN103\n'''\n") == (0, [])


def test_a_comment_reaches_over_a_backslash_and_a_string_of_several_lines(warned) -> None:
    over = POOL.replace("= await connect()", "= \\\n                await connect()  # noqa: LAN103")
    assert warned(over) == (0, [])
    text = "x = '''\n'''  # noqa: LAN103\n"
    assert warned(text) == (1, ["2:6: warning: '# noqa: LAN103': LAN103 silences nothing; remove it"])


def test_a_comment_for_the_whole_file_is_judged_by_the_whole_file(warned) -> None:
    assert warned(f"# flake8: noqa: LAN103\n{POOL}") == (0, [])
    assert warned(f"# flake8: noqa\n{POOL}  # noqa: LAN105\n") == (0, [])
    status, lines = warned(f"# flake8: noqa: LAN104\n{POOL}")
    assert (status, lines) == (
        1,
        ["1:1: warning: '# flake8: noqa: LAN104': LAN104 silences nothing; remove it"],
    )
