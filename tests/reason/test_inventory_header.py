"""What a single file's header and tags say, and what is said of files that cannot be read."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from rasters import UTM, write_raster

from knowflow.ground.errors import UnreadableDataError
from knowflow.model.facts import Origin
from knowflow.reason.inventory import read_artifact, take_inventory
from knowflow.reason.inventory.header import read_bands
from knowflow.reason.inventory.tags import slice_facts


def test_the_grid_is_measured(tmp_path: Path) -> None:
    found = read_artifact(write_raster(tmp_path / "a.tif", nodata=-1, dtype="int16"))
    values = {name: fact.value for name, fact in found.facts.items()}
    assert values["crs"] == "EPSG:32633"
    assert values["transform"] == (10, 0, 500000, 0, -10, 5100000)
    assert (values["shape"], values["resolution"]) == ((6, 8), (10, 10))
    assert values["bounds"] == (500000, 5099940, 500080, 5100000)
    assert (values["dtype"], values["nodata"], values["count"]) == ("int16", -1, 1)
    assert {found.facts[name].origin for name in ("crs", "transform", "nodata", "grid")} == {Origin.MEASURED}


@pytest.mark.parametrize(
    "tags",
    [
        {"class_1": "Forest", "class_2": "Bare rock", "class_7": "Built-up, dense"},
        {"VALUE_1": "Forest", "VALUE_2": "Bare rock", "VALUE_7": "Built-up, dense"},
        {"LEGEND": "1=Forest; 2 = Bare rock; 7 = Built-up"},
        {"legend": '{"1": "Forest", "2": "Bare rock", "7": "Built-up"}'},
        {"class_names": "1: Forest, 2: Bare rock, 7: Built-up"},
        {"legend": "1 Forest, 2 Bare rock, 7 Built-up"},
        {"legend": "1=Forest 2=Bare rock 7=Built-up"},
        {"flag_values": "1b, 2b, 7b", "flag_meanings": "Forest Bare_rock Built-up"},
    ],
)
def test_tags_say_what_classes_are_called(tmp_path: Path, tags: dict[str, str]) -> None:
    found = read_artifact(write_raster(tmp_path / "a.tif", dtype="uint8", tags=tags)).fact("classes")
    assert [code for code, _ in found] == [1, 2, 7]
    assert [name.replace("_", " ").removesuffix(", dense") for _, name in found] == ["Forest", "Bare rock", "Built-up"]


@pytest.mark.parametrize("tags", [{"class_1": "0.3", "class_2": "0.4"}, {"LEGEND": "see readme"}, {"VALUE_1": "x"}])
def test_tags_that_name_no_classes_are_none(tmp_path: Path, tags: dict[str, str]) -> None:
    assert read_artifact(write_raster(tmp_path / "a.tif", dtype="uint8", tags=tags)).fact("classes") is None


def test_two_spellings_of_one_crs_are_one_grid(tmp_path: Path) -> None:
    wkt = rasterio.crs.CRS.from_epsg(32633).to_wkt()
    first = read_artifact(write_raster(tmp_path / "a.tif"))
    second = read_artifact(write_raster(tmp_path / "b.tif", georeference={**UTM, "crs": wkt}))
    assert first.fact("grid") == second.fact("grid")


def test_without_georeference_the_grid_is_the_shape_alone(tmp_path: Path) -> None:
    first, same, other = (
        read_artifact(write_raster(tmp_path / name, georeference=None, shape=shape))
        for name, shape in (("a.tif", (6, 8)), ("b.tif", (6, 8)), ("c.tif", (7, 8)))
    )
    assert all(first.fact(name) is None for name in ("crs", "transform", "bounds", "resolution"))
    assert first.fact("grid") == same.fact("grid") != other.fact("grid")
    assert first.fact("grid") != read_artifact(write_raster(tmp_path / "d.tif")).fact("grid")


def test_tags_are_declared_and_name_their_source(tmp_path: Path) -> None:
    tags = {
        "QUANTITY": "surface_temperature",
        "UNIT": "celsius",
        "DATETIME": "2022-06-01T101500Z",
        "SENSOR": "LC08",
        "LEVEL": "L2SP",
        "DAYNIGHT": "Day",
        "CLOUD_MASKED": "YES",
        "SCALE": "0.1",
        "OFFSET": "5",
    }
    found = read_artifact(write_raster(tmp_path / "a.tif", tags=tags))
    assert found.fact("unit") == "degC"
    assert found.fact("datetime") == "2022-06-01T10:15:00"
    assert found.fact("sensor") == "landsat-8-9-oli-tirs"
    assert (found.fact("daynight"), found.fact("cloud_masked"), found.fact("level")) == ("day", True, "L2SP")
    assert (found.fact("scale"), found.fact("offset")) == (0.1, 5)
    quantity = found.known("quantity")
    assert quantity is not None
    assert (quantity.origin, quantity.source) == (Origin.DECLARED, "tag QUANTITY")


def test_a_tag_that_means_nothing_says_nothing(tmp_path: Path) -> None:
    tags = {"QUANTITY": "flubber", "UNIT": "bananas", "DATETIME": "yesterday", "SCALE": "big"}
    found = read_artifact(write_raster(tmp_path / "a.tif", tags=tags))
    assert all(found.fact(name) is None for name in ("quantity", "unit", "datetime", "scale"))


def test_a_cf_standard_name_is_a_quantity(tmp_path: Path) -> None:
    found = read_artifact(write_raster(tmp_path / "a.tif", band_tags={"standard_name": "toa_brightness_temperature"}))
    assert found.fact("quantity") == "toa_brightness_temperature"


@pytest.mark.parametrize(
    ("unit", "kind"),
    [("W m-2", "flux"), ("J m**-2", "energy"), ("MJ m-2", "energy"), ("J m-2 day-1", "flux"), ("K", "flux")],
)
def test_what_a_rate_adds_up_to_is_told_by_its_unit_where_the_standard_name_is_of_the_rate(
    tmp_path: Path, unit: str, kind: str
) -> None:
    said = {"standard_name": "surface_downwelling_shortwave_flux_in_air", "units": unit}
    found = read_artifact(write_raster(tmp_path / "a.tif", band_tags=said))
    assert found.fact("quantity") == f"downward_shortwave_{kind}"


def test_the_units_of_a_netcdf_export_are_those_of_its_values(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "t2m.tif", tags={"units": "K"})
    assert read_artifact(path).fact("unit") == "K"
    path = write_raster(tmp_path / "other.tif", tags={"units": "degrees of comfort"})
    assert read_artifact(path).fact("unit") is None


def test_a_header_scale_of_one_says_nothing_and_another_is_measured(tmp_path: Path) -> None:
    silent = read_artifact(write_raster(tmp_path / "a.tif", dtype="uint16"))
    stated = read_artifact(write_raster(tmp_path / "b.tif", dtype="uint16", scale=0.0001, tags={"SCALE": "0.5"}))
    assert silent.known("scale") is None
    fact = stated.known("scale")
    assert fact is not None
    assert (fact.value, fact.origin) == (0.0001, Origin.MEASURED)


def test_statistics_are_believed_where_the_block_writer_made_them_and_nowhere_else(tmp_path: Path) -> None:
    statistics = {"STATISTICS_MINIMUM": "10", "STATISTICS_MAXIMUM": "20", "STATISTICS_VALID_PERCENT": "50"}
    ours = {**statistics, "KNOWFLOW_FINITE_FRACTION": "0.5", "KNOWFLOW_HISTOGRAM": json.dumps([[0, 1, 2], [3, 4]])}
    first = read_artifact(write_raster(tmp_path / "a.tif", dtype="uint16", scale=0.1, band_tags=ours))
    assert (first.fact("value_range"), first.fact("valid_fraction")) == ((10, 20), 0.5)
    assert first.fact("histogram") == ((0, 1, 2), (3, 4))
    second = read_artifact(write_raster(tmp_path / "b.tif", dtype="uint16", scale=0.1, band_tags=statistics))
    assert (second.fact("value_range"), second.fact("valid_fraction")) == (None, None)


def test_complex_numbers_are_no_raster_of_one_quantity(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDataError, match="complex numbers"):
        read_artifact(write_raster(tmp_path / "slc.tif", dtype="complex64"))


def test_a_crs_of_a_building_site_places_nothing_on_earth(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "a.tif")
    with rasterio.open(path, "r+") as file:
        file.crs = rasterio.crs.CRS.from_wkt('LOCAL_CS["site",UNIT["metre",1]]')
    assert read_artifact(path).fact("crs") is None


def test_a_band_of_a_known_sensor_has_its_common_name_and_wavelength(tmp_path: Path) -> None:
    found = read_artifact(write_raster(tmp_path / "a.tif", tags={"SENSOR": "S2A", "BAND": "B8A"}))
    assert (found.fact("bands"), found.fact("wavelength"), found.fact("band")) == (("nir08",), 864.7, "B8A")


def test_an_ambiguous_band_of_an_unknown_sensor_keeps_its_name_only(tmp_path: Path) -> None:
    found = read_artifact(write_raster(tmp_path / "a.tif", tags={"BAND": "B4"}))
    assert (found.fact("band"), found.fact("bands")) == ("B4", None)


def test_bands_of_one_file_are_artifacts_of_their_own(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "a.tif", count=2, descriptions=("red", "nir"))
    whole, red, nir = read_bands(path)
    assert (whole.fact("count"), whole.fact("bands"), whole.band) == (2, ("red", "nir"), None)
    assert [(item.band, item.path) for item in (red, nir)] == [(1, str(path)), (2, str(path))]
    assert read_artifact(path, band=2).fact("bands") == ("nir",)
    with pytest.raises(UnreadableDataError, match="no band 3"):
        read_artifact(path, band=3)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty file"), (b"just some text", "text beginning 'just some text'"), (b"II*\0\0\0\0\0", "cannot be read")],
)
def test_what_is_no_raster_is_a_named_error(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "a.tif"
    path.write_bytes(content)
    with pytest.raises(UnreadableDataError) as error:
        read_artifact(path)
    assert words in str(error.value)
    assert error.value.expected
    assert error.value.hint


@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("kept", [0.5, 0.95])
def test_a_truncated_geotiff_is_found_without_reading_pixels(tmp_path: Path, tiled: bool, kept: float) -> None:
    path = tmp_path / "a.tif"
    noise = np.random.default_rng(0).random((256, 256)).astype("float32")
    more = {"tiled": True, "blockxsize": 64, "blockysize": 64} if tiled else {}
    with rasterio.open(
        path, "w", driver="GTiff", count=1, dtype="float32", height=256, width=256, **UTM, **more
    ) as file:
        file.write(noise, 1)
    data = path.read_bytes()
    assert read_artifact(path).fact("shape") == (256, 256)
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(UnreadableDataError) as error:
        read_artifact(path)
    assert error.value.expected
    assert error.value.found


def test_a_sparse_geotiff_is_not_truncated(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    profile = {"driver": "GTiff", "count": 1, "dtype": "uint8", "height": 600, "width": 600, "SPARSE_OK": True}
    with rasterio.open(path, "w", **profile, **UTM):
        pass
    assert read_artifact(path).fact("shape") == (600, 600)


def test_a_missing_file_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDataError, match="not there"):
        read_artifact(tmp_path / "a.tif")


def test_a_table_has_columns_and_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("date,value\n2020-01-01,1\n\n2021-01-01,2\n")
    found = read_artifact(path)
    assert (found.type, found.fact("fields"), found.fact("features")) == ("table", ("date", "value"), 2)
    path.write_bytes(b"\xff\xfe\x00\x01\x00")
    with pytest.raises(UnreadableDataError):
        read_artifact(path)
    path.write_text("")
    with pytest.raises(UnreadableDataError, match="empty"):
        read_artifact(path)


def test_a_vector_has_geometry_fields_and_extent(tmp_path: Path) -> None:
    path = tmp_path / "a.geojson"
    point = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [15, 46]}, "properties": {"n": 1}}
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [point]}))
    found = read_artifact(path)
    assert (found.type, found.fact("crs"), found.fact("geometry")) == ("vector", "EPSG:4326", "Point")
    assert (found.fact("bounds"), found.fact("features"), found.fact("fields")) == ((15, 46, 15, 46), 1, ("n",))
    path.write_text("{")
    with pytest.raises(UnreadableDataError, match="vector"):
        read_artifact(path)


def test_twelve_bands_of_a_year_are_assumed_to_be_its_months(tmp_path: Path) -> None:
    write_bands(tmp_path / "TerraClimate_ppt_2018.tif", 12)
    write_bands(tmp_path / "TerraClimate_ppt_2019.tif", 5)
    layers = [one for one in take_inventory(tmp_path).artifacts if "2018" in str(one.path)]
    assert [one.fact("datetime") for one in layers] == [f"2018-{number:02d}-01" for number in range(1, 13)]
    assert {str(one.known("datetime").origin) for one in layers} == {str(Origin.ASSUMED)}
    assert all(one.fact("datetime") is None for one in take_inventory(tmp_path).artifacts if "2019" in str(one.path))


def write_bands(path: Path, count: int) -> None:
    profile = {"driver": "GTiff", "width": 4, "height": 4, "count": count, "dtype": "float32", "crs": "EPSG:4326"}
    with rasterio.open(path, "w", transform=rasterio.Affine(0.1, 0, 10, 0, -0.1, 45), **profile) as target:
        target.write(np.linspace(0, 90, 16 * count, dtype="float32").reshape(count, 4, 4))


@given(st.lists(st.integers(0, 60_000), min_size=2, max_size=4, unique=True))
def test_bands_of_a_converted_netcdf_file_have_the_times_of_its_axis(days: list[int]) -> None:
    tags = {"time#units": "hours since 1900-01-01 00:00:00.0", "time#calendar": "gregorian"}
    found = [slice_facts(tags, {"NETCDF_DIM_time": str(24 * number)}).value("datetime") for number in days]
    assert found == [(date(1900, 1, 1) + timedelta(days=number)).isoformat() for number in days]


def test_a_converted_netcdf_file_of_one_variable_is_a_stack_in_time(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "t2m_2018.tif", count=2, tags={"time#units": "days since 2018-01-01", "UNIT": "K"})
    with rasterio.open(path, "r+") as file:
        for band in (1, 2):
            file.update_tags(band, NETCDF_DIM_time=str(30 * band), NETCDF_VARNAME="t2m")
    found = {(item.fact("quantity"), item.fact("datetime")) for item in take_inventory(tmp_path).artifacts}
    assert found == {("air_temperature", "2018-01-31"), ("air_temperature", "2018-03-02")}


def test_the_channel_that_a_description_names_is_that_of_the_file(tmp_path: Path) -> None:
    said = "coh_IW2_VV_11May2023_23May2023"
    assert read_artifact(write_raster(tmp_path / "x.tif", descriptions=(said,))).fact("band") == "VV"
    both = write_raster(tmp_path / "y.tif", descriptions=("VV minus VH",))
    assert read_artifact(both).fact("band") == "VV minus VH"


def test_per_cent_says_of_nothing_what_it_is_of(tmp_path: Path) -> None:
    write_raster(tmp_path / "zz_top.tif", dtype="float32", tags={"UNIT": "%"})
    (found,) = take_inventory(tmp_path).artifacts
    assert (found.fact("quantity"), found.fact("unit")) == (None, "%")
