"""The mended twin of the demo service: the checker is silent, and the races that the demo loses are won.

Each schedule is written once and driven with events on both services; it says what went wrong.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from demo_schedules import DEMO, MENDED, SCHEDULES, Partner, load

from lane_lint import Confidence, Settings, check_paths

pytestmark = pytest.mark.timeout(60)

each_schedule = pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda schedule: schedule.__name__)


@each_schedule
def test_the_demo_loses(schedule) -> None:
    assert asyncio.run(schedule(load(DEMO))) != ""


@each_schedule
def test_the_mended_twin_holds(schedule) -> None:
    assert asyncio.run(schedule(load(MENDED))) == ""


def test_the_checker_is_silent_on_the_twin() -> None:
    assert check_paths([MENDED], settings=Settings(min_confidence=Confidence.LOW)) == []


def test_the_twin_has_the_files_and_the_public_names_of_the_demo() -> None:
    assert {path.name for path in MENDED.glob("*.py")} == {path.name for path in DEMO.glob("*.py")}
    demo, mended = load(DEMO), load(MENDED)
    for name in ("Wallet", "SessionCache", "Hub", "Roster", "Settings", "OfficeLink", "SeatDesk"):
        public = [
            {attribute for attribute in vars(vars(service)[name]) if not attribute.startswith("_")}
            for service in (demo, mended)
        ]
        assert public[0] == public[1], name


def test_the_twin_runs() -> None:
    done = subprocess.run([sys.executable, str(MENDED)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "sold out" in done.stdout
    assert "seat 1A, 550 cents left" in done.stdout


def test_a_failed_exchange_gives_the_points_back() -> None:
    service = load(MENDED)

    async def main() -> None:
        class Shop:
            async def exchange(self, points: int) -> None:
                raise ConnectionError

        bank = Partner({"charge": 1000})
        bank.at_once = True
        wallet = service.Wallet(bank)
        await wallet.top_up("card", 1000)
        wallet.pay(300)
        with pytest.raises(ConnectionError):
            await wallet.redeem(Shop())
        shop = Partner()
        shop.at_once = True
        assert await wallet.redeem(shop) == 3

    asyncio.run(main())


def test_a_failed_lookup_is_asked_again() -> None:
    service = load(MENDED)

    async def main() -> None:
        class Store:
            answers = iter([None, "Ada"])

            async def passenger_of(self, token: str) -> str:
                name = next(self.answers)
                if name is None:
                    raise ConnectionError
                return name

        sessions = service.SessionCache(Store())
        with pytest.raises(ConnectionError):
            await sessions.passenger("t")
        assert await sessions.passenger("t") == "Ada"

    asyncio.run(main())
