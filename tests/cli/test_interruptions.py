"""A run that is ended from outside ends quietly, and so do its processes.

The files of these runs are named pipes: to open one for writing waits until it is being read, and a
process that reads it stays there. A worker has the output of its parent, so that reading the output to
its end waits for the end of every worker.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are what holds a run up")

BROKEN = "x = (\n"
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return started([sys.executable, "-m", "lane_lint", "check", *arguments], folder)


def started(command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def named_pipes(folder: Path, count: int) -> list[str]:
    names = [f"pipe_{number}.py" for number in range(count)]
    for name in names:
        os.mkfifo(folder / name)
    return names


def wait_until_read(folder: Path, names: Sequence[str]) -> list[int]:
    return [os.open(folder / name, os.O_WRONLY) for name in names]


@pytest.mark.parametrize("number", STATUS)
@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("end", [os.kill, os.killpg], ids=["command alone", "all its processes"])
def test_the_end_of_the_command_is_quiet_and_the_end_of_its_processes(tmp_path, number, jobs, end) -> None:
    names = named_pipes(tmp_path, 5)
    process = start(tmp_path, "--jobs", str(jobs), *names)
    ends = wait_until_read(tmp_path, names[:jobs])
    end(process.pid, number)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == STATUS[number]
    for descriptor in ends:
        with pytest.raises(BrokenPipeError):
            os.write(descriptor, b"x")
        os.close(descriptor)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_however_they_were_started(tmp_path, method, number) -> None:
    names = named_pipes(tmp_path, 3)
    code = (
        "import multiprocessing, sys; from lane_lint.cli import main;"
        f"multiprocessing.set_start_method('{method}');"
        f"sys.exit(main(['check', '--jobs', '2', *{names}]))"
    )
    process = started([sys.executable, "-c", code], tmp_path)
    ends = wait_until_read(tmp_path, names[:2])
    os.kill(process.pid, number)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == STATUS[number]
    for descriptor in ends:
        os.close(descriptor)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="another process's end is not an event")
def test_a_worker_that_is_killed_costs_no_answer(tmp_path) -> None:
    pipes, others = named_pipes(tmp_path, 2), [f"module_{number}.py" for number in range(6)]
    for name in others:
        (tmp_path / name).write_text(BROKEN)
    process = start(tmp_path, "--jobs", "2", *pipes, *others)
    ends = wait_until_read(tmp_path, pipes)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    worker = int(children.split()[0])
    end_of_worker = os.pidfd_open(worker)
    os.kill(worker, signal.SIGKILL)
    select.select([end_of_worker], [], [])
    ends += wait_until_read(tmp_path, pipes[:1])
    for descriptor in (*ends, end_of_worker):
        os.close(descriptor)
    output, errors = process.communicate(timeout=60)
    assert errors == ""
    assert [line.partition(":")[0] for line in output.splitlines()] == others


@pytest.mark.parametrize("arguments", [(), ("--jobs", "2"), ("--format", "json"), ("--statistics",)])
def test_a_reader_that_has_gone_is_no_matter(tmp_path, arguments) -> None:
    for number in range(300):
        (tmp_path / f"module_{number}.py").write_text(BROKEN)
    words = " ".join(arguments)
    command = f"{sys.executable} -m lane_lint check {words} --output json=report.json | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert (tmp_path / "report.json").read_text().endswith("}\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_output_that_cannot_be_written_is_said(tmp_path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    command = f"{sys.executable} -m lane_lint check > /dev/full"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr
