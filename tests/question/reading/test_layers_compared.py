"""Layers that a fact tells apart, ground beyond polygons, days around an event, and maps of what is reckoned of two."""

from __future__ import annotations

from datetime import date

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.held_statistics import ANNUAL_MEAN
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import Chosen, DataWords

FLOODS = DataWords(
    frozenset({"flood_depth", "elevation", "land_cover_class"}),
    classes={"land_cover_class": ("cropland", "grassland")},
    objects=("Neudorf", "Weinsberg"),
    keys=(("municipality", "objects"), ("municipalities", "objects")),
    chosen=tuple(Chosen("variant", f"t{n}", ("flood_depth",), (f"t{n}", f"{n} year")) for n in (10, 100)),
)
FIRE = DataWords(
    frozenset({"nbr", "ndvi", "precipitation", "wind_speed", "surface_temperature", "secchi_depth"}),
    objects=("Lend", "Geidorf"),
    keys=(("park", "objects"), ("parks", "objects")),
    dates=tuple(date(2022, month, 5) for month in (7, 8, 9)),
    maps={"nbr": 2, "ndvi": 3, "surface_temperature": 2, "secchi_depth": 3},
    events=(date(2022, 7, 5), date(2022, 9, 5)),
    stated=(("wind_speed", ANNUAL_MEAN),),
)
DEEP = "beyond(quantity(flood_depth, having={'variant': 'VARIANT'}), above, '0 m')"
T10, T100 = (DEEP.replace("VARIANT", name) for name in ("t10", "t100"))
AREAS = tuple(f"over(over({deep}, space, area), time, mean)" for deep in (T100, T10))
MEAN = "over(quantity(flood_depth, having={'variant': 'VARIANT'}), time, mean)"
MEANS = tuple(MEAN.replace("VARIANT", name) for name in ("t100", "t10"))
NBR = tuple(f"over(during(nbr, '2022-0{month}-05'), time, mean)" for month in (7, 9))
WARM = "over(over(within(during(surface_temperature, '2022-07-05'), {}), space, mean), time, mean)"


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("How many hectares more are flooded in the 100-year than in the 10-year event?",
         f"calculate(difference, {AREAS[0]}, {AREAS[1]})"),
        ("How many hectares are under water in the 100-year flood?", AREAS[0]),
        ("What share of Neudorf is flooded in the 100-year flood?",
         f"over(over(within({T100}, polygons(Neudorf)), space, share), time, mean)"),
        ("Map how much deeper the 100-year flood is than the 10-year flood",
         "show(calculate(difference, over(quantity(flood_depth, having={'variant': 't100'}), time, mean), "
         "over(quantity(flood_depth, having={'variant': 't10'}), time, mean)), map)"),
        ("If the 100-year flood came, what share of Neudorf would be flooded?",
         f"over(over(within({T100}, polygons(Neudorf)), space, share), time, mean)"),
        ("Map how much deeper T100 is than T10, only where both are wet",
         f"show(within(calculate(difference, {MEANS[0]}, {MEANS[1]}), "
         f"beyond({MEANS[0]}, above, '0 m') and beyond({MEANS[1]}, above, '0 m')), map)"),
        ("What is the highest cell of the elevation?", "over(elevation, space, maximum)"),
        ("What volume of water is there in total in the 100-year flood?",
         "over(over(quantity(flood_depth, having={'variant': 't100'}), space, integral), time, mean)"),
    ],
)  # fmt: skip
def test_a_question_about_one_of_several_layers_is_that_expression(question: str, expression: str) -> None:
    assert _is_read_as(question, expression, FLOODS)


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("Map the drop in NBR, pre-fire minus post-fire.", f"show(calculate(difference, {NBR[0]}, {NBR[1]}), map)"),
        ("map the change in NBR from before the fire to after the fire",
         f"show(calculate(difference, {NBR[1]}, {NBR[0]}), map)"),
        ("mean NBR before the fire", "over(over(during(nbr, '2022-07-05'), space, mean), time, mean)"),
        ("By how many kelvin were the parks, taken together, cooler than the rest of the map on 5 July 2022?",
         f"calculate(difference, {WARM.format('not(polygons())')}, {WARM.format('polygons()')})"),
        ("Was Lend warmer than the rest of the city on 5 July 2022?",
         f"beyond({WARM.format('polygons(Lend)')}, above, {WARM.format('not(polygons(Lend))')})"),
        ("mean temperature outside the parks on 5 July 2022", WARM.format("not(polygons())")),
        ("Map the percentage change in precipitation from July to August 2022.",
         "show(calculate(percent_change, over(during(precipitation, '2022-08'), time, sum), "
         "over(during(precipitation, '2022-07'), time, sum)), map)"),
        ("For each cell, in how many months of 2022 did more than 100 mm of rain fall?",
         "show(over(beyond(over(split(during(precipitation, 2022), month), time, sum), above, '100 mm'), "
         "time, count), map)"),
        ("What annual mean wind speed is exceeded on only a tenth of the area?",
         "over(over(wind_speed, space, percentile, 90), time, mean)"),
        ("what is the strongest annual mean wind speed found anywhere on the map",
         "over(over(wind_speed, space, maximum), time, maximum)"),
        ("In which month of 2022 was the water least clear?",
         "extreme(over(split(over(during(secchi_depth, 2022), space, mean), month), time, mean), lowest)"),
        ("How strongly is the August 2022 rainfall correlated with the July 2022 NDVI, cell by cell?",
         "correlate(over(during(precipitation, '2022-08'), time, sum), "
         "over(during(ndvi, '2022-07'), time, mean), space)"),
        ("Can I have a map of NDVI of the area for 5 August 2022?", "show(during(ndvi, '2022-08-05'), map)"),
        ("map the increase in NDVI from 1 December to 1 March 2022",
         "show(calculate(difference, over(during(ndvi, '2022-03-01'), time, mean), "
         "over(during(ndvi, '2021-12-01'), time, mean)), map)"),
    ],
)  # fmt: skip
def test_a_question_around_an_event_or_beyond_polygons_is_that_expression(question: str, expression: str) -> None:
    assert _is_read_as(question, expression, FIRE)


def test_what_holds_on_its_own_ground_anyway_is_not_asked() -> None:
    found = read("What share of the flooded ground is flooded in the 100-year event?", FLOODS)
    assert found.expression is None


def _is_read_as(question: str, expression: str, data: DataWords) -> bool:
    found = read(question, data)
    assert found.expression is not None, found
    wanted, faults = expression_of(expression)
    assert wanted is not None, faults
    return equal(found.expression, wanted)


LST = DataWords(
    frozenset({"surface_temperature"}),
    chosen=tuple(Chosen("daynight", value, ("surface_temperature",), names)
                 for value, names in (("day", ("daytime",)), ("night", ("night-time", "night time")))),
    dates=(date(2022, 6, 18),),
)  # fmt: skip
APART = "calculate(difference, {}, {})".format(
    *(
        f"during(quantity(surface_temperature, having={{'daynight': '{one}'}}), '2022-06-18')"
        for one in ("day", "night")
    )
)


@pytest.mark.parametrize(
    ("question", "expression"),
    [
        ("Show day minus night LST of 18 June 2022 on a map", f"show({APART}, map)"),
        ("largest difference between day and night LST on 18 June 2022", f"over({APART}, space, maximum)"),
        ("standard deviation of the daytime minus night LST on 18 June 2022",
         f"over({APART}, space, deviation)"),
        ("What area had a day minus night LST above 20 K on 18 June 2022?",
         f"over(beyond({APART}, above, '20 K'), space, area)"),
    ],
)  # fmt: skip
def test_of_two_layers_a_difference_is_one_of_pixels(question: str, expression: str) -> None:
    forms = (expression, *(f"over({expression}, time, {how})" for how in ("mean", "maximum")))
    assert any(_is_read_as(question, one, LST) for one in forms)
