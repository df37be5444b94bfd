"""What the modules around one tell of it before it is looked at: guards that it inherits, lanes that it imports."""

from __future__ import annotations

from lane_lint.mentions import Mentions
from lane_lint.outline import ClassOutline, ModuleOutline
from lane_lint.project.bases import entered_names, imported_names
from lane_lint.project.files import ProjectFiles
from lane_lint.project.view import ProjectView
from lane_lint.settings import Settings
from lane_lint.sketch import Sketch


def note_surroundings(
    mentions: Mentions, files: ProjectFiles, path: str, text: str, settings: Settings
) -> None:
    """Add to what a module's own words tell that its bases make locks, or that it enters imported lanes."""
    bases = files.base_files(path, text)
    ancestors = files.ancestors(bases) if bases else []
    mentions.add(
        lanes=any(a.lanes for a in ancestors) or _enters_imported_lane(files, path, text, settings),
        locks=any(a.makes_locks for a in ancestors),
    )


def _enters_imported_lane(files: ProjectFiles, path: str, text: str, settings: Settings) -> bool:
    names = entered_names(text, settings.lane_entry_methods)
    if not names:
        return False
    heads = {name.partition(".")[0] for name in names}
    imports = imported_names(text, files.finder.package(path), heads)
    for name in sorted(names):
        head, dot, rest = name.partition(".")
        if head in imports:
            found = files.finder.find(path, imports[head] + dot + rest)
            if any(files.words(file).lanes for file, _ in found):
                return True
    return False


def link_classes(module: ModuleOutline, view: ProjectView, mentions: Mentions, *, only_locks: bool) -> None:
    """Give the classes that may hold a finding their bases in other modules; to read those takes time.

    Args:
        only_locks: A class that takes no lock itself holds none, unless lanes are about.
    """
    only_locks = only_locks and not mentions.lanes
    inherits = mentions.inherits_guards and not only_locks
    families = (c for c in module.classes.values() if inherits or _acts(module, c, only_locks=only_locks))
    view.link(module, list(dict.fromkeys(each for c in families for each in module.family(c))))
    module.families.clear()
    module.methods_found.clear()


def _acts(module: ModuleOutline, owner: ClassOutline, *, only_locks: bool) -> bool:
    """Whether a class, or a relative of it in the module, waits or takes what may be a lock, and inherits something."""
    family = module.family(owner)
    functions = [f for each in family for f in each.functions()]
    own = {name for each in family for name in (*each.methods, *each.setters, *each.makers)}
    own |= {w.attribute for f in functions for w in f.sketch.writes}
    return any(_rests_on(f.sketch, own, only_locks=only_locks) for f in functions)


def _rests_on(sketch: Sketch, own: set[str], *, only_locks: bool) -> bool:
    """Whether what a function inherits may matter: a method that it calls, a lock, or state beside its own."""
    if sketch.contexts or sketch.acquires:
        return bool((sketch.references | sketch.own_calls.keys()) - own)
    if only_locks or not sketch.suspensions:
        return False
    return bool(sketch.own_calls.keys() - own or (sketch.writes and sketch.references - own))
