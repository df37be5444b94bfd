"""Plant known faults in a copy of `lane_runtime` and show that the tests notice each of them.

    python tools/mutate_runtime.py [--list] [NAME ...]

Prints a table; exit 0 when every fault was noticed, 1 when one survived, 2 when a fault no longer
fits the source. A fault that makes tests hang counts as noticed: every test has a time limit.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import difflib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS_PER_TEST = 10
SECONDS_PER_MUTANT = 45


@dataclass(frozen=True)
class Mutant:
    """One fault: `old` becomes `new` in `file`, and the tests in `tests` are to fail from Python `since` on."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    since: tuple[int, int] = (3, 11)


def mutant(name: str, file: str, old: str, new: str, *tests: str, since: tuple[int, int] = (3, 11)) -> Mutant:
    return Mutant(name, f"{file}.py", old, new, tests, since)


CANCEL = "test_cancellation"
MUTANTS = (
    # The five that the contract names.
    mutant("lost grant", "_admission", "elif self._owner is ticket:", "elif False:", CANCEL),
    mutant("lost grant: gate", "_gate", "if self._holder is entry.task:", "if False:", "test_gate"),
    mutant("mark not cleared: plain, fast", "_lane",
           "        marks.lane = self._outer\n        self._outer = self._work = self._owner",
           "        self._outer = self._work = self._owner", "test_reentry"),
    mutant("mark not cleared: plain, queued", "_core",
           "            self._turns += 1\n            marks.lane = self._outer\n",
           "            self._turns += 1\n", "test_reentry"),
    mutant("mark not cleared: plain part of a coroutine", "_tasks",
           "        marks.lane = self._outer\n", "", "test_reentry"),
    mutant("mark not cleared: coroutine", "_turn", "        self.ended = True\n", "", "test_reentry"),
    mutant("owner not cleared", "_lane",
           "        marks.lane = self._outer\n        self._outer = self._work = self._owner = None",
           "        marks.lane = self._outer\n        self._outer = self._work = None",
           "test_reentry", "test_watching"),
    mutant("LIFO", "_core", "            head = line.tickets.popitem(last=False)[0]\n            try:",
           "            head = line.tickets.popitem(last=True)[0]\n            try:", "test_contract"),
    mutant("dropped queue at close", "_admission", "            line.closed = True\n",
           "            line.closed = True\n            line.tickets.clear()\n", "test_closing"),
    mutant("inline completion: signal before release", "_turn",
           "        self.ended = True\n        self.lane._give_up_turn(self)\n",
           "        self.ended = True\n        notify, self.on_end = self.on_end, None\n"
           "        if notify is not None:\n            notify()\n            self.on_end = int\n"
           "        self.lane._give_up_turn(self)\n",
           "test_posts"),
    mutant("inline completion: error handler inside the turn", "_posts",
           "        lane._end_plain(marks, work)\n        _report(lane, error)\n",
           "        _report(lane, error)\n        lane._end_plain(marks, work)\n", "test_posts"),
    mutant("inline completion: post runs in the call", "_posts",
           "self.loop.call_soon(_run_posts, self, context=self.context)",
           "self.context.run(_run_posts, self)", "test_posts"),
    # Order, admission, closing.
    mutant("arrival lost at release", "_core",
           "            self._token.append(None)\n            if self._line is not None:\n"
           "                self._look_again()\n",
           "            self._token.append(None)\n", "test_arrivals", "test_pitfalls"),
    mutant("arrival lost at fast release", "_lane",
           "        if self._line is not None:  # somebody queued between the last look and the release\n"
           "            self._look_again()\n",
           "", "test_arrivals", "test_pitfalls"),
    mutant("fast path overtakes the line", "_core",
           "is_first = self._line is None", "is_first = True", "test_arrivals", "test_pitfalls"),
    mutant("closed lane accepts", "_admission", "self._line is not None and self._line.closed:",
           "False:", "test_contract"),
    mutant("closed lane forgets", "_core", "not line.closed and ", "", "test_contract", "test_closing"),
    mutant("close does not wait", "_admission", "            line.drains.append(drain)\n            return False",
           "            return True", "test_closing"),
    mutant("close is never told", "_core", "line.drains.pop(0).wake()", "line.drains.pop(0)", "test_closing"),
    mutant("capacity off by one", "_admission", "queued >= limit", "queued > limit", "test_watching"),
    mutant("dead waiter not skipped", "_line",
           "        except RuntimeError:  # the loop is closed\n            return False",
           "        except RuntimeError:  # the loop is closed\n            return True", "test_closed_loops"),
    mutant("withdrawn request stays in line", "_admission", "line.tickets.pop(ticket, None)", "pass", CANCEL),
    mutant("memory of the line kept", "_core", "            self._line = None\n", "            pass\n", CANCEL),
    # Turns and cancellation.
    mutant("running turn torn from its caller", "_turn",
           "last = first if turn.ended else await _outlast(turn, first)", "last = first", CANCEL),
    mutant("each cancellation wakes the caller", "_turn",
           "        self.cancellation = () if msg is None else (msg,)\n        return True",
           "        return super().cancel(msg)", "test_pitfalls", CANCEL),
    mutant("cancellation swallowed", "_turn", "            raise last from error\n", "", CANCEL),
    mutant("late cancellation swallowed", "_turn", "        return late", "        return None  # type: ignore",
           "test_pitfalls", CANCEL),
    mutant("message of the cancellation lost", "_turn", "CancelledError(*waiter.cancellation)",
           "CancelledError()", CANCEL),
    mutant("failure not the cause", "_turn", "raise last from error", "raise last from None", CANCEL),
    mutant("generator accepted", "_work", "if kind is not None:", "if False:", "test_turns"),
    mutant("future awaited", "_work", "if is_coroutine(result):", "if hasattr(result, '__await__'):",
           "test_turns"),
    mutant("unstarted coroutine left open", "_turn", "            self.body.close()  # it may", "            pass  #",
           "test_pitfalls"),
    mutant("lane kept by an unstarted task", "_turn", "                coroutine.send(None)\n", "",
           "test_pitfalls", "test_closed_loops"),
    mutant("woken ahead means granted", "_tasks", "while ticket.state is WAITING:", "while False:",
           "test_pitfalls"),
    mutant("woken for good", "_line", "        self.is_woken = False\n\n\n", "\n\n",
           "test_pitfalls"),
    mutant("failing turn keeps the lane", "_lane",
           "            self._end_plain(marks, work)\n            raise\n", "            raise\n", "test_turns"),
    mutant("room not looked for: plain turn", "_core", "        ensure_room_for_a_call()\n", "", "test_recursion"),
    mutant("room not looked for: coroutine turn", "_work", "                ensure_room_to_begin()\n",
           "                pass\n", "test_recursion", since=(3, 12)),
    mutant("room not looked for: waking", "_core", "                ensure_room_to_wake()\n",
           "                pass\n", "test_recursion"),
    mutant("room not looked for: posting", "_lane", "            ensure_room_to_wake()\n",
           "            pass\n", "test_recursion"),
    mutant("lane not handed on elsewhere", "_core",
           "            start_new_thread(self._release, ())\n\n    def _become", "            pass\n\n    def _become",
           "test_recursion"),
    mutant("first step not in its task", "_in_place", "    _enter_task(loop, task)\n    try:\n",
           "    _enter_task(loop, caller or task)\n    try:\n", "test_in_place"),
    mutant("cancellation before the task's own first step lost", "_in_place",
           "            if error is not None and _cancels(error, awaited):\n                error = None\n",
           "            error = None\n", "test_in_place"),
    # Marks.
    mutant("inherited mark ignored", "_context",
           "    return any(turn is owner or turn.caller is owner for turn in turns_in_sight())",
           "    return False", "test_reentry"),
    mutant("blocked caller forgotten", "_blocking", "        turn.caller = marks\n", "        pass\n",
           "test_deadlock"),
    mutant("nesting forgotten", "_turn", "self.parent = visible_turn()", "self.parent = None", "test_reentry"),
    mutant("chain of ended turns kept", "_turn", "            self.active_parent()\n", "            pass\n",
           "test_reentry"),
    mutant("suppress does not hide", "_context", "Hidden(turn) if turn else None", "turn", "test_detaching"),
    mutant("suppress hides from its own task", "_context", "        return self.holder == _flow_of_control()",
           "        return False", "test_detaching"),
    mutant("detached task inherits", "_context", "    context.run(turn_mark.set, None)\n", "", "test_detaching"),
    mutant("post inherits the turn", "_posts", "        turn_mark.set(None)\n", "        pass\n", "test_posts"),
    mutant("context of IndexError", "_lane",
           "            result = work(*args) if args else work()\n",
           "            try:\n                raise IndexError\n            except IndexError:\n"
           "                result = work(*args) if args else work()\n", "test_pitfalls"),
    # The wait-for graph and run_all.
    mutant("circle not searched", "_deadlock", "circle = _circle(self._lane, owners)", "circle = None",
           "test_deadlock"),
    mutant("edge not taken back", "_deadlock", "        if self._owners:\n", "        if False:\n",
           "test_deadlock"),
    mutant("only direct circles found", "_deadlock", "open_ends.append(next_lane)", "pass", "test_deadlock"),
    mutant("run_all in the order given", "_run_all", "sorted(lanes, key=lambda lane: lane._serial)",
           "list(lanes)", "test_deadlock"),
    # Threads and loops.
    mutant("blocking on a running loop", "_blocking", "if _get_running_loop() is not None:", "if False:",
           "test_blocking"),
    mutant("paused loop not noticed", "_blocking", "            and not loop.is_running()\n",
           "            and False\n", "test_blocking"),
    mutant("timed out request runs", "_admission",
           "                return True\n            self._strike_out(ticket)\n",
           "                return True\n", "test_blocking"),
    mutant("stranded turn not taken over", "_core", "or not owner.is_stranded():", "or True:",
           "test_closed_loops"),
    mutant("released twice", "_core", "        if self._owner is not turn:\n", "        if False:\n",
           "test_closed_loops"),
    mutant("post lost with its loop", "_posts", "            self.rescue()\n", "            pass\n",
           "test_closed_loops"),
    mutant("post keeps its closed loop", "_posts", "        self.loop = runtime_loop()\n", "",
           "test_closed_loops"),
    mutant("posts starve the loop", "_posts", "while is_held and left > 0:", "while is_held:", "test_posts"),
    mutant("failure of a post lost", "_posts", "        report(message, error)\n        return\n",
           "        return\n", "test_posts"),
    # Gates and atoms.
    mutant("gate free inside a turn", "_gate", "        if lane is not None:\n", "        if False:\n",
           "test_gate"),
    mutant("gate re-entered by its holder", "_gate", "        if self._holder is task:\n", "        if False:\n",
           "test_gate"),
    mutant("disposal repeated", "_gate", "            if outcome is None:\n", "            if True:\n",
           "test_gate"),
    mutant("flag raised by everybody", "_atomic", "            return not was_set", "            return True",
           "test_entries_and_atoms"),
    mutant("value made again", "_registry", "return self._entries.setdefault(key, made)", "return made",
           "test_entries_and_atoms"),
)  # fmt: skip


def plant(fault: Mutant, room: Path) -> bool:
    """Copy package and tests into `room` with the fault in; False when it does not fit exactly once."""
    shutil.copytree(
        ROOT / "lane_runtime", room / "lane_runtime", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(
        ROOT / "tests" / "runtime", room / "tests" / "runtime", ignore=shutil.ignore_patterns("__pycache__")
    )
    (room / "pytest.ini").write_text(
        f"[pytest]\ntimeout = {SECONDS_PER_TEST}\nfilterwarnings = error\n", encoding="utf-8"
    )
    path = room / "lane_runtime" / fault.file
    source = path.read_text(encoding="utf-8")
    path.write_text(source.replace(fault.old, fault.new), encoding="utf-8")
    return source.count(fault.old) == 1


def try_mutant(fault: Mutant) -> tuple[str, str, float]:
    """The verdict on one fault, the test that noticed it, and the seconds it took."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        room = Path(directory)
        if not plant(fault, room):
            return "does not fit", "", 0.0
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no"]
        command += [f"tests/runtime/{name}.py" for name in fault.tests]
        environment = {**os.environ, "PYTHONPATH": str(room), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command,
                cwd=room,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS_PER_MUTANT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "killed", "(hang)", time.monotonic() - begun
    failed = [
        line.split("::", 1)[1] for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR "))
    ]
    verdict = "survived" if done.returncode == 0 else "killed" if done.returncode == 1 else "does not run"
    witness = failed[0].split(" - ")[0] if failed else ""
    return verdict, witness, time.monotonic() - begun


def chosen_from(parser: argparse.ArgumentParser, names: list[str]) -> list[Mutant]:
    """The faults of these names, all of them without any; the parser ends the program for an unknown one."""
    known = [fault.name for fault in MUTANTS]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            parser.error(
                f"no fault is called {name!r}" + (f", did you mean {near[0]!r}?" if near else "; see --list")
            )
    return [
        fault for fault in MUTANTS if sys.version_info >= fault.since and (not names or fault.name in names)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Plant known faults in a copy of lane_runtime and show that tests notice."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults to plant; all of them without any")
    parser.add_argument("--list", action="store_true", help="print the names of the faults, and stop")
    options = parser.parse_args()
    chosen = chosen_from(parser, options.names)
    if options.list:
        print(*(fault.name for fault in chosen), sep="\n")
        return 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        verdicts = list(pool.map(try_mutant, chosen))
    width = max((len(fault.name) for fault in chosen), default=0)
    print(f"{'fault':{width}}  {'verdict':12}  {'seconds':>7}  noticed by")
    for fault, (verdict, witness, seconds) in zip(chosen, verdicts, strict=True):
        print(f"{fault.name:{width}}  {verdict:12}  {seconds:7.1f}  {witness}")
    killed = sum(verdict == "killed" for verdict, _, _ in verdicts)
    print(f"\n{killed} of {len(chosen)} faults noticed")
    if any(verdict.startswith("does not") for verdict, _, _ in verdicts):
        return 2
    return 0 if killed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
