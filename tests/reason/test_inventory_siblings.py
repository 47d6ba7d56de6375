"""What the files of a folder tell about each other: which words in their names are places, and which files are one
series."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rasterio.transform import Affine
from rasters import UTM, write_raster

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import siblings as settled_by
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.grouping import TELLING_APART, series_of
from knowflow.reason.inventory.siblings import with_regions_settled

ELSEWHERE = {**UTM, "transform": Affine(10, 0, 600000, 0, -10, 5100000)}


def layer(region: str | None, day: str, west: float = 0.0, **said: Any) -> Artifact:
    facts = {"quantity": "ndvi", "datetime": day, "region": region, "crs": "EPSG:32633", **said}
    box = (west, 0.0, west + 100.0, 100.0)
    name = f"{region}_{day}"
    return Artifact("raster", Facts.of(Origin.DECLARED, "", bounds=box, **facts), name, f"{name}.tif")


def dates(items: tuple[Artifact, ...]) -> set[tuple[str, ...]]:
    return {tuple(str(one.fact("datetime")) for one in series.items) for series in series_of(items)}


def test_files_of_one_month_with_another_prefix_are_of_the_series(tmp_path: Path) -> None:
    for month in (5, 6, 7):
        for day in (1, 11, 21):
            prefix = "archive_" if month == 6 else ""
            write_raster(tmp_path / f"{prefix}LST_2020-{month:02}-{day:02}.tif")
    (series,) = take_inventory(tmp_path).series("surface_temperature")
    assert len(series.items) == 9
    assert {item.fact("region") for item in series.items} == {None}


def test_other_ground_and_versions_of_one_date_stay_apart(tmp_path: Path) -> None:
    for day in ("2020-05-01", "2020-05-11"):
        write_raster(tmp_path / f"delta_NDVI_{day}.tif")
        write_raster(tmp_path / f"karst_NDVI_{day.replace('05', '06', 1)}.tif", georeference=ELSEWHERE)
        write_raster(tmp_path / f"again_LST_{day}.tif", tags={"NOTE": "other bytes"})
        write_raster(tmp_path / f"LST_{day}.tif")
    found = take_inventory(tmp_path).series()
    assert sorted((item.fact("quantity"), len(item.items)) for item in found) == [
        *[("ndvi", 2)] * 2,
        *[("surface_temperature", 2)] * 2,
    ]
    assert {item.fact("region") for item in found} == {"delta", "karst", "again", None}


@pytest.mark.parametrize(
    ("names", "series"),
    [
        # what varies beside the date is the key: a height, a version
        (["wind_10m_{}", "wind_100m_{}"], 2),
        (["wind_{}_10m", "{}_wind_100m"], 2),
        (["ndvi_{}", "ndvi_{}_final"], 2),
        (["{}", "a/{}"], 2),
        (["ndvi_{}"], 1),
    ],
)
def test_files_of_one_date_are_of_different_series_by_what_their_names_say(names: list[str], series: int) -> None:
    items = []
    for name in names:
        for written in ("2020-06-01", "20200611", "2021_06_21", "2022"):
            day = written.replace("_", "-") if len(written) > 8 else "2020-06-11" if len(written) == 8 else "2022-01-01"
            facts = Facts.of(Origin.DECLARED, "", quantity="ndvi", datetime=day)
            path = f"{name.format(written)}.tif"
            items.append(Artifact("raster", facts, Path(path).stem, path))
    assert sorted(len(one.items) for one in series_of(items)) == [4] * series


@pytest.mark.parametrize("fact", TELLING_APART)
def test_what_tells_layers_apart_is_never_one_series(fact: str) -> None:
    values = [("slope", "aspect"), ("L1C", "L2A")][fact == "level"] if fact in ("quantity", "level") else ("a", "b")
    items = tuple(layer(None, f"2020-0{n}-01", **{fact: values[n % 2]}) for n in range(1, 7))
    assert dates(items) == {tuple(f"2020-0{n}-01" for n in odd) for odd in ((1, 3, 5), (2, 4, 6))}


def test_producers_bands_without_a_common_name_are_never_one_series() -> None:
    items = tuple(layer(None, f"2020-0{n}-01", band=("VV", "VH")[n % 2]) for n in range(1, 5))
    assert dates(items) == {("2020-01-01", "2020-03-01"), ("2020-02-01", "2020-04-01")}


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ({"sensor": "sentinel-2"}, {}, True),
        ({"level": "L2A"}, {}, True),
        ({"level": "L2A", "sensor": "sentinel-2a"}, {"sensor": "sentinel-2b"}, True),
        ({"sensor": "sentinel-2"}, {"sensor": "landsat-8-9-oli-tirs"}, False),  # of bands; of an index they may
        ({"level": "L2A"}, {"level": "L1C"}, False),
        ({"polarisation": "VV"}, {}, False),
        ({"statistic": "max"}, {}, False),
        ({"daynight": "night"}, {}, False),
    ],
)
def test_names_that_say_less_are_of_the_series_where_that_leaves_no_choice(
    one: dict[str, str], other: dict[str, str], together: bool
) -> None:
    items = tuple(layer(None, f"2020-0{n}-01", bands=("red",), **(one if n % 2 else other)) for n in range(1, 7))
    assert (tuple(f"2020-0{n}-01" for n in range(1, 7)) in dates(items)) is together


def test_a_date_that_is_there_with_the_mission_and_without_it_keeps_both_apart() -> None:
    named = [layer(None, f"2020-0{n}-01", sensor="sentinel-2") for n in (1, 2, 3)]
    nameless = [layer(None, f"2020-0{n}-01") for n in (3, 4)]
    assert dates((*named, *nameless)) == {("2020-01-01", "2020-02-01", "2020-03-01"), ("2020-03-01", "2020-04-01")}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([None, "x", "y", "z"]), min_size=2, max_size=20),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_words_on_one_ground_tell_nothing_apart_and_those_of_other_ground_do(
    words: list[str | None], apart: bool, order: random.Random
) -> None:
    """Truth: with a date of its own for each file, there is one series on one ground, else one for each word."""
    west = {word: 1000.0 * number if apart else 0.0 for number, word in enumerate([None, "x", "y", "z"])}
    items = [layer(word, f"2020-01-{day + 1:02}", west[word]) for day, word in enumerate(words)]
    order.shuffle(items)
    expected: dict[str | None, list[str]] = {}
    for day, word in enumerate(words):
        expected.setdefault(word if apart else None, []).append(f"2020-01-{day + 1:02}")
    assert dates(with_regions_settled(items)) == {tuple(days) for days in expected.values()}


@pytest.mark.parametrize("words", ["of one ground", "of many grounds", "of one date"])
def test_ten_times_the_files_take_ten_times_the_comparisons(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def comparisons(count: int) -> int:
        calls = 0
        shared = settled_by._shared

        def counted(*boxes: Any) -> float:
            nonlocal calls
            calls += 1
            return shared(*boxes)

        items = [
            layer(
                f"w{n}",
                "2020-01-01" if "date" in words else f"{1900 + n // 12}-{n % 12 + 1:02}-01",
                1e3 * n * ("many" in words),
            )
            for n in range(count)
        ]
        with monkeypatch.context() as patched:
            patched.setattr(settled_by, "_shared", counted)
            with_regions_settled(items)
        return calls

    few, many = comparisons(100), comparisons(1000)
    assert many <= 15 * max(few, 100)
