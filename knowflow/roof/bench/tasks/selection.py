"""Some of the tasks, by name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from knowflow.ground.errors import UnknownNameError
from knowflow.model.benchmark import BenchmarkFile


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
            close = difflib.get_close_matches(name, known, n=1)
            raise UnknownNameError(
                "there is no such task",
                expected="a task or a sub-domain",
                found=name,
                hint=f"did you mean {close[0]}?" if close else None,
            )
    chosen = []
    for file in files:
        if file.benchmark in names:
            chosen.append(file)
        else:
            tasks = tuple(task for task in file.tasks if task.task in names)
            if tasks:
                chosen.append(file.model_copy(update={"tasks": tasks, "unanswerable": ()}))
    return chosen
