"""File names say what their grammar makes certain, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import forget
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.facts import Origin
from knowflow.reason.inventory import check_grammars, name_facts
from knowflow.reason.inventory.band_names import with_band_facts
from knowflow.reason.inventory.names import layer_facts, load_grammars

# beside these, every grammar's own examples are checked by check_grammars
NAMES: dict[str, dict[str, Any]] = {
    "Yellowstone National Park_sur_refl_b02_2021-06-10.tif": {"bands": ("nir",), "region": "Yellowstone National Park"},
    "Northeast Plain of China _NDVI_2021-04-07.tif": {"quantity": "ndvi", "region": "Northeast Plain of China"},
    "Los_Angeles_2015_built_volume_nres_2015-01-01.tif": {"quantity": "building_volume", "unit": "m3"},
    "Cape Town-South Africa_sur_refl_b07_2024-11-08.tif": {"bands": ("swir22",), "sensor": "modis"},
    "somerville_SR_B3_2018-01-10.tif": {"quantity": "surface_bidirectional_reflectance", "bands": None},
    "Thailand_MaxFRP_2018-01-01.tif": {"quantity": "fire_radiative_power", "unit": "MW"},
    "2023_07_01_0030_BT_31_Night.tif": {"daynight": "night", "datetime": "2023-07-01T00:30:00"},
    "geneva_ndwi_2022-08-01.tif": {"quantity": "ndwi", "unit": "1"},
    "CLM_2015-07-11T100008.tif": {"quantity": "cloud_mask", "datetime": "2015-07-11T10:00:08"},
    "T33TVM_20160601T100031_B04.jp2": {"level": "L1C", "quantity": "toa_bidirectional_reflectance", "scale": None},
    "LC08_L1TP_191028_20220601_20220610_02_T1_QA_PIXEL.TIF": {"quantity": "qa_bits", "nodata": 1},
    "LE07_L1TP_191028_20080601_20200610_02_T1_B6_VCID_1.TIF": {"bands": ("lwir",), "quantity": "digital_number"},
    "MOD13Q1.061__250m_16_days_NDVI_doy2022145_aid0001.tif": {"sensor": "modis", "quantity": "ndvi"},
    "worldcover.tif": {"quantity": "land_cover_class"},
    "Delta_VV_2022-01-01.tif": {"polarisation": None, "bands": ("vv",), "quantity": None},
    "folder/with spaces/Paris_avg_rad_2015-09-01.tif": {"quantity": "night_lights", "region": "Paris"},
    "Paris_2015-13-45_LST.tif": {"datetime": None},
    "Paris_2015-02-30_LST.tif": {"datetime": None},
    "lst_anomaly_2020-01-01.tif": {"quantity": None},
    "water_mask.tif": {"quantity": "water_mask"},
    "NDVI_mask_2020-01-01.tif": {"quantity": None},
    "MSI_2020-01-01.tif": {"quantity": None},
    "random.tif": {"quantity": None, "datetime": None, "layer": "random"},
    "B.tif": {"quantity": None},
}


def facts_of(name: str, dtype: str | None = None) -> Any:
    return with_band_facts(name_facts(name, dtype).facts)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says(name: str) -> None:
    found = facts_of(name)
    assert {fact: found.value(fact) for fact in NAMES[name]} == NAMES[name]


@given(st.text(max_size=40), st.sampled_from(["", "2020-01-01", "20200230", "S2_", "_B04", "LST", "NDVI", ".tif", "/"]))
def test_no_name_is_too_strange(text: str, part: str) -> None:
    found = name_facts(f"{text}_{part}_{text}.tif").facts
    assert all(fact.origin <= Origin.DECLARED for fact in found.values())
    assert found.value("quantity") is None or found.value("quantity") in quantity_kinds()


def test_the_packaged_grammars_are_valid_and_their_examples_hold() -> None:
    assert [str(problem) for problem in check_grammars()] == []
    assert len(load_grammars().files) >= 10


def test_what_is_usual_but_not_certain_is_assumed() -> None:
    unit = facts_of("Paris_2020-01-01_LST.tif").get("unit")
    assert (unit.value, unit.origin) == ("K", Origin.ASSUMED)
    assert facts_of("Paris_2020-01-01_LST.tif").get("quantity").origin == Origin.DECLARED


@pytest.mark.parametrize(
    ("name", "dtype", "scale", "offset"),
    [
        ("Sea_sur_refl_b01_2020-08-01.tif", "int16", 0.0001, None),
        ("Sea_sur_refl_b01_2020-08-01.tif", "float32", None, None),
        ("Sea_SR_B3_2020-08-01.tif", "uint16", 0.0000275, -0.2),
        ("Sea_SR_B3_2020-08-01.tif", "float64", None, None),
        ("MOD11A1.061_LST_Night_1km_doy2022152_aid0001.tif", "uint16", 0.02, None),
        ("LC08_L2SP_191028_20220601_20220610_02_T1_ST_B10.TIF", "uint16", 0.00341802, 149.0),
        ("T33TVM_20220601T100031_B04_10m.jp2", "uint16", 0.0001, -0.1),
        ("T33TVM_20210601T100031_B04_10m.jp2", "uint16", None, None),
        ("S2_2015-07-11T100008_B04.tif", "uint16", None, None),
        ("S2_2023-07-11T100008_B04.tif", "uint16", None, None),
        ("S2_2015-07-11T100008_B04.tif", "float32", None, None),
    ],
)
def test_scale_and_offset_depend_on_how_the_numbers_are_stored(
    name: str, dtype: str, scale: float | None, offset: float | None
) -> None:
    found = facts_of(name, dtype)
    assert (found.value("scale"), found.value("offset")) == (scale, offset)


def test_a_band_description_says_what_a_layer_says() -> None:
    assert layer_facts("LST_Day_1km", "uint16").facts.value("scale") == 0.02
    assert layer_facts("NDVI").facts.value("quantity") == "ndvi"
    assert not layer_facts("something else").facts


def test_every_declared_quantity_exists() -> None:
    grammars = load_grammars()
    declared = {
        clause.facts["quantity"]
        for meaning in (*grammars.files, *grammars.layers)
        for clause in meaning.clauses
        if "quantity" in clause.facts
    }
    assert declared
    assert declared <= set(quantity_kinds())


BROKEN = """\
- grammar: one
  title: One
  pattern: '{region}_{stuff}'
  source: here
- grammar: two
  title: Two
  pattern: '(unclosed'
  facts: {quantity: warmth, unit: bananas, speed: 3, scale: big}
  colour: red
  where:
    - {when: {planet: Mars}, facts: {quantity: ndvi}}
  source: here
- grammar: two
  title: Two again
  pattern: 'ab{layer}'
  source: here
- layer: three
  title: Three
  source: here
- nothing: here
"""


@pytest.fixture
def own_grammars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "config" / "pkb" / "grammars"
    folder.mkdir(parents=True)
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path / "config"))
    forget()
    yield folder
    forget()


def test_every_problem_of_a_grammar_is_reported_with_its_line(own_grammars: Path) -> None:
    path = own_grammars / "mine.yaml"
    path.write_text(BROKEN)
    found = {(problem.line, problem.code) for problem in check_grammars() if problem.file == str(path)}
    assert found == {
        (3, "unknown_macro"),
        (7, "bad_pattern"),
        (8, "unknown_quantity"),
        (8, "unknown_unit"),
        (8, "unknown_fact"),
        (8, "wrong_type"),
        (9, "unknown_key"),
        (11, "unknown_name"),
        (13, "duplicate_name"),
        (17, "missing_field"),
        (20, "wrong_type"),
    }
    with pytest.raises(DocumentError) as error:
        load_grammars()
    assert len(error.value.problems) >= 8


def test_an_example_that_does_not_hold_is_a_problem(own_grammars: Path) -> None:
    path = own_grammars / "mine.yaml"
    path.write_text(
        "- grammar: mine\n  title: Mine\n  pattern: 'mine_{date}'\n  facts: {quantity: ndvi}\n  source: here\n"
        "  examples:\n    mine_2020-01-01.tif: {quantity: lai}\n"
    )
    (problem,) = check_grammars()
    assert (problem.code, problem.line) == ("example", 7)


def test_a_users_grammar_is_tried_first(own_grammars: Path) -> None:
    (own_grammars / "mine.yaml").write_text(
        "- grammar: mine\n  title: Mine\n  pattern: 'NDVI_{date}'\n  facts: {quantity: evi}\n  source: here\n"
    )
    assert facts_of("NDVI_2020-01-01.tif").value("quantity") == "evi"
