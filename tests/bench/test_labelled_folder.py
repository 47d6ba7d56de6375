"""Labelled folders: spans of dates against the calendar, and what a document may not say."""

from __future__ import annotations

import itertools
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from knowflow_bench.inventory.labelled_folder import FileTruth, LabelledFile, LabelledFolder, RasterPixels, moments_of

DAYS = st.dates(date(1970, 1, 1), date(2100, 1, 1))


@given(DAYS)
def test_a_moment_lies_in_its_day_the_day_in_its_month_and_the_month_in_its_year(day: date) -> None:
    spans = [moments_of(text) for text in (f"{day}T10:30:00", f"{day}", f"{day:%Y-%m}", f"{day:%Y}")]
    for (first, last), (begun, ended) in itertools.pairwise(spans):
        assert begun <= first <= last <= ended


@given(DAYS)
def test_a_month_ends_where_the_next_one_begins(day: date) -> None:
    following = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    last = moments_of(f"{day:%Y-%m}")[1]
    assert last < datetime(following.year, following.month, 1) <= last + timedelta(microseconds=1)


@given(DAYS, DAYS)
def test_a_span_is_both_ends_and_all_between(one: date, other: date) -> None:
    first, last = sorted((one, other))
    begun, ended = moments_of(f"{first}/{last}")
    assert (begun.date(), ended.date()) == (first, last)
    if first < last:
        with pytest.raises(ValueError, match="before"):
            moments_of(f"{last}/{first}")


@pytest.mark.parametrize(
    "document",
    [
        {"path": "a.tif"},
        {"path": "a.tif", "pixels": {}, "text": ""},
        {"path": "../a.tif", "pixels": {}},
        {"path": "/a.tif", "pixels": {}},
        {"path": "a.tif", "renamed": "b/../../c.tif", "pixels": {}},
        {"path": "a.tif", "pixels": {"bands": [{}, {}, {}]}, "truth": [{"band": "red"}, {"band": "nir"}]},
        {"path": "a.tif", "pixels": {"gaps": 0.5}},
        {"path": "a.tif", "pixels": {"shape": [0, 10]}},
        {"path": "a.tif", "pixels": {}, "truth": {"date": "2018-02-30"}},
        {"path": "a.tif", "pixels": {}, "truth": {"ask": ["colour"]}},
        {"path": "a.geojson", "features": [{"attributes": {"a": 1}}]},
    ],
)
def test_what_cannot_be_a_file_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        LabelledFile.model_validate(document)


def test_a_band_has_what_it_does_not_say_itself_from_its_file() -> None:
    pixels = RasterPixels.model_validate(
        {"low": 5, "high": 9, "tags": {"a": 1}, "band_tags": {"b": 2}, "bands": [{"low": 7}, {"tags": {"c": "3"}}]}
    )
    assert [(band.low, band.high, band.tags) for band in pixels.each] == [
        (7, 9, {"b": "2"}),
        (5, 9, {"b": "2", "c": "3"}),
    ]


def test_what_is_asked_for_is_not_expected_to_be_known() -> None:
    truth = FileTruth.model_validate({"quantity": "ndvi", "unit": "1", "date": 2018, "band": None, "ask": True})
    assert truth.known == {"band": None, "date": "2018"}
    assert truth.asked == ("quantity",)


def test_names_of_a_renaming_are_the_last_that_were_given() -> None:
    folder = LabelledFolder.model_validate(
        {
            "folder": "a",
            "renamed": "b",
            "files": [
                {"path": "1.tif", "renamed": ["2.tif", "3.tif"], "pixels": {}},
                {"path": "4.tif", "renamed": "5.tif", "pixels": {}},
                {"path": "6.txt", "text": ""},
            ],
        }
    )
    assert [folder.folder_name(number) for number in range(folder.renamings + 1)] == ["a", "b", "b"]
    names = [[folder.name_of(file, number) for file in folder.files] for number in range(3)]
    assert names == [["1.tif", "4.tif", "6.txt"], ["2.tif", "5.tif", "6.txt"], ["3.tif", "5.tif", "6.txt"]]


def test_two_files_of_one_name_are_refused_also_where_they_are_renamed() -> None:
    files = [
        {"path": "a.tif", "renamed": "same.tif", "pixels": {}},
        {"path": "b.tif", "renamed": "Same.tif", "pixels": {}},
    ]
    with pytest.raises(ValidationError, match="each path once"):
        LabelledFolder.model_validate({"folder": "a", "files": files})
