"""The command `lane-lint`: words in, words out; every decision is made below."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module

from lane_lint.cli.status import CANNOT, INTERRUPTED, TERMINATED, complain

_COMMANDS = {
    "check": "report the defects of Python files",
    "baseline": "write, check or prune the findings that are known and not reported",
    "config": "show every setting and where it comes from",
    "classify": "print components with the class of their state",
    "explain": "explain one code",
    "fix": "mend what is safe to mend: print a diff, or change the files",
    "prove": "run a finding's function in every overlap and show the one that goes wrong",
    "rules": "list every rule",
    "summarise": "check one shard of the files and write its summary, for link",
    "link": "report what the summaries of all shards have found",
}


class _Version(argparse.Action):
    """Look the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        import lane_lint

        print(f"lane-lint {lane_lint.__version__}")
        parser.exit()


class _TerminatedError(BaseException):
    """SIGTERM came; what is under way is cleaned up before the end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and give its exit status: 0 clean, 1 findings, 2 could not do what was asked."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who called
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - open until the process ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # file names need not be text
    try:
        _raise_on_termination()
        status = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except _TerminatedError:
        return TERMINATED
    except BrokenPipeError:
        _give_up_standard_output()  # who read it has gone
        return CANNOT
    except OSError as error:
        complain(str(error) if _is_here() else "the current folder is gone; change into one that exists")
        _give_up_standard_output()
        return CANNOT


def _is_here() -> bool:
    try:
        return bool(os.getcwd())
    except OSError:
        return False


def _raise_on_termination() -> None:
    def terminate(*_: object) -> None:
        raise _TerminatedError

    # Whoever has us ignore or handle it knows why; only the main thread may ask for signals.
    if (
        signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        and threading.current_thread() is threading.main_thread()
    ):
        signal.signal(signal.SIGTERM, terminate)


def _give_up_standard_output() -> None:
    """Keep the interpreter's last flush from complaining about what cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="lane-lint",
        description="Find snapshots of shared state that are stale by the time they are acted on.",
        epilog="exit status: 0 clean, 1 findings, 2 could not do what was asked",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    for name, help_text in _COMMANDS.items():
        command = commands.add_parser(
            name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}."
        )
        if name == wanted:  # the other subcommands' modules are not needed
            module = import_module(f"lane_lint.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    status: int = options.run(options)
    return status
