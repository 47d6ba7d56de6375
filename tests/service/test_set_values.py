"""Values of ``--set``: what does not fit or cannot be is refused with what does; headings tell what is taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError

SHARE = "share of the area with NDVI above 0.5"


@pytest.fixture(scope="module")
def ndvi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scene(tmp_path_factory.mktemp("ndvi"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"harmonics": "many"}, "an integer"),
        ({"harmonics": True}, "an integer"),
        ({"harmonics": [1, 2]}, "an integer"),
        ({"harmonics": 9}, "1.0 to 4.0"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_does(values: dict[str, Any], expected: str, ndvi: Path) -> None:
    with pytest.raises(PlanningError) as caught:
        KnowFlow().plan("", ndvi, template="seasonal_cycle", set={"quantity": "ndvi", **values})
    assert expected in str(caught.value.expected)


@pytest.mark.parametrize(("limit", "told"), [(None, "20 degC"), ("295 K", "295 K"), ("22", "22 degC")])
def test_the_title_has_the_limit_in_the_unit_that_is_told(tmp_path: Path, limit: str | None, told: str) -> None:
    data = scene(tmp_path, {"name": "lst", "quantity": "surface_temperature", "unit": "K", "values": "290 + 20 * x"})
    plan = KnowFlow().plan("area with a surface temperature above 20 °C", data, set={"limit": limit} if limit else {})
    assert plan.plan.title == f"The area where surface temperature is above {told}"


def test_a_year_is_a_text_where_a_text_is_wanted(tmp_path: Path) -> None:
    days = ["2021-06-01", "2022-06-01"]
    data = scene(tmp_path, {"name": "nbr", "quantity": "nbr", "values": "0.8 - 0.3 * i", "dates": days})
    values = {"before": 2021, "after": 2022}
    plan = KnowFlow().plan("", data, template="burn_severity_classes", set=values).plan
    assert sorted(str(item.fact("datetime"))[:4] for item in plan.inputs.values() for item in item.leaves()) == [
        "2021",
        "2022",
    ]


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
