from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.roof.notation import (
    also,
    as_sure_as,
    date_of,
    duration,
    fact_of,
    literal,
    measure,
    middle,
    number,
    pixel_size,
    place,
    plain,
    shorten,
    size,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.42312, "0.4231"),
        (42.30000001, "42.3"),
        (1234567, "1,234,567"),
        (123456789.4, "123,456,789"),
        (-0.00734, "−0.00734"),
        (1.2e-7, "1.2 × 10⁻⁷"),
        (0.0, "0"),
        (math.nan, "not a number"),
        (True, "yes"),
        (None, "–"),
    ],
)
def test_numbers_keep_four_digits_and_group_thousands(value: object, text: str) -> None:
    assert number(value) == text


@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e14, max_value=1e14).filter(lambda x: abs(x) > 1e-3)
)
def test_printed_numbers_are_right_to_four_digits(value: float) -> None:
    printed = float(number(value).replace(",", "").replace("−", "-"))
    assert printed == pytest.approx(value, rel=5.1e-4)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (42.3, "%", "42.3\u00a0%"),
        (15, "degree", "15°"),
        (305, "K", "305\u00a0K"),
        (21.5, "degC", "21.5\u00a0°C"),
        (0.42, "1", "0.42"),
        (3.0, "W m-2 sr-1 um-1", "3\u00a0W m⁻² sr⁻¹ µm⁻¹"),
        (8, None, "8"),
    ],
)
def test_units_are_printed_with_their_signs(value: float, unit: str | None, text: str) -> None:
    assert measure(value, unit) == text


def test_an_amount_is_also_given_in_a_unit_that_is_easier_to_grasp() -> None:
    assert also(123_456_789.0, "m2") == "12,346 ha, 123.5 km²"
    assert also(0.4231, "1", "share") == "42.31\u00a0%"
    assert also(0.4231, "1", "ndvi") == ""
    assert also(300.0, "K") == "26.85 °C"


def test_text_from_files_cannot_control_the_terminal_or_reorder_what_is_read() -> None:
    assert plain("a\x1b[31mb\u202ec\ud800") == "a\ufffd[31mb\ufffdc\ufffd"
    assert plain("two\nlines") == "two\nlines"


@given(st.text(), st.integers(3, 40))
def test_shortened_text_fits(text: str, length: int) -> None:
    assert len(shorten(text, length)) <= length
    assert len(middle(text, length)) <= length


def test_durations_and_sizes_change_unit_where_people_do() -> None:
    assert [duration(s) for s in (0.42, 12.34, 59.99, 200, 7500)] == [
        "0.42\u00a0s",
        "12.3\u00a0s",
        "60.0\u00a0s",
        "3\u00a0min 20\u00a0s",
        "2\u00a0h 5\u00a0min",
    ]
    assert [size(n) for n in (0, 999, 1000, 3_210_000, 10**15)] == [
        "0\u00a0B",
        "999\u00a0B",
        "1\u00a0kB",
        "3.21\u00a0MB",
        "1,000\u00a0TB",
    ]


def test_dates_are_understood_in_iso_8601_only() -> None:
    assert str(date_of("2021-03-04T10:00:00Z")) == "2021-03-04 10:00:00+00:00"
    assert date_of("3rd of March") is None


def test_nested_values_fit_on_one_line() -> None:
    assert literal({"a": [1, 2.5], "b": "x\ny"}) == "a: 1, 2.5, b: x y"


def test_a_path_is_told_from_the_current_folder_where_it_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert place(tmp_path / "out" / "map.tif") == "out/map.tif"
    assert place("out/map.tif") == "out/map.tif"
    assert place(tmp_path.parent / "map.tif") == str(tmp_path.parent / "map.tif")


@pytest.mark.parametrize(
    ("sizes", "crs", "text"),
    [
        ((10.0, -10.0), "EPSG:32633", "10 m"),
        ((9.9947922, 9.9974485), "EPSG:32633", "9.995 × 9.997 m"),
        ((0.5, 0.25), "EPSG:4326", "0.5 × 0.25°"),
        ((30.0, 30.0), None, "30"),
    ],
)
def test_a_pixel_is_told_in_the_unit_of_its_crs(sizes: tuple[float, float], crs: str | None, text: str) -> None:
    assert pixel_size(sizes, crs) == text


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("unit of slope.it.product.elevation", "unit of elevation"),
        ("nodata of product.scenes", "nodata of product.scenes"),
        ("scale of dem_2020.tif", "scale of dem 2020.tif"),
        ("unit of time", "unit of time"),
    ],
)
def test_an_input_is_told_by_the_last_of_the_steps_that_lead_to_it(what: str, told: str) -> None:
    assert fact_of(what) == told


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        (-0.04814, 0.047, "−0.048"),
        (-0.0008656, 0.047, "−0.001"),
        (12345.0, 230.0, "12,340"),
        (0.01104, 0.0031, "0.0110"),
        (0.0, 0.1, "0.00"),
        (0.40000014, 1e-7, "0.4000"),
        (1.23e-9, 4.5e-10, "1.23 × 10⁻⁹"),
        (3.0, 0.0, "3"),
    ],
)
def test_a_number_has_no_digits_that_its_interval_leaves_open(value: float, spread: float, text: str) -> None:
    assert as_sure_as(value, spread) == text


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_what_is_rounded_off_is_small_beside_the_interval(value: float, spread: float) -> None:
    told = as_sure_as(value, spread).replace("−", "-").replace(",", "")
    if "×" not in told:
        assert abs(float(told) - value) <= spread / 10 + abs(value) / 1000
