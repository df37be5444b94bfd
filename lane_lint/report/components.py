"""Components and the class of their state, as text for people and as one JSON object for other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lane_lint.classification import ClassifiedFile
    from lane_lint.flow.components import Component, StateOf, Touch

SCHEMA_VERSION = 1


def as_text(files: Sequence[ClassifiedFile]) -> str:
    """A paragraph for each component: its class, then each field with its class, guards, readers and writers."""
    paragraphs = [
        "\n".join(_lines_of(file.path, component)) for file in files for component in file.components
    ]
    return "\n\n".join(paragraphs) + "\n" if paragraphs else "no state that changes after construction\n"


def _lines_of(path: str, component: Component) -> Iterator[str]:
    name = component.name or "the module"
    yield f"{path}:{max(component.line, 1)}: {name}: {component.state_class.value}"
    for state in component.state:
        yield f"  {state.name}: {state.state_class.value}, {state.reason}"
        yield f"    guarded by: {', '.join(guard or 'nothing' for guard in state.guards)}"
        yield f"    written by: {_touches(state.writers)}"
        yield f"    read by:    {_touches(state.readers) or 'nobody'}"
        yield f"    prescribed: {component.mechanism(state)}"


def _touches(touches: Sequence[Touch]) -> str:
    return ", ".join(f"{touch.function} (line {touch.line})" for touch in touches)


def as_json(files: Sequence[ClassifiedFile]) -> str:
    """The object with `schema_version`, `components` and what could not be read; lines are 1-based."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "components": [_component(file.path, c) for file in files for c in file.components],
        "errors": [{"path": file.path, "message": file.error} for file in files if file.error is not None],
    }
    return json.dumps(document, indent=2) + "\n"


def _component(path: str, component: Component) -> dict[str, object]:
    return {
        "path": path,
        "line": max(component.line, 1),
        "name": component.name or None,
        "class": component.state_class.value,
        "state": [_state(component, state) for state in component.state],
    }


def _state(component: Component, state: StateOf) -> dict[str, object]:
    return {
        "name": state.name,
        "kind": "collection" if state.is_collection else "value",
        "class": state.state_class.value,
        "reason": state.reason,
        "guards": list(state.guards),
        "writers": [_touch(touch) for touch in state.writers],
        "readers": [_touch(touch) for touch in state.readers],
        "prescribed": component.mechanism(state),
    }


def _touch(touch: Touch) -> dict[str, object]:
    return {"function": touch.function, "line": touch.line, "guard": touch.guard}
