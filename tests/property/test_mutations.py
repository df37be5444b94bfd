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
    adding.passes_everywhere: 200,
    adding.locals_everywhere: 200,
    adding.log_lines_everywhere: 200,
    adding.docstrings_everywhere: 200,
    adding.bodies_in_try_finally: 200,
    adding.empty_base_class: 150,
    branching.else_instead_of_early_exit: 50,
    branching.inverted_early_exit: 10,
    branching.early_exit_in_the_else: 50,
    branching.nested_ifs_instead_of_and: 5,
    entering.aliased_locks: 50,
    entering.locks_acquired_by_hand: 50,
    entering.null_context_beside: 50,
    entering.null_context_around: 50,
    entering.entered_on_a_stack: 50,
    entering.locks_behind_a_context_manager: 40,
    indirection.stored_by_helpers: 50,
    indirection.tested_by_helpers: 50,
    indirection.iterated_through_a_local: 20,
    indirection.awaited_through_a_local: 50,
    indirection.collections_aliased: 30,
    moving.everything_inherited: 150,
    moving.delegated_to_private_methods: 150,
    moving.classes_in_a_function: 100,
    moving.reversed_methods: 150,
    moving.module_in_a_class: 10,
    renaming.renamed_locals: 100,
    renaming.renamed_attributes: 150,
    renaming.renamed_classes: 150,
    renaming.renamed_self: 150,
    renaming.aliased_imports: 100,
    renaming.names_imported_one_by_one: 100,
    splitting.returned_through_a_local: 100,
    splitting.stored_through_a_local: 100,
    splitting.tested_through_a_local: 100,
    splitting.augmented_assignments_spelled_out: 10,
    splitting.lambdas_named: 10,
}
# What a mutation still changes, and why; (mutator, case) -> the reason.
KNOWN: dict[tuple[Mutator, str], str] = {
    (indirection.stored_by_helpers, "LAN106/bad_one_of_three_ways_lacks_the_lock"): (
        "with two helpers on the way the write without the lock is said at both calls"
    ),
    (indirection.collections_aliased, "LAN103/bad_hooks_awaited_between_limit_and_use"): (
        "what a helper looks up through a variable of its own is no look at the field for its caller"
    ),
    (indirection.iterated_through_a_local, "LAN105/bad_generator_over_a_live_mapping"): (
        "an own generator in a variable is not followed to the collection that it walks"
    ),
    **{
        (indirection.awaited_through_a_local, f"LAN101/bad_{name}"): (
            "what a coroutine in a variable was given is no use where it is awaited: it may be a task since long"
        )
        for name in (
            "anyio_lock_let_go_before_the_send",
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
        before, after = found_in(numbered(case.read_text(encoding="utf-8"))), found_in(changed)
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
    assert differing(mutator, [case for case in READABLE if (mutator, case_name(case)) not in KNOWN]) == {}


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
