"""The command that measures how much one run teaches the next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def learning(
    tasks: Annotated[int, typer.Option("--tasks", min=10, help="Tasks of the stream.")] = 300,
    orders: Annotated[int, typer.Option("--orders", min=1, help="Random orders of it.")] = 5,
    picture: Annotated[Path | None, typer.Option("--picture", help="Draw the learning curve into this file.")] = None,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Also without templates, without repairs, and without learning.")
    ] = False,
    json_: AsJson = False,
) -> None:
    """Measure what a stream of recurring faults teaches.

    None of the faults is covered by an authored rule; each is mended once, by hand or by a scripted model.
    """
    from knowflow_bench.learning.campaign import campaign

    found = campaign(tasks, orders)
    if ablation:
        from knowflow_bench.learning.ablation import ablations

        found["ablation"] = ablations(tasks, orders)
    if picture is not None:
        from knowflow_bench.learning.picture import draw

        draw(found, picture)
    if json_:
        emit(found)
        return
    start, end, without = (found[name] for name in ("first_pass_start", "first_pass_end", "first_pass_without"))
    typer.echo(f"First passes with the true answer: {start:.1%}, in the end {end:.1%}; {without:.1%} need no memory.")
    typer.echo(f"Faults that were mended once and are met from then on: {found['met_from_second']:.1%}")
    typer.echo(
        f"Calls of the model: {found['llm_calls_start']} in the first tenth, {found['llm_calls_end']} in the last."
    )
    typer.echo(f"Variants met: {found['variants_met']:.1%}. Look-alikes: memory spoke of {found['lookalikes_fired']}.")
    typer.echo(f"Answers that became wrong: {found['harmed']}, after faults changed meaning {found['turned_harmed']}.")
    for row in found.get("ablation", ()):
        typer.echo(
            f"{row['setting']}: {row['planned']:.1%} planned, {row['first_pass']:.1%} true at the first pass "
            f"({row['first_pass_last_half']:.1%} in the last half), {row['in_the_end']:.1%} in the end, "
            f"{row['repairs_asked']} asked for, {row['wrong']} wrong."
        )
