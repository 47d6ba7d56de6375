"""Features with the words behind their names for what they are: the high surge risk zone, the mature stands."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.question.operators import Polygons, walk
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords

_DISTRICTS = FeatureLayer(
    "districts", 3, called=("district", "districts"), names=("Amtali", "Bauphal", "Dumki"), values=(), numbers=()
)


def _data(layer: str, called: tuple[str, ...], names: tuple[str, ...]) -> DataWords:
    zones = FeatureLayer(layer, len(names), called=called, names=names, values=(), numbers=())
    return DataWords(
        quantities=frozenset(("population_count", "ndvi")),
        objects=(*_DISTRICTS.names, *names),
        keys=tuple((word, f"objects of {one.name}") for one in (_DISTRICTS, zones) for word in one.called),
        features=(_DISTRICTS, zones),
        maps=MappingProxyType({"population_count": 1, "ndvi": 1}),
    )


_RISK = _data("surge_risk", ("surge risk", "risk"), ("high", "moderate"))
_NOISE = _data("noise", ("noise",), ("severe", "slight"))


@given(
    asked=st.sampled_from(("How many people live in", "Mean NDVI of", "Highest NDVI in")),
    named=st.sampled_from(
        ((_RISK, "surge_risk", "high", "surge risk"), (_RISK, "surge_risk", "moderate", "risk"),
         (_NOISE, "noise", "severe", "noise")),
    ),
    zone=st.sampled_from(("", " zone", " zones", " region")),
)  # fmt: skip
def test_a_zone_is_the_feature_of_that_name(asked: str, named: tuple[DataWords, str, str, str], zone: str) -> None:
    data, layer, name, kind = named
    found = read(f"{asked} the {name} {kind}{zone}", data).expression
    assert found is not None
    assert {part for _, part in walk(found) if isinstance(part, Polygons)} == {Polygons((name,), layer=layer)}


@pytest.mark.parametrize("question", ["Mean NDVI of the high noise zone", "Mean NDVI of the Amtali risk zone"])
def test_a_name_is_of_no_other_layer(question: str) -> None:
    found = read(question, _RISK).expression
    assert found is None or any(part == Polygons(layer="surge_risk") for _, part in walk(found))
