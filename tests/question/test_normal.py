"""Normal form: what asks the same is the same, and what does not stays apart."""

from __future__ import annotations

import pytest

from knowflow.question.check import check
from knowflow.question.form import expression_of
from knowflow.question.normal import equal, normal
from knowflow.question.operators import Expression

SAME = [
    ("water_mask and snow_mask", "snow_mask and water_mask"),
    ("water_mask and (snow_mask and cloud_mask)", "(cloud_mask and water_mask) and snow_mask"),
    ("water_mask or water_mask", "water_mask"),
    ("not (not water_mask)", "water_mask"),
    ("not beyond(ndvi, above, 0.5)", "beyond(ndvi, at_most, 0.5)"),
    ("beyond(surface_temperature, above, '30 degC')", "beyond(surface_temperature, above, '303.15 K')"),
    ("beyond(over(water_mask, space, area), above, '1 km2')", "beyond(over(water_mask, space, area), above, '100 ha')"),
    ("calculate(sum, slope, '1 degree')", "calculate(sum, '1 degree', slope)"),
    ("calculate(sum, elevation, '0.1 km')", "calculate(sum, elevation, '100 m')"),
    ("calculate(difference, surface_temperature, '20 degC')", "calculate(difference, surface_temperature, '293.15 K')"),
    ("calculate(minimum, elevation, '0.1 km')", "calculate(minimum, elevation, '100 m')"),
    ("is_class(land_cover_class, [a, b])", "is_class(land_cover_class, [b, a, b])"),
    ("split(ndvi, date)", "ndvi"),
    ("during(within(ndvi, water_mask), 2017)", "within(during(ndvi, 2017), water_mask)"),
    ("during(during(ndvi, 2017), june)", "during(during(ndvi, june), 2017)"),
    ("during(during(during(ndvi, june), 2017), june)", "during(during(ndvi, june), 2017)"),
]
APART = [
    ("calculate(difference, slope, aspect)", "calculate(difference, aspect, slope)"),
    ("not beyond(ndvi, above, 0.5)", "beyond(ndvi, below, 0.5)"),
    ("within(water_mask, snow_mask)", "water_mask and snow_mask"),
    ("over(over(ndvi, space, mean), time, mean)", "over(ndvi, both, mean)"),
    ("over(over(ndvi, space, mean), time, mean)", "over(over(ndvi, time, mean), space, mean)"),
    ("calculate(sum, elevation, '0.1 km')", "calculate(sum, '0.1 km', elevation)"),  # told in m, and in km
    ("extreme(over(ndvi, space, mean), highest)", "extreme(over(ndvi, space, mean), highest, 2)"),
]


def read(text: str) -> Expression:
    expression, faults = expression_of(text)
    assert expression is not None, faults
    return expression


@pytest.mark.parametrize(("a", "b"), SAME)
def test_what_asks_the_same_is_equal(a: str, b: str) -> None:
    assert equal(read(a), read(b))
    assert normal(normal(read(a))) == normal(read(a))


@pytest.mark.parametrize(("a", "b"), APART)
def test_what_asks_something_else_is_not(a: str, b: str) -> None:
    assert not equal(read(a), read(b))


@pytest.mark.parametrize("how", ["sum", "minimum", "maximum"])
def test_what_two_numbers_make_is_the_same_whichever_comes_first(how: str) -> None:
    """A fall of NDVI has no true zero, an amount of rain has: so the sum of both has none, told either way."""
    for a, b in (
        ("precipitation", "calculate(difference, precipitation, during(precipitation, 2017))"),
        ("surface_temperature", "calculate(difference, surface_temperature, during(surface_temperature, 2017))"),
    ):
        if how != "sum" and a == "surface_temperature":
            continue  # a temperature is not compared with a difference
        one, other = (check(read(f"calculate({how}, {x}, {y})")) for x, y in ((a, b), (b, a)))
        assert one.type == other.type
        assert one.type is None or not one.type.measure.from_zero
