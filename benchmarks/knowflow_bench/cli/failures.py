"""Commands that measure what goes wrong: real failing calls, and faults put into runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.output import AsJson, emit, facade

_TABLES = ("first", "second", "third", "fourth")


def failing_calls(
    calls: Annotated[Path, typer.Option("--calls", help="File of failing calls, one JSON object a line.")],
    questions: Annotated[Path, typer.Option("--questions", help="File of the questions they were made for.")],
    json_: AsJson = False,
) -> None:
    """Check real failing calls before they are made.

    What is refused, why, and what is proposed instead. The calls of experts that can be right are checked, too: none of
    them should be refused.
    """
    from knowflow_bench.failing_calls import failing_calls as measure

    found = measure(calls, questions, facade().tools())
    if json_:
        emit(found)
        return
    visible, refused = found["visible"], found["refused"]
    typer.echo(f"{found['n']} calls, of which a check before the call can see {visible}.")
    typer.echo(f"  refused: {refused}; with the recorded reason: {found['reason_right']}")
    typer.echo(f"  the first proposal passes and keeps what was meant: {found['proposal_passes']} of {refused}")
    typer.echo(f"Of {found['expert_calls']} calls of experts {found['expert_refused']} are refused. Not counted:")
    for reason, number in found["expert_excluded"].items():
        typer.echo(f"  {number}: {reason}")
    typer.echo("By class of failure: refused with the recorded reason, of those that can be seen, of all")
    for name, counts in found["by_class"].items():
        typer.echo(f"  {counts['reason_right']} of {counts['visible']} of {counts['n']}: {name}")


def faults(
    table: Annotated[str, typer.Option("--table", help="Table: first to fourth, real or all.")] = "first",
    data: Annotated[Path | None, typer.Option("--data", help="Folder of real data, for the table real.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="At most so many cases, of all kinds.")] = None,
    each: Annotated[int, typer.Option("--each", min=1, help="Cases of each kind.")] = 20,
    kind: Annotated[list[str] | None, typer.Option("--kind", help="Only faults of this kind; may be repeated.")] = None,
    json_: AsJson = False,
) -> None:
    """Put known faults into runs, and count what becomes of them.

    Every kind is tried on 20 cases: the answer must be the fault-free one, or there is none and the cause is true. Of
    all tables, that of real data only where they are given.
    """
    from knowflow_bench.faults.campaign import campaign

    folder = "" if data is None else str(data.resolve())
    names = [table] if table != "all" else [*_TABLES, *(["real"] if folder else [])]
    found = {name: campaign(name, limit, each, kinds=kind or (), data=folder) for name in names}
    if json_:
        emit(found[table] if table != "all" else found)
        return
    for name, counts in found.items():
        _tell(name, counts)


def _tell(table: str, found: Mapping[str, Any]) -> None:
    typer.echo(
        f"{table}: {found['cases']} cases in {found['seconds']:g} s: {found['wrong']} wrong, {found['hangs']} hang"
    )
    typer.echo(
        f"  repaired without a language model: {found['repaired_by_rules']} of {found['repairable']} that can be"
    )
    typer.echo(f"  true cause named: {found['cause_named']} of {found['failing']} that fail")
    typer.echo(f"  refused with a true cause: {found['refused_truly']}; told what is left out: {found['told']}")
    typer.echo(f"  computed needlessly: {found['recomputed_needlessly']}; edited: {found['edited_without_fault']}")
    for name, counts in found["by_kind"].items():
        good = counts["right"] if counts["repairable"] or not counts["fails"] else counts["refused_truly"]
        meant = "right" if counts["repairable"] or not counts["fails"] else "refused truly"
        typer.echo(f"  {good} of {counts['cases']} {meant}: {counts['title']} ({name})")
