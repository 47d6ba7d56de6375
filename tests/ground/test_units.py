"""Units: known spellings, one canonical spelling, conversions that respect offsets, angles and decibels."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground import units
from knowflow.ground.common_units import _BASES, common_unit
from knowflow.ground.errors import UnitError
from knowflow.ground.units import compatible, convert, known, normalise, per_time

PINT: Any = pint.UnitRegistry()
SPELLINGS = {
    "(% year-1)**1*(K)**-1": "% K-1 year-1",
    "( m )*(s)**-1": "m s-1",
    "": "1",
    "1": "1",
    "Dimensionless": "1",
    "m3 m-3": "1",
    "Kelvin": "K",
    "celsius": "degC",
    "°C": "degC",
    "degrees Celsius": "degC",
    "C": "degC",
    "percent": "%",
    "%": "%",
    "°": "degree",
    "degrees_north": "degree",
    "km²": "km2",
    "sq km": "km2",
    "degree_Celsius_weeks": "delta_degC week",
    "°C-weeks": "delta_degC week",
    "K-days": "K day",
    "square metres": "m2",
    "micrograms per cubic metre": "ug m-3",
    "m^2": "m2",
    "µm": "um",
    "micron": "um",
    "W m-2 sr-1": "W m-2 sr-1",
    "W/m²/sr/µm": "W m-2 sr-1 um-1",
    "W/(m2 sr um)": "W m-2 sr-1 um-1",
    "W m⁻² sr⁻¹ μm⁻¹": "W m-2 sr-1 um-1",
    "W.m-2.sr-1": "W m-2 sr-1",
    "mm per hour": "mm h-1",
    "mm/d": "mm day-1",
    "1/year": "year-1",
    "% yr-1": "% year-1",
    "J m-2 K-1 s-0.5": "J K-1 m-2 s-0.5",
    "dB": "dB",
    "NTU": "NTU",
    "mol m-2": "mol m-2",
    "K/decade": "K decade-1",
    "dB/year": "delta_dB year-1",
}
MULTIPLICATIVE = ["m", "km", "foot", "mm"]
TEMPERATURES = ["K", "degC", "degF"]


@pytest.mark.parametrize(("spelling", "canonical"), SPELLINGS.items())
def test_spellings_have_one_canonical_form(spelling: str, canonical: str) -> None:
    assert known(spelling)
    assert normalise(spelling) == canonical
    assert normalise(canonical) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "reflectance",
        "furlongs per fortnight?",
        "m2 @",
        "W m-2 foo-1",
        "Np/year",
        "m; import os",
        "((",
        "m +",
        "8 m",
        "m^9^9^9^9",
        "m^(9^9^9^9)",
        "9**9**9**9 m",
        "m" * 200,
    ],
)
def test_what_is_not_a_unit_is_refused_by_name(text: str) -> None:
    assert not known(text)
    with pytest.raises(UnitError, match="unknown unit"):
        normalise(text)


def test_a_misspelt_unit_is_answered_with_close_ones() -> None:
    with pytest.raises(UnitError) as caught:
        normalise("W m-2 steradain-1")
    assert caught.value.found == "'steradain'"
    assert "steradian" in (caught.value.hint or "")


def test_incompatible_units_say_what_each_measures() -> None:
    assert not compatible("K", "m")
    with pytest.raises(UnitError) as caught:
        convert(1.0, "K", "mm")
    assert "length" in (caught.value.expected or "")
    assert "temperature" in (caught.value.found or "")


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (305.0, "K", "degC", 31.85),
        (25.0, "°C", "K", 298.15),
        (50.0, "degF", "degC", 10.0),
        (0.25, "1", "%", 25.0),
        (1.0, "km2", "m2", 1e6),
        (1.0, "ha", "m2", 1e4),
        (1.0, "W m-2 sr-1 um-1", "W m-2 sr-1 nm-1", 1e-3),
        (1.0, "nW cm-2 sr-1", "W m-2 sr-1", 1e-5),
        (-10.0, "dB", "1", 0.1),
        (0.01, "1", "dB", -20.0),
        (1.0, "g cm-2", "kg m-2", 10.0),
        (1.0, "DU", "mol m-2", 4.4615e-4),
        (0.1, "K year-1", "degC/decade", 1.0),
        (180.0, "degree", "rad", np.pi),
    ],
)
def test_conversions_known_by_hand(value: float, source: str, target: str, expected: float) -> None:
    assert convert(value, source, target) == pytest.approx(expected)


def test_a_difference_of_temperatures_has_no_offset() -> None:
    assert convert(5.0, "degC", "K", difference=True) == pytest.approx(5.0)
    assert convert(9.0, "degF", "degC", difference=True) == pytest.approx(5.0)
    assert convert(2.0, "km", "m", difference=True) == pytest.approx(2000.0)
    assert convert(3.0, "dB", "dB", difference=True) == 3.0


@pytest.mark.parametrize(
    ("a", "b"), [("degree", "1"), ("degree", "%"), ("W m-2 sr-1", "W m-2"), ("dB year-1", "year-1"), ("NTU", "1")]
)
def test_angles_levels_and_turbidity_are_not_pure_numbers(a: str, b: str) -> None:
    assert not compatible(a, b)


def test_arrays_are_converted_and_left_alone() -> None:
    kelvin = np.array([273.15, np.nan, 300.0], dtype=np.float32)
    celsius = convert(kelvin, "K", "degC")
    np.testing.assert_allclose(celsius, [0.0, np.nan, 26.85], atol=1e-4)
    assert celsius.dtype == np.float32
    assert kelvin[0] == np.float32(273.15)
    np.testing.assert_allclose(convert(np.array([1, 2], dtype=np.uint8), "km", "m"), [1000, 2000])


@given(st.floats(-1e6, 1e6), st.sampled_from(MULTIPLICATIVE), st.sampled_from(MULTIPLICATIVE))
def test_lengths_survive_the_way_there_and_back(value: float, a: str, b: str) -> None:
    assert convert(convert(value, a, b), b, a) == pytest.approx(value, rel=1e-9, abs=1e-9)


@given(st.floats(-200, 5000), st.sampled_from(TEMPERATURES), st.sampled_from(TEMPERATURES))
def test_temperatures_survive_the_way_there_and_back(value: float, a: str, b: str) -> None:
    assert convert(convert(value, a, b), b, a) == pytest.approx(value, rel=1e-9, abs=1e-6)


@given(st.lists(st.tuples(st.sampled_from(["m", "K", "sr", "um", "kg", "day", "mol"]), st.integers(-3, 3)), max_size=4))
def test_normalising_twice_changes_nothing(parts: list[tuple[str, int]]) -> None:
    unit = " ".join(f"{name}{power}" for name, power in parts if power)
    once = normalise(unit)
    assert normalise(once) == once
    assert compatible(unit, once)


PARTS = st.lists(
    st.tuples(st.sampled_from(sorted(_BASES)), st.sampled_from([*range(-9, 0), *range(1, 10)])), max_size=3
)


def _spelt(parts: list[tuple[str, int]]) -> str:
    """Parts as CF would have them: those below the line last, each by its name."""
    ordered = sorted(dict(parts).items(), key=lambda part: (part[1] < 0, part[0]))
    return " ".join(name if power == 1 else f"{name}{power}" for name, power in ordered) or "1"


def _in_pint(unit: str) -> Any:
    words = {"1": "dimensionless", "%": "percent", "ha": "hectare", "degC": "kelvin"}
    return PINT.Unit("*".join(re.sub(r"(?<=[A-Za-z])(-?\d)", r"**\1", words.get(one, one)) for one in unit.split(" ")))


def _angles(unit: str) -> int:
    """How often a unit counts an angle, which pint leaves out."""
    return sum(int(found or 1) for found in re.findall(r"\bdegree(-?\d)?", unit))


COMMON = st.one_of(PARTS.map(_spelt), st.sampled_from(["1", "%", "degC", "m", "mm day-1", "ha year-1", "W m-2", "Pa"]))


@given(COMMON, COMMON)
def test_common_units_are_what_pint_says_they_are(a: str, b: str) -> None:
    one, other = _in_pint(a), _in_pint(b)
    assert compatible(a, b) == (one.dimensionality == other.dimensionality and _angles(a) == _angles(b))
    assert normalise(a) == a
    assert a == "degC" or units._spelt(units._parse(a)) == a
    if "degC" not in (a, b) and compatible(a, b):
        assert convert(3.7, a, b) == pytest.approx(PINT.Quantity(3.7, one).to(other).magnitude, rel=1e-13)
    below = [part for part in a.split(" ") if "-" in part]
    assert per_time(a) == any(part.split("-")[0] in ("s", "h", "day", "year") for part in below)


@pytest.mark.parametrize(
    "unit",
    ["m m", "m1", "m0", "s-1 m", "year-1 K", "m  s-1", " m", "m ", "", "degC m", "% year-1", "m-1.5", "metre"],
)
def test_only_canonical_spellings_of_common_units_are_taken_apart_without_pint(unit: str) -> None:
    assert common_unit(unit) is None


def test_units_of_what_is_asked_often_need_no_pint() -> None:
    code = (
        "import sys; from knowflow.ground.units import compatible, per_decade, per_time, per_year\n"
        "print(compatible('1', 'ha year-1'), compatible('mm day-1', 'm s-1'), per_time('m year-1'))\n"
        "print(per_year('mm day-1'))\n"
        "print('pint' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True", "mm", "day-1", "year-1", "False"]


def test_importing_the_module_does_not_import_pint() -> None:
    code = (
        "import sys, knowflow.ground.quantities as q; q.quantity_kinds(); print({'pint', 'spyndex'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_change_of_temperature_stays_one() -> None:
    """Told in a unit of changes it is one in whatever unit it is asked for: 1.8 degrees Fahrenheit are one kelvin."""
    assert convert(1.8, "delta_degF", "degF") == pytest.approx(1.8)
    assert convert(1.8, "delta_degF", "K") == pytest.approx(1.0)


@given(st.floats(0.01, 1e4), st.sampled_from(["s", "h", "day", "month", "year"]), st.sampled_from(["s", "day", "year"]))
def test_a_depth_of_water_per_time_is_its_mass_per_area_and_time(value: float, time: str, other: str) -> None:
    depth, mass = f"mm {time}-1", f"kg m-2 {other}-1"
    assert convert(value, depth, mass) == pytest.approx(convert(value, depth, f"mm {other}-1"))
    assert convert(convert(value, depth, mass), mass, depth) == pytest.approx(value)
    assert not compatible(depth, mass)  # which limits are told in is checked as before


@pytest.mark.parametrize(("unit", "other"), [("mm", "kg m-2"), ("mm day-1", "kg m-2"), ("kg day-1", "mm day-1")])
def test_nothing_else_is_water(unit: str, other: str) -> None:
    with pytest.raises(UnitError):
        convert(1.0, unit, other)
