"""Patterns fit the files that they are of, and no other file of the folder."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.inventory.file_patterns import patterns_of

NAMES = st.builds(
    "{}{}{}{}.tif".format,
    st.sampled_from(["", "sub/", "sub/deeper/", "x[1]/"]),
    st.sampled_from(["NDVI_", "ndvi_", "B0", "a[b]_", "x?y"]),
    st.from_regex(r"20[0-9]{2}(-[0-9]{2}){0,2}", fullmatch=True),
    st.sampled_from(["", "_copy", " (1)", "_20180101"]),
)


def fitting(patterns: tuple[str, ...], every: list[str]) -> set[str]:
    """By the standard library: a pattern with a folder fits the whole path, any other the name."""
    whole = [pattern.removeprefix("./") for pattern in patterns if "/" in pattern]
    names = [pattern for pattern in patterns if "/" not in pattern]
    return {
        path
        for path in every
        if any(fnmatchcase(path.casefold(), one.casefold()) for one in whole)
        or any(fnmatchcase(path.rpartition("/")[2].casefold(), one.casefold()) for one in names)
    }


@given(st.lists(NAMES, min_size=1, max_size=12, unique_by=str.casefold), st.data())
def test_patterns_fit_the_files_and_no_other(every: list[str], data: st.DataObject) -> None:
    some = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    assert fitting(patterns_of(some, every), every) == set(some)


def test_a_series_is_one_pattern() -> None:
    series = [f"NDVI_{year}-{month:02}-01.tif" for year in range(2000, 2020) for month in range(1, 13)]
    assert patterns_of(series, [*series, "dem.tif", "CLM_2000-01-01.tif"]) == ("NDVI_*.tif",)
