"""`knowflow bench fused`: one pass over blocks beside its peers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def fused(
    size: Annotated[int, typer.Option("--size", min=64, help="Rows and columns of the scene.")] = 10980,
    dates: Annotated[int, typer.Option("--dates", min=3, help="Dates of the composite.")] = 68,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Runs of each variant; they alternate.")] = 3,
    folder: Annotated[Path | None, typer.Option("--folder", help="Where scenes are made and removed again.")] = None,
    json_: AsJson = False,
) -> None:
    """Nodes in one pass over blocks.

    Beside the same nodes one by one, whole-array code, and xarray with dask.
    """
    from knowflow_bench.fused.measure import measure

    found = measure(size, dates, repeats, folder)
    if json_:
        emit(found)
        return
    for line in (
        f"NDVI, clouds left out, threshold, area: {size} x {size}, processor time",
        f"  whole arrays / one pass {found['over_whole_array']:.1f} (of {found['most_over_whole_array']:.1f} where"
        f" nothing is done but decoding and arithmetic)   nodes one by one / one pass"
        f" {found['over_unfused']:.1f}   peak {found['peak_mb']:.0f} MB",
        f"NDVI of {dates} dates without clouds over time: {found['side']} x {found['side']}",
        f"  xarray and dask / one pass: median {found['over_dask']:.1f}, mean"
        f" {found['over_dask_by_method']['mean']:.1f}   peak {found['peak_mb_over_time']:.0f} MB,"
        f" of dask {found['peak_mb_dask']:.0f} MB",
    ):
        typer.echo(line)
