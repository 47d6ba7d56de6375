"""What a folder gives for a period: files without a date of one alone, maps of classes of the nearest."""

from __future__ import annotations

import pytest

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Facts, Origin
from knowflow.model.goal import Period, QueryGoal, Slot
from knowflow.reason.inventory import Inventory
from knowflow.service.folder import Folder

YEARS = (Period("2015-01-01", "2015-12-31"), Period("2016-01-01", "2016-12-31"))


def image(name: str, **facts: str) -> Artifact:
    said = Facts({key: Fact(value, Origin.DECLARED) for key, value in facts.items()})
    return Artifact("raster", said, name=name, path=f"{name}.tif")


def about(quantity: str) -> QueryGoal:
    return QueryGoal("", {"quantity": Slot(quantity)})


@pytest.mark.parametrize(("quantity", "expected"), [("elevation", [1, 1]), ("ndvi", [1, 0])])
def test_what_stays_as_it_is_is_of_all_periods_and_other_files_without_a_date_of_one(
    quantity: str, expected: list[int]
) -> None:
    folder = Folder(Inventory("", (image("a", quantity=quantity),)), about("ndvi"))
    assert [len(folder.candidates("raster", (quantity,), (), period)) for period in YEARS] == expected


@pytest.mark.parametrize(
    ("quantity", "year", "expected"),
    [
        ("surface_temperature", "2022", ["2021", "2015"]),
        ("surface_temperature", "2016", ["2015", "2021"]),
        ("land_cover_class", "2018", []),
        ("land_cover_class", "2021", ["2021"]),
    ],
)
def test_a_map_of_classes_of_another_year_tells_ground_apart_for_what_is_asked(
    quantity: str, year: str, expected: list[str]
) -> None:
    maps = [image(day, quantity="land_cover_class", datetime=f"{day}-01-01") for day in ("2015", "2021")]
    folder = Folder(Inventory("", tuple(maps)), about(quantity))
    found = folder.candidates("raster", ("land_cover_class",), (), Period(f"{year}-01-01", f"{year}-12-31"))
    assert [item.name for item in found] == expected


def test_what_a_scene_is_classified_as_is_of_its_own_day() -> None:
    scene = image("scl", quantity="scene_classification", datetime="2020-03-01")
    folder = Folder(Inventory("", (scene,)), about("ndvi"))
    assert folder.candidates("raster", ("scene_classification",), (), Period("2020-07-01", "2020-07-31")) == ()


def test_the_sum_of_what_adds_up_is_no_statistic_apart() -> None:
    year, month = image("year", quantity="precipitation", statistic="sum"), image("month", quantity="precipitation")
    folder = Folder(Inventory("", (year, month)), about("precipitation"))
    found = folder.candidates("raster", ("precipitation",), (), None)
    assert {leaf.name for one in found for leaf in one.leaves()} == {"year", "month"}
