"""A raster that its header and the files beside it place differently is refused, until the user says which is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyproj import CRS
from rasterio.transform import Affine
from rasters import UTM, write_raster

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.scan import read_file

GRID = Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_100_000.0)
SHIFTED = Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_200_000.0)
TAGS = {"QUANTITY": "ndvi"}


def raster(folder: Path) -> Path:
    path = folder / "a.tif"
    write_raster(path, georeference=UTM, tags=TAGS)
    return path


def aux(path: Path, crs: str = "", transform: Affine | None = None) -> None:
    srs = f"<SRS>{CRS.from_user_input(crs).to_wkt('WKT1_GDAL')}</SRS>" if crs else ""
    numbers = "" if transform is None else ", ".join(f"{number:.16e}" for number in transform.to_gdal())
    said = f"<GeoTransform>{numbers}</GeoTransform>" if numbers else ""
    path.with_name(f"{path.name}.aux.xml").write_text(f"<PAMDataset>{srs}{said}</PAMDataset>")


def world(path: Path, transform: Affine, ending: str = ".tfw") -> None:
    x, y = transform @ (0.5, 0.5)
    numbers = (transform.a, transform.d, transform.b, transform.e, x, y)
    path.with_suffix(ending).write_text("\n".join(f"{number:.10f}" for number in numbers))


def refusal(folder: Path) -> str:
    with pytest.raises(DataNotFoundError) as error:
        take_inventory(folder)
    return str(error.value.found)


def test_a_sidecar_with_another_crs_is_refused_with_both_and_the_way_out(tmp_path: Path) -> None:
    aux(raster(tmp_path), "EPSG:32634", GRID)
    told = refusal(tmp_path)
    assert "EPSG:32633 by a.tif" in told
    assert "EPSG:32634 by a.tif.aux.xml" in told
    assert "--assume 'a.tif:crs=EPSG:32633'" in told
    with pytest.raises(UnreadableDataError, match="disagree on its crs"):
        read_file(tmp_path / "a.tif")


@pytest.mark.parametrize("crs", ["EPSG:32633", "EPSG:32634"])
def test_the_user_settles_it(tmp_path: Path, crs: str) -> None:
    aux(raster(tmp_path), "EPSG:32634", GRID)
    (found,) = take_inventory(tmp_path, assume=[f"a.tif:crs={crs}"]).rasters
    assert found.fact("crs") == crs


@pytest.mark.parametrize("said", ["sidecar", ".tfw", ".tifw", ".wld"])
def test_another_transform_is_refused_wherever_it_stands(tmp_path: Path, said: str) -> None:
    path = raster(tmp_path)
    if said == "sidecar":
        aux(path, "", SHIFTED)
    else:
        world(path, SHIFTED, said)
    assert "--assume 'a.tif:transform=10,0,500000,0,-10,5200000'" in refusal(tmp_path)
    (found,) = take_inventory(tmp_path, assume=["a.tif:transform=10,0,500000,0,-10,5200000"]).rasters
    assert found.fact("transform") == (10, 0, 500_000, 0, -10, 5_200_000)
    assert found.fact("bounds")[3] == 5_200_000
    assert found.fact("resolution") == (10, 10)


def test_a_world_file_of_corners_instead_of_centres_is_half_a_pixel_off_and_refused(tmp_path: Path) -> None:
    world(raster(tmp_path), GRID @ Affine.translation(-0.5, -0.5))
    assert "disagree on its transform" in refusal(tmp_path)


def test_an_item_that_puts_a_raster_elsewhere_is_refused(tmp_path: Path) -> None:
    raster(tmp_path)
    asset = {"href": "./a.tif", "proj:code": "EPSG:32634"}
    item = {"type": "Feature", "stac_version": "1.1.0", "properties": {}, "assets": {"data": asset}}
    (tmp_path / "item.json").write_text(json.dumps(item))
    assert "EPSG:32634 by item.json" in refusal(tmp_path)


def test_one_refused_date_leaves_the_others(tmp_path: Path) -> None:
    aux(raster(tmp_path), "EPSG:32634", GRID)
    write_raster(tmp_path / "b.tif", georeference=UTM, tags=TAGS)
    found = take_inventory(tmp_path)
    assert [item.name for item in found.rasters] == ["b"]
    assert [name for name, _ in found.unreadable] == ["a.tif"]


def test_what_agrees_but_for_spelling_and_digits_is_read(tmp_path: Path) -> None:
    path = raster(tmp_path)
    aux(path, "EPSG:32633", GRID @ Affine.translation(1e-3, 0))
    world(path, GRID)
    path.with_suffix(".prj").write_text(CRS.from_epsg(32633).to_wkt("WKT1_ESRI"))
    (found,) = take_inventory(tmp_path).rasters
    assert found.fact("crs") == "EPSG:32633"


def test_statistics_in_a_sidecar_place_nothing(tmp_path: Path) -> None:
    path = raster(tmp_path)
    path.with_name("a.tif.aux.xml").write_text("<PAMDataset><Metadata/></PAMDataset>")
    assert len(take_inventory(tmp_path).rasters) == 1


def test_a_picture_that_a_world_file_places_is_read_as_before(tmp_path: Path) -> None:
    write_raster(tmp_path / "a.tif", georeference=None, tags=TAGS)
    world(tmp_path / "a.tif", GRID)
    (found,) = take_inventory(tmp_path).rasters
    assert found.fact("transform") == tuple(GRID)[:6]
