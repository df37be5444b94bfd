"""One run of a scenario under one schedule."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from lane_runtime.testing._frozen import frozen
from lane_runtime.testing._loop import ExplorationLoop
from lane_runtime.testing._options import Option, options_of
from lane_runtime.testing._outcome import Outcome
from lane_runtime.testing._places import waiting_lines
from lane_runtime.testing._world import World
from lane_runtime.testing.errors import ExplorationError

Scenario: TypeAlias = Callable[[World], Any]

CYCLES_TO_END: Final = 50


class DuplicateError(Exception):
    """The run has come to a point from which everything is known."""


class Chooser(Protocol):
    """Decides what happens next."""

    def choose(self, options: list[Option], state: Callable[[], object]) -> int:
        """The number of the option to take; 0 is what happens when nobody interferes.

        Args:
            state: Gives what tells this point from others with the same future.
        """


class Watcher(Protocol):
    """Looks on while a run goes, from entering to leaving it as a context."""

    def note(self, label: str) -> None:
        """An entry of the schedule is about to happen."""

    def __enter__(self) -> object: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class Happening(NamedTuple):
    """One entry of a schedule.

    Attributes:
        label: What happened.
        cycles: Cycles of the loop since the entry before, when something was still ready; else None.
    """

    label: str
    cycles: int | None


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished run.

    Attributes:
        failure: The error of the scenario itself, not of a call.
        state: Hashable; equal for runs whose tasks took the same steps.
    """

    outcome: Outcome
    schedule: tuple[Happening, ...]
    failure: BaseException | None
    state: object


class Run:
    """A scenario, a loop, and what has happened so far."""

    def __init__(
        self,
        scenario: Scenario,
        chooser: Chooser,
        *,
        is_serial: bool = False,
        max_steps: int = 10_000,
        watcher: Watcher | None = None,
    ) -> None:
        if asyncio._get_running_loop() is not None:
            raise ExplorationError(
                "an exploration runs its own event loops and was started inside a running one; "
                "call it from a plain function, not from a coroutine"
            )
        self._scenario = scenario
        self._chooser = chooser
        self._is_serial = is_serial
        self._max_steps = max_steps
        self._watcher = watcher
        self._loop = ExplorationLoop()
        self._world = World(self._loop)
        self._task: asyncio.Future[Any] | None = None
        self._returned: Any = None
        self._failure: BaseException | None = None
        self._has_overlap = self._is_endless = False
        self._schedule: list[Happening] = []
        self._cycles = self._cycles_since = 0
        self._happened = 0

    def run(self) -> Ran:
        """Run to the end.

        Raises:
            DuplicateError: The chooser knows the rest.
            ExplorationError: The scenario did what cannot be explored.
        """
        loop = self._loop
        try:
            loop.before_cycle = self._before_cycle
            loop.call_soon(self._begin)
            with self._watcher or contextlib.nullcontext():
                copy_context().run(loop.run_forever)
            if loop.refused:
                raise loop.refused[0]
            return Ran(self._outcome(), tuple(self._schedule), self._failure, self._state())
        finally:
            self._clear_away()

    def _begin(self) -> None:
        try:
            returned = self._scenario(self._world)
        except Exception as error:
            self._failure = error
            return
        if isinstance(returned, Awaitable):
            self._task = self._loop.create_task(_await(returned), name="scenario")
        else:
            self._returned = returned

    def _before_cycle(self) -> None:
        self._cycles += 1
        if self._cycles > self._max_steps:
            self._is_endless = True
            self._loop.stop()
            return
        while True:
            options = options_of(
                self._world, is_serial=self._is_serial, is_scenario_active=self._is_scenario_active
            )
            if not options or self._loop.refused or self._failure is not None:
                self._loop.stop()
                return
            option = options[self._chooser.choose(options, self._state)]
            if option.act is None:
                self._cycles_since += 1
                return
            self._let_happen(option)

    def _let_happen(self, option: Option) -> None:
        label, act = option.label, option.act
        assert act is not None
        has_ready = self._loop.has_ready
        self._schedule.append(Happening(label, self._cycles_since if has_ready else None))
        self._cycles_since = 0
        self._happened ^= hash(label)
        if option.starts_call and (self._world.active_calls() or self._world.open_operations()):
            self._has_overlap = True
        if self._watcher is not None:
            self._watcher.note(label)
        act()

    @property
    def _is_scenario_active(self) -> bool:
        return self._task is not None and not self._task.done()

    def _state(self) -> object:
        return self._loop.position(), self._happened

    def _outcome(self) -> Outcome:
        world = self._world
        stuck: tuple[str, ...] = ()
        if self._failure is None and (self._is_scenario_active or bool(world.active_calls())):
            stuck = waiting_lines(self._loop, is_endless=self._is_endless)
        errors = self._unseen_errors()
        if self._task is not None and self._task.done() and self._failure is None:
            self._failure = None if self._task.cancelled() else self._task.exception()
            if self._failure is None and not self._task.cancelled():
                self._returned = self._task.result()
        state = self._returned
        if self._failure is None and callable(state):
            try:
                state = state()
            except Exception as error:
                self._failure = error
        return Outcome(
            calls=tuple(call.outcome() for call in world.calls),
            state=frozen(state) if self._failure is None else None,
            errors=errors,
            stuck=stuck,
            effects=tuple(operation.effect() for operation in world.operations),
            is_serial=not self._has_overlap,
        )

    def _unseen_errors(self) -> tuple[str, ...]:
        own = {self._task, *(call.task for call in self._world.calls)}
        found = []
        for task in self._loop.tasks:
            if task not in own and task.done() and not task.cancelled() and task._log_traceback:
                found.append(f"{task.get_name()}: {task.exception()!r}")
        for context in self._loop.unseen:
            found.append(f"{context.get('message')}: {context.get('exception')!r}")
        return tuple(found)

    def _clear_away(self) -> None:
        """Cancel what is left, let it end, close the loop."""
        loop = self._loop
        loop.set_exception_handler(lambda *_: None)
        left = list(asyncio.all_tasks(loop))
        if left or loop.has_ready:
            cycles = 0

            def stop_when_idle() -> None:
                nonlocal cycles
                cycles += 1
                if not loop.has_ready or cycles > CYCLES_TO_END:
                    loop.stop()

            loop.before_cycle = stop_when_idle
            for task in left:
                task.cancel()
            with contextlib.suppress(Exception):
                loop.run_forever()
        for task in (*left, *loop.tasks):
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]  # not in the stubs
            elif not task.cancelled():
                task.exception()
        loop.close()


async def _await(returned: Awaitable[Any]) -> Any:
    return await returned
