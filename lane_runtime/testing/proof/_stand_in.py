"""Stand-ins for what a component depends on: they take whatever is done to them, and wait where it waits."""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Generator, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from lane_runtime.testing._frozen import Text, Thing, frozen

if TYPE_CHECKING:
    from lane_runtime.testing.proof._stage import Stage

# So many are unpacked, iterated and counted; what is given to b has one more, to be told from a's.
ITEMS: Final = 2

# A limit has to bite: one of two calls is to reach it. Indexes and times are small too.
_SMALL = re.compile(
    r"(^|_)(limit|max|size|capacity|bound|count|slots|retries|attempts|tries|times|seconds|delay|every|pause"
    r"|interval|period|timeout|wait|n|num|number|age|i|j|index|idx|position|slot)(_|$)"
)
_BUDGET = re.compile(r"(^|_)(cap|budget|quota|allowance|funds|ceiling)(_|$)")
_LONG = re.compile(r"(^|_)(ttl|lifetime|expiry|expires|expires_in|expires_at|valid)(_|$)")
_NEGATIVE = re.compile(
    r"^_?(is_|has_)?(closed|closing|expired|stale|busy|done|cancelled|stopped|leaving|gone|dead|failed"
    r"|error|errors|empty|deleted|locked|finished|revoked|disabled|paused|draining|full|invalid)$"
)
_CLOSING = re.compile(
    r"^_?(a?close|abort|cancel|release|discard|dispose|stop|terminate|kill|shutdown|disconnect|rollback|refund|undo"
    r"|unsubscribe|remove|delete|reject|retire|revert)(_\w+)?$"
)
# Of two values below a budget of one hundred thousand one fits, both do not.
BUDGET: Final = 100_000


def number_for(name: str, text: str) -> int:
    """A number that follows from the text, and suits what the name speaks of."""
    if _LONG.search(name):
        return 3_600
    if _BUDGET.search(name):
        return BUDGET
    if _SMALL.search(name):
        return 1
    return 60_000 + zlib.crc32(text.encode()) % 30_000


class StandIn(int):
    """A number that also has every attribute, can be called, awaited, entered, iterated and indexed.

    Awaiting it, entering it with `async with`, or each step of an `async for` is an outside operation.
    Numbers are different for each place and each call, so that a lost update shows in a sum.
    """

    _stage: Stage
    _path: str
    _tag: str

    def __new__(cls, stage: Stage, path: str, tag: str = "", given: object = ()) -> StandIn:
        name = path.rpartition(".")[2].rstrip("()")
        made = super().__new__(cls, number_for(name, path + tag))
        own = made.__dict__
        own["_stage"], own["_path"], own["_tag"] = stage, path, tag
        own["_parts"], own["_given"] = {}, given
        return made

    def __frozen__(self) -> object:
        """Its name, who it was made for and of what, and what was set on it and its parts."""
        name = repr(self)
        written = self._written()
        return Thing((name, *written.items())) if written else Text(name)

    def _written(self) -> dict[str, object]:
        own = self.__dict__
        written = {key: value for key, value in own.items() if key not in _OWN}
        for key, part in own["_parts"].items():
            if isinstance(key, _Key):
                written[f"[{key!r}]"] = part
            elif part._written():
                written[key] = part
        return {key: frozen(written[key], 3) for key in sorted(written)}

    def _part(self, name: str) -> StandIn:
        parts = self.__dict__["_parts"]
        if name not in parts:
            parts[name] = StandIn(self._stage, f"{self._path}{name}", self._tag)
        return parts[name]  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> StandIn:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._part(f".{name}")

    def __call__(self, *args: object, **keywords: object) -> Any:
        if self._stage.is_setting_up and len(args) == 1 and isinstance(args[0], FunctionType | type):
            return args[0]  # a decorator of a library that is not there
        name = self._path.rpartition(".")[2]
        if self._tag and _CLOSING.match(name):
            self._stage.closed.add(self._tag)
        for argument in args:
            if isinstance(argument, StandIn) and argument._tag and _CLOSING.match(name):
                self._stage.closed.add(argument._tag)
        path = f"{self._path}()"
        given = frozen([*args, *keywords.items()], 4)
        return StandIn(self._stage, path, self._stage.tag_for(path), given)

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        return ()

    def __await__(self) -> Generator[Any, None, StandIn]:
        yield from self._stage.operation(self, self)
        return self

    async def __aenter__(self) -> StandIn:
        await self._stage.operation(self, None)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Left without a wait: it would only multiply the schedules."""

    async def __aiter__(self) -> AsyncIterator[StandIn]:
        # One round: what happens between two rounds of a loop is no overlap with either.
        await self._stage.operation(self, None)
        yield self._part("[0]")

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to leave."""

    def __iter__(self) -> Iterator[StandIn]:
        return iter([self._part(f"[{number}]") for number in range(ITEMS)])

    def __len__(self) -> int:
        is_of_b = self._tag.startswith("b/") or " of b" in self._path
        return ITEMS + 1 if is_of_b else ITEMS

    def __contains__(self, _: object) -> bool:
        return False

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return list(self)[key]
        parts = self.__dict__["_parts"]
        return parts[_Key(key)] if _Key(key) in parts else self._part(f"[{key}]")

    def __setitem__(self, key: Any, value: object) -> None:
        self.__dict__["_parts"][_Key(key)] = value

    def __delitem__(self, key: Any) -> None:
        self.__dict__["_parts"].pop(_Key(key), None)

    def __bool__(self) -> bool:
        if not self._tag and "." not in self._path:
            return self._stage.arguments_are_true
        name = self._path.rpartition(".")[2].rstrip("()")
        return not _NEGATIVE.match(name) and not self._stage.is_worn_out(self._path, self._tag)

    def __add__(self, other: Any) -> Any:
        return f"{int(self)}{other}" if isinstance(other, str) else int(self) + other

    def __radd__(self, other: Any) -> Any:
        if isinstance(other, str):
            return f"{other}{int(self)}"
        if isinstance(other, list):
            return [*other, *self]
        if isinstance(other, tuple):
            return (*other, *self)
        if isinstance(other, bytes):
            return other + str(int(self)).encode()
        return int(self) + other

    def __str__(self) -> str:
        return str(int(self))

    def __repr__(self) -> str:
        path = self._path
        given = self.__dict__["_given"]
        if given and path.endswith("()"):
            path = f"{path[:-1]}{', '.join(map(repr, given))})"
        return f"<{path}{f' for {self._tag}' if self._tag else ''}>"

    def __hash__(self) -> int:
        return int(self)

    def __eq__(self, other: object) -> bool:
        return int(self) == other

    def __copy__(self) -> StandIn:
        return self

    def __deepcopy__(self, _: object) -> StandIn:
        return self


_OWN = frozenset({"_stage", "_path", "_tag", "_parts", "_given"})


class _Key:
    """A key of an item that was set, told from the names of parts."""

    __slots__ = ("key",)

    def __init__(self, key: object) -> None:
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return repr(self.key)
