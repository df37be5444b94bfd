"""How far a run is: seen on a terminal, after a while, gone at the end."""

from __future__ import annotations

import io
import itertools

import pytest

from lane_lint.cli.progress import with_progress


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        """The line as it is seen."""
        line: list[str] = []
        for part in self.getvalue().split("\r"):
            line[: len(part)] = part
        return "".join(line).rstrip()


@pytest.fixture(autouse=True)
def _watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def seconds(step: float):
    return itertools.count(0.0, step).__next__


def test_a_long_run_shows_how_far_it_is_and_leaves_nothing() -> None:
    terminal = Terminal()
    files = with_progress(range(12), 12, terminal, seconds(0.25))
    seen = [terminal.shown for _ in files]
    assert seen[:5] == ["", "", "", "", "4 of 12 files"]
    assert seen[-1] == "11 of 12 files"
    assert terminal.shown == ""


def test_a_short_run_shows_nothing() -> None:
    terminal = Terminal()
    assert list(with_progress(range(50), 50, terminal, seconds(0.01))) == list(range(50))
    assert terminal.getvalue() == ""


def test_the_line_changes_a_few_times_a_second_only() -> None:
    terminal = Terminal()
    list(with_progress(range(1000), 1000, terminal, seconds(0.01)))
    assert terminal.getvalue().count(" of 1000 files") <= 91


def test_an_interrupted_run_leaves_nothing() -> None:
    def interrupted():
        yield from range(20)
        raise KeyboardInterrupt

    terminal = Terminal()
    with pytest.raises(KeyboardInterrupt):
        list(with_progress(interrupted(), 30, terminal, seconds(0.5)))
    assert "20 of 30 files" in terminal.getvalue()
    assert terminal.shown == ""


@pytest.mark.parametrize(("variable", "value"), [("CI", "true"), ("TERM", "dumb")])
def test_nobody_watches_in_ci_or_on_a_dumb_terminal(monkeypatch, variable, value) -> None:
    monkeypatch.setenv(variable, value)
    terminal = Terminal()
    list(with_progress(range(20), 20, terminal, seconds(1.0)))
    assert terminal.getvalue() == ""


def test_a_pipe_gets_nothing() -> None:
    pipe = io.StringIO()
    assert list(with_progress(range(20), 20, pipe, seconds(1.0))) == list(range(20))
    assert pipe.getvalue() == ""
