"""`knowflow bench workers`: many workers, those that are killed, and plans of very many nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def workers(
    nodes: Annotated[int, typer.Option("--nodes", min=4, help="Nodes of the plan, four for each scene.")] = 100_000,
    kills: Annotated[int, typer.Option("--kills", min=0, help="Processes that are killed at random moments.")] = 200,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Runs of each variant; they alternate.")] = 3,
    side: Annotated[int, typer.Option("--side", min=64, help="Rows and columns of the scenes for efficiency.")] = 6000,
    seed: Annotated[int, typer.Option("--seed", help="Which moments are random.")] = 0,
    folder: Annotated[Path | None, typer.Option("--folder", help="Where scenes are made and removed again.")] = None,
    json_: AsJson = False,
) -> None:
    """Many workers.

    Two workers beside one, processes that are killed at random moments, and a plan of very many nodes until its first
    node starts.
    """
    from knowflow_bench.workers.measure import measure

    found = measure(
        nodes, kills, rounds, side, seed, folder, lambda words: None if json_ else typer.echo(words, err=True)
    )
    if json_:
        emit(found)
        return
    for line in (
        f"two workers: efficiency {found['efficiency']:.2f}, of one scene {found['efficiency_one_scene']:.2f}, of two"
        f" that do not know of each other {found['limit']:.2f},"
        f" {'the same to the last bit' if found['identical'] else 'NOT THE SAME'},"
        f" {found['group_overhead_ms']:.0f} ms a group",
        f"{found['kills']} killed ({', '.join(f'{n} x {what}' for what, n in found.get('killed', {}).items())}):"
        f" {found['wrong']} wrong, {found['recomputed']} computed again, {found['hangs']} that did not end",
        f"{found['nodes']} nodes: built and checked in {found['plan_s']:.1f} s, the first starts"
        f" {found['first_node_s']:.1f} s later, peak {found['plan_peak_mb']:.0f} MB",
    ):
        typer.echo(line)
