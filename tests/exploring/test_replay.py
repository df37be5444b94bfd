"""A schedule's text leads to the same run again, and says so when it cannot."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lane_runtime.testing import ScheduleTextError, World, explore, replay

from .components import Account, LaneAccount, LockedAccount, two_additions

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("kind", [Account, LockedAccount, LaneAccount])
def test_each_kept_schedule_replays_to_its_outcome(kind: type[Account]) -> None:
    scenario = two_additions(kind)
    report = explore(scenario, stop_at_first=False)
    kept = (*report.serial, *report.overlapped)
    assert len(kept) >= 2
    for found in kept:
        again = replay(scenario, found.schedule)
        assert again.outcome == found.outcome
        assert again.schedule == found.schedule


def test_a_replay_is_the_same_each_time() -> None:
    scenario = two_additions(LaneAccount)
    text = "add#1 starts; add#2 starts @0; fetch#1 ends; fetch#2 ends"
    assert replay(scenario, text) == replay(scenario, text)


def test_what_a_text_leaves_out_takes_its_usual_course() -> None:
    again = replay(two_additions(Account), "add#2 starts; add#1 starts")
    assert again.schedule == "add#2 starts; add#1 starts; fetch#1 ends; fetch#2 ends"
    assert again.outcome.state == 1


def test_line_breaks_in_a_text_are_spaces() -> None:
    assert replay(two_additions(Account), "add#2 starts;\n    add#1\n starts;\n").outcome.state == 1


def test_a_text_of_another_scenario_is_refused_with_what_can_happen() -> None:
    with pytest.raises(
        ScheduleTextError,
        match="says 'pay#1 starts', but here only 'add#1 starts', 'add#2 starts' can happen",
    ):
        replay(two_additions(Account), "pay#1 starts")


def test_a_text_that_goes_on_after_the_end_is_refused() -> None:
    with pytest.raises(ScheduleTextError, match="ended before the schedule did"):
        replay(two_additions(Account), "add#1 starts; add#2 starts; fetch#1 ends; fetch#2 ends; fetch#3 ends")


def test_an_empty_entry_is_refused() -> None:
    with pytest.raises(ScheduleTextError, match="a schedule is a text such as"):
        replay(two_additions(Account), "add#1 starts;; add#2 starts")


def test_the_steps_are_written_down_with_what_they_read_and_write() -> None:
    report = explore(two_additions(Account))
    assert report.problem is not None
    steps = [(line.task, line.text, line.reads, line.writes) for line in report.problem.trace]
    assert ("add#2", "balance = self.balance", ("self.balance = 0",), ()) in steps
    assert ("add#1", "self.balance = balance + amount", (), ("self.balance = 1",)) in steps
    assert steps[-1] == ("add#2", "self.balance = balance + amount", (), ("self.balance = 2",))
    assert steps[0] == ("", "add#1 starts", (), ())
    assert report.problem.trace[1].place.startswith("components.py:")


def test_a_write_that_waited_is_written_down_when_it_happens() -> None:
    class Box:
        def __init__(self) -> None:
            self.items = {"a": 1}

    def scenario(world: World) -> None:
        box, value = Box(), world.fake("value", 5)

        async def fill() -> None:
            box.items["b"] = await value()

        world.call(fill)

    trace = replay(scenario, "").trace
    waiting, ending, writing = trace[-3:]
    assert (waiting.kind, waiting.writes) == ("line", ())
    assert ending.text == "value#1 ends"
    assert writing.writes == ("box.items['b'] = 5",)


@pytest.mark.parametrize("hash_seed", ["0", "1", "77"])
def test_the_search_does_not_depend_on_the_hash_seed(hash_seed: str) -> None:
    code = (
        "from tests.exploring.components import *\n"
        "from lane_runtime.testing import explore\n"
        "import asyncio\n"
        "def scenario(world):\n"
        "    order = []\n"
        "    async def one(name):\n"
        "        await world.outside(name)\n"
        "        order.append(name)\n"
        "    async def all_of_them():\n"
        "        tasks = [asyncio.ensure_future(one(name)) for name in 'abc']\n"
        "        done, left = await asyncio.wait(set(tasks), return_when='FIRST_COMPLETED')\n"
        "        for task in left:\n"
        "            task.cancel()\n"
        "        await asyncio.wait(set(tasks))\n"
        "    world.call(all_of_them)\n"
        "    world.call(all_of_them)\n"
        "    return order\n"
        "report = explore(scenario, max_schedules=300, stop_at_first=False)\n"
        "print(report.tried, report.distinct, [found.schedule for found in report.overlapped])\n"
        "print(explore(two_additions(LaneAccount)))\n"
        "print(explore(two_additions(Account)))\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=PROJECT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(PROJECT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("5", hash_seed)
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("schedules tried") == 2
