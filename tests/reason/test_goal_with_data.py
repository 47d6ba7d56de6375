"""What a question leaves to the data, and what no data can tell."""

from __future__ import annotations

import pytest

from knowflow.ground.errors import DataNotFoundError, NotUnderstoodError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Facts, Origin
from knowflow.model.goal import Period
from knowflow.reason.goal_with_data import is_of_event, with_data
from knowflow.reason.inventory import Inventory
from knowflow.reason.language import understand


def inventory(*days: str, vectors: tuple[str, ...] = ()) -> Inventory:
    dated = [Facts({"datetime": Fact(day, Origin.DECLARED)}) for day in days]
    rasters = [Artifact("raster", facts, name=f"S2_{day}") for facts, day in zip(dated, days, strict=True)]
    return Inventory("", (*rasters, *(Artifact("vector", Facts({}), name=name) for name in vectors)))


def days(*texts: str) -> tuple[Period, ...]:
    return tuple(Period(text, text) for text in texts)


@pytest.mark.parametrize(
    ("text", "there", "compared"),
    [
        ("How many hectares burned?", ("2021-07-01", "2021-08-01"), days("2021-07-01", "2021-08-01")),
        (
            "How many hectares were flooded in July 2021?",
            ("2021-07-05", "2021-07-20"),
            days("2021-07-05", "2021-07-20"),
        ),
        ("What is the mean dNBR?", ("2021-07-01", "2021-08-01"), days("2021-07-01", "2021-08-01")),
        ("Area where NDVI fell by more than 0.3", ("2019-05-01", "2019-06-10"), days("2019-05-01", "2019-06-10")),
        (
            "How did mean NDVI change from the scene before the storm to the one after it?",
            ("2021-07-01", "2021-08-01"),
            days("2021-07-01", "2021-08-01"),
        ),
        ("How many hectares burned?", ("2021-07-01", "2021-08-01", "2021-09-01"), None),
        ("How many hectares burned?", ("2021-07-01",), None),
        ("How large is the lake?", ("2021-07-01", "2021-08-01"), None),
    ],
)
def test_two_dates_are_before_and_after_an_event(
    text: str, there: tuple[str, ...], compared: tuple[Period, ...] | None
) -> None:
    assert with_data(understand(text), inventory(*there)).value("comparison") == compared


def test_the_dates_of_the_question_go_before_those_of_the_data() -> None:
    goal = understand("How many hectares burned between 20 July and 24 August 2021?")
    assert with_data(goal, inventory("2020-01-01", "2020-02-01")) == goal


def test_an_event_of_which_there_is_no_image_is_refused() -> None:
    with pytest.raises(DataNotFoundError) as caught:
        with_data(understand("How many hectares burned in 2015?"), inventory("2021-07-01", "2021-08-01"))
    assert "2015" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("Mean NDVI of each blob", "blobs"),
        ("Mean NDVI of each patch", "patches"),
    ],
)
def test_what_is_grouped_by_is_named_as_the_layer_is(text: str, layer: str) -> None:
    assert with_data(understand(text), inventory(vectors=(layer,))).value("group_by") == "zone"


def test_each_village_is_each_polygon_of_the_layer_of_villages() -> None:
    goal = understand("What is the mean elevation of each village?")
    assert with_data(goal, inventory(vectors=("villages",))).value("group_by") == "zone"


@pytest.mark.parametrize("vectors", [(), ("rivers",)])
def test_each_of_what_nobody_knows_is_refused(vectors: tuple[str, ...]) -> None:
    with pytest.raises(NotUnderstoodError):
        with_data(understand("What is the mean elevation of each village?"), inventory(vectors=vectors))


def test_what_is_of_an_event() -> None:
    assert is_of_event(understand("How large is the flooded area?"))
    assert not is_of_event(understand("How large is the lake?"))


def holding(quantity: str, vectors: tuple[str, ...] = ()) -> Inventory:
    facts = Facts({"quantity": Fact(quantity, Origin.DECLARED)})
    others = (Artifact("vector", Facts({}), name=name) for name in vectors)
    return Inventory("", (Artifact("raster", facts, name=quantity), *others))


@pytest.mark.parametrize(
    ("text", "held", "meant"),
    [
        ("By how many degrees was the sea warmer?", "sea_surface_temperature", "sea_surface_temperature"),
        ("On which day were the fires strongest?", "fire_radiative_power", "fire_radiative_power"),
        ("When was it warmest?", "surface_temperature", "surface_temperature"),
        ("When was it warmest?", "elevation", "surface_temperature"),
        ("What was the highest surface temperature?", "sea_surface_temperature", "surface_temperature"),
    ],
)
def test_a_usual_word_means_what_the_data_hold_of_what_it_may_mean(text: str, held: str, meant: str) -> None:
    assert with_data(understand(text), holding(held)).value("quantity") == meant


@pytest.mark.parametrize(
    "text",
    [
        "Average NDVI of each of the districts",
        "Districts: mean NDVI of each",
        "Mean NDVI for each district",
    ],
)
def test_each_of_a_layer_may_be_said_in_several_ways(text: str) -> None:
    goal = with_data(understand(text), holding("ndvi", vectors=("districts",)))
    assert goal.value("group_by") == "zone"
    assert "districts" not in {word.lower() for word in goal.leftover}


def test_each_class_of_each_parish_is_each_class_in_each_polygon() -> None:
    goal = understand("Hectares of each land cover class per parish")
    assert with_data(goal, holding("land_cover_class", vectors=("parishes",))).value("group_by") == "class_in_zone"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("At what height do the villages lie on average? One value for each.", "zone"),
        ("Villages and their slopes: mean slope of each one", "zone"),
        ("A table please: village, land cover class, hectares", "class_in_zone"),
    ],
)
def test_each_one_and_the_columns_of_a_table_speak_of_layers(text: str, named: str) -> None:
    goal = with_data(understand(text), holding("elevation", vectors=("villages",)))
    assert goal.value("group_by") == named


def test_each_of_what_is_not_said_is_each_of_the_only_layer() -> None:
    goal = understand("What is the mean elevation of each?")
    assert with_data(goal, holding("elevation", vectors=("villages",))).value("group_by") == "zone"
    for vectors in ((), ("villages", "rivers")):
        with pytest.raises(NotUnderstoodError):
            with_data(goal, holding("elevation", vectors=vectors))
    others = understand("At what height do the hamlets lie on average? One value for each.")
    with pytest.raises(NotUnderstoodError):
        with_data(others, holding("elevation", vectors=("villages",)))


def test_classes_are_those_of_the_map_that_is_there() -> None:
    goal = understand("List the hectares for all the classes in my map")
    assert with_data(goal, holding("land_cover_class")).value("group_by") == "class"
    with pytest.raises(NotUnderstoodError):
        with_data(goal, holding("elevation"))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What is the mean elevation of the hamlets?", "zone"),
        ("How high do the hamlets lie on average?", "zone"),
        ("What is the mean elevation around the hamlets?", None),
        ("What is the mean elevation of the hamlet?", None),
    ],
)
def test_places_in_the_plural_that_a_layer_has_are_told_one_by_one(text: str, named: str | None) -> None:
    goal = with_data(understand(text), holding("elevation", vectors=("hamlets",)))
    assert goal.value("group_by") == named
