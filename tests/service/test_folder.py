"""What a question restricts a folder to: months and days, the hour, and the sensor where there is one of it."""

from __future__ import annotations

import pytest

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Facts, Origin
from knowflow.model.goal import Period
from knowflow.reason.inventory import Inventory
from knowflow.reason.language import understand
from knowflow.service.folder import Folder


def lst(name: str, **facts: str) -> Artifact:
    said = {"quantity": "surface_temperature", **facts}
    return Artifact("raster", Facts({key: Fact(value, Origin.DECLARED) for key, value in said.items()}), name=name)


def names(query: str, *rasters: Artifact) -> set[str]:
    folder = Folder(Inventory("", rasters), understand(query))
    return {item.name for item in folder.candidates("raster", ("surface_temperature",), (), None)}


def test_only_images_of_the_named_sensor_are_taken_where_there_are_some() -> None:
    aster, modis, unknown = lst("a", sensor="aster"), lst("m", sensor="modis"), lst("u")
    assert names("Mean LST of the MODIS image", aster, modis) == {"m"}
    assert names("Mean LST of the MODIS image", aster, unknown) == {"a", "u"}
    assert names("Mean LST", aster, modis) == {"a", "m"}


def test_images_of_the_other_hour_are_not_taken() -> None:
    day, night = lst("d", daynight="day"), lst("n", daynight="night")
    assert names("Mean LST at night", day, night) == {"n"}


def test_masks_of_clouds_are_not_taken_where_clouds_are_to_stay() -> None:
    field, mask = lst("a"), lst("m", quantity="cloud_mask")
    for query, expected in [("Mean LST without cloud masking", 0), ("Mean LST without clouds", 1), ("Mean LST", 1)]:
        folder = Folder(Inventory("", (field, mask)), understand(query))
        assert len(folder.candidates("raster", ("cloud_mask",), (), None)) == expected
        assert len(folder.candidates("raster", ("surface_temperature",), (), None)) == 1
    share = Folder(Inventory("", (mask,)), understand("What share is cloudy, including clouds at the edge?"))
    assert len(share.candidates("raster", ("cloud_mask",), (), None)) == 1


def test_a_form_of_the_ground_without_a_date_is_of_all_periods_but_has_not_changed_between_two() -> None:
    dem = Artifact("raster", Facts({"quantity": Fact("elevation", Origin.DECLARED)}), name="dem", path="dem.tif")
    periods = (Period("2015-01-01", "2015-12-31"), Period("2016-01-01", "2016-12-31"))
    for query, expected in [
        ("Difference of NDVI between 2015 and 2016", [1, 1]),
        ("Difference of elevation between 2015 and 2016", [1, 0]),
        ("Change of slope between 2015 and 2016", [1, 0]),
    ]:
        folder = Folder(Inventory("", (dem,)), understand(query))
        assert [len(folder.candidates("raster", ("elevation",), (), period)) for period in periods] == expected


def _class_map(day: str, quantity: str = "land_cover_class") -> Artifact:
    return Artifact(
        "raster",
        Facts({"quantity": Fact(quantity, Origin.DECLARED), "datetime": Fact(day, Origin.DECLARED)}),
        name=f"classes {day}",
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Mean LST per land cover class in summer 2022", ["classes 2021-01-01", "classes 2015-01-01"]),
        ("Highest LST of the forest in August 2016", ["classes 2015-01-01", "classes 2021-01-01"]),
        ("How many hectares of forest were there in 2018?", []),
        ("Change of LST of the forest between 2016 and 2018", ["classes 2015-01-01", "classes 2021-01-01"]),
        ("Change of the forest area between 2016 and 2018", []),
    ],
)
def test_a_map_of_classes_of_another_year_tells_ground_apart_for_what_is_asked(query: str, expected: list[str]) -> None:
    goal = understand(query)
    folder = Folder(Inventory("", (_class_map("2015-01-01"), _class_map("2021-01-01"))), goal)
    period = goal.value("period")
    found = folder.candidates("raster", ("land_cover_class",), (), period)
    assert [item.name for item in found] == expected


def test_what_a_scene_is_classified_as_is_of_its_own_day() -> None:
    goal = understand("Mean NDVI of the forest in July 2020")
    folder = Folder(Inventory("", (_class_map("2020-03-01", "scene_classification"),)), goal)
    assert folder.candidates("raster", ("scene_classification",), (), goal.value("period")) == ()


def test_a_map_of_classes_is_of_every_month() -> None:
    folder = Folder(Inventory("", (_class_map("2021-01-01"),)), understand("Mean NDVI of the cropland in July"))
    assert folder.candidates("raster", ("land_cover_class",), (), None)
