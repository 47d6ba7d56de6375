"""What a language model reads, held to the laws of any reading: nothing dropped, nothing made up, nothing swallowed."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import Any

import pytest

from knowflow.ground.errors import NotUnderstoodError
from knowflow.question.form import expression_of, forms
from knowflow.question.normal import equal
from knowflow.question.operators import Expression
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.words import in_words
from knowflow.reason.llm.reading_answer import ReadingAnswer, Told, reading_of
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import CLASSES, random_scene

DATA = DataWords(
    quantities=frozenset({"ndvi", "elevation", "land_cover_class"}),
    classes={"land_cover_class": ("forest", "built_up")},
    objects=("Alder Hollow", "Birch End"),
    dates=(date(2021, 6, 1), date(2022, 6, 1), date(2023, 6, 1)),
)


def with_words(expression: str, **words: Any) -> Any:
    """The data of an expression, with words beside the first operators of these names in the order of the tree."""
    tree, faults = expression_of(expression)
    assert tree is not None, faults
    waiting = {op.rstrip("_"): [said] if isinstance(said, str) else list(said) for op, said in words.items()}

    def behind(one: Expression) -> list[str]:
        return [waiting[one.op].pop(0)] if waiting.get(one.op) else []

    return whole(tree, behind)


def whole(tree: Expression, behind: Any) -> Any:
    """An expression as data, every operator with all its fields, and the words behind it."""
    own: dict[str, Any] = {"words": behind(tree)}
    for name, (declared, _) in forms(tree.op).items():
        value = getattr(tree, declared.name)
        if value != declared.default:
            own[name] = _value(value, behind)
    return {tree.op: own}


def _value(value: Any, behind: Any) -> Any:
    if isinstance(value, Expression):
        return whole(value, behind)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return {name: _value(one, behind) for name, one in value}
    if isinstance(value, tuple):
        return [_value(one, behind) for one in value]
    return value if isinstance(value, int | float | str) else str(value)


def read(question: str, expression: str, numbers: tuple[float, ...] = (), **words: Any) -> Expression:
    answer = ReadingAnswer(expression=with_words(expression, **words))
    (found,) = reading_of(question, answer, Told(DATA, numbers)).candidates()
    return found


def why(question: str, expression: str, **words: Any) -> str:
    with pytest.raises(NotUnderstoodError) as caught:
        read(question, expression, **words)
    return "; ".join(map(str, caught.value.problems))


MEAN = "over(during(ndvi, 2022), space, mean)"
SAID = {"over": "mean", "during": "2022", "quantity": "NDVI"}


@pytest.mark.parametrize(
    ("question", "expression", "words"),
    [
        ("mean NDVI in 2022", MEAN, SAID),
        ("Could you figure out the mean NDVI in 2022?", MEAN, {**SAID, "over": ["figure out the mean"]}),
        ("the mean verdure of 2022", MEAN, {**SAID, "quantity": "verdure"}),
        ("the middling NDVI of 2022", MEAN, {**SAID, "over": "middling"}),
        (
            "the mean of the absolute NDVI of 2022",
            "over(calculate(absolute, during(ndvi, 2022)), space, mean)",
            {**SAID, "calculate": "absolute"},
        ),
        (
            "mean NDVI of the wooded parts in 2022",
            "over(within(during(ndvi, 2022), is_class(land_cover_class, forest)), space, mean)",
            {**SAID, "within": "of the wooded parts", "is_class": "wooded parts", "quantity": ["NDVI", "wooded parts"]},
        ),
        (
            "on how many dates after 2021 was the mean NDVI not above 40 %?",
            "over(beyond(over(during(ndvi, '2022-01-01/..'), space, mean), at_most, '40 %'), time, count)",
            {"over": ["on how many dates", "mean"], "beyond": "not above", "number": "40 %", "during": "after 2021",
             "quantity": "NDVI"},
        ),
    ],
)  # fmt: skip
def test_what_says_all_of_a_question_is_taken(question: str, expression: str, words: dict[str, Any]) -> None:
    asked, _ = expression_of(expression)
    assert asked is not None
    found = read(question, expression, **words)
    closed, _ = expression_of(f"over({expression}, time, mean)")
    assert closed is not None
    assert equal(found, asked) or equal(found, closed), "what is open over the dates is closed as for any question"


@pytest.mark.parametrize(
    ("question", "words", "named"),
    [
        ("mean NDVI on limestone in 2022", {}, "limestone"),
        ("mean NDVI on limestone in 2022", {"quantity": "NDVI on limestone"}, "limestone"),
        ("mean NDVI on limestone in 2022", {"during": "on limestone in 2022"}, "limestone"),
        ("mean NDVI on limestone in 2022", {"over": ["mean NDVI on limestone in 2022"]}, "limestone"),
        ("mean irrigated NDVI in 2022", {"over": ["mean irrigated"]}, "irrigated"),
        ("mean irrigated NDVI in 2022", {"quantity": "irrigated NDVI"}, "irrigated"),
        ("mean NDVI in 2022 only", {}, "only"),
        ("mean NDVI, but not in 2022", {"over": ["mean", "not"]}, "not"),
        ("mean NDVI, but not in 2022", {"during": "but not in 2022"}, "not"),
        ("Why is the mean NDVI in 2022 so?", {"over": ["Why is the mean"]}, "Why"),
        ("mean NDVI in 2022 tomorrow", {"during": "2022 tomorrow"}, "tomorrow"),
        ("mean NDVI above 0.4 in 2022", {"over": ["mean", "above"]}, "0.4"),
        ("maximum NDVI in 2022", {"over": "maximum"}, "maximum"),
        ("mean NDVI in June 2022", {"during": "June 2022"}, "June 2022"),
        ("mean NDVI in 2023", {"during": "2023"}, "2023"),
        ("mean NDVI in 2022 and mean elevation", {}, "elevation"),
        ("mean NDVI", {"during": []}, "ask for during"),
        ("mean NDVI in 2022", {"during": "in the year 2022"}, "year"),
    ],
)  # fmt: skip
def test_what_leaves_something_out_or_makes_it_up_is_refused_naming_it(
    question: str, words: dict[str, Any], named: str
) -> None:
    assert named in why(question, MEAN, **{**SAID, **words})


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("over(within(ndvi, is_class(land_cover_class, marsh)), space, mean)", "marsh"),
        ("over(within(ndvi, polygons('Cedar Rise')), space, mean)", "Cedar Rise"),
        ("over(joy, space, mean)", "joy"),
        ("over(ndvi, space, share)", "over"),
        ("over(beyond(ndvi, above, '300 K'), space, area)", "K"),
    ],
)
def test_names_that_the_data_do_not_have_and_what_does_not_fit_are_named(expression: str, named: str) -> None:
    assert named in why("mean NDVI", expression)


def test_a_restriction_that_nobody_asked_for_is_none() -> None:
    found = why("mean NDVI in 2022", f"over(within(during(ndvi, 2022), {FOREST}), space, mean)", **SAID)
    assert "the words of the question that ask for within" in found


FOREST = "is_class(land_cover_class, forest)"


def test_a_number_that_experts_told_may_be_a_limit_and_no_other() -> None:
    dense = "over(beyond(during(ndvi, 2022), above, 0.6), space, area)"
    question = "how large is the area of dense NDVI in 2022"
    words = {
        "over": ["how large is the area"],
        "beyond": "dense",
        "number": "dense",
        "during": "2022",
        "quantity": "NDVI",
    }
    assert read(question, dense, (0.6,), **words) == expression_of(f"over({dense}, time, mean)")[0]
    assert "0.6" in why(question, dense, **words)


def test_words_may_be_a_text_and_an_operator_may_stand_in_short() -> None:
    short = {"over": {"x": {"quantity": "ndvi"}, "axes": "space", "statistic": "mean", "words": "mean NDVI"}}
    with pytest.raises(NotUnderstoodError, match="ask for quantity"):
        reading_of("mean NDVI", ReadingAnswer(expression=short), Told(DATA))
    short["over"]["x"] = {"quantity": {"kind": "ndvi", "words": "NDVI"}}
    assert reading_of("mean NDVI", ReadingAnswer(expression=short), Told(DATA)).expression is not None


@pytest.mark.parametrize("seed", [5, 6])
def test_random_expressions_told_in_words_are_taken_as_what_they_are_or_named_a_word(seed: int) -> None:
    """The model says the expression, and has all words of a part behind it: it is taken, closed or refused."""
    data = DataWords(classes={"land_cover_class": tuple(CLASSES.values())}, objects=("north", "south", "middle"))
    met: Counter[str] = Counter()
    for one in Growth(random_scene(seed), seed).expressions(30):
        sentence = in_words(one)
        answer = ReadingAnswer(expression=whole(one, lambda _: [sentence]))  # noqa: B023  (called at once)
        try:
            (found,) = reading_of(sentence, answer, Told(data)).candidates()
        except NotUnderstoodError:
            met["refused"] += 1
            continue
        tree = [part for part in (found, getattr(found, "x", found)) if part == one]
        assert tree, sentence
        met["taken"] += 1
    assert met["taken"] > met["refused"], met


def test_the_schema_knows_every_operator_and_says_where_words_stand() -> None:
    from knowflow.question.operators import OPERATORS
    from knowflow.reason.llm.reading_answer import OF_FEATURES, schema

    assert {*OF_FEATURES}.isdisjoint(schema()["$defs"])
    definitions = schema(features=True)["$defs"]
    assert set(OPERATORS) <= set(definitions)
    assert all("words" in definitions[op]["properties"][op]["properties"] for op in OPERATORS)
    assert not re.search(r'"description"|"null"', str(definitions))
