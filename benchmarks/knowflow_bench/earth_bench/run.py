"""One pass over the benchmark: every question planned, scored, reported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.model.tool import ToolSchema
from knowflow_bench.earth_bench.families import families
from knowflow_bench.earth_bench.pack import pack
from knowflow_bench.earth_bench.planners import PlannerName, planner_of
from knowflow_bench.earth_bench.questions import Regime, read_questions, write_predictions
from knowflow_bench.earth_bench.records import records
from knowflow_bench.earth_bench.rewordings import in_other_words, read_rewordings
from knowflow_bench.earth_bench.scoring import report, score

if TYPE_CHECKING:
    from knowflow.reason.llm import Recorded


def earth_bench(
    questions: Path,
    regime: Regime,
    tools: Mapping[str, ToolSchema],
    *,
    planner: PlannerName = "knowflow",
    predictions: Path | None = None,
    invariance: bool = False,
    rewordings: Path | None = None,
    llm: Recorded | None = None,
) -> dict[str, Any]:
    """Plan every question of a file and compare with the expert's calls.

    Returns the metrics over all questions (``tao``, ``tio``, ``tio_lcs``, ``tem``, ``param``, ``param_bound``, median
    ``eff``, ``precision``, ``abstained``: shares in 0..1), ``plan_ms_p95`` after start-up, ``by_modality``,
    ``by_family``, ``causes`` of differences, ``templates`` with the number of questions each serves, ``invented`` names
    of tools and files, how far the experts' ``records`` can be followed, and a line per question; with ``invariance``
    also what changed names and dates change. ``rewordings`` is a file of the same questions in other words, which are
    planned too, each set for itself. ``predictions`` is a file that gets the planned calls. ``llm`` is what the
    baselines ask.

    Raises:
        DataNotFoundError, UnreadableDataError: there are no questions in the file, or no wordings in theirs.
        OutputError: the predictions cannot be written.
        PlanningError: the planner needs a language model, and none is configured.
    """
    asked = read_questions(questions, regime)
    wordings = read_rewordings(rewordings) if rewordings is not None else {}
    plan = planner_of(planner, tools, llm)
    if planner == "knowflow":
        plan(asked[0])  # start-up: knowledge is read with the first question, whichever it is
    answered = [(question, plan(question)) for question in asked]
    if predictions is not None:
        write_predictions(predictions, answered)

    known = pack(tools)
    scored = [(question, found, score(question, found, known.__contains__)) for question, found in answered]
    found = {"regime": regime, "planner": planner, **report(scored, families(tools)), "records": records(scored, known)}
    if invariance:
        from knowflow_bench.earth_bench.invariance import invariance_of

        found["invariance"] = invariance_of(answered, plan)
    if wordings:
        found["rewordings"] = in_other_words(asked, wordings, plan, known.__contains__)
    return found
