"""What rules ask: the facts of one function, with positions and names an author knows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from lane_lint.file_kind import is_test_file
from lane_lint.finding import Confidence
from lane_lint.flow import (
    compounds,
    escapes,
    evidence,
    gates,
    guards,
    lane_waits,
    lock_order,
    lock_reentry,
    loops,
    notifying,
    overrides,
    owned,
    pausing,
    pools,
    posts,
    registries,
    resets,
    semaphores,
    stale,
    together,
    turn_acts,
    turn_waits,
)
from lane_lint.flow.solved import Place, SolvedFunction

if TYPE_CHECKING:
    from lane_lint.flow.values import Hold
    from lane_lint.model.path import Path


class FunctionFacts(SolvedFunction):
    """The questions that rules ask of one function."""

    @cached_property
    def is_construction(self) -> bool:
        """Whether it runs only before the object is handed out."""
        return self.program.sharing.is_construction(self.unit.outline)

    @property
    def is_in_test(self) -> bool:
        """Whether it is part of a test, where what is left waiting is nobody's concern."""
        return is_test_file(self.file)

    @property
    def runs_in_turn(self) -> bool:
        """Whether a turn of a lane protects everything it does, at least where it is called from one."""
        return self.unit in self.program.in_turns

    @cached_property
    def evidence(self) -> evidence.Evidence:
        return evidence.Evidence(self)

    def confidence_off_lane(self) -> Confidence:
        """How sure an access past a lane is a defect: tests and texts for debugging look while nothing runs."""
        is_look = is_test_file(self.file) or self.unit.name in ("__repr__", "__str__", "__del__")
        return Confidence.LOW if is_look else Confidence.HIGH

    def confidence_in(self, path: Path) -> Confidence:
        """How sure a complete shape on the path is."""
        return self.evidence.confidence(path)

    def confidence_of_loop(self, loop: loops.SharedLoop) -> Confidence:
        """How sure it is that a loop is disturbed; one over a list that only grows is not."""
        return Confidence.LOW if loop.only_grows else self.confidence_in(loop.path)

    def confidence_of_bypass(self, write: guards.UnguardedWrite) -> Confidence:
        """How sure a write past a lock is: a lock shows by itself that several tasks come by."""
        return Confidence.LOW if self.evidence.is_test_code or write.is_of_holder else Confidence.HIGH

    def confidence_of_reset(self, reset: resets.StaleReset) -> Confidence:
        """How sure a reset without a test is; an event's setter is elsewhere by its nature."""
        return Confidence.MEDIUM if reset.is_event else self.confidence_in(reset.path)

    def confidence_of(self, act: stale.StaleAct) -> Confidence:
        """How sure an act on a stale read is."""
        return self.evidence.confidence_of_act(act)

    # Questions, answered by the modules that are named after them

    def stale_acts(self) -> Iterator[stale.StaleAct]:
        """Writes that depend on a read gone stale, and stale values given to what is awaited.

        Like every question here that ends in a confidence, it leaves out what is not to be shown,
        before anybody asks for positions, which are dear.
        """
        return iter(self._shown_acts)

    @cached_property
    def _shown_acts(self) -> list[stale.StaleAct]:
        # Several rules ask, each for its own shapes.
        return [act for act in stale.stale_acts(self) if self.confidence_of(act) >= self.minimum]

    def suspensions_under_thread_locks(self) -> Iterator[tuple[Place, Hold]]:
        """The first suspension under each hold of a blocking lock."""
        return guards.suspensions_under_thread_locks(self)

    def loops_over_shared_state(self) -> Iterator[loops.SharedLoop]:
        found = loops.loops_over_shared_state(self)
        return (loop for loop in found if self.confidence_of_loop(loop) >= self.minimum)

    def unguarded_writes(self) -> Iterator[guards.UnguardedWrite]:
        """Writes, without its lock, of state that a lock guards across a suspension elsewhere."""
        found = guards.unguarded_writes(self)
        return (write for write in found if self.confidence_of_bypass(write) >= self.minimum)

    def refills(self) -> Iterator[resets.Refill]:
        """Collections that are emptied and then filled over suspensions."""
        return (r for r in resets.refills(self) if self.confidence_in(r.path) >= self.minimum)

    def lock_evictions(self) -> Iterator[registries.Eviction]:
        """Removals of locks from the registry that hands them out."""
        return registries.lock_evictions(self)

    def stale_resets(self) -> Iterator[resets.StaleReset]:
        """Resets, after a suspension, of what others may have set anew; decided acts apart."""
        return (r for r in resets.stale_resets(self) if self.confidence_of_reset(r) >= self.minimum)

    def unreturned_gates(self) -> Iterator[gates.UnreturnedGate]:
        """Locks that are taken by a call and left taken on some way out."""
        return gates.unreturned_gates(self)

    def lock_reentries(self) -> Iterator[lock_reentry.Reentry]:
        """Calls under a lock that take the same lock again."""
        return lock_reentry.lock_reentries(self)

    def lane_waits(self) -> Iterator[lane_waits.LaneWait]:
        """Places in a turn that wait for turns, of the same lane or of another."""
        return lane_waits.lane_waits(self)

    def callbacks_under_lock(self) -> Iterator[notifying.CallbackUnderLock]:
        """Listeners, hooks and handlers that are called while a lock is held."""
        return notifying.callbacks_under_lock(self)

    def blocking_waits(self) -> Iterator[pausing.BlockingWait]:
        """Calls of a coroutine that block the event loop, directly or in a plain function."""
        return pausing.blocking_waits(self)

    def same_pool_waits(self) -> Iterator[pools.SamePoolWait]:
        """Waits of an executor's work for other work of the same executor."""
        return pools.same_pool_waits(self)

    def lock_order_inversions(self) -> Iterator[lock_order.Inversion]:
        """Inner acquisitions of two locks that another way takes in the opposite order."""
        return lock_order.lock_order_inversions(self)

    def starts_in_turn(self) -> Iterator[turn_acts.StartInTurn]:
        """Tasks, timers and threads that a turn starts with its mark on them."""
        return turn_acts.starts_in_turn(self)

    def eager_starts_in_turn(self) -> Iterator[turn_acts.StartInTurn]:
        """Tasks whose beginning runs in the turn although the turn's mark is hidden from them."""
        return turn_acts.eager_starts_in_turn(self)

    def outside_waits_in_turn(self) -> Iterator[turn_waits.WaitInTurn]:
        """Places where a turn waits for somebody outside of the component."""
        return turn_waits.outside_waits(self)

    def gates_in_turn(self) -> Iterator[turn_waits.WaitInTurn]:
        """Locks, semaphores and other gates that a turn acquires."""
        return turn_waits.gates_in_turn(self)

    def completions_in_turn(self) -> Iterator[turn_acts.CompletionInTurn]:
        """Futures with inline callbacks that a turn completes or cancels."""
        return turn_acts.completions_in_turn(self)

    def early_promises(self) -> Iterator[posts.EarlyPromise]:
        """Posts of work that is promised to be done on return."""
        return posts.early_promises(self)

    def dropped_answers(self) -> Iterator[posts.DroppedAnswer]:
        """Posts whose answer nobody looks at."""
        return posts.dropped_answers(self)

    def callbacks_in_turn(self) -> Iterator[turn_acts.CallbackInTurn]:
        """Stored or passed callables that a turn calls."""
        return turn_acts.callbacks_in_turn(self)

    def touches_off_lane(self) -> Iterator[owned.OffLane]:
        """Accesses, outside of every turn, of state that turns own."""
        return owned.touches_off_lane(self)

    def dropped_turns(self) -> Iterator[overrides.DroppedTurn]:
        """The turn that this override of a turn leaves out, if it does."""
        dropped = overrides.dropped_turn(self)
        return iter(() if dropped is None else (dropped,))

    def escapes_from_turn(self) -> Iterator[escapes.Escape]:
        """Owned state that this function lets out of its turn as it is."""
        return (found for found in escapes.escapes(self) if found.confidence >= self.minimum)

    def guarding_semaphores(self) -> Iterator[semaphores.GuardingSemaphore]:
        """Acquisitions of semaphores that guard several fields."""
        return (found for found in semaphores.guarding_semaphores(self) if found.confidence >= self.minimum)

    def compounds(self) -> Iterator[compounds.Compound]:
        """Changes of concurrent collections that rest on an earlier look at them."""
        return (found for found in compounds.compounds(self) if found.confidence >= self.minimum)

    def torn_changes(self) -> Iterator[together.TornChange]:
        """Changes of a second collection that nothing keeps together with the change of a first."""
        return (found for found in together.torn_changes(self) if found.confidence >= self.minimum)
