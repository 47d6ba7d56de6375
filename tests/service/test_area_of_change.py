"""How much ground rose or fell by more than a limit: questions about generated scenes, answered as numpy does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from service_examples import scene

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError
from knowflow.service.results import RunResult

DATES = ["2016-08-04", "2016-08-24", "2017-06-10", "2017-08-04", "2017-08-24"]
# rises in the east, falls in the west, and by more from date to date
NDVI = "0.4 + 0.05 * (x - 0.5) * i**2 + 0.1 * sin(7 * y + i)"
HECTARE = 10_000  # m2


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The data, and one cache for all questions."""
    folder = tmp_path_factory.mktemp("change")
    warmth = {"quantity": "surface_temperature", "unit": "degC", "values": "20 + 6 * x * i", "dates": DATES[-2:]}
    ndvi = {"name": "field", "quantity": "ndvi", "values": NDVI, "dates": DATES}
    return scene(folder / "data", ndvi, {"name": "lst", **warmth}), folder / "home"


def ask(place: tuple[Path, Path], query: str, out: Path) -> RunResult:
    found = KnowFlow(place[1]).run(query, place[0], out=out)
    assert found.status == "completed", found.error
    return found


def change(data: Path, name: str, before: str, after: str) -> np.ndarray:
    """The median of one time less that of the other, pixel by pixel."""

    def median(time: str) -> np.ndarray:
        files = sorted(data.glob(f"*{name}*{time}*.tif"))
        assert files
        return np.nanmedian([rasterio.open(file).read(1, masked=True).filled(np.nan) for file in files], axis=0)

    return np.asarray(median(after) - median(before))


@pytest.mark.parametrize(
    ("query", "before", "after", "limit"),
    [
        ("What share of the area lost more than 0.2 NDVI between {} and {}?", "August 2016", "August 2017", -0.2),
        ("What share of the area lost NDVI between {} and {}?", "2016-08-04", "2017-08-04", -0.0),
        ("What share of the area became greener between {} and {}?", "2016", "2017", 0.0),
        ("How many hectares gained NDVI between {} and {}?", "June 2017", "August 2017", 0.0),
        ("Map of the area where NDVI rose by at least 0.1 from {} to {}", "June 2017", "August 2017", 0.1),
        ("What area was more than 0.1 lower in NDVI in {1} than in {0}?", "June 2017", "August 2017", -0.1),
    ],
)
def test_the_area_of_a_change_is_that_of_the_two_medians(
    place: tuple[Path, Path], tmp_path: Path, query: str, before: str, after: str, limit: float
) -> None:
    named = {"August 2016": "2016-08", "June 2017": "2017-06", "August 2017": "2017-08"}
    changed = change(place[0], "field", named.get(before, before), named.get(after, after))
    there = changed < limit if np.signbit(limit) else changed > limit
    assert 0 < there.sum() < there.size
    found = ask(place, query.format(before, after), tmp_path)
    assert found.values["share"]["value"] == pytest.approx(there.mean())
    area = {"km2": 1e6, "ha": HECTARE}[found.values["area"]["unit"]] * found.values["area"]["value"]
    assert area == pytest.approx(there.sum() * 100)
    with rasterio.open(found.outputs["map"]) as drawn:
        assert np.array_equal(drawn.read(1) == 1, there)


def test_the_change_within_a_class_is_of_that_class_by_a_map_of_another_year(tmp_path: Path) -> None:
    """A quarter of the forest, which is the western half, is cleared, and as much of the rest: an eighth of the area
    and not a quarter. The map is of the year before; that is told."""
    ndvi = {"name": "field", "quantity": "ndvi", "values": "where((i > 0.5) & (y < 0.25), 0.2, 0.8)"}
    classes = {"name": "ESA_WorldCover_10m_2021_v200_Map", "quantity": "land_cover_class", "dtype": "uint8"}
    layers = (
        ndvi | {"dates": ["2022-07-01", "2027-07-01"]},
        classes | {"nodata": 0, "values": "where(x < 0.5, 10, 40)"},
    )
    query = "How many hectares of forest lost more than 0.3 NDVI between 2022 and 2027?"
    found = ask((scene(tmp_path / "data", *layers), tmp_path / "home"), query, tmp_path / "out")
    assert found.values["area"]["value"] == pytest.approx(32 * 32 / 8 * 100 / HECTARE)
    assert found.values["share_of_class"]["value"] == pytest.approx(0.25)
    assert any("class map of 2021-01-01" in str(one) for one in found.assumptions)


@pytest.mark.parametrize(("said", "limit"), [("3 °C", 3.0), ("3 K", 3.0), ("3.6 °F", 2.0)])
def test_a_change_of_temperature_is_limited_in_the_unit_that_is_told(
    place: tuple[Path, Path], tmp_path: Path, said: str, limit: float
) -> None:
    query = (
        f"What share of the area did surface temperature rise by more than {said} in, from {DATES[3]} to {DATES[4]}?"
    )
    warmer = change(place[0], "lst", DATES[3], DATES[4]) > limit
    assert 0 < warmer.sum() < warmer.size
    assert ask(place, query, tmp_path).values["share"]["value"] == pytest.approx(warmer.mean())


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("What share of the area gained more than 10 % NDVI between 2016 and 2017?", "told in percent"),
        ("What share of the area changed by more than 0.1 NDVI between 2016 and 2017?", "of no rise alone"),
        ("What share of the area gained more than 0.1 NDVI?", "does not say what is compared"),
        ("What share of the forest lost more than 0.1 NDVI between 2016 and 2017?", "class map"),
    ],
)
def test_what_is_no_share_of_the_whole_area_beyond_a_change_is_refused(
    place: tuple[Path, Path], query: str, said: str
) -> None:
    with pytest.raises(KnowFlowError) as refused:
        KnowFlow(place[1]).plan(query, place[0])
    error = refused.value
    assert said in " ".join(map(str, [error.message, error.expected, error.found, error.hint, *error.problems]))


def test_a_share_that_gained_is_told_of_the_means_of_both_times(place: tuple[Path, Path], tmp_path: Path) -> None:
    found = ask(
        place, "What share of the area gained more than 0.2 in NDVI between August 2016 and August 2017?", tmp_path
    )

    def mean(month: str) -> np.ndarray:
        files = sorted(place[0].glob(f"*field*{month}*.tif"))
        return np.nanmean([rasterio.open(file).read(1, masked=True).filled(np.nan) for file in files], axis=0)

    assert found.answer == pytest.approx(((mean("2017-08") - mean("2016-08")) > 0.2).mean())
