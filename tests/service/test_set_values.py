"""Values of ``--set``: what does not fit or cannot be is refused with what does; headings tell what is taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError
from knowflow.model.plan import Plan

SHARE = "share of the area with NDVI above 0.5"


@pytest.fixture(scope="module")
def ndvi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scene(tmp_path_factory.mktemp("ndvi"))


def planned(data: Path, question: str, values: dict[str, Any]) -> Plan:
    plan = KnowFlow().plan(question, data, set=values).plan
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("question", "values", "expected"),
    [
        (SHARE, {"threshold": 7}, "a limit from -1 to 1"),
        (SHARE, {"threshold": "-3"}, "a limit from -1 to 1"),
        (SHARE, {"threshold": 1.02}, "a limit from -1 to 1"),
        (SHARE, {"quantity": "surface_temperature"}, "a limit from 170 K to 400 K"),
        (SHARE, {"threshold": 0.2, "side": "between", "upper": 12}, "a limit from -1 to 1"),
        (SHARE, {"threshold": [1, 2]}, "a number"),
        (SHARE, {"threshold": True}, "a number"),
        (SHARE, {"threshold": None}, "a number"),
        (SHARE, {"threshold": float("nan")}, "a number"),
        (SHARE, {"threshold": "0.3 bananas"}, "a number"),
        (SHARE, {"upper": 0.9}, "side == 'between' or not given(upper)"),
        (SHARE, {"side": "between"}, "side != 'between' or given(upper)"),
        (SHARE, {"side": "between", "upper": 0.1}, "upper >= threshold"),
        (SHARE, {"side": ["above"]}, "a string"),
        ("area with NDVI above 0.5", {"unit": "K"}, "a unit of the same kind as m2"),
        ("area with NDVI above 0.5", {"unit": 3}, "a unit of the same kind as m2"),
        ("percentile of NDVI", {"percentile": "90 K"}, "a number"),
        ("percentile of NDVI", {"percentile": 150}, "0.0 to 100.0"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_does(
    question: str, values: dict[str, Any], expected: str, ndvi: Path
) -> None:
    with pytest.raises(PlanningError) as caught:
        KnowFlow().plan(question, ndvi, set=values)
    assert expected in str(caught.value.expected)


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ({"threshold": 0.2}, "above 0.2"),
        ({"side": "below"}, "below 0.5"),
        ({"threshold": 0.2, "side": "between", "upper": 0.3}, "between 0.2 and 0.3"),
        ({"threshold": 1.02, "side": "below"}, "below 1.02"),
    ],
)
def test_the_heading_has_the_limit_that_is_taken(values: dict[str, Any], limits: str, ndvi: Path) -> None:
    assert planned(ndvi, SHARE, values).title.endswith(limits)


def test_the_heading_has_a_limit_in_the_unit_of_the_question_only_where_it_is_taken(tmp_path: Path) -> None:
    data = scene(tmp_path, {"name": "lst", "quantity": "surface_temperature", "unit": "K", "values": "290 + 20 * x"})
    asked = "area with a surface temperature above 20 °C"
    assert planned(data, asked, {}).title == "The area where surface temperature is above 20 degC"
    assert planned(data, asked, {"threshold": 295}).title.endswith("above 295 K")


@pytest.mark.parametrize(
    ("values", "heading"),
    [
        ({"change": "3 degC"}, "rose by more than 3 K"),
        ({"change": "-3.6 degF", "side": "below"}, "fell by more than 2 K"),
        ({"change": 0}, "rose"),
    ],
)
def test_a_limit_on_a_change_is_a_difference_in_any_unit(tmp_path: Path, values: dict[str, Any], heading: str) -> None:
    days = ["2020-07-01", "2021-07-01"]
    warmth = {"quantity": "surface_temperature", "unit": "degC", "values": "290 + 20 * x", "dates": days}
    asked = "area where surface temperature rose by more than 2 K from 2020 to 2021"
    assert planned(scene(tmp_path, {"name": "lst", **warmth}), asked, values).title.endswith(f"temperature {heading}")


def test_a_year_is_a_text_where_a_text_is_wanted(tmp_path: Path) -> None:
    data = scene(tmp_path, {"name": "ndvi", "quantity": "ndvi", "values": "x", "dates": ["2021-06-01", "2022-06-01"]})
    assert planned(data, "difference of NDVI", {"first": 2021, "second": 2022}).parameters["first"] == "2021"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"set": ["threshold=0.5"]}, "set={'threshold': 0.5}"),
        ({"set": "threshold=0.5"}, "set={'threshold': 0.5}"),
        ({"assume": "crs=EPSG:32633"}, "assume=['crs=EPSG:32633']"),
        ({"assume": {"crs": "EPSG:32633"}}, "assume=['crs=EPSG:32633']"),
        ({"assume": [("crs", "EPSG:32633")]}, "assume=['crs=EPSG:32633']"),
    ],
)
def test_what_is_given_in_another_form_is_refused_with_the_one_that_is_read(
    ndvi: Path, given: dict[str, Any], expected: str
) -> None:
    with pytest.raises(PlanningError) as refused:
        KnowFlow().plan(SHARE, ndvi, **given)
    assert expected in str(refused.value.expected)
    assert KnowFlow().run(SHARE, ndvi, **given).status == "refused"
