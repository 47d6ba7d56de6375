"""Tables as they are handed over: their numbers are numbers, and what a spreadsheet would run stays text."""

from __future__ import annotations

import csv
from pathlib import Path

from service_examples import scene

from knowflow import KnowFlow
from knowflow.model.artifact import Artifact
from knowflow.service.deliver import value_of


def test_the_numbers_of_a_table_in_a_file_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "accuracy.csv").write_text("class,f1,count\nforest,0.5,12\n2021_07,,3\n", encoding="utf-8")
    assert value_of(Artifact("table", path=str(tmp_path / "accuracy.csv"))) == [
        {"class": "forest", "f1": 0.5, "count": 12},
        {"class": "2021_07", "f1": None, "count": 3},
    ]


def test_names_of_polygons_are_no_formulas_in_the_table_that_is_handed_over(tmp_path: Path) -> None:
    corners = [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]
    field = {"type": "Polygon", "coordinates": corners}
    features = [{"type": "Feature", "properties": {"name": "=1+1"}, "geometry": field}]
    data = scene(tmp_path / "data", vectors={"fields": {"type": "FeatureCollection", "features": features}})
    run = KnowFlow(tmp_path / "home").run("mean NDVI of each field", data, out=tmp_path / "out", runner="local")
    assert run.status == "completed"
    with (tmp_path / "out" / "answer.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["name"] == "'=1+1"
    assert run.answer[0]["name"] == "=1+1"
