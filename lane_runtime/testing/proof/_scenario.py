"""One scenario of a proof: two calls, the state they start from, the state they leave."""

from __future__ import annotations

import asyncio
import collections
import inspect
import linecache
import types
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

from lane_runtime.testing._frozen import frozen
from lane_runtime.testing._places import is_users
from lane_runtime.testing._world import World
from lane_runtime.testing.proof._case import Case
from lane_runtime.testing.proof._closed_world import closed_world
from lane_runtime.testing.proof._functions import call_of
from lane_runtime.testing.proof._making import Maker
from lane_runtime.testing.proof._module import Program
from lane_runtime.testing.proof._shapes import Shapes
from lane_runtime.testing.proof._stage import Stage
from lane_runtime.testing.proof._stand_in import BUDGET, StandIn
from lane_runtime.testing.proof._stepping import Change, Steps

# Between the set-up and the calls, so that what can expire has expired.
AN_AGE: Final = 1_000_000.0
_COLLECTIONS: Final = (dict, list, set, collections.deque)
_VALUES: Final = (type(None), bool, int, float, str, bytes, tuple, list, dict, set)


@dataclass(frozen=True)
class Setting:
    """What a scenario starts from.

    Attributes:
        partner: What runs beside the subject.
        keys: Whether both calls get the same arguments or others.
        filling: Of the collections and fields: as made, filled, or after a call of some function.
        is_failing: Whether outside operations may fail.
    """

    partner: str
    keys: str
    filling: str
    is_failing: bool = False
    arguments_are_true: bool = True

    def __str__(self) -> str:
        more = ", operations may fail" if self.is_failing else ""
        more += "" if self.arguments_are_true else ", arguments that test as false"
        return f"beside {self.partner}, {self.keys} arguments, {self.filling}{more}"


class Scenario:
    """Called with a world for each run."""

    def __init__(
        self, case: Case, program: Program, shapes: Shapes, setting: Setting, calls: str = "ab"
    ) -> None:
        self._case = case
        self._program = program
        self._shapes = shapes
        self._setting = setting
        self._calls = calls
        self.world_stack = ExitStack()

    def __call__(self, world: World) -> Any:
        fails = tuple(getattr(__import__("builtins"), name) for name in self._case.fails)
        stage = Stage(world, fails if self._setting.is_failing else ())
        stage.arguments_are_true = self._setting.arguments_are_true
        self.world_stack.close()
        self.world_stack.enter_context(closed_world(stage))
        module = self._program.load(stage)
        maker = Maker(stage, module, self._shapes)
        return self._set_up(world, stage, maker)

    async def _set_up(self, world: World, stage: Stage, maker: Maker) -> Callable[[], Any]:
        who = {"a": " of a", "b": " of b"} if self._setting.keys == "other" else {"a": "", "b": ""}
        if self._case.make is not None:
            made = self._case.make(maker)
            if inspect.isawaitable(made):
                await made
        subject = call_of(maker, self._case.subject, who["a"])
        partner = call_of(maker, self._setting.partner, who["b"])
        roots = Roots(maker, (subject, partner))
        await self._fill(maker, roots, who["a"])
        stage.now += AN_AGE
        steps: dict[str, Steps] = {}
        log: list[Change] = []
        refused: set[str] = set()
        for letter, function in (("a", subject), ("b", partner)):
            if letter in self._calls:
                steps[letter] = Steps(letter, roots.picture, stage, log)
                world.call(_stepped(letter, steps[letter], function, refused), name=letter)
        for call in world.calls:
            await _ended(call)
        return lambda: {
            "state": roots.picture(),
            "changed late": sorted(letter for letter, one in steps.items() if one.has_changed_late),
            "waits": {letter: one.waits for letter, one in steps.items()},
            "closed": sorted(stage.closed),
            "refused": sorted(refused),
            "one answer": _is_one_answer(world),
            "changes": [(one.call, one.waits, sorted(one.paths)) for one in log],
        }

    async def _fill(self, maker: Maker, roots: Roots, who: str) -> None:
        filling = self._setting.filling
        if filling == "filled":
            roots.fill(maker.stage, 1 if self._setting.keys == "other" else 2)
        elif filling.startswith("after "):
            made = call_of(maker, filling.removeprefix("after "), who)()
            if isinstance(made, Awaitable):
                await made
            await asyncio.sleep(0)


def _is_one_answer(world: World) -> bool | None:
    """Whether both calls gave the same object; None when they did not both give one."""
    answers = []
    for call in world.calls:
        if call.task is None or not call.task.done() or call.task.cancelled() or call.task.exception():
            return None
        answers.append(call.task.result())
    if len(answers) < 2 or any(type(answer) in _VALUES for answer in answers):
        return None
    return answers[0] is answers[1]


async def _ended(call: Any) -> None:
    try:
        await call
    except asyncio.CancelledError:
        if not call.task.cancelled():
            raise
    except BaseException:  # it is on record as the call's outcome
        return


def _stepped(name: str, steps: Steps, function: Callable[[], Any], refused: set[str]) -> Callable[[], Any]:
    async def run() -> Any:
        before = steps.picture()
        try:
            made = function()
            if not inspect.isawaitable(made):
                steps.note(before)
                return made
            return await steps.drive(made)
        except Exception as error:
            if _is_refusal(error):
                refused.add(name)
            raise

    return run


def _is_refusal(error: BaseException) -> bool:
    """Whether the code says no by a `raise` of its own, instead of stumbling over something."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None:
        return False
    text = linecache.getline(at.tb_frame.f_code.co_filename, at.tb_lineno).strip()
    return text.startswith("raise ") and is_users(at.tb_frame.f_code.co_filename)


class Roots:
    """Where the state is: objects of the project, globals of the module, variables of closures."""

    def __init__(self, maker: Maker, calls: tuple[Callable[[], Any], ...]) -> None:
        self._maker = maker
        self._calls = calls

    def picture(self) -> Any:
        """The state now, comparable by content."""
        return frozen(dict(self._parts()))

    def fill(self, stage: Stage, known: int) -> None:
        """Put something into what is empty: items into collections, an amount where the amount is nothing.

        Args:
            known: For the arguments of how many of the calls there is something.
        """
        given = [argument for call in self._calls[:known] for argument in _arguments(call)]
        keys = [argument for argument in given if isinstance(argument, StandIn | str)]
        for _, part in list(self._parts()):
            fields = part if isinstance(part, dict) else getattr(part, "__dict__", {})
            for name, value in list(fields.items()):
                if isinstance(value, _COLLECTIONS) and not value:
                    _fill(value, stage, keys)
                elif type(value) in (int, float) and value == 0 and fields is not part:
                    fields[name] = type(value)(BUDGET)
            if isinstance(part, _COLLECTIONS) and not part and not isinstance(part, dict):
                _fill(part, stage, keys)

    def _parts(self) -> Iterator[tuple[str, Any]]:
        module = self._maker.module
        for number, (kind, made) in enumerate(self._maker.made()):
            yield f"{kind.__name__} {number}", made
        yield "globals", {key: value for key, value in vars(module).items() if _is_state(key, value)}
        for name, kind in list(vars(module).items()):
            if isinstance(kind, type) and kind.__module__ == module.__name__:
                fields = {
                    key: value
                    for key, value in vars(kind).items()
                    if isinstance(value, (*_COLLECTIONS, type(None), int, str))
                }
                yield (
                    f"class {name}",
                    {key: value for key, value in fields.items() if not key.startswith("__")},
                )
        for number, call in enumerate(self._calls):
            function = _inner(call)
            names = getattr(getattr(function, "__code__", None), "co_freevars", ())
            cells = getattr(function, "__closure__", None) or ()
            for name, cell in zip(names, cells, strict=True):
                try:
                    yield f"variable {name}", cell.cell_contents
                except ValueError:
                    continue
            for position, argument in enumerate(_arguments(call)):
                yield f"argument {position} of {'ab'[number]}", argument


def _fill(collection: Any, stage: Stage, keys: list[Any]) -> None:
    for number, key in enumerate([stage.stand_in("a key"), *keys]):
        value = stage.stand_in(f"item {number}", f"before/{number}")
        if isinstance(collection, dict):
            collection[key] = value
        elif isinstance(collection, set):
            collection.add(value)
        else:
            collection.append(value)


def _is_state(name: str, value: Any) -> bool:
    if name.startswith("__") or isinstance(value, type | types.ModuleType | types.FunctionType):
        return False
    return name != "annotations"


def _inner(call: Any) -> Any:
    return call.args[1].func if hasattr(call, "args") and len(call.args) > 1 else call


def _arguments(call: Any) -> tuple[Any, ...]:
    return tuple(call.args[1].args) if hasattr(call, "args") and len(call.args) > 1 else ()
