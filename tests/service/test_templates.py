"""Every authored template, run on the scenes of its own tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from knowflow.knowledge.catalogue import Catalogue, load_catalogue
from knowflow.model.template import Expected
from knowflow.service.results import TemplateTestResult
from knowflow.service.template_tests import run_template_tests, run_test


@cache
def catalogue() -> Catalogue:
    return load_catalogue()


def authored() -> list[tuple[str, int]]:
    return [(name, index) for name, found in catalogue().templates.items() for index in range(len(found.tests))]


@cache
def result(name: str, index: int) -> TemplateTestResult:
    template = catalogue().template(name)
    return run_test(catalogue(), template, template.tests[index])


@pytest.mark.parametrize(("name", "index"), authored())
def test_the_template_gives_the_analytic_truth(name: str, index: int) -> None:
    found = result(name, index)
    assert found.passed, "\n".join(map(str, found.problems))


def test_the_catalogue_has_no_problems() -> None:
    assert [str(problem) for problem in catalogue().problems] == []


def test_every_template_that_answers_has_a_test() -> None:
    assert len(catalogue().templates) >= 40
    top = [template for template in catalogue().templates.values() if template.method_of is None]
    assert [template.template for template in top if not template.tests] == []


def test_every_method_is_chosen_by_the_plan_of_some_test() -> None:
    chosen = {method for name, index in authored() for method in result(name, index).methods}
    methods = {name for name, template in catalogue().templates.items() if template.method_of is not None}
    assert len(methods) >= 20
    assert methods - chosen == set()


def test_a_wrong_expectation_fails_with_both_values() -> None:
    template = catalogue().template("heat_island_intensity")
    test = template.tests[0]
    wrong = test.model_copy(update={"expect": {"answer": Expected(value=0.3, unit="1")}})
    found = run_test(catalogue(), template, wrong)
    assert not found.passed
    assert {(problem.code, problem.expected, problem.found) for problem in found.problems} == {
        ("unit", "1", "K"),
        ("wrong_answer", "0.3 +- 1e-06", "5.0"),
    }


def test_wrong_pixels_fail_with_the_largest_difference() -> None:
    template = catalogue().template("mosaic_of_scenes")
    test = template.tests[0]
    for pixels, code in (("x + 0.1", "wrong_pixels"), ("where(x < 0.5, log(-1 - x), x)", "nodata")):
        wrong = test.model_copy(update={"expect": {"map": Expected(pixels=pixels, tolerance=1e-3)}})
        (problem,) = run_test(catalogue(), template, wrong).problems
        assert problem.code == code


def test_a_template_without_a_test_fails_when_it_is_named(tmp_path: Path) -> None:
    (found,) = run_template_tests(catalogue(), ["quantity_given"])
    assert (found.passed, found.problems[0].code) == (False, "no_test")
