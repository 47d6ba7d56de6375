from __future__ import annotations

import math

import pytest
from examples import literals, ndvi, strict
from hypothesis import given
from hypothesis import strategies as st

from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.facts import FACT_TITLES, Fact, Facts, Origin
from knowflow.model.literal import frozen, plain, same

origins = st.sampled_from(list(Origin))
facts = st.dictionaries(st.sampled_from(sorted(FACT_TITLES)), st.builds(Fact, literals, origins, st.text(max_size=5)))
sets = st.builds(Facts, facts)


@given(sets)
def test_facts_survive_strict_json(known: Facts) -> None:
    back = Facts.from_json(strict(known.to_json()))
    assert back == known
    assert repr(back) == repr(known)


@given(literals)
def test_literals_survive_strict_json(value: object) -> None:
    assert same(frozen(strict(plain(frozen(value)))), frozen(value))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, (1.0, math.nan), {1: "water"}, {"$number": "nan"}])
def test_numbers_that_json_has_no_word_for_and_numbered_classes_survive(value: object) -> None:
    assert same(frozen(strict(plain(frozen(value)))), frozen(value))


def test_numpy_values_become_plain_ones() -> None:
    import numpy as np

    value = {"a": np.float32(0.5), "b": np.arange(2), "c": np.float64("nan"), "d": np.int16(3)}
    assert strict(plain(value)) == {"a": 0.5, "b": [0, 1], "c": {"$number": "nan"}, "d": 3}


def test_what_is_not_data_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        plain(object())


@given(sets, sets)
def test_merging_keeps_the_stronger_origin_and_the_second_on_a_tie(first: Facts, second: Facts) -> None:
    merged = first.merged(second)
    assert set(merged) == set(first) | set(second)
    for name, fact in merged.items():
        mine, other = first.get(name), second.get(name)
        if mine is None or other is None:
            assert fact in (mine, other)
        else:
            assert fact is (mine if mine.origin > other.origin else other)


def test_the_user_overrides_pixels_and_pixels_override_tags() -> None:
    tag = Facts.of(Origin.DECLARED, unit="degC")
    pixels = Facts.of(Origin.MEASURED, unit="K")
    user = Facts.of(Origin.USER, unit="degF")
    assert tag.merged(pixels).value("unit") == "K"
    assert user.merged(pixels).merged(tag).value("unit") == "degF"


@given(sets, sets)
def test_over_takes_these_facts_whatever_their_origin(first: Facts, second: Facts) -> None:
    both = first.over(second)
    assert {name: both[name] for name in first} == dict(first)
    assert set(both) == set(first) | set(second)


@given(sets, sets)
def test_common_facts_agree_and_have_the_weaker_origin(first: Facts, second: Facts) -> None:
    for name, fact in first.common(second).items():
        assert same(fact.value, first[name].value)
        assert same(fact.value, second[name].value)
        assert fact.origin == min(first[name].origin, second[name].origin)
    assert first.common(first) == first


@given(sets)
def test_equal_facts_hash_equally(known: Facts) -> None:
    as_floats = {
        name: Fact(float(f.value), f.origin, f.source) if type(f.value) is int else f for name, f in known.items()
    }
    if Facts(as_floats) == known:
        assert hash(Facts(as_floats)) == hash(known)


def test_of_leaves_unknown_values_out_and_freezes_lists() -> None:
    known = Facts.of(Origin.DECLARED, "tag", unit=None, bands=["red", ["nir"]])
    assert set(known) == {"bands"}
    assert known.value("bands") == ("red", ("nir",))
    assert known["bands"].source == "tag"


def test_without_and_only_are_complements() -> None:
    known = ndvi().facts
    assert known.without(("unit", "crs")).over(known.only(("unit", "crs"))) == known


def test_a_series_knows_what_all_its_items_share_even_if_that_is_nan() -> None:
    parts = series((ndvi("a", nodata=float("nan"), level="L2A"), ndvi("b", nodata=float("nan"), level="L1C")))
    assert math.isnan(parts.fact("nodata"))
    assert parts.fact("quantity") == "ndvi"
    assert parts.fact("level") is None
    assert parts.fact("sensor") is None


def test_what_is_said_of_a_series_itself_comes_before_what_its_items_say() -> None:
    said = series((ndvi("a"),), facts=Facts.of(Origin.USER, unit="%"))
    assert said.fact("unit") == "%"


artifacts = st.recursive(
    st.builds(
        Artifact,
        type=st.sampled_from(["raster", "scalar", "list", "table", "text"]),
        facts=sets,
        name=st.text(max_size=4),
        path=st.none() | st.text(max_size=4),
        band=st.none() | st.integers(1, 9),
        value=literals.map(frozen),
        key=st.none() | st.text(max_size=4),
    ),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(tuple).map(series)
        | st.dictionaries(st.text(max_size=4), inner, min_size=1, max_size=3).map(band_set)
    ),
    max_leaves=4,
)


@given(artifacts)
def test_artifacts_survive_strict_json(artifact: Artifact) -> None:
    back = Artifact.from_json(strict(artifact.to_json()))
    assert repr(back) == repr(artifact)


def test_leaves_are_the_single_artifacts_in_order() -> None:
    scene = band_set({"red": ndvi("r"), "nir": ndvi("n")})
    assert [leaf.name for leaf in series((scene, ndvi("c"))).leaves()] == ["r", "n", "c"]
    assert list(ndvi("a").leaves()) == [ndvi("a")]
