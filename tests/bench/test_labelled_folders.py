"""Labelled folders as files: what rasterio and pyogrio read is what the document says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio

from knowflow.ground.errors import DocumentError
from knowflow_bench.inventory.labelled_folder import LabelledFolder
from knowflow_bench.inventory.written import numbers_of, write_folder, write_tidy


def folder(*files: dict[str, Any]) -> LabelledFolder:
    return LabelledFolder.model_validate({"folder": "site", "renamed": "other", "files": files})


def test_a_header_says_what_the_document_says(tmp_path: Path) -> None:
    pixels = {
        "dtype": "int16",
        "crs": "EPSG:4326",
        "resolution": [0.02, 0.01],
        "origin": [13.0, 46.0],
        "shape": [20, 30],
        "nodata": -999,
        "tags": {"product": "x"},
        "bands": [
            {"low": 100, "high": 900, "description": "t2m", "unit": "K", "scale": 0.1, "tags": {"long_name": "air"}},
            {"low": 0, "high": 5, "offset": 2, "colour": "nir"},
        ],
    }
    root = write_folder(folder({"path": "in/a.tif", "pixels": pixels}), tmp_path)
    with rasterio.open(root / "in" / "a.tif") as file:
        assert (file.count, file.dtypes[0], file.shape, file.nodata) == (2, "int16", (20, 30), -999)
        assert file.crs.to_epsg() == 4326
        assert file.transform[:6] == pytest.approx((0.02, 0, 13.0, 0, -0.01, 46.0))
        assert file.tags()["product"] == "x"
        assert file.tags(1)["long_name"] == "air"
        assert (file.descriptions, file.units[0]) == (("t2m", None), "K")
        assert (file.scales, file.offsets) == ((0.1, 1.0), (0.0, 2.0))
        assert file.colorinterp[1].name == "nir"
        bands = file.read()
    assert [(band.min(), band.max()) for band in bands] == [(100, 900), (0, 5)]


def test_gaps_are_that_share_of_the_pixels_and_classes_are_those_given(tmp_path: Path) -> None:
    root = write_folder(
        folder(
            {"path": "a.tif", "pixels": {"low": 1, "high": 2, "nodata": -1, "gaps": 0.25}},
            {"path": "b.tif", "pixels": {"dtype": "uint8", "values": [10, 30, 80], "colours": {10: [1, 2, 3]}}},
        ),
        tmp_path,
    )
    with rasterio.open(root / "a.tif") as file:
        assert np.mean(file.read(1) == -1) == pytest.approx(0.25, abs=0.01)
    with rasterio.open(root / "b.tif") as file:
        assert set(np.unique(file.read(1))) == {10, 30, 80}
        assert file.colormap(1)[10] == (1, 2, 3, 255)


def test_pixels_are_the_same_under_other_names_and_others_in_every_file(tmp_path: Path) -> None:
    files = [{"path": f"{n}.tif", "renamed": f"new {n}.tif", "pixels": {"low": 1, "high": 2}} for n in range(12)]
    site = folder(*files)
    published, renamed = write_folder(site, tmp_path / "0"), write_folder(site, tmp_path / "1", 1)
    assert (published.name, renamed.name) == ("site", "other")
    seen = set()
    for number, file in enumerate(site.files):
        with rasterio.open(published / f"{number}.tif") as one, rasterio.open(renamed / f"new {number}.tif") as other:
            numbers = one.read(1)
            assert (numbers == other.read(1)).all()
        assert file.pixels is not None
        assert (numbers == numbers_of(file.pixels, f"site/{number}.tif")[0]).all()
        seen.add(numbers.tobytes())
    assert len(seen) == len(files)


def test_a_tidy_folder_holds_the_same_pixels_and_says_all_that_is_true_of_them(tmp_path: Path) -> None:
    stack = {
        "path": "stack.tif",
        "pixels": {"dtype": "uint16", "bands": [{"low": 1, "high": 9, "description": "?"}, {"low": 20, "high": 90}]},
        "truth": [
            {"quantity": "surface_bidirectional_reflectance", "unit": "1", "scale": 0.0001, "band": band, "date": 2018}
            for band in ("red", "nir")
        ],
    }
    day = {"quantity": "surface_temperature", "unit": "K", "daynight": "day", "date": "2018-09-30/2018-10-07"}
    plain = {"path": "b.tif", "pixels": {"low": 280, "high": 290, "unit": "?"}, "truth": day}
    site = folder(stack, plain, {"path": "notes.txt", "text": "as it is"})
    published, tidy = write_folder(site, tmp_path / "0"), tmp_path / "tidy"
    document = write_tidy(site, tidy)
    assert sorted(file.path for file in document.files) == sorted(path.name for path in tidy.iterdir())
    assert sorted(path.name for path in tidy.iterdir()) == [
        "notes.txt",
        "surface_bidirectional_reflectance_2018_nir.tif",
        "surface_bidirectional_reflectance_2018_red.tif",
        "surface_temperature_2018-09-30_day.tif",
    ]
    with rasterio.open(published / "stack.tif") as one:
        for place, band in enumerate(("red", "nir"), start=1):
            with rasterio.open(tidy / f"surface_bidirectional_reflectance_2018_{band}.tif") as other:
                assert (one.read(place) == other.read(1)).all()
                assert (other.tags()["BAND"], other.scales) == (band, (0.0001,))
                assert other.descriptions == (None,)
    with rasterio.open(tidy / "surface_temperature_2018-09-30_day.tif") as other:
        told = {tag: other.tags()[tag] for tag in ("QUANTITY", "UNIT", "DATETIME", "DAYNIGHT")}
        assert list(told.values()) == ["surface_temperature", "K", "2018-09-30", "day"]
        assert other.units == (None,)


@pytest.mark.parametrize(("name", "driver"), [("a.jp2", "JP2OpenJPEG"), ("a.img", "HFA"), ("a.PNG", "PNG")])
def test_the_ending_is_the_format(tmp_path: Path, name: str, driver: str) -> None:
    pixels = {"dtype": "uint16", "low": 5, "high": 4000, "crs": None}
    root = write_folder(folder({"path": name, "pixels": pixels}), tmp_path)
    with rasterio.open(root / name) as file:
        assert file.driver == driver
        assert file.shape == (40, 40)


def test_features_have_their_boxes_and_attributes(tmp_path: Path) -> None:
    features = [
        {"box": [13, 46, 13.5, 46.2], "attributes": {"NAME": "meadow", "ID": 1}},
        {"box": [14, 46, 14.5, 46.2], "attributes": {"NAME": "orchard", "ID": 2}},
    ]
    root = write_folder(folder({"path": "a.geojson", "features": features}), tmp_path)
    info = pyogrio.read_info(root / "a.geojson")
    assert (info["features"], list(info["fields"]), info["geometry_type"]) == (2, ["NAME", "ID"], "Polygon")
    assert info["total_bounds"] == pytest.approx((13, 46, 14.5, 46.2))


@pytest.mark.parametrize(
    ("name", "pixels"),
    [
        ("a.tif", {"dtype": "uint8", "high": 300}),
        ("a.txt", {}),
        ("a.tif", {"crs": "EPSG:4326"}),
        ("a.png", {"dtype": "float32"}),
    ],
)
def test_what_cannot_be_stored_is_told_with_the_file(tmp_path: Path, name: str, pixels: dict[str, Any]) -> None:
    with pytest.raises(DocumentError) as refused:
        write_folder(folder({"path": name, "pixels": pixels}), tmp_path)
    assert refused.value.found
