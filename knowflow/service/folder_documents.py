"""Sets of labelled folders: loaded, and checked like all knowledge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from knowflow.ground.errors import DocumentError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.resources import resources
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import known
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.documents import Loaded, load_model
from knowflow.model.labelled_folder import LabelledFolder, LabelledFolders

PATTERN = "folders/**/*.yaml"


def labelled_folders(paths: Sequence[Path] = ()) -> dict[str, tuple[LabelledFolder, ...]]:
    """The folders of these sets, or of all at hand, by the file that they are in.

    Raises:
        DocumentError: a set is not valid; all problems of all sets are listed.
    """
    loaded = [(one, list(_of_set(one))) for one in _loaded(paths)]
    problems = [problem for _, found in loaded for problem in found]
    if problems:
        raise DocumentError("the sets of labelled folders are not valid", problems=problems)
    return {str(one.path): one.model.root for one, _ in loaded if one.model is not None}


def check_folders(paths: Sequence[Path] = ()) -> list[Problem]:
    """Every problem of these sets, or of all at hand: shape, dates, names of quantities and units."""
    return [problem for one in _loaded(paths) for problem in _of_set(one)]


def _loaded(paths: Sequence[Path]) -> Iterable[Loaded[LabelledFolders]]:
    found = paths or [resource.path for resource in resources("pkb", PATTERN)]
    return (load_model(path, LabelledFolders) for path in found)


def _of_set(loaded: Loaded[LabelledFolders]) -> Iterator[Problem]:
    yield from loaded.problems
    seen: set[str] = set()
    for number, folder in enumerate(loaded.model.root if loaded.model is not None else ()):
        if folder.folder in seen:
            place = (number, "folder")
            yield loaded.document.problem(place, "duplicate_name", "each folder once", folder.folder)
        seen.add(folder.folder)
        yield from _of_folder(folder, loaded.document, (number, "files"))


def _of_folder(folder: LabelledFolder, document: Document, place: Key) -> Iterator[Problem]:
    kinds = quantity_kinds()
    for number, file in enumerate(folder.files):
        for truth in file.truth:
            where = (*place, number, "truth")
            named = truth.quantity if isinstance(truth.quantity, tuple) else filter(None, (truth.quantity,))
            for quantity in named:
                if quantity not in kinds:
                    hint = did_you_mean(quantity, kinds, "docs/reference/quantities.md lists them")
                    yield document.problem(where, "unknown_quantity", "a quantity kind", quantity, hint)
            if truth.unit is not None and not known(truth.unit):
                yield document.problem(where, "unknown_unit", "a unit", truth.unit)
