"""Files where knowledge is looked for that nothing reads: another ending, no folder of theirs, a file for a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

from knowflow.ground.report import Problem
from knowflow.ground.resources import Kind, packaged_root, project_root, user_root

_WHERE = {
    "tool": "schemas",
    "template": "templates",
    "model": "models",
    "rules": "pkb/rules",
    "benchmark": "benchmarks/tasks",
    "folder": "benchmarks/folders",
}

_BY_ENDING = ("schemas", "templates", "pkb")  # cards of models are also read by their path, whatever it ends in


def unread_in_use() -> Iterator[Problem]:
    """Every such file in the project's and the user's folder of knowledge."""
    for root in _roots():
        for kind in get_args(Kind):
            folder = root / kind
            if folder.is_file():
                expected, found = f"a folder called {kind}", "a file of that name, which nothing reads"
                yield Problem("not_in_use", expected, found, "make it a folder", file=str(folder), line=1)
                continue
            yield from filter(None, (unread(path) for path in sorted(folder.rglob("*")) if path.is_file()))


def unread(path: Path, kind: str | None = None, folders: Iterable[str] = ()) -> Problem | None:
    """Why a file is not read where it lies; None where it is, or where no knowledge is looked for.

    ``kind`` is what it begins with, and ``folders`` those of ``pkb`` that such documents belong in.
    """
    place = _place(path)
    if place is None:
        return None
    root, inside = place
    head, *rest = inside.parts
    known = packaged_root("pkb")
    if inside.suffix == ".yml" and head in _BY_ENDING:
        expected, found = "a name that ends in .yaml", f"{inside.name}, which nothing reads"
        return Problem("not_in_use", expected, found, f"call it {inside.stem}.yaml", file=str(path), line=1)
    if head != "pkb" or not rest:
        return None
    if len(rest) == 1 and (known / rest[0]).is_dir():
        expected, found = f"a folder called {rest[0]}", "a file of that name, which nothing reads"
        return Problem(
            "not_in_use", expected, found, "make it a folder, and put the file in it", file=str(path), line=1
        )
    if inside.suffix != ".yaml" or (known / rest[0]).is_dir() or (len(rest) == 1 and (known / rest[0]).is_file()):
        return None
    wanted = _WHERE.get(kind or "") or next((f"pkb/{folder}" for folder in folders), None)
    there = sorted(one.name for one in known.iterdir() if one.is_dir() and not one.name.startswith((".", "_")))
    expected = f"{root / wanted}/" if wanted else f"one of the folders of {root / 'pkb'}: {', '.join(there)}"
    found = f"{inside.parent.as_posix()}/, where nothing reads it"
    return Problem("not_in_use", expected, found, "put it there, and check it again", file=str(path), line=1)


def _roots() -> tuple[Path, ...]:
    project = project_root()
    return tuple(root.resolve() for root in (*([] if project is None else [project]), user_root()) if root.is_dir())


def _place(path: Path) -> tuple[Path, Path] | None:
    """The folder of knowledge that a file lies in, and where in it."""
    for root in _roots():
        if path.resolve().is_relative_to(root):
            inside = path.resolve().relative_to(root)
            return (root, inside) if inside.parts and inside.parts[0] in get_args(Kind) else None
    return None
