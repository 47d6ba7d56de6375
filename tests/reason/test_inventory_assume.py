"""What the user says of files overrides everything, and nonsense is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.ground.errors import KnowFlowError, UnknownNameError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory import (
    AssumptionError,
    apply_assumptions,
    inventory_of_names,
    parse_assumptions,
    read_artifact,
    take_inventory,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("crs=EPSG:32633", ("crs", "EPSG:32633")),
        ("crs=32633", ("crs", "EPSG:32633")),
        ("resolution=10", ("resolution", (10.0, 10.0))),
        ("resolution=10x20", ("resolution", (10.0, 20.0))),
        ("scale=0.0001", ("scale", 0.0001)),
        ("nodata=0", ("nodata", 0.0)),
        ("quantity=NDVI", ("quantity", "ndvi")),
        ("unit=celsius", ("unit", "degC")),
        ("datetime=2022_06_01", ("datetime", "2022-06-01")),
        ("sensor=S2A", ("sensor", "sentinel-2a")),
        ("daynight=Night", ("daynight", "night")),
        ("cloud_masked=yes", ("cloud_masked", True)),
        ("bands=red", ("bands", ("red",))),
    ],
)
def test_a_fact_is_read(text: str, expected: tuple[str, Any]) -> None:
    (found,) = parse_assumptions([text])
    assert (found.fact, found.value) == expected


def test_several_facts_in_one_text_and_in_a_mapping_are_the_same() -> None:
    listed = parse_assumptions(["crs=EPSG:32633,resolution=10", "S2_*:scale=0.0001"])
    assert listed == parse_assumptions({"crs": "EPSG:32633", "resolution": 10, "S2_*:scale": 0.0001})


@pytest.mark.parametrize(
    "text",
    [
        "crs=EPSG:1",
        "crs=",
        "resolution=0",
        "resolution=1x2x3",
        "scale=0",
        "scale=big",
        "offset=inf",
        "quantity=flubber",
        "unit=bananas",
        "datetime=2022-13-01",
        "daynight=noon",
        "cloud_fraction=80",
        "sun_elevation=500",
        "sun_azimuth=-200",
        "cloud_masked=perhaps",
        "sensor=",
        "colour=red",
        "shape=3",
        "just words",
    ],
)
def test_what_cannot_be_assumed_is_a_named_error(text: str) -> None:
    with pytest.raises(KnowFlowError) as error:
        parse_assumptions([text])
    assert isinstance(error.value, AssumptionError | UnknownNameError)
    assert error.value.expected
    assert error.value.found


def test_an_unknown_fact_suggests_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean resolution"):
        parse_assumptions(["resolutoin=10"])


def test_a_file_without_georeference_gets_its_grid(tmp_path: Path) -> None:
    bare = read_artifact(write_raster(tmp_path / "a.tif", georeference=None))
    found = apply_assumptions(bare, parse_assumptions(["crs=EPSG:32633,resolution=10"]))
    assert found.fact("transform") == (10, 0, 0, 0, -10, 0)
    assert found.fact("bounds") == (0, -60, 80, 0)
    assert found.fact("grid") != bare.fact("grid")
    assert {found.facts[name].origin for name in ("crs", "transform", "grid")} == {Origin.USER}


def test_a_resolution_does_not_move_a_file_that_has_its_own(tmp_path: Path) -> None:
    own = read_artifact(write_raster(tmp_path / "a.tif"))
    assert apply_assumptions(own, parse_assumptions(["resolution=30"])) == own


def test_what_is_said_of_named_files_overrides_them_and_makes_another_grid(tmp_path: Path) -> None:
    own = read_artifact(write_raster(tmp_path / "a.tif"))
    found = apply_assumptions(own, parse_assumptions(["*:crs=EPSG:32634"]))
    assert (found.fact("crs"), found.fact("transform")) == ("EPSG:32634", own.fact("transform"))
    assert found.fact("grid") != own.fact("grid")


def test_what_is_said_of_all_files_fills_gaps_only(tmp_path: Path) -> None:
    own = read_artifact(write_raster(tmp_path / "a.tif", tags={"QUANTITY": "cloud_mask", "UNIT": "1"}, dtype="uint8"))
    said = parse_assumptions(["crs=EPSG:32634,quantity=ndvi,unit=K,nodata=255,sensor=S2"])
    found = apply_assumptions(own, said)
    assert (found.fact("crs"), found.fact("quantity"), found.fact("unit")) == ("EPSG:32633", "cloud_mask", "1")
    assert (found.fact("nodata"), found.fact("sensor")) == (255, "sentinel-2")


def test_what_is_said_of_all_files_overrides_what_is_only_usual() -> None:
    (dem,) = inventory_of_names(["dem.tif"], assume=["unit=ft"]).artifacts
    assert dem.fact("unit") == "ft"


@pytest.mark.parametrize(
    ("quantity", "dtype", "scaled"),
    [
        ("surface_bidirectional_reflectance", "uint16", True),
        ("surface_bidirectional_reflectance", "float32", True),
        ("surface_temperature", "uint16", True),
        ("ndvi", "int16", True),
        ("ndvi", "float32", False),
        ("cloud_mask", "uint8", False),
        ("elevation", "int16", False),
        (None, "uint16", True),
    ],
)
def test_a_scale_said_of_all_files_spares_those_it_cannot_be_meant_for(
    tmp_path: Path, quantity: str | None, dtype: str, scaled: bool
) -> None:
    tags = {"QUANTITY": quantity} if quantity else {}
    artifact = read_artifact(write_raster(tmp_path / "a.tif", tags=tags, dtype=dtype))
    assert apply_assumptions(artifact, parse_assumptions(["scale=0.1"])).fact("scale") == (0.1 if scaled else None)
    assert apply_assumptions(artifact, parse_assumptions(["a:scale=0.1"])).fact("scale") == 0.1


@pytest.mark.parametrize(
    ("quantity", "unit", "taken"),
    [("surface_temperature", "degC", True), ("elevation", "degC", False), ("elevation", "ft", True), (None, "K", True)],
)
def test_a_unit_said_of_all_files_spares_those_of_another_quantity(
    tmp_path: Path, quantity: str | None, unit: str, taken: bool
) -> None:
    write_raster(tmp_path / "a.tif", tags={"QUANTITY": quantity} if quantity else {})
    found = take_inventory(tmp_path, assume=[f"unit={unit}"])
    assert found.rasters[0].fact("unit") == (unit if taken else None)
    assert [text for text in found.disagreements if "changes nothing" in text] == (
        [] if taken else [f"--assume unit={unit} changes nothing: no file without one is of a quantity told in {unit}"]
    )


def test_an_assumption_that_changes_nothing_is_told(tmp_path: Path) -> None:
    write_raster(tmp_path / "a.tif")
    told = take_inventory(tmp_path, assume=["crs=EPSG:32634", "b*:unit=K", "quantity=ndvi"]).disagreements
    assert len(told) == 2
    assert "*:crs=..." in told[0]
    assert "no file is called b*" in told[1]


def test_a_vector_takes_no_raster_fact_said_of_all(tmp_path: Path) -> None:
    vector = Artifact("vector", path=str(tmp_path / "a.gpkg"))
    found = apply_assumptions(vector, parse_assumptions(["crs=EPSG:32633,quantity=ndvi,scale=2"]))
    assert dict(found.facts.items()).keys() == {"crs"}


@pytest.mark.parametrize(
    ("files", "applies"), [("a", True), ("a.tif", True), ("A*", True), ("b*", False), ("*/x/a*", True)]
)
def test_a_fact_may_be_said_of_some_files_only(tmp_path: Path, files: str, applies: bool) -> None:
    artifact = read_artifact(write_raster(tmp_path / "x" / "a.tif"))
    found = apply_assumptions(artifact, parse_assumptions([f"{files}:quantity=ndvi"]))
    assert found.fact("quantity") == ("ndvi" if applies else None)


def test_a_sensor_gives_a_band_its_meaning(tmp_path: Path) -> None:
    artifact = read_artifact(write_raster(tmp_path / "a.tif", tags={"BAND": "B4"}))
    assert artifact.fact("bands") is None
    for sensor, band in (("landsat-8", "red"), ("landsat-5", "nir"), ("sentinel-2", "red")):
        found = apply_assumptions(artifact, parse_assumptions([f"sensor={sensor}"]))
        assert found.fact("bands") == (band,)


def test_another_scale_outdates_the_statistics(tmp_path: Path) -> None:
    statistics = {"STATISTICS_MINIMUM": "10", "STATISTICS_MAXIMUM": "20", "KNOWFLOW_FINITE_FRACTION": "1"}
    artifact = read_artifact(write_raster(tmp_path / "a.tif", band_tags=statistics))
    assert artifact.fact("value_range") == (10, 20)
    assert apply_assumptions(artifact, parse_assumptions(["scale=0.1"])).fact("value_range") is None


_NAMED = st.from_regex(r"[A-Za-z][A-Za-z0-9_*?]{0,8}", fullmatch=True)
_SAID = st.dictionaries(
    st.sampled_from(("scale", "offset", "nodata")), st.integers(1, 99).map(float), min_size=1, max_size=3
)


@given(st.lists(st.tuples(_NAMED, _SAID), min_size=1, max_size=3))
def test_what_follows_a_file_name_in_one_option_is_of_that_file(options: list[tuple[str, dict[str, float]]]) -> None:
    text = ",".join(f"{name}:" + ",".join(f"{fact}={value}" for fact, value in said.items()) for name, said in options)
    wanted = [(name, fact, value) for name, said in options for fact, value in said.items()]
    assert [(one.files, one.fact, one.value) for one in parse_assumptions([text])] == wanted


@given(st.lists(st.sampled_from(("blue", "green", "red", "nir", "B8A")), min_size=1, max_size=5))
def test_a_list_is_read_with_brackets_and_without(bands: list[str]) -> None:
    bare = parse_assumptions([f"*:bands={','.join(bands)},scale=0.5"])
    assert bare == parse_assumptions([f"*:bands=[{', '.join(bands)}],scale=0.5"])
    assert [(one.fact, one.value) for one in bare] == [("bands", tuple(bands)), ("scale", 0.5)]
