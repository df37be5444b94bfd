"""`lane-lint classify`."""

from __future__ import annotations

import argparse
import os
import sys

from lane_lint.classification import classify_bytes, classify_file
from lane_lint.cli.status import CANNOT, CLEAN, complain
from lane_lint.config import ConfigError, load_settings
from lane_lint.paths import STANDARD_INPUT, select_files
from lane_lint.report.components import as_json, as_text
from lane_lint.requirements import INSTALL, has_libcst


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `classify` takes."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files, or folders; - is standard input; default ."
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print it")


def run(options: argparse.Namespace) -> int:
    """Print each component with the class of its state."""
    if not has_libcst():
        complain(f"the checker needs libcst: {INSTALL}")
        return CANNOT
    try:
        settings = load_settings(os.getcwd(), {})
    except ConfigError as error:
        complain(str(error))
        return CANNOT
    selection = select_files(options.paths or ["."], settings)
    files = [classify_file(path, settings) for path in selection.files if path != STANDARD_INPUT]
    if STANDARD_INPUT in selection.files:
        data = sys.stdin.buffer.read() if sys.stdin is not None else b""
        files.append(classify_bytes("stdin", data, settings))
    errors = [*selection.errors, *((file.path, file.error) for file in files if file.error is not None)]
    for path, reason in errors:
        complain(f"{path}: {reason}")
    print(as_json(files) if options.format == "json" else as_text(files), end="")
    return CANNOT if errors else CLEAN
