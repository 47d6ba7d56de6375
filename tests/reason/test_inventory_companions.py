"""Metadata beside the files: STAC items, Landsat MTL, Sentinel-2 SAFE folders."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from rasterio.transform import Affine
from rasters import write_raster

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory import take_inventory
from knowflow.service.notes import of_folder

LANDSAT = "LC08_L2SP_191028_20220601_20220610_02_T1"
MTL: dict[str, dict[str, str]] = {
    "PRODUCT_CONTENTS": {"PROCESSING_LEVEL": "L2SP"},
    "IMAGE_ATTRIBUTES": {
        "SPACECRAFT_ID": "LANDSAT_8",
        "DATE_ACQUIRED": "2022-06-01",
        "SCENE_CENTER_TIME": "09:52:03.1234560Z",
        "CLOUD_COVER": "12.5",
        "SUN_ELEVATION": "30.0",
    },
    "LEVEL2_SURFACE_REFLECTANCE_PARAMETERS": {"REFLECTANCE_MULT_BAND_4": "3e-05", "REFLECTANCE_ADD_BAND_4": "-0.25"},
    "LEVEL2_SURFACE_TEMPERATURE_PARAMETERS": {
        "TEMPERATURE_MULT_BAND_ST_B10": "0.0034",
        "TEMPERATURE_ADD_BAND_ST_B10": "150",
    },
    "LEVEL1_RADIOMETRIC_RESCALING": {
        "REFLECTANCE_MULT_BAND_4": "2.0E-05",
        "REFLECTANCE_ADD_BAND_4": "-0.1",
        "RADIANCE_MULT_BAND_10": "3.342E-04",
        "RADIANCE_ADD_BAND_10": "0.1",
    },
    "LEVEL1_THERMAL_CONSTANTS": {"K1_CONSTANT_BAND_10": "774.8853", "K2_CONSTANT_BAND_10": "1321.0789"},
}


def write_mtl(path: Path) -> None:
    if path.suffix == ".json":
        path.write_text(json.dumps({"LANDSAT_METADATA_FILE": MTL}))
    elif path.suffix == ".xml":
        groups = "".join(
            f"<{group}>{''.join(f'<{key}>{value}</{key}>' for key, value in values.items())}</{group}>"
            for group, values in MTL.items()
        )
        path.write_text(f"<LANDSAT_METADATA_FILE>{groups}</LANDSAT_METADATA_FILE>")
    else:
        lines = ["GROUP = LANDSAT_METADATA_FILE"]
        for group, values in MTL.items():
            lines += [f"  GROUP = {group}", *(f'    {key} = "{value}"' for key, value in values.items())]
            lines.append(f"  END_GROUP = {group}")
        path.write_text("\n".join([*lines, "END_GROUP = LANDSAT_METADATA_FILE", "END", ""]))


def by_name(folder: Path) -> dict[str, Artifact]:
    return {item.name: item for item in take_inventory(folder).artifacts}


@pytest.mark.parametrize("ending", [".json", ".txt", ".xml"])
def test_landsat_level_2_is_scaled_by_its_own_metadata(tmp_path: Path, ending: str) -> None:
    for layer in ("SR_B4", "ST_B10", "QA_PIXEL"):
        write_raster(tmp_path / f"{LANDSAT}_{layer}.TIF", dtype="uint16")
    write_mtl(tmp_path / f"{LANDSAT}_MTL{ending}")
    (tmp_path / f"{LANDSAT}_ANG.txt").write_text("angles")
    inventory = take_inventory(tmp_path)
    found = {item.name.removeprefix(LANDSAT + "_"): item for item in inventory.artifacts}
    red, temperature, quality = found["SR_B4"], found["ST_B10"], found["QA_PIXEL"]
    assert (red.fact("scale"), red.fact("offset"), red.fact("bands")) == (3e-05, -0.25, ("red",))
    assert (red.fact("datetime"), red.fact("cloud_fraction")) == ("2022-06-01T09:52:03", 0.125)
    assert (temperature.fact("scale"), temperature.fact("offset"), temperature.fact("unit")) == (0.0034, 150, "K")
    assert (quality.fact("quantity"), quality.fact("scale")) == ("qa_bits", None)
    assert (inventory.unknown, inventory.unreadable) == ((), ())


def test_landsat_level_1_becomes_reflectance_under_the_sun_and_radiance(tmp_path: Path) -> None:
    product = LANDSAT.replace("L2SP", "L1TP")
    for layer in ("B4", "B10"):
        write_raster(tmp_path / f"{product}_{layer}.TIF", dtype="uint16")
    write_mtl(tmp_path / f"{product}_MTL.txt")
    found = by_name(tmp_path)
    red, thermal = found[f"{product}_B4"], found[f"{product}_B10"]
    height = math.sin(math.radians(30))
    assert red.fact("quantity") == "toa_bidirectional_reflectance"
    assert (red.fact("scale"), red.fact("offset")) == pytest.approx((2e-05 / height, -0.1 / height))
    assert (thermal.fact("quantity"), thermal.fact("unit")) == ("toa_radiance", "W m-2 sr-1 um-1")
    assert (thermal.fact("scale"), thermal.fact("offset")) == (3.342e-04, 0.1)
    assert thermal.fact("thermal_constants") == (774.8853, 1321.0789)


@pytest.mark.parametrize("product", ["LC08_L1TP_191028_20170805_20170812_01_T1", "LC81910282017217LGN00"])
def test_level_1_of_before_collection_2_is_read_by_the_same_keys(tmp_path: Path, product: str) -> None:
    for layer in ("B4", "B10"):
        write_raster(tmp_path / f"{product}_{layer}.TIF", dtype="uint16")
    (tmp_path / f"{product}_MTL.txt").write_text(
        "GROUP = L1_METADATA_FILE\n"
        '  GROUP = PRODUCT_METADATA\n    DATA_TYPE = "L1TP"\n    SPACECRAFT_ID = "LANDSAT_8"\n'
        '    DATE_ACQUIRED = 2017-08-05\n    SCENE_CENTER_TIME = "09:40:02.5Z"\n  END_GROUP = PRODUCT_METADATA\n'
        "  GROUP = IMAGE_ATTRIBUTES\n    CLOUD_COVER = 4.0\n    SUN_ELEVATION = 30.0\n  END_GROUP = IMAGE_ATTRIBUTES\n"
        "  GROUP = RADIOMETRIC_RESCALING\n    REFLECTANCE_MULT_BAND_4 = 2.0E-05\n    REFLECTANCE_ADD_BAND_4 = -0.1\n"
        "    RADIANCE_MULT_BAND_10 = 3.342E-04\n    RADIANCE_ADD_BAND_10 = 0.1\n  END_GROUP = RADIOMETRIC_RESCALING\n"
        "  GROUP = TIRS_THERMAL_CONSTANTS\n    K1_CONSTANT_BAND_10 = 774.8853\n    K2_CONSTANT_BAND_10 = 1321.0789\n"
        "  END_GROUP = TIRS_THERMAL_CONSTANTS\nEND_GROUP = L1_METADATA_FILE\nEND\n"
    )
    inventory = take_inventory(tmp_path)
    red, thermal = (next(one for one in inventory.artifacts if one.name.endswith(band)) for band in ("B4", "B10"))
    assert red.fact("quantity") == "toa_bidirectional_reflectance"
    assert (red.fact("scale"), red.fact("offset")) == pytest.approx((2e-05 / 0.5, -0.1 / 0.5))
    assert (red.fact("datetime"), red.fact("cloud_fraction")) == ("2017-08-05T09:40:02", 0.04)
    assert (thermal.fact("quantity"), thermal.fact("scale")) == ("toa_radiance", 3.342e-04)
    assert thermal.fact("thermal_constants") == (774.8853, 1321.0789)
    assert inventory.unreadable == ()


def test_without_metadata_landsat_8_at_level_1_is_at_the_top_of_the_atmosphere_and_of_no_scale(tmp_path: Path) -> None:
    product = LANDSAT.replace("L2SP", "L1TP")
    for name in (product, product.replace("LC08", "LE07"), product.replace("LC09", "LE07")):
        write_raster(tmp_path / f"{name}_B4.TIF", dtype="uint16")
    found = {item.name[:4]: item for item in take_inventory(tmp_path).artifacts}
    (eight,) = (item for name, item in found.items() if name != "LE07")
    assert (eight.fact("quantity"), eight.fact("scale")) == ("toa_bidirectional_reflectance", None)
    assert eight.facts["quantity"].origin is Origin.ASSUMED
    assert found["LE07"].fact("quantity") == "digital_number"


def test_broken_landsat_metadata_are_reported_and_the_rasters_kept(tmp_path: Path) -> None:
    write_raster(tmp_path / f"{LANDSAT}_SR_B4.TIF", dtype="uint16")
    (tmp_path / f"{LANDSAT}_MTL.json").write_text("{")
    inventory = take_inventory(tmp_path)
    assert [path for path, _ in inventory.unreadable] == [f"{LANDSAT}_MTL.json"]
    assert inventory.artifacts[0].fact("scale") == 0.0000275


@pytest.mark.parametrize("called", ["L8_20220601_MTL.txt", "MTL_2022-06-01.txt", "june_MTL_clip.txt"])
def test_renamed_landsat_metadata_are_of_files_of_their_day(tmp_path: Path, called: str) -> None:
    for name in ("LC09_19jul2021_red", "LC08_1jun2022_red", "LC08_B4"):
        write_raster(tmp_path / f"{name}.tif", dtype="uint16")
    write_mtl(tmp_path / called)
    found = take_inventory(tmp_path)
    dates = {item.name: str(item.fact("datetime"))[:10] for item in found.artifacts}
    assert dates == {"LC09_19jul2021_red": "2021-07-19", "LC08_1jun2022_red": "2022-06-01", "LC08_B4": "2022-06-01"}
    assert found.unknown == ()


SAFE = "S2A_MSIL2A_20220601T100031_N0400_R122_T33TVM_20220601T130000.SAFE"


def safe_metadata(offset: int | None, quantification: str = "10000") -> str:
    offsets = "" if offset is None else f'<BOA_ADD_OFFSET band_id="3">{offset}</BOA_ADD_OFFSET>'
    return f"""<?xml version="1.0"?>
    <n1:Level-2A_User_Product xmlns:n1="https://psd-14.sentinel2.eo.esa.int/PSD/User_Product_Level-2A.xsd">
      <SPACECRAFT_NAME>Sentinel-2A</SPACECRAFT_NAME>
      <DATATAKE_SENSING_START>2022-06-01T10:00:31.024Z</DATATAKE_SENSING_START>
      <BOA_QUANTIFICATION_VALUE unit="none">{quantification}</BOA_QUANTIFICATION_VALUE>
      <AOT_QUANTIFICATION_VALUE>1000</AOT_QUANTIFICATION_VALUE>{offsets}
      <Cloud_Coverage_Assessment>25</Cloud_Coverage_Assessment>
    </n1:Level-2A_User_Product>"""


def write_safe(root: Path, metadata: str | None, name: str = SAFE, side: int = 16) -> None:
    granule = root / name / "GRANULE" / "L2A_T33TVM_A036258_20220601T100559"
    for pixels, layers in ((10, ("B04", "B08", "AOT")), (20, ("B04", "B8A", "SCL"))):
        for layer in layers:
            path = granule / "IMG_DATA" / f"R{pixels}m" / f"T33TVM_20220601T100031_{layer}_{pixels}m.jp2"
            place = {"crs": "EPSG:32633", "transform": Affine(pixels, 0, 500000, 0, -pixels, 5100000)}
            write_raster(path, dtype="uint16", shape=(side, side), georeference=place)
    write_raster(granule / "QI_DATA" / "T33TVM_20220601T100031_PVI.jp2", dtype="uint8", shape=(16, 16))
    (granule / "MTD_TL.xml").write_text("<tile/>")
    if metadata is not None:
        (root / name / "MTD_MSIL2A.xml").write_text(metadata)


def test_a_safe_folder_is_one_scene_scaled_by_its_metadata(tmp_path: Path) -> None:
    write_safe(tmp_path, safe_metadata(-1000))
    inventory = take_inventory(tmp_path)
    (scene,) = [scene for scene in inventory.scenes() if "red" in scene.members]
    assert list(scene.members) == ["red", "nir", "nir08"]
    red = scene.members["red"]
    assert red.fact("resolution") == (10, 10)
    assert (red.fact("scale"), red.fact("offset"), red.fact("nodata")) == (0.0001, -0.1, 0)
    assert (red.fact("sensor"), red.fact("datetime")) == ("sentinel-2a", "2022-06-01T10:00:31")
    assert (red.fact("quantity"), red.fact("cloud_fraction")) == ("surface_bidirectional_reflectance", 0.25)
    quantities = {item.fact("quantity"): item for item in inventory.artifacts}
    assert quantities["aerosol_optical_depth"].fact("scale") == 0.001
    assert "scene_classification" in quantities
    assert (inventory.unknown, inventory.unreadable) == ((), ())


def test_the_sun_over_a_granule_is_that_of_its_own_metadata(tmp_path: Path) -> None:
    write_safe(tmp_path, safe_metadata(-1000))
    (tile,) = tmp_path.rglob("MTD_TL.xml")
    tile.write_text(
        """<n1:Level-2A_Tile_ID xmlns:n1="https://psd-14.sentinel2.eo.esa.int/PSD/S2_PDI_Level-2A_Tile_Metadata.xsd">
        <Geometric_Info><Tile_Angles>
          <Mean_Sun_Angle><ZENITH_ANGLE unit="deg">26.5</ZENITH_ANGLE><AZIMUTH_ANGLE unit="deg">152.25</AZIMUTH_ANGLE>
          </Mean_Sun_Angle>
          <Mean_Viewing_Incidence_Angle bandId="0"><ZENITH_ANGLE unit="deg">3.5</ZENITH_ANGLE>
          </Mean_Viewing_Incidence_Angle>
        </Tile_Angles></Geometric_Info></n1:Level-2A_Tile_ID>"""
    )
    red = [item for item in take_inventory(tmp_path).artifacts if item.fact("bands") == ("red",)]
    assert {(item.fact("sun_elevation"), item.fact("sun_azimuth")) for item in red} == {(63.5, 152.25)}
    tile.write_text("<broken")
    assert "MTD_TL.xml" in str(take_inventory(tmp_path).unreadable)


def test_metadata_without_an_offset_mean_none(tmp_path: Path) -> None:
    write_safe(tmp_path, safe_metadata(None, "20000"))
    found = [item for item in take_inventory(tmp_path).artifacts if item.fact("bands") == ("red",)]
    assert {(item.fact("scale"), item.fact("offset")) for item in found} == {(0.00005, 0.0)}


@pytest.mark.parametrize(("baseline", "offset"), [("N0400", -0.1), ("N0510", -0.1), ("N0301", 0.0)])
def test_without_metadata_the_baseline_in_the_name_decides(tmp_path: Path, baseline: str, offset: float) -> None:
    write_safe(tmp_path, None, SAFE.replace("N0400", baseline))
    found = [item for item in take_inventory(tmp_path).artifacts if item.fact("bands") == ("red",)]
    assert {item.fact("offset") for item in found} == {offset}


UNPACKED = "T33TVM_20210601T100031_B04_10m.tif"


@pytest.mark.parametrize(
    ("path", "offset"),
    [
        (f"{SAFE.removesuffix('.SAFE').replace('N0400', 'N0500')}/{UNPACKED}", -0.1),
        (f"{SAFE.removesuffix('.SAFE').replace('N0400', 'N0301')}/{UNPACKED}", 0.0),
        (UNPACKED, 0.0),  # of an older scene that may have been reprocessed, and whose numbers show that it was not
    ],
)
def test_a_folder_named_after_a_product_says_its_baseline(tmp_path: Path, path: str, offset: float | None) -> None:
    write_raster(tmp_path / path, dtype="uint16")
    (found,) = take_inventory(tmp_path).artifacts
    assert found.fact("offset") == offset


def test_the_metadata_of_a_product_describe_the_images_beside_them(tmp_path: Path) -> None:
    write_raster(tmp_path / UNPACKED, dtype="uint16")
    write_raster(tmp_path / "dem.tif")
    (tmp_path / "MTD_MSIL2A.xml").write_text(safe_metadata(-1000))
    inventory = take_inventory(tmp_path)
    facts = {item.name: (item.fact("scale"), item.fact("offset")) for item in inventory.artifacts}
    assert facts == {"dem": (None, None), UNPACKED.removesuffix(".tif"): (1e-4, -0.1)}
    assert inventory.unknown == ()


def test_broken_product_metadata_are_reported(tmp_path: Path) -> None:
    write_safe(tmp_path, "<broken")
    inventory = take_inventory(tmp_path)
    assert [path for path, _ in inventory.unreadable] == [f"{SAFE}/MTD_MSIL2A.xml"]


@pytest.mark.parametrize(
    ("old", "new", "layers", "replaced"),
    [
        (LANDSAT, LANDSAT.replace("20220610", "20230820"), ("SR_B4", "SR_B5"), True),
        (LANDSAT.replace("T1", "RT"), LANDSAT.replace("20220610", "20220620"), ("SR_B4", "SR_B5"), True),
        (SAFE, SAFE.replace("N0400", "N0510").replace("T130000", "T180000"), (), True),
        (LANDSAT, LANDSAT.replace("20220610", "20230820"), ("SR_B5",), False),  # it does not hold all
        (LANDSAT, LANDSAT.replace("191028", "191029"), ("SR_B4", "SR_B5"), False),  # it is beside
        (SAFE, SAFE.replace("T33TVM", "T33TWM").replace("N0400", "N0510"), (), False),
        (SAFE, SAFE.replace("T130000", "T180000"), (), False),  # the time says not which is newer
    ],
)
def test_of_a_product_that_was_processed_anew_the_newest_counts(
    tmp_path: Path, old: str, new: str, layers: tuple[str, ...], replaced: bool
) -> None:
    for product, held, side in ((old, ("SR_B4", "SR_B5"), 16), (new, layers, 15)):
        if product.endswith(".SAFE"):
            write_safe(tmp_path, None, product, side)
            continue
        for layer in held:
            write_raster(tmp_path / f"{product}_{layer}.TIF", dtype="uint16", shape=(side, side))
    inventory = take_inventory(tmp_path)
    assert inventory.replaced == (((old, new),) if replaced else ())
    assert any(old in (one.path or "") for one in inventory.artifacts) is not replaced
    assert any(old in note and new in note for note in of_folder(inventory)) is replaced


def item(**assets: Any) -> str:
    return json.dumps(
        {
            "type": "Feature",
            "stac_version": "1.0.0",
            "id": "one",
            "properties": {"datetime": "2022-06-01T10:00:31Z", "eo:cloud_cover": 20, "platform": "sentinel-2b"},
            "geometry": None,
            "assets": assets,
        }
    )


def test_a_stac_item_describes_the_files_of_its_assets(tmp_path: Path) -> None:
    write_raster(tmp_path / "one_a.tif", dtype="int16")
    write_raster(tmp_path / "one_b.tif", dtype="int16")
    (tmp_path / "one.json").write_text(
        item(
            a={
                "href": "./one_a.tif",
                "eo:bands": [{"name": "B04", "common_name": "red", "center_wavelength": 0.665}],
                "raster:bands": [{"scale": 0.0002, "offset": -0.1, "nodata": -5, "unit": "1"}],
            },
            b={"href": "https://example.org/x/one_b.tif?sig=1", "bands": [{"name": "B08", "raster:scale": 0.5}]},
        )
    )
    (tmp_path / "catalog.json").write_text(json.dumps({"type": "Catalog", "stac_version": "1.0.0"}))
    inventory = take_inventory(tmp_path)
    first, second = inventory.artifacts
    assert (first.fact("bands"), first.fact("wavelength")) == (("red",), 665)
    assert (first.fact("scale"), first.fact("offset"), first.fact("nodata")) == (0.0002, -0.1, -5)
    assert (first.fact("datetime"), first.fact("cloud_fraction")) == ("2022-06-01T10:00:31", 0.2)
    assert (second.fact("scale"), second.fact("bands"), second.fact("sensor")) == (0.5, ("nir",), "sentinel-2b")
    assert inventory.unknown == ()
    fact = first.known("scale")
    assert fact is not None
    assert (fact.origin, fact.source) == (Origin.DECLARED, "STAC item one.json")


@pytest.mark.parametrize(
    ("more", "stored"),
    [
        ({}, (0.0001, -0.1)),
        ({"s2:processing_baseline": "02.08"}, (0.0001, 0.0)),
        ({"earthsearch:boa_offset_applied": True}, (0.0001, 0.0)),  # by its values: the item does not say
    ],
)
def test_an_item_tells_level_pass_and_how_reflectance_of_its_baseline_is_stored(
    more: dict[str, Any], stored: tuple[float | None, float | None], tmp_path: Path
) -> None:
    write_raster(tmp_path / "x.tif", dtype="uint16")
    said = json.loads(item(x={"href": "./x.tif", "eo:bands": [{"name": "B04", "common_name": "red"}]}))
    known = {"processing:level": "L2A", "sat:orbit_state": "descending", "s2:processing_baseline": "05.09", **more}
    said["properties"] |= known
    (tmp_path / "one.json").write_text(json.dumps(said))
    (found,) = take_inventory(tmp_path).artifacts
    assert (found.fact("level"), found.fact("orbit")) == ("L2A", "descending")
    assert (found.fact("scale"), found.fact("offset")) == stored


def test_the_header_goes_before_tags_tags_before_the_item_and_that_before_the_name(tmp_path: Path) -> None:
    asset = {"href": "a_2020-01-01_NDVI.tif", "raster:bands": [{"scale": 3.0, "nodata": 9}]}
    (tmp_path / "one.json").write_text(item(a=asset))
    path = tmp_path / "a_2020-01-01_NDVI.tif"
    write_raster(path, nodata=7, tags={"SCALE": "2", "QUANTITY": "evi"})
    inventory = take_inventory(tmp_path)
    (found,) = inventory.artifacts
    assert (found.fact("nodata"), found.fact("scale"), found.fact("quantity")) == (7, 2, "evi")
    assert found.fact("datetime") == "2022-06-01T10:00:31"
    told = " ".join(inventory.disagreements)
    assert all(word in told for word in ("quantity is evi", "ndvi by", "scale is 2", "datetime is 2022-06-01"))


@pytest.mark.parametrize("content", ["{", "[]", '{"type": "Feature"}', "\x00"])
def test_a_json_that_is_no_item_is_an_unknown_file(tmp_path: Path, content: str) -> None:
    write_raster(tmp_path / "a.tif")
    (tmp_path / "a.json").write_text(content)
    assert [path for path, _ in take_inventory(tmp_path).unknown] == ["a.json"]


def test_the_classes_of_an_item_are_those_of_its_map(tmp_path: Path) -> None:
    write_raster(tmp_path / "cover.tif", dtype="uint8", tags={"QUANTITY": "land_cover_class"})
    listed = [{"value": 1, "name": "trees"}, {"value": 2, "name": "h2o", "title": "Water"}, {"name": "no value"}]
    (tmp_path / "i.json").write_text(item(data={"href": "./cover.tif", "classification:classes": listed}))
    assert dict(by_name(tmp_path)["cover"].fact("classes")) == {1: "trees", 2: "Water"}


def test_the_only_item_of_a_folder_says_of_all_its_files_what_its_name_says(tmp_path: Path) -> None:
    for band in ("B02", "B03"):
        write_raster(tmp_path / "scene" / f"{band}.tif", dtype="uint16")
    lone = {"type": "Feature", "stac_version": "1.0.0", "id": "S2A_4QFJ_20210614_0_L2A", "properties": {}}
    (tmp_path / "scene" / "S2A_4QFJ_20210614_0_L2A.json").write_text(json.dumps(lone))
    found = take_inventory(tmp_path).artifacts
    assert {item.fact("quantity") for item in found} == {"surface_bidirectional_reflectance"}
    assert {str(item.fact("datetime"))[:10] for item in found} == {"2021-06-14"}
    (tmp_path / "scene" / "other.json").write_text(json.dumps({**lone, "id": "S2A_4QFJ_20200101_0_L1C"}))
    assert {item.fact("quantity") for item in take_inventory(tmp_path).artifacts} == {None}


def asked(data: str, script: str, **more: object) -> str:
    times = {"timeRange": {"from": "2023-06-18T00:00:00Z", "to": "2023-06-18T23:59:59Z"}}
    chosen = {"type": data, "dataFilter": times, **more}
    text = f"//VERSION=3\nfunction evaluatePixel(s){{return[{script}]}}"
    return json.dumps({"payload": {"input": {"data": [chosen]}, "evalscript": text}})


@pytest.mark.parametrize(
    ("data", "script", "expected"),
    [
        ("sentinel-2-l2a", "(s.B08 - s.B04)/(s.B08 + s.B04)", [("ndvi", "1", None)]),
        ("sentinel-2-l2a", "(s.B03-s.B08)/(s.B08+s.B03)", [(None, None, None)]),
        ("sentinel-2-l2a", "s.SCL", [("scene_classification", "1", None)]),
        ("sentinel-2-l1c", "s.B02,s.B04", [("toa_bidirectional_reflectance", "1", one) for one in ("blue", "red")]),
        ("sentinel-1-grd", "s.VV,s.VH", [("gamma0", "1", one) for one in ("vv", "vh")]),
        ("dem", "s.DEM", [("elevation", "m", None)]),
    ],
)
def test_a_request_tells_what_its_answer_holds(
    tmp_path: Path, data: str, script: str, expected: list[tuple[str | None, ...]]
) -> None:
    (tmp_path / "a1b2").mkdir()
    (tmp_path / "a1b2" / "request.json").write_text(asked(data, script))
    write_raster(tmp_path / "a1b2" / "response.tiff", count=len(expected))
    taken = take_inventory(tmp_path)
    found = [(item.fact("quantity"), item.fact("unit"), *(item.fact("bands") or (None,))) for item in taken.artifacts]
    assert found == expected
    assert taken.artifacts[0].fact("datetime") == (None if data == "dem" else "2023-06-18")
    assert taken.unknown == ()


def test_backscatter_is_what_the_request_has_it_calibrated_to(tmp_path: Path) -> None:
    text = asked("sentinel-1-grd", "s.VV", processing={"backCoeff": "SIGMA0_ELLIPSOID"})
    (tmp_path / "request.json").write_text(text)
    write_raster(tmp_path / "response.tiff")
    assert take_inventory(tmp_path).artifacts[0].fact("quantity") == "sigma0"


def test_every_image_below_a_safe_folder_is_seen_wherever_it_lies(tmp_path: Path) -> None:
    for name in (
        "R10m/T33TVM_20220601T100031_B04_10m",
        "R20m/T33TVM_20220601T100031_SCL_20m",
        "QI_DATA/MSK_DETFOO_B04",
    ):
        write_raster(tmp_path / SAFE / f"{name}.tif", dtype="uint16")
    assert {Path(str(item.path)).parent.name for item in take_inventory(tmp_path).artifacts} == {"R10m", "R20m"}
