"""`knowflow bench tasks`: our own questions, answered by running workflows, and judged by the truth of the data."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.output import AsJson, emit

_SHOWN = 40


def tasks(
    no_templates: Annotated[
        bool, typer.Option("--no-templates", help="Without the library of workflows: tools only.")
    ] = False,
    no_repair: Annotated[
        bool, typer.Option("--no-repair", help="Without repairs: the first workflow or none.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask the questions that were written after the planner had met the others.")
    ] = False,
    batch: Annotated[str | None, typer.Option("--batch", help="With --fresh: of these, one batch (`second`).")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Tasks or sub-domains to run (default: all); may be repeated.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder of real data that some tasks are about; without it: left out.")
    ] = None,
    reports: Annotated[
        Path | None, typer.Option("--reports", help="Folder to keep the reports of the runs in (default: none).")
    ] = None,
    workers: Annotated[int, typer.Option("--jobs", min=1, help="Cases run at the same time.")] = os.cpu_count() or 1,
    json_: AsJson = False,
) -> None:
    """Ask our own questions about data with known answers.

    About generated data, and real ones; the workflows are run, and the results judged.
    """
    from knowflow_bench.tasks.documents import benchmark_files
    from knowflow_bench.tasks.report import report
    from knowflow_bench.tasks.run import Conditions, carried_out, jobs_of, require_folder
    from knowflow_bench.tasks.selection import require_batch, selected

    files = benchmark_files()
    conditions = Conditions(
        not no_templates,
        not no_repair,
        fresh,
        require_batch(files, batch),
        require_folder(data),
        reports,
    )
    begun = time.perf_counter()
    jobs, passed_over = jobs_of(selected(files, only or []), conditions)
    outcomes = list(carried_out(jobs, conditions, workers))
    found = report(outcomes, passed_over, time.perf_counter() - begun)
    if json_:
        emit(found)
        return
    typer.echo("\n".join(_table(found)))


def _table(found: Mapping[str, Any]) -> list[str]:
    def share(name: str) -> str:
        value = found[name]
        return "-" if value is None else f"{100 * value:.1f}"

    lines = [
        f"{found['n']} questions of {found['tasks']} kinds, {found['unanswerable']} without an answer, "
        f"{found['seconds']:.0f} s",
        "                                     simple  complex",
        f"right in the end (TSR, %)            {share('tsr_simple'):>6}  {share('tsr_complex'):>7}",
        f"right with the first workflow (FPA)  {share('fpa_simple'):>6}  {share('fpa_complex'):>7}",
        f"tool calls a task (NTC)              {found['ntc']}",
        f"interventions a task (NI)            {found['ni']}",
        f"outputs, tools, arguments right (%)  {share('inst_acc')}, {share('tool_acc')}, {share('arg_acc')}",
        f"answered with confidence, but wrong  {found['wrong_confident']}",
        f"refused though there is an answer    {found['refused_wrongly']}",
        f"failed while running                 {found['failed']}",
        f"refused rightly, with the reason     {found['refused_rightly']} of {found['unanswerable']}",
        f"with something wrong in the data (%) {share('with_something_wrong')}, of which right "
        f"{share('tsr_with_something_wrong')}",
    ]
    if found["passed_over"]:
        lines.append(f"left out, for want of --data         {found['passed_over']}")
    for title, group in (("By sub-domain:", "by_sub_domain"), ("By what is wrong with the data:", "by_wrong")):
        lines += ["", title, *(f"  {name:24} {one['right']:>3} of {one['n']}" for name, one in found[group].items())]
    missed = found["not_right"]
    if missed:
        lines += ["", "Not right:"]
        for one in missed[:_SHOWN]:
            why = one["error"] or f"expected {one['expected']}, found {one['found']}"
            lines += [
                f"  {one['sub_domain']}/{one['task']} ({one['level']}, {one['status']}): {one['asked']}",
                f"    {why}",
            ]
        if len(missed) > _SHOWN:
            lines.append(f"  and {len(missed) - _SHOWN} more (--json has all)")
    return lines
