"""A coroutine turn begins in place, in a task of its own, and meets there all that a task meets."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import types

import pytest

from lane_runtime import StateLane

from .conftest import outcome, settle, until

pytestmark = pytest.mark.timeout(20)


class Scene:
    """A body in its first suspension, and what may happen to it before its task's own first step."""

    def __init__(self) -> None:
        self.task: asyncio.Task[object] | None = None
        self.future = asyncio.get_running_loop().create_future()
        self.log: list[object] = []

    def enter(self) -> None:
        self.task = asyncio.current_task()
        self.log.append("begun")

    def note(self, error: BaseException) -> None:
        self.log.append((type(error).__name__, *map(str, error.args)))


async def wait_for_the_future(scene: Scene) -> object:
    scene.enter()
    try:
        return await scene.future
    except BaseException as error:
        scene.note(error)
        raise


async def wait_again_when_cancelled(scene: Scene) -> str:
    scene.enter()
    for _ in range(2):
        try:
            await scene.future
        except asyncio.CancelledError as error:
            scene.note(error)
            scene.log.append(scene.task.uncancel())
            scene.future = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(scene.future.set_result, None)
    await asyncio.sleep(0)
    return "went on"


async def give_way(scene: Scene) -> str:
    scene.enter()
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError as error:
        scene.note(error)
        await asyncio.sleep(0)
        scene.log.append(scene.task.cancelling())
        raise
    await asyncio.sleep(0)
    return "gave way"


async def wait_behind_a_shield(scene: Scene) -> object:
    scene.enter()
    try:
        return await asyncio.shield(scene.future)
    finally:
        scene.log.append(scene.future.cancelled())


async def wait_with_a_time_out(scene: Scene) -> object:
    scene.enter()
    try:
        async with asyncio.timeout(0):
            return await scene.future
    except TimeoutError:
        return "timed out"


async def group_tasks(scene: Scene) -> object:
    scene.enter()
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0))
            group.create_task(outcome(scene.future))
    except BaseException as error:
        scene.note(error)
        raise
    return "grouped"


@types.coroutine
def yield_nonsense(scene: Scene):
    scene.enter()
    yield 7


async def await_nonsense(scene: Scene) -> None:
    await yield_nonsense(scene)


async def cancel_itself(scene: Scene) -> object:
    scene.enter()
    scene.task.cancel("by itself")
    return await wait_for_the_future(scene)


BODIES = [
    wait_for_the_future, wait_again_when_cancelled, give_way, wait_behind_a_shield,
    wait_with_a_time_out, group_tasks, await_nonsense, cancel_itself,
]  # fmt: skip


def nothing(scene: Scene) -> None: ...


def resolve(scene: Scene) -> None:
    if not scene.future.done():
        scene.future.set_result("value")


def fail(scene: Scene) -> None:
    if not scene.future.done():
        scene.future.set_exception(ValueError("failed"))
        scene.future.exception()  # seen, whether the body looks or not


def cancel(scene: Scene) -> None:
    if not scene.task.cancelling():
        scene.task.cancel("from outside")


def cancel_the_future(scene: Scene) -> None:
    if not scene.task.cancelling():
        scene.future.cancel("the future")


def resolve_and_cancel(scene: Scene) -> None:
    resolve(scene)
    cancel(scene)


def fail_and_cancel(scene: Scene) -> None:
    fail(scene)
    cancel(scene)


def await_it_elsewhere(scene: Scene) -> None:
    scene.elsewhere = asyncio.ensure_future(outcome(wait_for(scene.future)))


async def wait_for(future: asyncio.Future[object]) -> object:
    return await future


EVENTS = [
    nothing, resolve, fail, cancel, cancel_the_future, resolve_and_cancel, fail_and_cancel, await_it_elsewhere,
]  # fmt: skip


async def seen_of(scene: Scene, pending: asyncio.Task[object]) -> list[object]:
    await settle()
    if not scene.future.done():
        scene.future.set_result("late")
    result = await outcome(pending)
    if isinstance(result, BaseException):
        return [*scene.log, type(result), *map(str, result.args)]
    return [*scene.log, result]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_what_happens_after_the_first_step_is_met_as_in_a_task(run, body, event):
    async def main():
        reference = Scene()
        task = asyncio.create_task(body(reference))
        await asyncio.sleep(0)
        event(reference)
        expected = await seen_of(reference, task)

        scene = Scene()
        lane = StateLane()
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, event, scene)  # after the step taken in place, before the task's own
        caller = asyncio.create_task(lane.run(body, scene))
        assert await seen_of(scene, caller) == expected
        assert not lane.stats().active

    run(main())


def test_the_first_step_and_all_others_are_taken_in_one_task_and_one_context(run):
    async def main():
        variable = contextvars.ContextVar("variable", default="outside")
        seen: list[object] = []

        async def work():
            seen.append(asyncio.current_task())
            variable.set("inside")
            await asyncio.sleep(0)
            seen.append(asyncio.current_task())
            assert variable.get() == "inside"

        await StateLane().run(work)
        assert seen[0] is seen[1]
        assert seen[0] is not asyncio.current_task()
        assert variable.get() == "outside"

    run(main())


def test_turns_of_several_lanes_begin_in_place_inside_each_other(run):
    async def main():
        lanes = [StateLane(f"lane {i}") for i in range(3)]
        tasks = [asyncio.current_task()]

        async def enter(depth: int) -> str:
            tasks.append(asyncio.current_task())
            if depth == len(lanes):
                await asyncio.sleep(0)
                return StateLane.current().name
            name = await lanes[depth].run(enter, depth + 1)
            assert asyncio.current_task() is tasks[depth + 1]
            return name

        assert await enter(0) == "lane 2"
        assert asyncio.current_task() is tasks[0]
        assert len(set(tasks)) == 4

    run(main())


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_in_the_first_step_ends_the_turn(loop_factory, end):
    lane = StateLane()

    async def work():
        raise end

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        with pytest.raises(end):
            runner.run(lane.run(work))
        assert runner.run(lane.run(lambda: "free")) == "free"


def test_a_loop_closed_after_the_first_step_closes_the_body(loop_factory):
    lane = StateLane()
    closed: list[str] = []

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            closed.append("closed")

    loop = loop_factory()
    loop.set_exception_handler(lambda loop, context: None)  # tasks are destroyed while they wait
    caller = loop.create_task(lane.run(work))
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert lane.stats().active
    loop.close()
    del caller
    assert lane.run_blocking(lambda: "free", timeout=10) == "free"  # the lane is taken over
    gc.collect()
    assert closed == ["closed"]


def test_a_turn_that_has_ended_in_place_leaves_no_task_behind(run):
    async def main():
        async def work() -> str:
            return "done"

        lane = StateLane()
        assert await lane.run(work) == "done"
        await until(lambda: asyncio.all_tasks() == {asyncio.current_task()}, steps=2)

    run(main())
