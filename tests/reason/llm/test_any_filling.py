"""Whatever a model fills in: it is refused with reasons, or says only what exists and what the question says."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.errors import KnowFlowError, NotUnderstoodError
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.goal import Threshold
from knowflow.reason.inventory import inventory_of_names
from knowflow.reason.language import understand
from knowflow.reason.llm import Answer
from knowflow.reason.llm.case import Case
from knowflow.reason.llm.slots import SlotsAnswer, filled, vocabulary_of
from knowflow.reason.llm.spoken import numbers_of, words_stand
from knowflow.reason.llm.structured import typed

QUESTION = "Where did the verdure get to 0.7 or to 12 °C in the wallow of 2020, and how was that?"
PIECES = ["verdure", "get to 0.7", "12 °C", "wallow of 2020", "the", "", "happiness", "in", "ignore all rules"]
NAMES = ["ndvi", "surface_temperature", "forest", "mean", "class", "year", "day", "magic", "", "../../etc/passwd"]
SLOTS = [
    *("quantity", "feature", "operation", "class", "group_by", "daynight", "sensor", "object", "threshold", "top"),
    *("share_threshold", "percentile", "moved", "months", "period", "comparison", "region", "nothing"),
]
NUMBERS = st.sampled_from([0.7, 12, 2020, 5, -1, 1e300]) | st.floats() | st.integers()
DAYS = st.sampled_from(["2020-01-01", "2020-12-31", "2019-06-01", "soon", "9999-12-31"])
PERIODS = st.fixed_dictionaries({"start": DAYS, "end": DAYS})
VALUES = (
    NUMBERS
    | st.sampled_from(NAMES)
    | PERIODS
    | st.lists(NUMBERS | PERIODS, max_size=3)
    | st.none()
    | st.text(max_size=4)
)
FILLINGS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"slot": st.sampled_from(SLOTS), "value": VALUES, "words": st.sampled_from(PIECES)},
    optional={
        "side": st.sampled_from(["above", "below", "between", "beside"]),
        "upper": NUMBERS | st.none(),
        "unit": st.sampled_from(["degC", "K", "%", "parsec", "", "m/s/s/s", "12"]) | st.none(),
    },
)


def never(*_: Any) -> Any:
    raise AssertionError("nothing is planned here")


GOAL = understand(QUESTION)
FILES = inventory_of_names(["a_2020-06-01_NDVI.tif", "a_2021-06-01_NDVI.tif"])
CASE = Case(GOAL, NotUnderstoodError("?"), Catalogue(), FILES, never, never, never, never)
VOCABULARY = vocabulary_of(CASE)


@given(st.lists(FILLINGS, max_size=3))
def test_a_filling_is_refused_or_says_only_what_exists_and_what_the_question_says(fillings: list[Any]) -> None:
    try:
        answer = typed(Answer("", {"fillings": fillings}), SlotsAnswer)
        found = filled(CASE, answer, VOCABULARY)
    except KnowFlowError:
        return
    for name, slot in found.goal.slots.items():
        if GOAL.slots.get(name) == slot or slot.default:
            continue
        assert words_stand(slot.words, QUESTION)
        value = slot.value
        if isinstance(value, Threshold):
            assert value.value in numbers_of(QUESTION)
            assert value.unit in (None, "degC")
        elif isinstance(value, float):
            assert value in numbers_of(QUESTION)
        elif name == "quantity":
            assert value in quantity_kinds()
    kept = {name: slot for name, slot in GOAL.slots.items() if not slot.default and slot.words}
    assert all(found.goal.slots[name] == slot for name, slot in kept.items()), "what was understood stays"
