"""Band tables: facts of the sensors, forgiving names, and no guess where sensors disagree."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground import bands
from knowflow.ground.bands import (
    COMMON_NAMES,
    band,
    called_twice,
    common_name,
    sensor_bands,
    substitutes,
    validate_bands,
)
from knowflow.ground.kept import forget
from knowflow.ground.resources import packaged_root
from knowflow.ground.yamldoc import load

SENSORS = (
    *("sentinel-2", "sentinel-2a", "sentinel-2b", "sentinel-1"),
    *("landsat-4-5-tm", "landsat-7-etm", "landsat-8-9-oli-tirs", "modis", "aster", "viirs", "microwave-radiometer"),
    *("planetscope", "venus", "cbers-4", "cbers-4a-wpm", "cbers-4-pan", "cbers-4-wfi", "amazonia-1-wfi", "resourcesat"),
)


def test_bands_counted_as_usual_tell_no_rare_sensor() -> None:
    assert bands.sensors_with(["B4", "B3", "B2"], 5) == bands.sensors_with(["B4", "B3", "B2"], 11)
    assert not {"venus", "cbers-4-pan"} & set(bands.sensors_with(["B2", "B3", "B4"]))
    assert common_name("B13") is None  # ASTER has a thermal band there, CBERS a blue one


def test_the_packaged_tables_have_no_problems() -> None:
    assert validate_bands() == ()


@pytest.mark.parametrize(
    ("sensor", "name", "common", "centre"),
    [
        ("sentinel-2", "B8A", "nir08", 865),
        ("sentinel-2", "B08", "nir", 842),
        ("S2A", "B04", "red", 664.6),
        ("Sentinel-2B", "b12", "swir22", 2185.7),
        ("S2A", "B5", "rededge1", 704.1),
        ("LANDSAT_5", "B4", "nir", 830),
        ("landsat-7", "B6_VCID_1", "lwir", 11450),
        ("landsat-8", "B4", "red", 654.59),
        ("LC09", "SR_B5", "nir08", 864.67),
        ("landsat-8", "B10", "lwir11", 10895),
        ("landsat-9", "B11", "lwir12", 12005),
        ("modis", "sur_refl_b01", "red", 645),
        ("modis", "sur_refl_b02", "nir", 858.5),
        ("MODIS", "b05", None, 1240),
        ("modis", "b17", None, 905),
        ("modis", "b18", None, 936),
        ("modis", "B31", "lwir11", 11030),
        ("modis", "B32", "lwir12", 12020),
        ("aster", "B3N", "nir", 820),
        ("aster", "B10", None, 8300),
        ("aster", "B14", None, 11300),
        ("S1A", "VH", "vh", None),
        ("VENUS", "B4", "green", 555),
        ("CBERS_4A_WFI", "BAND16", "nir", 830),
        ("CBERS_4A_WPM", "BAND3", "red", 660),
        ("LISS3", "BAND5", "swir16", 1625),
    ],
)
def test_bands_are_where_the_instruments_have_them(
    sensor: str, name: str, common: str | None, centre: float | None
) -> None:
    found = band(sensor, name)
    assert found is not None
    assert (found.common_name, found.centre) == (common, centre)


def test_sensors_have_the_bands_they_have() -> None:
    assert [one.name for one in sensor_bands("S2A")] == [
        *("B01", "B02", "B03", "B04", "B05", "B06", "B07", "B08", "B8A", "B09", "B10", "B11", "B12")
    ]
    assert [one.name for one in sensor_bands("modis")][-5:] == ["B17", "B18", "B19", "B31", "B32"]
    assert sensor_bands("no such sensor") == ()


def test_a_band_is_found_by_its_common_name_too() -> None:
    found = band("landsat-8", "nir08")
    assert found is not None
    assert found.name == "B5"
    assert band("sentinel-2", "SWIR 1") == band("sentinel-2", "B11")


def test_unknown_bands_and_sensors_are_none() -> None:
    assert band("sentinel-2", "B13") is None
    assert band("sputnik", "B01") is None


@pytest.mark.parametrize(
    ("name", "common"),
    [
        ("B8A", "nir08"),
        ("sur_refl_b01", "red"),
        ("NIR", "nir"),
        ("Red Edge 1", "rededge1"),
        ("rededge071", "rededge1"),
        ("swir2", "swir22"),
        ("VV", "vv"),
        ("ST_B10", "lwir11"),
        ("B6_VCID_2", "lwir"),
    ],
)
def test_names_that_only_one_band_bears_need_no_sensor(name: str, common: str) -> None:
    assert common_name(name) == common


@pytest.mark.parametrize("name", ["B4", "B04", "SR_B4", "B11", "B12", "B5", "1", "nonsense"])
def test_names_on_which_sensors_disagree_are_not_guessed(name: str) -> None:
    assert common_name(name) is None


@pytest.mark.parametrize("sensor", SENSORS)
def test_a_common_name_or_spelling_means_one_band_of_a_sensor(sensor: str) -> None:
    listed = sensor_bands(sensor)
    assert listed
    commons = [one.common_name for one in listed if one.common_name]
    assert len(commons) == len(set(commons))
    for one in listed:
        for spelling in (one.name, *one.aliases):
            assert band(sensor, spelling) == one


def test_no_spelling_means_two_packaged_sensors() -> None:
    meant: dict[str, str] = {}
    for file in packaged_root("pkb").glob("bands/*.yaml"):
        data = load(file).data
        assert isinstance(data, list)
        for entry in data:
            for spelling in (entry["sensor"], *entry["aliases"]):
                assert meant.setdefault(bands._plain(spelling), entry["sensor"]) == entry["sensor"]
    assert set(meant.values()) == set(SENSORS)


def test_substitutes_are_common_names() -> None:
    assert substitutes("nir") == ("nir08",)
    assert substitutes("red") == ()
    assert {other for name in COMMON_NAMES for other in substitutes(name)} <= set(COMMON_NAMES)


def test_all_mistakes_of_a_table_are_reported_with_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".knowflow" / "pkb" / "bands"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(
        "- sensor: mine\n  titel: x\n  bands:\n    - {name: a, common: purple, resolution: 1}\n"
        "    - {name: b, centre: 0.65}\n    - c\n- 5\n"
    )
    monkeypatch.chdir(tmp_path)
    found = [(problem.code, problem.line) for problem in validate_bands()]
    assert sorted(found, key=lambda item: (item[1], item[0])) == [
        ("missing_field", 1),
        ("unknown_key", 2),
        ("unknown_name", 4),
        ("missing_field", 5),
        ("out_of_range", 5),
        ("wrong_type", 6),
        ("wrong_type", 7),
    ]


def test_a_project_can_describe_its_own_sensor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".knowflow" / "pkb" / "bands"
    folder.mkdir(parents=True)
    (folder / "drone.yaml").write_text(
        "- {sensor: drone, title: Drone, bands: [{name: CH1, common: red, centre: 650, resolution: 0.1}]}\n"
    )
    monkeypatch.chdir(tmp_path)
    forget()
    try:
        found = band("drone", "ch1")
        assert found is not None
        assert found.common_name == "red"
    finally:
        forget()


def test_a_band_that_is_called_twice_is_that_of_both_names() -> None:
    said = ("B08 near infrared", "red (B04)", "B04 blue", "May 2022", "NDVI 2")
    assert [called_twice(text) for text in said] == ["B08", "B04", None, None, None]
