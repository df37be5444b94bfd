"""The module under proof, anew for each run, with stand-ins for the libraries it uses."""

from __future__ import annotations

import contextlib
import enum
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from lane_runtime.testing.proof._stage import Stage


class Program:
    """The text of a module, compiled once and run for each run of the proof."""

    def __init__(self, file: str, name: str, root: str) -> None:
        self.file = file
        self.name = name
        self._root = os.path.abspath(root)
        self.text = Path(file).read_bytes()
        self._code: CodeType = compile(self.text, file, "exec", dont_inherit=True)
        self.missing: set[str] = set()
        self._finder: _MissingFinder | None = None

    def load(self, stage: Stage) -> ModuleType:
        """Run the module's body in a new module."""
        module = ModuleType(self.name)
        module.__file__ = self.file
        module.__package__ = self.name.rpartition(".")[0] or None
        module.__spec__ = importlib.machinery.ModuleSpec(self.name, None, origin=self.file)
        sys.modules[self.name] = module
        self._forget_missing()
        self._finder = _MissingFinder(stage, self.missing)
        sys.meta_path.append(self._finder)  # it stays: functions import too
        exec(self._code, module.__dict__)
        module.__dict__.setdefault("open", stage.stand_in("open"))
        self._replace_libraries(module, stage)
        for kind in list(vars(module).values()):
            if isinstance(kind, type) and kind.__module__ == self.name:
                _count_writes(kind, stage)
        return module

    def close(self) -> None:
        """Take back what has been put in the way of imports."""
        self._forget_missing()
        self._finder = None
        sys.modules.pop(self.name, None)

    def _forget_missing(self) -> None:
        if self._finder is not None:
            sys.meta_path.remove(self._finder)
            for name in self._finder.made:
                sys.modules.pop(name, None)

    def _replace_libraries(self, module: ModuleType, stage: Stage) -> None:
        for name, value in list(vars(module).items()):
            if name.startswith("__") or not self._is_foreign(value):
                continue
            setattr(module, name, stage.stand_in(name))

    def _is_foreign(self, value: Any) -> bool:
        """Whether a global is a library's module, class or function that would act on the real world."""
        if isinstance(value, ModuleType):
            owner = value
        else:
            if isinstance(value, type) and issubclass(value, BaseException):
                return False
            if not isinstance(value, type) and not callable(value):
                return False
            found = sys.modules.get(getattr(value, "__module__", None) or "")
            if found is None:
                return False
            owner = found
        top = owner.__name__.partition(".")[0]
        if top in sys.stdlib_module_names or top in ("lane_runtime", self.name.partition(".")[0]):
            return False
        file = getattr(owner, "__file__", None)
        return file is None or "site-packages" in file or not os.path.abspath(file).startswith(self._root)


def _count_writes(kind: type, stage: Stage) -> None:
    """Let a class count the attributes that are set on its objects, the same value set again too."""
    if "__setattr__" in vars(kind) or issubclass(kind, BaseException | enum.Enum):
        return
    inherited = kind.__setattr__

    def counting(self: object, name: str, value: object) -> None:
        stage.written += 1
        inherited(self, name, value)

    with contextlib.suppress(AttributeError, TypeError):
        kind.__setattr__ = counting  # type: ignore[method-assign]  # on a class made for this run


class _MissingFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands last in line and makes what nobody else can find."""

    def __init__(self, stage: Stage, missing: set[str]) -> None:
        self._stage = stage
        self._missing = missing
        self.made: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec:
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        self.made.append(spec.name)
        self._missing.add(spec.name)
        return _Missing(spec.name, self._stage)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class _Missing(ModuleType):
    """A module that is not installed here."""

    def __init__(self, name: str, stage: Stage) -> None:
        super().__init__(name)
        self.__dict__["_made_on"] = stage

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name[:1].isupper() and name.endswith(("Error", "Exception", "Timeout")):
            made: Any = type(name, (Exception,), {"__module__": self.__name__})
        else:
            made = self.__dict__["_made_on"].stand_in(name)
        setattr(self, name, made)
        return made
