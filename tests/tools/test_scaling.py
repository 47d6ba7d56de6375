"""Physical numbers from stored ones, and other units."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from raster_files import artifact, opened, read, write

from knowflow.ground.errors import MissingFactError, UnitError
from knowflow.tools.raster import read_array
from knowflow.tools.scaling import apply_scale, convert_unit


def test_stored_numbers_become_physical_and_say_so(tmp_path: Path) -> None:
    raster = write(
        tmp_path / "a.tif",
        np.array([[0, 7000, 43636]], dtype=np.uint16),
        nodata=0,
        scale=2.75e-05,
        offset=-0.2,
        tags={"QUANTITY": "surface_bidirectional_reflectance", "UNIT": "1", "DATETIME": "2022-07-01"},
        descriptions=("red",),
    )
    apply_scale(raster, tmp_path / "b.tif")
    np.testing.assert_allclose(read(tmp_path / "b.tif"), [[np.nan, -0.0075, 0.99999]], rtol=1e-5)
    with opened(tmp_path / "b.tif") as written:
        assert (written.dtypes[0], written.scales[0], written.offsets[0]) == ("float32", 1.0, 0.0)
        assert written.descriptions == ("red",)
        assert written.units == ("1",)
        tags = written.tags()
    assert {"QUANTITY", "DATETIME"} <= set(tags)
    assert (tags["SCALE"], tags["OFFSET"]) == ("1", "0")
    np.testing.assert_array_equal(read_array(artifact(tmp_path / "b.tif")), read(tmp_path / "b.tif"))


def test_an_assumed_scale_is_applied_once(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[5000]], dtype=np.int16), facts={"scale": 1e-4})
    apply_scale(raster, tmp_path / "b.tif")
    apply_scale(artifact(tmp_path / "b.tif"), tmp_path / "c.tif")
    assert read(tmp_path / "c.tif")[0, 0] == np.float32(0.5)


@pytest.mark.parametrize(
    ("unit", "target", "value", "expected"),
    [("K", "degC", 300.0, 26.85), ("%", "1", 40.0, 0.4), ("m", "km", 1500.0, 1.5), ("1", "dB", 0.01, -20.0)],
)
def test_units_are_converted(tmp_path: Path, unit: str, target: str, value: float, expected: float) -> None:
    raster = write(tmp_path / "a.tif", np.array([[value, np.nan]], dtype=np.float32), facts={"unit": unit})
    convert_unit(raster, target, tmp_path / "b.tif")
    np.testing.assert_allclose(read(tmp_path / "b.tif"), [[expected, np.nan]], rtol=1e-5)
    with opened(tmp_path / "b.tif") as written:
        assert written.tags()["UNIT"] == target


def test_what_cannot_be_converted_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.ones((2, 2), dtype=np.float32), facts={"unit": "K"})
    with pytest.raises(UnitError):
        convert_unit(raster, "m", tmp_path / "b.tif")
    with pytest.raises(MissingFactError, match="unit of the raster is unknown"):
        convert_unit(artifact(tmp_path / "a.tif"), "degC", tmp_path / "b.tif")
    assert not (tmp_path / "b.tif").exists()
