"""What a module's imported names stand for, as far as the modules they come from can be read."""

from __future__ import annotations

from collections.abc import Iterator

from lane_lint.outline import FunctionOutline, ModuleOutline


def imported_makers(module: ModuleOutline, name: str) -> Iterator[str]:
    """What another module's global is made from: `GUARD`, or `locks.GUARD`, of which the last part is known."""
    dotted = [module.imports[name]] if name in module.imports else []
    if name.isupper():
        dotted += [f"{origin}.{name}" for origin in module.imports.values()]
    for each in dotted:
        if (found := module.foreign_global(each)) is not None:
            yield from module.makers_of_global(found)


def imported_functions(module: ModuleOutline, function: FunctionOutline) -> Iterator[FunctionOutline]:
    """Functions of other modules that are given the object itself."""
    for name in function.sketch.handed_to:
        is_imported = name.partition(".")[0] in module.imports
        if is_imported and (found := module.function_named(name)) is not None:
            yield found
