"""Some of the tasks, by name."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from knowflow.ground.errors import UnknownNameError
from knowflow.ground.spelling import did_you_mean
from knowflow_bench.tasks.task_file import BenchmarkFile


def selected(files: Sequence[BenchmarkFile], names: Sequence[str]) -> list[BenchmarkFile]:
    """The files with the tasks of these names, or all tasks of sub-domains of these names; all without names.

    Raises:
        UnknownNameError: there is no task and no sub-domain of a name.
    """
    if not names:
        return list(files)
    known = {file.benchmark for file in files} | {task.task for file in files for task in file.tasks}
    for name in names:
        if name not in known:
            raise _unknown("task", "a task or a sub-domain", name, known)
    chosen = []
    for file in files:
        if file.benchmark in names:
            chosen.append(file)
        else:
            tasks = tuple(task for task in file.tasks if task.task in names)
            if tasks:
                chosen.append(file.model_copy(update={"tasks": tasks, "unanswerable": ()}))
    return chosen


def require_batch(files: Sequence[BenchmarkFile], name: str | None) -> str | None:
    """The name of a batch of fresh questions, where one is given.

    Raises:
        UnknownNameError: no question is of such a batch.
    """
    cases = (case for file in files for task in file.tasks for case in (task.simple, task.complex))
    known = {batch for case in cases for batch in case.fresh}
    if name is not None and name not in known:
        raise _unknown("batch of questions", f"one of {', '.join(sorted(known))}", name, known)
    return name


def _unknown(what: str, expected: str, name: str, known: Collection[str]) -> UnknownNameError:
    hint = did_you_mean(name, known, most=1) or None
    return UnknownNameError(f"there is no such {what}", expected=expected, found=name, hint=hint)
