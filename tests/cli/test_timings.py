"""`--timings`: every phase and rule with its seconds, on standard error, whatever the number of processes."""

from __future__ import annotations

import json
import re

import pytest

from lane_lint.report.timings import SLOWEST, render_timings
from lane_lint.rules import known_codes
from lane_lint.run import CheckedFile, check_file, check_file_timed
from lane_lint.settings import Settings
from lane_lint.stopwatch import IMPORTS, Stopwatch

PHASES = {"find files", "read", "parse", "gate", IMPORTS, "lowering", "flow", "select", "report", "all"}


@pytest.mark.usefixtures("racy_file")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_phases_rules_and_files_are_listed(lane_lint, tmp_path, jobs) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")
    plain = lane_lint("check", "--no-cache", "--jobs", jobs, "--format", "json")
    done = lane_lint("check", "--no-cache", "--timings", "--jobs", jobs, "--format", "json")
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert plain.stderr == ""
    phases, _, files = done.stderr.partition("seconds   share  file\n")
    names = re.findall(r"^ +\d+\.\d{3} +\d+\.\d%  (.+)$", phases, re.MULTILINE)
    assert {*PHASES, *known_codes()} == set(names)
    assert names[-1] == "all"
    assert sorted(line.split()[-1] for line in files.splitlines()) == ["clean.py", "pool.py"]


def test_standard_input_is_measured_too(lane_lint) -> None:
    done = lane_lint("check", "--timings", "-", stdin="x = 1\n")
    assert "  parse\n" in done.stderr
    assert json.loads(lane_lint("check", "--format", "json", "-", stdin="").stdout)["findings"] == []


def test_nothing_is_measured_unless_it_is_asked_for(racy_file) -> None:
    assert check_file(str(racy_file), Settings()).seconds == {}
    timed = check_file_timed(str(racy_file), Settings())
    assert {"read", "gate", "flow", "LAN103"} <= timed.seconds.keys()
    assert all(seconds >= 0 for seconds in timed.seconds.values())


def test_what_is_inside_a_phase_does_not_count_for_it_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 1.0, 3.0, 7.0, 20.0, 21.0])
    monkeypatch.setattr("lane_lint.stopwatch.time.perf_counter", lambda: next(now))
    clock = Stopwatch()
    with clock.phase("outer"), clock.phase("inner"):
        pass
    assert clock.timed("again", (x for x in "ab")) == ["a", "b"]
    assert clock.seconds == {"outer": 1.0 + 4.0, "inner": 2.0, "again": 1.0}


def test_a_phase_that_fails_ends() -> None:
    clock = Stopwatch()
    with pytest.raises(ZeroDivisionError), clock.phase("first"):
        raise ZeroDivisionError
    with clock.phase("second"):
        pass
    assert list(clock.seconds) == ["first", "second"]


def test_the_longest_comes_first_and_imports_are_no_files_own() -> None:
    files = [CheckedFile(f"{n:02}.py", seconds={"flow": float(n), IMPORTS: 50.0}) for n in range(1, 13)]
    lines = render_timings(files, {"report": 2.0}).splitlines()
    assert lines[1:4] == ["600.000   88.2%  imports", " 78.000   11.5%  flow", "  2.000    0.3%  report"]
    assert lines[4] == "680.000  100.0%  all"
    assert lines[6:] == [f"{n:7.3f}  {n / 680:6.1%}  {n:02}.py" for n in range(12, 12 - SLOWEST, -1)]


def test_a_run_without_files_has_a_table_too() -> None:
    assert render_timings([], {}) == "seconds   share  phase\n  0.000    0.0%  all\n"
