"""Drive a call step by step and note which of its steps changed the state, and when."""

from __future__ import annotations

import types
from collections.abc import Awaitable, Callable, Generator, Iterator
from typing import Any, NamedTuple

from lane_runtime.testing.proof._stage import Stage


class Change(NamedTuple):
    """One step that changed the state.

    Attributes:
        call: Name of the call.
        waits: How often it had waited before.
        paths: What it changed.
    """

    call: str
    waits: int
    paths: frozenset[str]


class Steps:
    """The steps of one call; `log` is shared by all calls of a run."""

    def __init__(self, name: str, picture: Callable[[], Any], stage: Stage, log: list[Change]) -> None:
        self._name = name
        self._picture = picture
        self._log = log
        self._stage = stage
        self.waits = 0

    def picture(self) -> Any:
        """The state now, and how much has been written."""
        return self._picture(), self._stage.written

    @property
    def has_changed_late(self) -> bool:
        """Whether a step after the first wait changed the state."""
        return any(change.call == self._name and change.waits for change in self._log)

    @types.coroutine
    def drive(self, awaited: Awaitable[Any]) -> Generator[Any, Any, Any]:
        """Run `awaited` to its end; its waits are the caller's."""
        steps = awaited.__await__()
        send: Any = None
        error: BaseException | None = None
        while True:
            before = self.picture()
            try:
                future = steps.send(send) if error is None else steps.throw(error)
            except StopIteration as end:
                return end.value
            finally:
                self.note(before)
            self.waits += 1
            try:
                send, error = (yield future), None
            except BaseException as thrown:
                send, error = None, thrown

    def note(self, before: Any) -> None:
        """Compare the state with what it was before a step."""
        after = self.picture()
        if after != before:
            paths = frozenset(_differences(before[0], after[0], "", 4))
            self._log.append(Change(self._name, self.waits, paths))


def _differences(before: Any, after: Any, path: str, depth: int) -> Iterator[str]:
    if before == after:
        return
    old, new = _parts(before), _parts(after)
    if depth == 0 or old is None or new is None:
        yield path
        return
    for key in {**old, **new}:
        if key not in old or key not in new:
            yield f"{path}.{key}"
        else:
            yield from _differences(old[key], new[key], f"{path}.{key}", depth - 1)


def _parts(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return {str(key): item for key, item in value.items()}
    if isinstance(value, tuple) and value and isinstance(value[0], str) and len(value) > 1:
        return {key: item for key, item in value[1:] if isinstance(key, str)} if _is_thing(value) else None
    return None


def _is_thing(value: tuple[Any, ...]) -> bool:
    return all(isinstance(one, tuple) and len(one) == 2 for one in value[1:])
