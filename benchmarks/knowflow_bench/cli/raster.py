"""`knowflow bench raster`: the raster core beside its limit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.output import AsJson, emit


def raster(
    size: Annotated[int, typer.Option("--size", min=64, help="Rows and columns of the scene.")] = 10980,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Runs of each variant; they alternate.")] = 5,
    folder: Annotated[Path | None, typer.Option("--folder", help="Where scenes are made and removed again.")] = None,
    json_: AsJson = False,
) -> None:
    """Time and memory of the raster core.

    Beside reading and writing alone, and beside whole-array code.
    """
    from knowflow_bench.raster.measure import measure

    found = measure(size, repeats, folder)
    if json_:
        emit(found)
        return
    for line in _lines(found):
        typer.echo(line)


def _lines(found: dict[str, Any]) -> list[str]:
    series, trend, spots = found["statistics"], found["trend"], found["hot_spots"]
    return [
        f"NDVI of two uint16 bands, {found['size']} x {found['size']}, medians of {found['repeats']} alternating runs",
        f"  index       {found['index_s']:8.2f} s   peak {found['peak_mb']:6.0f} MB"
        f"   ({found['peak_half_size_mb']:.0f} MB at half the size)",
        f"  limit       {found['limit_s']:8.2f} s   peak {found['limit_peak_mb']:6.0f} MB",
        f"  whole array {found['whole_array_s']:8.2f} s   peak {found['whole_array_peak_mb']:6.0f} MB",
        f"  index / limit {found['index_over_limit']:.2f} (processor time {found['index_cpu_over_limit']:.2f})"
        f"   whole array / index {found['whole_array_over_index']:.1f}",
        f"Statistics of {series['scenes']} scenes of {series['side']} x {series['side']}",
        f"  statistics  {series['statistics_s']:8.2f} s   reading alone {series['limit_s']:.2f} s"
        f"   ratio {series['statistics_over_limit']:.2f} (processor time {series['statistics_cpu_over_limit']:.2f})",
        f"Mann-Kendall and Sen over {trend['dates']} x {trend['side']} x {trend['side']}",
        f"  trend       {trend['trend_s']:8.2f} s   loop of pymannkendall {trend['pymannkendall_s']:.0f} s"
        f" (from {trend['pymannkendall_pixels']} pixels)   ratio {trend['pymannkendall_over_trend']:.0f}"
        f"   largest difference {trend['largest_difference']:.1e}",
        f"Gi* over {spots['side']} x {spots['side']}",
        f"  hot spots   {spots['hot_spots_s']:8.2f} s   largest difference from the formula"
        f" {spots['largest_difference']:.1e} ({spots['pixels_compared']} pixels)",
    ]
