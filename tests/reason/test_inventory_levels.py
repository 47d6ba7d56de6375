"""The level of reflectance by what lies beside it and by the size of its pixels."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasterio.transform import Affine
from rasters import UTM, write_raster

from knowflow.model.facts import Origin
from knowflow.reason.inventory import take_inventory

SURFACE, AT_TOP = "surface_bidirectional_reflectance", "toa_bidirectional_reflectance"


@pytest.mark.parametrize(
    ("beside", "level"),
    [
        ({"SCL": "scene_classification"}, SURFACE),
        ({"green_x": AT_TOP}, AT_TOP),
        ({"green_x": AT_TOP, "nir_x": SURFACE}, None),
        ({"ndvi_x": "ndvi"}, None),
    ],
)
def test_bands_are_at_the_level_of_those_beside_them(tmp_path: Path, beside: dict[str, str], level: str | None) -> None:
    write_raster(tmp_path / "one" / "red.tif", dtype="uint16")
    write_raster(tmp_path / "other" / "red.tif", dtype="uint16")
    for name, quantity in beside.items():
        write_raster(tmp_path / "one" / f"{name}.tif", dtype="uint16", tags={"QUANTITY": quantity})
    found = {Path(str(item.path)).relative_to(tmp_path).as_posix(): item for item in take_inventory(tmp_path).artifacts}
    fact = found["one/red.tif"].known("quantity")
    assert (fact and (fact.value, fact.origin)) == (level and (level, Origin.ASSUMED))
    assert found["other/red.tif"].fact("quantity") is None


def test_what_somebody_says_of_one_band_is_said_of_that_one(tmp_path: Path) -> None:
    for name in ("red", "nir"):
        write_raster(tmp_path / f"{name}.tif", dtype="uint16")
    found = take_inventory(tmp_path, assume=[f"red:quantity={SURFACE}"]).artifacts
    assert {item.name: item.fact("quantity") for item in found} == {"red": SURFACE, "nir": None}


@pytest.mark.parametrize(("pixel", "level"), [(0.08, SURFACE), (10, None)])
def test_reflectance_seen_from_near_is_that_of_the_surface(tmp_path: Path, pixel: float, level: str | None) -> None:
    near = {**UTM, "transform": Affine(pixel, 0, 500000, 0, -pixel, 5100000)}
    write_raster(tmp_path / "vineyard_reflectance_red.tif", georeference=near)
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == level
