"""Questions about labelled folders: whether the names that files have cost answers that tidy ones would give.

The same pixels are asked about as a folder that says all of itself (tidy), under published names, and as people rename
them. Every question is asked with a state of its own, by the local runner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from knowflow.service.api import Service
from knowflow.service.results import RunResult
from knowflow_bench.inventory.labelled_folder import FolderQuestion, LabelledFolder
from knowflow_bench.inventory.written import write_folder, write_tidy
from knowflow_bench.tasks.judge import judge
from knowflow_bench.tasks.task_file import TrueAnswer
from knowflow_bench.truth import Fields

Answered = Literal["right", "wrong", "refused"]
KINDS = ("tidy", "published", "renamed")


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of one question: ``found`` is the answer, or the reason why there is none."""

    folder: str
    names: Literal["tidy", "published", "renamed"]
    question: str
    outcome: Answered
    expected: str
    found: str


def asked_of(folder: LabelledFolder, place: Path) -> Iterator[Asked]:
    """Every question of a folder, asked under all names; the folders and all state are made in ``place``."""
    if not folder.questions:
        return
    roots = [("tidy", place / "tidy" / folder.folder)]
    write_tidy(folder, roots[0][1])
    for number in range(folder.renamings + 1):
        roots.append(("renamed" if number else "published", write_folder(folder, place / str(number), number)))
    for names, root in roots:
        for number, question in enumerate(folder.questions):
            state = root.parent / f"question {number}"
            result = Service(state / "home").run(question.ask, root, assume=folder.assume, out=state / "out")
            yield _judged(folder.folder, names, question, result)


def _judged(folder: str, names: Any, question: FolderQuestion, result: RunResult) -> Asked:
    """A refusal is right where there is no answer; what runs and fails gives none either."""
    truth = question.truth
    expected = "no answer" if truth is None else f"{truth} {question.unit or ''}".strip()
    if result.status != "completed":
        error = result.error or {}
        found = f"{error.get('code', result.status)}: {error.get('message', '')}: {error.get('found') or ''}"
        return Asked(folder, names, question.ask, "right" if truth is None else "refused", expected, found)
    found = f"{result.answer} {result.unit or ''}".strip()
    if truth is None:
        return Asked(folder, names, question.ask, "wrong", expected, found)
    given = question.model_dump(include={"unit", "tolerance", "difference"})
    answer = TrueAnswer.model_validate({**given, "value": f"'{truth}'" if isinstance(truth, str) else truth})
    right = judge(answer, Fields({}), result).right
    return Asked(folder, names, question.ask, "right" if right else "wrong", expected, found)


def report(asked: Iterable[Asked]) -> dict[str, Any]:
    """``{"names": {NAMES: {"n", "right", "wrong", "refused", "share"}}, "points_apart", "cases"}``.

    ``points_apart`` is by how many percentage points the share of right answers is lower than under tidy names, under
    the worse of the others; ``cases`` are the answers that are not right.
    """
    every = list(asked)
    names = {kind: _counted([one for one in every if one.names == kind]) for kind in KINDS}
    tidy, *others = (one["share"] for one in names.values())
    told = [share for share in others if share is not None]
    apart = round(100 * (tidy - min(told)), 1) if told else None
    return {"names": names, "points_apart": apart, "cases": [asdict(one) for one in every if one.outcome != "right"]}


def _counted(asked: Sequence[Asked]) -> dict[str, Any]:
    counted = Counter(one.outcome for one in asked)
    share = round(counted["right"] / len(asked), 4) if asked else None
    return {"n": len(asked), **{name: counted[name] for name in ("right", "wrong", "refused")}, "share": share}
