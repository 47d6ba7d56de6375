"""The check of what is authored for benches: tasks, labelled folders, sentences with what they ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from knowflow.ground.report import Problem
from knowflow.ground.yamldoc import load
from knowflow.knowledge.catalogue import Catalogue, kind_of, load_catalogue
from knowflow.roof.schemas import headed
from knowflow.service.knowledge import authored_files
from knowflow_bench.corpus import CorpusFile, check_corpus
from knowflow_bench.inventory.documents import check_folders
from knowflow_bench.inventory.labelled_folder import LabelledFolders
from knowflow_bench.tasks.documents import check_benchmark
from knowflow_bench.tasks.task_file import BenchmarkFile

KINDS = ("benchmark", "folder", "corpus")


def check(paths: Sequence[Path] = (), catalogue: Catalogue | None = None) -> list[Problem]:
    """Every problem of these files and folders, or of all documents of benches at hand, by file and line.

    Raises:
        DataNotFoundError: a path does not exist.
    """
    tools = (catalogue or load_catalogue()).tools
    found: Iterable[Problem]
    if paths:
        kinds = {path: kind_of(path) for path in authored_files(paths)}
        tasks, folders, sentences = ([path for path, kind in kinds.items() if kind == one] for one in KINDS)
        others = [_of_no_kind(path) for path, kind in kinds.items() if kind not in KINDS]
        found = [
            *(check_benchmark(tools, tasks) if tasks else ()),
            *(check_folders(folders) if folders else ()),
            *(check_corpus(sentences) if sentences else ()),
            *(problem for some in others for problem in some),
        ]
    else:
        found = [*check_benchmark(tools), *check_folders(), *check_corpus()]
    return sorted(dict.fromkeys(found), key=lambda problem: (problem.file, problem.line, problem.code))


def _of_no_kind(path: Path) -> Iterable[Problem]:
    document = load(path)
    expected = f"a document that begins with one of {', '.join(KINDS)}"
    return document.problems or (
        document.problem((), "unknown_kind", expected, "another", "`knowflow check` reads what is no bench's"),
    )


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schemas by kind of document."""
    models: dict[str, type[BaseModel]] = {"benchmark": BenchmarkFile, "folders": LabelledFolders, "corpus": CorpusFile}
    return {kind: headed(kind, model.model_json_schema(by_alias=True)) for kind, model in models.items()}
