"""Objects at shared places that variables hold: put there, or changed through the variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lane_lint.flow.combining import is_one_of_several
from lane_lint.model.path import Path, extend

if TYPE_CHECKING:
    from lane_lint.flow.interpretation import Interpretation
    from lane_lint.flow.values import Value


def note_stored(run: Interpretation, value: Value, path: Path) -> None:
    """A new object has been put at a shared place: the variables that hold it now hold what is there."""
    for name, held in run.state.env.items():
        if held is value:
            run.state.env[name] = value._replace(contains=value.contains | {path})


def note_entry_change(run: Interpretation, base: Value, link: str, at: int) -> None:
    """An object that may be at a shared place, as one just looked up or made and stored, is changed."""
    if base.path is None and is_one_of_several(base):
        is_content = link[0] == "["
        for path in sorted(base.contains):
            run.records.entry_changes.append((at, extend(path, link), is_content))
