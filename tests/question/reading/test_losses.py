"""What was lost in so many years, and what was left, where a map tells the year of the loss."""

from __future__ import annotations

from datetime import date
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.form import expression_of
from knowflow.question.normal import equal
from knowflow.question.operators import Expression
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_FOREST = expression_of("beyond(during(tree_cover_fraction, '2000'), at_least, '30 %')")[0]
_DATA = DataWords(
    quantities=frozenset(("tree_cover_fraction", "tree_cover_loss_year")),
    objects=("North Park", "Mill"),
    dates=(date(2000, 1, 1),),
    maps=MappingProxyType({"tree_cover_fraction": 1, "tree_cover_loss_year": 1}),
    meant=(("forest", _FOREST),),
)
_COVER = "beyond(over(during(tree_cover_fraction, '2000'), time, mean), at_least, '30 %')"


def _years(first: int, last: int) -> str:
    return f"is_class(tree_cover_loss_year, {[str(year) for year in range(first, last + 1)]})"


def _area(x: str) -> str:
    return f"over({x}, space, area)"


def _read(question: str, data: DataWords = _DATA) -> Expression | None:
    return read(question, data).expression


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How much forest was cleared in 2011-2013?", _area(f"within({_years(2011, 2013)}, {_COVER})")),
        ("How many ha of forest disappeared between 2011 and 2013?", _area(f"within({_years(2011, 2013)}, {_COVER})")),
        ("How many hectares were lost from 2011 to 2013 in all?", _area(_years(2011, 2013))),
        ("Loss from 2011 to 2013 (2013 included), ha", _area(_years(2011, 2013))),
        ("Loss from 2011 to 2013 (all three years), ha", _area(_years(2011, 2013))),
        ("What percent of the 2000 forest was gone by the end of 2010?",
         f"over(within({_years(2001, 2010)}, {_COVER}), space, share)"),
        ("What share of the 2000 forest was still standing at the end of 2010?",
         f"over(within(not({_years(2001, 2010)}), {_COVER}), space, share)"),
        ("How many ha of the forest of Mill were left at the end of 2010?",
         _area(f"within(within(not({_years(2001, 2010)}), {_COVER}), polygons('Mill'))")),
        ("How many hectares did Mill lose in 2011-2013?", _area(f"within({_years(2011, 2013)}, polygons('Mill'))")),
        ("Mean annual loss 2011 to 2014", f"calculate(ratio, {_area(_years(2011, 2014))}, '4 year')"),
        ("Was more lost in 2011-2013 than in 2005-2008?",
         f"beyond({_area(_years(2011, 2013))}, above, {_area(_years(2005, 2008))})"),
        ("Was less forest lost in 2011 than in 2012?",
         f"beyond({_area(f'within({_years(2011, 2011)}, {_COVER})')}, below, "
         f"{_area(f'within({_years(2012, 2012)}, {_COVER})')})"),
        ("Which zone lost the largest share of its forest by 2010?",
         f"extreme(over(split(within({_years(2001, 2010)}, {_COVER}), polygons()), space, share), highest)"),
        ("Which zone kept the smallest share of its 2000 forest up to 2010?",
         f"extreme(over(split(within(not({_years(2001, 2010)}), {_COVER}), polygons()), space, share), lowest)"),
        ("In which year was the loss worst?",
         "extreme(over(within(tree_cover_loss_year, not(is_class(tree_cover_loss_year, ['no loss']))), space, area), "
         "highest)"),
        ("In which year was most forest lost?",
         "extreme(over(within(within(tree_cover_loss_year, not(is_class(tree_cover_loss_year, ['no loss']))), "
         f"{_COVER}), space, area), highest)"),
        ("In which year did Mill lose the most?",
         "extreme(over(within(within(tree_cover_loss_year, not(is_class(tree_cover_loss_year, ['no loss']))), "
         "polygons('Mill')), space, area), highest)"),
    ],
)  # fmt: skip
def test_losses_are_told_by_their_years(question: str, meant: str) -> None:
    found, (x, problem) = _read(question), expression_of(meant)
    assert x is not None, problem
    assert found is not None
    assert equal(found, x)


def test_what_is_left_may_be_of_a_place_and_then_of_a_time() -> None:
    wanted = _read("hectares of forest left in Mill at the end of 2010")
    assert wanted is not None
    for said in ("How much forest was left in {}?", "How many hectares of forest were left in {}?"):
        found = _read(said.format("Mill at the end of 2010"))
        assert found is not None
        assert equal(found, wanted)


@given(first=st.integers(2001, 2010), more=st.integers(1, 10), span=st.sampled_from(("from {} to {}", "in {}-{}")))
def test_the_mean_of_years_is_of_as_many_as_are_told(first: int, more: int, span: str) -> None:
    found = _read(f"Average yearly loss {span.format(first, first + more)}")
    x = expression_of(f"calculate(ratio, {_area(_years(first, first + more))}, '{more + 1} year')")[0]
    assert found is not None
    assert x is not None
    assert equal(found, x)


@pytest.mark.parametrize(
    "question",
    [
        "How many hectares were still standing in 2010?",  # of what
        "How much of Mill was left in 2010?",
        "Mean annual loss since 2010",  # of how many years
        "Loss from 2011 to 2013 (2016 included), ha",
        "Loss from 2011 to 2013 (all four years), ha",
    ],
)
def test_what_is_not_told_is_not_guessed(question: str) -> None:
    assert _read(question) is None


@pytest.mark.parametrize("question", ["How much water was left in 2010?", "How many ha of forest were left in 2010?"])
def test_what_is_left_is_what_there_is_where_no_map_tells_of_losses(question: str) -> None:
    data = DataWords(frozenset(("land_cover_class",)), dates=(date(2000, 1, 1), date(2010, 1, 1)))
    found, plain = _read(question, data), _read(question.replace("left ", ""), data)
    assert found is not None
    assert plain is not None
    assert equal(found, plain)
