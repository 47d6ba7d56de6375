"""The bench of questions that somebody else wrote: each outcome on a set made here, answers from plain NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
import yaml
from affine import Affine

from knowflow.ground.errors import DocumentError
from knowflow_bench.questions import Question, _same, digest, questions

NDVI = np.linspace(0.1, 0.8, 400, dtype="float32").reshape(20, 20)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("set")
    (found / "field").mkdir()
    profile = {"driver": "GTiff", "dtype": "float32", "count": 1, "height": 20, "width": 20, "crs": "EPSG:32633"}
    place = Affine(10, 0, 500000, 0, -10, 5100000)
    with rasterio.open(found / "field" / "ndvi_2021-07-01.tif", "w", transform=place, **profile) as dataset:
        dataset.write(NDVI, 1)
    return found


def _ask(place: Path, *asked: dict[str, object]) -> list[str]:
    listed = [{"folder": "field", **one} for one in asked]
    (place / "questions.yaml").write_text(yaml.safe_dump({"questions": listed}), encoding="utf-8")
    found = questions(place)
    assert found["n"] == len(asked)
    return [case["outcome"] for case in found["cases"]]


def test_each_outcome(place: Path) -> None:
    mean, share = float(NDVI.mean()), 100 * float((NDVI > 0.5).mean())
    outcomes = _ask(
        place,
        {"ask": "What is the mean NDVI?", "answer": mean},
        {"ask": "What is the mean NDVI?", "answer": mean * 1.1},
        {"ask": "What is the mean NDVI?", "answer": mean * 1.1, "or": [mean]},
        {"ask": "What share of the area has NDVI above 0.5?", "answer": share, "unit": "%"},
        {"ask": "Show a map of the NDVI", "map_mean": mean},
        {"ask": "Show a map of the NDVI", "map_mean": mean * 1.1, "or": [mean]},
        {"ask": "Show a map of the NDVI", "map_mean": mean * 1.1},
        {"ask": "On how many days was the mean NDVI above 0?", "answer": 1, "unit": "day"},
        {"ask": "What are the minimum and the maximum NDVI?", "answer": {"minimum": 0.1, "maximum": 0.8}},
        {"ask": "What are the minimum and the maximum NDVI?", "answer": {"minimum": 0.8, "maximum": 0.1}},
        {"ask": "What is the mean xylophone?", "answer": 1.0},
        {"ask": "What is the mean surface temperature?", "because": "there is NDVI alone"},
        {"ask": "What is the mean NDVI?", "because": "a mistake of the set"},
    )
    assert outcomes == [
        "right",
        "wrong",
        "right",
        "right",
        "right",
        "right",
        "wrong",
        "right",
        "right",
        "wrong",
        "refused",
        "refused_rightly",
        "taken",
    ]


def test_a_set_that_is_not_valid_is_refused(place: Path) -> None:
    for wrong in (
        {"ask": "What?"},
        {"ask": "What?", "answer": 1, "because": "nobody knows"},
        {"ask": "?", "answer": 1, "folder": "no"},
    ):
        with pytest.raises(DocumentError):
            _ask(place, wrong)


def test_units_of_truths_are_known_or_the_set_is_refused(place: Path) -> None:
    share = float((NDVI > 0.5).mean())
    asked = {"ask": "What share of the area has NDVI above 0.5?", "answer": 100 * share}
    assert _ask(place, {**asked, "unit": "percentage points"}, {**asked, "unit": "million"}) == ["right", "wrong"]
    dates = {"ask": "On how many days was the mean NDVI above 0?", "answer": 1}
    assert _ask(place, {**dates, "unit": "days"}, {**dates, "unit": "survey days"}) == ["right", "right"]
    with pytest.raises(DocumentError, match="units are not known"):
        _ask(place, {**asked, "unit": "people km-2"})


@pytest.mark.parametrize(
    ("found", "unit", "wanted", "right"),
    [(0.5, "K", 0.5, True), (280.15, "K", 7.0, True), (0.5, "K", 0.6, False), (30.8, "hm3", 30.8, False)],
)
def test_a_change_of_temperature_is_the_same_in_kelvin_and_degrees(
    found: float, unit: str, wanted: float, right: bool
) -> None:
    asked = Question(folder="a", ask="?", answer=wanted, unit="degC")
    assert _same(asked, wanted, found, unit) is right


def test_the_digest_is_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    one = digest(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    other = digest(tmp_path)
    (tmp_path / "b").write_text("2")
    assert len({one, other, digest(tmp_path)}) == 3
