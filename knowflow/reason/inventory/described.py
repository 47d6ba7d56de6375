"""Folders that describe themselves: ``knowflow.yaml`` says what the files hold, as ``--assume`` would.

What it says are facts of origin ``user``; of two such files the deeper one counts, and ``--assume`` counts over both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from knowflow.ground.errors import DocumentError, KnowFlowError
from knowflow.ground.report import Problem
from knowflow.knowledge.documents import load_model
from knowflow.model.dataset import DATASET_FILE, Dataset
from knowflow.reason.inventory.assume import Assumption, parse_assumptions


def said_by_folders(files: Iterable[Path]) -> tuple[Assumption, ...]:
    """What the descriptions among some files say of the others, those of deeper folders last.

    Raises:
        DocumentError: with everything that is wrong with them.
    """
    described = sorted((path for path in files if path.name == DATASET_FILE), key=lambda path: len(path.parts))
    found: list[Assumption] = []
    problems: list[Problem] = []
    for path in described:
        said, wrong = _read(path)
        found += said
        problems += wrong
    if problems:
        raise DocumentError("the description of the data is not valid", problems=problems)
    return tuple(found)


def dataset_problems(path: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with a description, by line; patterns that fit no file are told as warnings."""
    problems = _read(path)[1]
    return (*problems, *(() if problems else _idle(path)))


def _read(path: Path) -> tuple[list[Assumption], list[Problem]]:
    loaded = load_model(path, Dataset)
    problems = list(loaded.problems)
    found: list[Assumption] = []
    for number, layer in enumerate(loaded.model.layers if loaded.model is not None else ()):
        for fact, value in layer.facts.items():
            try:
                (said,) = parse_assumptions({fact: value})
            except KnowFlowError as error:
                place = ("layers", number, fact)
                expected, wrong = error.expected or error.message, error.found or repr(value)
                problems.append(loaded.document.problem(place, error.code, expected, wrong, error.hint or ""))
                continue
            found += [Assumption(said.fact, said.value, files, DATASET_FILE, _place(path)) for files in layer.files]
    return found, problems


def _idle(path: Path) -> Iterator[Problem]:
    loaded = load_model(path, Dataset)
    there = [str(file) for file in path.parent.rglob("*") if file.is_file() and file != path]
    for number, layer in enumerate(loaded.model.layers if loaded.model is not None else ()):
        for place, files in enumerate(layer.files):
            named = dict.fromkeys(
                (files, files.rpartition(":")[0] or files)
            )  # a variable is in the file before the colon
            ones = [Assumption("region", "", name, within=_place(path)) for name in named]
            if not any(one.names_path(file) for one in ones for file in there):
                where = ("layers", number, "files", place)
                yield loaded.document.problem(
                    where, "fits_no_file", "a pattern that fits a file", repr(files), "delete it", "warning"
                )


def _place(path: Path) -> str:
    """The folder of a description as the paths of its files begin; "" for the one that they are told from."""
    return "" if path.parent == Path() else str(path.parent)
