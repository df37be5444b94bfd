"""LAN202 c2-behind-semaphore."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lane_lint.finding import Finding
from lane_lint.rule import Rule

if TYPE_CHECKING:
    from lane_lint.flow.facts import FunctionFacts


class C2BehindSemaphore(Rule):
    """A semaphore guards state of several fields.

    A semaphore in the place of a lock changes the name and nothing else: what is read under it leaves
    it as a snapshot, and goes stale. Fields that must fit together need one owner.

    Bad:
        import asyncio

        class Till:
            def __init__(self):
                self._permit = asyncio.Semaphore(1)
                self._notes = {}
                self._sum = 0

            async def put(self, value):
                async with self._permit:
                    self._notes[value] = self._notes.get(value, 0) + 1
                    self._sum += value

    Good:
        from lane_runtime import StateLane

        class Till:
            def __init__(self):
                self._lane = StateLane()
                self._notes = {}
                self._sum = 0

            async def put(self, value):
                def put_on_lane():
                    self._notes[value] = self._notes.get(value, 0) + 1
                    self._sum += value

                await self._lane.run(put_on_lane)

    Silent on: semaphores with more permits, which limit and guard nothing; those that put the users
        of something outside in order and guard one field at most.
    Source: state lane contract, section 4.
    Since: 0.1
    """

    code = "LAN202"
    name = "c2-behind-semaphore"
    message = "the semaphore '{semaphore}' guards {fields} together"
    hint = "let one lane own them, and change and read them in its turns"

    def check(self, function: FunctionFacts) -> Iterator[Finding]:
        for found in function.guarding_semaphores():
            fields = [function.name_of_field(field) for field in found.fields]
            yield self.finding(
                found.place.span,
                path=function.file,
                confidence=found.confidence,
                semaphore=function.display(found.semaphore),
                fields=" and ".join(f"'{name}'" for name in fields),
            )
