"""Helpers that call helpers, more than fit on the stack or into one summary."""

from __future__ import annotations

from lane_lint import check_source

LINKS = 300


def chain(links: int, last: str) -> str:
    """Methods each of which waits for the next one between the test and the filling of a field of its own."""
    lines = ["class Chain:"]
    for number in range(links):
        lines += [
            f"    async def step_{number}(self):",
            f"        if self.field_{number} is None:",
            f"            await self.step_{number + 1}()"
            if number + 1 < links
            else f"            await {last}",
            f"            self.field_{number} = 1",
        ]
    return "\n".join(lines) + "\n"


def test_every_link_of_a_chain_that_is_deeper_than_the_stack_is_analysed() -> None:
    findings = check_source(chain(LINKS, "other()"))
    assert [(f.code, f.span.line) for f in findings] == [("LAN103", 4 * n + 5) for n in range(LINKS)]


def test_a_circle_that_is_deeper_than_the_stack_costs_one_definition() -> None:
    text = chain(LINKS, "self.step_0()") + (
        "    async def fill(self):\n        if self.value is None:\n            self.value = await other()\n"
    )
    findings = check_source(text)
    assert [f.span.line for f in findings if f.code == "LAN103"] == [text.count("\n")]
    assert len([f for f in findings if f.code == "LAN901"]) == 1


def test_what_a_helper_writes_itself_is_known_however_much_its_own_helpers_write() -> None:
    lines = [
        "class Pool:",
        "    async def close(self):",
        "        if self.connection is None:",
        "            await other()",
        "            self._open()",
        "    def _open(self):",
        "        self.connection = connect()",
    ]
    for number in range(LINKS):
        lines += [f"        self._note_{number}()"]
    for number in range(LINKS):
        lines += [f"    def _note_{number}(self):", f"        self.note_{number} = now()"]
    findings = check_source("\n".join(lines) + "\n")
    assert [(f.code, f.span.line) for f in findings] == [("LAN103", 5)]
