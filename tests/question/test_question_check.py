"""What fits and what does not: types and units by rule, with the reason in plain words."""

from __future__ import annotations

import pytest

from knowflow.question.check import check
from knowflow.question.form import expression_of
from knowflow.question.operators import Expression


def read(text: object) -> Expression:
    expression, faults = expression_of(text)
    assert expression is not None, faults
    return expression


# what an expression gives, in plain words
FITS = {
    "ndvi": "a number per pixel and date",
    "elevation": "a number in m per pixel",
    "water_mask": "true or false per pixel and date",
    "land_cover_class": "a class per pixel",
    "over(beyond(over(during(ndvi, 2017), space, maximum), above, 0.8), time, count)": "a number",
    "over(ndvi, both, mean)": "a number",
    "over(split(ndvi, year), time, maximum)": "a number per pixel and year",
    "over(over(split(split(ndvi, year), polygons()), space, mean), time, mean)": "a number per object and year",
    "over(over(split(ndvi, land_cover_class), space, mean), time, mean)": "a number per class",
    "over(land_cover_class, space, area)": "a number in m2 per class",
    "over(precipitation, time, sum)": "a number in mm per pixel",
    "over(over(population_count, space, sum), time, mean)": "a number",
    "beyond(surface_temperature, above, '30 degC')": "true or false per pixel and date",
    "beyond(surface_temperature, above, over(surface_temperature, space, percentile, 90))": (
        "true or false per pixel and date"
    ),
    "beyond(aspect, between, '135 degree', '225 degree')": "true or false per pixel",
    "over(beyond(ndvi, above, 0.5), time, longest)": "a number in day per pixel",
    "over(beyond(over(ndvi, space, mean), above, 0.5), time, first)": "a date",
    "calculate(difference, over(during(surface_temperature, 2017), both, mean), '20 degC')": "a number in K",
    "calculate(ratio, over(water_mask, space, area), '1 km2')": "a number per date",
    "calculate(product, surface_temperature, elevation)": "a number in K m per pixel and date",
    "calculate(power, elevation, 2)": "a number in m2 per pixel",
    "calculate(power, calculate(power, elevation, 2), 0.5)": "a number in m per pixel",
    "trend(over(over(split(ndvi, year), space, maximum), time, maximum))": "a number in year-1",
    "trend(surface_temperature)": "a number in K year-1 per pixel",
    "correlate(ndvi, surface_temperature, time)": "a number per pixel",
    "extreme(over(ndvi, space, mean), highest, 3)": "a number per date",
    "during(ndvi, extreme(over(surface_temperature, space, mean), highest))": "a number per pixel and date",
    "within(ndvi, extreme(over(split(elevation, polygons()), space, mean), highest))": "a number per pixel and date",
    "within(ndvi, is_class(land_cover_class, forest) and not beyond(slope, above, '10 degree'))": (
        "a number per pixel and date"
    ),
    "anomaly(over(ndvi, space, mean), percent)": None,  # NDVI may be below zero
    "anomaly(over(precipitation, space, mean), percent)": "a number in % per date",
    "classify(slope, [5, 15], [flat, gentle, steep], degree)": "a class per pixel",
    "along(over(precipitation, space, mean), cumulated)": "a number in mm per date",
    "show(over(ndvi, time, mean), map)": "an answer by itself",
}


@pytest.mark.parametrize("text", FITS)
def test_what_fits_has_a_type(text: str) -> None:
    checked = check(read(text))
    assert str(checked.type) == str(FITS[text]), checked.misfits


# the operator that does not fit, and words of the reason
MISFITS = {
    "over(elevation, time, mean)": ("over", "dates or periods"),
    "during(elevation, 2017)": ("during", "something with dates"),
    "over(over(ndvi, space, mean), space, mean)": ("over", "lies over space"),
    "over(ndvi, year, mean)": ("over", "one per year"),
    "over(ndvi, space, share)": ("over", "share of a number"),
    "over(ndvi, time, sum)": ("over", "amounts that add up over time"),
    "over(surface_temperature, space, sum)": ("over", "amounts that add up over space"),
    "over(ndvi, space, percentile)": ("over", "'p' with a percentile"),
    "over(ndvi, space, percentile, 120)": ("over", "percentile from 0 to 100"),
    "over(aspect, space, median)": ("over", "of directions"),
    "over(beyond(ndvi, above, 0), time, area)": ("over", "the axis space"),
    "over(beyond(ndvi, above, 0), space, longest)": ("over", "the axis time"),
    "beyond(surface_temperature, above, '3 m')": ("beyond", "measures the same as K"),
    "beyond(aspect, above, '90 degree')": ("beyond", "none is above another"),
    "beyond(over(ndvi, space, mean), above, ndvi)": ("beyond", "limit without pixels"),
    "beyond(over(ndvi, both, mean), above, over(ndvi, space, mean))": ("beyond", "limit per key"),
    "beyond(calculate(difference, during(surface_temperature, 2017), surface_temperature), above, "
    "surface_temperature)": ("beyond", "two temperatures"),
    "beyond(ndvi, between, 0.1)": ("beyond", "second limit"),
    "beyond(over(water_mask, space, share), above, 40)": ("beyond", "a share of 1 (100 %) or less"),
    "is_class(ndvi, forest)": ("is_class", "classes"),
    "ndvi and water_mask": ("and", "true or false"),
    "split(split(ndvi, year), year)": ("split", "not split by year yet"),
    "split(over(ndvi, time, mean), year)": ("split", "dates to split"),
    "within(ndvi, elevation)": ("within", "a mask, polygons or a point"),
    "within(over(ndvi, space, mean), water_mask)": ("within", "lies over space"),
    "within(over(ndvi, time, mean), water_mask)": ("within", "a mask per key"),
    "during(ndvi, over(ndvi, space, mean))": ("during", "keys that are chosen"),
    "calculate(difference, ndvi, elevation)": ("calculate", "measures the same as 1"),
    "calculate(percent_change, over(ndvi, both, mean), over(during(ndvi, 2017), both, mean))": (
        "calculate",
        "zero means none",
    ),
    "calculate(sum, surface_temperature, surface_temperature)": ("calculate", "numbers that add up"),
    "calculate(logarithm, elevation)": ("calculate", "a pure number"),
    "calculate(ratio, aspect, slope)": ("calculate", "of directions only the difference"),
    "calculate(difference, ndvi)": ("calculate", "two numbers"),
    "extreme(ndvi, highest)": ("extreme", "without pixels"),
    "trend(over(split(ndvi, month_of_year), time, mean))": ("trend", "in order"),
    "along(ndvi, cumulated)": ("along", "amounts that add up"),
    "classify(slope, [15, 5], [a, b, c], degree)": ("classify", "ascend"),
    "quantity(ndvy)": ("quantity", "a quantity kind"),
    "number(1, parsnips)": ("number", "a unit"),
    "polygons()": ("polygons", "something that is asked of them"),
    "show(over(ndvi, both, mean), map)": ("show", "lies over space"),
}


@pytest.mark.parametrize("text", MISFITS)
def test_what_does_not_fit_names_the_operator_and_says_why(text: str) -> None:
    checked = check(read(text))
    operator, words = MISFITS[text]
    assert checked.type is None
    assert operator in [misfit.operator for misfit in checked.misfits]
    assert words in " ".join(map(str, checked.misfits))


def test_all_parts_that_do_not_fit_are_told_each_once_and_where() -> None:
    checked = check(read("beyond(over(elevation, time, mean), above, over(ndvi, space, sum)) and (ndvi or water_mask)"))
    assert [misfit.at for misfit in checked.misfits] == [
        ("and", "parts", 0, "beyond", "x"),
        ("and", "parts", 0, "beyond", "limit"),
        ("and", "parts", 1, "or", "parts", 0),
    ]
