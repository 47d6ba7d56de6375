"""What is in a file, and one band of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from raster_files import opened, read, write

from knowflow.ground.errors import ToolError
from knowflow.tools.inspection import inspect, select_band


def test_a_raster_is_described_with_origins(tmp_path: Path) -> None:
    values = np.array([[0, 100], [200, 300]], dtype=np.uint16)
    raster = write(
        tmp_path / "a.tif", values, nodata=0, scale=0.01, tags={"QUANTITY": "ndvi"}, facts={"sensor": "sentinel-2"}
    )
    rows = {row["fact"]: row for row in inspect(raster)}
    assert rows["sensor"] == {"fact": "sensor", "value": "sentinel-2", "origin": "user"}
    assert rows["crs"] == {"fact": "crs", "value": "EPSG:32633", "origin": "measured"}
    assert rows["shape"]["value"] == "2, 2"
    assert rows["quantity"]["value"] == "ndvi"
    assert rows["valid_fraction"] == {"fact": "valid_fraction", "value": 0.75, "origin": "sampled"}
    assert (rows["minimum"]["value"], rows["maximum"]["value"]) == (1.0, 3.0)


def test_a_raster_without_data_and_without_georeference_is_described_too(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.full((2, 3, 3), np.nan, dtype=np.float32), crs=None, transform=None)
    rows = {row["fact"]: row["value"] for row in inspect(raster)}
    assert rows["crs"] == "unknown"
    assert rows["band 2 valid_fraction"] == 0.0
    assert "band 2 minimum" not in rows


@pytest.mark.parametrize("band", ["nir", "NIR", "2"])
def test_a_band_is_found_by_name_or_number(tmp_path: Path, band: str) -> None:
    stack = np.arange(8, dtype=np.uint8).reshape(2, 2, 2)
    raster = write(tmp_path / "a.tif", stack, descriptions=("red", "nir"), nodata=7, tags={"SENSOR": "sentinel-2"})
    select_band(raster, band, tmp_path / "out.tif")
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), stack[1])
    with opened(tmp_path / "out.tif") as written:
        assert (written.count, written.descriptions, written.nodata) == (1, ("nir",), 7)
        assert written.tags()["SENSOR"] == "sentinel-2"


def test_known_band_names_count_where_the_file_has_none(tmp_path: Path) -> None:
    stack = np.arange(8, dtype=np.uint8).reshape(2, 2, 2)
    raster = write(tmp_path / "a.tif", stack, facts={"bands": ("green", "swir16")})
    select_band(raster, "swir16", tmp_path / "out.tif")
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), stack[1])
    with pytest.raises(ToolError, match="there is no band 'nir'"):
        select_band(raster, "nir", tmp_path / "out.tif")
