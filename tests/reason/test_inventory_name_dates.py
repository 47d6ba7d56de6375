"""Dates in names, in every form that people and producers give them, and nothing that is none."""

from __future__ import annotations

from calendar import month_abbr, month_name
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory.name_dates import DATE_MARK, dates_in, without_year
from knowflow.reason.inventory.names import name_facts
from knowflow.reason.inventory.spans import Span

days = st.dates(date(1972, 7, 23), date.today())


# as German, French, Spanish, Portuguese, Italian, Slovak and Slovenian people call and shorten them
NAMES = {
    1: ["Januar", "janvier", "enero", "janeiro", "gennaio"],
    2: ["Februar", "fevrier", "février", "febrero", "fevereiro", "febbraio"],
    3: ["Maerz", "März", "mars", "marzo", "marec"],
    4: ["avril", "abril", "aprile", "abr"],
    5: ["Mai", "mayo", "maio", "maggio"],
    6: ["Juni", "juin", "junio", "junho", "giugno", "junij"],
    7: ["Juli", "juillet", "julio", "julho", "luglio", "julij"],
    8: ["août", "aout", "agosto", "ago", "avgust"],
    9: ["septembre", "septiembre", "setembro", "settembre"],
    10: ["Oktober", "okt", "octobre", "octubre", "outubro", "ottobre"],
    11: ["novembre", "noviembre", "novembro"],
    12: ["Dezember", "dez", "décembre", "diciembre", "dezembro", "dicembre"],
}


OTHER_SCRIPTS = (
    *("январь ιαν", "февр φεβ", "марта μαρ", "апреля απρ", "май μαϊ", "июн ιουν", "июль ιουλ", "серпень αυγ"),
    *("вересень σεπ", "окт οκτ", "ноя νοε", "дек δεκ"),
)


def forms(day: date) -> dict[str, Span]:
    """The usual forms of a date, with the days that they mean."""
    one = Span(day.isoformat(), day.isoformat())
    last = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    month = Span(day.replace(day=1).isoformat(), last.isoformat())
    monday = day - timedelta(days=day.weekday())
    week = day.isocalendar()
    dekad = min((day.day - 1) // 10, 2)
    until = last if dekad == 2 else day.replace(day=10 * dekad + 10)
    tenth = Span(day.replace(day=10 * dekad + 1).isoformat(), until.isoformat())
    begun = date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
    ended = (begun + timedelta(days=95)).replace(day=1) - timedelta(days=1)
    quarter = Span(begun.isoformat(), ended.isoformat())
    found = {
        day.strftime(form): one for form in ("%Y-%m-%d", "%Y%m%d", "%Y_%m_%d", "%Y.%m.%d", "A%Y%j", "doy%Y%j", "%Y%j")
    }
    short, full = month_abbr[day.month], month_name[day.month]
    found |= {f"{day:%d}{short}{day.year}": one, f"{day.year}-{short}-{day:%d}": one, f"{day.year}_doy{day:%j}": one}
    found |= {day.strftime("%Y-%m"): month, day.strftime("%Y_%m"): month, f"{short}{day.year}": month}
    found |= {f"{full.lower()}_{day.year}": month, f"{day.year}{full}": month}
    found |= {f"{day.day}{short}{day.year}": one, f"{day.day}.{day.month}.{day.year}": one, f"{day:%d.%m.%Y}": one}
    found |= {f"{day.day} {full} {day.year}": one, f"{short} {day.day}, {day.year}": one, f"{day.year}m{day:%m%d}": one}
    found |= {f"{day:%m-%Y}": month, f"{day:%m.%Y}": month, f"{short}{day:%y}": month, f"{day.day}{short}{day:%y}": one}
    found |= {f"q{(day.month + 2) // 3}_{day.year}": quarter, f"doy{day:%j}_{day.year}": one}
    found |= {f"dekad{dekad + 1}_{short}{day.year}": tenth, f"dekad{3 * day.month - 2 + dekad}_{day.year}": tenth}
    found |= {f"{short}_dec{dekad + 1}_{day.year}": tenth, f"{day:%m_%Y}_d{dekad + 1}": tenth}
    found |= {f"{word}_{day.year}": month for word in OTHER_SCRIPTS[day.month - 1].split()}
    weekly = Span(monday.isoformat(), (monday + timedelta(days=6)).isoformat())
    found |= {f"{week.year}_{word}{week.week:02d}": weekly for word in ("semaine", "tydzien", "uke", "settimana")}
    found |= {f"{day.year}_{word}_dekada{dekad + 1}": tenth for word in NAMES[day.month] if word.isascii()}
    found |= {f"dekad_{day:%Y-%m}-{dekad + 1}": tenth, f"decade_{day:%Y%m}{dekad + 1}": tenth}
    found |= {f"{month_word}{day.year}": month for month_word in NAMES[day.month]}
    found |= {f"{day.day}{month_word}{day.year}": one for month_word in NAMES[day.month]}
    if day.day > 12:
        found |= {day.strftime("%d-%m-%Y"): one, day.strftime("%d.%m.%Y"): one}
    if week.year == monday.year:
        found[f"{week.year}W{week.week:02d}"] = Span(monday.isoformat(), (monday + timedelta(days=6)).isoformat())
        found[f"kw{week.week:02d}_{week.year}"] = found[f"{week.year}W{week.week:02d}"]
    found[f"{day:%Y-%m}-d{dekad + 1}"] = tenth
    return found


@given(days, st.sampled_from(["{}", "NDVI_{}", "{}_clip", "a_{}_10m", "site-{}-v2"]))
def test_every_usual_form_is_read(day: date, name: str) -> None:
    for form, span in forms(day).items():
        rest, dates = dates_in(name.format(form))
        assert [dated.spans for dated in dates] == [(span,)], form
        assert all(dated.certain for dated in dates)
        assert DATE_MARK in rest


def valid(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


@given(days, st.sampled_from([".", "-"]))
def test_days_and_months_before_two_digits_of_a_year(day: date, separator: str) -> None:
    if not 1970 <= day.year < 2050 or day.day < 10:
        return
    text = f"{day.day}{separator}{day.month}{separator}{day:%y}"
    rest, (found,) = dates_in(f"NDVI {text} vineyard")
    assert found.spans[0] == Span(day.isoformat(), day.isoformat())
    assert rest == f"NDVI {DATE_MARK} vineyard"
    readings = [(day.year, day.month, day.day)]
    if separator == "-":
        readings.append((day.year, day.day, day.month))
        if day.month >= 10:
            readings.append((day.day + (2000 if day.day < 50 else 1900), day.month, day.year % 100))
    assert set(found.spans) == {Span(one, one) for one in filter(None, (valid(*parts) for parts in readings))}
    assert found.certain == (len(found.spans) == 1)


@given(days)
def test_days_without_their_year_are_of_the_one_that_is_told(day: date) -> None:
    for text in (f"{day.day}{day:%B}", f"{day.day:02d}_{day:%b}", f"{day:%b}{day.day:02d}"):
        rest, (found,) = without_year(f"VV_{text}_clip", str(day.year))
        assert found.spans == (Span(day.isoformat(), day.isoformat()),)
        assert rest == f"VV_{DATE_MARK}_clip"


@given(days, st.sampled_from(["rain", "ntl_mean", "chuva mm"]), st.sampled_from("_-"), st.sampled_from(["", "_clip"]))
def test_a_month_that_stands_apart_before_its_year_is_of_it(day: date, before: str, separator: str, end: str) -> None:
    rest, (found,) = dates_in(f"{before}{separator}{day:%m}{separator}{day.year}{end}")
    assert found.certain
    assert found.spans[0].first == day.replace(day=1).isoformat()
    assert rest == f"{before}{separator}{DATE_MARK}{end}"


@given(days, st.sampled_from(["decade", "dekade", "dek", "decada"]), st.integers(1, 3))
def test_ten_days_of_a_month_by_their_number(day: date, word: str, number: int) -> None:
    first = day.replace(day=10 * number - 9).isoformat()
    for month in (f"{day:%m}", f"{day:%B}".casefold()):
        _, (found,) = dates_in(f"pluie_{word}{number}_{month}_{day.year}")
        assert (found.certain, found.spans[0].first) == (True, first)


@pytest.mark.parametrize("name", ["tool_3.1.12", "fv3.1.12", "B02_2022", "bio12_1981", "spei06_2018_07", "x_2.1.21"])
def test_numbers_of_versions_bands_and_layers_are_no_dates(name: str) -> None:
    assert all(one.spans[0].days > 27 for one in dates_in(name)[1])
    assert not any(one.form == "short" for one in dates_in(name)[1])


@given(days, st.times())
def test_a_time_of_day_belongs_to_its_date(day: date, time: object) -> None:
    for form in ("{:%Y%m%d}T{:%H%M%S}", "{:%Y-%m-%d}T{:%H%M%S}Z", "{:%Y%m%d}_{:%H%M%S}", "{:%Y%m%d}{:%H%M%S}"):
        rest, (found,) = dates_in(f"x_{form.format(day, time)}_y")
        assert found.spans == (Span(f"{day.isoformat()}T{time:%H:%M:%S}", day.isoformat()),)
        assert rest == f"x_{DATE_MARK}_y"


@given(days, st.integers(1, 90), st.sampled_from(["-", "to", "_to_", " to "]))
def test_days_and_months_of_one_year_are_the_ends_of_a_span(day: date, length: int, between: str) -> None:
    end = day + timedelta(days=length)
    if (end.year, end.month) == (day.year, day.month):
        _, (found,) = dates_in(f"rain_{day.day}{between}{end.day}{month_abbr[day.month]}{day.year}_v2")
        assert found.spans == (Span(day.isoformat(), end.isoformat()),)
    elif end.year == day.year:
        last = (end.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
        for text in (f"{day:%b}{between}{end:%b}{day.year}", f"{day.year}{day:%b}{end:%b}"):
            _, (found,) = dates_in(f"rain_{text}_v2")
            assert found.spans == (Span(day.replace(day=1).isoformat(), last.isoformat()),)


@given(days, st.integers(1, 400), st.sampled_from(["_", "-", "--", "_to_", " to "]))
def test_two_dates_side_by_side_are_the_ends_of_a_span(day: date, length: int, between: str) -> None:
    end = day + timedelta(days=length)
    _, dates = dates_in(f"mean_{day:%Y%m%d}{between}{end:%Y%m%d}_x")
    assert [dated.spans for dated in dates] == [(Span(day.isoformat(), end.isoformat()),)]
    _, dates = dates_in(f"mean_{end:%Y%m%d}{between}{day:%Y%m%d}_x")
    assert len(dates) == 2


@pytest.mark.parametrize(
    ("first", "last", "moment"),
    [
        ("2018-09-30", "2018-09-30", "2018-09-30"),
        ("2018-09-01", "2018-09-30", "2018-09-01"),
        ("2018-01-01", "2018-12-31", "2018-01-01"),
        ("2018-01-01", "2018-01-16", "2018-01-08"),
        ("2001-01-01", "2020-12-31", None),
    ],
)
def test_a_span_stands_for_its_middle_one_of_the_calendar_for_its_first_day(
    first: str, last: str, moment: str | None
) -> None:
    assert Span(first, last).moment == moment


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("03-04-2018", ["2018-04-03", "2018-03-04"]),
        ("03042018", ["2018-04-03", "2018-03-04"]),
        ("201211", ["2012-11-01", "2020-12-11"]),
        ("180930", ["2018-09-30"]),
        ("2018_273", ["2018-09-30", "2018-01-01"]),
        ("273_2018", ["2018-09-30", "2018-01-01"]),
        ("tile_09_2018", ["2018-09-01", "2018-01-01"]),
        ("set2018", ["2018-09-01", "2018-01-01"]),
    ],
)
def test_what_may_be_read_in_two_ways_is_not_certain(text: str, readings: list[str]) -> None:
    _, (found,) = dates_in(f"x_{text}")
    assert [span.moment for span in found.spans] == readings
    assert not found.certain


@pytest.mark.parametrize(
    "text",
    [
        "2015-13-45",
        "2015-02-30",
        "2018_10m",
        "dem_1000m",
        "029D1A",
        "B8E5",
        "data_set_2018",
        "decade_1982",
        "123456789",
        "2018366",
        "191399",
    ],
)
def test_what_is_no_date_stays_in_the_name(text: str) -> None:
    assert dates_in(text) == (text, ())


@given(moment=st.datetimes(datetime(1980, 1, 1), datetime(2035, 12, 31)))
def test_ten_digits_are_a_day_and_its_hour(moment: datetime) -> None:
    rest, (found,) = dates_in(f"wam_swh_{moment:%Y%m%d%H}")
    assert (rest, found.spans[0].first) == (f"wam_swh_{DATE_MARK}", f"{moment:%Y-%m-%dT%H}:00:00")


@pytest.mark.parametrize(
    ("name", "span"),
    [
        ("anomalia_nivel_mar_2021_01", ("2021-01-01", "2021-01-31")),
        ("nivel_mar_2021-12", ("2021-12-01", "2021-12-31")),
        ("ndvi_mar_2021_03", ("2021-03-01", "2021-03-31")),
        ("ndvi_mar_2021", ("2021-03-01", "2021-03-31")),
        ("salinidad_mar_2021", ("2021-03-01", "2021-03-31")),
    ],
)
def test_the_sea_before_the_number_of_a_month_is_no_march(name: str, span: tuple[str, str]) -> None:
    (found,) = dates_in(name)[1]
    assert (found.spans[0].first, found.spans[0].last) == span


def test_the_sea_behind_its_article_is_no_march() -> None:
    assert dates_in("temperatura_del_mar_2021")[1] == ()


CLOCKS = ("T{}", "T{}Z", "_{}h", "_{}u", " {}Uhr", "-{}UTC", "_{}z")


@given(days, st.integers(0, 23), st.sampled_from(CLOCKS), st.sampled_from(("%Y%m%d", "%Y-%m-%d", "%d.%m.%Y")))
def test_an_hour_behind_a_day_is_when_it_was(day: date, hour: int, clock: str, form: str) -> None:
    rest, (found,) = dates_in(f"waves_{day.strftime(form)}{clock.format(f'{hour:02d}')}_clip")
    assert found.spans[0] == Span(f"{day.isoformat()}T{hour:02d}:00:00", day.isoformat())
    assert rest == f"waves_{DATE_MARK}_clip"


@pytest.mark.parametrize("behind", ["_24h", "_T13TEF", "_13", "T25", "_13m"])
def test_what_is_no_hour_of_a_day_is_left_in_the_name(behind: str) -> None:
    rest, (found,) = dates_in(f"rain_20211116{behind}")
    assert found.spans[0] == Span("2021-11-16", "2021-11-16")
    assert rest == f"rain_{DATE_MARK}{behind}"


@given(st.integers(1, 12), st.integers(1971, 1995), st.integers(9, 29), st.sampled_from("_- ."))
def test_a_month_before_many_years_is_of_none_of_them(month: int, first: int, more: int, between: str) -> None:
    _, found = dates_in(f"tasmax_{month:02d}{between}{first}-{first + more}_v1")
    assert not any(span.days <= 31 for one in found for span in one.spans)


@given(st.dates(date(1990, 1, 1), date(2020, 12, 31)), st.integers(0, 23), st.sampled_from(("u", "uur", "Uhr")))
def test_who_tells_hours_in_dutch_or_german_writes_the_day_first(day: date, hour: int, word: str) -> None:
    _, (found,) = dates_in(f"VHM0_{day:%d-%m-%Y}_{hour:02d}{word}")
    assert found.certain
    assert found.spans == (Span(f"{day.isoformat()}T{hour:02d}:00:00", day.isoformat()),)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("lst_2020年8月18日", ("2020-08-18", None)),
        ("雪_2020年8月", ("2020-08-01", ("2020-08-01", "2020-08-31"))),
        ("dem_1.2.3", (None, None)),
        ("x_2.0.10", (None, None)),
    ],
)
def test_days_by_the_signs_of_year_month_and_day(name: str, told: tuple[str | None, tuple[str, str] | None]) -> None:
    facts = name_facts(f"{name}.tif").facts
    assert (facts.value("datetime"), facts.value("span")) == told


@given(st.integers(1, 12), st.data())
def test_months_are_read_in_all_letters_that_are_written_for_others(month: int, data: st.DataObject) -> None:
    for number, word in (
        (5, "mayıs"),
        (8, "ağustos"),
        (11, "kasım"),
        (10, "październik"),
        (8, "sıerpnıa"),
        (1, "ſtyczen"),
    ):
        dates_in(f"ndvi_{word}{month + 10}_a")
        if number == month and "ſ" not in word:
            assert dates_in(f"ndvi {word} 2021")[1][0].spans[0].first == f"2021-{number:02d}-01"
    text = data.draw(st.text("mayısekthpruſbjłøđKİ 21._-", max_size=14))
    dates_in(text)
