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
GIVEN: dict[str, dict[str, Any]] = {
    "share_above_threshold": {"quantity": "ndvi", "threshold": 0.5},
    "area_above_threshold": {"quantity": "ndvi", "threshold": 0.5},
    "mean_over_area": {"quantity": "ndvi", "statistic": "percentile"},
    "area_of_change": {
        "quantity": "surface_temperature",
        "change": 2,
        "side": "above",
        "first": "2020",
        "second": "2021",
    },
}


@pytest.fixture(scope="module")
def ndvi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scene(tmp_path_factory.mktemp("ndvi"))


def planned(data: Path, template: str, values: dict[str, Any]) -> Plan:
    plan = KnowFlow().plan("a question", data, template=template, set={**GIVEN.get(template, {}), **values}).plan
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("share_above_threshold", {"threshold": 7}, "a limit from -1 to 1"),
        ("share_above_threshold", {"threshold": "-3"}, "a limit from -1 to 1"),
        ("share_above_threshold", {"threshold": 1.02}, "a limit from -1 to 1"),
        ("share_above_threshold", {"quantity": "surface_temperature"}, "a limit from 170 K to 400 K"),
        ("share_above_threshold", {"threshold": 0.2, "side": "between", "upper": 12}, "a limit from -1 to 1"),
        ("share_above_threshold", {"threshold": [1, 2]}, "a number"),
        ("share_above_threshold", {"threshold": True}, "a number"),
        ("share_above_threshold", {"threshold": None}, "a number"),
        ("share_above_threshold", {"threshold": float("nan")}, "a number"),
        ("share_above_threshold", {"threshold": "0.3 bananas"}, "a number"),
        ("share_above_threshold", {"upper": 0.9}, "side == 'between' or not given(upper)"),
        ("share_above_threshold", {"side": "between"}, "side != 'between' or given(upper)"),
        ("share_above_threshold", {"side": "between", "upper": 0.1}, "upper >= threshold"),
        ("share_above_threshold", {"side": ["above"]}, "a string"),
        ("area_above_threshold", {"unit": "K"}, "a unit of the same kind as m2"),
        ("area_above_threshold", {"unit": 3}, "a unit of the same kind as m2"),
        ("mean_over_area", {"percentile": "90 K"}, "a number"),
        ("mean_over_area", {"percentile": 150}, "0.0 to 100.0"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_does(
    template: str, values: dict[str, Any], expected: str, ndvi: Path
) -> None:
    with pytest.raises(PlanningError) as caught:
        planned(ndvi, template, values)
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
    assert planned(ndvi, "share_above_threshold", values).title.endswith(limits)


@pytest.mark.parametrize(("limit", "told"), [(None, "20 degC"), ("295 K", "295 K"), ("22", "22 degC")])
def test_the_title_has_the_limit_in_the_unit_that_is_told(tmp_path: Path, limit: str | None, told: str) -> None:
    data = scene(tmp_path, {"name": "lst", "quantity": "surface_temperature", "unit": "K", "values": "290 + 20 * x"})
    plan = KnowFlow().plan("area with a surface temperature above 20 °C", data, set={"limit": limit} if limit else {})
    assert plan.plan.title == f"The area where surface temperature is above {told}"


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
    data = scene(tmp_path, {"name": "lst", **warmth})
    assert planned(data, "area_of_change", values).title.endswith(f"temperature {heading}")


def test_a_year_is_a_text_where_a_text_is_wanted(tmp_path: Path) -> None:
    data = scene(tmp_path, {"name": "ndvi", "quantity": "ndvi", "values": "x", "dates": ["2021-06-01", "2022-06-01"]})
    values = {"quantity": "ndvi", "first": 2021, "second": 2022}
    assert planned(data, "difference_between_periods", values).parameters["first"] == "2021"


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
