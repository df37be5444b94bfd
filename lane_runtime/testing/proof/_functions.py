"""From the name of a function to a call of it."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Awaitable, Callable
from typing import Any

from lane_runtime.testing.proof._making import CannotMakeError, Maker

STEPS_OF_A_GENERATOR = 2


def call_of(maker: Maker, name: str, who: str) -> Callable[[], Any]:
    """A call of this function with arguments made for it; an async generator is run for some steps.

    Raises:
        CannotMakeError: The function is not to be found, or its object cannot be made.
    """
    parts = name.split(".")
    if "<locals>" in parts:
        at = parts.index("<locals>")
        outer, inner = ".".join(parts[:at]), name
        return _prepared(maker, _inner_function(maker, outer, inner), name, who)
    owner: Any = maker.module
    for part in parts[:-1]:
        owner = getattr(owner, part, None)
    if not isinstance(owner, type):
        return _prepared(maker, getattr(maker.module, parts[-1], None), name, who)
    found = inspect.getattr_static(owner, parts[-1], None)
    if isinstance(found, property):
        return _property_call(maker, owner, parts[-1], found, who)
    if isinstance(found, classmethod | staticmethod):
        return _prepared(maker, getattr(owner, parts[-1]), name, who)
    instance = maker.instance(".".join(parts[:-1]))
    return _prepared(maker, getattr(instance, parts[-1], None), name, who)


def _property_call(maker: Maker, owner: type, name: str, found: property, who: str) -> Callable[[], Any]:
    instance = maker.instance(owner.__qualname__)
    if found.fset is None:
        return lambda: getattr(instance, name)
    value = maker.stage.stand_in(f"{name}{who or ' given'}")
    return lambda: setattr(instance, name, value)


def _inner_function(maker: Maker, outer: str, inner: str) -> Any:
    """A function that another one makes: searched in what that returns, once for all calls of a run."""
    try:
        return _made_by(maker, outer, inner)
    except Exception:
        for value in vars(maker.module).values():
            found = _unwrapped(value, inner)
            if found is not None:
                return found
        raise


def _made_by(maker: Maker, outer: str, inner: str) -> Any:
    if inner not in maker.stage.shared:
        maker.stage.shared[inner] = _search(maker, outer, inner)
    return maker.stage.shared[inner]


def _search(maker: Maker, outer: str, inner: str) -> Any:
    key = f"made by {outer}"
    if key not in maker.stage.shared:
        maker.stage.shared[key] = call_of(maker, outer, "")()
    made = maker.stage.shared[key]
    if inspect.iscoroutine(made) and made.cr_code.co_qualname == inner:
        made.close()
        return functools.partial(_again, maker, outer)
    for _ in range(3):
        for candidate in made if isinstance(made, tuple | list) else (made,):
            found = _unwrapped(candidate, inner)
            if found is not None:
                return found
        if not isinstance(made, types.FunctionType):
            break
        given, keywords = maker.arguments(inspect.signature(made), made.__qualname__, made, "")
        made = made(*given, **keywords)
    raise CannotMakeError(f"{inner} is not among what {outer} returns")


def _again(maker: Maker, outer: str) -> Any:
    """What returned a coroutine of the inner function is called for another one."""
    return call_of(maker, outer, "")()


def _unwrapped(value: Any, name: str) -> Any:
    """The function itself, by the name in its code: `functools.wraps` changes the other one."""
    code = getattr(value, "__code__", None)
    return value if isinstance(code, types.CodeType) and code.co_qualname == name else None


def _prepared(maker: Maker, function: Any, name: str, who: str) -> Callable[[], Any]:
    if function is None or not callable(function):
        raise CannotMakeError(f"{name} is not to be found in {maker.module.__name__}")
    signature, annotated = _signature(function)
    given, keywords = maker.arguments(signature, name, annotated, who)
    return functools.partial(_run, maker, functools.partial(function, *given, **keywords))


def _signature(function: Any) -> tuple[inspect.Signature, Any]:
    try:
        return inspect.signature(function), function
    except (TypeError, ValueError):
        return inspect.Signature(), function


def _run(maker: Maker, call: Callable[[], Any]) -> Any:
    made = call()
    if inspect.isasyncgen(made):
        return _drive(maker, made)
    if isinstance(made, Awaitable):
        return made
    if hasattr(made, "__aenter__"):
        return _enter(made)
    return made


async def _drive(maker: Maker, generator: Any) -> None:
    sent = None
    try:
        for number in range(STEPS_OF_A_GENERATOR):
            await generator.asend(sent)
            sent = maker.stage.stand_in("sent", maker.stage.tag_for(f"sent {number}"))
    except StopAsyncIteration:
        return
    await generator.aclose()


async def _enter(manager: Any) -> None:
    async with manager:
        pass
