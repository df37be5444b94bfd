"""The components of one file, with the class of their state: source -> outline -> lowering -> flow -> components."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lane_lint.mentions import Mentions
from lane_lint.outlining import outline_module
from lane_lint.source import Source, SourceError

if TYPE_CHECKING:
    from lane_lint.flow.components import Component
    from lane_lint.settings import Settings


@dataclass(frozen=True, slots=True)
class ClassifiedFile:
    """What became of one file; `error` says what of it could not be read, None when all could."""

    path: str
    components: tuple[Component, ...] = ()
    error: str | None = None


def classify_file(path: str, settings: Settings) -> ClassifiedFile:
    """Read one file and classify the state of its components."""
    try:
        with open(path, "rb") as stream:
            return classify_bytes(path, stream.read(), settings)
    except OSError as error:
        return ClassifiedFile(path, error=error.strerror or str(error))


def classify_bytes(path: str, data: bytes, settings: Settings) -> ClassifiedFile:
    """Classify the state of the components in the bytes of one file."""
    try:
        return classify_source(Source.from_bytes(path, data), settings)
    except SourceError as error:
        return ClassifiedFile(path, error=str(error))


def classify_source(source: Source, settings: Settings) -> ClassifiedFile:
    """Classify the state of the components of one text."""
    # The analysis takes long to import.
    from lane_lint.flow.components import components_of
    from lane_lint.flow.program import Program

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the code that is read
            tree = ast.parse(source.text)
        module = outline_module(tree)
        has_lanes = Mentions(source.text, settings).lanes
        program = Program(module, source.lines, settings, has_lanes=has_lanes)
        program.analyse(list(module.all_functions()))
        components = tuple(components_of(program))
        refused = [f"'{f.name}' (line {f.node.lineno}): {why}" for f, why in program.failures.items()]
        return ClassifiedFile(source.path, components, "; ".join(refused) or None)
    except SyntaxError as error:
        return ClassifiedFile(source.path, error=f"line {error.lineno or 1}: {error.msg}")
    except ValueError as error:
        return ClassifiedFile(source.path, error=str(error))
    except (RecursionError, MemoryError):
        return ClassifiedFile(source.path, error="it is nested too deeply, or larger than the memory")
