"""A question that names a time, a band, a polarisation, a pass or a place is asked back where the files do not tell
it; with the ``--assume`` that is offered it is answered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from rasterio.transform import Affine
from rasters import UTM, write_raster

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError, MissingFactError

NDVI = {"QUANTITY": "ndvi"}
RADAR = {"QUANTITY": "sigma0_db"}
RED = {"QUANTITY": "surface_bidirectional_reflectance"}
ELSEWHERE = {**UTM, "transform": Affine(10, 0, 600000, 0, -10, 5100000)}


def folder(root: Path, files: dict[str, dict[str, str]], **written: dict[str, Any]) -> Path:
    for name, tags in files.items():
        write_raster(root / f"{name}.tif", tags=tags, **written.get(name, {}))
    return root


def refusal(query: str, root: Path, *assume: str) -> KnowFlowError:
    with pytest.raises(KnowFlowError) as caught:
        KnowFlow().plan(query, root, assume=assume)
    return caught.value


@pytest.mark.parametrize(
    ("query", "tags"),
    [
        ("What was the mean NDVI in June 2018?", NDVI),
        ("What was the mean NDVI on 2018-06-05?", NDVI),
        ("What share of the area had NDVI above 0.5 in 2018?", NDVI),
        ("What was the mean VH backscatter?", RADAR),
    ],
)
def test_what_is_asked_for_and_not_told_is_asked_back_and_the_offered_line_answers(
    query: str, tags: dict[str, str], tmp_path: Path
) -> None:
    root = folder(tmp_path, {"image": tags})
    error = refusal(query, root)
    assert isinstance(error, MissingFactError)
    said = re.findall(r'--assume "([^"]+)"', error.hint or "")
    assert said
    (found,) = KnowFlow().plan(query, root, assume=said).plan.inputs.values()
    assert [leaf.name for leaf in found.leaves()] == ["image"]


@pytest.mark.parametrize(
    "query", ["What is the mean NDVI?", "What is the highest NDVI?", "What share of the area has NDVI above 0.5?"]
)
def test_who_names_no_time_is_answered_from_files_without_one(query: str, tmp_path: Path) -> None:
    assert KnowFlow().plan(query, folder(tmp_path, {"image": NDVI})).plan.inputs


def test_a_change_between_two_times_of_files_without_dates_names_these(tmp_path: Path) -> None:
    root = folder(tmp_path, {"one": NDVI, "two": NDVI})
    error = refusal("What is the change in NDVI between June 2018 and June 2019?", root)
    assert '--assume "one:datetime=' in str(error.hint)


def test_polarisations_are_the_bands_of_radar_images(tmp_path: Path) -> None:
    one = {**RADAR, "DATETIME": "2020-01-01"}
    root = folder(tmp_path, {"a": {**one, "POLARISATION": "VV"}, "b": {**one, "POLARISATION": "VH"}})
    for asked, name in (("VV", "a"), ("vh", "b")):
        planned = KnowFlow().plan(f"What was the mean {asked} backscatter?", root)
        (found,) = planned.plan.inputs.values()
        assert [leaf.name for leaf in found.leaves()] == [name]
        assert not [note for note in planned.notes if "not understood" in note or "not used" in note]
    assert "vh, vv" in str(refusal("What was the mean backscatter?", root).expected)
    assert "data are of VV, VH" in str(refusal("What was the mean HH backscatter?", root).problems)


def test_a_pass_is_taken_only_where_it_is_told(tmp_path: Path) -> None:
    said = {**RADAR, "POLARISATION": "VV"}
    root = folder(tmp_path, {"up": {**said, "DATETIME": "2020-01-01"}, "down": {**said, "DATETIME": "2020-01-02"}})
    query = "What was the mean backscatter of the ascending pass?"
    assert "orbit=ascending" in str(refusal(query, root).hint)
    planned = KnowFlow().plan(query, root, assume=["up:orbit=asc", "down:orbit=desc"])
    (found,) = planned.plan.inputs.values()
    assert [leaf.name for leaf in found.leaves()] == ["up"]
    assert not [note for note in planned.notes if "not understood" in note or "not used" in note]
