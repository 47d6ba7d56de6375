"""The benchmark's cases carried out: data written, questions asked, workflows run, answers judged."""

from __future__ import annotations

import multiprocessing
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

from knowflow.ground.errors import DataNotFoundError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.roof.library import KnowFlow
from knowflow.service.api import Service
from knowflow.service.results import RunResult
from knowflow_bench.tasks.data import needs_folder, true_fields, write_data
from knowflow_bench.tasks.judge import judge
from knowflow_bench.tasks.outcome import Outcome, outcome_of, refusal_of
from knowflow_bench.tasks.task_file import BenchmarkFile, BenchmarkTask, Case, Unanswerable
from knowflow_bench.truth import Fields

Level = Literal["simple", "complex"]
LEVELS: tuple[Level, ...] = ("simple", "complex")


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the benchmark is run: what is left out, and where real data are. ``fresh`` asks the questions that were
    written later, ``batch`` those of one batch of them; ``reports`` is a folder where those of the runs are kept."""

    templates: bool = True
    repair: bool = True
    fresh: bool = False
    batch: str | None = None
    real: Path | None = None
    reports: Path | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """The wordings of one case, which share their data; or, without a level, one question without an answer."""

    file: BenchmarkFile
    number: int
    level: Level | None

    @property
    def task(self) -> BenchmarkTask:
        return self.file.tasks[self.number]

    @property
    def case(self) -> Case:
        return self.task.simple if self.level == "simple" else self.task.complex

    @property
    def unanswerable(self) -> Unanswerable:
        return self.file.unanswerable[self.number]

    @property
    def scene(self) -> str:
        return self.unanswerable.scene if self.level is None else self.case.scene


class WithoutTemplates(Service):
    """KnowFlow without its library of workflows: tools with conditions and effects, and nothing that combines them."""

    @cached_property
    def catalogue(self) -> Catalogue:
        return replace(super().catalogue, templates={})


def jobs_of(files: Sequence[BenchmarkFile], conditions: Conditions) -> tuple[list[Job], int]:
    """What is to be done, and how many cases are passed over because their data come from a folder not given."""
    every = [
        Job(file, number, level)
        for file in files
        for levels, items in ((LEVELS, file.tasks), ((None,), file.unanswerable))
        for number in range(len(items))
        for level in levels
    ]
    if conditions.fresh:
        every = [job for job in every if _is_fresh(job, conditions.batch)]
    done = [job for job in every if conditions.real is not None or not needs_folder(job.file, job.scene)]
    return done, len(every) - len(done)


def _is_fresh(job: Job, batch: str | None) -> bool:
    if job.level is not None:
        return bool(job.case.wordings(batch))
    return job.unanswerable.batch is not None and batch in (None, job.unanswerable.batch)


def carried_out(jobs: Sequence[Job], conditions: Conditions, workers: int = 1) -> Iterator[Outcome]:
    """The outcome of every wording, in the order of the jobs."""
    work = partial(outcomes, conditions=conditions)
    if workers <= 1:
        for job in jobs:
            yield from work(job)
        return
    # a fresh interpreter each: a fork of a process with threads (GDAL's, numpy's) may hang
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        for found in pool.map(work, jobs):
            yield from found


def outcomes(job: Job, conditions: Conditions) -> list[Outcome]:
    """All wordings of a case, in a folder, and with a cache and a memory, of their own."""
    with tempfile.TemporaryDirectory(prefix="knowflow-bench-") as name:
        return list(_outcomes(job, conditions, Path(name)))


def _outcomes(job: Job, conditions: Conditions, folder: Path) -> Iterable[Outcome]:
    data = folder / "data"
    if job.level is None:
        asked = job.unanswerable
        write_data(job.file, asked.scene, data, altered=asked.altered, damage=asked.damage, real=conditions.real)
        begun = time.perf_counter()
        result = _asked(asked.ask, (), data, folder, conditions)
        _keep(result, conditions.reports, f"{job.file.benchmark}-unanswerable-{job.number}")
        yield refusal_of(job.file.benchmark, asked, result, time.perf_counter() - begun)
        return
    case = job.case
    write_data(
        job.file,
        case.scene,
        data,
        altered=case.altered,
        added=case.added,
        damage=case.damage,
        real=conditions.real,
    )
    fields = true_fields(job.file, case.scene, case.added, conditions.real)
    for wording, question in enumerate(case.wordings(conditions.batch) if conditions.fresh else case.ask):
        yield _answered(job, wording, question, data, folder / str(wording), fields, conditions)


def _answered(
    job: Job, wording: int, question: str, data: Path, folder: Path, fields: Fields, conditions: Conditions
) -> Outcome:
    """The outcome of one wording. A person who is asked for a fact tells it, where the case says so: once."""
    case, begun, helped = job.case, time.perf_counter(), 0
    result = _asked(question, (), data, folder, conditions)
    if case.person and result.status in ("refused", "failed"):
        helped = 1
        result = _asked(question, case.person, data, folder, conditions)
    verdict = judge(case.answer, fields, result) if result.status == "completed" else None
    _keep(result, conditions.reports, f"{job.file.benchmark}-{job.task.task}-{job.level}-{wording}")
    seconds = time.perf_counter() - begun
    where = (job.file.benchmark, job.task.task, str(job.level), wording, question)
    return outcome_of(where, case, result, verdict, helped, seconds)


def _asked(question: str, assume: Sequence[str], data: Path, folder: Path, conditions: Conditions) -> RunResult:
    home = folder / "home"
    kind = KnowFlow if conditions.reports is not None else Service
    service = (kind if conditions.templates else WithoutTemplates)(home)
    return service.run(question, data, assume=assume, out=folder / "out", max_repairs=None if conditions.repair else 0)


def _keep(result: RunResult, folder: Path | None, name: str) -> None:
    """Copy the report of a run, where it has one, before its folder goes."""
    if folder is not None and result.report is not None:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(result.report, folder / f"{name}.html")


def require_folder(folder: Path | None) -> Path | None:
    """The folder of real data, where one is given.

    Raises:
        DataNotFoundError: there is no such folder.
    """
    if folder is not None and not folder.is_dir():
        raise DataNotFoundError(
            "the folder of real data does not exist", where=str(folder), expected="a folder", found="nothing"
        )
    return folder
