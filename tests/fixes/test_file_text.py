"""Bytes that no fix is about stay as they are."""

from __future__ import annotations

import codecs

import pytest

from lane_lint.fixes.files import difference, fix_bytes
from lane_lint.settings import Settings

ROOM = """\
class Room:
    def __init__(self):
        self.members = set()

    def leave(self, name):
        self.members.discard(name)

    async def say(self, text):
        for each in self.members:
            await each.send({text})"""
MENDED = ROOM.replace("in self.members:", "in list(self.members):")


def room(head: str, text: str, end: str) -> tuple[str, str]:
    before, after = (head + body.format(text=text) + end for body in (ROOM, MENDED))
    return before, after


@pytest.mark.parametrize("end", ["", "\n\f\n"], ids=repr)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize(
    ("encoding", "mark", "head", "text"),
    [
        ("utf-8", b"", "", "text"),
        ("utf-8", b"", "", "'ß\u2028'"),
        ("utf-8", codecs.BOM_UTF8, "", "'ß'"),
        ("utf-8", codecs.BOM_UTF8, "# coding: utf-8\n", "'ß'"),
        ("latin-1", b"", "# -*- coding: latin-1 -*-\n", "'ß'"),
        ("cp1252", b"", "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n", "'€'"),
        ("shift_jis", b"", "# coding: shift_jis\n", "'表'"),
        ("utf-8", b"", "\f\n# a form feed stands before\n", "text"),
    ],
)
def test_encoding_mark_and_line_ends_stay(encoding, mark, head, text, newline, end) -> None:
    if newline == "\r" and encoding != "utf-8":
        pytest.skip("Python looks for a declared encoding on lines that end with a line feed")
    before, after = (mark + each.replace("\n", newline).encode(encoding) for each in room(head, text, end))
    assert fix_bytes("room.py", before, Settings()).data == after


def test_bytes_that_would_not_come_back_are_left_alone() -> None:
    text = "# coding: utf-7\n" + ROOM.format(text="'ok'")
    data = text.encode("utf-7").replace(b"'ok'", b"'+AG8-k'")  # an o that needs no escape
    done = fix_bytes("room.py", data, Settings())
    assert done.data == data
    assert [reason for _, reason in done.left] == [
        "its bytes would not stay as they are when written as utf-7"
    ]


def test_what_is_no_python_text_is_left_alone() -> None:
    data = b"# coding: utf-8\n\xff\n" + ROOM.format(text="1").encode()
    assert fix_bytes("room.py", data, Settings()).data == data


def test_a_diff_is_in_the_bytes_of_the_file() -> None:
    before, after = "a\r\nß\r\nb".encode("latin-1"), "a\r\nßß\r\nb".encode("latin-1")
    assert difference("x.py", before, after) == (
        b"--- x.py\n+++ x.py\n@@ -1,3 +1,3 @@\n a\r\n-\xdf\r\n+\xdf\xdf\r\n b\n\\ No newline at end of file\n"
    )
