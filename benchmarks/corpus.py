"""Fetch the pinned source distributions of corpus.toml and print where they lie.

pip downloads them from whatever index it is configured for. To name a source distribution's metadata
it runs that project's build backend, so this needs the network and a minute the first time; what is
in the cache folder is not fetched again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path

PINS = Path(__file__).resolve().parent / "corpus.toml"
# git ignores build/.
DEFAULT_CACHE = PINS.parent.parent / "build" / "corpus"
_EXCLUDED = frozenset({".eggs", ".git", ".nox", ".tox", ".venv", "__pycache__", "node_modules"})


class FetchError(Exception):
    """A package cannot be fetched; the text says why and what to do."""


def pinned_packages(names: Collection[str] = (), *, further: bool = False) -> list[str]:
    """The pins, `name==version`, of `names`, or all.

    Args:
        further: Those that have no part in the benchmarks too.

    Raises:
        FetchError: A name has no pin.
    """
    lists: dict[str, list[str]] = tomllib.loads(PINS.read_text(encoding="utf-8"))
    pins = lists["packages"] + (lists["further"] if further else [])
    known = [pin.partition("==")[0] for pin in pins]
    for name in names:
        if name not in known:
            raise FetchError(f"{name}: not in {PINS.name}; it has {', '.join(known)}")
    return [pin for pin in pins if not names or pin.partition("==")[0] in names]


def fetched(pins: Sequence[str], cache: Path) -> list[Path]:
    """The folder of each pin, `cache/name-version`; what is missing is fetched.

    Raises:
        FetchError: pip cannot download one, or it is no source distribution.
    """
    return [_fetched(pin, cache) for pin in pins]


def python_files(folder: Path) -> list[Path]:
    """The `.py` files below a folder, sorted, without what the checker and flake8 leave out."""
    return sorted(
        path
        for path in folder.rglob("*.py")
        if path.is_file() and _EXCLUDED.isdisjoint(path.relative_to(folder).parts)
    )


def _fetched(pin: str, cache: Path) -> Path:
    folder = cache / pin.replace("==", "-")
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix=".fetching-") as scratch:
            archive = _downloaded(pin, Path(scratch))
            shutil.unpack_archive(archive, Path(scratch) / "unpacked", filter="data")
            (top,) = (Path(scratch) / "unpacked").iterdir()
            top.rename(folder)
    return folder


def _downloaded(pin: str, folder: Path) -> Path:
    """Download one source distribution into an empty folder."""
    name = pin.partition("==")[0]
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", name]
    done = subprocess.run([*command, "--dest", str(folder), pin], capture_output=True, text=True, check=False)
    archives = [*folder.glob("*.tar.gz"), *folder.glob("*.zip")]
    if done.returncode != 0 or not archives:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = errors[-1].removeprefix("ERROR: ") if errors else f"exit status {done.returncode}"
        raise FetchError(
            f"cannot fetch {pin}: pip: {reason}. The package index must be reachable, "
            f"or --cache must name a folder that holds {pin.replace('==', '-')}"
        )
    return archives[0]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which packages to take and where they are kept."""
    parser.add_argument(
        "--packages",
        type=lambda text: text.split(","),
        default=[],
        metavar="NAMES",
        help="names from corpus.toml, separated by commas (default: all)",
    )
    parser.add_argument(
        "--cache", type=Path, default=DEFAULT_CACHE, metavar="FOLDER", help="default: build/corpus"
    )


def main() -> int:
    """Fetch what is missing and print a line for each package."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument(
        "--further", action="store_true", help="fetch those that are only read for precision too"
    )
    options = parser.parse_args()
    try:
        for folder in fetched(pinned_packages(options.packages, further=options.further), options.cache):
            files = python_files(folder)
            lines = sum(path.read_bytes().count(b"\n") for path in files)
            print(f"{folder}: {len(files)} files, {lines} lines")
    except FetchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
