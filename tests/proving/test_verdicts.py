"""Each verdict on the smallest component that deserves it, and none on its mended twin."""

from __future__ import annotations

from collections.abc import Callable

from lane_runtime.testing.proof import Maker, Verdict

Proved = Callable[..., Verdict]

LOST = """
    class Meter:
        def __init__(self, port):
            self.port = port
            self.total = 0

        async def poll(self):
            self.total += await self.port.read()  # here
"""


def test_a_lost_update(proved: Proved) -> None:
    verdict = proved(LOST)
    assert verdict.kind == "lost update"
    assert verdict.convicts
    assert verdict.schedule == "a starts; b starts; port.read#1 ends; port.read#2 ends"
    assert any("self.total += await self.port.read()" in line for line in verdict.trace)
    assert "if these two calls may overlap: a is Meter.poll, b is Meter.poll" in str(verdict)


def test_reading_after_the_wait_is_right(proved: Proved) -> None:
    mended = LOST.replace(
        "self.total += await self.port.read()", "self.total = await self.port.read() + self.total"
    )
    assert proved(mended).kind == "not convicted"


DOUBLE = """
    class Notebook:
        def __init__(self, client):
            self._client = client
            self._thread = None

        async def thread(self):
            if self._thread is None:
                self._thread = await self._client.create()  # here
            return self._thread
"""


def test_a_double_effect(proved: Proved) -> None:
    verdict = proved(DOUBLE)
    assert verdict.kind == "double effect"
    assert "'client.create'" in verdict.words


def test_joining_the_running_request_is_right(proved: Proved) -> None:
    verdict = proved("""
        import asyncio

        class Notebook:
            def __init__(self, client):
                self._client = client
                self._thread = None

            async def thread(self):
                if self._thread is None:
                    self._thread = asyncio.ensure_future(self._client.create())  # here
                return await asyncio.shield(self._thread)
    """)
    assert verdict.kind == "not convicted"


def test_a_surplus_that_is_closed_again_is_right(proved: Proved) -> None:
    verdict = proved("""
        class Pool:
            def __init__(self, dial):
                self._dial = dial
                self._link = None

            async def link(self):
                if self._link is None:
                    link = await self._dial()
                    if self._link is not None:
                        await link.close()  # here
                    else:
                        self._link = link
                return self._link
    """)
    assert verdict.kind == "not convicted"


def test_a_crash(proved: Proved) -> None:
    verdict = proved("""
        class Room:
            def __init__(self):
                self._members = {}

            def join(self, name, member):
                self._members[name] = member

            async def say(self, text):
                for member in self._members.values():
                    await member.send(text)  # here
    """)
    assert verdict.kind == "crash"
    assert "dictionary changed size during iteration" in verdict.words


def test_a_blocked_loop_is_a_crash(proved: Proved) -> None:
    verdict = proved("""
        import threading

        class Counter:
            def __init__(self, store):
                self.store = store
                self.mutex = threading.Lock()
                self.number = 0

            async def bump(self):
                with self.mutex:
                    self.number += 1
                    await self.store.save(self.number)  # here
    """)
    assert verdict.kind == "crash"
    assert "BlockedLoopError" in verdict.words


def test_a_refusal_is_no_crash(proved: Proved) -> None:
    verdict = proved("""
        class Runner:
            def __init__(self, copy):
                self._copy = copy
                self.busy = False

            async def run(self):
                if self.busy:
                    raise RuntimeError("is running")
                self.busy = True
                try:
                    await self._copy()  # here
                finally:
                    self.busy = False
    """)
    assert verdict.kind == "not convicted"


def test_contradictory_answers(proved: Proved) -> None:
    verdict = proved("""
        import asyncio

        link = None

        async def open_link():
            await asyncio.sleep(1)
            return object()

        async def get():
            global link
            if link is None:
                link = await open_link()  # here
            return link
    """)
    assert verdict.kind == "contradictory answers"


STALE = """
    class Cache:
        def __init__(self, load):
            self._load = load
            self.rows = None

        async def fill(self):
            self.rows = await self._load()  # here

        def forget(self):
            self.rows = None
"""


def test_a_stale_fill_is_convicted_on_request_only(proved: Proved) -> None:
    assert proved(STALE).kind == "not convicted"
    assert proved(STALE, stale_fill=True).kind == "stale fill"


def test_a_failure_is_tried_where_the_act_is_in_a_handler(proved: Proved) -> None:
    verdict = proved("""
        class Runner:
            def __init__(self):
                self.failures = 0
                self.status = None

            async def attempt(self, job):
                seen = self.failures
                try:
                    self.status = await job.execute()
                except OSError:
                    self.failures = seen + 1  # here
    """)
    assert verdict.kind == "lost update"
    assert "fails with OSError" in verdict.schedule


def test_functions_that_share_an_object_get_the_same_one(proved: Proved) -> None:
    verdict = proved("""
        class Entry:
            def __init__(self, plugin):
                self.plugin = plugin
                self.live = False

        async def boot(entry):
            if not entry.live:
                await entry.plugin.boot()
                entry.live = True  # here
    """)
    assert verdict.kind == "double effect"


def test_a_function_made_by_another_keeps_its_variables(proved: Proved) -> None:
    verdict = proved("""
        def budgeted(client, left):
            async def call(request):
                nonlocal left
                left -= await client.cost(request)  # here
            return call
    """)
    assert verdict.kind == "lost update"


def test_the_annotations_make_what_is_needed(proved: Proved) -> None:
    verdict = proved("""
        from __future__ import annotations
        import enum
        from dataclasses import dataclass, field

        class Mode(enum.Enum):
            FAST = 1

        @dataclass
        class Limits:
            mode: Mode
            names: list[str]
            most: int | None
            seen: dict[str, int] = field(default_factory=dict)

        class Gate:
            def __init__(self, limits: Limits, title: str, *, quiet: bool):
                assert isinstance(limits, Limits) and isinstance(limits.mode, Mode)
                assert limits.names == [] and isinstance(title, str) and quiet is True
                self.limits = limits

            async def enter(self, name: str, hook) -> None:
                if name not in self.limits.seen:
                    await hook.ask(name)
                    self.limits.seen[name] = 1  # here
    """)
    assert verdict.kind == "double effect"


UNMAKEABLE = """
    class Pool:
        def __init__(self, size: int):
            if size != 7:
                raise ValueError("seven it is")
            self.total = 0

        async def grow(self, dial):
            self.total += await dial()  # here
"""


def test_what_cannot_be_made_is_said_with_its_reason(proved: Proved) -> None:
    verdict = proved(UNMAKEABLE)
    assert verdict.kind == "cannot be made"
    assert not verdict.convicts
    assert "Pool cannot be made: ValueError: seven it is" in verdict.words


def test_what_cannot_be_made_can_be_filled_in(proved: Proved) -> None:
    def make(maker: Maker) -> None:
        maker.use(maker.module.Pool(7))

    assert proved(UNMAKEABLE, make=make).kind == "lost update"
