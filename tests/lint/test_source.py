"""Bytes to text, lines and columns."""

from __future__ import annotations

import pytest

from lane_lint.api import check_source
from lane_lint.source import Source, SourceError


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(end) -> None:
    source = Source.from_bytes("a.py", f"a = 1{end}b = 2{end}".encode())
    assert source.lines == ("a = 1\n", "b = 2\n")
    assert source.text == "a = 1\nb = 2\n"


@pytest.mark.parametrize("inside", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_other_separators_end_none(inside) -> None:
    source = Source.from_text("a.py", f"a = '{inside}'\nb = 2")
    assert source.lines == (f"a = '{inside}'\n", "b = 2")


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert Source.from_bytes("a.py", b"\xef\xbb\xbfx = 1\n").text == "x = 1\n"
    assert Source.from_lines("a.py", ["\ufeffx = 1\n"]).text == "x = 1\n"


@pytest.mark.parametrize("line", [1, 2])
def test_a_declared_encoding_is_used(line) -> None:
    text = "\n" * (line - 1) + "# -*- coding: latin-1 -*-\nname = 'é'\n"
    assert "é" in Source.from_bytes("a.py", text.encode("latin-1")).text


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"x = 1\ny = '\xff'\n", 2, "byte 0xff is not utf-8"),
        (b"\n\n\ny = '\xff'\n", 4, "byte 0xff is not utf-8"),
        (b"# coding: no-such-codec\n", 1, "unknown encoding: no-such-codec"),
        (b"# coding: rot13\n", 1, "cannot decode as rot13"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, "encoding problem"),
        (b"\xff\xfex\x00=\x001\x00", 1, "byte 0xff is not utf-8"),
    ],
)
def test_bytes_that_are_no_text_give_line_and_reason(data, line, reason) -> None:
    with pytest.raises(SourceError) as raised:
        Source.from_bytes("a.py", data)
    assert reason in raised.value.reason
    assert raised.value.line == line


def test_columns_of_findings_are_counted_in_characters() -> None:
    text = (
        "class Meter:\n"
        "    async def step(self, api):\n"
        "        name = 'é😀'; self.n = self.n + await api.ask(name)\n"
        "    def clear(self):\n"
        "        self.n = 0\n"
    )
    found = check_source(text)
    assert [finding.code for finding in found] == ["LAN102"]
    assert text.splitlines()[2][found[0].span.column :].startswith("self.n = ")
