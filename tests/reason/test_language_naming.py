"""What is named outright goes before what a word of the scene implies; heights are asked whose they are."""

from __future__ import annotations

import pytest

from knowflow.model.goal import Period
from knowflow.reason.language import unclear, understand


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("When did the wildfires burn strongest? Use the mean FRP.", "fire_radiative_power"),
        ("On which date was the water murkiest, by NDTI?", "ndti"),
        ("Which date had the driest fields in terms of NDMI?", "ndmi"),
        ("What share of the land is parched in the sense of NDMI below 0?", "ndmi"),
        ("On which day did the lake have the highest NDCI?", "ndci"),
    ],
)
def test_a_quantity_that_is_named_goes_before_a_word_of_the_scene(text: str, quantity: str) -> None:
    assert understand(text).value("quantity") == quantity


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("What share of the scene is water by MNDWI?", "open_water"),
        ("When was the lake largest, by MNDWI?", "open_water"),
        ("How many hectares are covered by snow according to NDSI?", "snow"),
    ],
)
def test_how_large_a_thing_is_stays_a_question_about_the_thing(text: str, feature: str) -> None:
    goal = understand(text)
    assert goal.value("feature") == feature
    assert goal.value("index")


def test_what_is_told_by_an_index_is_no_place() -> None:
    assert "class" not in understand("When was the water murkiest, by NDTI?").slots
    assert "class" not in understand("Share of the land that is parched in the sense of NDMI below 0").slots
    assert understand("Mean NDMI of the forest, by district").value("class") == "forest"
    assert understand("What is the mean NDTI of the water?").value("class") == "water"


def test_a_class_that_is_said_twice_is_one() -> None:
    goal = understand("What fraction of the image is urban, built-up land?")
    assert goal.value("feature") == "built_up"
    assert goal.slots["class"].words == goal.slots["feature"].words


@pytest.mark.parametrize(
    "text",
    [
        "Mean height of each class",
        "Mean height of the villages",
        "Highest height in the DEM",
        "P90 of the DEM",
        "zonal mean of the DTM",
        "standard deviation of height",
    ],
)
def test_height_is_that_of_the_ground(text: str) -> None:
    goal = understand(text)
    assert goal.value("quantity") == "elevation"
    assert goal.slots["quantity"].default
    assert not unclear(goal)


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("Mean height of the trees", "trees"),
        ("What is the mean forest height?", "forest"),
        ("Height of the chimneys", "chimneys"),
        ("the barns' height", "barns"),
    ],
)
def test_the_height_of_what_stands_on_the_ground_is_asked_back(text: str, thing: str) -> None:
    (asked,) = unclear(understand(text))
    assert asked.slot == "quantity"
    assert asked.why.endswith(f"can mean height of the ground or height above it, of what is called {thing}")


def test_a_dem_beside_a_quantity_is_the_data() -> None:
    goal = understand("What is the mean slope of the DEM?")
    assert goal.value("quantity") == "slope"
    assert not unclear(goal)


def test_height_correlates_with_what_is_named_beside_it() -> None:
    assert understand("Is there a correlation of NDVI with height?").value("quantities") == ("ndvi", "elevation")


def test_brightness_temperature_may_be_shortened() -> None:
    assert understand("mean BT in K").value("quantity") == "toa_brightness_temperature"


@pytest.mark.parametrize(
    "text",
    [
        "From LST and NDVI, fit a trend to the dryness index",
        "How often did the drought indicator spike? Use NDVI and LST.",
        "Work out the trend of the dryness index from land surface temperature and NDVI",
    ],
)
def test_an_index_of_a_thing_is_the_name_of_a_quantity(text: str) -> None:
    goal = understand(text)
    assert "tvdi" in (goal.value("quantity"), *(goal.value("quantities") or ()))
    assert "dry" not in {choice for one in goal.ambiguities for choice in one.choices}


def test_a_name_spelled_out_is_no_place() -> None:
    goal = understand("Mean vegetation index (NDVI) of the cropland")
    assert (goal.value("quantity"), goal.value("class")) == ("ndvi", "cropland")
    assert not unclear(goal)


def test_what_the_data_are_is_not_asked_about() -> None:
    goal = understand("When was the lake most turbid? Tell it from MODIS surface reflectance.")
    assert goal.value("feature") == "turbid_water"
    assert goal.value("sources") == ("surface_bidirectional_reflectance",)
    assert understand("What is the mean reflectance of the water?").value("quantity") == (
        "surface_bidirectional_reflectance"
    )


@pytest.mark.parametrize(
    ("text", "feature"),
    [("Date of the murkiest water", "turbid_water"), ("When was the water muddier?", "turbid_water")],
)
def test_adjectives_are_known_in_all_degrees(text: str, feature: str) -> None:
    assert understand(text).value("feature") == feature


def test_how_asks_for_what_the_adjective_tells() -> None:
    goal = understand("How warm was the water on average?")
    assert (goal.value("quantity"), goal.value("class")) == ("surface_temperature", "water")


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("Mean snow depth by Chang in January 2020", "algorithm", "chang"),
        ("Mean NDVI of the growing season 2020", "period", Period("2020-01-01", "2020-12-31")),
    ],
)
def test_a_name_is_no_word_of_change(text: str, slot: str, value: object) -> None:
    goal = understand(text)
    assert goal.value("operations") == ("mean",)
    assert goal.value(slot) == value
