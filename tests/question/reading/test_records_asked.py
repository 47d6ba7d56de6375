"""Questions about the records of one file, put together from what its columns and values are called."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from knowflow.question.operators import Attribute, Holds, Over, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

DAYS = tuple(str(date(2021, 1, 1) + timedelta(days=7 * n)) for n in range(52))
PURCHASES = FeatureLayer(
    "purchases.csv",
    52,
    ("purchase", "purchases"),
    (),
    ("Samreboi", "Bisaaso", "paid", "open"),
    (
        ("beans", "beans_kg", "kg"),
        ("loss", "loss_pct", "%"),
        ("bags", "bags", "1"),
        ("quality control", "quality", "1"),
    ),
    sorts=(("society", ("Samreboi", "Bisaaso")), ("status", ("paid", "open"))),
    flags=(("certified", "certified"),),
    days=("date", DAYS),
    noted=frozenset({"cocoa"}),
)
TREES = FeatureLayer(
    "street_trees",
    9,
    ("tree", "trees"),
    (),
    ("oak", "lime", "poor", "good"),
    (("height", "height_m", "m"), ("trunk diameter", "dbh_cm", "cm")),
    sorts=(("species", ("oak", "lime")), ("health", ("poor", "good"))),
)
DATA = DataWords(
    frozenset({"ndvi"}),
    objects=("Samreboi", "Bisaaso", "paid", "open", "oak", "lime", "poor", "good"),
    keys=(
        ("society", "objects of purchases.csv\nsociety"),
        ("purchases", "objects of purchases.csv"),
        ("trees", "objects of street_trees"),
    ),
    features=(PURCHASES, TREES),
)


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("How many bags were bought in Samreboi?", "What is the total number of bags of Samreboi?"),
        (
            "How many bags did we log at Samreboi in March 2021?",
            "What is the total number of bags of Samreboi in March 2021?",
        ),
        ("Beans bought from Bisaaso, total", "What is the total beans of Bisaaso?"),
        ("Which society bought the most beans over all seasons?", "Which society has the most beans?"),
        (
            "How many trees in poor health have a trunk over 60 cm?",
            "How many trees in poor health have a trunk diameter over 60 cm?",
        ),
        ("Count the oaks that we list", "How many oaks are there?"),
    ],
)
def test_verbs_of_records_and_of_what_columns_tell_only_join(said: str, other: str) -> None:
    assert_read_as(said, other, DATA)


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("In Samreboi, how many open purchases did we log?", "How many open purchases did we log in Samreboi?"),
        ("total beans, certified, Samreboi, March 2021", "March 2021, Samreboi, certified: total beans"),
    ],
)
def test_the_order_of_what_restricts_is_free(said: str, order: str) -> None:
    assert_read_as(said, order, DATA)


def test_what_a_record_tells_is_listed() -> None:
    for said in ("When was Samreboi open?", "Which society was certified in March 2021?"):
        found = read(said, DATA).expression
        assert isinstance(found, Holds), said


@pytest.mark.parametrize(
    "said",
    [
        "How many bags were rejected in Samreboi?",  # which no column tells
        "How many bags were sold in Samreboi?",  # of purchases
        "How many bags were bought without Samreboi first?",
        "How many bags were bought in Samreboi and how many in Bisaaso each?",
        "How many purchases rather than bags had Samreboi?",
        "Mean loss bought in Samreboi and Bisaaso?",  # of both, or of each
        "How many bags were bought in Samreboi more?",
        "How many trees were bought in Samreboi?",
        "How many bags a month were bought in Samreboi?",  # of each month, or on average
        "How many bags a season did we buy in Samreboi?",
    ],
)
def test_nothing_that_is_said_is_left_out(said: str) -> None:
    assert read(said, DATA).expression is None


@pytest.mark.parametrize("word", ["not", "first", "each", "more", "without", "except", "twice", "rejected", "sugar"])
def test_a_word_with_a_force_of_its_own_never_only_joins(word: str) -> None:
    """Put anywhere into a question that is read, it makes another one of it, or none."""
    plain = ["How", "many", "bags", "were", "bought", "in", "Samreboi", "in", "March", "2021"]
    whole = read(" ".join(plain), DATA).expression
    assert whole is not None
    for at in range(1, len(plain)):
        found = read(" ".join([*plain[:at], word, *plain[at:]]), DATA).expression
        assert found != whole, (word, at)


def test_days_are_counted_and_no_records_of_them() -> None:
    found = read("How many days of loss at 10 % or above were there in March 2021?", DATA).expression
    assert isinstance(found, Over)
    assert (found.axes, found.statistic) == ("time", "count")


def test_values_of_one_column_are_taken_together_and_those_of_two_hold_at_once() -> None:
    found = read("How many bags were bought in Samreboi or Bisaaso?", DATA).expression
    assert found is not None
    names = [part.names for _, part in walk(found) if getattr(part, "names", ())]
    assert names == [("Samreboi", "Bisaaso")]
    both = read("How many open purchases came from Bisaaso?", DATA).expression
    assert both is not None
    assert sorted(part.names for _, part in walk(both) if getattr(part, "names", ())) == [("Bisaaso",), ("open",)]


GAUGES = FeatureLayer(
    "stations_daily.csv",
    90,
    ("station", "stations"),
    (),
    ("Tolgoit", "Nisekh", "vessel", "shore"),
    (("pm25", "pm25", "ug m-3"), ("pm2.5", "pm25", "ug m-3")),
    sorts=(("station", ("Tolgoit", "Nisekh")), ("observer", ("vessel", "shore"))),
    days=("date", DAYS),
    kinds=(("pm25_concentration", "pm25", "ug m-3", ""),),
)
BESIDE_MAPS = DataWords(
    frozenset({"pm25_concentration"}),
    objects=("Tolgoit", "Nisekh", "vessel", "shore"),
    keys=(("stations", "objects of stations_daily.csv"),),
    dates=(date(2021, 1, 1), date(2021, 2, 1)),
    maps={"pm25_concentration": 2},
    features=(GAUGES,),
)


@pytest.mark.parametrize(
    ("said", "rows"),
    [
        ("mean PM2.5 over the whole grid, January 2021", False),
        ("What was the mean PM2.5 in January 2021?", False),
        ("mean PM2.5 at Tolgoit in January 2021", True),
        ("mean PM2.5 of the stations in January 2021", True),
    ],
)
def test_what_maps_hold_is_of_them_unless_rows_are_named(said: str, rows: bool) -> None:
    found = read(said, BESIDE_MAPS).expression
    assert found is not None
    assert any(isinstance(part, Attribute) for _, part in walk(found)) == rows


def test_what_is_told_by_a_value_is_of_it() -> None:
    """The name of a value behind ``by`` chooses rows; it is no layer that something is judged by."""
    found = read("How many stations were counted in January 2021 by vessel?", BESIDE_MAPS).expression
    assert found is None or any(getattr(part, "names", ()) == ("vessel",) for _, part in walk(found))
