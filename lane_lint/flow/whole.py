"""What holds across all functions of a module; each is found when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.flow import callables, held, lock_order, pausing, pools
from lane_lint.flow.escapes import Escapes
from lane_lint.flow.owned import LaneState
from lane_lint.flow.semaphores import SemaphoreGuards

if TYPE_CHECKING:
    from lane_lint.flow.program import Program
    from lane_lint.flow.summary import Call
    from lane_lint.flow.unit import Unit


class WholeModule:
    """The answers for one program, when all its units are solved."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def has_eager_tasks(self) -> bool:
        """Whether some loop is given a task factory that starts tasks there and then."""
        if self._program.module.sets_eager_tasks:
            return True
        return any(self._program.result(unit).records.eager_factories for unit in self._program.units)

    @cached_property
    def held_on_entry(self) -> dict[Unit, dict[held.LockName, held.Holder]]:
        """For each function, the locks that some caller of it holds."""
        return held.find_held_on_entry(self._program, self._program.units)

    @cached_property
    def lock_inversions(self) -> dict[lock_order.Nesting, lock_order.Nesting]:
        """Acquisitions under another lock -> one of the same two locks in the opposite order."""
        return lock_order.find_inversions(lock_order.find_nestings(self._program, self._program.units))

    @cached_property
    def held_over_suspensions(self) -> dict[held.LockName, set[Unit]]:
        """Thread locks -> the coroutines that suspend while they hold them."""
        return pausing.find_held_over_suspensions(self._program, self._program.units)

    @cached_property
    def pool_jobs(self) -> dict[Unit, dict[pools.PoolName, pools.PoolJob]]:
        """Every function that runs on an executor, with the names of the executor there."""
        return pools.find_jobs(self._program, self._program.units)

    @cached_property
    def semaphore_guards(self) -> SemaphoreGuards:
        """What is touched under semaphores."""
        return SemaphoreGuards(self._program)

    @cached_property
    def escapes(self) -> Escapes:
        """What turns let out as it is."""
        return Escapes(self._program)

    @cached_property
    def lane_state(self) -> LaneState:
        """What turns of lanes own, and which functions run on lanes only."""
        return LaneState(self._program)

    @cached_property
    def callers(self) -> dict[Unit, list[tuple[Unit, Call]]]:
        """Function -> its calls in this module, with who makes them."""
        return callables.find_callers(self._program, self._program.units)
