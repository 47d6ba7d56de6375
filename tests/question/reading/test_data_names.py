"""Names that the data bring, and words as people write them: units, bands, methods, clouds."""

from __future__ import annotations

import pytest

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

DATA = DataWords(
    quantities=frozenset({"ndvi", "bathymetry", "ice_velocity", "pm25_concentration"}),
    names=(("bathy", "bathymetry"), ("sea depth", "bathymetry"), ("area", "bathymetry")),
)


@pytest.mark.parametrize(
    ("question", "expression", "unit"),
    [
        (
            "Share of the area with NO2 above 150 µmol/m²",
            "over(over(beyond(no2_column, above, '150 umol m-2'), space, share), time, mean)",
            None,
        ),
        (
            "Share of the area with soil moisture below 0.15 m³/m³",
            "over(over(beyond(soil_moisture, below, 0.15), space, share), time, mean)",
            None,
        ),
        (
            "Share of the area with PM2.5 above 35 µg/m3",
            "over(over(beyond(pm25_concentration, above, '35 ug m-3'), space, share), time, mean)",
            None,
        ),
        ("Mean bathy of the scene", "over(bathymetry, space, mean)", None),
        ("Highest depth in km", "over(bathymetry, space, maximum)", "km"),
        ("Mean concentration of chlorophyll per date", "over(split(chlorophyll_a, date), space, mean)", None),
        ("Maximum velocity of ice per date", "over(split(ice_velocity, date), space, maximum)", None),
        ("NO2 column per date in mol m-2", "over(split(no2_column, date), space, mean)", "mol m-2"),
    ],
)
def test_what_people_write_is_read(question: str, expression: str, unit: str | None) -> None:
    wanted, faults = expression_of(expression)
    assert wanted is not None, faults
    found = read(question, DATA)
    assert found.expression is not None, found
    assert equal(found.expression, wanted)
    assert found.unit == unit


@pytest.mark.parametrize("question", ["Mean NDVI concentration", "Mean depth of NDVI", "Mean NDVI in foo/bar"])
def test_what_means_nothing_is_asked_back(question: str) -> None:
    assert read(question, DATA).expression is None
