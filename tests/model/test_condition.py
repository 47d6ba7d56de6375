from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.errors import ConditionSyntaxError
from knowflow.model.condition import Call, Compare, Const, Expression, Logic, Name, calls, names, parse

words = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True).filter(
    lambda word: (
        word not in ("and", "or", "not", "in", "is", "if", "as", "for", "def", "del", "try", "else", "elif")
        and word
        not in ("lambda", "None", "with", "from", "pass", "class", "while", "raise", "yield", "break", "return")
        and word not in ("async", "await", "import", "global", "assert", "except")
    )
)
names_of = st.builds(Name, words | words.map(lambda w: f"${w}") | st.builds("${}.{}".format, words, words))
numbers = st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False)
plain = numbers | st.booleans() | st.none() | st.text(max_size=6) | words.map(lambda w: f"$inputs.{w}")
constants = st.builds(Const, plain | st.lists(plain, max_size=3).map(tuple))
comparators = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "not in"])


def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return (
        st.builds(Call, words, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Compare, inner, comparators, inner)
        | st.builds(lambda op, parts: Logic(op, parts), st.sampled_from(["and", "or"]), parts)
        | st.builds(lambda part: Logic("not", (part,)), inner)
    )


expressions = st.recursive(names_of | constants, larger, max_leaves=8)


@given(expressions)
def test_what_is_written_is_read_back_the_same(expression: Expression) -> None:
    assert repr(parse(str(expression))) == repr(expression)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("not (a and b)", Logic("not", (Logic("and", (Name("a"), Name("b"))),))),
        ("(a and b) == c", Compare(Logic("and", (Name("a"), Name("b"))), "==", Name("c"))),
        (
            "0 <= x < 1",
            Logic("and", (Compare(Const(0), "<=", Name("x")), Compare(Name("x"), "<", Const(1)))),
        ),
        ("unit($step.output) == 'K'", Compare(Call("unit", (Name("$step.output"),)), "==", Const("K"))),
        ("layer(x) == '$inputs.a'", Compare(Call("layer", (Name("x"),)), "==", Const("$inputs.a"))),
        ("x in ['a', -1.5]", Compare(Name("x"), "in", Const(("a", -1.5)))),
    ],
)
def test_conditions_mean_what_they_say(text: str, meaning: Expression) -> None:
    assert parse(text) == meaning
    assert parse(str(meaning)) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a +",
        "a + 1",
        "a.b",
        "a[0]",
        "f(x=1)",
        "f(*x)",
        "f(**x)",
        "(lambda: 1)()",
        "[x for x in y]",
        "{1: 2}",
        "{1, 2}",
        "a if b else c",
        "f'{a}'",
        "b'a'",
        "1j",
        "...",
        "a := 1",
        "a is b",
        "a is not None",
        "[a, 1]",
        "~a",
        "+a",
        "-a",
        "-True",
        "1e999",
        "await a",
        "a; b",
        "a = 1",
        "import os",
        "__import__('os').system('true')",
        "f()()",
        "$a(x)",
        "__REF__a",
        "a__DOT__b",
        "$",
        "$1",
        "a\x00b",
        "\ud800",
        "(" * 300 + "a" + ")" * 300,
        "not " * 20000 + "a",
        "1" * 6000,
    ],
)
def test_everything_else_is_refused_with_a_named_error(text: str) -> None:
    with pytest.raises(ConditionSyntaxError) as caught:
        parse(text)
    assert caught.value.expected
    assert caught.value.found
    assert len(str(caught.value)) < 1000


@given(st.text(max_size=30))
def test_no_text_makes_the_parser_fail_in_another_way(text: str) -> None:
    try:
        assert parse(str(parse(text))) == parse(text)
    except ConditionSyntaxError:
        return


def test_names_come_once_each_in_order_and_calls_from_the_outside_in() -> None:
    expression = parse("same_grid(b, a) and share(valid_fraction(b) > 0.5) >= $minimum")
    assert names(expression) == ("b", "a", "$minimum")
    assert [call.name for call in calls(expression)] == ["same_grid", "share", "valid_fraction"]
