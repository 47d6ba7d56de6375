"""A folder described once: what was understood is written down, and what is written there counts as if it were said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rasters import write_raster

from knowflow import KnowFlow
from knowflow.ground.errors import DocumentError
from knowflow.ground.yamldoc import load
from knowflow.model.dataset import DATASET_FILE, DescribedFiles
from knowflow.model.facts import Origin
from knowflow.reason.inventory import Inventory, read_file, take_inventory
from knowflow.reason.inventory import assume as assumed
from knowflow.reason.inventory.described import dataset_problems
from knowflow.reason.inventory.describing import description
from knowflow.service.knowledge import check_documents

MEANING = ("quantity", "unit", "datetime", "bands", "scale", "offset", "sensor", "level", "region", "polarisation")
NAMES = st.lists(
    st.sampled_from(
        [
            *(f"NDVI_2020-0{month}-01" for month in range(1, 5)),
            *("T33TVM_20220601T100031_B04_10m", "T33TVM_20170601T100031_B8A", "S2A_L2A_T33TVM_20220601_B08"),
            *("MOD11A1.061_LST_Day_1km_doy2022152_aid0001", "delta_dem", "sub/NDVI_2020-01-01", "qwerty", "x y (1)"),
            *("LC08_L2SP_191028_20220601_20220610_02_T1_SR_B4", "VV_2020-01-01", "deep/er/CLM_2020-01-01", "yes"),
        ]
    ),
    min_size=1,
    max_size=8,
    unique=True,
)


def meaning(inventory: Inventory) -> dict[str, dict[str, object]]:
    return {
        f"{Path(str(item.path)).relative_to(inventory.root)}:{item.band}": {name: item.fact(name) for name in MEANING}
        for item in inventory.artifacts
    }


def described(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DATASET_FILE).write_text(text)
    return folder / DATASET_FILE


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES)
def test_what_is_written_down_says_what_was_understood(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for number, name in enumerate(names):
        write_raster(folder / f"{name}.tif", shape=(3, 3 + number), dtype=("uint16", "float32")[number % 2])
    before = take_inventory(folder)
    path = described(folder, description(before))
    assert dataset_problems(path) == ()
    after = take_inventory(folder)
    assert meaning(after) == meaning(before)
    assert after.unknown == ()
    said = {str(item.path): item.facts for item in after.rasters if item.fact("quantity") is not None}
    assert all(facts["quantity"].origin == Origin.USER for facts in said.values())
    assert {facts["quantity"].source for facts in said.values()} <= {DATASET_FILE}


def test_a_candidate_is_said_by_taking_the_mark_away(tmp_path: Path) -> None:
    write_raster(tmp_path / "karst_one.tif", shape=(4, 4), tags={"QUANTITY": "ndvi"})
    write_raster(tmp_path / "karst_two.tif", shape=(4, 5))
    text = description(take_inventory(tmp_path))
    assert "  # quantity: ndvi  # perhaps: 'karst' in its name" in text
    described(tmp_path, text.replace("# quantity: ndvi", "quantity: ndvi"))
    assert [item.fact("quantity") for item in take_inventory(tmp_path).rasters] == ["ndvi", "ndvi"]


def test_dates_that_were_said_are_written_down_for_these_files_alone(tmp_path: Path) -> None:
    write_raster(tmp_path / "stack_1.tif", count=3, tags={"QUANTITY": "ndvi"})
    write_raster(tmp_path / "one_1.tif", tags={"QUANTITY": "ndvi"})
    before = take_inventory(tmp_path, assume=["stack_1:dates=2018-01-31/P1M", "one_1:datetime=2019"])
    described(tmp_path, description(before))
    write_raster(tmp_path / "one_2.tif", shape=(2, 2), tags={"QUANTITY": "ndvi"})
    dates = [item.fact("datetime") for item in take_inventory(tmp_path).rasters]
    assert dates == ["2019-01-01", None, "2018-01-31", "2018-02-28", "2018-03-31"]


def test_the_deeper_description_counts_and_an_option_counts_over_both(tmp_path: Path) -> None:
    for number, name in enumerate(("a/x.tif", "b/x.tif", "x.tif")):
        write_raster(tmp_path / name, shape=(3, 4 + number))
    described(tmp_path, "dataset: d\nlayers:\n- {files: [x.tif], quantity: ndvi, datetime: 2018}\n")
    described(tmp_path / "a", "dataset: d\nlayers:\n- {files: [x.tif], quantity: evi}\n")

    def found(*assume: str) -> list[str]:
        return [str(item.fact("quantity")) for item in take_inventory(tmp_path, assume=assume).rasters]

    assert found() == ["ndvi", "evi", "ndvi"]
    assert found("x:quantity=ndwi") == ["ndwi"] * 3
    described(tmp_path, "dataset: d\nlayers:\n- {files: [./x.tif, b/*.tif], quantity: ndvi}\n")
    assert found() == ["ndvi", "evi", "ndvi"]
    described(tmp_path, "dataset: d\nlayers:\n- {files: [./x.tif], quantity: ndvi}\n")
    assert found() == ["ndvi", "evi", "None"]
    assert read_file(tmp_path / "x.tif").fact("quantity") == "ndvi"
    assert take_inventory(tmp_path / "x.tif").rasters[0].fact("quantity") == "ndvi"


def test_a_described_stack_is_answered_by_its_bands(tmp_path: Path) -> None:
    write_raster(tmp_path / "stack.tif", count=4, dtype="uint16")
    said = "quantity: surface_bidirectional_reflectance, scale: 0.0001, offset: 0, bands: [blue, green, red, nir]"
    described(tmp_path, f"dataset: d\nlayers:\n- {{files: [stack.tif], {said}, datetime: 2018-06-01}}\n")
    result = KnowFlow(tmp_path / "home").run("What was the mean NDVI in June 2018?", tmp_path, out=tmp_path / "out")
    assert result.status == "completed"
    assert result.answer == pytest.approx(np.divide(1 - 1, 1 + 1))  # every band is 1


def test_what_is_wrong_is_told_with_its_line_before_anything_is_read(tmp_path: Path) -> None:
    write_raster(tmp_path / "x.tif")
    text = "dataset: d\nlayers:\n- files: [x.tif, nothing_*.tif]\n  quantity: ndv\n- files: []\n  scales: 1\n"
    path = described(tmp_path, text.replace("- files: []\n  scales: 1\n", ""))
    (problem,) = check_documents([path])
    assert (problem.line, problem.found) == (4, "'ndv'")
    assert "ndvi" in problem.hint
    with pytest.raises(DocumentError):
        take_inventory(tmp_path)
    path = described(tmp_path, text)
    assert {(one.line, one.code) for one in check_documents([path])} >= {(6, "unknown_key")}
    path = described(tmp_path, text.replace("ndv\n", "ndvi\n").replace("- files: []\n  scales: 1\n", ""))
    (warning,) = check_documents([path])
    assert (warning.line, warning.code, warning.severity) == (3, "fits_no_file", "warning")
    assert load(path).problems == ()


def test_a_description_takes_all_that_can_be_assumed() -> None:
    assert set(DescribedFiles.model_fields) - {"files"} == set(assumed._PARSERS)


def test_each_pattern_is_compared_once_with_each_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        write_raster(tmp_path / f"x_{number}.tif", shape=(2, 2 + number))
    described(tmp_path, "dataset: d\nlayers:\n- {files: ['x_*'], quantity: ndvi, unit: '1', level: L2A, scale: 1}\n")
    calls: list[str] = []
    fits = assumed.fnmatchcase
    monkeypatch.setattr(assumed, "fnmatchcase", lambda name, pattern: (calls.append(name), fits(name, pattern))[1])
    take_inventory(tmp_path)
    assert len(calls) <= 3 * 20
