"""How names and keys are spelled: texts that mean the same thing each time they are evaluated."""

from __future__ import annotations

import unicodedata

import libcst as cst


def identifier(name: cst.Name) -> str:
    """A name as Python and the `ast` spell it."""
    return normalised(name.value)


def normalised(name: str) -> str:
    """The spelling that Python goes by.

    Source: the Python language reference, "Identifiers and keywords": all are converted to NFKC.
    """
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def dotted_name(node: cst.BaseExpression) -> str | None:
    """`a.b.c` for names and attributes, the callee of a call, the container of a subscript; else None."""
    if isinstance(node, (cst.Call, cst.Subscript)):
        return dotted_name(node.func if isinstance(node, cst.Call) else node.value)
    if isinstance(node, cst.Name):
        return identifier(node)
    if isinstance(node, cst.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{identifier(node.attr)}" if base else None
    return None


def annotation_name(node: cst.Annotation | None) -> str | None:
    """The dotted name of an annotation, the container of a generic one, the text of a quoted one."""
    if node is None:
        return None
    inner: cst.BaseExpression = node.annotation
    if isinstance(inner, cst.SimpleString):
        return inner.value.strip("\"'").partition("|")[0].partition("[")[0].strip()
    if isinstance(inner, cst.BinaryOperation):
        # `Lock | None`, either way round
        sides = [dotted_name(side) for side in (inner.left, inner.right)]
        return next((name for name in sides if name not in (None, "None")), None)
    if isinstance(inner, cst.Subscript) and (dotted_name(inner) or "").rpartition(".")[2] == "Optional":
        index = inner.slice[0].slice
        return dotted_name(index.value) if isinstance(index, cst.Index) else None
    return dotted_name(inner)


def subscript_key(node: cst.Subscript) -> str | None:
    """The text of the key when it names the same entry each time it is evaluated, else None."""
    parts = []
    for element in node.slice:
        if not isinstance(element.slice, cst.Index):
            return None
        text = stable_text(element.slice.value)
        if text is None:
            return None
        parts.append(text)
    return ", ".join(parts)


def stable_text(node: cst.BaseExpression) -> str | None:
    """The source of a name, a constant, a dotted name or a tuple of such; else None."""
    if isinstance(node, cst.Name):
        return identifier(node)
    if isinstance(node, (cst.Integer, cst.SimpleString)):
        return node.value
    if isinstance(node, cst.Attribute):
        base = stable_text(node.value)
        return f"{base}.{identifier(node.attr)}" if base else None
    if isinstance(node, cst.Tuple):
        texts = [stable_text(element.value) for element in node.elements]
        return ", ".join(text or "" for text in texts) if all(texts) else None
    return None
