"""Builds the graph of one function: blocks, edges, loops, and the ways out through `finally` and `with`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lane_lint.model.graph import Block, Branch, FunctionBody, Loop
from lane_lint.model.instructions import EndFunction, operands_of

if TYPE_CHECKING:
    from lane_lint.model.graph import Site
    from lane_lint.model.instructions import Instruction, Temp


@dataclass(slots=True)
class Frame:
    """Something that a `return`, `break` or `continue` passes on its way out.

    Attributes:
        cleanup: Lowers what runs on the way out; None for a loop.
        copies: The cleanup's entry block for each kind of exit, so that each is lowered once.
    """

    cleanup: Callable[[], None] | None
    handlers: tuple[int, ...]
    loop: int | None = None
    on_break: int | None = None
    on_continue: int | None = None
    copies: dict[str, int] = field(default_factory=dict)


class GraphBuilder:
    """The current block, and where control can go from here."""

    def __init__(self, body: FunctionBody) -> None:
        self.body = body
        self.handlers: tuple[int, ...] = ()
        self.loops: tuple[int, ...] = ()
        self.frames: list[Frame] = []
        self.next_branch = 0
        self.broken_out: set[int] = set()
        self._next_temp = 0
        self._next_name = 0
        self._made_in: dict[Temp, int] = {}
        self._reached: set[int] = {0}
        self.current = self.new_block()

    # Values and places

    def temp(self) -> Temp:
        self._next_temp += 1
        self._made_in[self._next_temp] = self.current.index
        return self._next_temp

    def hidden_name(self) -> str:
        """A variable name that no user can write."""
        self._next_name += 1
        return f"%{self._next_name}"

    def place(self, node: Site) -> int:
        self.body.places.append(node)
        return len(self.body.places) - 1

    def emit(self, instruction: Instruction) -> None:
        here = self.current.index
        self.body.crossing.update(t for t in operands_of(instruction) if self._made_in[t] != here)
        self.current.instructions.append(instruction)

    # Blocks and edges

    @property
    def is_live(self) -> bool:
        """Whether control can reach the current block."""
        return self.current.index in self._reached

    def new_block(self) -> Block:
        block = Block(len(self.body.blocks), handlers=self.handlers, loops=self.loops)
        self.body.blocks.append(block)
        return block

    def start(self, block: Block) -> None:
        """Go on in `block`, with the handlers and loops that hold here."""
        block.handlers, block.loops = self.handlers, self.loops
        self.current = block

    def link(self, source: Block, target: int) -> None:
        if source.index in self._reached:
            source.successors.append(target)
            self._reached.add(target)

    def goto(self, target: Block) -> None:
        self.link(self.current, target.index)

    def branch(
        self,
        test: Temp,
        on_true: Block,
        on_false: Block,
        at: int,
        present_when: bool | None = None,
        *,
        was_made_before: bool = False,
    ) -> None:
        self.current.branch = Branch(self.new_branch_key(), test, at, present_when, was_made_before)
        self.goto(on_true)
        self.goto(on_false)

    def new_branch_key(self) -> int:
        self.next_branch += 1
        return self.next_branch

    def leave(self) -> None:
        """What follows cannot be reached from here."""
        self.current = self.new_block()

    def escape(self, *, only_cancelled: bool) -> int:
        """A block that stands for leaving the function by an exception, perhaps by a cancellation only."""
        block = self.new_block()
        block.handlers = ()
        if only_cancelled:
            self.body.cancelled.add(block.index)
        return block.index

    def pass_on(self, escape: int) -> None:
        """Lead an escape on to the handlers that hold here; they are those around its `try`."""
        if escape in self.body.cancelled:
            for handler in self.handlers:
                self.link(self.body.blocks[escape], handler)

    def reach_handlers(self, blocks: Iterable[int]) -> None:
        """Any instruction may raise, so a handler is reached as soon as its body is."""
        if self.is_live:
            self._reached.update(blocks)

    # Ways out

    def exit_function(self) -> None:
        """Run every cleanup around here, then end the function."""
        self._run_cleanups("return", None)

    def exit_loop(self, kind: str) -> None:
        """Run the cleanups between here and the innermost loop, then go to its end or its next pass."""
        loop = next((frame for frame in reversed(self.frames) if frame.loop is not None), None)
        if loop is not None:
            self._run_cleanups(f"{kind} {loop.loop}", loop)

    def _run_cleanups(self, kind: str, until: Frame | None) -> None:
        frames = self.frames
        for depth in range(len(frames) - 1, -1, -1):
            frame = frames[depth]
            if frame is until:
                target = frame.on_break if kind.startswith("break") else frame.on_continue
                if target is not None:
                    self.link(self.current, target)
                break
            if frame.cleanup is None:
                continue
            if kind in frame.copies:
                self.link(self.current, frame.copies[kind])
                break
            self._lower_cleanup(frame, kind, frames[:depth])
        else:
            if until is None:
                self.emit(EndFunction())
        self.frames = frames
        self.leave()

    def _lower_cleanup(self, frame: Frame, kind: str, outer: list[Frame]) -> None:
        entry = self.new_block()
        frame.copies[kind] = entry.index
        self.goto(entry)
        self.frames = outer
        handlers, self.handlers = self.handlers, frame.handlers
        self.start(entry)
        if frame.cleanup is not None:
            frame.cleanup()
        self.handlers = handlers

    @contextmanager
    def frame(self, frame: Frame) -> Iterator[None]:
        self.frames = [*self.frames, frame]
        try:
            yield
        finally:
            self.frames = self.frames[:-1]

    @contextmanager
    def guarded_by(self, handlers: tuple[int, ...]) -> Iterator[None]:
        """Inside, anything that raises goes to `handlers`; what comes after needs a new block."""
        outer, self.handlers = self.handlers, handlers
        entry = self.new_block()
        self.goto(entry)
        self.start(entry)
        self.reach_handlers(handlers)
        try:
            yield
        finally:
            self.handlers = outer

    @contextmanager
    def inside_loop(self, header: Block, after: Block, node: Site, *, is_for: bool) -> Iterator[int]:
        """Lower a loop's header and body; the header's back edges are the body's business.

        Yields:
            The loop's key.
        """
        key = len(self.body.loops)
        self.body.loops[key] = Loop(key, header.index, self.place(node))
        first_branch = self.next_branch
        header.is_loop_header = True
        self.goto(header)
        outer_loops, self.loops = self.loops, (*self.loops, key)
        self.start(header)
        frame = Frame(None, self.handlers, key, on_break=after.index, on_continue=header.index)
        with self.frame(frame):
            yield key
        self.goto(header)
        self.loops = outer_loops
        inside = set(range(first_branch + 1, self.next_branch + 1))
        header.joins |= inside
        after.joins |= inside if is_for else inside - self.broken_out
