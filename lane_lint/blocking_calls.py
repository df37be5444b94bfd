"""Calls that may block a thread, by the cheap look at their names and the number of their arguments."""

from __future__ import annotations

import ast

from lane_lint.sketch import dotted

SUBMITTERS = frozenset(
    {
        "submit",
        "map",
        "imap",
        "imap_unordered",
        "apply",
        "apply_async",
        "map_async",
        "starmap",
        "starmap_async",
        "run_in_executor",
    }
)
WAITERS = frozenset(
    {
        "result",
        "exception",
        "join",
        "get",
        "put",
        "wait",
        "wait_for",
        "communicate",
        "run_blocking",
        "shutdown",
        "acquire",
        "as_completed",
        "sleep",
        "run",
        "call",
        "check_call",
        "check_output",
        "getoutput",
        "getstatusoutput",
        "system",
        "waitpid",
        "apply",
        "starmap",
        "map",
    }
)
_OF_A_MODULE = frozenset({"run", "call", "check_call", "check_output", "sleep", "system"})


def may_block(call: ast.Call) -> bool:
    """Whether a call with such a name may be one that waits, and not `", ".join(words)` or `rows.get(key)`."""
    function, arguments = call.func, call.args
    if isinstance(function, ast.Name):
        return True
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr == "join":
        is_text = isinstance(function.value, ast.Constant) or _last_name(function.value) == "path"
        return not is_text and (
            not arguments
            or (len(arguments) == 1 and isinstance(arguments[0], (ast.Constant, ast.Name, ast.Attribute)))
        )
    if function.attr == "get":
        return not arguments or (
            isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, bool)
        )
    if function.attr in _OF_A_MODULE:
        return isinstance(function.value, ast.Name)
    return True


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def can_be_waited_for(node: ast.expr) -> bool:
    """Whether a value is a thread or a process, or what an executor gives for work."""
    name = dotted(node.func) if isinstance(node, ast.Call) else None
    return name is not None and name.rpartition(".")[2] in SUBMITTERS | {
        "Thread",
        "Timer",
        "Process",
        "Popen",
    }
