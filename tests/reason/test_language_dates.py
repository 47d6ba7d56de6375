"""Dates, seasons and spans as people write them."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.model.goal import FIRST, LAST, Period
from knowflow.reason.language.dates import hull, times

TODAY = dt.date(2026, 11, 20)


def periods(text: str) -> list[tuple[str, str]]:
    return [(span.period.start, span.period.end) for span in times(text, TODAY).spans if span.period]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in 2022", [("2022-01-01", "2022-12-31")]),
        ("between 2019 and 2023", [("2019-01-01", "2023-12-31")]),
        ("2019-2023", [("2019-01-01", "2023-12-31")]),
        ("in summer 2021", [("2021-06-01", "2021-08-31")]),
        ("winter 2021", [("2020-12-01", "2021-02-28")]),
        ("winter 2021/22", [("2021-12-01", "2022-02-28")]),
        ("from the September 2020 scene onwards", [("2020-09-01", "9999-12-31")]),
        ("from May to October 2021", [("2021-05-01", "2021-10-31")]),
        ("November to February 2021", [("2020-11-01", "2021-02-28")]),
        ("on August 10, 2022", [("2022-08-10", "2022-08-10")]),
        ("10 August 2022", [("2022-08-10", "2022-08-10")]),
        ("July 20-29, 2023", [("2023-07-20", "2023-07-29")]),
        ("2018-01-01 to 2018-12-30", [("2018-01-01", "2018-12-30")]),
        ("2017-07-01/2017-08-31", [("2017-07-01", "2017-08-31")]),
        ("20210703", [("2021-07-03", "2021-07-03")]),
        ("31.12.2021", [("2021-12-31", "2021-12-31")]),
        ("July 1 and July 15, 2020", [("2020-07-01", "2020-07-01"), ("2020-07-15", "2020-07-15")]),
        ("July of 2015 and 2023", [("2015-07-01", "2015-07-31"), ("2023-07-01", "2023-07-31")]),
        ("June-July of 2020 and 2021", [("2020-06-01", "2020-07-31"), ("2021-06-01", "2021-07-31")]),
        ("Q1 vs. Q3 2021", [("2021-01-01", "2021-03-31"), ("2021-07-01", "2021-09-30")]),
        ("since 2015", [("2015-01-01", LAST)]),
        ("after 2019", [("2020-01-01", LAST)]),
        ("before 2019", [(FIRST, "2018-12-31")]),
        ("until 2019", [(FIRST, "2019-12-31")]),
        ("in the 1990s", [("1990-01-01", "1999-12-31")]),
        ("last year", [("2025-01-01", "2025-12-31")]),
        ("this summer", [("2026-06-01", "2026-08-31")]),
        ("last month", [("2026-10-01", "2026-10-31")]),
        ("past 10 days", [("2026-11-10", "2026-11-20")]),
        ("in 2023, the average for July", [("2023-07-01", "2023-07-31")]),
        (
            "between the image of the 5th and the one of the 20th, July 2021",
            [("2021-07-05", "2021-07-05"), ("2021-07-20", "2021-07-20"), ("2021-07-01", "2021-07-31")],
        ),
        ("5 and 20 July 2021", [("2021-07-05", "2021-07-05"), ("2021-07-20", "2021-07-20")]),
        (
            "in August 2020, then from 1 August to 1 September",
            [("2020-08-01", "2020-08-31"), ("2020-08-01", "2020-09-01")],
        ),
        ("higher on 20 July than on 5 July 2021", [("2021-07-20", "2021-07-20"), ("2021-07-05", "2021-07-05")]),
        ("once for June and once for August 2023", [("2023-06-01", "2023-06-30"), ("2023-08-01", "2023-08-31")]),
        ("from mid June to late July 2021", [("2021-06-01", "2021-07-31")]),
        ("in early July 2017", [("2017-07-01", "2017-07-10")]),
        ("in mid-July 2017", [("2017-07-11", "2017-07-20")]),
        ("at the end of February 2016", [("2016-02-21", "2016-02-29")]),
        ("from late June 2017 to early August 2017", [("2017-06-21", "2017-08-10")]),
        ("until the end of July 2017", [(FIRST, "2017-07-31")]),
        ("in early to mid July 2017", [("2017-07-01", "2017-07-31")]),
        ("since the 2018 flood", [("2018-01-01", LAST)]),
        ("after the July 2021 rains", [("2021-07-01", LAST)]),
        ("bands 10-12 of April 13, 2022", [("2022-04-13", "2022-04-13")]),
        ("the 90th percentile in July 2021", [("2021-07-01", "2021-07-31")]),
        ("the 2nd half of July 2021", [("2021-07-01", "2021-07-31")]),
        ("compare 2019 to 2021", [("2019-01-01", "2019-12-31"), ("2021-01-01", "2021-12-31")]),
    ],
)
def test_spans(text: str, expected: list[tuple[str, str]]) -> None:
    assert periods(text) == expected


@pytest.mark.parametrize(
    "text",
    ["warmer than 2000 m", "above 2000", "may the grass grow", "slopes fall to the sea", "1500 pixels", "B2021x"],
)
def test_numbers_and_words_that_are_no_dates(text: str) -> None:
    assert times(text, TODAY).spans == ()


def test_months_without_a_year_restrict_the_dates() -> None:
    (summers, years) = times("in summers between 2015 and 2020", TODAY).spans
    assert summers.months == (6, 7, 8)
    assert years.period == Period("2015-01-01", "2020-12-31")


def test_what_brackets_say_again_is_not_a_second_span() -> None:
    (span,) = times("the summer (June-August) average", TODAY).spans
    assert span.months == (6, 7, 8)


def test_an_impossible_date_is_no_date() -> None:
    assert not any(span.single_day for span in times("on 2021-02-30", TODAY).spans)


def test_a_sentence_may_begin_with_a_month_that_another_one_follows() -> None:
    first, second = times("March or June 2023: which was warmer", TODAY).spans
    assert (first.period, second.period) == (Period("2023-03-01", "2023-03-31"), Period("2023-06-01", "2023-06-30"))
    assert len(times("May I ask about June 2023", TODAY).spans) == 1


def test_before_and_after_a_date_are_two_periods() -> None:
    (span,) = times("before and after 2021-08-15", TODAY).spans
    assert span.ends == (Period(FIRST, "2021-08-14"), Period("2021-08-15", LAST))


@given(
    st.dates(min_value=dt.date(1900, 1, 1), max_value=dt.date(2099, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y"]),
)
def test_any_day_is_read_in_every_usual_notation(day: dt.date, notation: str) -> None:
    (span,) = times(f"on {day.strftime(notation)}", TODAY).spans
    assert span.single_day
    assert span.period == Period(day.isoformat(), day.isoformat())


@given(st.lists(st.dates(), min_size=1, max_size=5))
def test_a_hull_holds_every_period(days: list[dt.date]) -> None:
    parts = [Period(day.isoformat(), day.isoformat()) for day in days]
    whole = hull(parts)
    assert all(whole.start <= part.start and part.end <= whole.end for part in parts)


@given(st.text(max_size=80))
def test_any_text_is_read_without_failing(text: str) -> None:
    for span in times(text, TODAY).spans:
        assert span.period is None or span.period.start <= span.period.end
