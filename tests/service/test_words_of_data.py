"""What words mean with the data at hand, from the sentence to the number, against NumPy on the scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowflow.model.template import Scene
from knowflow.service.api import Service
from knowflow.service.results import RunResult
from knowflow.testing.scenes import write_scene

X = (np.arange(64) + 0.5) / 64


def asked(folder: Path, question: str, *layers: dict[str, Any]) -> RunResult:
    if not (folder / "data").exists():
        write_scene(Scene.model_validate({"layers": list(layers)}), folder / "data")
    return Service(folder / "home").run(question, folder / "data", out=folder / question[:9])


def layer(quantity: str, values: str, *dates: str) -> dict[str, Any]:
    return {"name": quantity, "quantity": quantity, "values": values, "dates": list(dates)}


def test_a_place_that_nothing_is_called_is_the_whole_and_told(tmp_path: Path) -> None:
    found = asked(tmp_path, "What is the mean NDVI of the city?", layer("ndvi", "x", "2021-06-01"))
    assert found.answer == pytest.approx(0.5)
    assert any("city" in str(one) and "whole of the data" in str(one) for one in found.assumptions)


def test_months_of_which_none_is_covered_are_compared_and_it_is_told(tmp_path: Path) -> None:
    days = ("2023-01-05", "2023-01-15", "2023-02-05", "2023-02-15")
    warm = layer("surface_temperature", "280 + i", *days)
    for question in (
        "In which month of 2023 was the mean LST highest?",
        "Which month was warmer, January or February?",
    ):
        found = asked(tmp_path, question.replace("warmer,", "warmer in 2023,"), warm)
        assert found.answer == "2023-02"
        assert any("80 %" in str(one) for one in found.assumptions)


def test_cloud_cover_is_the_share_of_a_mask_where_the_data_hold_that(tmp_path: Path) -> None:
    mask = layer("cloud_mask", "where(x < 0.25 * i + 0.25, 1, 0)", "2023-05-01", "2023-05-06")
    found = asked(tmp_path, "What was the mean cloud cover of May 2023?", mask)
    assert found.answer == pytest.approx(np.mean([(X < 0.25).mean(), (X < 0.5).mean()]))


def test_turbidity_is_the_index_that_the_data_hold(tmp_path: Path) -> None:
    index = layer("ndti", "0.1 * i", "2022-03-01", "2022-03-11", "2022-03-21")
    assert asked(tmp_path, "When was the water most turbid?", index).answer == "2022-03-21"


def test_a_trend_with_gaps_left_out_is_of_what_each_pixel_shows(tmp_path: Path) -> None:
    days = ("2020-07-01", "2021-07-01", "2022-07-01", "2023-07-01")
    field = {**layer("ndvi", "x + 0.02 * i", *days), "missing": "(x > 0.5) * (i == 3)"}
    write_scene(Scene.model_validate({"layers": [field]}), tmp_path / "data")
    found = asked(tmp_path, "How much does NDVI rise per year, once the gaps are left out?")
    assert found.answer == pytest.approx(0.02, rel=0.01)


def test_the_largest_of_the_lakes(tmp_path: Path) -> None:
    index = layer("ndwi", "where((x < 0.25) | (x > 0.625), 0.5, -0.5)", "2022-06-01")
    whole = asked(tmp_path, "How many hectares are water?", index).answer
    assert asked(tmp_path, "How many lakes are there?", index).answer == 2
    largest = asked(tmp_path, "How large is the largest lake, in hectares?", index).answer
    assert largest == pytest.approx(whole * (X > 0.625).sum() / ((X < 0.25) | (X > 0.625)).sum())
