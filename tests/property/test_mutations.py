"""Findings stay the same when a case is written in another way that means the same.

Each mutator is a function from a text to the mutated text, or None where it does not apply. The due lines are
numbered before the mutation, and the numbers travel with the comments they stand in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import adding
import branching
import entering
import indirection
import moving
import pytest
import renaming
import splitting
from fixture_cases import CASES, MARKER, case_name
from mutating import Mutator

from lane_lint import Settings, check_source

_NUMBERED = re.compile(MARKER.pattern + r" at (\d+)")

# How many cases each mutator must apply to, at least: one that applies to none would prove nothing.
MUTATORS: dict[Mutator, int] = {
    adding.idle_lines_everywhere: 400,
    adding.bodies_in_try_finally: 400,
    branching.else_instead_of_early_exit: 90,
    branching.inverted_early_exit: 20,
    branching.early_exit_in_the_else: 90,
    branching.nested_ifs_instead_of_and: 10,
    entering.aliased_locks: 100,
    entering.locks_acquired_by_hand: 60,
    entering.null_context_beside: 100,
    entering.null_context_around: 100,
    entering.entered_on_a_stack: 100,
    entering.locks_behind_a_context_manager: 50,
    indirection.stored_by_helpers: 60,
    indirection.tested_by_helpers: 90,
    indirection.iterated_through_a_local: 70,
    indirection.awaited_through_a_local: 200,
    indirection.collections_aliased: 90,
    moving.everything_inherited: 400,
    moving.delegated_to_private_methods: 350,
    moving.classes_turned_round: 400,
    moving.module_in_a_class: 20,
    renaming.renamed: 400,
    renaming.aliased_imports: 200,
    renaming.names_imported_one_by_one: 200,
    splitting.values_through_locals: 400,
    splitting.augmented_assignments_spelled_out: 50,
    splitting.lambdas_named: 60,
}
# For the cases of these rules a mutator changes the meaning: mutator -> rule -> what it changes.
LEFT_OUT: dict[Mutator, dict[str, str]] = {
    entering.locks_behind_a_context_manager: {
        "LAN305": "a gate is told where it is taken, which is inside the context manager then",
    },
    indirection.tested_by_helpers: {
        "LAN205": "a helper that gives the live collection to a turn is the place that is told, not its caller",
        "LAN206": "what a helper of the override reads off the lane is one more access, told there as LAN203",
        "LAN312": "two calls need not answer the same, so they do not tell whether the lock was taken",
    },
    moving.delegated_to_private_methods: {
        "LAN206": "what a helper of the override touches off the lane is one more access, told there as LAN203",
    },
}
_ACQUISITION_IN_A_VARIABLE = (
    "an acquisition that is not awaited on the spot may be given to somebody else: "
    "nothing is assumed of a lock of unknown make then"
)
_SECOND_HALF = (
    "the `await` of what a variable holds is told as a wait of its own, beside the call that gave it"
)
# What a mutation still changes, and why; (mutator, case) -> the reason.
KNOWN: dict[tuple[Mutator, str], str] = {
    (branching.nested_ifs_instead_of_and, "LAN103/good_helper_tests_both_fields_again"): (
        "a test whose inner test leaves the function is no test of what follows both"
    ),
    (indirection.stored_by_helpers, "LAN106/bad_one_of_three_ways_lacks_the_lock"): (
        "with two helpers on the way the write without the lock is said at both calls"
    ),
    **{
        (mutator, "LAN106/good_who_holds_the_lock_calls_the_same_method"): (
            "that the lock's holder itself calls the writer is not seen with a helper on the way"
        )
        for mutator in (indirection.stored_by_helpers, moving.delegated_to_private_methods)
    },
    (splitting.values_through_locals, "LAN101/good_generation_compared_after_the_use"): (
        "a later comparison whose answer is kept in a variable does not vouch for a use before it"
    ),
    (indirection.stored_by_helpers, "LAN401/bad_futures"): (
        "what a setter is given does not tell what the field is made of"
    ),
    (indirection.collections_aliased, "LAN103/bad_hooks_awaited_between_limit_and_use"): (
        "what a helper looks up through a variable of its own is no look at the field for its caller"
    ),
    (indirection.iterated_through_a_local, "LAN105/bad_generator_over_a_live_mapping"): (
        "an own generator in a variable is not followed to the collection that it walks"
    ),
    (indirection.awaited_through_a_local, "LAN103/good_starts_before_it_is_handed_out"): (
        "that a method of the field itself is awaited is not seen through a variable"
    ),
    (indirection.awaited_through_a_local, "LAN301/bad_property_and_decorator_of_the_project"): _SECOND_HALF,
    (indirection.awaited_through_a_local, "LAN305/bad_semaphore_with_a_time_limit"): _SECOND_HALF,
    (indirection.awaited_through_a_local, "LAN309/good_eager_start_touches_the_outside_first"): _SECOND_HALF,
    (indirection.awaited_through_a_local, "LAN312/bad_taken_by_helper"): (
        "the gate keeps back a function whose only sign of a lock is a coroutine in a variable"
    ),
    (indirection.awaited_through_a_local, "LAN316/bad_argument_order"): _ACQUISITION_IN_A_VARIABLE,
    (indirection.awaited_through_a_local, "LAN316/bad_table_and_entry"): _ACQUISITION_IN_A_VARIABLE,
    **{
        (indirection.awaited_through_a_local, f"LAN101/bad_{name}"): (
            "what a coroutine in a variable was given is no use where it is awaited: it may be a task since long"
        )
        for name in (
            "anyio_lock_let_go_before_the_send",
            "entry_that_others_change_by_a_variable",
            "fields_copied_inside_the_gate",
            "target_looked_up_under_a_thread_lock",
            "victims_chosen_under_the_lock",
        )
    },
    **{
        (indirection.collections_aliased, name): (
            "whether a collection is empty is taken for a look at the time when the variable was bound to it"
        )
        for name in (
            "LAN101/good_fields_copied_inside_the_gate",
            "LAN103/good_two_conditions_of_one_lock",
            "LAN105/good_copies_and_drains",
        )
    },
}
READABLE = [case for case in CASES if case.parent.name != "LAN901"]

Found = Counter[tuple[str | None, str]]
"""How often something is found, by the number of the due line and the codes that are due; no number: not due."""


def numbered(text: str) -> str:
    """Number the marks of due lines."""
    numbers = iter(range(1, 1000))
    return MARKER.sub(lambda mark: f"{mark[0]} at {next(numbers)}", text)


@cache
def found_before(case: Path) -> Found:
    return found_in(numbered(case.read_text(encoding="utf-8")))


def found_in(text: str) -> Found:
    lines = text.split("\n")
    found: Found = Counter()
    for finding in check_source(text, settings=Settings()):
        found[_due(lines[finding.span.line - 1], finding.code)] += 1
    return found


def _due(line: str, code: str) -> tuple[str | None, str]:
    """The number of the line's mark and the codes that are due there, or the code when it is not due."""
    for mark in _NUMBERED.finditer(line):
        if code in mark[1]:
            return mark[2], mark[1]
    return None, code


@cache
def mutated(mutator: Mutator, case: Path) -> str | None:
    text = numbered(case.read_text(encoding="utf-8"))
    changed = mutator(text)
    if changed is not None:
        compile(changed, str(case), "exec")
        assert set(_numbers(changed)) == set(_numbers(text)), "a mutation must keep the marks"
    return changed


def _numbers(text: str) -> Iterator[str]:
    return (mark[2] for mark in _NUMBERED.finditer(text))


def differing(mutator: Mutator, cases: list[Path]) -> dict[str, str]:
    """The cases whose findings a mutation changes, and how."""
    different = {}
    for case in cases:
        if (changed := mutated(mutator, case)) is None:
            continue
        before, after = found_before(case), found_in(changed)
        if before != after:
            different[case_name(case)] = f"lost {dict(before - after)}, new {dict(after - before)}"
    return different


each_mutator = pytest.mark.parametrize("mutator", MUTATORS, ids=lambda mutator: mutator.__name__)


@each_mutator
def test_a_mutator_applies_to_many_cases(mutator: Mutator) -> None:
    applies = sum(mutated(mutator, case) is not None for case in READABLE)
    assert applies >= MUTATORS[mutator]


@each_mutator
def test_findings_stay_the_same(mutator: Mutator) -> None:
    left_out = LEFT_OUT.get(mutator, {})
    cases = [
        case
        for case in READABLE
        if case.parent.name not in left_out and (mutator, case_name(case)) not in KNOWN
    ]
    assert differing(mutator, cases) == {}


@pytest.mark.parametrize(
    ("mutator", "name"),
    [
        pytest.param(
            *known, id=f"{known[0].__name__}-{known[1]}", marks=pytest.mark.xfail(strict=True, reason=why)
        )
        for known, why in KNOWN.items()
    ],
)
def test_what_a_mutation_still_changes(mutator: Mutator, name: str) -> None:
    assert differing(mutator, [case for case in READABLE if case_name(case) == name]) == {}
