"""What a header says in words, units, ranges and names of bands is evidence of what a layer is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rasterio.transform import Affine
from rasters import UTM, write_raster

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.evidence import weigh
from knowflow.reason.inventory.header_clues import header_clues, kinds_in_words, not_of

KINDS = [kind for kind in quantity_kinds().values() if kind.cf_name]


def understood(folder: Path) -> tuple[str | None, str | None]:
    (found,) = take_inventory(folder).artifacts
    return found.fact("quantity"), found.fact("unit")


@pytest.mark.parametrize(
    ("description", "unit", "tags", "expected"),
    [
        ("elevation", "m", {}, ("elevation", "m")),
        ("Elevation (m)", None, {}, ("elevation", "m")),
        ("elevation above mean sea level", "m", {}, ("elevation", "m")),
        ("Land surface temperature [degree_C]", None, {}, ("surface_temperature", "degC")),
        (None, "K", {"long_name": "Sea surface temperature"}, ("sea_surface_temperature", "K")),
        (None, None, {"standard_name": "air_temperature", "units": "degree_C"}, ("air_temperature", "degC")),
        ("16-day NDVI composite", None, {}, ("ndvi", "1")),
        ("LST_Day_1km", "K", {}, ("surface_temperature", "K")),
    ],
)
def test_a_layer_is_what_its_header_says_in_words(
    tmp_path: Path, description: str | None, unit: str | None, tags: dict[str, str], expected: tuple[str, str]
) -> None:
    described = (description,) if description else ()
    path = write_raster(tmp_path / "file_17.tif", descriptions=described, band_tags=tags)
    if unit:
        import rasterio

        with rasterio.open(path, "r+") as file:
            file.units = (unit,)
    assert understood(tmp_path) == expected


@given(st.sampled_from(KINDS), st.sampled_from(["{}", "Mean {} of the month", "{} (daily)"]), st.booleans())
def test_the_name_that_cf_has_for_a_quantity_tells_it_however_it_is_written(
    kind: object, text: str, spaced: bool
) -> None:
    name = kind.cf_name.replace("_", " ").title() if spaced else kind.cf_name  # type: ignore[attr-defined]
    found = {one.name for one, _ in kinds_in_words(text.format(name))}
    assert {one.name for one in KINDS if one.cf_name == kind.cf_name} <= found  # type: ignore[attr-defined]


@given(
    st.sampled_from(KINDS),
    st.sampled_from(
        ["trend of {}", "{} error", "{} / 9.8", "{} equivalent", "Number of {} observations (count)", "{} anomaly"]
    ),
)
def test_what_was_made_of_a_quantity_is_not_that_quantity(kind: object, text: str) -> None:
    said = text.format(kind.cf_name)  # type: ignore[attr-defined]
    assert kind.name not in {one.name for one, _ in kinds_in_words(said)}  # type: ignore[attr-defined]


def test_a_unit_alone_makes_candidates_and_no_fact(tmp_path: Path) -> None:
    write_raster(tmp_path / "file_17.tif", band_tags={"UNIT": "degC"}, descriptions=("temperature",))
    found = take_inventory(tmp_path)
    assert found.artifacts[0].fact("quantity") is None
    left = found.open[str(tmp_path / "file_17.tif"), None]
    assert {"surface_temperature", "air_temperature", "sea_surface_temperature"} <= {one.value for one in left}
    assert all(one.assumption.startswith("quantity=") for one in left)


@pytest.mark.parametrize(
    ("low", "high", "possible"), [(-20.0, 35.0, True), (200.0, 250.0, False), (-900.0, -500.0, False)]
)
def test_a_range_that_a_quantity_cannot_have_leaves_it_out(low: float, high: float, possible: bool) -> None:
    facts = Facts.of(Origin.DECLARED, "header", unit="degC", stated_range=(low, high), dtype="float32")
    _, left = weigh(header_clues(facts.put("described", ("temperature",), Origin.DECLARED)))
    assert ("air_temperature" in {one.value for one in left}) is possible


def test_a_unit_that_a_quantity_is_not_told_in_speaks_against_the_word(tmp_path: Path) -> None:
    write_raster(tmp_path / "file_17.tif", descriptions=("elevation profile",), band_tags={"UNIT": "degC"})
    assert understood(tmp_path)[0] is None


def test_radiance_in_the_unit_of_night_lights_is_theirs(tmp_path: Path) -> None:
    write_raster(tmp_path / "viirs_2013.tif", descriptions=("average radiance",), band_tags={"UNIT": "nW cm-2 sr-1"})
    assert understood(tmp_path)[0] == "night_lights"


def test_a_description_that_contradicts_the_name_is_told(tmp_path: Path) -> None:
    write_raster(tmp_path / "ndvi_2020.tif", descriptions=("elevation",))
    found = take_inventory(tmp_path)
    assert found.artifacts[0].fact("quantity") == "elevation"
    assert any("quantity is elevation" in note and "ndvi" in note for note in found.disagreements)


DEGREES = {"crs": "EPSG:4326", "transform": Affine(10 / 111320, 0, 14, 0, -10 / 111320, 46)}
AT_30_M = {**UTM, "transform": Affine(30, 0, 500000, 0, -30, 5100000)}


@pytest.mark.parametrize(
    ("names", "georeference", "expected"),
    [
        (("B2", "B3", "B4", "B8"), UTM, ("sentinel-2", ["blue", "green", "red", "nir"])),
        (("B2", "B3", "B4", "B8"), DEGREES, ("sentinel-2", ["blue", "green", "red", "nir"])),
        (("B02", "B8A", "B11"), AT_30_M, ("sentinel-2", ["blue", "nir08", "swir16"])),
        (("sur_refl_b01", "sur_refl_b02"), UTM, ("modis", ["red", "nir"])),
    ],
)
def test_the_names_of_the_bands_of_one_file_tell_their_sensor(
    tmp_path: Path, names: tuple[str, ...], georeference: dict[str, object], expected: tuple[str, list[str]]
) -> None:
    write_raster(tmp_path / "x.tif", count=len(names), descriptions=names, georeference=georeference)
    found = take_inventory(tmp_path).artifacts
    assert ({item.fact("sensor") for item in found}, [item.fact("bands")[0] for item in found]) == (
        {expected[0]},
        expected[1],
    )


def test_names_that_several_sensors_have_leave_them_as_candidates(tmp_path: Path) -> None:
    write_raster(tmp_path / "x.tif", count=3, descriptions=("B4", "B5", "B7"), georeference=AT_30_M)
    found = take_inventory(tmp_path)
    assert [item.fact("sensor") for item in found.artifacts] == [None]
    left = found.open[str(tmp_path / "x.tif"), None]
    assert {one.value for one in left} >= {"landsat-4-5-tm", "landsat-8-9-oli-tirs"}


def test_bands_that_are_only_numbered_tell_no_sensor(tmp_path: Path) -> None:
    write_raster(tmp_path / "x.tif", count=3, descriptions=("B1", "B2", "B3"))
    found = take_inventory(tmp_path)
    assert [item.fact("sensor") for item in found.artifacts] == [None]
    assert "bands" in {one.fact for left in found.open.values() for one in left}


@pytest.mark.parametrize(
    ("description", "unit", "expected"),
    [
        ("VV", "dB", {"sigma0_db", "gamma0_db"}),
        ("VV", None, {"sigma0", "sigma0_db", "gamma0", "gamma0_db"}),
        ("red", None, {"surface_bidirectional_reflectance", "toa_bidirectional_reflectance", "toa_radiance"}),
    ],
)
def test_a_band_makes_candidates_of_what_it_is_told_in(
    tmp_path: Path, description: str, unit: str | None, expected: set[str]
) -> None:
    tags = {"UNIT": unit} if unit else {}
    write_raster(tmp_path / "file_17.tif", descriptions=(description,), band_tags=tags)
    found = take_inventory(tmp_path)
    assert found.artifacts[0].fact("quantity") is None
    left = {one.value for one in found.open[str(tmp_path / "file_17.tif"), None] if one.fact == "quantity"}
    assert left - {"digital_number"} == expected


@pytest.mark.parametrize(("dtype", "scale"), [("int16", 0.01), ("float32", None)])
def test_numbers_packed_as_netcdf_does_are_told_apart_from_those_unpacked(
    tmp_path: Path, dtype: str, scale: float | None
) -> None:
    tags = {"scale_factor": "0.01", "add_offset": "273.15", "_FillValue": "-999"}
    write_raster(tmp_path / "file_17.tif", dtype=dtype, band_tags=tags)
    (found,) = take_inventory(tmp_path).artifacts
    offset, nodata = (273.15, -999.0) if scale else (None, None)
    assert (found.fact("scale"), found.fact("offset"), found.fact("nodata")) == (scale, offset, nodata)


def test_an_offset_that_is_taken_off_before_scaling_is_read_so(tmp_path: Path) -> None:
    """As the atmosphere products of MODIS say of themselves; cloud tops are at 150 K and more."""
    usage = "float value = scale_factor*(stored integer - add_offset)"
    packed = {"scale_factor": "0.01", "add_offset": "-15000", "Slope_and_Offset_Usage": usage}
    write_raster(tmp_path / "file_17.tif", dtype="int16", tags=packed)
    (found,) = take_inventory(tmp_path).artifacts
    stored = np.array([0.0, 7315.0, 12000.0])
    np.testing.assert_allclose(stored * found.fact("scale") + found.fact("offset"), 0.01 * (stored + 15000))


def test_a_file_of_nameless_bands_asks_for_their_names(tmp_path: Path) -> None:
    write_raster(tmp_path / "scene.tif", count=4)
    (group,) = take_inventory(tmp_path).groups
    assert group.assume == "scene:quantity=VALUE,bands=[...]"


@pytest.mark.parametrize(
    ("said", "expected"),
    [("time: mean", "mean"), ("area: mean time: maximum (interval: 1 hour)", "maximum"), ("time: point", None)],
)
def test_the_statistic_over_time_is_told_by_cell_methods(tmp_path: Path, said: str, expected: str | None) -> None:
    write_raster(tmp_path / "file_17.tif", band_tags={"cell_methods": said})
    assert take_inventory(tmp_path).artifacts[0].fact("statistic") == expected


@pytest.mark.parametrize(
    ("name", "description", "quantity"),
    [
        ("coherence_loss_20211025", "coherence of October minus coherence of September", "difference"),
        ("LST_2018-08-02", "hot spot score of LST", "hot_spot_score"),
        ("snow_cover", "days with snow cover", None),
        ("NDVI_2020", "trend of NDVI", None),
        ("NDVI_2020", "250m 16 days NDVI", "ndvi"),
        ("NDVI_2020", "B4", "ndvi"),
        ("NDVI_2020", "NDVI * 10000", None),
        ("orography", "geopotential / 9.80665", "elevation"),
        ("snow", "Snow depth water equivalent", "snow_water_equivalent"),
        ("NO2_2020", "tropospheric_NO2_column_number_density", "no2_column"),
        ("lake", "depth below the mean level of the lake", None),
    ],
)
def test_a_description_counts_over_a_name(tmp_path: Path, name: str, description: str, quantity: str | None) -> None:
    write_raster(tmp_path / f"{name}.tif", descriptions=(description,))
    taken = take_inventory(tmp_path)
    assert taken.artifacts[0].fact("quantity") == quantity


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("elevation above sea level", False),
        ("elevation above the mean water surface", False),
        ("days with elevation above a threshold", True),
    ],
)
def test_what_heights_are_counted_from_makes_nothing_else_of_them(text: str, other: bool) -> None:
    assert bool(not_of("elevation", [text])) is other


@pytest.mark.parametrize(
    ("quantity", "texts", "other"),
    [
        ("population_count", ["WorldPop, number of people per pixel, UN adjusted"], False),
        ("population_count", ["change of people per pixel"], True),
        ("precipitation", ["precip", "convective precipitation rate"], False),
        ("precipitation", ["number of days with precipitation"], True),
        ("precipitation", ["precipitation rate anomaly"], True),
        ("precipitation_rate", ["precipitation"], False),
    ],
)
def test_the_number_of_what_is_counted_and_what_falls_in_a_time_are_the_same(
    quantity: str, texts: list[str], other: bool
) -> None:
    assert bool(not_of(quantity, texts)) is other
