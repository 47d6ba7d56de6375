"""Injected faults are what they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from fault_sites import site
from scene_examples import read

from knowflow.ground.errors import ToolError, UnknownNameError
from knowflow.model.template import Scene
from knowflow.model.tool import ToolSchema
from knowflow.testing.scenes import write_scene
from knowflow_bench.faults.injection import tools as faulty_tools
from knowflow_bench.faults.injection.answers import ANSWERS
from knowflow_bench.faults.injection.files import FILE_FAULTS, LAYER_FAULTS
from knowflow_bench.faults.injection.machine import MACHINE_FAULTS, damage, damage_inside, interrupted_by, lower, swap
from knowflow_bench.faults.injection.surroundings import KEY, SURROUNDINGS
from knowflow_bench.faults.injection.table import Fault, questions, table
from knowflow_bench.faults.injection.tools import faulty, standing_in


def test_the_tables_are_sound() -> None:
    first, second, third, fourth = (table(name) for name in ("first", "second", "third", "fourth"))
    assert len(first) >= 40
    assert len(second) >= 60
    assert 3 * sum(fault.repairable for fault in first) >= len(first)
    assert sum(not fault.fails for fault in first) >= 5
    assert len(third) >= 60
    assert 3 * sum(fault.repairable for fault in third) >= len(third) - 1
    assert len(fourth) >= 60
    kinds = [fault.kind for fault in (*first, *second, *third, *fourth)]
    assert len(set(kinds)) == len(kinds)
    with pytest.raises(UnknownNameError, match="first"):
        table("fifth")


def test_every_injector_of_the_tables_exists() -> None:
    known = {
        "throughout": set(SURROUNDINGS),
        "between": set(FILE_FAULTS),
        "request": {"set"},
        "data": {*LAYER_FAULTS, *FILE_FAULTS},
        "planned": set(FILE_FAULTS),
        "tool": {name for name in vars(faulty_tools) if not name.startswith("_")},
        "machine": {*MACHINE_FAULTS, "damaged_cache", "damaged_inside", "replaced_while_read", "shared_folder"},
        "llm": set(ANSWERS),
        "plan": {"unknown_tool", "unknown_argument", "missing_argument", "wrong_value"},
        "parameter": {"set"},
    }
    for fault in (*table("first"), *table("second"), *table("third"), *table("fourth"), *table("real")):
        for one in fault.injections:
            assert one.inject in known[one.when], (fault.kind, one.inject)


@pytest.mark.parametrize(
    "wrong",
    [
        {"fails": True},
        {"fails": False, "cause": ["timeout"]},
        {"fails": True, "cause": ["bad weather"]},
        {"fails": True, "cause": ["timeout"], "repairable": True},
        {"fails": False, "repairable": True, "by": "retry"},
    ],
)
def test_an_entry_that_contradicts_itself_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Fault.model_validate({"kind": "x", "title": "x", "questions": ["hot"], "inject": "cut"} | wrong)


def test_the_same_seed_makes_the_same_fault(tmp_path: Path) -> None:
    made = []
    for name in ("a", "b"):
        one = site(tmp_path / name, seed=7)
        FILE_FAULTS["fill"](one, value=-9999, share=0.05)
        made.append(np.stack([read(path) for path in one.rasters]))
    np.testing.assert_array_equal(made[0], made[1])
    assert 0.02 < float(np.mean(made[0] == -9999)) < 0.09


def test_values_change_and_tags_stay_unless_said(tmp_path: Path) -> None:
    one = site(tmp_path)
    before = read(tmp_path / "lst_2021-06-01.tif")
    FILE_FAULTS["values"](one, add=-273.15, quantity="surface_temperature")
    with rasterio.open(tmp_path / "lst_2021-06-01.tif") as source:
        assert source.tags()["UNIT"] == "K"
        np.testing.assert_allclose(source.read(1), before - 273.15, rtol=1e-5)
    FILE_FAULTS["tags"](one, quantity="surface_temperature", UNIT="degC", QUANTITY="")
    with rasterio.open(tmp_path / "lst_2021-06-01.tif") as source:
        assert source.tags()["UNIT"] == "degC"
        assert "QUANTITY" not in source.tags()


def test_integers_say_their_scale_only_where_they_should(tmp_path: Path) -> None:
    one = site(tmp_path, "water")
    FILE_FAULTS["integers"](one, factor=10000, dtype="uint16")
    path = one.rasters[0]
    with rasterio.open(path) as source:
        assert source.dtypes == ("uint16",)
        assert source.scales == (1.0,)
        assert "SCALE" not in source.tags()
    FILE_FAULTS["integers"](one, factor=1, dtype="uint16", say=True)
    with rasterio.open(path) as source:
        assert "SCALE" in source.tags()


def test_damaged_files_cannot_be_read(tmp_path: Path) -> None:
    for name in ("cut", "empty", "text"):
        one = site(tmp_path / name)
        FILE_FAULTS[name](one)
        (touched,) = one.touched
        with pytest.raises(rasterio.errors.RasterioError), rasterio.open(one.folder / touched) as source:
            source.read()


def test_a_file_cut_in_its_pixels_still_opens(tmp_path: Path) -> None:
    one = site(tmp_path)
    FILE_FAULTS["cut_pixels"](one)
    with pytest.raises(rasterio.errors.RasterioError), rasterio.open(tmp_path / one.touched[0]) as source:
        source.read()


@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")  # rasterio's own
def test_grids_move_and_turn(tmp_path: Path) -> None:
    one = site(tmp_path)
    layers = LAYER_FAULTS["layer"](one, shift=[0.5, 0.5], which="lst")
    assert [layer.shift for layer in layers] == [None, (0.5, 0.5)]
    FILE_FAULTS["rotated"](one)
    with rasterio.open(tmp_path / one.touched[0]) as source:
        assert source.transform.b != 0
    FILE_FAULTS["strip_crs"](one)
    with rasterio.open(one.rasters[0]) as source:
        assert source.crs is None
    FILE_FAULTS["reproject_one"](site(tmp_path / "r", "change_ndvi"), crs="EPSG:32634")
    crs = set()
    for path in sorted((tmp_path / "r").glob("*.tif")):
        with rasterio.open(path) as source:
            crs.add(str(source.crs))
    assert crs == {"EPSG:32633", "EPSG:32634"}


def test_names_are_swapped_and_copied(tmp_path: Path) -> None:
    one = site(tmp_path, "water")
    green = read(tmp_path / "S2_2021-06-01_green.tif")
    FILE_FAULTS["swap_names"](one)
    np.testing.assert_array_equal(read(tmp_path / "S2_2021-06-01_nir.tif"), green)
    count = len(one.rasters)
    FILE_FAULTS["copy"](one, add=0.1)
    assert len(one.rasters) == count + 1


def _tool(name: str) -> ToolSchema:
    return ToolSchema.model_validate(
        {
            "tool": "mean",
            "title": "Mean",
            "kit": "statistics",
            "layers": [2],
            "parameters": {"x": {"type": "list"}},
            "returns": {"type": "scalar"},
            "run": f"python:knowflow.tools.scalars:{name}",
        }
    )


def test_a_tool_fails_as_often_as_it_is_told_and_then_does_its_work(tmp_path: Path) -> None:
    with standing_in(_tool("mean"), tmp_path / "count", {"times": 2, "how": "busy"}):
        for _ in range(2):
            with pytest.raises(OSError, match="busy"):
                faulty_tools.passing(x=[1.0, 3.0])
        assert faulty_tools.passing(x=[1.0, 3.0]) == 2.0


def test_tools_refuse_break_and_lack_what_they_need(tmp_path: Path) -> None:
    with standing_in(_tool("mean"), tmp_path, {}):
        with pytest.raises(ToolError):
            faulty_tools.refuses(x=[1.0])
        with pytest.raises(KeyError):
            faulty_tools.defect(x=[1.0])
        with pytest.raises(MemoryError):
            faulty_tools.eats_memory(x=[1.0])
        with pytest.raises(ModuleNotFoundError):
            faulty_tools.needs_package(x=[1.0])
        with pytest.warns(UserWarning, match="talk"):
            assert faulty_tools.talks(x=[1.0, 2.0]) == 1.5


def test_what_must_be_ended_runs_in_a_process_of_its_own() -> None:
    schema = _tool("mean")
    assert schema.isolate == "thread"
    assert {name: faulty(schema, name).isolate for name in ("hangs", "crashes", "killed", "refuses")} == {
        "hangs": "process",
        "crashes": "process",
        "killed": "process",
        "refuses": "thread",
    }
    assert faulty(schema, "hangs").timeout_s == faulty_tools.SECONDS
    assert faulty(schema, "hangs", recovers=True).timeout_s == faulty_tools.PATIENCE


def test_a_full_disk_and_a_folder_that_takes_nothing(tmp_path: Path) -> None:
    import shutil

    out = tmp_path / "out"
    with MACHINE_FAULTS["no_room"](out):
        assert shutil.disk_usage(tmp_path).free == 1024
    with MACHINE_FAULTS["read_only"](out):
        (tmp_path / "beside").mkdir()
        with pytest.raises(PermissionError):
            out.mkdir()
    out.mkdir()


def test_damage_is_done_to_rasters_only(tmp_path: Path) -> None:
    write_scene(Scene(layers=questions()["hot"].layers, size=(16, 16)), tmp_path)
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    whole = (tmp_path / "lst_2021-07-01.tif").stat().st_size
    assert damage(tmp_path) == 1
    assert (tmp_path / "lst_2021-07-01.tif").stat().st_size == whole // 2
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "{}"


def test_damage_inside_keeps_size_and_time(tmp_path: Path) -> None:
    one = site(tmp_path)
    path = one.rasters[0]
    told, content = path.stat(), path.read_bytes()
    assert damage_inside(tmp_path) == len(one.rasters)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (told.st_size, told.st_mtime_ns)
    assert path.read_bytes() != content


def test_rasters_are_swapped_and_put_back_with_their_times(tmp_path: Path) -> None:
    one = site(tmp_path / "data")
    path = one.rasters[0]
    told, content = path.stat(), path.read_bytes()
    swap(one.folder, tmp_path / "aside")
    assert path.read_bytes() != content
    swap(one.folder, tmp_path / "aside")
    assert (path.stat().st_mtime_ns, path.read_bytes()) == (told.st_mtime_ns, content)


def test_another_has_its_turn_after_the_first_file(tmp_path: Path) -> None:
    out, seen = tmp_path / "out", []
    out.mkdir()
    for name in "ab":
        (tmp_path / name).write_text(name, encoding="utf-8")
    with interrupted_by(out, lambda: seen.append(sorted(path.name for path in out.iterdir()))):
        for name in "ab":
            (tmp_path / name).replace(out / name)
    assert seen == [["a"]]


def test_a_key_and_a_fetch_are_seen(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with SURROUNDINGS["secret_key"](tmp_path) as look:
        assert look(tmp_path) == ""
        (tmp_path / "home" / "trace.json").write_text(f"Bearer {KEY}", encoding="utf-8")
        assert "trace.json" in look(tmp_path)


def test_marks_are_gaps_that_nothing_declares(tmp_path: Path) -> None:
    one = site(tmp_path, "byte_index")
    FILE_FAULTS["mark"](one, quantity="ndvi", values=[254, 255], share=0.05)
    path = one.rasters[0]
    (gap,) = one.gaps[path.stem]
    np.testing.assert_array_equal(np.isin(read(path), (254, 255)), gap.mask)
    assert 0.05 < float(gap.mask.mean()) < 0.15
    with rasterio.open(path) as source:
        assert source.nodata is None


def test_long_pixels_hold_the_mean_of_what_they_cover(tmp_path: Path) -> None:
    one = site(tmp_path, "slope")
    before = read(one.rasters[0])
    FILE_FAULTS["stretched"](one, rows=4)
    with rasterio.open(one.rasters[0]) as source:
        assert (source.transform.a, source.transform.e) == (10, -40)
        np.testing.assert_allclose(source.read(1), before.reshape(12, 4, 48).mean(axis=1), rtol=1e-6)


def test_a_virtual_raster_shows_what_its_parts_hold(tmp_path: Path) -> None:
    one = site(tmp_path, "area_ndvi")
    before = read(one.rasters[0])
    FILE_FAULTS["virtual"](one)
    (path,) = tmp_path.glob("*.vrt")
    np.testing.assert_array_equal(read(path), before)
    FILE_FAULTS["other_parts"](one, add=5.0)
    np.testing.assert_allclose(read(path), before + 5, rtol=1e-6)
    with rasterio.open(path) as source:
        assert source.crs.to_epsg() == 32633


def test_world_files_say_where_rasters_lie(tmp_path: Path) -> None:
    one = site(tmp_path, "area_ndvi")
    with rasterio.open(one.rasters[0]) as source:
        place = source.transform
    FILE_FAULTS["world_files"](one)
    with rasterio.open(one.rasters[0]) as source:
        assert source.transform.almost_equals(place)
        assert source.crs.to_epsg() == 32633
    FILE_FAULTS["world_files"](one, times=2)
    with rasterio.open(one.rasters[0]) as source:
        assert source.transform.a == 2 * place.a


def test_a_sidecar_is_believed_by_gdal(tmp_path: Path) -> None:
    one = site(tmp_path, "area_ndvi")
    FILE_FAULTS["sidecar"](one, crs="EPSG:32634")
    with rasterio.open(one.rasters[0]) as source:
        assert source.crs.to_epsg() == 32634


def test_lower_numbers_are_those_of_the_lower_half(tmp_path: Path) -> None:
    one = site(tmp_path, "area_ndvi")
    before = read(one.rasters[0])
    lower(tmp_path)
    after = read(one.rasters[0])
    np.testing.assert_array_equal(after[:24], before[:24])
    assert float(after[24:].max()) == float(before.min())
