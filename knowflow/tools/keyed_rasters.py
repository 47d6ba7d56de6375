"""Maps by key: calculated with, compared, and brought together over their dates, periods or places."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools.context import tell
from knowflow.tools.directions import plain
from knowflow.tools.kernels import keyed
from knowflow.tools.kernels.keyed import Arithmetic, Array, Departure, Nature, Side, Statistic
from knowflow.tools.kernels.regression import correlation_of_stacks
from knowflow.tools.raster import Block, Output, map_blocks, map_stack
from knowflow.tools.seasons import Calendar, Seasons, removable
from knowflow.tools.trend import Slope, fit, of_every_pixel

_KEPT = ("sensor", "region", "daynight", "cloud_masked")
_NO_CLASS = -1


def in_unit(values: Any, of: Artifact, unit: str, change: bool = False) -> Any:
    """Numbers of an artifact in a unit; ``change``: they tell differences, of which 5 degC are 5 K."""
    own = of.fact("unit")
    values = np.asarray(values, dtype=np.float64)
    return values if own is None or str(own) == unit else convert(values, str(own), unit, difference=change)


def number_in(number: Artifact | float | None, unit: str, change: bool = False) -> float:
    """A number in a unit; NaN where it is missing."""
    value = plain(number)
    if value is None or not isinstance(number, Artifact):
        return float("nan") if value is None else value
    return float(in_unit(value, number, unit, change))


def stack_in(block: Block, series: Sequence[Artifact], unit: str, change: bool) -> Array:
    """The layers of ``block["series"]``, each in a unit."""
    layers = block["series"]
    return np.stack([in_unit(layer, one, unit, change) for layer, one in zip(layers, series, strict=True)])


def raster_calculation(
    a: Artifact,
    output: Path,
    how: Arithmetic,
    unit: str,
    result_unit: str,
    other_unit: str = "1",
    b: Artifact | None = None,
    number: Artifact | float | None = None,
    number_first: bool = False,
    changes: bool = False,
    other_changes: bool = False,
    circular: bool = False,
    factor: float = 1.0,
    quantity: str = "calculated",
) -> None:
    """Write arithmetic of a raster, or of it and another one or a number, pixel by pixel.

    The raster is taken in ``unit``, the other in ``other_unit``; times ``factor`` the result is in ``result_unit``.
    ``number_first`` puts the number before the raster. ``changes`` and ``other_changes``: they tell differences. A
    difference of directions (``circular``, in degrees) goes the shorter way. What is not finite is nodata.
    """

    def kernel(block: Block) -> NDArray[np.float64]:
        one = in_unit(block["a"], a, unit, changes)
        other: Any = None
        if b is not None:
            other = in_unit(block["b"], b, other_unit, other_changes)
        elif number is not None:
            other = number_in(number, other_unit, other_changes)
        if number_first:
            one, other = other, one
        made = factor * keyed.calculated(how, one, other)
        return np.asarray(keyed.shorter_way(made) if circular else made)

    sources = {"a": a} if b is None else {"a": a, "b": b}
    map_blocks(kernel, sources, Output(output, quantity=quantity, unit=result_unit, keep=_KEPT))


def raster_comparison(
    raster: Artifact,
    output: Path,
    side: Side,
    unit: str,
    limit: Artifact | None = None,
    number: Artifact | float | None = None,
    upper: Artifact | None = None,
    upper_number: Artifact | float | None = None,
    changes: bool = False,
    circular: bool = False,
    stated: bool = False,
) -> None:
    """Write a mask of where a raster lies on a side of limits, each of which is a raster or a number, in ``unit``.

    ``between`` has two, both included; of directions (``circular``, degrees) it runs clockwise. A ``stated`` limit is a
    decimal number. What is unknown of one is unknown.
    """
    given = {"raster": raster, "limit": limit, "upper": upper}
    sources = {name: one for name, one in given.items() if one is not None}
    ends = {"limit": number, "upper": upper_number}

    def kernel(block: Block) -> NDArray[np.float64]:
        values = block["raster"] if stated and raster.fact("unit") == unit else None
        if values is None:
            values = in_unit(block["raster"], raster, unit, changes)

        def end(name: str) -> Any:
            if name in sources:
                return in_unit(block[name], sources[name], unit, changes)
            return None if ends[name] is None else number_in(ends[name], unit, changes)

        held = keyed.beyond(values, side, end("limit"), end("upper"), stated=stated, circular=circular)
        return np.asarray(held)

    map_blocks(kernel, sources, Output.mask(output, "mask"))


def stack_statistic(
    series: Sequence[Artifact],
    output: Path,
    statistic: Statistic,
    unit: str,
    result_unit: str,
    p: float | None = None,
    nature: Nature = "state",
    changes: bool = False,
    side: Side | None = None,
    limit: float | None = None,
    upper: float | None = None,
    starts: Sequence[int] = (),
    ends: Sequence[int] = (),
    joined: Sequence[int] = (),
    quantity: str = "calculated",
) -> None:
    """Write one statistic of every pixel over a series in order; with ``side``, of whether it is beyond limits.

    Numbers are taken in ``unit`` and told in ``result_unit``. ``longest``, ``longest_run``, ``first`` and ``last`` need
    the days of each key (ordinal numbers) and whether it is ``joined`` to that before; days are told as such numbers.
    """

    def kernel(block: Block) -> NDArray[np.float64]:
        values = stack_in(block, series, unit, changes)
        if side is not None:
            values = keyed.beyond(values.astype(_digits(series)), side, limit, upper, stated=True)
        if statistic in keyed.IN_ORDER:
            return keyed.in_order(statistic, values, starts, ends, [bool(one) for one in joined])
        return keyed.statistic(statistic, values, p, "truth" if side is not None else nature)

    kept = tuple(name for name in _KEPT if name != "sensor")
    if nature == "class" and statistic == "majority":
        map_stack(kernel, series, class_output(output, series[0]))
        return
    if (nature == "truth" and statistic in ("any", "all")) or (side is not None and statistic in ("any", "all")):
        map_stack(kernel, series, Output.mask(output, quantity))
        return
    map_stack(kernel, series, Output(output, quantity=quantity, unit=result_unit, keep=kept))


def _digits(series: Sequence[Artifact]) -> type:
    """The type in which a stated limit is met: that of the numbers as they are stored."""
    return np.float64 if any(str(one.fact("dtype")) == "float64" for one in series) else np.float32


def class_output(output: Path, like: Artifact) -> Output:
    """A class map with the names of another."""
    names = {str(code): text for code, text in like.fact("classes") or ()}
    tags = {"CLASSES": json.dumps(names, ensure_ascii=False)} if names else {}
    return Output(output, "int32", _NO_CLASS, quantity=str(like.fact("quantity") or "class_label"), unit="1", tags=tags)


def stack_trend(
    series: Sequence[Artifact],
    output: Path,
    p_value: Path,
    dates: Sequence[str],
    unit: str,
    result_unit: str,
    method: Slope = "linear",
    seasons: Seasons = "auto",
    changes: bool = False,
) -> None:
    """Write the slope of every pixel per year over values at ``dates``, and its two-sided p-value; with fewer than
    three values it is nodata. How the seasons were treated is told (``knowflow.tools.seasons``)."""
    calendar = Calendar.of(dates)
    removed = removable(calendar, seasons, robust=method != "linear")

    def kernel(block: Block) -> dict[str, NDArray[np.float64]]:
        found = fit(stack_in(block, series, unit, changes), calendar, method, removed)
        return {"output": found.slope, "p_value": found.p_value}

    slopes = Output(output, quantity="trend_per_year", unit=result_unit, keep=())
    map_stack(kernel, series, {"output": slopes, "p_value": Output(p_value, quantity="p_value", unit="1", keep=())})
    tell(of_every_pixel(calendar, method, removed))


def stack_departure(
    raster: Artifact,
    series: Sequence[Artifact],
    output: Path,
    unit: str,
    result_unit: str,
    how: Departure = "difference",
    changes: bool = False,
    quantity: str = "difference",
) -> None:
    """Write how far a raster is from the mean of a series, one for each other year; fewer than three are nodata."""

    def kernel(block: Block) -> NDArray[np.float64]:
        values = in_unit(block["raster"], raster, unit, changes)
        made = keyed.departure(values, stack_in(block, series, unit, changes), how)
        factor = float(convert(1.0, unit, result_unit, difference=True)) if how == "difference" else 1.0
        return np.asarray(made * factor)

    described = Output(output, quantity=quantity, unit=result_unit, keep=_KEPT)
    map_stack(kernel, series, described, others={"raster": raster})


def stack_correlation(a: Sequence[Artifact], b: Sequence[Artifact], output: Path) -> None:
    """Write Pearson's r of every pixel over two series that are paired in order; with fewer than three it is nodata."""

    def kernel(block: Block) -> NDArray[np.float64]:
        return correlation_of_stacks(block["a"], block["b"])

    described = Output(output, quantity="correlation_coefficient", unit="1", keep=())
    map_blocks(kernel, {"a": tuple(a), "b": tuple(b)}, described)


def raster_where(raster: Artifact, truth: Artifact | float | None, output: Path) -> None:
    """Write a raster as it is where a truth holds that is found for all of it; else nothing of it is data."""
    holds = number_in(truth, "1") == 1

    def kernel(block: Block) -> NDArray[Any]:
        return np.ma.MaskedArray(block.raw("raster"), mask=~(block.valid("raster") & holds))

    map_blocks(kernel, {"raster": raster}, Output.like(output, raster))
