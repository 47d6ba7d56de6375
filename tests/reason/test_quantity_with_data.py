"""Which quantity is meant where the words leave a choice and the data leave none."""

from __future__ import annotations

import pytest

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Facts, Origin
from knowflow.model.goal import QueryGoal
from knowflow.reason.inventory import Inventory
from knowflow.reason.language import understand
from knowflow.reason.quantity_with_data import quantity_with_data


def meant(text: str, *held: str, names: tuple[str, ...] = (), bands: tuple[str, ...] = ()) -> QueryGoal:
    named = names or held
    layers = [
        Artifact("raster", Facts({"quantity": Fact(quantity, Origin.DECLARED)}), name=name)
        for quantity, name in zip(held, named, strict=True)
    ]
    if bands:
        facts = {
            "quantity": Fact("surface_bidirectional_reflectance", Origin.DECLARED),
            "bands": Fact(bands, Origin.DECLARED),
        }
        layers.append(Artifact("raster", Facts(facts), name="S2"))
    return quantity_with_data(understand(text), Inventory("", tuple(layers)))


def test_a_thing_on_the_ground_is_told_by_what_the_data_hold_of_it() -> None:
    goal = meant("What is the average soil sealing of each district?", "built_up_fraction")
    assert goal.value("quantity") == "built_up_fraction"
    assert not {"feature", "class"} & set(goal.slots)
    assert "in the data" in goal.slots["quantity"].note


def test_the_share_that_is_covered_is_the_mean_of_the_cover() -> None:
    goal = meant("What share of the land is sealed soil?", "built_up_fraction")
    assert goal.value("operations") == ("mean",)
    assert goal.value("quantity") == "built_up_fraction"
    assert "threshold" not in goal.slots


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("What share of the land is sealed soil?", "built_up_fraction"),
        ("What fraction of the area is covered by snow?", "snow_fraction"),
        ("How much snow is there?", "snow_fraction"),
    ],
)
def test_a_cover_that_was_derived_goes_before_an_index_that_could_be_made(text: str, held: str) -> None:
    goal = meant(text, held, bands=("green", "nir", "swir16"))
    assert (goal.value("quantity"), goal.value("operations"), goal.value("feature")) == (held, ("mean",), None)
    assert goal.slots["quantity"].default


def test_a_cover_is_no_answer_where_a_limit_is_said_or_an_area_is_asked_for() -> None:
    asked = meant("What share of the area has an NDSI above 0.4?", "snow_fraction", bands=("green", "swir16"))
    assert asked.value("quantity") == "ndsi"
    assert meant("How many hectares are sealed soil?", "built_up_fraction").value("quantity") == "ndbi"


def test_what_is_named_outright_stays() -> None:
    assert meant("What is the mean NDBI?", "built_up_fraction").value("quantity") == "ndbi"


def test_a_layer_may_be_called_by_its_name() -> None:
    goal = meant("Mean of the grobo layer", "elevation", "slope", names=("grobo_2020", "S1"))
    assert goal.value("quantity") == "elevation"
    assert "grobo" not in goal.leftover


def test_a_name_beside_words_that_nobody_knows_names_none() -> None:
    assert "quantity" not in meant("Mean grobo porosity", "elevation", names=("grobo_2020",)).slots


def test_a_name_of_layers_of_two_quantities_names_none() -> None:
    assert "quantity" not in meant("Mean of grobo", "elevation", "ndvi", names=("grobo_a", "grobo_b")).slots


@pytest.mark.parametrize(
    ("text", "held", "quantity"),
    [
        ("How many degrees has the sea on average?", ("sea_surface_temperature", "ndci"), "sea_surface_temperature"),
        ("What is the highest value, in dB?", ("sigma0_db", "elevation"), "sigma0_db"),
        ("What is the median in July?", ("ndvi",), "ndvi"),
    ],
)
def test_where_nothing_is_named_the_only_quantity_that_fits_is_meant(
    text: str, held: tuple[str, ...], quantity: str
) -> None:
    goal = meant(text, *held)
    assert goal.value("quantity") == quantity
    assert goal.slots["quantity"].default
    assert "alone" in goal.slots["quantity"].note


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("What is the median in July?", ("ndvi", "elevation")),
        ("What is the mean porosity?", ("ndvi",)),
        ("What is the median?", ("land_cover_class",)),
        ("How many degrees was the air on average?", ("surface_temperature",)),
        ("ndvi or not", ()),
    ],
)
def test_nothing_is_guessed(text: str, held: tuple[str, ...]) -> None:
    goal = meant(text, *held)
    assert goal.value("quantity") in (None, "ndvi" if "ndvi" in text else None)


@pytest.mark.parametrize(
    "text", ["How warm was the lake?", "How warm was the water on average?", "The water: how many K?"]
)
def test_what_is_told_of_water_alone_needs_no_map_of_it(text: str) -> None:
    goal = meant(text, "sea_surface_temperature")
    assert goal.value("quantity") == "sea_surface_temperature"
    assert not {"class", "feature"} & set(goal.slots)


def test_the_temperature_of_a_forest_needs_a_map_of_it() -> None:
    assert meant("How warm was the forest?", "sea_surface_temperature").value("class") == "forest"


def test_the_unit_tells_which_quantity_a_word_of_the_scene_means() -> None:
    assert meant("How many MW had the fires on average?", "fire_radiative_power", "nbr").value("quantity") == (
        "fire_radiative_power"
    )
    assert (
        meant("The water: how many K?", "sea_surface_temperature", "air_temperature").value("feature") == "open_water"
    )
    assert meant("How many hectares has the lake?", "sea_surface_temperature").value("quantity") == "ndwi"
    assert meant("The snow: how many K on average?", "surface_temperature").value("class") == "snow"


@pytest.mark.parametrize(
    "text",
    [
        "How many days were hotter than 300 K?",
        "What was the mean temperature in July?",
        "On how many dates was the temperature below 280 K?",
        "Which day was the coldest?",
    ],
)
def test_the_only_temperature_of_the_data_is_meant_where_none_is_named(text: str) -> None:
    goal = meant(text, "air_temperature", "precipitation")
    assert goal.value("quantity") == "air_temperature"
    assert goal.slots["quantity"].default
    assert goal.value("threshold") == understand(text).value("threshold")


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("What was the mean land surface temperature in July?", ("air_temperature",)),
        ("What was the mean temperature in July?", ("air_temperature", "toa_brightness_temperature")),
        ("What was the mean temperature in July?", ("air_temperature", "surface_temperature")),
    ],
)
def test_air_is_not_the_surface(text: str, held: tuple[str, ...]) -> None:
    assert meant(text, *held).value("quantity") == "surface_temperature"


def test_what_was_measured_at_one_time_is_not_what_changed_between_two() -> None:
    def ozone(*days: str) -> Inventory:
        facts = {"quantity": Fact("o3_column", Origin.DECLARED)}
        dated = (Facts({**facts, "datetime": Fact(day, Origin.DECLARED)}) for day in days)
        return Inventory("", tuple(Artifact("raster", one, name="o3") for one in dated))

    asked = understand("What share of the area changed between June and September 2022?")
    assert quantity_with_data(asked, ozone("2022-06-15")).value("quantity") is None
    assert quantity_with_data(asked, ozone("2022-06-15", "2022-09-15")).value("quantity") == "o3_column"
