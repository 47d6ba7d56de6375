"""The command that asks the grid of plain questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def grid(
    data: Annotated[Path, typer.Option("--data", help="Folder with ndvi/, cloud_mask/, dem.tif, lulc.tif, lulc.gpkg.")],
    n: Annotated[int | None, typer.Option("--n", min=1, help="Combinations, drawn by the seed (default: all).")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of what is drawn.")] = 0,
    only: Annotated[str, typer.Option("--only", help="Combinations of which the name has this.")] = "",
    json_: AsJson = False,
) -> None:
    """Ask plain questions of every kind about real data.

    Every statistic on every ground in every form, in three wordings; answers are compared with NumPy on the files.
    """
    from knowflow_bench.grid.run import grid as measure
    from knowflow_bench.grid.run import lines

    found = measure(data, n, seed, only)
    if json_:
        emit(found)
    else:
        typer.echo("\n".join(lines(found)))
    if found["wrong"] or found["failed"]:
        raise typer.Exit(1)
