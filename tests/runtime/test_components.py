"""`turn` and `on_lane` on components, and copies of components that hold a lane."""

from __future__ import annotations

import asyncio
import copy
import inspect
import pickle
from unittest import mock

import pytest

from lane_runtime import LaneAffinityError, LaneMisuseError, LaneReentryError, StateLane, on_lane, turn

from .conftest import outcome


class Store:
    """A component as users write them."""

    def __init__(self) -> None:
        self._lane = StateLane("store", capacity=5)
        self.items: list[str] = []

    @turn
    def add(self, item: str, *, twice: bool = False) -> int:
        """Add one item."""
        self._add(item)
        if twice:
            self._add(item)
        return len(self.items)

    @turn
    async def add_slowly(self, item: str) -> int:
        await asyncio.sleep(0)
        await self._add_slowly(item)
        return len(self.items)

    @turn
    def each(self):
        yield from self.items

    @on_lane
    def _add(self, item: str) -> None:
        self.items.append(item)

    @on_lane
    async def _add_slowly(self, item: str) -> None:
        await asyncio.sleep(0)
        self.items.append(item)

    @turn
    async def add_through_the_front(self, item: str) -> None:
        await self.add(item)


def test_a_turn_method_is_one_turn_and_awaitable_for_plain_and_async_bodies(run):
    async def main():
        store = Store()
        assert await store.add("a") == 1
        assert await store.add("b", twice=True) == 3
        assert await store.add_slowly("c") == 4
        assert store._lane.stats().turns == 3

    run(main())


def test_an_on_lane_body_runs_inside_a_turn_only(run):
    async def main():
        store = Store()
        with pytest.raises(LaneAffinityError, match=r"Store\._add .*lane 'store'.*@turn"):
            store._add("a")
        with pytest.raises(LaneAffinityError, match=r"Store\._add_slowly .*lane 'store'"):
            await store._add_slowly("a")
        assert store.items == []
        await store._lane.run(store._add, "a")
        await store._lane.run(store._add_slowly, "b")
        assert store.items == ["a", "b"]

    run(main())


def test_errors_name_the_method(run):
    async def main():
        store = Store()
        with pytest.raises(LaneReentryError, match=r"Store\.add_through_the_front .*Store\.add "):
            await store.add_through_the_front("a")
        with pytest.raises(LaneMisuseError, match=r"Store\.each "):
            await store.each()

    run(main())


def test_a_component_without_a_lane_is_told_so(run):
    class Bare:
        @turn
        def read(self) -> int:
            return 1

    async def main():
        with pytest.raises(LaneMisuseError, match=r"Bare\.read .*self\._lane = StateLane\(\)"):
            await Bare().read()

    run(main())


def test_signature_name_and_documentation_are_kept():
    assert str(inspect.signature(Store.add)) == "(self, item: 'str', *, twice: 'bool' = False) -> 'int'"
    assert (Store.add.__name__, Store.add.__qualname__, Store.add.__doc__) == (
        "add", "Store.add", "Add one item.",
    )  # fmt: skip
    assert inspect.isfunction(Store.add)
    assert inspect.iscoroutinefunction(Store.add)
    assert inspect.iscoroutinefunction(Store._add_slowly)
    assert not inspect.iscoroutinefunction(Store._add)


def test_autospec_makes_awaitable_mocks(run):
    async def main():
        double = mock.create_autospec(Store, instance=True)
        double.add.return_value = 3
        assert await double.add("a", twice=True) == 3
        with pytest.raises(TypeError):
            double.add("a", thrice=True)

    run(main())


def test_methods_and_components_are_pickled_and_copied_with_a_fresh_lane(run):
    async def main():
        store = Store()
        await store.add("a")

        async def work():
            return [copy.deepcopy(store), pickle.loads(pickle.dumps(store))]

        for twin in await store._lane.run(work):
            assert twin._lane is not store._lane
            assert twin._lane.name == "store"
            assert not twin._lane.stats().active
            assert twin._lane.stats().turns == 0
            assert await twin.add("b") == 2
            twin.items.pop()
        assert pickle.loads(pickle.dumps(Store.add)) is Store.add
        assert await pickle.loads(pickle.dumps(store.add))("b") == 2

    run(main())


def test_a_shallow_copy_shares_the_lane_as_it_shares_the_state_behind_it():
    store = Store()
    twin = copy.copy(store)
    assert twin.items is store.items
    assert twin._lane is store._lane
    assert copy.copy(store._lane) is not store._lane


def test_a_deep_copy_takes_its_hooks_along():
    class Watched:
        def __init__(self) -> None:
            self.errors: list[BaseException] = []
            self._lane = StateLane(on_post_error=self.note)

        def note(self, error: BaseException) -> None:
            self.errors.append(error)

    original = Watched()
    twin = copy.deepcopy(original)
    asyncio.run(_fail_a_post(twin._lane))
    assert (len(original.errors), len(twin.errors)) == (0, 1)


async def _fail_a_post(lane: StateLane) -> None:
    lane.try_post(divmod, 1, 0)
    await lane.close()


def test_the_work_of_a_turn_method_may_fail(run):
    class Failing:
        def __init__(self) -> None:
            self._lane = StateLane()

        @turn
        def fail(self) -> None:
            raise KeyError("body")

    async def main():
        error = await outcome(Failing().fail())
        assert isinstance(error, KeyError)
        assert error.__context__ is None

    run(main())
