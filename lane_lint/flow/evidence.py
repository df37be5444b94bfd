"""How sure a finding is: who else writes, whether several tasks come by, who owns the object."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.file_kind import is_test_file
from lane_lint.finding import Confidence
from lane_lint.flow.locks import lock_kind
from lane_lint.flow.ownership import Ownership

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.stale import StaleAct
    from lane_lint.model.path import Path
    from lane_lint.outline import FunctionOutline

# First words of functions that look something up and change nothing on the other side.
PURE_WORDS = frozenset(
    [
        "get",
        "read",
        "fetch",
        "load",
        "wait",
        "query",
        "lookup",
        "find",
        "list",
        "resolve",
        "describe",
        "select",
        "search",
        "recv",
        "receive",
        "peek",
        "stat",
        "compute",
        "calculate",
        "parse",
        "json",
        "text",
        "count",
        "exists",
        "info",
        "status",
        "head",
        "ping",
        "poll",
        "inspect",
        "collect",
        "scan",
    ]
)
PURE_NOUNS = frozenset(["info", "information", "metadata", "status", "version", "details", "properties"])
TEARDOWN = re.compile(
    r"^_*(?:async_)?(?:a?close|stop|shutdown|teardown|tear_down|disconnect|dispose|cleanup|clean_up|terminate|"
    r"cancel|exit|finish|finalize|end|unload|release|deinit|__aexit__)"
)


ENDED = re.compile(
    r"(?:^\.|_)(?:closed|closing|stopped|stopping|terminated|finished|done|eof|ended|shutdown|cancelled|canceled|"
    r"exited|dead|lost|disconnected|aborted)$"
)


class Evidence:
    """What speaks for and against a defect in one function really happening."""

    def __init__(self, facts: FunctionFacts) -> None:
        self._facts = facts
        self._ownership: Ownership = facts.program.ownership

    def confidence(self, path: Path) -> Confidence:
        """The confidence of a complete shape on a path."""
        if self.is_test_code or self._is_owned(path) or self._has_one_task(path):
            return Confidence.LOW
        return Confidence.HIGH if self._facts.rivals(path) and self.shows_concurrency else Confidence.MEDIUM

    def confidence_of_act(self, act: StaleAct) -> Confidence:
        """The confidence of an act on a stale read; see "Confidence" in the rule catalogue."""
        if self._is_owned(act.path) or self._has_one_task(act.path):
            return Confidence.LOW
        if self.is_test_code or self._ends_for_good(act):
            return Confidence.LOW
        if self._is_pure_memo(act) or self._is_paired_teardown(act):
            return Confidence.LOW
        rivals = self._facts.rivals(act.path)
        is_certain = act.is_computed_before or bool(rivals)
        return Confidence.HIGH if is_certain and self.shows_concurrency else Confidence.MEDIUM

    def _is_owned(self, path: Path) -> bool:
        """Whether the object belongs to one call or one task, as far as this module shows."""
        owner = self._facts.unit.owner
        if owner is None or path[0] != "self":
            return False
        outline = self._facts.unit.outline
        return self._ownership.is_confined(owner) or self._ownership.runs_before_handing_out(outline)

    def _has_one_task(self, path: Path) -> bool:
        """Whether every function that writes the path runs in one task that is started once."""
        writers = [*self._facts.rivals(path), self._facts.unit.outline]
        return all(self._ownership.runs_in_one_task(writer) for writer in writers)

    @property
    def is_test_code(self) -> bool:
        """Whether it is a test's: tests run one after another; what they share is meant for one at a time."""
        return is_test_file(self._facts.file)

    def _ends_for_good(self, act: StaleAct) -> bool:
        """A flag that says that something is over: setting it once more changes nothing."""
        return act.is_flag and ENDED.search(act.path[-1]) is not None

    def _is_pure_memo(self, act: StaleAct) -> bool:
        """A look-up without side effect, remembered in one slot that nobody else writes or clears."""
        rivals = [f for f in self._facts.rivals(act.path) if not self._is_part_of(f, act.helper)]
        if not act.is_decided or len(act.path) > 2 or rivals:
            return False
        callees = act.callees or ({act.helper} if act.helper is not None else set())
        return not act.is_expiring and bool(callees) and all(map(_looks_up, callees))

    def _is_part_of(self, function: FunctionOutline, helper: str | None) -> bool:
        """Whether a function is the helper that acts, or a private one that this helper alone calls."""
        if function.name == helper:
            return True
        if helper is None or function.owner is None or not function.is_private:
            return False
        family = [f for c in self._facts.program.module.family(function.owner) for f in c.functions()]
        callers = {f.name for f in family if function.name in f.sketch.references and f is not function}
        return callers == {helper}

    def _is_paired_teardown(self, act: StaleAct) -> bool:
        """A clean-up whose counterparts are called by the same function that calls it: one owner's life."""
        name = self._facts.unit.name
        if not act.is_reset or not TEARDOWN.match(name):
            return False
        rivals = self._facts.rivals(act.path)
        if not rivals:
            return True
        wanted = {self._entrance(function).name for function in (*rivals, self._facts.unit.outline)}
        functions = self._facts.program.module.all_functions()
        return any(wanted <= f.sketch.method_calls for f in functions)

    def _entrance(self, function: FunctionOutline) -> FunctionOutline:
        """The public method that a private one is the body of: its only caller."""
        owner = function.owner
        functions = (
            [f for c in self._facts.program.module.family(owner) for f in c.functions()] if owner else []
        )
        passed = {function}
        while function.is_private:
            callers = [f for f in functions if function.name in f.sketch.own_calls]
            if len(callers) != 1 or callers[0] in passed:
                break
            function = callers[0]
            passed.add(function)
        return function

    @cached_property
    def shows_concurrency(self) -> bool:
        """Whether the class, or the module for a function, has a lock or starts tasks."""
        program, owner = self._facts.program, self._facts.unit.owner
        if owner is None:
            functions = list(program.module.functions.values())
            makers = list(program.module.global_makers.values())
        else:
            family = program.module.family(owner)
            functions = [f for each in family for f in each.functions()]
            makers = [m for each in family for m in each.makers.values()]
        return any(f.sketch.starts_tasks for f in functions) or any(lock_kind(m) is not None for m in makers)


def _looks_up(name: str) -> bool:
    """Whether a function's name says that it only looks something up: `fetch_rows`, `application_info`."""
    words = [word for word in name.lower().split("_") if word]
    return bool(words) and (words[0] in PURE_WORDS or words[-1] in PURE_NOUNS)
