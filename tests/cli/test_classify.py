"""`lane-lint classify`: components, the class of their state, who touches it under what, and what is prescribed."""

from __future__ import annotations

import io
import json
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lane_lint.cli import main

SERVICE = textwrap.dedent(
    """
    import asyncio
    import threading

    from lane_runtime import ConcurrentMap, StateLane


    class Routes:
        def __init__(self):
            self._routes = ConcurrentMap()

        def add(self, key, route):
            self._routes.set(key, route)

        def find(self, key):
            return self._routes.get(key)


    class Bindings:
        def __init__(self):
            self._lane = StateLane()
            self._session_of = {}
            self._actor_of = {}

        async def bind(self, actor, session):
            await self._lane.run(lambda: self._bind_on_lane(actor, session))

        def _bind_on_lane(self, actor, session):
            self._session_of[actor] = session
            self._actor_of[session] = actor

        def size(self):
            return len(self._session_of)


    class Counter:
        def __init__(self):
            self._lock = threading.Lock()
            self._sent = 0
            self._failed = 0

        def count(self):
            with self._lock:
                self._sent += 1
                self._failed += 1


    class Feed:
        def __init__(self, source):
            self._source = source
            self._lock = asyncio.Lock()
            self._offset = 0
            self._flag = False

        async def pull(self):
            offset = self._offset
            rows = await self._source.read(offset)
            self._offset = offset + len(rows)

        def stop(self):
            self._flag = True
    """
)


@pytest.fixture
def service(tmp_path: Path) -> str:
    path = tmp_path / "service.py"
    path.write_text(SERVICE, encoding="utf-8")
    return str(path)


def classified(capsys: pytest.CaptureFixture[str], path: str) -> Mapping[str, Any]:
    """Component -> what the JSON says of it."""
    assert main(["classify", "--format", "json", path]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == 1
    assert document["errors"] == []
    return {component["name"]: component for component in document["components"]}


def field(component: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return next(state for state in component["state"] if state["name"] == name)


def test_a_registry_alone_is_c1(capsys, service) -> None:
    routes = classified(capsys, service)["Routes"]
    assert routes["class"] == "C1"
    state = field(routes, "_routes")
    assert (state["kind"], state["guards"], state["prescribed"]) == (
        "collection",
        ["itself"],
        "concurrent map",
    )
    assert [writer["function"] for writer in state["writers"]] == ["add"]
    assert [reader["function"] for reader in state["readers"]] == ["find"]


def test_maps_that_change_together_are_c2_and_their_lane_is_named(capsys, service) -> None:
    bindings = classified(capsys, service)["Bindings"]
    assert bindings["class"] == "C2"
    for name in ("_session_of", "_actor_of"):
        state = field(bindings, name)
        assert state["class"] == "C2"
        assert state["prescribed"] == "state lane that owns plain collections"
        assert {writer["guard"] for writer in state["writers"]} == {"lane self._lane"}
    line = SERVICE.splitlines().index("        return len(self._session_of)") + 1
    assert field(bindings, "_session_of")["readers"] == [{"function": "size", "line": line, "guard": None}]


def test_counters_are_c3_although_one_function_steps_both(capsys, service) -> None:
    counter = classified(capsys, service)["Counter"]
    assert counter["class"] == "C3"
    assert {state["class"] for state in counter["state"]} == {"C3"}
    assert field(counter, "_sent")["guards"] == ["lock self._lock"]
    assert field(counter, "_sent")["prescribed"] == "atomic"


def test_a_value_that_is_acted_on_after_a_wait_is_c2_and_decides_for_its_component(capsys, service) -> None:
    feed = classified(capsys, service)["Feed"]
    assert field(feed, "_offset")["class"] == "C2"
    assert field(feed, "_flag")["class"] == "C3"
    assert feed["class"] == "C2"
    assert field(feed, "_flag")["prescribed"] == "state lane that owns plain collections"


def test_the_text_says_the_same(capsys, service) -> None:
    assert main(["classify", service]) == 0
    text = capsys.readouterr().out
    paragraph = next(part for part in text.split("\n\n") if "Routes" in part)
    assert paragraph.splitlines() == [
        f"{service}:8: Routes: C1",
        "  _routes: C1, one collection, changed by itself",
        "    guarded by: itself",
        "    written by: add (line 13)",
        "    read by:    find (line 16)",
        "    prescribed: concurrent map",
    ]


def test_state_without_change_is_none(capsys, tmp_path) -> None:
    path = tmp_path / "still.py"
    path.write_text("class A:\n    def __init__(self):\n        self.x = {}\n", encoding="utf-8")
    assert main(["classify", str(path)]) == 0
    assert capsys.readouterr().out == "no state that changes after construction\n"


def test_standard_input_is_read(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(SERVICE.encode())))
    assert main(["classify", "-"]) == 0
    assert "stdin:8: Routes: C1" in capsys.readouterr().out


def test_what_cannot_be_read_is_said_and_the_rest_is_classified(capsys, service, tmp_path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def f(:\n", encoding="utf-8")
    assert main(["classify", service, str(broken), str(tmp_path / "absent.py")]) == 2
    output = capsys.readouterr()
    assert "Routes: C1" in output.out
    assert f"{broken}: line 1:" in output.err
    assert "absent.py" in output.err


def test_globals_of_a_module_are_a_component(capsys, tmp_path) -> None:
    path = tmp_path / "table.py"
    path.write_text(
        "rows = {}\nby_name = {}\n\ndef add(key, row):\n    rows[key] = row\n    by_name[row] = key\n",
        encoding="utf-8",
    )
    module = classified(capsys, str(path))[None]
    assert {state["name"]: state["class"] for state in module["state"]} == {"by_name": "C2", "rows": "C2"}
