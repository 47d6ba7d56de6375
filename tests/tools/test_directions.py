"""Directions: 359 and 1 degree are neighbours, and nothing averages them to 180."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_rasters import UTM, draw, read
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from knowflow.graph.effects import predicted_outputs
from knowflow.ground.errors import ToolError
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.artifact import Artifact, in_unit, scalar
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.tools import directions
from knowflow.tools.alignment import align_to, resample
from knowflow.tools.composite import temporal_composite
from knowflow.tools.grouping import statistics_by_period
from knowflow.tools.kernels.directions import Directions
from knowflow.tools.statistics import raster_statistic, raster_statistics

ANGLES = arrays(np.float64, st.integers(1, 30), elements=st.floats(0, 360, width=32))
DATES = ("2020-01-01", "2020-06-01", "2021-01-01")
AROUND_NORTH = np.array([[350, 10, -9999], [355, 5, 0]], dtype=np.float32)


@cache
def tools() -> Mapping[str, ToolSchema]:
    return load_catalogue().tools


@given(st.lists(ANGLES, min_size=1, max_size=4))
def test_blocks_together_have_the_circular_moments_of_scipy(parts: list[NDArray[np.float64]]) -> None:
    whole, found = np.concatenate(parts), Directions()
    for part in parts:
        found = found.merged(Directions.of(np.append(part, np.nan)))
    assert found.count == whole.size
    length = abs(np.exp(1j * np.radians(whole)).mean())
    assume(length > 1e-3)
    mean = stats.circmean(whole, high=360)
    assert (found.mean - mean + 180) % 360 - 180 == pytest.approx(0, abs=1e-6)
    assert found.std == pytest.approx(stats.circstd(whole, high=360), abs=1e-4)


def test_the_mean_of_slopes_around_north_is_north(tmp_path: Path) -> None:
    aspect = draw(tmp_path / "a.tif", AROUND_NORTH, nodata=-9999, quantity="aspect", unit="degree")
    mean = raster_statistic(aspect, "mean")
    assert (mean + 180) % 360 - 180 == pytest.approx(0, abs=1e-5)
    known = AROUND_NORTH[AROUND_NORTH >= 0]
    assert raster_statistic(aspect, "standard_deviation") == pytest.approx(stats.circstd(known.astype(float), high=360))


@pytest.mark.parametrize("statistic", ["minimum", "maximum", "median", "sum", "percentile"])
def test_directions_have_no_order(tmp_path: Path, statistic: str) -> None:
    aspect = draw(tmp_path / "a.tif", AROUND_NORTH, nodata=-9999, quantity="aspect", unit="degree")
    with pytest.raises(ToolError, match="directions have no"):
        raster_statistic(aspect, statistic, percentile=50)  # type: ignore[arg-type]


def test_directions_that_cancel_out_have_no_mean(tmp_path: Path) -> None:
    opposed = np.array([[0, 180], [90, 270]], dtype=np.float32)
    aspect = draw(tmp_path / "a.tif", opposed, quantity="aspect", unit="degree")
    with pytest.raises(ToolError, match="cancel out"):
        raster_statistic(aspect, "mean")
    gone = draw(tmp_path / "b.tif", np.full((2, 2), -9999, np.float32), nodata=-9999, quantity="aspect", unit="degree")
    assert math.isnan(raster_statistic(gone, "mean", when_empty="missing"))


def test_the_row_of_statistics_tells_only_what_directions_have(tmp_path: Path) -> None:
    aspect = draw(tmp_path / "a.tif", AROUND_NORTH, nodata=-9999, quantity="aspect", unit="degree")
    (row,) = raster_statistics(aspect)
    assert row["count"] == 5
    assert min(row["mean"], 360 - row["mean"]) == pytest.approx(0, abs=1e-5)
    assert 0 < row["std"] < 10
    assert {name for name, value in row.items() if value is None} == {
        *("minimum", "maximum", "sum", "median"),
        *("p5", "p25", "p75", "p95"),
    }


def test_directions_are_never_mixed(tmp_path: Path) -> None:
    columns = np.tile(np.array([350, 10], dtype=np.float32), (8, 4))
    aspect = draw(tmp_path / "a.tif", columns, quantity="aspect", unit="degree")
    between = draw(tmp_path / "like.tif", columns[:, 1:], transform=UTM @ UTM.translation(0.5, 0))
    align_to(aspect, between, tmp_path / "out.tif")
    resample(aspect, 20.0, tmp_path / "coarse.tif")
    for name in ("out", "coarse"):
        values, _ = read(tmp_path / f"{name}.tif")
        assert set(np.unique(values[np.isfinite(values)])) <= {350.0, 10.0}
    with pytest.raises(ToolError, match="would mix the directions"):
        align_to(aspect, between, tmp_path / "no.tif", resampling="bilinear")
    with pytest.raises(ToolError, match="cannot be averaged"):
        temporal_composite([aspect, aspect], tmp_path / "no.tif", "mean")


def _directions(*degrees: float | None, unit: str | None = "degree") -> list[Artifact]:
    facts = {"quantity": "aspect"} | ({} if unit is None else {"unit": unit})
    return [scalar(value, Facts.of(Origin.DECLARED, **facts)) for value in degrees]


def test_the_mean_of_the_means_of_dates_goes_around_the_circle() -> None:
    assert directions.mean(_directions(350, 10)) == pytest.approx(0, abs=1e-9)
    assert directions.mean(_directions(80, None, 100)) == pytest.approx(90)
    assert directions.mean(_directions(6.0, 0.2831853071795862, unit="radian")) == pytest.approx(0, abs=1e-9)
    assert directions.mean([350, 10]) == 180
    with pytest.raises(ToolError, match="cancel out"):
        directions.mean(_directions(0, 180))
    with pytest.raises(ToolError, match="no number is left"):
        directions.mean(_directions(None, math.nan))


def test_directions_differ_by_the_shorter_way_around() -> None:
    (north, east), (west, other) = _directions(10, 100), _directions(350, 190)
    assert directions.difference_of(north, west) == pytest.approx(20)
    assert directions.difference_of(west, north) == pytest.approx(-20)
    assert directions.difference_of(east, north) == pytest.approx(90)
    assert directions.difference_of(other, north) == pytest.approx(180)
    assert directions.difference_of(10, 350) == -340


def test_the_mean_of_a_period_goes_around_the_circle() -> None:
    dates = ["2020-01-01", "2020-06-01", "2021-01-01"]
    rows = statistics_by_period(_directions(350, 10, 90), dates)
    assert [row["value"] for row in rows] == [pytest.approx(0, abs=1e-9), pytest.approx(90)]


@pytest.mark.parametrize("unit", ["1", "m", "what", None])
def test_directions_in_a_unit_of_no_angle_are_refused(tmp_path: Path, unit: str | None) -> None:
    facts = {"quantity": "aspect"} | ({} if unit is None else {"unit": unit})
    aspect = draw(tmp_path / "a.tif", AROUND_NORTH, nodata=-9999, **facts)
    with pytest.raises(ToolError, match="no unit of an angle"):
        raster_statistic(aspect, "mean")
    with pytest.raises(ToolError, match="no unit of an angle"):
        directions.mean(_directions(350, 10, unit=unit))


def test_a_full_turn_is_told_in_the_unit_of_the_directions(tmp_path: Path) -> None:
    gon = draw(tmp_path / "a.tif", np.array([[390, 10]], dtype=np.float32), quantity="aspect", unit="gon")
    assert raster_statistic(gon, "mean") == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("raster_statistic", {"raster": "aspect", "statistic": "maximum"}),
        ("raster_statistic", {"raster": "aspect", "statistic": "median"}),
        ("mosaic", {"series": "aspect", "method": "mean"}),
        ("align_to", {"raster": "aspect", "like": "aspect", "resampling": "bilinear"}),
        ("resample", {"raster": "aspect", "resolution": 20, "resampling": "average"}),
        ("reproject", {"raster": "aspect", "resampling": "cubic"}),
        *((tool, {"x": "numbers"}) for tool in ("maximum", "minimum", "median", "total", "standard_deviation")),
        *((tool, {"values": "numbers", "dates": DATES}) for tool in ("series_trend", "series_mann_kendall")),
        *((tool, {"values": "numbers", "dates": DATES}) for tool in ("date_of_extreme", "extreme_period")),
        ("statistics_by_period", {"values": "numbers", "dates": DATES, "statistic": "median"}),
        ("percent_changes", {"x": "numbers"}),
        ("percent_change", {"before": "number", "after": "number"}),
        ("ratio", {"a": "number", "b": "number"}),
    ],
)
def test_what_directions_do_not_have_is_refused_before_it_is_run(tool: str, arguments: dict[str, Any]) -> None:
    refused = [text for text, verdict in _verdicts(tool, arguments, "aspect", "degree") if verdict is False]
    assert refused
    assert all("circular" in text for text in refused)
    assert False not in [verdict for _, verdict in _verdicts(tool, arguments, "ndvi", "1")]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("percent_changes", {"x": "numbers"}),
        ("percent_change", {"before": "number", "after": "number"}),
        ("quotients", {"x": "numbers", "y": "numbers"}),
        ("ratio", {"a": "number", "b": "number"}),
        ("multiple", {"x": "number", "times": 1.5}),
    ],
)
def test_of_a_scale_with_a_zero_of_its_own_there_are_no_ratios(tool: str, arguments: dict[str, Any]) -> None:
    assert False in [verdict for _, verdict in _verdicts(tool, arguments, "surface_temperature", "degC")]
    assert False not in [verdict for _, verdict in _verdicts(tool, arguments, "surface_temperature", "K")]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("raster_statistic", {"raster": "aspect", "statistic": "mean"}),
        ("mean", {"x": "numbers"}),
        ("difference_of", {"a": "number", "b": "number"}),
    ],
)
def test_the_unit_of_directions_is_judged_before_the_run(tool: str, arguments: dict[str, Any]) -> None:
    assert False not in [verdict for _, verdict in _verdicts(tool, arguments, "aspect", "degree")]
    assert False in [verdict for _, verdict in _verdicts(tool, arguments, "aspect", "1")]
    assert False not in [verdict for _, verdict in _verdicts(tool, arguments, "ndvi", "1")]


def _verdicts(tool: str, arguments: dict[str, Any], quantity: str, unit: str) -> list[tuple[str, bool | None]]:
    facts = Facts.of(Origin.DECLARED, quantity=quantity, unit=unit, dtype="float32", scale=1.0)
    known = {
        "aspect": Artifact("raster", facts=facts),
        "number": scalar(10.0, facts),
        "numbers": Artifact("list", items=tuple(scalar(value, facts) for value in (10.0, 20.0, 30.0))),
    }
    schema = tools()[tool]
    given = {name: known.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()}
    environment = {name: p.default for name, p in schema.inputs.items() if p.default is not None} | given
    return [(text, evaluate(condition, environment).truth) for text, condition in schema.parsed_preconditions]


@pytest.mark.parametrize(
    ("kind", "unit", "statistic", "quantity"),
    [
        ("aspect", "degree", "mean", "aspect"),
        ("aspect", "degree", "standard_deviation", "difference"),
        ("surface_temperature", "degC", "mean", "surface_temperature"),
        ("surface_temperature", "degC", "standard_deviation", "temperature_difference"),
        ("ndvi", "1", "standard_deviation", "ndvi"),
    ],
)
def test_the_spread_of_directions_or_temperatures_is_a_difference(
    kind: str, unit: str, statistic: str, quantity: str
) -> None:
    raster = Artifact("raster", facts=Facts.of(Origin.DECLARED, quantity=kind, unit=unit))
    made = predicted_outputs(tools()["raster_statistic"], {"raster": raster, "statistic": statistic}, "n")
    assert (made["value"].fact("quantity"), made["value"].fact("unit")) == (quantity, unit)


def test_a_spread_of_5_degrees_celsius_is_one_of_5_kelvin() -> None:
    numbers = [scalar(v, Facts.of(Origin.DECLARED, quantity="air_temperature", unit="degC")) for v in (5.0, 10.0)]
    schema = tools()["standard_deviation"]
    made = predicted_outputs(schema, {"x": Artifact("list", items=tuple(numbers))}, "n")["value"]
    assert in_unit(replace(made, value=5.0), "K").value == pytest.approx(5)
