"""What the gate lets pass of modules that neither wait nor have a lane, and what it keeps out."""

from __future__ import annotations

import ast
import textwrap

import pytest

from lane_lint import check_source
from lane_lint.gate import Gate
from lane_lint.mentions import Mentions
from lane_lint.outlining import outline_module
from lane_lint.settings import Settings

QUEUE = """
    import queue

    class Spares:
        def __init__(self):
            self._spares = queue.Queue()

        def take(self):
            return None if self._spares.empty() else self._spares.get_nowait()

        def give(self, part):
            self._spares.put(part)

        def count(self):
            return self._spares.qsize()
    """
OWN_MAP = """
    from ours.maps import Board

    class Claims:
        def __init__(self):
            self._claims = Board()

        def claim(self, key, owner):
            if key not in self._claims:
                self._claims[key] = owner
    """


def passing(text: str, settings: Settings) -> list[str]:
    """The functions that get the dear look."""
    text = textwrap.dedent(text)
    mentions = Mentions(text, settings)
    if not mentions.are_worth_a_look(only_locks=False):
        return []
    return [function.name for function in Gate(outline_module(ast.parse(text)), mentions).selected()]


def test_only_who_looks_at_a_queue_and_changes_it_gets_the_dear_look() -> None:
    assert passing(QUEUE, Settings()) == ["take"]


def test_a_module_with_no_word_of_the_matter_is_kept_out() -> None:
    assert (
        passing(QUEUE.replace("import queue", "import heap").replace("queue.Queue", "dict"), Settings()) == []
    )


@pytest.mark.parametrize(("types", "codes"), [((), []), (("ours.maps.Board",), ["LAN204"])])
def test_a_project_can_name_its_own_concurrent_maps(types: tuple[str, ...], codes: list[str]) -> None:
    settings = Settings(concurrent_map_types=types)
    findings = check_source(textwrap.dedent(OWN_MAP), path="claims.py", settings=settings)
    assert [found.code for found in findings] == codes


def test_a_thread_semaphore_in_a_module_without_a_wait_is_seen() -> None:
    text = """
        import threading

        class Ring:
            def __init__(self):
                self._permit = threading.Semaphore(1)
                self._slots = []
                self._next = 0

            def push(self, item):
                with self._permit:
                    self._slots.append(item)
                    self._next += 1
        """
    assert passing(text, Settings()) == ["push"]
    assert [found.code for found in check_source(textwrap.dedent(text), path="ring.py")] == ["LAN202"]
