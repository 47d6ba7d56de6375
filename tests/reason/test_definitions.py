"""Definitions of quantities, written out over the data at hand; numbers are compared with plain NumPy on the scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from knowflow.ground.errors import PlanningError
from knowflow.ground.yamldoc import Document, load
from knowflow.model.template import Scene, Template
from knowflow.question.form import expression_of
from knowflow.question.normal import normal
from knowflow.question.operators import Expression, Quantity
from knowflow.reason.definitions import Meaning, definition_problems, meaning
from knowflow.service.api import Service
from knowflow.testing.scenes import write_scene

DAYS = ("2021-06-01", "2021-06-11", "2021-07-01")


def template(name: str, defines: str, computes: str, **more: object) -> Template:
    given = {"template": name, "title": name, "layer": 2, "defines": defines, "computes": computes, **more}
    return Template.model_validate(given)


DRY = template(
    "dry", "snow_mask", "beyond(ndsi, above, $limit)", parameters={"limit": {"type": "number", "default": 0.4}}
)
BY_FRACTION = template(
    "by_fraction", "snow_mask", "beyond(snow_fraction, above, '50 %')", preference=5, keywords=["fraction"]
)
DROP = template(
    "drop",
    "dnbr",
    "calculate(difference, over(during(nbr, $before), time, mean), over(during(nbr, $after), time, mean))",
)
BURNED = template("burned", "burned_area_mask", "beyond(dnbr, above, 0.27)")
ROUND = (template("one", "ice_mask", "snow_mask"), template("other", "snow_mask", "ice_mask"))


def read(text: str) -> Expression:
    found, faults = expression_of(text)
    assert found is not None, faults
    return normal(found)


def come_to(text: str, *templates: Template, held: dict[str, tuple[str, ...]], **given: object) -> Meaning:
    def dates(e: Quantity) -> frozenset[str]:
        if e.kind not in held:
            raise PlanningError(f"no {e.kind}", found="nothing")
        return frozenset(held[e.kind])

    return meaning(read(text), templates, dates, given)


def test_a_quantity_that_no_file_holds_is_what_it_is_defined_to_be() -> None:
    found = come_to("over(snow_mask, space, share)", DRY, held={"ndsi": DAYS})
    assert found.expression == read("over(beyond(ndsi, above, 0.4), space, share)")
    assert [(one.what, one.value) for one in found.assumptions] == [("limit", 0.4)]
    assert [one.chosen for one in found.decisions] == ["dry"]


def test_data_that_hold_it_go_before() -> None:
    asked = "over(snow_mask, space, share)"
    assert come_to(asked, DRY, held={"ndsi": DAYS, "snow_mask": DAYS}) == Meaning(read(asked))


def test_the_preferred_definition_that_the_data_allow_is_taken_and_the_others_are_told() -> None:
    asked = "over(snow_mask, space, share)"
    both = come_to(asked, DRY, BY_FRACTION, held={"ndsi": DAYS, "snow_fraction": DAYS})
    assert both.expression == read("over(beyond(snow_fraction, above, '50 %'), space, share)")
    one = come_to(asked, DRY, BY_FRACTION, held={"ndsi": DAYS})
    assert one.expression == read("over(beyond(ndsi, above, 0.4), space, share)")
    assert [name for name, _ in one.decisions[0].rejected] == ["by_fraction"]


def test_a_question_may_name_the_definition() -> None:
    found = come_to(
        "over(quantity(snow_mask, 'dry'), space, share)", DRY, BY_FRACTION, held={"ndsi": DAYS, "snow_fraction": DAYS}
    )
    assert found.expression == read("over(beyond(ndsi, above, 0.4), space, share)")


def test_a_parameter_may_be_set_and_one_that_nothing_has_is_refused() -> None:
    found = come_to("over(snow_mask, space, share)", DRY, held={"ndsi": DAYS}, limit=0.6)
    assert found.expression == read("over(beyond(ndsi, above, 0.6), space, share)")
    assert found.assumptions == ()
    with pytest.raises(PlanningError, match="such a parameter"):
        come_to("over(snow_mask, space, share)", DRY, held={"ndsi": DAYS}, other=1)


def test_only_the_dates_that_are_asked_about_are_looked_at() -> None:
    found = come_to("over(during(snow_mask, '2021-07'), space, share)", DRY, held={"ndsi": DAYS})
    assert found.expression == read("over(beyond(during(ndsi, '2021-07'), above, 0.4), space, share)")


@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [
        ("over(over(during(dnbr, '2021-06-01/2021-06-12'), space, mean), time, mean)", "2021-06-01", "2021-06-11"),
        ("over(over(during(dnbr, 2021), space, mean), time, mean)", "2021-06-01", "2021-07-01"),
    ],
)
def test_two_times_are_the_first_and_the_last_that_are_asked_about(asked: str, before: str, after: str) -> None:
    found = come_to(asked, DROP, held={"nbr": DAYS})
    ends = [f"over(during(nbr, '{day}'), time, mean)" for day in (before, after)]
    assert found.expression == read(f"over(calculate(difference, {ends[0]}, {ends[1]}), space, mean)")
    assert str(found.assumptions[0].value) == f"{before} and {after}"


def test_which_times_are_meant_is_asked_where_there_are_more_than_two() -> None:
    with pytest.raises(PlanningError, match="nothing that tells dnbr") as refused:
        come_to("over(over(dnbr, space, mean), time, mean)", DROP, held={"nbr": DAYS})
    assert "which two times are compared is not said" in str(refused.value.found)
    assert come_to("over(over(dnbr, space, mean), time, mean)", DROP, held={"nbr": DAYS[:2]}).decisions


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("2021-06-01/2021-06-11", True),  # on the dates themselves
        ("2021-05-30/2021-07-03", True),  # near them
        ("2021-06-01/2021-07-31", True),  # June to July
        ("2021-06-01/2021-08-31", False),  # June to August: none of August
        ("2021-06-01/2021-07-20", False),  # 20 July: none near it
        ("2020-01-01/2021-12-31", False),  # none of 2020
        ("2021-07", False),  # one date alone
    ],
)
def test_both_ends_of_the_time_that_is_asked_about_have_a_date(asked: str, answered: bool) -> None:
    question = f"over(during(dnbr, '{asked}'), space, mean)"
    if answered:
        assert come_to(question, DROP, held={"nbr": DAYS}).decisions
    else:
        with pytest.raises(PlanningError, match=r"two times are compared|nothing that tells"):
            come_to(question, DROP, held={"nbr": DAYS})


def test_no_other_definition_takes_the_dates_between_for_the_ends() -> None:
    plain = template("plain", "dnbr", "nbr", preference=-1)
    held = {"nbr": DAYS}
    one_date = come_to("over(over(during(dnbr, '2021-07'), space, mean), time, mean)", DROP, plain, held=held)
    assert [one.chosen for one in one_date.decisions] == ["plain"]
    with pytest.raises(PlanningError, match="two times are compared"):
        come_to("over(over(during(dnbr, '2021-06-01/2021-08-31'), space, mean), time, mean)", DROP, plain, held=held)


def test_a_definition_may_rest_on_others_and_not_on_itself() -> None:
    found = come_to("over(during(burned_area_mask, '2021-06'), space, area)", BURNED, DROP, held={"nbr": DAYS})
    ends = [f"over(during(nbr, '{day}'), time, mean)" for day in DAYS[:2]]
    assert found.expression == read(
        f"over(beyond(calculate(difference, {ends[0]}, {ends[1]}), above, 0.27), space, area)"
    )
    assert [one.chosen for one in found.decisions] == ["burned", "drop"]
    with pytest.raises(PlanningError, match="nothing that tells snow mask"):
        come_to("over(snow_mask, space, share)", *ROUND, held={})


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("computes", "beyond(ndsi, above, $limitt)", "dangling_reference"),
        ("computes", "beyond(ndsi, above", "not_an_expression"),
        ("computes", "beyond(ndsi, above, '3 m')", "misfit"),
        ("computes", "calculate(difference, ndsi, ndvi)", "other_type"),
        ("defines", "snow_musk", "unknown_quantity"),
    ],
)
def test_what_is_wrong_with_a_definition_is_told(tmp_path: Path, key: str, value: str, code: str) -> None:
    document = _document(tmp_path)
    assert list(definition_problems(DRY, document)) == []
    assert [one.code for one in definition_problems(DRY.model_copy(update={key: value}), document)] == [code]


def _document(folder: Path) -> Document:
    file = folder / "dry.yaml"
    file.write_text("template: dry\ndefines: snow_mask\ncomputes: none\n", encoding="utf-8")
    return load(file)


def test_a_burned_area_between_two_of_three_dates_is_that_of_numpy(tmp_path: Path) -> None:
    values = "0.6 - where(x < 0.3, 0.2, where(x < 0.7, 0.35, 0.1)) * i"
    layer = {"name": "nbr", "quantity": "nbr", "values": values, "dates": list(DAYS)}
    write_scene(Scene.model_validate({"layers": [layer]}), tmp_path / "data")
    x = (np.arange(64) + 0.5) / 64
    drop = np.where(x < 0.3, 0.2, np.where(x < 0.7, 0.35, 0.1))
    service = Service(tmp_path / "home")
    for asked, times in (("June 2021", 1), ("2021", 2)):
        found = service.run(f"How many hectares burned in {asked}?", tmp_path / "data", out=tmp_path / asked)
        assert found.answer == pytest.approx((times * drop > 0.27).mean() * 40.96, abs=1e-9)
        assert any("first and the last" in str(one) for one in found.assumptions)
