from __future__ import annotations

from itertools import product

import pytest
from examples import dated_series, ndvi, raster
from hypothesis import given
from hypothesis import strategies as st

from knowflow.model.artifact import Artifact, band_set, scalar, series
from knowflow.model.condition import Expression, parse
from knowflow.model.evaluate import evaluate, shares, term
from knowflow.model.facts import FACT_TITLES, Facts, Origin
from knowflow.model.grammar import faults
from knowflow.model.predicates import ARITIES, PREDICATES
from knowflow.model.verdict import UNKNOWN, Goal, Missing, Verdict, combine

truths = st.sampled_from([True, False, None])


def said(text: str, **environment: object) -> Verdict:
    expression = parse(text)
    assert not list(faults(expression))
    return evaluate(expression, environment)


def truth(text: str, **environment: object) -> bool | None:
    return said(text, **environment).truth


def known(value: bool | None) -> Artifact:
    """A raster of which `cloud_masked` is so, not so, or unknown."""
    return raster(cloud_masked=value)


@given(st.lists(truths, min_size=1, max_size=5))
def test_and_or_are_kleenes(values: list[bool | None]) -> None:
    verdicts = [Verdict(value) for value in values]
    conjunction = False if False in values else None if None in values else True
    disjunction = True if True in values else None if None in values else False
    assert combine(True, verdicts).truth is conjunction
    assert combine(False, verdicts).truth is disjunction


def test_and_or_not_over_all_pairs_of_three_values() -> None:
    for a, b in product((True, False, None), repeat=2):
        environment = {"a": known(a), "b": known(b)}
        both = truth("cloud_masked(a) and cloud_masked(b)", **environment)
        either = truth("cloud_masked(a) or cloud_masked(b)", **environment)
        assert both is (False if False in (a, b) else None if None in (a, b) else True)
        assert either is (True if True in (a, b) else None if None in (a, b) else False)
    assert [truth("not cloud_masked(a)", a=known(value)) for value in (True, False, None)] == [False, True, None]


def test_de_morgan_holds_with_unknowns() -> None:
    for a, b in product((True, False, None), repeat=2):
        environment = {"a": known(a), "b": known(b)}
        left = truth("not (cloud_masked(a) and cloud_masked(b))", **environment)
        assert left is truth("not cloud_masked(a) or not cloud_masked(b)", **environment)


def test_an_unknown_fact_is_named_with_the_place_that_lacks_it() -> None:
    found = said("unit(a) == 'K'", a=raster())
    assert found.truth is None
    assert found.missing == (Missing(("a",), "unit"),)


def test_missing_facts_of_a_series_are_named_by_item_and_band() -> None:
    scene = band_set({"red": ndvi(unit=None), "nir": ndvi()})
    found = said("unit(s) == '1'", s=series((scene, ndvi())))
    assert found.missing == (Missing(("s", 0, "red"), "unit"),)


def test_a_false_part_decides_over_unknown_ones_and_only_it_is_evidence() -> None:
    found = said("unit(a) == 'K'", a=series((raster(), raster(unit="m"))))
    assert found.truth is False
    assert found.missing == ()
    assert "unit(a[1]) is m, needed == K" in found.because


def test_equality_that_fails_names_the_goal_that_would_mend_it() -> None:
    assert said("unit(a) == 'K'", a=raster(unit="degC")).goals == (Goal("unit", ("a",), value="K"),)
    found = said("quantity(a) in ['ndvi', 'evi']", a=raster(quantity="slope"))
    assert found.goals == (Goal("quantity", ("a",), value="ndvi"), Goal("quantity", ("a",), value="evi"))
    assert said("resolution(a) > 5", a=raster(resolution=1)).goals == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("valid_fraction(a) >= 0.5", True),
        ("valid_fraction(a) < 0.5", False),
        ("valid_fraction(a) > 0.5", False),
        ("valid_fraction(a) <= 0.5", True),
        ("valid_fraction(a) != 0.5", False),
        ("quantity(a) == 'NDVI'", True),
        ("quantity(a) in ['ndvi']", True),
        ("quantity(a) in 'ndvi_and_more'", False),
        ("quantity(a) not in ['evi']", True),
        ("0.4 <= valid_fraction(a) <= 0.6", True),
        ("count(a) in 3", True),
        ("quantity(a) < 3", False),
        ("sensor(a) == 'x'", None),
        ("sensor(a) != 'x'", None),
        ("x == 3", True),
        ("x in [1, 2]", False),
        ("flag", True),
        ("not flag", False),
        ("true_scalar", True),
        ("open_scalar", None),
        ("True", True),
        ("length(a) == 1", True),
    ],
)
def test_comparisons(text: str, expected: bool | None) -> None:
    a = ndvi(valid_fraction=0.5, count=3)
    environment = {"a": a, "x": 3, "flag": True, "true_scalar": scalar(True), "open_scalar": scalar(None)}
    assert truth(text, **environment) is expected


def test_two_series_are_compared_item_by_item_when_they_are_equally_long() -> None:
    first = series((raster(unit="K"), raster(unit="m")))
    assert truth("unit(a) == unit(b)", a=first, b=first) is True
    assert truth("unit(a) == unit(b)", a=first, b=series(first.items[::-1])) is False


def test_one_against_many_means_all_of_them() -> None:
    mixed = series((raster(unit="K"), raster(unit="m")))
    alike = series((raster(unit="K"), raster(unit="K"), raster(unit="K")))
    assert truth("unit(a) == unit(b)", a=raster(unit="K"), b=mixed) is False
    assert truth("unit(a) == unit(b)", a=raster(unit="K"), b=alike) is True
    assert truth("unit(a) == unit(b)", a=mixed, b=alike) is False
    found = said("unit(a) == unit(b)", a=raster(unit="K"), b=series((raster(unit="K"), raster())))
    assert found.truth is None
    assert found.missing == (Missing(("b", 1), "unit"),)


def test_a_predicate_over_an_argument_that_was_not_given_holds() -> None:
    assert truth("same_grid(a, like)", a=ndvi()) is True
    assert truth("unit(like) == 'K'") is True
    assert truth("unit(empty) == 'K'", empty=series(())) is True


def test_plain_numbers_have_no_unit_that_could_be_a_wrong_one() -> None:
    for plain in (3.0, (1.0, 2.0)):
        assert truth("unit(x) not in ['degC', 'degF']", x=plain) is True
        assert truth("unit(x) != 'degC'", x=plain) is True
        assert truth("unit(x) == 'K'", x=plain) is None
    assert truth("unit(x) != 'degC'", x=scalar(3.0)) is None


def test_a_parameter_that_was_not_given_equals_nothing() -> None:
    assert truth("method == 'lst'", method=None) is False
    assert truth("given(method) and method == 'lst'", method=None) is False
    assert truth("not given(method) or method == 'lst'", method=None) is True


def test_given_asks_for_an_argument_with_something_in_it() -> None:
    assert truth("given(a)", a=ndvi()) is True
    assert truth("given(a)", a=0) is True
    assert truth("given(a)", a=series(())) is False
    assert truth("given(a)") is False


def test_any_and_share_ask_each_item() -> None:
    clouds = series(tuple(ndvi(cloud_fraction=value) for value in (0.0, 0.2, 0.9, 0.1)))
    assert truth("cloud_fraction(s) < 0.5", s=clouds) is False
    assert truth("any(cloud_fraction(s) < 0.5)", s=clouds) is True
    assert truth("any(cloud_fraction(s) > 0.95)", s=clouds) is False
    assert truth("share(cloud_fraction(s) < 0.5) >= 0.75", s=clouds) is True
    assert truth("share(cloud_fraction(s) < 0.5) > 0.75", s=clouds) is False
    unknown = series((*clouds.items, ndvi()))
    assert truth("any(cloud_fraction(s) < 0.5)", s=unknown) is True
    assert truth("share(cloud_fraction(s) < 0.5) >= 0.5", s=unknown) is None
    asked = evaluate(parse("share(cloud_fraction(s) < 0.5) >= 0.5"), {"s": unknown})
    assert [gap.fact for gap in asked.missing] == ["cloud_fraction"]


def test_a_share_tells_how_many_of_how_many() -> None:
    clouds = series(tuple(ndvi(cloud_fraction=value) for value in (0.0, 0.2, 0.9)))
    missed = evaluate(parse("share(cloud_fraction(s) < 0.1) > 0.5"), {"s": clouds})
    assert missed.because == "cloud_fraction(s) < 0.1 holds for 1 of 3, needed: of a share > 0.5"
    assert [(met, of) for _, met, of in shares(parse("share(cloud_fraction(s) < 0.5) > 0.5"), {"s": clouds})] == [
        (2, 3)
    ]


def test_length_counts_items_or_is_a_fact() -> None:
    assert term(parse("length(s)"), {"s": dated_series(3)}).value == 3
    assert term(parse("length(s)"), {"s": (1, 2)}).value == 2
    made = Artifact("raster_series", facts=Facts.of(Origin.DERIVED, length=7))
    assert term(parse("length(s)"), {"s": made}).value == 7
    assert term(parse("length(s)"), {"s": Artifact("raster_series")}).value is UNKNOWN
    assert term(parse("length(s)"), {"s": 5}).value is UNKNOWN


@pytest.mark.parametrize(
    ("unit", "truth"), [("K", True), ("degC", True), ("m", False), ("nonsense", None), (None, None)]
)
def test_the_unit_of_a_change_per_year_is_known_where_the_unit_is(unit: str | None, truth: bool | None) -> None:
    assert said("unit(t) == per_year(a)", t=raster(unit="K year-1"), a=raster(unit=unit)).truth is truth


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nonsense(a)", "unknown_predicate"),
        ("nonsense(a) == 1", "unknown_predicate"),
        ("same_grid()", "operands"),
        ("projected(a, b)", "operands"),
        ("has_bands(a)", "operands"),
        ("compatible_units(a)", "operands"),
        ("projected(unit(a))", "operands"),
        ("given('a')", "operands"),
        ("any(a, b)", "operands"),
        ("share(a, b) > 1", "operands"),
        ("unit() == 'K'", "operands"),
        ("unit('a') == 'K'", "operands"),
        ("length(unit(a)) == 1", "operands"),
        ("cloud_masked('a')", "operands"),
        ("share(projected(a))", "not_a_condition"),
        ("length(a)", "not_a_condition"),
        ("a and 'text'", "not_a_condition"),
        ("projected(a) == True", "not_a_term"),
        ("(a == b) == c", "not_a_term"),
        ("given(a) == True", "not_a_term"),
        ("known(a, 'nonsense')", "unknown_fact"),
        ("any(nonsense(a))", "unknown_predicate"),
        ("not nonsense(a)", "unknown_predicate"),
        ("share(nonsense(a)) > 0.5", "unknown_predicate"),
    ],
)
def test_conditions_without_a_meaning_are_told_apart(text: str, code: str) -> None:
    found = list(faults(parse(text)))
    assert [fault.code for fault in found] == [code]
    assert found[0].expected


def test_every_predicate_says_how_many_operands_it_takes() -> None:
    assert set(ARITIES) == set(PREDICATES)
    assert not set(PREDICATES) & set(FACT_TITLES)


anything = (
    st.none()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(
        [
            raster(),
            ndvi(),
            raster(crs="nonsense", unit="nonsense", quantity="nonsense", value_range=(0, 1)),
            ndvi(unit="nonsense", value_range=(0.0, 1.0)),
            dated_series(2),
            series(()),
            band_set({"red": ndvi(), "nir": raster()}),
            band_set({}),
            scalar(3.0),
            Artifact("table"),
            ("red", "nir"),
            {"a": 1},
        ]
    )
)
operands = st.sampled_from(["a", "b", "'ndvi'", "3", "['red', 'nir']", "'unit'"])


@st.composite
def meaningful(draw: st.DrawFn) -> Expression:
    name = draw(st.sampled_from(sorted(PREDICATES)))
    fewest, most = ARITIES[name]
    count = draw(st.integers(fewest, most or 3))
    fact = draw(st.sampled_from(sorted(FACT_TITLES)))
    text = draw(
        st.sampled_from(
            [
                f"{name}({', '.join(draw(operands) for _ in range(count))})",
                f"{fact}(a) {draw(st.sampled_from(['==', '<', 'in', 'not in', '>=']))} {draw(operands)}",
                f"share({fact}(a) == b) < length(b)",
                f"any({fact}(a))",
                "a",
            ]
        )
    )
    return parse(text)


@given(meaningful(), anything, anything)
def test_a_meaningful_condition_has_a_verdict_on_whatever_it_is_asked_of(
    expression: Expression, a: object, b: object
) -> None:
    if not list(faults(expression)):
        assert evaluate(expression, {"a": a, "b": b}).truth in (True, False, None)
