"""Files in processes of their own, so that every core works and a file that kills one ends no run.

A worker gets a batch, answers, and gets the next one. It never outlives this process, however that ends,
and it is killed when nobody wants its answer any more.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from lane_lint.run import CheckedFile, check_batch, died_while_read, project_around
from lane_lint.settings import Settings

_BATCHES_PER_JOB = 8
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Batch(NamedTuple):
    """Files in a row.

    Attributes:
        place: How many files come before them.
        is_second_try: They have ended a worker before.
    """

    place: int
    paths: tuple[str, ...]
    is_second_try: bool = False


class Task(NamedTuple):
    """What every worker is told.

    Attributes:
        cache: The folder that keeps what is found out about modules; None keeps nothing.
        is_timed: Measure what each file takes.
    """

    settings: Settings
    cache: str | None
    is_timed: bool


def check_in_processes(files: Sequence[str], task: Task, jobs: int) -> Iterator[CheckedFile]:
    """Check files in `jobs` processes, all of which have ended when the iterator has.

    A process that dies costs its batch a second try, file by file; the file that kills another process is
    reported as such.
    """
    size = max(1, -(-len(files) // (jobs * _BATCHES_PER_JOB)))
    batches = [_Batch(start, tuple(files[start : start + size])) for start in range(0, len(files), size)]
    team = _Team(batches, jobs, task)
    early: dict[int, list[CheckedFile]] = {}
    done = 0
    try:
        while done < len(files):
            early.update(team.next_answers())
            while done in early:
                ready = early.pop(done)
                yield from ready
                done += len(ready)
    finally:
        team.kill()


class _Team:
    """The workers, and the batches that none of them has been given yet."""

    def __init__(self, batches: Sequence[_Batch], size: int, task: Task) -> None:
        self._waiting = deque(batches)
        self._size = size
        self._task = task
        self._workers: dict[object, _Worker] = {}

    def next_answers(self) -> list[tuple[int, list[CheckedFile]]]:
        """Wait until a worker has answered or died; the place of each batch that is done, with its answer."""
        while self._waiting and len(self._workers) < self._size:
            worker = _Worker(self._task)
            self._workers[worker.connection] = worker
            worker.give(self._waiting.popleft())
        answers = []
        for connection in wait([worker.connection for worker in self._workers.values()]):
            worker = self._workers[connection]
            batch, checked = worker.batch, worker.answer()
            if checked is None:
                checked = self._second_try(batch)
            if checked:
                answers.append((batch.place, checked))
            if worker.is_alive and self._waiting:
                worker.give(self._waiting.popleft())
            else:
                self._workers.pop(connection).dismiss()
        return answers

    def _second_try(self, batch: _Batch) -> list[CheckedFile]:
        """Queue the files of a batch that has ended its worker one by one; one that does it again is to blame."""
        if batch.is_second_try:
            return [died_while_read(path, self._task.settings) for path in batch.paths]
        alone = [_Batch(place, (path,), True) for place, path in enumerate(batch.paths, batch.place)]
        self._waiting.extendleft(reversed(alone))
        return []

    def kill(self) -> None:
        """End every worker that is left, whatever it is at."""
        for worker in self._workers.values():
            worker.kill()


class _Worker:
    """A process, and what it is at.

    Attributes:
        is_alive: False once it has been seen to be dead.
    """

    def __init__(self, task: Task) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.batch = _Batch(0, ())
        self.is_alive = True
        self._process = multiprocessing.Process(target=_work, args=(theirs, task), daemon=True)
        with _signals_held_back():  # it could not yet end quietly
            self._process.start()
        theirs.close()  # so that the end of the process is the end of what can be received

    def give(self, batch: _Batch) -> None:
        """Have a batch checked; one that has died meanwhile shows at the answer."""
        self.batch = batch
        with contextlib.suppress(OSError):
            self.connection.send(batch.paths)

    def answer(self) -> list[CheckedFile] | None:
        """Wait for the answer; None when the process has died over it."""
        try:
            checked: list[CheckedFile] = self.connection.recv()
        except (EOFError, OSError):
            self.is_alive = False
            return None
        return checked

    def dismiss(self) -> None:
        """Let the process end by itself and wait for that."""
        with contextlib.suppress(OSError):
            self.connection.send(None)
        self._process.join()
        self.connection.close()

    def kill(self) -> None:
        """End the process whatever it is at."""
        self._process.kill()
        self._process.join()
        self.connection.close()


@contextlib.contextmanager
def _signals_held_back() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Connection, task: Task) -> None:
    """Check batches until None comes instead of one."""
    for number in _ENDING_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING_SIGNALS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    project = project_around(task.settings, task.cache)
    while (paths := connection.recv()) is not None:
        connection.send(list(check_batch(paths, task.settings, project, is_timed=task.is_timed)))


def _end_with_parent() -> None:
    """End this process when the one that started it has ended, even by being killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
