"""Dates that may be read in several ways, settled by the other names of their folder."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from knowflow.reason.inventory import inventory_of_names
from knowflow.reason.inventory.folder_dates import folder_dates
from knowflow.reason.inventory.name_dates import dates_in

days = st.dates(date(1972, 7, 23), date.today())
doubtful = days.filter(lambda day: day.day <= 12 and day.day != day.month)


def dates_of(*names: str) -> list[str | None]:
    return [item.fact("datetime") for item in inventory_of_names(names).artifacts]


@given(doubtful, days.filter(lambda day: day.day > 12), st.sampled_from(["%d-%m-%Y", "%m-%d-%Y"]))
def test_days_and_months_stand_in_the_order_that_other_names_show(day: date, other: date, form: str) -> None:
    assume(day != other)
    found = dates_of(f"ndvi_{day:{form}}.tif", f"ndvi_{other:{form}}.tif")
    assert sorted(map(str, found)) == sorted([day.isoformat(), other.isoformat()])


@given(doubtful, days.filter(lambda day: day.day > 12), days.filter(lambda day: day.day > 12))
def test_names_of_both_orders_tell_none(day: date, one: date, other: date) -> None:
    found = dates_of(f"ndvi_{day:%d-%m-%Y}.tif", f"ndvi_{one:%d-%m-%Y}.tif", f"ndvi_{other:%m-%d-%Y}.tif")
    assert found.count(None) == 1


@given(doubtful, st.sampled_from(["%d-%m-%Y", "%m-%d-%Y", "%j_%Y", "%Y_%j"]))
def test_a_date_that_another_name_of_the_folder_has_is_the_one_that_is_meant(day: date, form: str) -> None:
    assert dates_of(f"ndvi_{day:{form}}.tif", f"S2_{day:%Y%m%d}_B04.tif") == [day.isoformat()] * 2


@given(st.integers(1990, 2030), st.lists(st.integers(0, 44), min_size=2, max_size=4, unique=True))
def test_every_eighth_day_of_a_year_is_one_of_composites(year: int, steps: list[int]) -> None:
    firsts = [date(year, 1, 1) + timedelta(days=8 * step) for step in steps]
    found = dates_of(*(f"LST_{first:%Y_%j}.tif" for first in firsts))
    assert sorted(map(str, found)) == sorted(first.isoformat() for first in firsts)


@given(st.integers(1990, 2030), st.integers(1, 12), st.sampled_from([3, 6]))
def test_the_parts_of_a_month_are_as_long_as_there_are_of_them(year: int, month: int, parts: int) -> None:
    names = [f"chirps-v2.0.{year}.{month:02d}.{part}.tif" for part in range(1, parts + 1)]
    spans = [item.fact("span") for item in inventory_of_names(names).artifacts]
    assert spans[1] == (f"{year}-{month:02d}-{30 // parts + 1:02d}", f"{year}-{month:02d}-{60 // parts:02d}")


def test_what_nothing_settles_stays_open() -> None:
    assert dates_of("ndvi_03-04-2018.tif", "lst_2018-07-01.tif").count(None) == 1
    assert dates_of("LST_2018_161.tif", "LST_2018_461.tif")[0] is None  # numbers of something else
    assert dates_of("LST_2018_250.tif") == [None]
    assert dates_of("ndvi_201108.tif", "ndvi_20120101.tif").count(None) == 1
    assert dates_of("flood_16may.tif", "a_20200101.tif", "b_20210101.tif").count(None) == 1


@given(st.integers(1990, 2030), st.integers(101, 365).filter(lambda number: number % 10 != 0))
def test_a_number_beside_a_year_that_is_no_version_and_no_size_is_a_day_of_it(year: int, number: int) -> None:
    day = (date(year, 1, 1) + timedelta(days=number - 1)).isoformat()
    assert dates_of(f"red_{year}_{number:03d}_sr.tif", f"bt6_{year}_{number:03d}.tif") == [day, day]


@given(st.integers(1990, 2030), st.lists(st.integers(1, 12), min_size=2, max_size=4, unique=True))
def test_several_numbers_up_to_twelve_before_a_year_are_its_months(year: int, months: list[int]) -> None:
    found = dates_of(*(f"viirs_ntl_{month:02d}_{year}.tif" for month in months))
    assert sorted(map(str, found)) == sorted(f"{year}-{month:02d}-01" for month in months)


@given(days.filter(lambda day: 2001 <= day.year <= 2012))
def test_six_digits_are_a_month_of_the_year_that_other_names_tell(day: date) -> None:
    month = f"{day.year}{day.month:02d}"
    found = dates_of(f"spi3_{month}.tif", f"chirps_{day:%Y-%m-%d}.tif")
    assert f"{day.year}-{day.month:02d}-01" in found


@given(days, st.sampled_from(["%d%b", "%d %B", "%d-%b"]))
def test_a_day_without_its_year_is_of_the_one_year_that_other_names_tell(day: date, form: str) -> None:
    other = day.replace(day=1)
    found = dates_of(f"imerg {day:{form}} total.tif", f"sar_{other:%Y%m%d}.tif")
    assert sorted(map(str, found)) == sorted([day.isoformat(), other.isoformat()])


@given(days)
def test_of_several_years_a_day_without_one_is_that_of_another_name(day: date) -> None:
    assume(day.year > 1975 and (day.month, day.day) != (3, 1))
    found = dates_of(f"flood {day:%d%b}.tif", f"sar_{day:%Y%m%d}.tif", "dem_19740301.tif")
    assert found.count(day.isoformat()) == 2


@given(days.filter(lambda day: day.day < 10))
def test_a_day_of_one_digit_glued_to_its_month_has_its_year_apart(day: date) -> None:
    assert dates_of(f"chl {day.day}{day:%b} {day.year}.tif") == [day.isoformat()]


@pytest.mark.parametrize(
    ("stems", "order"),
    [
        (("LST_070818", "LST_250719", "LST_190722"), "dmy"),  # of years near each other
        (("190829_a", "200729_a"), "ymd"),  # read otherwise they are to come
        (("LST_070818", "ndvi_2018"), "dmy"),  # a year that is told elsewhere
        (("tile_690534", "tile_123456", "tile_999999"), ""),  # numbers of something else
        (("LST_070818",), ""),
    ],
)
def test_names_tell_in_which_order_six_digits_are_a_day(stems: tuple[str, ...], order: str) -> None:
    assert folder_dates(stems).six == order


def test_folders_tell_the_year_of_days_without_one() -> None:
    found = folder_dates(["vv may28", "vv june9", "dem_2019"], ["scenes of 2022"])
    assert (found.yearless, found.told) == (True, frozenset({"2022"}))


def test_a_day_whose_number_is_its_months_tells_no_order() -> None:
    assert folder_dates(["SM 01-01-2020", "SM 05-02-2020"]).order == ""
    assert folder_dates(["SM 13-01-2020", "SM 05-02-2020"]).order == "dmy"


def test_six_digits_beside_some_that_can_be_a_month_alone_are_months() -> None:
    names = ("lwe_200405.tif", "lwe_201005.tif", "lwe_201605.tif", "soil_2020-05.tif")
    assert dates_of(*names) == ["2004-05-01", "2010-05-01", "2016-05-01", "2020-05-01"]


@given(days.filter(lambda day: day.day > 12), doubtful, st.booleans())
def test_the_order_that_a_folder_tells_goes_before_a_day_that_another_name_has_by_chance(
    telling: date, day: date, short: bool
) -> None:
    assume((telling.month, telling.day) != (day.day, day.month))
    turned = f"{day:%Y}-{day:%d}-{day:%m}"  # the day that it would be in the other order
    assume(date.fromisoformat(turned) <= date.today())
    form = "%m%d%y" if short else "%m-%d-%Y"
    names = [f"L8_{telling:{form}}.tif", f"L9_{day:{form}}.tif", f"S2_{turned.replace('-', '')}.tif"]
    assume(not short or folder_dates([name[:-4] for name in names]).six == "mdy")
    assert set(dates_of(*names)) == {telling.isoformat(), day.isoformat(), turned}


@pytest.mark.parametrize(("one", "day"), [("072021", "2021-07-20"), ("111998", "1998-11-19"), ("052020", "2020-05-20")])
def test_six_digits_that_look_like_a_month_are_a_day_among_days_of_names_alike(one: str, day: str) -> None:
    year = one[4:]
    beside = [f"ET_0604{year}.tif", f"ET_0628{year}.tif"]
    assert day in dates_of(f"ET_{one}.tif", *beside)
    assert f"{day[:8]}01" in dates_of(f"rain_{one}.tif", *beside)  # of no name that is made alike


def test_months_alike_stay_months_where_others_are_days_with_the_month_first() -> None:
    months = [f"rain_{month:02d}2021" for month in range(4, 9)]
    beside = folder_dates([*months, "ET_041321", "ET_060221", "ET_072021"])
    found = {stem: beside.settled(*reversed(dates_in(stem))) for stem in (*months, "ET_072021", "ET_060221")}
    assert [found[stem][0].spans[0].days > 1 for stem in months] == [True] * len(months)
    assert [found[stem][0].spans[0].first for stem in ("ET_072021", "ET_060221")] == ["2021-07-20", "2021-06-02"]
    assert folder_dates([*months, "ET_130421", "ET_280421", "ET_020621"]).six == "dmy"


@given(st.integers(1990, 2020), st.booleans())
def test_numbers_up_to_three_before_months_are_thirds_of_them_where_others_say_so(year: int, by_words: bool) -> None:
    names = [f"et-{place}-{month:02d}-{year}" for month in (3, 4, 6) for place in ((2,) if by_words else (1, 2, 3))]
    beside = [f"et_mai_dec3_{year}"] if by_words else []
    for stem in names:
        (dated,) = folder_dates([*names, *beside]).settled(dates_in(stem)[1])
        place, month = int(stem[3]), stem[5:7]
        assert dated.certain
        assert dated.spans[0].first == f"{year}-{month}-{10 * place - 9:02d}"
    (alone,) = folder_dates([f"et-2-03-{year}", f"et-14-03-{year}"]).settled(dates_in(f"et-2-03-{year}")[1])
    assert alone.spans[0].days == 1


months = st.dates(date(2001, 1, 1), date(2023, 12, 31)).map(lambda day: day.replace(day=1))


@given(months, months, st.sampled_from([" ", "_", "-"]), st.sampled_from(["%Y-%m", "%b%Y", "%Y_%b"]))
def test_two_digits_behind_a_month_are_the_year_of_which_others_tell_months(
    month: date, other: date, mark: str, form: str
) -> None:
    other = other.replace(year=month.year)
    assume(month != other and not 1 <= int(f"{month:%y}") <= 9)
    found = dates_of(f"chl{mark}{month:%b}_{month:%y}.nc", f"chl{mark}{other:{form}}.nc")
    assert found == [month.isoformat(), other.isoformat()]


def test_two_digits_behind_a_month_stay_open_where_the_series_tells_days() -> None:
    assert dates_of("chl apr_20.nc", "chl_20200405.nc", "chl_20210612.nc", "rain_2021-03.nc")[0] is None


def test_a_day_without_its_year_is_shown_in_each_year_of_its_folder() -> None:
    read = inventory_of_names(["rain 6 aug.tif", "lst_20190705.tif", "lst_20210705.tif", "rain_20200711.tif"])
    (shown,) = ([one.value for one in some] for (path, _), some in read.open.items() if "aug" in path)
    assert read.artifacts[0].fact("datetime") is None
    assert shown[0] == "2020-08-06"
    assert {*shown} == {"2019-08-06", "2020-08-06", "2021-08-06"}


WORDS_OF_MONTHS = (
    *("januar enero ocak", "februar febrero luty", "märz mars", "abril aprile kwiecień", "mayıs maggio", "juni lipanj"),
    *("juli temmuz lipiec", "août ağustos", "eylül wrzesień", "ottobre ekim", "novembre kasım", "dezember aralık"),
)
NAMED = st.sampled_from(["lluvia {} {}", "niederschlag {} {}", "opad_{}_{}", "rain-{}-{}", "ndvi {}{}"])
SHORT_YEARS = st.lists(st.integers(13, 23), min_size=1, max_size=3, unique=True)


@given(NAMED, SHORT_YEARS, st.sampled_from(["%d-%m-%y", "%d.%m.%y", "%d%b%y"]), st.integers(1, 12), st.data())
def test_two_digits_behind_a_month_are_its_year_where_others_write_years_so(
    form: str, years: list[int], how: str, month: int, data: st.DataObject
) -> None:
    word = data.draw(st.sampled_from(WORDS_OF_MONTHS[month - 1].split()))
    others = [date(2000 + year, 5, 14 + number).strftime(how) for number, year in enumerate(years)]
    names = [f"{form.format(word, year)}.tif" for year in years]
    found = dates_of(*names, *(f"s2 B04 {other}.tif" for other in others), "dem.tif", "people 2010.tif")
    assert found[: len(names)] == [f"{2000 + year}-{month:02d}-01" for year in years]


@given(NAMED, st.integers(13, 23), st.sets(st.integers(1, 12), min_size=3, max_size=6))
def test_two_digits_behind_several_months_are_their_year(form: str, year: int, months: set[int]) -> None:
    names = [f"{form.format(date(2000, month, 1).strftime('%b'), year)}.tif" for month in sorted(months)]
    assert dates_of(*names) == [f"{2000 + year}-{month:02d}-01" for month in sorted(months)]


@given(st.integers(1, 28), st.integers(10, 28), st.sampled_from([" ", "_", "-", ""]))
def test_two_digits_behind_a_month_are_no_year_where_all_else_is_of_another(day: int, other: int, mark: str) -> None:
    names = [f"flood jun{mark}{day:02d}.tif", f"flood jul{mark}{other}.tif", "ndvi_20090711.tif", "lst_20090805.tif"]
    assert not {*dates_of(*names)[:2]} & {f"20{day:02d}-06-01", f"20{other}-07-01"} - {"2009-06-01"}


@given(st.sampled_from(["juni", "julio", "août", "mayıs", "czerwiec"]), st.integers(13, 23))
def test_a_month_before_two_digits_is_never_told_to_be_the_whole_year(word: str, year: int) -> None:
    names = [f"rain {word} {year}.tif", f"rain {word} {year + 1}.tif", f"map_20{year}.tif", f"map_20{year + 1}.tif"]
    found = inventory_of_names(names).artifacts
    spans = {one.path: one.fact("span") for one in found}
    assert spans[names[0]] != (f"20{year}-01-01", f"20{year}-12-31")


@given(doubtful, doubtful, st.sampled_from(["%d%m%Y", "%d_%m_%Y", "%d-%m-%Y"]))
def test_days_are_of_the_months_that_other_names_tell(day: date, other: date, form: str) -> None:
    assume((other.year, other.day, other.month) != (day.year, day.day, day.month))
    months = {f"{one:%Y-%m}" for one in (day, other)}
    assume(
        not months & {f"{one.year}-{one.day:02d}" for one in (day, other)} and (day.month, day.day) != (other.day, 1)
    )
    told = [f"rain_{month}.tif" for month in sorted(months)]
    first, second, *_ = dates_of(f"evi {day:{form}}.tif", f"evi {other:{form}}.tif", *told)
    assert (first, second) == (day.isoformat(), other.isoformat())


def test_one_day_alone_is_of_no_order_by_the_months_of_others() -> None:
    assert dates_of("evi 08052020.tif", "rain_2020-05.tif")[0] is None


@given(
    days.filter(lambda day: day.day < 10),
    days.filter(lambda day: day.day > 9),
    st.integers(0, 10),
    st.sampled_from(["b04 {}", "{}_ndvi"]),
)
def test_dots_stand_between_day_month_and_two_digits_of_a_year(day: date, other: date, later: int, form: str) -> None:
    other = other.replace(year=min(day.year + later, 2024), day=min(other.day, 28))
    names = [form.format(f"{one.day}.{one.month}.{one:%y}") for one in (day, other)]
    assert dates_of(*(f"{name}.tif" for name in names)) == [day.isoformat(), other.isoformat()]


@pytest.mark.parametrize("name", ["snap 9.4.12.tif", "lst 2.10.21.tif", "map v7.8.22.tif"])
def test_dots_may_stand_between_the_numbers_of_a_version(name: str) -> None:
    assert dates_of(name, "dem.tif", "ndvi_20210705.tif")[0] is None
