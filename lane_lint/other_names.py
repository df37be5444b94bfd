"""Variables that are other names of attributes: `rows = self.rows`, and what is changed through them."""

from __future__ import annotations

import ast
from dataclasses import replace

from lane_lint.sketch import Sketch, Write


def note_name_write(
    sketch: Sketch, node: ast.expr, link: str, *, operation: str = "", is_removal: bool = False
) -> None:
    """A change of something behind a plain name, which may turn out to be another name of an attribute."""
    is_deeper = False
    while not isinstance(node, ast.Name):
        is_deeper = is_deeper or bool(link)
        if not isinstance(node, (ast.Attribute, ast.Subscript)):
            return
        link = f".{node.attr}" if isinstance(node, ast.Attribute) else "[]"
        node = node.value
    if link:
        sketch.name_writes.append(Write(node.id, link, sketch.line, operation, is_removal, is_deeper))


def follow_other_names(sketch: Sketch) -> None:
    """A change through `rows`, after `rows = self.rows`, is a change of the attribute."""
    for write in sketch.name_writes:
        if (found := sketch.attribute_behind(write.attribute)) is not None:
            is_deeper = write.is_deeper or bool(found[1])
            link = found[1] or write.link
            sketch.writes.append(replace(write, attribute=found[0], link=link, is_deeper=is_deeper))
    for name, value in sketch.name_items:
        if (found := sketch.attribute_behind(name)) is not None and not found[1]:
            sketch.attribute_items.append((found[0], value))
