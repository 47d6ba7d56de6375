"""Statistics of rasters against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, noise

from knowflow.ground.errors import MissingFactError, RunInterruptedError, ToolError, UnreadableDataError
from knowflow.tools import statistics as tools
from knowflow.tools.context import running


def test_statistics_equal_numpy_over_many_blocks(tmp_path: Path) -> None:
    values = noise((700, 2300), seed=9, gaps=0.2)
    data = values[np.isfinite(values)].astype(np.float64)
    raster = draw(tmp_path / "a.tif", values, unit="1")
    (row,) = tools.raster_statistics(raster, (10, 99.5))
    assert row["count"] == data.size
    assert row["valid_fraction"] == pytest.approx(data.size / values.size)
    expected = (data.mean(), data.std(), data.min(), data.max(), np.median(data), data.sum())
    found = tuple(row[name] for name in ("mean", "std", "minimum", "maximum", "median", "sum"))
    assert found == pytest.approx(expected, rel=1e-9)
    assert (row["p10"], row["p99.5"]) == pytest.approx(tuple(np.percentile(data, (10, 99.5))))
    assert row["unit"] == "1"


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "int32", "float64"])
def test_stored_numbers_of_any_type_have_the_statistics_of_the_physical_ones(tmp_path: Path, dtype: str) -> None:
    stored = np.random.default_rng(4).integers(0, 120, (300, 700)).astype(dtype)
    if np.dtype(dtype).kind != "u":
        stored -= np.dtype(dtype).type(60)
    raster = draw(tmp_path / "a.tif", stored, nodata=7, scale=-0.25, offset=3.0, unit="1")
    data = stored[stored != 7].astype(np.float64) * -0.25 + 3.0
    (row,) = tools.raster_statistics(raster, (5, 33.3))
    assert row["count"] == data.size
    expected = (data.mean(), data.std(), data.min(), data.max(), np.median(data), data.sum())
    found = tuple(row[name] for name in ("mean", "std", "minimum", "maximum", "median", "sum"))
    assert found == pytest.approx(expected, rel=1e-9)
    assert (row["p5"], row["p33.3"]) == pytest.approx(tuple(np.percentile(data, (5, 33.3))))


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        ("mean", 2.5),
        ("minimum", 1),
        ("maximum", 4),
        ("sum", 10),
        ("median", 2.5),
        ("standard_deviation", np.std([1, 2, 3, 4])),
    ],
)
def test_one_statistic_ignores_gaps(tmp_path: Path, statistic: str, expected: float) -> None:
    raster = draw(tmp_path / "a.tif", np.array([[1, 2, -9999], [3, 4, -9999]], dtype=np.float32), nodata=-9999)
    assert tools.raster_statistic(raster, statistic) == pytest.approx(expected)
    assert tools.raster_statistic(raster, "percentile", percentile=100) == 4
    assert tools.raster_mean(raster) == 2.5
    assert tools.count_valid(raster) == 4
    with pytest.raises(ToolError, match="which percentile"):
        tools.raster_statistic(raster, "percentile")


def test_a_raster_without_data_fails_or_is_missing_as_asked(tmp_path: Path) -> None:
    raster = draw(tmp_path / "a.tif", np.full((3, 3), np.nan, dtype=np.float32))
    for statistic in ("mean", "median"):
        with pytest.raises(ToolError, match="no pixel is data"):
            tools.raster_statistic(raster, statistic)
        assert np.isnan(tools.raster_statistic(raster, statistic, when_empty="missing"))


def test_a_batch_gives_a_row_per_scene_and_empty_rows_for_clouds(tmp_path: Path) -> None:
    scenes = [
        draw(tmp_path / "a.tif", np.array([[1.0, 3.0]], np.float32), datetime="2020-01-01"),
        draw(tmp_path / "b.tif", np.array([[np.nan, np.nan]], np.float32), datetime="2020-02-01"),
    ]
    rows = tools.batch_statistics(tuple(scenes), ())
    assert [(row["date"], row["name"], row["count"]) for row in rows] == [
        ("2020-01-01", "a", 2),
        ("2020-02-01", "b", 0),
    ]
    assert rows[0]["mean"] == 2.0
    assert [rows[1][name] for name in ("mean", "std", "minimum", "maximum", "median", "sum")] == [None] * 6
    assert rows[1]["valid_fraction"] == 0.0


def test_a_batch_stops_at_what_cannot_be_read_and_on_request(tmp_path: Path) -> None:
    scenes = [draw(tmp_path / f"{n}.tif", noise((600, 40)), datetime=f"2020-01-{n + 1:02}") for n in range(9)]
    told: list[float] = []
    with running(on_progress=told.append):
        assert len(tools.batch_statistics(tuple(scenes))) == 9
    assert told == sorted(told)
    assert told[-1] == 1.0
    with running(cancelled=lambda: True), pytest.raises(RunInterruptedError):
        tools.batch_statistics(tuple(scenes))
    (tmp_path / "4.tif").write_bytes(b"nothing")
    with pytest.raises(UnreadableDataError, match=r"4\.tif"):
        tools.batch_statistics(tuple(scenes))


def test_dates_come_in_the_order_of_the_series_and_must_be_known(tmp_path: Path) -> None:
    dated = [draw(tmp_path / f"{n}.tif", noise((2, 2)), datetime=f"202{n}-01-01") for n in range(3)]
    assert tools.dates_of(tuple(dated)) == ["2020-01-01", "2021-01-01", "2022-01-01"]
    with pytest.raises(MissingFactError, match=r"series\[1\]"):
        tools.dates_of((dated[0], draw(tmp_path / "x.tif", noise((2, 2)))))
