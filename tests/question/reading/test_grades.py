"""Classes of a quantity between limits, by their names: those that notes tell, and the usual ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Classify, walk
from knowflow.question.reading.grades import Grades
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from tests.question.reading.same_reading import assert_read_as

FIRE = DataWords(quantities=frozenset({"nbr"}))
SLOPES = Grades("slope", (5.0, 15.0), ("flat", "gentle", "steep"), ("slope",), "degree")
TERRAIN = DataWords(quantities=frozenset({"elevation"}), grades=(SLOPES,))


@pytest.mark.parametrize(
    ("said", "limit"),
    [
        ("How many hectares burned at low severity?", "between 0.1 and 0.27"),
        ("area of moderate-low severity in ha", "between 0.27 and 0.44"),
        ("ha with moderate-high severity", "between 0.44 and 0.66"),
        ("How many ha are of moderate severity?", "between 0.27 and 0.66"),
        ("How many hectares burnt with moderate-high or high severity?", "of at least 0.44"),
        ("How many ha of moderate-high severity or worse?", "of at least 0.44"),
        ("ha burned with at least moderate-low severity", "of at least 0.27"),
    ],
)
def test_the_usual_classes_of_severity_are_known_by_their_names(said: str, limit: str) -> None:
    assert_read_as(said, f"How many ha had a dNBR {limit}?", FIRE)


def test_a_share_of_what_burned_at_some_severity_is_of_all_ground() -> None:
    for by in ("at", "with"):
        assert_read_as(
            f"What share of the area burned {by} low severity?",
            "What share of the area had a dNBR between 0.1 and 0.27?",
            FIRE,
        )


@pytest.mark.parametrize(
    "said", ["ha by severity class", "Area of each severity class", "a map of the severity classes"]
)
def test_what_is_told_per_class_is_told_of_each(said: str) -> None:
    found = read(said, FIRE).expression
    assert found is not None
    (classes,) = (part for _, part in walk(found) if isinstance(part, Classify))
    assert classes.breaks == (0.1, 0.27, 0.44, 0.66)


def test_notes_tell_other_classes_than_the_usual_ones() -> None:
    told = Grades("dnbr", (0.2, 0.5), ("unburned", "low", "high"), ("severity",))
    data = DataWords(quantities=frozenset({"nbr"}), grades=(told,), meant=tuple(told.grounds()))
    assert_read_as("How many ha of low severity?", "How many ha had a dNBR between 0.2 and 0.5?", data)
    assert_read_as("How many ha were unburnt?", "How many ha had a dNBR below 0.2?", data)
    assert read("How many ha of moderate severity?", data).expression is None


def test_words_that_notes_explain_by_other_limits_leave_the_usual_classes_open() -> None:
    burned = tuple(Grades("dnbr", (0.3,), ("unburned", "burned"), ("severity",)).grounds())
    data = DataWords(quantities=frozenset({"nbr"}), meant=burned)
    assert read("How many ha of low severity?", data).expression is None
    assert read("How many ha of low severity?", DataWords(quantities=frozenset({"ndvi"}))).expression is None
    usual = tuple(Grades("dnbr", (0.27,), ("unburned", "burned"), ("severity",)).grounds())
    data = DataWords(quantities=frozenset({"nbr"}), meant=usual)
    assert read("How many ha of low severity?", data).expression is None  # which notes call unburned
    assert read("How many ha of high severity?", data).expression is not None


def test_other_quantities_have_classes_that_notes_tell() -> None:
    assert_read_as(
        "How many hectares of gentle slope are there?",
        "How many hectares have a slope between 5 and 15 degrees?",
        TERRAIN,
    )
    assert_read_as("How many hectares are steep?", "How many hectares have a slope above 15 degrees?", DataWords())


@given(
    st.lists(st.integers(-90, 90).map(lambda n: n / 100), min_size=2, max_size=5, unique=True).map(sorted),
    st.data(),
)
def test_classes_meet_at_their_limits(limits: list[float], data: st.DataObject) -> None:
    labels = tuple(f"grade{'abcdef'[at]}" for at in range(len(limits) + 1))
    grades = Grades("ndvi", tuple(limits), labels, ("vigour",))
    words = DataWords(quantities=frozenset({"ndvi"}), grades=(grades,))
    at = data.draw(st.integers(0, len(limits)))
    least, most = (None, *limits)[at], (*limits, None)[at]
    test = f"at least {least}" if most is None else f"below {most}" if least is None else f"between {least} and {most}"
    assert_read_as(f"How many ha had {labels[at]} vigour?", f"How many ha had NDVI {test}?", words)
