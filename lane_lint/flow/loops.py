"""Loops over live shared collections that suspend in their body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lane_lint.model.path import ANY_ITEM, SELF, extend

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts
    from lane_lint.flow.records import LoopRecord, SuspensionRecord
    from lane_lint.flow.solved import Place
    from lane_lint.flow.unit import Unit
    from lane_lint.model.path import Path
    from lane_lint.outline import FunctionOutline


GROWING = frozenset({"append", "extend"})


class SharedLoop(NamedTuple):
    """A loop whose collection somebody may change while its body waits."""

    path: Path
    place: Place
    suspension: Place
    changer: FunctionOutline
    only_grows: bool


def loops_over_shared_state(facts: FunctionFacts) -> Iterator[SharedLoop]:
    if facts.is_construction or facts.runs_in_turn:
        return
    seen: set[int] = set()
    for record in facts.records.loops:
        if record.loop in seen or record.holds:
            continue
        unit, path = record.origin or (facts.unit, record.path)
        changer = _changer(facts, unit, path)
        suspension = _suspension_in(facts, record)
        if changer is not None and suspension is not None:
            seen.add(record.loop)
            loop = facts.unit.body.loops[record.loop]
            place, waits = facts.place(loop.at), facts.place(suspension.site)
            yield SharedLoop(record.path, place, waits, changer, _only_grows(facts, record.path))


def _changer(facts: FunctionFacts, unit: Unit, path: Path) -> FunctionOutline | None:
    """A function that changes the collection in place; rebinding it leaves a running loop alone."""
    sharing = facts.program.sharing
    if path == (SELF,) and unit.owner is not None:
        functions = sharing.content_writers(unit.owner)
    elif path[0] == SELF and unit.owner is not None and len(path) > 1:
        writes = sharing.attribute_writes(unit.owner, path[1][1:])
        link = extend(path, ANY_ITEM)[2][0]
        deeper_counts = len(path) > 2 or _makes_entries_on_look(facts, unit, path)
        functions = [f for f, w in writes if w.link[:1] == link and (deeper_counts or not w.is_deeper)]
    else:
        functions = sharing.writers(unit, path)
        if path[0][0] == "^":
            functions = [unit.outline]
        elif path[0][0] == "$":
            functions = [f for f in functions if _changes_in_place(f, path[1][1:])]
    others = [f for f in functions if f is not unit.outline]
    return next(iter(others or functions), None)


def _changes_in_place(function: FunctionOutline, attribute: str) -> bool:
    return any(write.attribute == attribute and write.link for write in function.sketch.writes)


def _makes_entries_on_look(facts: FunctionFacts, unit: Unit, path: Path) -> bool:
    """Whether reaching for an entry that is missing adds it, as a `defaultdict` does."""
    return any(maker.endswith("defaultdict") for maker in facts.program.objects.makers(unit.owner, path))


def _only_grows(facts: FunctionFacts, path: Path) -> bool:
    """Whether a list is only ever added to at its end, which a running loop simply sees."""
    if path[0] != SELF or facts.unit.owner is None or len(path) > 3:
        return False
    writes = facts.program.sharing.attribute_writes(facts.unit.owner, path[1][1:])
    makers = facts.program.objects.makers(facts.unit.owner, path)
    if any(maker.endswith("deque") for maker in makers):
        return False
    growing = GROWING if len(path) == 2 else GROWING | {"setdefault"}
    return all(w.operation in growing for _, w in writes if w.link)


def _suspension_in(facts: FunctionFacts, record: LoopRecord) -> SuspensionRecord | None:
    """The first suspension in the body after which the loop goes on."""
    for suspension in facts.records.suspensions:
        if record.loop not in suspension.loops or suspension.site == facts.unit.body.loops[record.loop].at:
            continue
        if _comes_back(facts, suspension.block, record.loop):
            return suspension
    return None


def _comes_back(facts: FunctionFacts, block: int, loop: int) -> bool:
    """Whether the loop's header can be reached again from the block without leaving the loop."""
    blocks, header = facts.unit.body.blocks, facts.unit.body.loops[loop].header
    seen, pending = {block}, [block]
    while pending:
        current = blocks[pending.pop()]
        for target in (*current.successors, *current.handlers):
            if target == header:
                return True
            if target not in seen and loop in blocks[target].loops:
                seen.add(target)
                pending.append(target)
    return False
