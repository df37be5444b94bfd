"""LAN302: a start is put into `with suppress_lane_context():`, which is imported as the file imports."""

from __future__ import annotations

import pytest

LEDGER = """\
{imports}


class Ledger:
    def __init__(self, bank):
        self._bank = bank
        self._lane = StateLane()
        self._jobs = set()
        self._job = None

    async def open(self):
        await self._lane.run(self._open_on_lane)

    def _open_on_lane(self):
{start}

    async def _poll(self):
        await self._bank.changes()

    def _name(self):
        return "a"
"""
IMPORTS = "import asyncio\n\nfrom lane_runtime import StateLane"


def ledger(*lines: str, imports: str = IMPORTS) -> str:
    return LEDGER.format(imports=imports, start="\n".join(f"        {line}" for line in lines))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            ["self._job = asyncio.create_task(self._poll())  # why"],
            ["with suppress_lane_context():", "    self._job = asyncio.create_task(self._poll())  # why"],
        ),
        (
            ["self._jobs.add(asyncio.create_task(self._poll()))"],
            ["with suppress_lane_context():", "    self._jobs.add(asyncio.create_task(self._poll()))"],
        ),
        (
            ["return asyncio.create_task(self._poll())"],
            ["with suppress_lane_context():", "    return asyncio.create_task(self._poll())"],
        ),
        (
            ["self._job = asyncio.create_task(", "    self._poll(),", "", "    name='''a", "b''',", ")"],
            [
                "with suppress_lane_context():",
                "    self._job = asyncio.create_task(",
                "        self._poll(),",
                "        name='''a",
                "    )",
            ],
        ),
        (
            ["if self._bank:", "    asyncio.get_running_loop().call_later(9, self._name)"],
            [
                "    with suppress_lane_context():",
                "        asyncio.get_running_loop().call_later(9, self._name)",
            ],
        ),
    ],
)
def test_the_statement_with_the_start_is_wrapped(fix, before: list[str], after: list[str]) -> None:
    done = fix(ledger(*before))
    first, *wrapped = done.new_lines
    assert first == "from lane_runtime import StateLane, suppress_lane_context"
    assert wrapped == [f"        {line}" for line in after]
    assert done.reasons == []


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        (["x = 1; asyncio.create_task(self._poll())"], "shares its line"),
        (["if self._bank: asyncio.create_task(self._poll())"], "shares its line"),
        (["if asyncio.create_task(self._poll()):", "    pass"], "in the head of a statement"),
        (["asyncio.create_task(self._poll(), name=self._name())"], "'self._name(...)' in the same statement"),
        (["self._keep(asyncio.create_task(self._poll()))"], "'self._keep(...)' in the same statement"),
        (
            ["c = contextvars.copy_context()", "asyncio.create_task(self._poll(), context=c)"],
            "a context of its own",
        ),
    ],
)
def test_a_statement_that_does_more_is_left_alone(fix, start: list[str], reason: str) -> None:
    done = fix(ledger(*start, imports="import contextvars\n" + IMPORTS))
    assert done.after == done.before
    assert [reason in each for each in done.reasons] == [True]


@pytest.mark.parametrize(
    ("imports", "line", "name"),
    [
        (
            "from lane_runtime import StateLane, turn",
            "from lane_runtime import StateLane, suppress_lane_context, turn",
            "",
        ),
        (
            "from lane_runtime import (\n    StateLane,\n    turn,\n)",
            "    suppress_lane_context,",
            "",
        ),
        ("from lane_runtime import (\n    LaneError,\n    StateLane,\n)", "    suppress_lane_context,", ""),
        (
            "from lane_runtime import StateLane\nimport lane_runtime",
            None,
            "lane_runtime.suppress_lane_context",
        ),
        ("from lane_runtime import StateLane\nimport lane_runtime as lr", None, "lr.suppress_lane_context"),
        ("from lane_runtime import StateLane, suppress_lane_context as quiet", None, "quiet"),
        (
            '"""A ledger."""\n\nfrom __future__ import annotations\n\nfrom lane_runtime import StateLane',
            "from lane_runtime import StateLane, suppress_lane_context",
            "",
        ),
    ],
)
def test_the_import_is_written_as_the_file_imports(fix, imports: str, line: str | None, name: str) -> None:
    done = fix(ledger("asyncio.create_task(self._poll())", imports=f"{imports}\nimport asyncio"))
    expected = [] if line is None else [line]
    assert done.new_lines[: len(expected)] == expected
    assert f"        with {name or 'suppress_lane_context'}():" in done.new_lines
    compile(done.after, "case.py", "exec")


@pytest.mark.parametrize(
    ("imports", "reason"),
    [
        (
            "try:\n    from lane_runtime import StateLane\nexcept ImportError:\n    StateLane = None",
            "under a condition",
        ),
        (
            "from lane_runtime import StateLane\nsuppress_lane_context = None",
            "has another meaning in this file",
        ),
        (
            "from lane_runtime import StateLane, suppress_lane_context\ndef f(suppress_lane_context): pass",
            "has another meaning",
        ),
    ],
)
def test_an_import_that_may_go_wrong_is_not_written(fix, imports: str, reason: str) -> None:
    done = fix(ledger("asyncio.create_task(self._poll())", imports=f"import asyncio\n{imports}"))
    assert done.after == done.before
    assert reason in done.reasons[0]


def test_two_starts_get_one_import(fix) -> None:
    done = fix(ledger("asyncio.create_task(self._poll())", "self._job = asyncio.create_task(self._poll())"))
    assert done.after.count("suppress_lane_context") == 3


def test_a_file_with_tabs_gets_tabs(fix) -> None:
    text = ledger("asyncio.create_task(self._poll())").replace("    ", "\t")
    assert fix(text).new_lines[1:] == [
        "\t\twith suppress_lane_context():",
        "\t\t\tasyncio.create_task(self._poll())",
    ]
