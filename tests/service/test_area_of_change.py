"""How much ground rose or fell by more than a limit: questions about generated scenes, answered as numpy does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from service_examples import scene

from knowflow import KnowFlow
from knowflow.question.form import expression_of
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
    ("before", "after", "side", "limit"),
    [
        ("2016-08", "2017-08", "below", -0.2),
        ("2016-08-04", "2017-08-04", "below", 0.0),
        ("2016", "2017", "above", 0.0),
        ("2017-06", "2017-08", "at_least", 0.1),
    ],
)
def test_the_area_of_a_change_is_that_of_the_two_medians(
    place: tuple[Path, Path], tmp_path: Path, before: str, after: str, side: str, limit: float
) -> None:
    medians = ", ".join(f"over(during(ndvi, '{time}'), time, median)" for time in (after, before))
    text = f"over(beyond(calculate(difference, {medians}), {side}, {limit}), space, area)"
    asked, faults = expression_of(text)
    assert asked is not None, faults
    found = KnowFlow(place[1]).run(asked, place[0], out=tmp_path)
    moved = change(place[0], "field", before, after)
    holds = {"below": moved < limit, "above": moved > limit, "at_least": moved >= limit}[side]
    pixel = HECTARE / 1e6 / 100  # km2 of 10 m x 10 m
    assert found.answer == pytest.approx(np.sum(holds) * pixel, rel=1e-6)


def test_a_share_that_gained_is_told_of_the_means_of_both_times(place: tuple[Path, Path], tmp_path: Path) -> None:
    found = ask(
        place, "What share of the area gained more than 0.2 in NDVI between August 2016 and August 2017?", tmp_path
    )

    def mean(month: str) -> np.ndarray:
        files = sorted(place[0].glob(f"*field*{month}*.tif"))
        return np.nanmean([rasterio.open(file).read(1, masked=True).filled(np.nan) for file in files], axis=0)

    assert found.answer == pytest.approx(((mean("2017-08") - mean("2016-08")) > 0.2).mean())
