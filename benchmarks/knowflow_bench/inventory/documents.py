"""Sets of labelled folders: loaded, and checked like all knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from knowflow.ground.errors import DocumentError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import known
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.documents import Loaded
from knowflow_bench.authored import loaded
from knowflow_bench.inventory.labelled_folder import LabelledFolder, LabelledFolders

PATTERN = "folders/**/*.yaml"


def labelled_folders(paths: Sequence[Path] = ()) -> dict[str, tuple[LabelledFolder, ...]]:
    """The folders of these sets, or of all at hand, by the file that they are in.

    Raises:
        DocumentError: a set is not valid; all problems of all sets are listed.
    """
    sets = [(one, list(_of_set(one))) for one in loaded(PATTERN, LabelledFolders, paths)]
    problems = [problem for _, found in sets for problem in found]
    if problems:
        raise DocumentError("the sets of labelled folders are not valid", problems=problems)
    return {str(one.path): one.model.root for one, _ in sets if one.model is not None}


def check_folders(paths: Sequence[Path] = ()) -> list[Problem]:
    """Every problem of these sets, or of all at hand: shape, dates, names of quantities and units."""
    return [problem for one in loaded(PATTERN, LabelledFolders, paths) for problem in _of_set(one)]


def _of_set(one: Loaded[LabelledFolders]) -> Iterator[Problem]:
    yield from one.problems
    seen: set[str] = set()
    for number, folder in enumerate(one.model.root if one.model is not None else ()):
        if folder.folder in seen:
            place = (number, "folder")
            yield one.document.problem(place, "duplicate_name", "each folder once", folder.folder)
        seen.add(folder.folder)
        yield from _of_folder(folder, one.document, (number, "files"))


def _of_folder(folder: LabelledFolder, document: Document, place: Key) -> Iterator[Problem]:
    kinds = quantity_kinds()
    for number, file in enumerate(folder.files):
        if file.features is not None and PurePath(file.path).suffix.casefold() == ".csv":
            expected, hint = "a format of vectors", "write a table as text: with columns lon and lat"
            yield document.problem((*place, number, "features"), "no_vector_format", expected, ".csv", hint)
        for truth in file.truth:
            where = (*place, number, "truth")
            named = truth.quantity if isinstance(truth.quantity, tuple) else filter(None, (truth.quantity,))
            for quantity in named:
                if quantity not in kinds:
                    hint = did_you_mean(quantity, kinds, "docs/reference/quantities.md lists them")
                    yield document.problem(where, "unknown_quantity", "a quantity kind", quantity, hint)
            if truth.unit is not None and not known(truth.unit):
                yield document.problem(where, "unknown_unit", "a unit", truth.unit)
