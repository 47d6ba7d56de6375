"""`knowflow bench earth-bench`: questions that others wrote, planned and compared with their experts' calls."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.output import AsJson, emit, facade

METRICS = ("tao", "tio", "tio_lcs", "tem", "param", "param_bound", "eff", "precision", "abstained")
_SHOWN = 15


class RegimeChoice(StrEnum):
    """Auto-planning (the question alone) or instruction-following (with the steps named)."""

    ap = "ap"
    if_ = "if"


class PlannerChoice(StrEnum):
    """KnowFlow, or a language model: in a loop of thought and action, or in one shot."""

    knowflow = "knowflow"
    react = "react"
    llm = "llm"


def earth_bench(
    questions: Annotated[Path, typer.Option("--questions", help="File of questions, one JSON object a line.")],
    regime: Annotated[RegimeChoice, typer.Option("--regime", help="ap: the question alone; if: its steps are named.")],
    planner: Annotated[
        PlannerChoice, typer.Option("--planner", help="react and llm are baselines for a configured language model.")
    ] = PlannerChoice.knowflow,
    predictions: Annotated[
        Path | None, typer.Option("--predictions", help="File for the planned calls, one JSON object a line.")
    ] = None,
    invariance: Annotated[
        bool, typer.Option("--invariance", help="Ask again with other regions, folders, years and numbers of scenes.")
    ] = False,
    rewordings: Annotated[
        Path | None, typer.Option("--rewordings", help="File of the same questions in other words, planned as well.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """Plan questions of others and compare with their experts.

    By tools, order and arguments; by modality and family of tools.
    """
    from knowflow_bench.earth_bench.baselines import required
    from knowflow_bench.earth_bench.planners import configured
    from knowflow_bench.earth_bench.run import earth_bench as measure

    wanted = planner is not PlannerChoice.knowflow
    model = configured(questions, regime.value) if wanted else None
    found = measure(
        questions,
        regime.value,
        facade().tools(),
        planner=planner.value,
        predictions=predictions,
        invariance=invariance,
        rewordings=rewordings,
        llm=required(model) if wanted else None,
    )
    if json_:
        emit(found)
        return
    typer.echo("\n".join(_table(found)))


def _table(found: Mapping[str, Any]) -> list[str]:
    width = max(len(name) for name in ("questions", *found["by_modality"], *found["by_family"]))
    head = f"{'questions':{width}} {'n':>4} " + " ".join(f"{name:>11}" for name in METRICS)
    lines = [head, _row("all", found, width)]
    for group in ("by_modality", "by_family"):
        lines += ["", *(_row(name, numbers, width) for name, numbers in found[group].items())]
    lines += ["", f"planning time, 95th percentile: {found['plan_ms_p95']:.1f} ms a question"]
    lines += _counts("Why plans are not the expert's:", found["causes"])
    lines += _counts("Questions each template serves:", found["templates"])
    if found["templates_of_one_question"]:
        lines.append(f"  templates of a single question: {', '.join(found['templates_of_one_question'])}")
    lines.append(f"Names of tools and files that do not exist: {', '.join(found['invented']) or 'none'}")
    lines += _records(found["records"])
    if "invariance" in found:
        lines += _invariance(found["invariance"])
    if "rewordings" in found:
        lines += _rewordings(found["rewordings"])
    return lines


def _records(found: Mapping[str, Any]) -> list[str]:
    by_modality = ", ".join(f"{name} {tem:.3f}" for name, tem in found["by_modality"].items())
    lines = _counts("Records of experts that stop at a call that cannot be made as recorded:", found["causes"])
    return [*lines, f"  TEM if all were met up to there: {found['tem_within_reach']:.3f} ({by_modality})"]


def _row(name: str, numbers: Mapping[str, Any], width: int) -> str:
    return f"{name:{width}} {numbers['n']:>4} " + " ".join(f"{numbers[metric]:>11.3f}" for metric in METRICS)


def _counts(title: str, counts: Mapping[str, int]) -> list[str]:
    lines = ["", title, *(f"  {number:>4}  {name}" for name, number in list(counts.items())[:_SHOWN])]
    return lines if len(counts) <= _SHOWN else [*lines, f"        and {len(counts) - _SHOWN} more (--json has all)"]


def _invariance(found: Mapping[str, Any]) -> list[str]:
    if not found["n"]:
        return ["", "No question has a plan whose shape could be kept."]
    lines = ["", f"Plans that keep their shape: {found['kept']:.3f} of {found['n']}"]
    lines += [f"  {name}: {one['kept']:.3f} of {one['n']}" for name, one in found["by_change"].items()]
    return [*lines, *(f"  changed: {one['id']} ({one['change']})" for one in found["changed"][:_SHOWN])]


def _rewordings(found: Mapping[str, Any]) -> list[str]:
    width = max(map(len, found))
    rows = [_row(name, one, width) for name, one in found.items() if one["n"]]
    none = [f"  {name}: none of its questions is in the file" for name, one in found.items() if not one["n"]]
    return ["", "The same questions in other words:", *rows, *none]
