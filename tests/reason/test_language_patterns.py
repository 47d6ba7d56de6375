"""Expressions that readers of a text are made of."""

from __future__ import annotations

import re

import pytest

from knowflow.knowledge.words import MONTHS, SHORT_MONTHS
from knowflow.reason.language.patterns import MONTH, YEAR, any_of, one_of


def test_of_several_phrases_the_longest_is_taken_with_blanks_of_any_width() -> None:
    found = re.match(one_of(["apart", "apart from", "a (b)"]), "apart \n from the lake")
    assert found is not None
    assert found.group() == "apart \n from"
    assert re.fullmatch(one_of(["apart", "a (b)"]), "a (b)")


def test_of_no_phrases_nothing_fits() -> None:
    assert re.search(one_of([]), "anything at all") is None
    assert re.search(one_of([]), "") is None


def test_case_does_not_matter_where_one_of_several_is_looked_for() -> None:
    pattern = any_of("highest", r"peaks?\b")
    assert [match.group() for match in pattern.finditer("The HIGHEST of all Peaks")] == ["HIGHEST", "Peaks"]


@pytest.mark.parametrize("name", [*MONTHS, *SHORT_MONTHS])
def test_a_month_is_found_by_its_whole_name(name: str) -> None:
    found = re.match(MONTH, f"{name} 2020", re.IGNORECASE)
    assert found is not None
    assert found.group() == name


def test_years_are_those_that_there_can_be_data_of() -> None:
    assert [year for year in ("1899", "1900", "2024", "2099", "2100") if re.fullmatch(YEAR, year)] == [
        "1900",
        "2024",
        "2099",
    ]
