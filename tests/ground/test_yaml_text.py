"""YAML that is written here is what PyYAML writes, and both PyYAML and our reader read what was written."""

from __future__ import annotations

import math
from typing import Any

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knowflow.ground import yaml_text
from knowflow.ground.yaml_text import WIDTH, written
from knowflow.ground.yamldoc import parse

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
WORDS = (
    "no",
    "Null",
    "~",
    "1e5",
    "0o7",
    "1_000",
    "12:30",
    "2021-02-03",
    "2021-02-03T10:00:08",
    "a: b",
    "# c",
    "- d",
    "",
)
TEXTS = st.one_of(
    st.sampled_from(WORDS),
    st.text("ab/._- :#,[]{}'\"&*!|>%@\\é\n\t\u2028", max_size=12),
    st.lists(st.sampled_from(("clouds", "no", "5000", "file:", "each.2021-02-03", "(x)")), max_size=40).map(" ".join),
)
SCALARS = st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False))
FEW = st.one_of(
    st.sampled_from(WORDS), st.text("ab/._-:#,[é ", max_size=8), st.none(), st.integers(-9999, 9999), st.floats()
)
SHORT = st.dictionaries(
    st.from_regex(r"[a-z_./]{1,8}|no|5", fullmatch=True),
    st.recursive(
        FEW,
        lambda one: st.lists(one, max_size=3) | st.dictionaries(st.sampled_from("abc"), one, max_size=3),
        max_leaves=9,
    ),
    max_size=5,
)
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=15
)


def as_pyyaml_writes(data: Any) -> str:
    text = yaml.dump(
        data, Dumper=yaml_text._Dumper, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False
    )
    assert isinstance(text, str)
    return text


@settings(max_examples=60)
@given(st.dictionaries(TEXTS, TREES, max_size=5))
@example({"a": [[[1, "b"], [{"c": []}, {}]], "d"], "e": {}, "f": ()})
@example({"k" * 200: "v", "long": "word " * 60, "list": ["word " * 30, 1.0, -0.0, 1e300, 5e-324]})
def test_what_is_written_is_read_back(data: dict[str, Any]) -> None:
    text = written(data)
    plain = yaml.load(as_pyyaml_writes(data), LOADER)  # tuples are lists
    assert yaml.load(text, LOADER) == plain
    read = parse(text)
    assert not read.problems
    assert read.data == parse(as_pyyaml_writes(data)).data


@settings(max_examples=60)
@given(SHORT)
def test_what_fits_into_lines_is_what_pyyaml_writes(data: dict[str, Any]) -> None:
    assert written(data) == (as_pyyaml_writes(data) if data else "{}\n")


def test_numbers_and_text_that_looks_like_one_are_told_apart() -> None:
    data = {"a": 1, "b": "1", "c": 1.0, "d": True, "e": "true", "f": "1.0", "g": math.inf, "h": [1, "1", 1.0, True]}
    assert parse(written(data)).data == data
    assert list(map(type, parse(written(data)).data.values())) == list(map(type, data.values()))  # type: ignore[attr-defined]


def test_nothing_is_an_empty_mapping() -> None:
    assert parse(written({})).data == {}
