"""What restricts a question is heeded by names in the data, or by an area that is given; else it is asked back."""

from __future__ import annotations

import pytest

from knowflow.ground.errors import NotUnderstoodError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Facts, Origin
from knowflow.reason.heeded import hour_of, refuse_unheeded, unheeded_by_data
from knowflow.reason.inventory import Inventory
from knowflow.reason.language import understand


def raster(name: str, **facts: str) -> Artifact:
    return Artifact("raster", Facts({key: Fact(value, Origin.DECLARED) for key, value in facts.items()}), name=name)


def folder(*rasters: Artifact, vectors: tuple[str, ...] = ()) -> Inventory:
    layers = (Artifact("vector", Facts({}), name=name, path=f"data/{name}.gpkg") for name in vectors)
    return Inventory("", (*rasters, *layers))


def test_a_restriction_that_nothing_heeds_is_refused_with_its_words() -> None:
    with pytest.raises(NotUnderstoodError) as refused:
        refuse_unheeded(understand("Mean NDVI of the oak stands"), folder(raster("NDVI_2021")), by_area=False)
    assert "of the oak stands" in str(refused.value.found)
    assert "--aoi" in str(refused.value.expected)


def test_what_names_a_raster_is_heeded() -> None:
    goal = understand("Mean NDVI of the oak stands")
    assert unheeded_by_data(goal, folder(raster("oak_stands_NDVI_2021")), by_area=False) == ()


def test_polygons_heed_a_restriction_only_where_there_is_an_answer_for_each() -> None:
    goal = understand("Mean NDVI of the oak stands")
    (problem,) = unheeded_by_data(goal, folder(raster("NDVI"), vectors=("oak_stands",)), by_area=False)
    assert "--aoi data/oak_stands.gpkg" in problem.hint
    each = understand("Mean NDVI inside the oak polygons, for each polygon")
    assert unheeded_by_data(each, folder(raster("NDVI"), vectors=("oak_stands",)), by_area=False) == ()


def test_an_area_that_is_given_stands_for_a_place_and_for_no_cause() -> None:
    data = folder(raster("NDVI"))
    assert unheeded_by_data(understand("Mean NDVI inside the nature reserve"), data, by_area=True) == ()
    assert unheeded_by_data(understand("Mean NDVI loss due to the bark beetle"), data, by_area=True)


@pytest.mark.parametrize(
    ("query", "facts", "asked_back"),
    [
        ("On how many nights was the surface warmer than 20 °C?", {"quantity": "surface_temperature"}, True),
        (
            "On how many nights was the surface warmer than 20 °C?",
            {"quantity": "surface_temperature", "daynight": "night"},
            False,
        ),
        ("How much rain fell at night?", {"quantity": "precipitation_amount"}, True),
        ("On how many nights were the night lights above 20?", {"quantity": "night_lights"}, False),
        ("On how many days was the surface warmer than 20 °C?", {"quantity": "surface_temperature"}, False),
    ],
)
def test_the_night_is_heeded_only_by_data_that_are_of_it(query: str, facts: dict[str, str], asked_back: bool) -> None:
    problems = unheeded_by_data(understand(query), folder(raster("a", **facts)), by_area=False)
    assert bool(problems) is asked_back


def test_lights_are_seen_at_night_whatever_the_file_says() -> None:
    assert hour_of(raster("lights", quantity="night_lights")) == "night"
    assert hour_of(raster("LST", quantity="surface_temperature")) is None


@pytest.mark.parametrize(
    ("query", "rasters", "asked_back"),
    [
        ("Mean NDVI of the Landsat scene", [{"sensor": "sentinel-2"}], True),
        ("Mean NDVI of the Landsat scene", [{"sensor": "landsat-8-9-oli-tirs"}], False),
        ("Mean NDVI of the Landsat scene", [{"sensor": "sentinel-2"}, {"sensor": "landsat-7-etm"}], False),
        ("Mean NDVI of the Landsat scene", [{"sensor": "sentinel-2"}, {"quantity": "ndvi"}], False),
        ("Mean NDVI of the Landsat scene", [{}], False),
        ("Mean NDVI of the scene", [{"sensor": "sentinel-2"}], False),
    ],
)
def test_a_sensor_is_not_heeded_by_images_of_another(
    query: str, rasters: list[dict[str, str]], asked_back: bool
) -> None:
    data = folder(*(raster(f"image_{number}", **facts) for number, facts in enumerate(rasters)))
    problems = unheeded_by_data(understand(query), data, by_area=False)
    assert [problem.expected for problem in problems] == (["images of Landsat"] if asked_back else [])


@pytest.mark.parametrize(
    ("query", "asked_back"),
    [
        ("What was the trend of NDVI per year, from 2010 to 2022?", True),
        ("Mean NDVI between 2001 and 2021", True),
        ("What was the trend of NDVI per year, from 2019 to 2022?", False),
        ("What was the trend of NDVI per year since 2010?", False),
        ("Mean NDVI in 2021", False),
    ],
)
def test_years_that_data_cover_by_a_small_part_are_asked_back(query: str, asked_back: bool) -> None:
    data = folder(*(raster(f"NDVI_{day}", datetime=day) for day in ("2020-07-10", "2021-07-10", "2022-07-10")))
    problems = unheeded_by_data(understand(query), data, by_area=False)
    assert ["the data of it are from" in problem.found for problem in problems] == [True] * asked_back


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("What was the mean NDVI in July 2012?", "'July 2012', from 2012-07-01 to 2012-07-31: no data are of it"),
        ("What was the mean NDVI in July 2020?", ""),
        ("How fast is the ground sinking per year?", "names none that is known"),
        ("How fast is NDVI sinking per year?", ""),
    ],
)
def test_a_refusal_names_the_period_without_data_and_what_nobody_knows(query: str, told: str) -> None:
    problems = unheeded_by_data(understand(query), folder(raster("a", datetime="2020-07-10")), by_area=False)
    assert told in "".join(problem.found for problem in problems)
    assert bool(problems) is bool(told)


@pytest.mark.parametrize("limits", ["between 350 and 10 degrees", "from 315 to 45 degrees", "between 337.5° and 22.5°"])
def test_directions_through_north_are_not_taken_for_all_the_others(limits: str) -> None:
    with pytest.raises(NotUnderstoodError, match="through north"):
        refuse_unheeded(understand(f"Share of the area with aspect {limits}"), folder(raster("dem")), by_area=False)


@pytest.mark.parametrize(
    "limited", ["aspect between 10 and 350 degrees", "aspect above 315 degrees", "slope between 20 and 10 degrees"]
)
def test_other_limits_are_what_they_say(limited: str) -> None:
    goal = understand(f"Share of the area with {limited}")
    assert goal.value("threshold") is not None
    assert unheeded_by_data(goal, folder(raster("dem")), by_area=False) == ()


@pytest.mark.parametrize(
    ("query", "asked_back"),
    [
        ("Mean NDVI for each LULC_NAME", True),
        ("Mean NDVI where lulc_id is 2", True),
        ("Mean NDVI of class 2", True),
        ("Mean NDVI of classes 3 and 4", True),
        ("Mean NDVI of each class", False),
        ("Name the mean NDVI of each polygon", False),
    ],
)
def test_a_column_and_a_class_by_its_number_are_asked_back(query: str, asked_back: bool) -> None:
    fields = Facts({"fields": Fact(("LULC_ID", "LULC_NAME", "name"), Origin.MEASURED)})
    data = Inventory("", (raster("NDVI"), Artifact("vector", fields, name="lulc")))
    assert bool(unheeded_by_data(understand(query), data, by_area=False)) is asked_back
