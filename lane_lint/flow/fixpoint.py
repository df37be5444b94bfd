"""Interprets one function's graph over abstract states until nothing changes any more."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from lane_lint.flow.deciding import decide
from lane_lint.flow.interpretation import Interpretation
from lane_lint.flow.locks import ASYNC_LOCK, BLOCKING_LOCK
from lane_lint.flow.names import annotated
from lane_lint.flow.records import FunctionResult, Records, UseRecord
from lane_lint.flow.state import State, join
from lane_lint.flow.summarise import summarise
from lane_lint.flow.taking import note_taken
from lane_lint.flow.transfer import EFFECTS, TRANSFER
from lane_lint.flow.values import ENTRY, NOTHING, Attempt, Hold, Readiness, Value, in_order
from lane_lint.model.instructions import Exit
from lane_lint.model.path import SELF, is_same_state

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit
    from lane_lint.model.graph import Block, Branch
    from lane_lint.model.path import Path

# A block that is still not settled then is left as it is: a few passes show every act.
MAX_ROUNDS = 4


def interpret(program: Program, unit: Unit, entry: frozenset[Hold] = frozenset()) -> FunctionResult:
    """Solve a unit.

    Args:
        entry: Locks that every caller holds; the summary for callers is made with none.
    """
    entry |= {Hold(lock, ENTRY) for lock in program.decorator_locks(unit)}
    run = Interpretation(program, unit, entry)
    for hold in entry:
        run.lock_kinds[hold.lock] = program.objects.lock_at(unit.owner, hold.lock) or ASYNC_LOCK
    return _Fixpoint(run).solve()


class _Fixpoint:
    """Interprets blocks until the states between them stay the same."""

    def __init__(self, run: Interpretation) -> None:
        self._run = run
        self._by_block: dict[int, Records] = {}

    def solve(self) -> FunctionResult:
        run = self._run
        self._visit_blocks(run.body.blocks)
        total = Records()
        for index in sorted(self._by_block):
            total.extend(self._by_block[index])
        result = FunctionResult(total, run.lock_kinds)
        result.summary = summarise(run.program, run.unit, result)
        return result

    def _visit_blocks(self, blocks: list[Block]) -> None:
        order = _reverse_postorder(blocks)
        arrivals: dict[int, dict[int, State]] = {0: {-1: _entry_state(self._run)}}
        rounds: dict[int, int] = {}
        queue = [(order[0], 0)]
        queued = {0}
        while queue:
            _, index = heapq.heappop(queue)
            queued.discard(index)
            rounds[index] = rounds.get(index, 0) + 1
            if rounds[index] > MAX_ROUNDS:
                continue
            for target, state in self._interpret(blocks[index], list(arrivals[index].values())):
                before = arrivals.setdefault(target, {})
                if before.get(index) == state:
                    continue
                before[index] = state
                if target not in queued:
                    queued.add(target)
                    heapq.heappush(queue, (order[target], target))

    def _interpret(self, block: Block, arriving: list[State]) -> list[tuple[int, State]]:
        """Interpret a block; the states that leave it, with where they go."""
        run = self._run
        run.block = block
        run.records = self._by_block[block.index] = Records()
        run.state = join(arriving, block.joins, lingers=block.lingers, block=block.index)
        raised: list[State] = []
        if block.handlers and not _starts_with_exit(block):
            raised.append(run.state.copy())
        for instruction in block.instructions:
            TRANSFER[type(instruction)](run, instruction)
            if block.handlers and isinstance(instruction, EFFECTS):
                raised.append(run.state.copy())
        leaving = _leave(run, block)
        if raised:
            at_any_point = join(raised, set(), lingers=False, block=block.index)
            leaving.extend((handler, at_any_point) for handler in block.handlers)
        return leaving


def _starts_with_exit(block: Block) -> bool:
    """Leaving a context comes first, and lets its lock go even when it raises."""
    return bool(block.instructions) and isinstance(block.instructions[0], Exit)


def _entry_state(run: Interpretation) -> State:
    state = State()
    state.holds = state.may_hold = run.entry
    owned = run.program.settings.owned_parameters
    for parameter in run.body.parameters:
        path: Path | None = ("$" + parameter.name,)
        if parameter.name == run.unit.self_name and not run.unit.is_nested:
            path = (SELF,)
        elif parameter.name in owned:
            path = None
        what = annotated(run.program, parameter.annotation)
        state.env[parameter.name] = Value(path=path, what=what, parameters=frozenset({parameter.name}))
    return state


def _leave(run: Interpretation, block: Block) -> list[tuple[int, State]]:
    """The states at the end of a block, one for each side when it ends in a test."""
    branch, state = block.branch, run.state
    tested = state.temps.get(branch.test, NOTHING) if branch is not None else NOTHING
    if branch is not None:
        _note_late_decision(run, branch, tested)
        decide(state, branch.key, tested)
    temps, crossing = state.temps, run.body.crossing
    state.temps = {t: v for t, v in temps.items() if t in crossing} if crossing else {}
    # States are copied when a block starts, so the edges may share one.
    leaving = [(target, _on_edge(run, target)) for target in block.successors]
    if branch is None or len(leaving) != 2:
        return leaving
    if branch.present_when is not None and branch.key in state.decisions:
        leaving = [
            _with_presence(edge, branch, side=side) for edge, side in zip(leaving, (True, False), strict=True)
        ]
    if isinstance(tested.what, Readiness):
        side = 0 if tested.what.when else 1
        ready = leaving[side][1].copy()
        ready.env[tested.what.name] = NOTHING
        leaving[side] = (leaving[side][0], ready)
    if isinstance(tested.what, Attempt) and tested.path is not None:
        side = 0 if tested.what.when else 1
        held = _with_lock(run, leaving[side], tested.path, branch.at, tested.what)
        leaving[side] = (leaving[side][0], held)
    return leaving


def _note_late_decision(run: Interpretation, branch: Branch, tested: Value) -> None:
    """Record a comparison, after a suspension, of what was read under a lock that was let go.

    A comparison with the present state is the second look that the value needs.
    """
    state = run.state
    if branch.was_made_before or branch.present_when is not None:
        return
    fresh = [token for token in tested.tokens if not state.is_stale(token)]
    if fresh:
        compared = [t for t in tested.tokens if any(is_same_state(t.path, f.path) for f in fresh)]
        run.records.comparisons += [(branch.at, t) for t in in_order(compared) if state.is_stale(t)]
        return
    for token in in_order(tested.tokens):
        if state.is_stale(token) and token.was_released(state.holds) and not token.is_derived:
            run.records.uses.append(UseRecord(branch.at, token))


def _on_edge(run: Interpretation, target: int) -> State:
    """The state on an edge; on a back edge of a loop everything in it is older by a pass."""
    loops, header = run.body.loops, run.body.blocks[target]
    is_back = header.is_loop_header and any(target == loops[loop].header for loop in run.block.loops)
    return run.state.age() if is_back else run.state


def _with_presence(edge: tuple[int, State], branch: Branch, *, side: bool) -> tuple[int, State]:
    """The state on one side of a test for presence, which knows whether what was tested is there.

    What a function says yes to may be there or be missing: `if self._is_old():`.
    """
    target, state = edge[0], edge[1].copy()
    is_present = side == branch.present_when
    if not is_present or any(not token.is_derived for token in state.decisions[branch.key]):
        state.presence[branch.key] = is_present
    return target, state


def _with_lock(run: Interpretation, edge: tuple[int, State], lock: Path, at: int, attempt: Attempt) -> State:
    """The state on the side where trying to take a lock succeeded."""
    target, state = edge
    run.state = state.copy()
    kind = run.lock_kinds.get(lock, BLOCKING_LOCK)
    run.acquire(lock, kind, at, waits=False)
    note_taken(run, lock, kind, attempt.site, by_test=target)
    return run.state


def _reverse_postorder(blocks: list[Block]) -> dict[int, int]:
    """Block -> its place in reverse postorder, so that a block comes after what leads to it."""
    seen, order, stack = {0}, [], [(0, iter((*blocks[0].successors, *blocks[0].handlers)))]
    while stack:
        index, rest = stack[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter((*blocks[target].successors, *blocks[target].handlers))))
                break
        else:
            order.append(index)
            stack.pop()
    return {index: number for number, index in enumerate(reversed(order))}
