"""The catalogue of spectral indices: complete, unambiguous, and honest about what an index needs."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.bands import COMMON_NAMES
from knowflow.ground.errors import KnowFlowError, UnknownNameError
from knowflow.ground.indices import formula_range, index_names, spectral_index, spectral_indices

INDICES = list(spectral_indices().values())


def symbols(formula: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(formula, mode="eval")) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("index", INDICES, ids=lambda index: index.short_name)
def test_every_symbol_of_every_formula_is_accounted_for_once(index) -> None:  # type: ignore[no-untyped-def]
    groups = [set(index.symbols), set(index.constants), set(index.wavelengths), set(index.inputs)]
    assert set.union(*groups) == symbols(index.formula)
    assert sum(map(len, groups)) == len(set.union(*groups))
    assert {*index.bands, *index.wavelengths.values()} <= set(COMMON_NAMES)


def test_the_catalogue_is_whole_and_keyed_by_name() -> None:
    assert len(INDICES) >= 250
    assert all(name == index.name == index.name.lower() for name, index in spectral_indices().items())


def test_ndvi_and_savi_read_as_published() -> None:
    ndvi = spectral_index("NDVI")
    assert (ndvi.bands, ndvi.symbols, ndvi.constants) == (("nir", "red"), {"N": "nir", "R": "red"}, {})
    assert (ndvi.domain, ndvi.range, ndvi.inputs) == ("vegetation", (-1.0, 1.0), ())
    savi = spectral_index("savi")
    assert savi.constants == {"L": 1.0}
    assert savi.bands == ("nir", "red")


def test_names_are_found_in_any_case() -> None:
    assert spectral_index("ndwi") is spectral_index("NDWI") is spectral_index("NdWi")


def test_indices_that_differ_in_case_only_are_told_apart() -> None:
    assert spectral_index("BAI").title == "Burned Area Index"
    assert spectral_index("bai") is spectral_index("BAI")
    assert spectral_index("BaI").name == "bareness_index"
    assert spectral_index("MSR705").name == "msr705"
    assert spectral_index("mSR705").name == "msr705_445"


def test_a_new_pair_that_differs_in_case_only_is_not_merged_silently() -> None:
    with pytest.raises(KnowFlowError, match="differ in case only"):
        index_names(["NDVI", "nDVI"])


def test_an_unknown_index_is_answered_with_close_ones() -> None:
    with pytest.raises(UnknownNameError) as caught:
        spectral_index("NDVII")
    assert "NDVI" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("name", "inputs"), [("kNDVI", ("kNN", "kNR")), ("NIRvP", ("PAR",)), ("NDVI", ()), ("FAI", ())]
)
def test_indices_that_bands_alone_do_not_give_say_what_else_they_need(name: str, inputs: tuple[str, ...]) -> None:
    index = spectral_index(name)
    assert index.inputs == inputs


def test_central_wavelengths_name_the_band_they_belong_to() -> None:
    assert spectral_index("FAI").wavelengths == {"lambdaN": "nir", "lambdaR": "red", "lambdaS1": "swir16"}


@pytest.mark.parametrize(
    ("formula", "bounds"),
    [
        ("(N - R)/(N + R)", (-1.0, 1.0)),
        ("(R-N) / (N+R)", (-1.0, 1.0)),
        ("(B - (N + S1))/(B + (N + S1))", (-1.0, 1.0)),
        ("(N - 0.5 * S2) / (N + 0.5 * S2)", (-1.0, 1.0)),
        ("(N - R) / (N + R + 0.16)", (-1.0, 1.0)),
        ("R / (R + G + B)", (0.0, 1.0)),
        ("1.16 * (N - R) / (N + R + 0.16)", (None, None)),
        ("(N - R) / (N - R)", (None, None)),
        ("(N - (R - B)) / (N + (R - B))", (None, None)),
        ("(2 * N - R) / (N + R)", (None, None)),
        ("(N - R) / (N + -0.5)", (None, None)),
        ("N / R", (None, None)),
        ("N - R", (None, None)),
        ("(N + N) / (N + R)", (None, None)),
    ],
)
def test_a_range_is_claimed_only_where_the_formula_proves_it(formula: str, bounds: tuple[float | None, ...]) -> None:
    assert formula_range(formula) == bounds


BOUNDED = [index for index in INDICES if index.range != (None, None)]


@given(st.sampled_from(BOUNDED), st.data())
def test_claimed_ranges_hold_for_reflectances(index, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    names = [*index.symbols, *index.inputs]
    values = {name: data.draw(st.floats(0.001, 1.0), label=name) for name in names}
    code = compile(index.formula, index.short_name, "eval")
    value = eval(code, {"__builtins__": {}}, {**index.constants, **values})
    low, high = index.range
    assert low - 1e-9 <= value <= high + 1e-9
