"""`knowflow bench workers`: a plan of very many nodes, until its first node runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def workers(
    nodes: Annotated[int, typer.Option("--nodes", min=4, help="Nodes of the plan, four for each scene.")] = 100_000,
    folder: Annotated[Path | None, typer.Option("--folder", help="Where scenes are made and removed again.")] = None,
    json_: AsJson = False,
) -> None:
    """A plan of very many nodes.

    Seconds until it is built and checked, and from there until its first node starts.
    """
    from knowflow_bench.workers.measure import measure

    found = measure(nodes, folder)
    if json_:
        emit(found)
        return
    typer.echo(
        f"{found['nodes']} nodes: built and checked in {found['plan_s']:.1f} s, the first starts"
        f" {found['first_node_s']:.1f} s later, peak {found['plan_peak_mb']:.0f} MB"
    )
