"""Interprets one function's graph over abstract states until nothing changes any more."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lane_lint.flow import calls, effects, names
from lane_lint.flow.locks import ASYNC_LOCK, BLOCKING_LOCK, LockKind, looks_like_lock
from lane_lint.flow.records import (
    AcquireRecord,
    CallRecord,
    FunctionResult,
    LoopRecord,
    ReadRecord,
    Records,
    SuspensionRecord,
    UseRecord,
)
from lane_lint.flow.state import State, join
from lane_lint.flow.summarise import summarise
from lane_lint.flow.values import (
    COPY,
    ENTRY,
    NO_TOKENS,
    NOTHING,
    Constant,
    Dotted,
    Function,
    Hold,
    Instance,
    Lock,
    Made,
    Pending,
    Token,
    Tokens,
    Value,
    combine,
    in_order,
    through,
)
from lane_lint.model.graph import Block, Branch, Kind
from lane_lint.model.instructions import (
    BindName,
    CallMethod,
    CallName,
    Combine,
    Decide,
    DeleteAttribute,
    DeleteItem,
    DeleteName,
    EndStatement,
    Enter,
    Exit,
    Fetch,
    Keep,
    Literal,
    LoadAttribute,
    LoadItem,
    LoadName,
    MakeFunction,
    Return,
    Step,
    StoreAttribute,
    StoreItem,
    Suspend,
    Temp,
    Why,
)
from lane_lint.model.path import ANY_ITEM, EACH_ITEM, Path, conflicts, extend, item_link

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.unit import Unit

MAX_ROUNDS = 4


def interpret(program: Program, unit: Unit, entry: frozenset[Hold] = frozenset()) -> FunctionResult:
    """Solve a unit.

    Args:
        entry: Locks that every caller holds; the summary for callers is made with none.
    """
    entry |= {Hold(lock, ENTRY) for lock in program.decorator_locks(unit)}
    interpreter = Interpreter(program, unit, entry)
    for hold in entry:
        interpreter.lock_kinds[hold.lock] = program.lock_at(unit.owner, hold.lock) or ASYNC_LOCK
    interpreter.run()
    return interpreter.finish()


class Interpreter:
    """The state while one function is interpreted."""

    def __init__(self, program: Program, unit: Unit, entry: frozenset[Hold]) -> None:
        self.program = program
        self.unit = unit
        self.body = unit.body
        self.entry = entry
        self.state = State()
        self.records = Records()
        self.block = self.body.blocks[0]
        self.lock_kinds: dict[Path, LockKind] = {}
        self.entered: dict[int, tuple[Hold, ...]] = {}
        self.exits_suspend: dict[int, bool] = {}
        self.suppressing: set[int] = set()
        self.waited: dict[Path, int] = {}
        self._by_block: dict[int, Records] = {}

    # The fixpoint

    def run(self) -> None:
        blocks = self.body.blocks
        order = _reverse_postorder(blocks)
        arrivals: dict[int, dict[int, State]] = {0: {-1: self._entry_state()}}
        rounds: dict[int, int] = {}
        queue = [(order[0], 0)]
        queued = {0}
        while queue:
            _, index = heapq.heappop(queue)
            queued.discard(index)
            rounds[index] = rounds.get(index, 0) + 1
            if rounds[index] > MAX_ROUNDS:
                continue
            block = blocks[index]
            for target, state in self._interpret_block(block, list(arrivals[index].values())):
                before = arrivals.setdefault(target, {})
                if before.get(index) == state:
                    continue
                before[index] = state
                if target not in queued:
                    queued.add(target)
                    heapq.heappush(queue, (order[target], target))

    def _entry_state(self) -> State:
        state = State()
        state.holds = state.may_hold = self.entry
        owned = self.program.settings.owned_parameters
        for parameter in self.body.parameters:
            path: Path | None = ("$" + parameter.name,)
            if parameter.name == self.unit.self_name and not self.unit.is_nested:
                path = ("self",)
            elif parameter.name in owned:
                path = None
            what = names.annotated(self.program, parameter.annotation)
            state.env[parameter.name] = Value(path=path, what=what, parameters=frozenset({parameter.name}))
        return state

    def _interpret_block(self, block: Block, arriving: list[State]) -> list[tuple[int, State]]:
        """Interpret a block; the states that leave it, with where they go."""
        self.block = block
        self.records = Records()
        self.state = join(arriving, block.joins, lingers=block.lingers, block=block.index)
        raised: list[State] = [self.state.copy()] if block.handlers else []
        for instruction in block.instructions:
            _TRANSFER[type(instruction)](self, instruction)
            if raised and isinstance(instruction, _EFFECTS):
                raised.append(self.state.copy())
        self._by_block[block.index] = self.records
        leaving = self._leave(block)
        if raised:
            at_any_point = join(raised, set(), lingers=False, block=block.index)
            leaving.extend((handler, at_any_point) for handler in block.handlers)
        return leaving

    def _leave(self, block: Block) -> list[tuple[int, State]]:
        branch = block.branch
        tested = self.state.temps.get(branch.test, NOTHING) if branch is not None else NOTHING
        if branch is not None:
            self._test(branch.key, tested)
        temps, crossing = self.state.temps, self.body.crossing
        self.state.temps = {t: v for t, v in temps.items() if t in crossing} if crossing else {}
        # States are copied when a block starts, so the edges may share one.
        leaving = [(target, self._on_edge(target)) for target in block.successors]
        if branch is None or len(leaving) != 2:
            return leaving
        if branch.present_when is not None and branch.key in self.state.decisions:
            leaving = [
                self._with_presence(edge, branch, side=side)
                for edge, side in zip(leaving, (True, False), strict=True)
            ]
        if tested.what == Made(effects.LOCK_TRY) and tested.path is not None:
            leaving[0] = (leaving[0][0], self._with_lock(leaving[0][1], tested.path, branch.at))
        return leaving

    def _with_presence(self, edge: tuple[int, State], branch: Branch, *, side: bool) -> tuple[int, State]:
        """The state on one side of a test for presence, which knows whether what was tested is there."""
        target, state = edge[0], edge[1].copy()
        state.presence[branch.key] = side == branch.present_when
        return target, state

    def _with_lock(self, state: State, lock: Path, at: int) -> State:
        """The state on the side where trying to take a lock succeeded."""
        self.state = state.copy()
        self.acquire(lock, self.lock_kinds.get(lock, BLOCKING_LOCK), at, waits=False)
        return self.state

    def _on_edge(self, target: int) -> State:
        block = self.body.blocks[target]
        if block.is_loop_header and any(
            block.index == self.body.loops[loop].header for loop in self.block.loops
        ):
            return self.state.age()
        return self.state

    def _test(self, key: int, tested: Value) -> None:
        """A branch on a value: a fresh look ends stale decisions on the same state, and decides anew."""
        tokens = tested.tokens | tested.decided
        if tested.path is not None:
            # Truth of a collection is a look at its content.
            tokens = frozenset(_content(t) if t.path == tested.path else t for t in tokens)
            self._carry_crossings(tested.tokens, tokens)
        tokens = self.look_again(tokens)
        if tokens:
            self.state.decisions[key] = tokens
        else:
            self.state.decisions.pop(key, None)
        self.state.presence.pop(key, None)

    def _carry_crossings(self, old: Tokens, new: Tokens) -> None:
        for token in new - old:
            for before in old:
                if before.site == token.site and before in self.state.crossed:
                    self.state.crossed[token] = self.state.crossed[before]

    def look_again(self, tokens: Tokens) -> Tokens:
        """A test with fresh reads: it ends what was decided on stale reads of the same state.

        A stale value that is compared with the present one is valid again, with everything that
        was read together with it.

        Returns:
            The tokens that the test rests on now.
        """
        state = self.state
        fresh = [t for t in in_order(tokens) if t not in state.crossed or state.crossed[t].protection]
        if not fresh:
            return tokens
        for key, decided in list(state.decisions.items()):
            ended = {
                t for t in decided if state.is_stale(t) and any(same_state(t.path, f.path) for f in fresh)
            }
            if ended:
                state.decisions[key] = decided - ended
        state.lingering = frozenset(
            t for t in state.lingering if not any(same_state(t.path, f.path) for f in fresh)
        )
        compared = {t for t in tokens if state.is_stale(t) and any(same_state(t.path, f.path) for f in fresh)}
        epochs = {t.epoch for t in compared}
        if epochs:
            now = fresh[0]
            renewed = {
                t: Token(t.site, t.path, now.epoch, now.holds, t.is_old, t.is_from_turn)
                for t in state.crossed
                if t.epoch in epochs
            }
            state.replace(renewed)
        return tokens - compared

    def finish(self) -> FunctionResult:
        total = Records()
        for index in sorted(self._by_block):
            total.extend(self._by_block[index])
        result = FunctionResult(total, self.lock_kinds)
        result.summary = summarise(self.program, self.unit, result)
        return result

    # Reading

    def value(self, temp: Temp) -> Value:
        return self.state.temps.get(temp, NOTHING)

    def read(self, path: Path, at: int, *, force: bool = False) -> Tokens:
        """A fresh token for a read of a shared path.

        None for what no other task can change, and for what this call has just written itself.
        """
        if path in self.state.current and not force:
            return NO_TOKENS
        if not force and not self.program.sharing.is_shared(self.unit, path):
            return NO_TOKENS
        holds = self.state.holds
        token = Token(at, path, self.state.epoch, holds)
        self.state.crossed.pop(token, None)
        self.records.reads.append(ReadRecord(at, path, holds, self.state.epoch))
        return frozenset((token,))

    def outdated(self, tokens: Tokens) -> Tokens:
        """Of the tokens of an object, those that make what is read from it now depend on the past."""
        if not tokens:
            return tokens
        state = self.state
        return frozenset(t for t in tokens if t in state.crossed or t.holds - state.holds)

    # Suspending and locking

    def suspend(self, at: int, why: Why, callee: str | None = None) -> None:
        state = self.state
        self.records.suspensions.append(
            SuspensionRecord(at, why, state.may_hold, self.block.loops, self.block.index, callee)
        )
        state.suspend(at)

    def acquire(self, path: Path, kind: LockKind, at: int, *, waits: bool = True) -> Hold:
        hold = Hold(path, at)
        self.lock_kinds[path] = kind
        if waits:
            self.records.acquisitions.append(AcquireRecord(at, path, kind, self.state.holds))
        if kind.is_exclusive:
            self.state.holds |= {hold}
        self.state.may_hold |= {hold}
        return hold

    def release(self, path: Path) -> None:
        for hold in sorted(self.state.may_hold):
            if hold.lock == path:
                self.state.release(hold)

    def lock_of(self, value: Value, *, is_async: bool | None = None) -> tuple[Path, LockKind] | None:
        """The lock a value is, if it is one.

        Args:
            is_async: How it is entered; lets a lock of unknown make be known by its name.
        """
        if isinstance(value.what, Lock):
            return (value.path or ("%lock",), value.what.kind)
        if value.path is None:
            return None
        kind = self.program.lock_at(self.unit.owner, value.path)
        if kind is None and is_async is not None and value.what is None:
            kind = self._assumed_lock(value.path, is_async=is_async)
        return None if kind is None else (value.path, kind)

    def _assumed_lock(self, path: Path, *, is_async: bool) -> LockKind | None:
        """A lock of unknown make: known by its name, or by being entered as a bare attribute."""
        if self.program.makers(self.unit.owner, path):
            return None
        if looks_like_lock(path[-1].strip(".@^$")):
            return ASYNC_LOCK if is_async else BLOCKING_LOCK
        return ASYNC_LOCK if is_async and path[-1][0] == "." else None


def same_state(left: Path, right: Path) -> bool:
    return conflicts(left, right) or conflicts(right, left)


def _element(token: Token) -> Token:
    return Token(
        token.site, (*token.path[:-1], EACH_ITEM), token.epoch, token.holds, token.is_old, token.is_from_turn
    )


def _content(token: Token) -> Token:
    return Token(
        token.site, extend(token.path, ANY_ITEM), token.epoch, token.holds, token.is_old, token.is_from_turn
    )


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


# One function for each instruction


def _literal(run: Interpreter, i: Literal) -> None:
    run.state.temps[i.result] = Value(fresh=i.collection, what=Constant(i.text, i.reset))


def _combine(run: Interpreter, i: Combine) -> None:
    run.state.temps[i.result] = combine([run.value(s) for s in i.sources], fresh=i.fresh)


def _load_name(run: Interpreter, i: LoadName) -> None:
    run.state.temps[i.result] = names.load(run, i.name, i.at)


def _load_attribute(run: Interpreter, i: LoadAttribute) -> None:
    run.state.temps[i.result] = load_attribute(run, run.value(i.base), i.attribute, i.at)


def load_attribute(run: Interpreter, base: Value, attribute: str, at: int) -> Value:
    """Read an attribute: a property runs its getter, a method is bound, state is read."""
    if isinstance(base.what, Dotted):
        return Value(what=Dotted(f"{base.what.name}.{attribute}"))
    owner = calls.class_of(run, base)
    if owner is not None:
        function = run.program.method(owner, attribute, after=calls.after_of(base))
        unit = run.program.unit(function) if function is not None else None
        if function is not None and unit is not None and function.is_property:
            return through(base, effects.call_now(run, unit, base.path, (), at), attribute)
        if unit is not None:
            return Value(what=Function(unit, base.path))
    if base.path is None:
        made_here = base.fresh and isinstance(base.what, (Instance, Made))
        tokens = NO_TOKENS if made_here else base.tokens
        return Value(tokens, None, made_here, base.decided, base.waits, parameters=base.parameters)
    path = extend(base.path, f".{attribute}")
    return _at(run, path, at, base)


def _at(run: Interpreter, path: Path, at: int, base: Value) -> Value:
    tokens = run.read(path, at) | run.outdated(base.tokens)
    return Value(tokens=tokens, path=path, decided=base.decided, waits=base.waits, parameters=base.parameters)


def _load_item(run: Interpreter, i: LoadItem) -> None:
    base = run.value(i.base)
    if base.path is None:
        run.state.temps[i.result] = combine([base, run.value(i.at_key)], fresh=False)
        return
    value = _at(run, extend(base.path, item_link(i.key)), i.at, base)
    index = run.value(i.at_key)
    run.state.temps[i.result] = value._replace(
        tokens=value.tokens | index.tokens, waits=value.waits | index.waits
    )


def _call_name(run: Interpreter, i: CallName) -> None:
    run.state.temps[i.result] = calls.call_value(run, i)


def _call_method(run: Interpreter, i: CallMethod) -> None:
    run.state.temps[i.result] = calls.call_method(run, i)


def _make_function(run: Interpreter, i: MakeFunction) -> None:
    run.state.temps[i.result] = Value(what=Function(run.unit.nested[i.function], None))


def _bind_name(run: Interpreter, i: BindName) -> None:
    names.bind(run, i.name, run.value(i.source), i.at)


def _store_attribute(run: Interpreter, i: StoreAttribute) -> None:
    base, value = run.value(i.base), run.value(i.source)
    owner = calls.class_of(run, base)
    setter = run.program.setter(owner, i.attribute) if owner is not None else None
    unit = run.program.unit(setter) if setter is not None else None
    if unit is not None:
        effects.call_now(run, unit, base.path, (value,), i.at)
    elif base.path is not None:
        effects.write(run, extend(base.path, f".{i.attribute}"), value, i.at, is_step=i.step)


def _store_item(run: Interpreter, i: StoreItem) -> None:
    base = run.value(i.base)
    if base.path is not None:
        path = extend(base.path, item_link(i.key))
        effects.write(run, path, run.value(i.source), i.at, is_step=i.step, is_mutation=True)


def _delete_attribute(run: Interpreter, i: DeleteAttribute) -> None:
    base = run.value(i.base)
    if base.path is not None:
        effects.write(
            run, extend(base.path, f".{i.attribute}"), effects.GONE, i.at, is_removal=True, operation="del"
        )


def _delete_item(run: Interpreter, i: DeleteItem) -> None:
    base = run.value(i.base)
    if base.path is not None:
        path = extend(base.path, item_link(i.key))
        effects.write(run, path, effects.GONE, i.at, is_removal=True, is_mutation=True, operation="del")


def _delete_name(run: Interpreter, i: DeleteName) -> None:
    run.state.env.pop(i.name, None)


def _suspend(run: Interpreter, i: Suspend) -> None:
    source = run.value(i.source)
    if i.why is Why.YIELD:
        run.records.yields.append((i.at, run.state.holds, run.block.loops))
        if run.body.kind is Kind.ASYNC_GENERATOR:
            run.suspend(i.at, i.why)
        run.state.temps[i.result] = NOTHING
        return
    _note_released(run, i)
    if i.why is Why.ENTER:
        if effects.enter_suspends(run, source):
            run.suspend(i.at, i.why, i.callee)
        return
    if i.why is Why.AWAIT and effects.wait_for_primitive(run, source, i.at):
        run.state.temps[i.result] = NOTHING
        return
    if isinstance(source.what, Pending) and i.why is Why.AWAIT:
        run.state.temps[i.result] = effects.wait_for(run, source, i.at)
        return
    run.suspend(i.at, i.why, i.callee)
    # What the other side answers replaces what it was told: its answer is no copy of our state.
    run.state.temps[i.result] = Value(waits=source.waits | {i.at})


def _note_released(run: Interpreter, i: Suspend) -> None:
    """Record what was read under a lock, is given to what is awaited here, and is under no lock any more."""
    for value in map(run.value, i.given):
        if value.fresh:
            continue
        for token in in_order(value.tokens):
            if token.was_released(run.state.holds):
                run.records.uses.append(UseRecord(i.at, token))


def _enter(run: Interpreter, i: Enter) -> None:
    run.state.temps[i.result] = effects.enter(run, run.value(i.context), i)


def _exit(run: Interpreter, i: Exit) -> None:
    effects.leave(run, i)


def _step(run: Interpreter, i: Step) -> None:
    source = run.value(i.source)
    if source.path is not None and not source.fresh:
        path = extend(source.path, ANY_ITEM)
        if run.program.sharing.is_shared(run.unit, path):
            run.records.loops.append(LoopRecord(i.loop, i.at, source.path, run.state.holds))
        value = _at(run, path, i.at, source)
        # One element of the iteration: storing another entry does not change what was seen of this one.
        each = frozenset(_element(t) if t.path == path else t for t in value.tokens)
        value = value._replace(tokens=each)
        run.state.temps[i.result] = value._replace(tokens=value.tokens | source.tokens)
    else:
        what = source.what if isinstance(source.what, Pending) else None
        effects.walk_generators(run, what, i)
        element = combine([source], fresh=False)._replace(what=what)
        # Walking a copy is reading it out: its elements are no snapshot to act on.
        is_copy = source.what == Made(COPY)
        run.state.temps[i.result] = element._replace(fresh=True) if is_copy else element


def _keep(run: Interpreter, i: Keep) -> None:
    run.state.env[i.name] = run.value(i.source)


def _fetch(run: Interpreter, i: Fetch) -> None:
    run.state.temps[i.result] = run.state.env.get(i.name, NOTHING)


def _decide(run: Interpreter, i: Decide) -> None:
    tokens = run.value(i.source).tokens
    if tokens:
        run.state.decisions[i.branch] = run.state.decisions.get(i.branch, NO_TOKENS) | tokens


def _end_statement(run: Interpreter, i: EndStatement) -> None:
    run.state.temps.clear()


def _return(run: Interpreter, i: Return) -> None:
    if i.source is not None:
        state, what = run.state, run.value(i.source).what
        if isinstance(what, Pending) and run.body.kind is Kind.SYNC:
            run.records.calls.extend(CallRecord(i.at, call, state.holds, True) for call in what.calls)
        decided = frozenset().union(*state.decisions.values()) if state.decisions else NO_TOKENS
        run.records.returns.append((run.value(i.source), state.holds - run.entry, decided))


# What changes what a handler must know: staleness, holds and shared state.
_EFFECTS = (Suspend, Enter, Exit, StoreAttribute, StoreItem)

_TRANSFER: dict[type, Callable[[Interpreter, Any], None]] = {
    Literal: _literal,
    Combine: _combine,
    LoadName: _load_name,
    LoadAttribute: _load_attribute,
    LoadItem: _load_item,
    CallName: _call_name,
    CallMethod: _call_method,
    MakeFunction: _make_function,
    BindName: _bind_name,
    StoreAttribute: _store_attribute,
    StoreItem: _store_item,
    DeleteAttribute: _delete_attribute,
    DeleteItem: _delete_item,
    DeleteName: _delete_name,
    Suspend: _suspend,
    Enter: _enter,
    Exit: _exit,
    Step: _step,
    Keep: _keep,
    Fetch: _fetch,
    Decide: _decide,
    EndStatement: _end_statement,
    Return: _return,
}
