"""One table of comments, through flake8 and through the command: the same findings are silenced."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from flake8.main.application import Application

from lane_lint.cli import main

BEFORE, AFTER = (
    """\
class Pool:
    def __init__(self):
        self._connection = None

    async def connection(self):
        if self._connection is None:
""",
    """\
        return self._connection

    async def reset(self):
        self._connection = None
""",
)
ACT = "            self._connection = await connect()"
# Starts, the word, what stands between it and the codes, the codes, what comes after them.
STARTS = ("# ", "#", "## ", "#  ", "# type: ignore # ")
WORDS = ("noqa", "NOQA", "NoQa", "no-qa", "noqas")
COLONS = ("", ":", ": ", " : ", ":  ", ":\t", " ", "=")
CODES = (
    "",
    "LAN103",
    "lan103",
    "LAN1",
    "LAN",
    "LAN104",
    "E501,LAN103",
    "LAN104 LAN103",
    "E501;LAN103",
    "LAN1030",
    "X",
)
ENDS = ("", " because", ",", "  # noqa: LAN103")
ACTS = {
    "backslash": "            self._connection = \\\n                await connect()  # noqa: LAN103",
    "backslash-above": "            x = 1  # noqa: LAN103\n            self._connection = \\\n                await connect()",
    "string-after": "            self._connection = await connect('''a\n            b''')  # noqa: LAN103",
    "string-inside": "            self._connection = await connect('''a  # noqa\n            b''')",
    "f-string": "            self._connection = await connect(f'''{self}  # noqa\n            b''')",
    "brackets-first": "            self._connection = await connect(  # noqa: LAN103\n                1,\n            )",
    "brackets-last": "            self._connection = await connect(\n                1,\n            )  # noqa: LAN103",
    "brackets-middle": "            self._connection = await connect(\n                1,  # noqa: LAN103\n            )",
    "own-line-above": "            # noqa: LAN103\n            self._connection = await connect()",
    "own-line-below": "            self._connection = await connect()\n            # noqa: LAN103",
    "semicolon": "            y = 1; self._connection = await connect()  # noqa: LAN103",
    "text": "            self._connection = await connect('# noqa: LAN103')",
    "form-feed": "\f            self._connection = await connect()  # noqa: LAN103",
    "wide": "            self._connection = await connect('\N{PILE OF POO}')  # noqa:\N{NO-BREAK SPACE}LAN103",
}  # fmt: skip
FILE_LINES = (
    "# flake8: noqa", "# flake8:noqa", "# FLAKE8: NOQA", "# flake8=noqa", "  # flake8: noqa", "#flake8: noqa", "x = 1  # flake8: noqa",
    "# flake8: noqa: LAN103", "# flake8: noqa: E501", "# flake8: noqa because", "# flake8 : noqa", "'''\n# flake8: noqa\n'''",
)  # fmt: skip


def silenced_by_both(files: dict[str, str | bytes], capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The names of the files whose finding neither shows; both have to show the same places."""
    for name, text in files.items():
        Path(f"{name}.py").write_bytes(text.encode() if isinstance(text, str) else text)
    capsys.readouterr()
    Application().run(["--jobs=1", "--select=LAN", "."])
    by_flake8 = found_in(capsys.readouterr().out)
    main(["check", "--no-cache", "--jobs=1", "."])
    by_command = found_in(capsys.readouterr().out)
    assert by_flake8 == by_command
    return set(files) - {name for name, _ in by_command}


def found_in(output: str) -> set[tuple[str, str]]:
    return set(re.findall(r"^(?:\./)?(\S+)\.py:(\d+:\d+): LAN103", output, re.MULTILINE))


@pytest.fixture(autouse=True)
def _stand_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_every_spelling_of_a_comment(capsys) -> None:
    """All of the usual start with codes, and some of the whole table."""
    spellings = {
        "".join(parts)
        for number, parts in enumerate(product(STARTS, WORDS, COLONS, CODES, ENDS))
        if number % 61 == 0 or (parts[:2] == (STARTS[0], WORDS[0]) and parts[-1] in ENDS[:2])
    }
    files = {f"f{number}": f"{BEFORE}{ACT}  {text}\n{AFTER}" for number, text in enumerate(sorted(spellings))}
    silenced = silenced_by_both(files, capsys)
    assert len(files) > 200
    assert 50 < len(silenced) < len(files) - 50


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_every_place_of_a_comment(capsys, line_end) -> None:
    files = {name: f"{BEFORE}{act}\n{AFTER}".replace("\n", line_end) for name, act in ACTS.items()}
    silenced = silenced_by_both({name: text.encode() for name, text in files.items()}, capsys)
    assert {"backslash", "string-after", "brackets-first", "semicolon", "text"} <= silenced
    assert not silenced & {"backslash-above", "brackets-middle", "brackets-last", "own-line-above"}


def test_every_spelling_and_place_of_a_line_for_the_whole_file(capsys) -> None:
    text = f"{BEFORE}{ACT}\n{AFTER}"
    files = {f"first{number}": f"{line}\n{text}" for number, line in enumerate(FILE_LINES)}
    files |= {f"last{number}": f"{text}{line}\n" for number, line in enumerate(FILE_LINES)}
    silenced = silenced_by_both(files, capsys)
    assert {"first0", "last0", "first1", "first7", "first11"} <= silenced
    assert not silenced & {"first5", "first6", "last6", "first10"}
