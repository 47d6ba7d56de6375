"""Of all the reasons why no template can answer, the first that is told is the one that the user can do most about."""

from __future__ import annotations

from pathlib import Path

import pytest
from service_examples import NDVI, scene

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError
from knowflow.model.template import Template
from knowflow.reason.applicability import NoMethodError, OpenParameterError, Reason
from knowflow.reason.language import understand
from knowflow.reason.proposing import Proposal
from knowflow.reason.refusal import nothing_fits


@pytest.fixture(scope="module")
def ndvi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scene(tmp_path_factory.mktemp("ndvi"))


def why_not(question: str, data: Path) -> KnowFlowError:
    with pytest.raises(KnowFlowError) as caught:
        KnowFlow().plan(question, data)
    return caught.value


@pytest.mark.parametrize("question", ["mean NDBI"])
def test_data_that_are_missing_come_before_parameters_that_nobody_spoke_of(question: str, ndvi: Path) -> None:
    error = why_not(question, ndvi)
    assert "fits the data" in error.message
    assert "no data for" in str(error.found)


@pytest.mark.parametrize("question", ["mean NDVI in {}", "trend of NDVI in {}"])
@pytest.mark.parametrize(("year", "nearest"), [(1999, "2020-01-15"), (2045, "2023-01-15")])
def test_data_of_other_times_are_told_with_the_nearest_of_them(
    question: str, year: int, nearest: str, tmp_path: Path
) -> None:
    dates = [f"{year}-01-15" for year in range(2020, 2024)]
    data = scene(tmp_path, {**NDVI, "dates": dates})
    error = why_not(question.format(year), data)
    assert error.message == f"no data of {year}-01-01 to {year}-12-31 answer this"
    assert error.found == "4 dates from 2020-01-15 to 2023-01-15"
    assert f"nearest in time: {nearest};" in str(error.hint)


@pytest.mark.parametrize("question", ["mean NDVI in 1998, and in 1999", "mean NDVI of 1998 and 1999 separately"])
def test_data_of_other_times_are_told_where_a_value_of_each_of_several_years_is_asked(
    question: str, tmp_path: Path
) -> None:
    data = scene(tmp_path, {**NDVI, "dates": ["2020-01-15", "2021-01-15"]})
    error = why_not(question, data)
    assert error.message.startswith("no data of 199")
    assert error.found == "2 dates from 2020-01-15 to 2021-01-15"


@pytest.mark.parametrize("question", ["mean NDBI in 1999", "mean NDVI in 2045 of class 7 in 1999"])
def test_what_other_times_would_not_answer_either_is_refused_for_what_is_missing(question: str, ndvi: Path) -> None:
    assert not why_not(question, ndvi).message.startswith("no data of")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What was the mean NDVI of the dates with at most 20 % clouds?", "picks scenes by their clouds"),
        ("Area of vegetation on scenes with less than 10 % clouds", "picks scenes by their clouds"),
    ],
)
def test_a_limit_that_chooses_dates_is_no_limit_of_what_is_asked(question: str, told: str, ndvi: Path) -> None:
    error = why_not(question, ndvi)
    assert error.code == "not_understood"
    assert told in str(error.found)


def test_dates_that_a_limit_chooses_are_not_listed(ndvi: Path) -> None:
    error = why_not("List the dates when the mean NDVI was above 0.4", ndvi)
    assert "no template answers this question" in error.message
    assert "above 0.4" in str(error.found)


def test_what_only_special_templates_want_is_told_last() -> None:
    parameters = {
        "limit": {"type": "number", "slot": "conditions.0.limit"},
        "first": {"type": "string", "slot": "comparison.0"},
    }
    template = Template.model_validate(
        {"template": "one", "title": "One", "layer": 3, "parameters": parameters, "outputs": {"a": "$b"}}
    )
    wanted = [OpenParameterError(template, name, "") for name in ("limit", "limit", "first")]
    error = nothing_fits(understand("difference of NDVI"), [(Proposal(template, 1.0, ""), one) for one in wanted], "")
    assert error.message == "the question does not say what is compared"
    error = nothing_fits(understand("difference of NDVI"), [(Proposal(template, 1.0, ""), wanted[0])], "")
    assert "second quantity" in error.message


def test_methods_that_fail_alike_are_named_together_after_those_with_a_reason_of_their_own() -> None:
    alike = [(name, Reason("it is for the day")) for name in "abcdef"]
    error = NoMethodError("a task", "", [*alike, ("g", Reason("it needs a band"))])
    assert error.found == "g: it needs a band; a, b, c, d, ...: it is for the day"


def test_where_templates_only_want_what_no_question_says_the_nearest_are_named() -> None:
    template = Template.model_validate(
        {
            "template": "one",
            "title": "One for another use",
            "layer": 3,
            "parameters": {"span": {"type": "string"}},
            "outputs": {"a": "$b"},
        }
    )
    goal = understand("difference of NDVI")
    open_one = (Proposal(template, 1.0, ""), OpenParameterError(template, "span", ""))
    error = nothing_fits(goal, [open_one], "1 x ndvi")
    assert "no template answers" in error.message
    assert "One for another use" in str(error.expected)
    assert "span" not in str(error)


def test_a_misspelt_name_comes_with_the_one_that_was_meant(ndvi: Path) -> None:
    assert "did you mean NDVI" in str(why_not("mean NDIV", ndvi).hint)
    assert "did you mean temperature?" in str(why_not("mean NDVI of the tempreature", ndvi).hint)


def test_a_percentile_that_no_number_says_is_refused_before_the_run(ndvi: Path) -> None:
    assert why_not("percentile of NDVI", ndvi).code == "not_understood"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many images are there?", "3 dates: 2022-01-01, 2022-02-01, 2023-01-01"),
        ("How many NDVI scenes do we have in 2022?", "2 dates: 2022-01-01, 2022-02-01;"),
        ("When was the first image taken?", "2022-01-01"),
        ("List all dates", "2023-01-01"),
        ("What is the size of the study area in km2?", "32 x 32 pixels of 10 x 10 metre, 0.1024 km2"),
        ("How large is the area?", "0.1024 km2"),
    ],
)
def test_what_the_data_are_is_told_where_a_question_is_about_them(question: str, said: str, tmp_path: Path) -> None:
    error = why_not(question, scene(tmp_path, {**NDVI, "dates": ["2022-01-01", "2022-02-01", "2023-01-01"]}))
    assert "about the data themselves" in error.message
    assert said in str(error.found)
    assert "`knowflow data DIR`" in str(error.hint)


@pytest.mark.parametrize("question", ["How many images of otters are there?", "List all dates of great beauty"])
def test_what_is_asked_besides_is_not_about_the_data(question: str, ndvi: Path) -> None:
    assert "about the data themselves" not in why_not(question, ndvi).message
