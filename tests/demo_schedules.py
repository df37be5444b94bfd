"""Schedules that drive a race, with events, on the demo service or on its mended twin; each says what went wrong."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace

from lane_runtime import LaneError, StateLane

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
DEMO = FIXTURES / "demo"
MENDED = FIXTURES / "demo_mended"
MODULES = sorted(path.stem for path in DEMO.glob("*.py") if path.stem != "__main__")


def load(folder: Path) -> SimpleNamespace:
    """The classes of one of the two services, whose modules have the same names."""
    sys.path.insert(0, str(folder))
    try:
        modules = [importlib.import_module(name) for name in MODULES]
        assert all(Path(str(module.__file__)).parent == folder for module in modules)
    finally:
        sys.path.remove(str(folder))
        for name in MODULES:
            sys.modules.pop(name, None)
    return SimpleNamespace(**{name: value for module in modules for name, value in vars(module).items()})


class Partner:
    """An outside party: a call of `name` is announced, and answered when the schedule says so."""

    def __init__(self, answers: dict[str, object] | None = None) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.called = asyncio.Semaphore(0)
        self.may_answer = asyncio.Semaphore(0)
        self.at_once = False
        self._answers = answers or {}

    def __getattr__(self, name: str) -> Callable[..., Coroutine[object, object, object]]:
        async def call(*args: object) -> object:
            self.calls.append((name, *args))
            self.called.release()
            if not self.at_once:
                await self.may_answer.acquire()
            return self._answers.get(name)

        return call


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(50):
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def running(
    *coroutines: Coroutine[object, object, object],
) -> AsyncIterator[list[asyncio.Task[object]]]:
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def a_fare_is_paid_while_the_bank_books(service: SimpleNamespace) -> str:
    bank = Partner({"charge": 500})
    wallet = service.Wallet(bank)
    async with running(wallet.top_up("card", 500)) as [first]:
        await bank.called.acquire()
        bank.may_answer.release()
        await first
    async with running(wallet.top_up("card", 500)) as [second]:
        await bank.called.acquire()
        wallet.pay(450)
        bank.may_answer.release()
        await second
    left = wallet.pay(0)
    return "" if left == 550 else f"of 1000 cents 450 were paid, and {left} are left"


async def points_are_earned_while_the_shop_exchanges(service: SimpleNamespace) -> str:
    bank, shop = Partner({"charge": 1000}), Partner()
    bank.at_once = True
    wallet = service.Wallet(bank)
    await wallet.top_up("card", 1000)
    wallet.pay(300)
    async with running(wallet.redeem(shop)) as [redeeming]:
        await shop.called.acquire()
        wallet.pay(400)
        shop.may_answer.release()
        assert await redeeming == 3
    shop.at_once = True
    late = await wallet.redeem(shop)
    return "" if late == 4 else f"4 points were earned meanwhile, and {late} are left"


async def two_ask_for_a_passenger_at_once(service: SimpleNamespace) -> str:
    store = Partner({"passenger_of": "Ada"})
    sessions = service.SessionCache(store)
    async with running(sessions.passenger("t"), sessions.passenger("t")) as tasks:
        await settle()
        store.may_answer.release()
        store.may_answer.release()
        assert await asyncio.gather(*tasks) == ["Ada", "Ada"]
    return "" if len(store.calls) == 1 else f"the session was made {len(store.calls)} times"


async def a_passenger_logs_out_while_the_store_looks(service: SimpleNamespace) -> str:
    store = Partner({"passenger_of": "Ada"})
    sessions = service.SessionCache(store)
    async with running(sessions.passenger("t")) as [asking]:
        await store.called.acquire()
        sessions.log_out("t")
        store.may_answer.release()
        await asking
    store.at_once = True
    await sessions.passenger("t")
    return "" if len(store.calls) == 2 else "the session outlived the log-out"


async def a_passenger_logs_out_while_a_note_is_saved(service: SimpleNamespace) -> str:
    store = Partner()
    sessions = service.SessionCache(store)
    async with running(sessions.note("t", "one")):
        await store.called.acquire()
        sessions.log_out("t")
        async with running(sessions.note("t", "two")):
            await settle()
            overlapping = len(store.calls)
    return "" if overlapping == 1 else f"{overlapping} notes are being saved at once"


async def a_board_joins_during_an_announcement(service: SimpleNamespace) -> str:
    slow, late = Partner(), Partner()
    hub = service.Hub()
    hub.join("pier", slow)
    async with running(hub.announce("ferry is late")) as [announcing]:
        await slow.called.acquire()
        hub.join("office", late)
        slow.may_answer.release()
        await asyncio.wait([announcing])
        error = announcing.exception()
    return "" if error is None else f"the broadcast broke: {error}"


async def the_status_page_asks_while_the_day_is_archived(service: SimpleNamespace) -> str:
    held: list[bool] = []
    hub = service.Hub()
    lock = next(value for value in vars(hub).values() if isinstance(value, type(threading.Lock())))

    class Archive:
        async def keep(self, text: str) -> None:
            held.append(lock.locked())

    await hub.end_day(Archive())
    return "" if held == [False] else "a thread that asks stops for as long as the archive works"


async def a_captain_is_relieved_during_a_call(service: SimpleNamespace) -> str:
    radio = Partner()
    roster = service.Roster(radio)
    await roster.relieve("gull", "Ann")
    async with running(roster.call("gull", "turn back")) as [calling]:
        await radio.called.acquire()
        async with running(roster.relieve("gull", "Bob")) as [relieving]:
            await settle()
            is_relieved_early = relieving.done()
            radio.may_answer.release()
            await asyncio.gather(calling, relieving)
    return "Ann was relieved, and the call went to her" if is_relieved_early else ""


async def a_fare_is_asked_during_a_reload(service: SimpleNamespace) -> str:
    office = Partner({"routes": ["north"], "fare": 450})
    settings = service.Settings(office)
    office.at_once = True
    await settings.reload()
    office.at_once = False
    async with running(settings.reload()):
        office.may_answer.release()  # the routes; the fare is still to come
        await settle()
        try:
            assert settings.fare("north") == 450
        except service.UnknownRouteError:
            return "a route was unknown during the reload"
    return ""


async def the_office_is_redialled(service: SimpleNamespace) -> str:
    line = Partner()
    line.at_once = True

    async def dial() -> Partner:
        return line

    link = service.OfficeLink(dial)
    await link.line()
    async with running(link.redial()) as [redialling]:
        await settle()
        return "" if redialling.done() else "the redial waits for itself"


async def pinging_starts_again_while_it_is_stopped(service: SimpleNamespace) -> str:
    line = Partner()

    async def dial() -> Partner:
        return line

    link = service.OfficeLink(dial)
    link.keep_alive(60)
    await line.called.acquire()
    async with running(link.rest()) as [resting]:
        await asyncio.sleep(0)  # it waits for the first pinger now
        link.keep_alive(60)
        await resting
    await line.called.acquire()
    await link.rest()
    pinging = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in pinging:
        task.cancel()
    await asyncio.gather(*pinging, return_exceptions=True)
    return "the pinger cannot be stopped any more" if pinging else ""


async def a_passenger_moves(service: SimpleNamespace) -> str:
    desk = service.SeatDesk(["1A", "1B"], on_sold_out=lambda: None)
    assert await desk.book("Ada") == "1A"
    try:
        assert await desk.move("Ada", "1B")
    except LaneError as error:
        return str(error)
    assert await desk.book("Ben") == "1A"
    return ""


async def whoever_hears_of_the_last_seat_asks_back(service: SimpleNamespace) -> str:
    seen: list[StateLane | None] = []
    desk = service.SeatDesk(["1A"], on_sold_out=lambda: seen.append(StateLane.current()))
    await desk.book("Ada")
    return "" if seen == [None] else "the callback is refused at the desk that called it"


SCHEDULES = [
    a_fare_is_paid_while_the_bank_books,
    points_are_earned_while_the_shop_exchanges,
    two_ask_for_a_passenger_at_once,
    a_passenger_logs_out_while_the_store_looks,
    a_passenger_logs_out_while_a_note_is_saved,
    a_board_joins_during_an_announcement,
    the_status_page_asks_while_the_day_is_archived,
    a_captain_is_relieved_during_a_call,
    a_fare_is_asked_during_a_reload,
    the_office_is_redialled,
    pinging_starts_again_while_it_is_stopped,
    a_passenger_moves,
    whoever_hears_of_the_last_seat_asks_back,
]
