"""Each of a project's own words, from the file it is written in to the finding that it makes or ends."""

from __future__ import annotations

from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Word:
    """A key with a value, and a module in which the marked line has a finding with it, or only without it.

    Attributes:
        adds: Whether the finding is there because of the key, rather than gone because of it.
    """

    key: str
    value: str
    code: str
    adds: bool
    text: str

    @property
    def line(self) -> int:
        return next(n for n, line in enumerate(self.text.split("\n"), 1) if "# here" in line)


WORDS = (
    Word("lane-types", "ours.Strand", "LAN301", True, """\
import ours

class Feed:
    def __init__(self):
        self._strand = ours.Strand()

    async def renew(self):
        await self._strand.run(self._renewed)

    async def _renewed(self):
        await self.renew()  # here
"""),
    Word("lane-entry-methods", "dispatch", "LAN301", True, """\
from lane_runtime import StateLane

class Feed:
    def __init__(self):
        self._lane = StateLane("feed")

    async def renew(self):
        await self._lane.dispatch(self._renewed)

    async def _renewed(self):
        await self.renew()  # here
"""),
    Word("on-lane-name-patterns", "*_serially", "LAN303", True, """\
class Feed:
    def __init__(self, listener):
        self._listener = listener
        self._rows = []

    def add_serially(self, row):
        self._rows.append(row)
        self._listener(row)  # here
"""),
    Word("asserting-methods", "verify_affinity", "LAN303", True, """\
class Feed:
    def __init__(self, lane, listener):
        self._lane = lane
        self._listener = listener
        self._rows = []

    def add(self, row):
        self._lane.verify_affinity()
        self._rows.append(row)
        self._listener(row)  # here
"""),
    Word("asserting-methods", "_verify_affinity", "LAN303", True, """\
class Feed:
    def __init__(self, listener):
        self._listener = listener
        self._rows = []

    def _verify_affinity(self):
        raise NotImplementedError

    def add(self, row):
        self._verify_affinity()
        self._rows.append(row)
        self._tell(row)

    def _tell(self, row):
        self._listener(row)  # here
"""),
    Word("suppressors", "ours.outside_of_turns", "LAN302", False, """\
import asyncio
import ours
from lane_runtime import StateLane

class Feed:
    def __init__(self):
        self._lane = StateLane("feed")

    async def start(self):
        await self._lane.run(self._started)

    def _started(self):
        with ours.outside_of_turns():
            asyncio.create_task(self._poll())  # here

    async def _poll(self):
        await asyncio.sleep(1)
"""),
    Word("lock-types", "ours.Mutual", "LAN311", True, """\
import ours

class Feed:
    def __init__(self):
        self._guard = ours.Mutual()

    async def renew(self):
        async with self._guard:
            self._rows = await ours.rows()

    async def again(self):
        async with self._guard:
            await self.renew()  # here
"""),
    Word("non-suspending", "ours.stamp", "LAN103", False, """\
import ours

class Feed:
    def __init__(self):
        self._born = None

    async def born(self):
        if self._born is None:
            self._born = await ours.stamp()  # here
        return self._born

    async def reset(self):
        self._born = None
"""),
    Word("non-suspending", "stamp", "LAN103", False, """\
class Feed:
    def __init__(self, clock):
        self._clock = clock
        self._born = None

    async def born(self):
        if self._born is None:
            self._born = await self._clock.stamp()  # here
        return self._born

    async def reset(self):
        self._born = None
"""),
    Word("owned-parameters", "session", "LAN102", False, """\
async def count(session, api):
    session.sent = session.sent + await api.send(session)  # here

def reset(session):
    session.sent = 0
"""),
    Word("confined-classes", "*Job", "LAN103", False, """\
class SyncJob:
    def __init__(self, api):
        self._api = api
        self._token = None

    async def token(self):
        if self._token is None:
            self._token = await self._api.create()  # here
        return self._token

    async def reset(self):
        self._token = None
"""),
    Word("runs-callback-now", "ours.each", "LAN303", True, """\
import ours
from lane_runtime import StateLane

class Feed:
    def __init__(self, listener):
        self._lane = StateLane("feed")
        self._listener = listener
        self._rows = []

    async def tell(self):
        await self._lane.run(self._told)

    def _told(self):
        ours.each(self._tell, self._rows)

    def _tell(self, row):
        self._listener(row)  # here
"""),
)  # fmt: skip

each_word = pytest.mark.parametrize("word", WORDS, ids=lambda word: f"{word.key}={word.value}")


@pytest.fixture
def places(run_module, tmp_path):
    """Run the command or flake8; the lines at which it reports a code."""

    def run(module: str, code: str) -> list[int]:
        arguments = ["check", "--no-cache"] if module == "lane_lint" else [f"--select={code}"]
        lines = run_module(module, *arguments, "feed.py").stdout.splitlines()
        return [int(line.split(":")[1]) for line in lines if f" {code} " in line]

    return run


def due(word: Word, *, is_configured: bool) -> list[int]:
    return [word.line] if word.adds == is_configured else []


@each_word
def test_a_word_in_pyproject_counts_for_the_command_and_for_flake8(places, tmp_path, word) -> None:
    (tmp_path / "feed.py").write_text(word.text)
    assert places("lane_lint", word.code) == due(word, is_configured=False)
    (tmp_path / "pyproject.toml").write_text(f'[tool.lane-lint]\n{word.key} = ["{word.value}"]\n')
    assert places("lane_lint", word.code) == due(word, is_configured=True)
    assert places("flake8", word.code) == due(word, is_configured=True)


@each_word
def test_a_word_in_the_flake8_section_counts_for_both(places, tmp_path, word) -> None:
    (tmp_path / "feed.py").write_text(word.text)
    (tmp_path / "setup.cfg").write_text(f"[flake8]\nlan-{word.key} = {word.value}\n")
    assert places("flake8", word.code) == due(word, is_configured=True)
    assert places("lane_lint", word.code) == due(word, is_configured=True)


@each_word
def test_noqa_with_the_code_silences_the_line(places, tmp_path, word) -> None:
    key = f'[tool.lane-lint]\n{word.key} = ["{word.value}"]\n' if word.adds else ""
    (tmp_path / "pyproject.toml").write_text(key)
    (tmp_path / "feed.py").write_text(word.text.replace("# here", f"# here  # noqa: {word.code}"))
    assert places("lane_lint", word.code) == places("flake8", word.code) == []
    (tmp_path / "feed.py").write_text(word.text.replace("# here", "# here  # noqa: LAN999"))
    assert places("lane_lint", word.code) == places("flake8", word.code) == [word.line]
