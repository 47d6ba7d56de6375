"""Patterns that fit some files of a folder and no others, as ``--assume`` and a described dataset take them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from fnmatch import translate
from glob import escape
from pathlib import PurePath

from knowflow.model.artifact import Artifact
from knowflow.reason.inventory.tags import VARIABLE

_NUMBERS = re.compile(r"\d+(?:[-_.T:]*\d+)*")
_MOST_PATTERNS = 20  # more say less than the names themselves


def variable_of(item: Artifact) -> str:
    """What ``--assume`` adds to the name of a file of several variables, to mean one: ``:t2m``; else nothing."""
    layer = item.known("layer")
    return f":{layer.value}" if layer is not None and layer.source == VARIABLE else ""


def stem_of(item: Artifact) -> str:
    """What ``--assume`` calls a layer by: the name of its file without the ending, and its variable."""
    return f"{PurePath(item.path or item.name).stem}{variable_of(item)}"


def patterns_of(files: Iterable[str], every: Collection[str], *, exact: bool = False) -> tuple[str, ...]:
    """Patterns of file names, with ``*`` for their numbers, that fit all of some files and no other one of a folder.

    ``files`` and ``every`` are paths within the folder, with ``/``. A name that no pattern can tell from others stands
    by itself; one that is in several folders with its folder (``./`` is the folder of the data). Upper and lower case
    are the same. With ``exact`` all names stand by themselves.
    """
    listed = dict.fromkeys(files)
    others = [path.casefold() for path in every if path not in listed]
    shapes: dict[str, list[str]] = {}
    for path in listed:
        shapes.setdefault(_shape(PurePath(path).name), []).append(path)
    found: list[str] = []
    for shape, paths in shapes.items() if len(shapes) <= _MOST_PATTERNS and not exact else ():
        in_folders = dict.fromkeys(f"{escape(PurePath(path).parent.as_posix())}/{shape}" for path in paths)
        for patterns in ([shape], list(in_folders)):
            if not any(_fits(pattern, others) for pattern in patterns):
                found += patterns
                break
        else:
            found += _alone(paths, others)
    return tuple(dict.fromkeys(found or _alone(list(listed), others)))


def _shape(name: str) -> str:
    return "*".join(escape(part) for part in _NUMBERS.split(name))


def _fits(pattern: str, paths: Iterable[str]) -> bool:
    """Whether a pattern fits one of some paths: its name, or with a folder in the pattern the whole of it."""
    fits = re.compile(translate(pattern.casefold().removeprefix("./"))).match
    if "/" in pattern:
        return any(fits(path) for path in paths)
    return any(fits(path.rpartition("/")[2]) for path in paths)


def _alone(paths: Iterable[str], others: Iterable[str]) -> list[str]:
    """Names as they are; with their folder where another file has the same name."""
    names = {path.rpartition("/")[2] for path in others}
    return [
        escape(f"{place.parent.as_posix()}/{place.name}" if place.name.casefold() in names else place.name)
        for place in map(PurePath, paths)
    ]
