"""Commands for a second opinion: the same question asked of data changed in a way that cannot matter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.output import AsJson, emit

_SHOWN = 20


def metamorphic(
    n: Annotated[int, typer.Option("--n", min=1, help="Answers to compare.")] = 300,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the first scene; each next one is the next.")] = 0,
    relation: Annotated[
        list[str] | None, typer.Option("--relation", help="Only this relation, on every scene; may be repeated.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes.")] = 1,
    keep: Annotated[Path | None, typer.Option("--keep", help="Folder in which all data and results are left.")] = None,
    json_: AsJson = False,
) -> None:
    """Ask random questions of scenes and of changed copies of them.

    Tiled, south-up, in tiles, under other names, in other units, types and projections: the answer must be the same.
    """
    from knowflow_bench.metamorphic.run import metamorphic as measure

    found = measure(n, seed, relation or (), jobs, keep)
    if json_:
        emit(found)
    else:
        typer.echo("\n".join(_lines(found)))
    if found["violations"]:
        raise typer.Exit(1)


def _lines(found: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{found['runs']} answers compared, {found['violations']} violations; "
        f"{found['refused_on_both']} refused on both sides, {found['scenes']} scenes, {found['questions']} templates",
        f"{'relation':18} {'runs':>6} {'violations':>10} {'both refused':>12} {'not of':>7}  the same data",
    ]
    for name, one in found["relations"].items():
        counts = f"{one['runs']:>6} {one['violations']:>10} {one['refused_on_both']:>12} {one['passed_over']:>7}"
        lines.append(f"{name:18} {counts}  {one['same']}")
    for one in found["cases"][:_SHOWN]:
        lines += ["", f"{one['relation']}: {one['question']}", f"  {one['what']}"]
        lines += [f"  plain    {one['answer']}", f"  changed  {one['changed']}", f"  again    {one['again']}"]
    more = len(found["cases"]) - _SHOWN
    return lines if more <= 0 else [*lines, "", f"and {more} more (--json has all)"]


def opinion(
    template: Annotated[
        list[str] | None, typer.Option("--template", help="Only the runs of this template; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the scenes.")] = 0,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Scenes for each test of a template.")] = 1,
    json_: AsJson = False,
) -> None:
    """Compute with NumPy and SciPy alone what tools compute.

    What templates compute as well: every call on a random scene, by itself and in its chain. Tools without a
    counterpart are listed.
    """
    from knowflow_bench.opinion.run import opinion as measure
    from knowflow_bench.opinion.run import rows_of

    found = measure(seed, template or (), rounds)
    if json_:
        emit(found)
        return
    typer.echo("\n".join(rows_of(found)))
