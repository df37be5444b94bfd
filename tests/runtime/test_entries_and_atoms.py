"""The helpers for state of class C1 and C3."""

from __future__ import annotations

import threading

import pytest

from lane_runtime import AtomicCounter, AtomicFlag, AtomicReference, ConcurrentMap, LaneMisuseError

pytestmark = pytest.mark.timeout(20)


def together(count: int, function) -> list[object]:
    """Call `function(i)` in `count` threads that start at the same moment."""
    barrier = threading.Barrier(count)
    results: list[object] = []

    def call(i: int) -> None:
        barrier.wait()
        results.append(function(i))

    threads = [threading.Thread(target=call, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_a_map_behaves_as_a_mapping():
    entries: ConcurrentMap[str, int] = ConcurrentMap()
    entries.set("a", 1)
    entries["b"] = 2
    assert (entries.get("a"), entries["b"], entries.get("c"), entries.get("c", 7)) == (1, 2, None, 7)
    assert ("a" in entries, "c" in entries, len(entries)) == (True, False, 2)
    assert (entries.keys(), entries.values(), entries.items()) == (["a", "b"], [1, 2], [("a", 1), ("b", 2)])
    assert repr(entries) == "ConcurrentMap({'a': 1, 'b': 2})"
    assert entries.pop("a") == 1
    assert entries.pop("a", 9) == 9
    for missing in (entries.pop, entries.__getitem__, entries.__delitem__):
        with pytest.raises(KeyError):
            missing("a")
    del entries["b"]
    assert list(entries) == []


def test_iteration_is_over_the_keys_of_one_moment():
    entries: ConcurrentMap[int, int] = ConcurrentMap()
    for i in range(3):
        entries.set(i, i)
    seen = []
    for key in entries:
        entries.pop(key)
        entries.set(key + 10, 0)
        seen.append(key)
    assert seen == [0, 1, 2]


def test_add_if_absent_is_true_for_one_caller():
    for _ in range(20):
        entries: ConcurrentMap[str, int] = ConcurrentMap()
        results = together(4, lambda i, entries=entries: entries.add_if_absent("key", i))
        assert sorted(results) == [False, False, False, True]


def test_pop_gives_the_value_to_one_caller():
    entries: ConcurrentMap[str, int] = ConcurrentMap()
    entries.set("key", 1)
    assert sorted(together(4, lambda i: entries.pop("key", 0))) == [0, 0, 0, 1]


def test_compare_and_set_takes_the_same_or_an_equal_value():
    entries: ConcurrentMap[str, float] = ConcurrentMap()
    nan = float("nan")
    entries.set("a", 1.0)
    assert entries.compare_and_set("a", 1, nan)
    assert not entries.compare_and_set("a", 1.0, 2.0)
    assert entries.compare_and_set("a", nan, 3.0)
    assert not entries.compare_and_set("b", None, 1.0)
    assert entries.items() == [("a", 3.0)]


def test_the_factory_is_called_once_for_the_value_that_stays():
    entries: ConcurrentMap[str, object] = ConcurrentMap()
    made = AtomicCounter()

    def make() -> object:
        made.increment()
        return object()

    values = together(8, lambda i: entries.get_or_add("key", make))
    assert made.value == 1
    assert set(map(id, values)) == {id(entries["key"])}


def test_a_failed_factory_lets_the_next_one_try():
    entries: ConcurrentMap[str, int] = ConcurrentMap()
    with pytest.raises(ZeroDivisionError):
        entries.get_or_add("key", lambda: 1 // 0)
    assert entries.get_or_add("key", lambda: 2) == 2


def test_a_factory_may_use_the_map_but_not_ask_for_its_own_key():
    entries: ConcurrentMap[str, int] = ConcurrentMap()
    assert entries.get_or_add("a", lambda: entries.get_or_add("b", lambda: 1) + 1) == 2
    with pytest.raises(LaneMisuseError, match="'c'"):
        entries.get_or_add("c", lambda: entries.get_or_add("c", lambda: 1))
    assert entries.get_or_add("d", lambda: entries.set("d", 5) or 6) == 5  # what was set meanwhile stays


def test_no_addition_is_lost():
    counter = AtomicCounter(5)

    def add(i: int) -> None:
        for _ in range(2000):
            counter.increment()
            counter.add(-2)

    together(4, add)
    assert counter.value == 5 - 8000
    assert counter.add(10) == counter.value
    assert repr(AtomicCounter(3)) == "AtomicCounter(3)"


def test_a_flag_is_raised_by_one_caller():
    flag = AtomicFlag()
    assert sorted(together(4, lambda i: flag.set())) == [False, False, False, True]
    assert flag.is_set()
    assert repr(flag) == "<AtomicFlag set>"
    assert sorted(together(4, lambda i: flag.clear())) == [False, False, False, True]
    assert not flag.is_set()


def test_a_reference_is_replaced_in_one_step():
    reference = AtomicReference("a")
    assert reference.set("b") == "a"
    assert not reference.compare_and_set("a", "c")
    assert reference.compare_and_set("b", "c")
    assert reference.get() == "c"
    assert repr(reference) == "AtomicReference('c')"
    count = AtomicReference(0)

    def add(i: int) -> None:
        for _ in range(500):
            while not count.compare_and_set(seen := count.get(), seen + 1):
                pass

    together(4, add)
    assert count.get() == 2000
