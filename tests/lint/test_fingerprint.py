"""A fingerprint names the same finding in the next version of a file, and no other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lane_lint.finding import Confidence, Finding, Span
from lane_lint.fingerprint import marks_of, path_from
from lane_lint.run import check_bytes
from lane_lint.settings import Settings
from lane_lint.source import Source

TWICE = """\
class Pool:
    async def first(self):
        self.size = 1

    async def second(self):
        self.size = 1
        self.size = 1

    class Inner:
        async def first(self):
            self.size = 1
"""


def fingerprints(
    text: str, path: str = "pool.py", code: str = "LAN102", marked: str = "size"
) -> tuple[str, ...]:
    """Fingerprints of a finding on each line that has the word `marked`."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if marked in line]
    spans = [Span(line, 4, line, 9) for line in lines]
    found = [Finding(path, span, code, "name", "message", Confidence.HIGH) for span in spans]
    marks = marks_of(found, Source.from_text(path, text))
    return tuple(mark.fingerprint(path_from(os.curdir, path)) for mark in marks)


def test_equal_lines_have_fingerprints_of_their_own() -> None:
    assert len(set(fingerprints(TWICE))) == 4


@pytest.mark.parametrize(
    "changed",
    [
        "import os\n\n\n" + TWICE,
        TWICE.replace("self.size = 1", "self.size  =  1"),
        TWICE.replace("\n", "\r\n"),
        TWICE.replace("class Pool:", "class Pool:\n    def added(self):\n        return 1\n"),
        TWICE.replace("class Pool:", "class Pool(Base, metaclass=Meta):"),
        "\N{ZERO WIDTH NO-BREAK SPACE}" + TWICE,
    ],
    ids=["lines above", "white space", "line ends", "another function", "bases", "byte order mark"],
)
def test_a_change_elsewhere_changes_no_fingerprint(changed: str) -> None:
    assert fingerprints(changed) == fingerprints(TWICE)


def test_a_sibling_that_is_renamed_changes_its_own_only() -> None:
    before, after = fingerprints(TWICE), fingerprints(TWICE.replace("def second", "def third"))
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, False, True]


def test_an_equal_line_before_it_in_another_function_changes_nothing() -> None:
    added = TWICE.replace("class Pool:", "class Pool:\n    async def zero(self):\n        self.size = 1\n")
    assert fingerprints(added)[1:] == fingerprints(TWICE)


def test_the_line_the_code_and_the_file_count() -> None:
    one = set(fingerprints(TWICE))
    others = [
        fingerprints(TWICE.replace("= 1", "= 2")),
        fingerprints(TWICE, code="LAN103"),
        fingerprints(TWICE, "other.py"),
    ]
    assert not any(one & set(other) for other in others)


def test_a_decorator_belongs_to_its_function() -> None:
    text = "@size\ndef first():\n    pass\n\n\n@size\ndef second():\n    pass\n"
    swapped = "@size\ndef second():\n    pass\n\n\n@size\ndef first():\n    pass\n"
    assert fingerprints(swapped) == fingerprints(text)[::-1]


def test_functions_under_conditions_and_in_functions_are_told_apart() -> None:
    text = (
        "if a:\n    def one():\n        size\nelse:\n    def two():\n        def one():\n            size\n"
        "try:\n    pass\nexcept E:\n    def three():\n        size\n"
        "match a:\n    case 1:\n        def four():\n            size\n"
    )
    renamed = [text.replace(name, "other") for name in ("one", "two", "three", "four")]
    before = fingerprints(text)
    changed = [tuple(a != b for a, b in zip(before, fingerprints(each), strict=True)) for each in renamed]
    assert changed == [
        (True, True, False, False),
        (False, True, False, False),
        (False, False, True, False),
        (False, False, False, True),
    ]


def test_every_spelling_of_a_path_is_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spellings = ["src/pool.py", "./src/pool.py", "src/../src/pool.py", str(tmp_path / "src" / "pool.py")]
    assert len({fingerprints(TWICE, path) for path in spellings}) == 1


def test_a_path_outside_of_the_folder_and_one_that_is_no_text_have_fingerprints() -> None:
    assert fingerprints(TWICE, "/elsewhere/pool.py") != fingerprints(TWICE, os.fsdecode(b"p\xff.py")) != ()


@pytest.mark.parametrize("data", [b"x = (\n", b"x = '\xff'\n", b"x = 1\0\n"], ids=["syntax", "bytes", "NUL"])
def test_a_file_that_is_no_python_keeps_its_fingerprint_when_lines_are_added(data: bytes) -> None:
    before = check_bytes("broken.py", data, Settings()).fingerprints
    after = check_bytes("broken.py", b"# a licence\n" + data, Settings()).fingerprints
    assert len(before) == 1
    assert before == after
