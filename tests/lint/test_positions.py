"""Where findings and their related places stand: the very characters, whatever surrounds them."""

from __future__ import annotations

import pytest

from lane_lint import check_source
from lane_lint.finding import Span

SHELF = """\
class Shelf:
    def __init__(self):
        self._books = {}

    async def lend(self, title, readers):
%s

    def add(self, title):
        self._books[title] = 1
"""


def shelf(*statements: str) -> str:
    return SHELF % "\n".join(f"        {statement}" for statement in statements)


def text_at(text: str, span: Span) -> str:
    """What stands from a span's start on, up to its end or the end of the line."""
    line = text.split("\n")[span.line - 1]
    return line[span.column : span.end_column if span.end_line == span.line else None]


@pytest.mark.parametrize(
    "test",
    [
        "title not in self._books",
        "title  not  in self._books",
        "(title # why\n\n    not in self._books)",
        "title \\\n  not in self._books",
        "'é€😀' and title not in self._books",
    ],
)
def test_a_comparison_is_shown_from_its_operator_on(test) -> None:
    text = shelf(f"if {test}:", "    self._books[title] = await print(title)")
    (finding,) = check_source(text)
    assert text_at(text, finding.related[0].span).startswith("not")


@pytest.mark.parametrize(
    "clause",
    [
        "for book in self._books",
        "  for book in self._books",
        "# each\n    for book in self._books",
        "\\\n for book in self._books",
    ],
)
def test_a_comprehension_is_shown_from_its_for_on(clause) -> None:
    text = shelf(f"return [await title(book) {clause}]")
    (finding,) = check_source(text)
    assert finding.code == "LAN105"
    assert text_at(text, finding.span) == "for book in self._books"
