"""What a fraction of a class, or of what a mask marks, is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory import name_facts

CLASSES = ("grassland", "land cover", "water mask", "forest mask")


@given(st.sampled_from(CLASSES), st.sampled_from(["fraction", "share", "percentage"]), st.integers(1990, 2024))
def test_a_fraction_of_a_class_is_a_share_and_no_class(of: str, word: str, year: int) -> None:
    for name in (f"{of} {word} {year}.tif", f"{year}_{of}_{word}.tif"):
        facts = name_facts(name).facts
        assert facts.value("quantity") == "share"
        assert "unit" not in facts


@pytest.mark.parametrize(("name", "unit"), [("land cover fraction percent 2019", "%"), ("water mask share pct", "%")])
def test_a_share_has_the_unit_that_is_told(name: str, unit: str) -> None:
    facts = name_facts(f"{name}.tif").facts
    assert (facts.value("quantity"), facts.value("unit")) == ("share", unit)


@pytest.mark.parametrize("name", ["fraction of NDVI", "cloud fraction", "tree cover fraction"])
def test_a_fraction_of_what_is_no_class_is_told_by_its_own_name(name: str) -> None:
    assert name_facts(f"{name}.tif").facts.value("quantity") != "share"
