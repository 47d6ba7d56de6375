"""Numbers of the rows of tables as nouns."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from knowflow.question.operators import Attribute, During, Extreme, Over, Polygons, Split, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import times

LAYER = "gauge_levels.csv"
TABLE = FeatureLayer(
    LAYER, 730, ("gauge",), (), ("Neudorf", "Weinsberg"),
    (("level", "level_cm", "cm"), ("sediment", "sediment_t", "t")),
    sorts=(("station", ("Neudorf", "Weinsberg")),),
    days=("date", ("2021-01-01", "2021-12-31")),
    kinds=(("snow_depth", "level_cm", "cm", ""),),
)  # fmt: skip
DATA = DataWords(
    quantities=frozenset({"ndvi"}),
    objects=("Neudorf", "Weinsberg"),
    keys=(("station", f"objects of {LAYER}\nstation"), ("gauge", f"objects of {LAYER}")),
    features=(TABLE,),
)
ROWS = Polygons(layer=LAYER)
NEUDORF = Polygons(("Neudorf",), layer=LAYER)
LEVEL, SEDIMENT = Attribute(ROWS, "level_cm", "cm"), Attribute(ROWS, "sediment_t", "t")
STATION = Polygons(by="station", layer=LAYER)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the mean level at Neudorf?", Over(Attribute(NEUDORF, "level_cm", "cm"), "objects", "mean")),
        (
            "What was the mean level in 2021?",
            Over(Attribute(During(ROWS, times("2021")), "level_cm", "cm"), "objects", "mean"),  # type: ignore[arg-type]
        ),
        ("How much sediment was there?", Over(SEDIMENT, "objects", "sum")),
        ("Mean level per station", Over(Split(LEVEL, STATION), "objects", "mean")),
        ("When was the level highest?", Extreme(Over(Split(LEVEL, "date"), "objects", "maximum"), "highest")),
        ("Which station had the most sediment?", Extreme(Over(Split(SEDIMENT, STATION), "objects", "sum"), "highest")),
        ("How deep was the snow at Neudorf?", Over(Attribute(NEUDORF, "level_cm", "cm"), "objects", "mean")),
        ("What was the greatest snow depth?", Over(LEVEL, "objects", "maximum")),
        ("Which station was the snowiest?", Extreme(Over(Split(LEVEL, STATION), "objects", "mean"), "highest")),
        ("Which station had the deepest snow?", Extreme(Over(Split(LEVEL, STATION), "objects", "maximum"), "highest")),
    ],
)
def test_numbers_of_rows_are_nouns(question: str, expected: Over | Extreme) -> None:
    assert read(question, DATA).candidates() == (expected,)


@pytest.mark.parametrize("verb", ["collected", "recorded"])
@pytest.mark.parametrize(("most", "side"), [("most", "highest"), ("least", "lowest")])
def test_of_the_one_number_that_adds_up_most_is_collected(verb: str, most: str, side: str) -> None:
    """A word of the data is theirs, even where it is a verb too: the trap."""
    asked = f"Which trap {verb} the {most}?"
    traps = DataWords(frozenset({"ndvi"}), keys=(("trap", "objects of traps.csv\ntrap"),), objects=("T1", "T2"))
    moths, depth = ("moths", "moths", "1"), ("snow depth", "snow_depth_cm", "cm")

    def having(*numbers: tuple[str, str, str]) -> DataWords:
        layer = FeatureLayer("traps.csv", 8, ("trap",), (), ("T1", "T2"), numbers, (("trap", ("T1", "T2")),))
        return replace(traps, features=(layer,))

    of = Attribute(Polygons(layer="traps.csv"), "moths", "1")
    total = Over(Split(of, Polygons(by="trap", layer="traps.csv")), "objects", "sum")
    assert read(asked, having(moths)).expression == Extreme(total, side)  # type: ignore[arg-type]
    assert read(asked, having(moths, depth)).expression is None  # of which of them
    assert read(asked, having(depth)).expression is None  # which does not add up


PROFILE = FeatureLayer(
    "casts.csv", 40, ("cast",), (), ("Neudorf", "Weinsberg"),
    (("depth", "depth_m", "m"), ("oxygen", "do_mg_l", "mg l-1"), ("weight", "weight_kg", "kg")),
    sorts=(("station", ("Neudorf", "Weinsberg")),), days=("date", ("2021-01-01", "2021-12-31")),
)  # fmt: skip
CASTS = DataWords(
    frozenset({"ndvi", "elevation"}), objects=("Neudorf", "Weinsberg"), features=(PROFILE,),
    keys=(
        *((one, "objects of casts.csv\nstation") for one in ("station", "stations")), ("cast", "objects of casts.csv"),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("What was the lowest oxygen at 15 m at Neudorf?", "What was the lowest oxygen at Neudorf at a depth of 15 m?"),
        (
            "On how many days was Neudorf below 7 mg/l?",
            "On how many days was the oxygen at Neudorf below 7 mg/l?",
        ),
        (
            "How many days had 7 mg/l or more at Neudorf?",
            "On how many days was the oxygen at Neudorf at least 7 mg/l?",
        ),
        ("On which date was the cast heaviest?", "On which date was the weight highest?"),
        ("Lowest oxygen at the Neudorf station", "Lowest oxygen at Neudorf"),
        ("Highest cast oxygen was what?", "What was the highest oxygen?"),
        ("Highest oxygen ever logged, any station", "What was the highest oxygen?"),
        ("Total weight in June 2021, all stations together", "Total weight in June 2021"),
        ("Weight logged in June 2021, all stations together", "Total weight in June 2021"),
        ("Mean weight in June 2021, all stations together", "Mean weight in June 2021"),
    ],
)
def test_other_columns_and_units_tell_which_rows(said: str, other: str) -> None:
    found, wanted = read(said, CASTS), read(other, CASTS)
    assert wanted.expression is not None
    assert (found.expression, found.unit) == (wanted.expression, wanted.unit)


def test_what_lies_highest_is_of_the_ground() -> None:
    data = DataWords(
        frozenset({"surface_temperature"}), keys=(("district", "objects"),), maps={"surface_temperature": 2}
    )
    found = read("Which district lies lowest on average?", data)
    assert "surface_temperature" not in str(found.expression)
    assert "surface_temperature" not in str(read("Which district lies lowest?", data).expression)


WORK = FeatureLayer(
    "work.csv", 40, ("work log",), (), (),
    (("hours", "hours", "h"), ("wet bulb temperature", "wetbulb_degC", "degC")),
    days=("date", ("2021-01-01", "2021-12-31")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("How many hours were logged in June 2021?", "Total hours in June 2021"),
        ("Coldest wet bulb temperature in June 2021", "Lowest wet bulb temperature in June 2021"),
    ],
)
def test_hours_add_up_and_a_column_of_temperatures_is_cold(said: str, other: str) -> None:
    data = DataWords(frozenset({"ndvi"}), features=(WORK,))
    found, wanted = read(said, data).expression, read(other, data).expression
    assert found == wanted
    assert wanted is not None


STATION_TABLE = FeatureLayer(
    "airport.csv", 120, ("airport",), (), (),
    (("tmax", "tmax_C", "degC"), ("tmin", "tmin_C", "degC"), ("rain", "rain_mm", "mm")),
    days=("date", ("2021-01-01", "2021-12-31")),
    kinds=(("air_temperature", "tmax_C", "degC", "maximum"), ("air_temperature", "tmin_C", "degC", "minimum")),
)  # fmt: skip
AIRPORT = DataWords(frozenset({"ndvi"}), keys=(("airport", "objects of airport.csv"),), features=(STATION_TABLE,))
AT_AIRPORT = Polygons(layer="airport.csv")
HOTTEST, COLDEST = (Attribute(AT_AIRPORT, name, "degC") for name in ("tmax_C", "tmin_C"))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much rain did the airport get?", Over(Attribute(AT_AIRPORT, "rain_mm", "mm"), "objects", "sum")),
        ("What was the maximum air temperature at the airport?", Over(HOTTEST, "objects", "maximum")),
        (
            "What was the mean minimum air temperature?",
            Over(Over(Split(COLDEST, "date"), "objects", "minimum"), "time", "mean"),
        ),
    ],
)
def test_a_column_that_is_a_statistic_is_taken_for_it(question: str, expected: Over) -> None:
    assert read(question, AIRPORT).candidates() == (expected,)


def test_a_mean_is_no_column_of_maxima() -> None:
    found = read("What was the mean air temperature at the airport?", AIRPORT)
    assert "tm" not in str(found.expression)


def test_what_has_the_most_is_not_told_by_another_column() -> None:
    found = read("For the station with the most sediment, what was its mean level?", DATA).expression
    assert found is None or "level_cm" in str(found)


def test_what_is_held_is_no_column() -> None:
    found = read("What was the mean snow depth?", DataWords(quantities=frozenset({"snow_depth"}), features=(TABLE,)))
    assert found.expression is not None
    assert "level_cm" not in str(found.expression)


def test_the_wettest_day_is_that_of_the_map_where_there_is_one() -> None:
    rain = FeatureLayer(
        "gauges.csv", 40, ("gauge",), (), ("Neudorf",), (("precipitation", "rain_mm", "mm"),),
        sorts=(("gauge", ("Neudorf",)),), days=("date", ("2021-01-01", "2021-01-02")),
    )  # fmt: skip
    data = DataWords(frozenset({"precipitation"}), objects=("Upper",), features=(rain,), maps={"precipitation": 3})
    found = read("Which day was the wettest?", data)
    assert found.expression is not None
    assert "rain_mm" not in str(found.expression)


def test_days_of_rows_with_a_quantity_are_counted() -> None:
    layer = FeatureLayer(
        "dust.csv", 40, ("monitor",), (), ("Gate", "Camp"), (("pm10 concentration", "pm10", "ug m-3"),),
        sorts=(("monitor", ("Gate", "Camp")),), days=("date", ("2023-01-05", "2023-12-21")),
        kinds=(("pm10_concentration", "pm10", "ug m-3", ""),),
    )  # fmt: skip
    data = DataWords(frozenset({"elevation"}), objects=("Gate", "Camp"), features=(layer,))
    for question in (
        "On how many days was the gate over 50 µg/m3 of PM10?",
        "How many times was PM10 over 50 µg/m3 at the gate?",
    ):
        (found,) = read(question, data).candidates()
        assert isinstance(found, Over)
        assert (found.axes, found.statistic) == ("time", "count")


def test_rows_that_tell_how_many_each_is_of_are_added_up() -> None:
    layer = FeatureLayer(
        "sightings", 40, ("sighting", "sightings"), (), ("stork", "heron"), (("count", "count", "1"),),
        sorts=(("species", ("stork", "heron")),), counts="count", days=("date", ("2021-01-05", "2021-12-21")),
    )  # fmt: skip
    data = DataWords(frozenset({"elevation"}), objects=("stork", "heron"), features=(layer,))
    for question in ("How many herons did I count in all of 2021?", "How many herons in 2021?"):
        (found,) = read(question, data).candidates()
        assert isinstance(found, Over)
        assert (found.statistic, isinstance(found.x, Attribute)) == ("sum", True)


CATCH = DataWords(
    frozenset({"sea_surface_temperature"}),
    objects=("Inner bay", "Shelf"),
    dates=(date(2020, 1, 1), date(2020, 2, 1)),
    keys=(("zone", "objects"), ("zone", "objects of landings.csv\nzone")),
    features=(
        FeatureLayer(None, 2, ("zone",), ("Inner bay", "Shelf"), (), ()),
        FeatureLayer(
            "landings.csv", 8, (), (), ("Inner bay", "Shelf"), (("landings", "landed_t", "t"),),
            (("zone", ("Inner bay", "Shelf")),), days=("month", ("2020-01", "2020-02")),
        ),
    ),
)  # fmt: skip


def test_what_has_the_most_is_the_noun_that_says_so() -> None:
    asked = "What was the sea temperature in February{} in the {} with the highest landings?"
    reading = read(asked.format(" 2020", "zone"), CATCH)
    assert reading.expression is not None
    assert "each “zone”" in reading.in_words(reading.expression)
    assert read(asked.format("", "area"), CATCH).expression is None


def test_the_day_with_the_most_is_no_ground() -> None:
    fires = FeatureLayer("fires", 9, ("fire", "fires"), (), (), (), days=("seen", ("2020-01-03", "2020-01-04")))
    data = DataWords(frozenset({"surface_temperature"}), keys=(("fires", "objects of fires"),), features=(fires,))
    assert read("On which day were there the most fires?", data).expression is not None
    assert read("What was the maximum surface temperature on the day with the most fires?", data).expression is None


def test_what_one_row_tells_is_the_mean_of_those_of_a_time() -> None:
    table = FeatureLayer(
        "gnss.csv", 4, ("gnss",), (), ("North", "South"), (("height", "height_m", "m"),), (),
        days=("year", ("2018", "2022")),
    )  # fmt: skip
    data = DataWords(frozenset({"elevation"}), objects=("North", "South"), features=(table,))
    found = read("By how much did the height of North change from 2018 to 2022?", data).expression
    assert found is not None
    assert "statistic='mean'" in str(found)
    assert "statistic='sum'" not in str(found)


@pytest.mark.parametrize(("rows", "apart"), [(("K1", "K2"), True), (("Neudorf", "Weinsberg"), False)])
def test_rows_that_name_no_polygon_are_not_taken_for_the_polygons(rows: tuple[str, ...], apart: bool) -> None:
    """A word for any polygons is the rows of a table that is called so, unless these are told of the polygons."""
    parishes = FeatureLayer(None, 2, ("parish", "parishes"), ("Neudorf", "Weinsberg"), (), ())
    plots = FeatureLayer("plots.csv", 2, ("plot", "plots"), rows, (), ())
    data = DataWords(
        quantities=frozenset({"soil_ph"}),
        objects=("Neudorf", "Weinsberg"),
        keys=(("parish", "objects"), ("plot", "objects of plots.csv"), ("plots", "objects of plots.csv")),
        features=(parishes, plots),
        maps={"soil_ph": 1},
    )
    for question in ("Which plot has the lowest soil pH?", "Which of the plots has the lowest mean soil pH?"):
        found = read(question, data)
        of = {part.layer for x in found.candidates() for _, part in walk(x) if isinstance(part, Polygons)}
        assert (of <= {"plots.csv"}) if apart else of == {None}
