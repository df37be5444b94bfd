"""Make objects and arguments: from annotations, from defaults, from what is used of them."""

from __future__ import annotations

import collections
import dataclasses
import enum
import inspect
import types
import typing
from collections.abc import Callable
from types import ModuleType
from typing import Any

from lane_runtime.testing.proof._shapes import Shapes
from lane_runtime.testing.proof._stage import Stage
from lane_runtime.testing.proof._stand_in import number_for

DEPTH = 4


class CannotMakeError(Exception):
    """An object of the project could not be made; the message says which and why."""


class Maker:
    """Makes what one run needs; what has one name in one class is made once."""

    def __init__(self, stage: Stage, module: ModuleType, shapes: Shapes) -> None:
        self.stage = stage
        self.module = module
        self._shapes = shapes
        self._instances: dict[type, Any] = {}

    def instance(self, name: str) -> Any:
        """The one object of this class of the module, made when it is first asked for."""
        kind: Any = self.module
        for part in name.split("."):
            kind = getattr(kind, part)
        return self._one(kind)

    def use(self, made: Any) -> None:
        """Take this object wherever one of its class is needed."""
        self._instances[type(made)] = made

    def stand_in(self, name: str) -> Any:
        """Something that takes whatever is done to it, and waits where it is waited for."""
        return self.stage.stand_in(name)

    def made(self) -> list[tuple[type, Any]]:
        """The objects of the project that have been made, with their classes."""
        return list(self._instances.items())

    def known(self, kind: type) -> Any:
        """An object made before that is of this class, or of one derived from it, or None."""
        return next((made for made in self._instances.values() if isinstance(made, kind)), None)

    def _one(self, kind: type, depth: int = DEPTH) -> Any:
        known = self.known(kind)
        if known is None:
            known = self._instances[kind] = self._construct(kind, depth)
        return known

    def _construct(self, kind: type, depth: int) -> Any:
        if issubclass(kind, enum.Enum):
            return next(iter(kind))
        try:
            signature = inspect.signature(kind)
        except (TypeError, ValueError):
            signature = inspect.Signature()
        owner = "__init__" if not dataclasses.is_dataclass(kind) else "<fields>"
        given, keywords = self.arguments(
            signature, f"{kind.__qualname__}.{owner}", kind.__init__, None, depth - 1
        )
        try:
            return kind(*given, **keywords)
        except Exception as error:
            raise CannotMakeError(
                f"{kind.__qualname__} cannot be made: {type(error).__name__}: {error}"
            ) from error

    def arguments(
        self, signature: inspect.Signature, function: str, annotated: Any, who: str | None, depth: int = DEPTH
    ) -> tuple[list[Any], dict[str, Any]]:
        """Arguments for the parameters that have no default, and in calls for those that are empty by default.

        Args:
            who: Part of the names of values, to tell those of one call from those of another; empty for
                the same in all calls, None for a constructor.
        """
        hints = _hints(annotated)
        given, keywords = [], {}
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if parameter.default is not parameter.empty and (who is None or not _is_wanted(parameter)):
                if parameter.kind is not parameter.KEYWORD_ONLY:
                    given.append(parameter.default)
                continue
            value = self._value(
                function, parameter.name, hints.get(parameter.name, parameter.annotation), who or "", depth
            )
            if parameter.kind is parameter.KEYWORD_ONLY:
                keywords[parameter.name] = value
            else:
                given.append(value)
        return given, keywords

    def _value(self, function: str, name: str, annotation: Any, who: str, depth: int) -> Any:
        if annotation is not inspect.Parameter.empty and annotation is not Any:
            return self._annotated(function, name, annotation, who, depth)
        shape = self._shapes.class_for(function, name)
        if shape is not None and depth > 0:
            kind = getattr(self.module, shape, None)
            if isinstance(kind, type):
                return self._one(kind, depth)
        return self.stage.stand_in(f"{name}{who}")

    def _annotated(self, function: str, name: str, annotation: Any, who: str, depth: int) -> Any:
        origin = typing.get_origin(annotation)
        if origin is typing.Annotated:
            return self._annotated(function, name, typing.get_args(annotation)[0], who, depth)
        if origin in (typing.Union, types.UnionType):
            chosen = next((one for one in typing.get_args(annotation) if one is not type(None)), Any)
            return self._annotated(function, name, chosen, who, depth)
        if origin is typing.Literal:
            return typing.get_args(annotation)[0]
        kind = origin or annotation
        plain = _PLAIN_VALUES.get(kind)
        if plain is not None:
            return plain(name, who)
        if isinstance(kind, type) and kind.__module__ == self.module.__name__ and depth > 0:
            protocol = getattr(kind, "_is_protocol", False) or inspect.isabstract(kind)
            if not protocol:
                return self._one(kind, depth)
        if isinstance(kind, type) and kind.__module__ in ("collections", "asyncio.locks", "asyncio.queues"):
            return kind()
        return self.stage.stand_in(f"{name}{who}")


_PLAIN_VALUES: dict[Any, Callable[[str, str], Any]] = {
    int: lambda name, who: number_for(name, name + who),
    float: lambda name, who: float(number_for(name, name + who)),
    str: lambda name, who: f"{name}{who}",
    bytes: lambda name, who: f"{name}{who}".encode(),
    bool: lambda name, who: True,
    list: lambda name, who: [],
    dict: lambda name, who: {},
    set: lambda name, who: set(),
    tuple: lambda name, who: (),
    frozenset: lambda name, who: frozenset(),
    collections.deque: lambda name, who: collections.deque(),
    collections.abc.MutableMapping: lambda name, who: {},
}


def _hints(annotated: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(annotated, include_extras=True)
    except Exception:  # names for type checkers only
        return {}


def _is_wanted(parameter: inspect.Parameter) -> bool:
    """Whether a parameter with a default gets a value: hooks, which are empty by default, are where it waits."""
    return parameter.default is None or parameter.default in ((), [])
