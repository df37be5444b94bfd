"""What a newcomer sees first: the demo service has the defects it should, the README shows what is printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lane_lint import Finding, check_paths, check_source
from lane_lint.rules import known_codes

PROJECT = Path(__file__).resolve().parent.parent
DEMO = PROJECT / "fixtures" / "demo"
README = PROJECT / "README.md"
DEFECTS = [
    ("connections.py", "await self.hang_up()", "LAN311"),
    ("connections.py", "self._pinger = None", "LAN109"),
    ("desk.py", "await self.cancel(passenger)", "LAN301"),
    ("desk.py", "self._on_sold_out()", "LAN303"),
    ("desk.py", "return asyncio.create_task(self._cancel_after(seconds, passenger))", "LAN302"),
    ("hub.py", "for board in self._boards.values():", "LAN105"),
    ("hub.py", 'await archive.keep("\\n".join(self._history))', "LAN104"),
    ("hub.py", "await self._radio.send(captain, text)", "LAN101"),
    ("sessions.py", "self._passengers[token] = name", "LAN103"),
    ("sessions.py", "self._writing.pop(token, None)", "LAN108"),
    ("settings.py", "self._fares.clear()", "LAN107"),
    ("wallet.py", "self._credit += await self._bank.charge(card, cents)", "LAN102"),
    ("wallet.py", "self._points += cents // 100", "LAN106"),
]


def line_of(finding: Finding) -> str:
    """The line that the command prints."""
    return f"{finding.path}:{finding.span.line}:{finding.span.column + 1}: {finding.code} {finding.message}"


def test_the_demo_has_these_defects_and_no_others() -> None:
    found = [
        (
            path.name,
            path.read_text(encoding="utf-8").splitlines()[finding.span.line - 1].strip(),
            finding.code,
        )
        for finding in check_paths([str(DEMO)])
        for path in [Path(finding.path)]
    ]
    assert found == DEFECTS


def test_the_demo_shows_known_codes_once_each() -> None:
    codes = [code for _, _, code in DEFECTS]
    assert len(set(codes)) == len(codes)
    assert set(codes) <= set(known_codes())


@pytest.mark.parametrize("path", sorted(DEMO.glob("*.py")), ids=lambda path: path.name)
def test_the_demo_gives_no_hint_in_its_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "noqa" not in text
    assert "expect:" not in text


def test_the_demo_runs() -> None:
    done = subprocess.run([sys.executable, str(DEMO)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "seat 1A" in done.stdout


def test_the_example_of_the_readme_gets_the_message_shown_below_it() -> None:
    text = README.read_text(encoding="utf-8")
    example = re.search(
        r"^```python\n(.*?)^```$.*?^```text\n(purse\.py:[^\n]*)\n```$", text, re.MULTILINE | re.DOTALL
    )
    assert example is not None
    (finding,) = check_source(example[1], path="purse.py")
    assert example[2] == line_of(finding)


def test_the_first_steps_quote_what_the_demo_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    text = (PROJECT / "docs" / "first-steps.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^fixtures/demo/.*$", text, re.MULTILINE)
    printed = [line_of(finding) for finding in check_paths(["fixtures/demo"])]
    assert quoted
    assert set(quoted) <= set(printed)
