"""Runs that meet faults: repaired with the right answer, or refused with the cause; finished work stays finished."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow.execution.events import Diagnosed, Event, NodeEnded, PlanRepaired
from knowflow.execution.run_store import load_run
from knowflow.knowledge.success_record import SuccessRecord
from knowflow.model.artifact import series
from knowflow.model.facts import Origin
from knowflow.model.plan import Plan
from knowflow.model.template import Scene
from knowflow.model.workflow import FromInput, FromNode, Given, Node, Workflow
from knowflow.question.form import expression_of
from knowflow.reason.inventory import take_inventory
from knowflow.roof.library import KnowFlow
from knowflow.service.results import RunResult
from knowflow.testing.scenes import write_scene

NDVI = {"name": "field", "quantity": "ndvi", "values": "x", "dates": ["2021-06-01"]}
DATES = ["2021-06-01", "2021-07-01", "2021-08-01"]


MEAN_OVER_TIME = "over(over(ndvi, time, mean), space, mean)"
MEAN_NDVI = "over(over(ndvi, space, mean), time, mean)"
MEAN_LST = "over(over(surface_temperature, space, mean), time, mean)"

MEDIAN_LST = "over(surface_temperature, time, median)"


class Lab:
    """A folder for data, a home, and questions asked of them."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.home = folder / "home"
        self.events: list[Event] = []

    def scene(self, *layers: dict[str, Any]) -> Lab:
        write_scene(Scene.model_validate({"size": [32, 32], "layers": list(layers)}), self.data)
        return self

    def spoil(self, change: Any, name: str = "*.tif", tags: dict[str, str] | None = None) -> Lab:
        """Change the stored numbers of files in place, their headers staying as they are."""
        for path in sorted(self.data.glob(name)):
            with rasterio.open(path, "r+") as file:
                file.write(change(file.read(1)).astype(file.dtypes[0]), 1)
                file.update_tags(**(tags or {}))
        return self

    def ask(self, text: str, **options: Any) -> RunResult:
        asked, _ = expression_of(text)
        assert asked is not None, text
        return KnowFlow(self.home).run(
            asked,
            self.data,
            out=self.home / "out",
            on_event=self.events.append,
            **options,
        )


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def rules_of(found: RunResult) -> list[str]:
    assert found.trace is not None
    return [repair.by for repair in found.trace.repairs]


def causes_of(found: RunResult) -> list[str]:
    return [diagnosis["cause"] for diagnosis in found.diagnoses]


def test_a_run_without_a_fault_is_never_edited(lab: Lab) -> None:
    found = lab.scene(NDVI).ask(MEAN_OVER_TIME)
    assert found.status == "completed"
    assert (found.repairs, found.diagnoses, rules_of(found)) == (0, (), [])
    assert not any(isinstance(event, (Diagnosed, PlanRepaired)) for event in lab.events)


def test_undeclared_nodata_is_left_out_and_told(lab: Lab) -> None:
    lab.scene(NDVI).spoil(lambda values: np.where(values < 0.25, -9999, values))
    found = lab.ask(MEAN_OVER_TIME)
    assert found.answer == pytest.approx(0.625)
    assert rules_of(found) == ["rule:declare_nodata_of_spike"]
    assert any("-9999" in str(assumption) for assumption in found.assumptions)
    assert any(isinstance(event, Diagnosed) for event in lab.events)
    assert any(isinstance(event, PlanRepaired) for event in lab.events)


def test_degrees_celsius_that_are_said_to_be_kelvin_are_converted(lab: Lab) -> None:
    lst = {
        "name": "lst",
        "quantity": "surface_temperature",
        "unit": "K",
        "values": "290 + 20 * x + 2 * i",
        "dates": DATES,
    }
    right = lab.scene(lst).ask(MEAN_LST)
    lab.spoil(lambda values: values - 273.15, "*07-01*.tif")
    found = lab.ask(MEAN_LST)
    assert found.answer == pytest.approx(right.answer, abs=1e-3)
    assert rules_of(found) == ["rule:celsius_said_to_be_kelvin"]
    assert any("degC" in str(assumption) for assumption in found.assumptions)


def test_the_dates_that_a_repair_does_not_touch_are_not_computed_again(lab: Lab) -> None:
    lst = {
        "name": "lst",
        "quantity": "surface_temperature",
        "unit": "K",
        "values": "290 + 20 * x + 2 * i",
        "dates": DATES,
    }
    lab.scene(lst).spoil(lambda values: values - 273.15, "*08-01*.tif")
    assert lab.ask(MEAN_LST).status == "completed"
    done = [event.record.node for event in lab.events if isinstance(event, NodeEnded) and event.record.status == "done"]
    assert len(done) == len(set(done))


def test_what_the_user_said_is_not_overridden(lab: Lab) -> None:
    lst = {"name": "lst", "quantity": "surface_temperature", "unit": "K", "values": "290 + 20 * x", "dates": DATES[:1]}
    lab.scene(lst).spoil(lambda values: values - 273.15)
    found = lab.ask(MEAN_LST, assume=["*:unit=K"])
    assert found.status == "failed"
    assert causes_of(found) == ["unit_wrong"]
    assert found.trace is not None
    assert any("you said so" in reason for refusal in found.trace.refusals for reason in refusal.reasons)


def test_integers_without_a_scale_are_scaled_where_one_factor_only_is_in_use(lab: Lab) -> None:
    lab.scene({**NDVI, "dtype": "int16", "values": "8000 * x"})
    found = lab.ask(MEAN_OVER_TIME)
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(0.4, abs=1e-3)
    assert (found.repairs, rules_of(found)) == (0, []), "the plan says it"
    assert any(str(one).startswith("scale of ") and "0.0001" in str(one) for one in found.assumptions)


def test_what_is_said_of_a_file_is_a_fact_of_it_and_no_copy(lab: Lab) -> None:
    """The graph stays as it was planned; answer and graph are those of who says it beforehand."""
    lab.scene({**NDVI, "values": "where(x < 0.25, 0, x)"}).spoil(lambda values: np.where(values == 0, -9999, values))
    found = lab.ask(MEAN_OVER_TIME)
    said = lab.ask(MEAN_OVER_TIME, assume=["*:nodata=-9999"])
    assert found.answer == said.answer == pytest.approx(0.625)
    assert found.trace is not None
    assert said.trace is not None
    assert found.trace.plan.workflow == said.trace.plan.workflow
    (repair,) = found.trace.repairs
    assert [edit.to_json()["facts"] for edit in repair.edits] == [{"nodata": -9999}]
    assert load_run(str(found.run_id), lab.home).repairs == found.trace.repairs


def test_a_second_number_for_missing_data_leaves_the_declared_one_missing(lab: Lab) -> None:
    lab.scene({**NDVI, "values": "1 - x", "dtype": "int16", "nodata": 0})

    def with_both(stored: Any) -> Any:
        stored[:8], stored[8:16] = 0, -9999
        return stored

    (path,) = lab.data.glob("*.tif")
    with rasterio.open(path, "r+") as file:
        values = np.round(10_000 * (1 - (np.arange(32) + 0.5) / 32)).astype(np.int16)
        file.write(with_both(np.tile(values, (32, 1))), 1)
        file.update_tags(SCALE="0.0001", OFFSET="0")
    found = lab.ask(MEAN_OVER_TIME)
    assert found.answer == pytest.approx(1e-4 * values.mean())
    assert rules_of(found) == ["rule:declare_nodata_beside_another"]


def test_without_repairs_there_is_the_cause_and_nothing_is_changed(lab: Lab) -> None:
    lab.scene(NDVI).spoil(lambda values: np.where(values < 0.25, -9999, values))
    found = lab.ask(MEAN_OVER_TIME, max_repairs=0)
    assert (found.status, found.answer, found.repairs) == ("failed", None, 0)
    assert causes_of(found) == ["nodata_undeclared"]
    assert "tif:nodata=-9999'" in found.diagnoses[0]["advice"]


def test_a_file_that_is_cut_before_its_directory_is_left_out_and_told(lab: Lab) -> None:
    noise = {**NDVI, "values": "sin(977 * x) * sin(1313 * y)"}
    lab.scene(noise, {**noise, "dates": ["2021-07-01"]})
    path = next(lab.data.glob("*07-01*.tif"))
    with rasterio.open(path) as file:
        profile, values = file.profile, file.read(1)
        tags = file.tags()
    with rasterio.open(path, "w", **{**profile, "compress": "none", "tiled": False}) as file:
        file.write(values, 1)
        file.update_tags(**tags)
    path.write_bytes(path.read_bytes()[:3000])
    found = lab.ask(MEAN_OVER_TIME)
    assert found.status == "completed", found.error
    assert any(path.name in note for note in found.notes)


def test_clouds_over_every_scene_are_named_and_not_averaged(lab: Lab) -> None:
    clouds = {"name": "clouds", "quantity": "cloud_mask", "values": "x > -1", "dtype": "uint8", "dates": DATES}
    found = lab.scene({**NDVI, "dates": DATES}, clouds).ask(MEAN_OVER_TIME)
    assert (found.status, found.answer) == ("failed", None)
    assert causes_of(found)[-1] == "too_cloudy"
    assert found.error is not None
    assert f"{DATES[0]}: every pixel is cloud or no data" in found.error["message"]
    assert "including clouds" in found.error["hint"]


def test_a_number_that_many_pixels_hold_is_told_and_missing_once_that_is_said(lab: Lab) -> None:
    lab.scene({**NDVI, "values": "0.5 + 0.3 * sin(97 * x * y)"}).spoil(lambda values: np.where(values > 0.5, 0, values))
    found = lab.ask(MEAN_OVER_TIME)
    (note,) = found.notes
    assert "of the pixels hold the value 0 (their mean is " in note
    assert lab.ask(MEAN_OVER_TIME).notes[0] == note, "from the cache too"
    said = lab.ask(MEAN_OVER_TIME, assume=[note.partition("--assume '")[2].rstrip("'")])
    assert not [one for one in said.notes if "hold the value" in one]
    assert said.answer > found.answer + 0.1


def test_every_kind_of_doubt_is_told_once_and_of_how_many_files(lab: Lab) -> None:
    lab.scene({**NDVI, "values": "0.5 + 0.3 * sin((97 + i) * x * y)", "dates": DATES})
    lab.spoil(lambda values: np.where(values > 0.7, 0, values), "*-0[67]-01.tif")

    def one_pixel(values: Any) -> Any:
        values[3, 3] = 2.5
        return values

    found = lab.spoil(one_pixel, "*08-01.tif").ask(MEAN_OVER_TIME)
    zeros, more, stray = found.notes
    assert "hold the value 0 (their mean is" in zeros
    assert more == "so it is of 1 more file"
    assert "1 of 1024 pixels looked at hold 2.5" in stray


def test_a_date_that_is_all_cloud_does_not_count_and_is_told(lab: Lab) -> None:
    clouds = {"name": "clouds", "quantity": "cloud_mask", "values": "i < 1", "dtype": "uint8", "dates": DATES}
    found = lab.scene({**NDVI, "values": "0.5 * (i > 0)", "dates": DATES}, clouds).ask(MEAN_OVER_TIME)
    assert (found.status, found.answer) == ("completed", pytest.approx(0.5))
    (note,) = found.notes
    assert note.startswith(f"1 of {len(DATES)} dates")
    assert note.endswith(f": {DATES[0]}")


def test_layers_of_different_places_are_told_apart_before_anything_runs(lab: Lab) -> None:
    lst = {"name": "lst", "quantity": "surface_temperature", "unit": "K", "values": "300 + y", "dates": DATES[:1]}
    lab.scene(NDVI, {**lst, "shift": [9000, 9000]})
    found = lab.ask("correlate(over(ndvi, time, median), over(surface_temperature, time, median), space)")
    assert found.status == "refused"
    assert causes_of(found) == ["no_overlap"]


def test_the_record_of_a_repaired_run_has_the_graph_before_and_after(lab: Lab) -> None:
    lab.scene(NDVI).spoil(lambda values: np.where(values < 0.25, -9999, values))
    found = lab.ask(MEAN_OVER_TIME)
    assert found.run_id is not None
    trace = load_run(found.run_id, lab.home)
    (repair,) = trace.repairs
    assert set(repair.new) == set(trace.plan.workflow.by_id) - set(repair.before.by_id)
    assert repair.diagnosis.cause == "nodata_undeclared"
    assert repair.failed.error is not None
    assert SuccessRecord(lab.home).all() == {"declare_nodata_of_spike": (1, 1)}


def test_what_a_run_did_is_explained(lab: Lab) -> None:
    lab.scene(NDVI).spoil(lambda values: np.where(values < 0.25, -9999, values))
    found = lab.ask(MEAN_OVER_TIME)
    assert found.run_id is not None
    explained = KnowFlow(lab.home).explain_repairs(found.run_id)
    (failure,) = explained.failures
    assert failure.applied[0] == "declare_nodata_of_spike"
    assert "declare_fill_of_mask" in dict(failure.passed_over)


def test_a_question_that_is_refused_has_a_diagnosis(lab: Lab) -> None:
    found = lab.scene(NDVI).ask(MEAN_LST)
    assert found.status == "refused"
    assert causes_of(found) == ["data_missing"]


# --- on real imagery ------------------------------------------------------------------------------------------------


def test_real_ndvi_with_undeclared_gaps_gives_the_answer_of_the_rest(slovenia: Path, tmp_path: Path) -> None:
    """Gaps of -9999 burnt into two real dates: the repaired answer is that of the same data with the gaps declared."""
    lab = Lab(tmp_path)
    lab.data.mkdir()
    files = sorted((slovenia / "ndvi").glob("*.tif"))[:6]
    for path in files:
        shutil.copy(path, lab.data / path.name)
    expected = []
    for number, path in enumerate(files):
        with rasterio.open(path) as file:
            values = file.read(1).astype(np.float64)
            if file.nodata is not None and not np.isnan(file.nodata):
                values[values == file.nodata] = np.nan
        if number in (1, 4):
            values[:20] = np.nan
            with rasterio.open(lab.data / path.name, "r+") as file:
                stored = file.read(1)
                stored[:20] = -9999
                file.write(stored, 1)
        expected.append(values)
    found = lab.ask(MEAN_NDVI)
    assert found.status == "completed", found.error
    means = [float(np.nanmean(values)) for values in expected if np.isfinite(values).any()]
    assert found.answer == pytest.approx(np.mean(means), abs=1e-4)
    assert set(rules_of(found)) == {"rule:declare_nodata_of_spike"}


def test_what_is_delivered_beside_the_answer_is_repaired_as_well(lab: Lab) -> None:
    lst = {"name": "lst", "quantity": "surface_temperature", "unit": "K", "values": "290 + 20 * x", "dates": DATES[:1]}
    lab.scene(lst).spoil(lambda values: values - 273.15)
    share, lst_map = f"over(beyond({MEDIAN_LST}, above, '300 K'), space, share)", f"show({MEDIAN_LST}, map)"
    found = lab.ask(f"several({{'share': {share}, 'lst': {lst_map}}})")
    assert found.status == "completed", found.error
    assert found.values["share"]["value"] == pytest.approx(0.5)
    with rasterio.open(found.outputs["lst_map"]) as file:
        assert 290 <= np.nanmin(file.read(1)) <= np.nanmax(file.read(1)) <= 310


def test_speckle_is_filtered_where_it_hides_two_groups(lab: Lab) -> None:
    """IF tool('otsu_threshold') fails on data(SAR) with error('low_contrast') THEN insert_tool('despeckle')."""
    sar = {"name": "s1", "quantity": "sigma0", "unit": "1", "values": "where(x < 0.3, 0.01, 0.05)", "dates": DATES[:1]}
    write_scene(Scene.model_validate({"size": [128, 128], "layers": [sar]}), lab.data)
    chance = np.random.default_rng(7)
    lab.spoil(lambda values: values * chance.gamma(4.4, 1 / 4.4, values.shape))
    raster = take_inventory(lab.data).rasters[0]
    nodes = (
        Node("limit", "otsu_threshold", {"raster": FromInput("s1")}, 2),
        Node(
            "water", "threshold", {"raster": FromInput("s1"), "threshold": FromNode("limit"), "side": Given("below")}, 2
        ),
        Node("share", "mask_share", {"mask": FromNode("water")}, 2),
    )
    plan = Plan("water", "", Workflow(nodes), {"s1": raster}, outputs={"answer": FromNode("share")})
    refused = KnowFlow(lab.home).run(plan, out=lab.home / "out", max_repairs=0)
    assert (refused.status, causes_of(refused)) == ("failed", ["low_contrast"])
    found = KnowFlow(lab.home).run(plan, out=lab.home / "out")
    assert rules_of(found) == ["rule:speckle_before_threshold"]
    assert found.answer == pytest.approx(0.3, abs=0.05)
    assert found.trace is not None
    workflow = found.trace.plan.workflow
    assert workflow.node("limit").args["raster"] == workflow.node("water").args["raster"] == FromNode("limit.despeckle")


# --- missing data inside of what is possible ------------------------------------------------------------------------


def test_flags_of_an_index_in_one_byte_are_missing_and_told(lab: Lab) -> None:
    lab.scene({**NDVI, "dtype": "uint8", "values": "floor(110 + 80 * x)", "nodata": 0})
    (path,) = lab.data.glob("*.tif")
    with rasterio.open(path, "r+") as file:
        stored = file.read(1)
        stored[:3], stored[3:5] = 254, 255
        file.write(stored, 1)
        file.update_tags(SCALE="0.004", OFFSET="-0.08")
    found = lab.ask(MEAN_OVER_TIME)
    assert found.answer == pytest.approx((stored[5:] * 0.004 - 0.08).mean(), abs=1e-6)
    assert rules_of(found) == ["rule:declare_flags_at_the_end_of_a_type"]
    assert any("254 to 255" in str(one) for one in found.assumptions)


# --- reflectance with or without the offset of Sentinel-2 ------------------------------------------------------------

SENTINEL_2 = {"name": "S2", "quantity": "surface_bidirectional_reflectance", "sensor": "sentinel-2", "dtype": "uint16"}
DRY = {"red": "floor(1500 + 800 * x)", "nir": "floor(2800 + 1500 * y)"}


def ndvi_of(lab: Lab, *scenes: tuple[str, dict[str, str]], **options: Any) -> RunResult:
    lab.scene(*({**SENTINEL_2, "dates": [date], "bands": bands} for date, bands in scenes))
    return lab.ask(MEAN_OVER_TIME, **options)


def test_reflectance_that_is_bright_everywhere_is_asked_about(lab: Lab) -> None:
    """Of what date ever: older scenes have been reprocessed with the offset."""
    found = ndvi_of(lab, ("2021-06-01", DRY))
    assert (found.answer, causes_of(found)[0]) == (None, "scale_missing")
    x = (np.arange(32) + 0.5) / 32
    red, nir = np.floor(1500 + 800 * x)[np.newaxis], np.floor(2800 + 1500 * x)[:, np.newaxis]
    for offset in (0, -0.1):
        said = ["S2_2021-06-01_*:scale=0.0001", f"S2_2021-06-01_*:offset={offset}"]
        assert " ".join(f"--assume '{one}'" for one in said) in found.diagnoses[0]["advice"]
        truth = ((nir - red) / (nir + red + 20000 * offset)).mean()
        assert lab.ask(MEAN_OVER_TIME, assume=said).answer == pytest.approx(truth, abs=1e-5)


@pytest.mark.parametrize("dark", ["same scene", "other date"])
def test_one_dark_place_in_any_band_of_a_product_tells_that_there_is_no_offset(lab: Lab, dark: str) -> None:
    forest = {"red": "floor(200 + 800 * x)", "nir": DRY["nir"]}
    scenes = [("2021-06-01", forest)] if dark == "same scene" else [("2021-06-01", DRY), ("2021-07-01", forest)]
    found = ndvi_of(lab, *scenes)
    assert found.status == "completed", found.error
    assert (rules_of(found), found.diagnoses) == ([], ()), "the plan knew that the scale is unknown: no node failed"
    told = [str(one) for one in found.assumptions if "are below the offset" in str(one)]
    assert [one.split(" of ")[0] for one in told] == ["scale", "offset"]
    said = lab.ask(MEAN_OVER_TIME, assume=["*:scale=0.0001", "*:offset=0"])
    assert found.answer == said.answer
    assert found.trace is not None
    assert said.trace is not None
    assert found.trace.plan.workflow == said.trace.plan.workflow
    stated = [leaf for one in found.trace.plan.inputs.values() for leaf in one.leaves()]
    assert {(leaf.fact("scale"), leaf.facts["scale"].origin) for leaf in stated} == {(1e-4, Origin.ASSUMED)}


def test_where_nothing_is_to_be_repaired_an_unknown_scale_is_asked_for(lab: Lab) -> None:
    found = ndvi_of(lab, ("2021-06-01", DRY), max_repairs=0)
    assert (found.status, found.answer) == ("refused", None)
    assert found.error is not None
    assert "--assume scale=" in found.error["hint"]


def test_results_are_kept_by_the_scale_that_was_stated(lab: Lab) -> None:
    """The same file with another scale said of it is another input: nothing of the first answer is used again."""
    forest = {"red": "floor(200 + 800 * x)", "nir": DRY["nir"]}
    first = ndvi_of(lab, ("2021-06-01", forest))
    other = lab.ask(MEAN_OVER_TIME, assume=["*:scale=0.0001", "*:offset=0.05"])
    x = (np.arange(32) + 0.5) / 32
    red, nir = np.floor(200 + 800 * x)[np.newaxis], np.floor(2800 + 1500 * x)[:, np.newaxis]
    assert first.answer == pytest.approx(((nir - red) / (nir + red)).mean(), abs=1e-5)
    assert other.answer == pytest.approx(((nir - red) / (nir + red + 1000)).mean(), abs=1e-5)


def test_one_number_everywhere_is_no_index_of_any_scale(lab: Lab) -> None:
    found = lab.scene({**NDVI, "values": "3 + 0 * x"}).ask(MEAN_OVER_TIME)
    assert (found.answer, found.repairs) == (None, 0)


# --- masks in numbers of their own ----------------------------------------------------------------------------------


WATER = np.zeros((40, 40), dtype=bool)
WATER[:10, :20] = True


def numbers(found: RunResult) -> dict[str, Any]:
    return {name: told["value"] for name, told in found.values.items()}


def water_told(lab: Lab, stored: Any, nodata: int | None = None, **options: Any) -> RunResult:
    """Area (m2) and share of a water mask of 40 x 40 pixels of 10 m, and the NDVI of what it marks (0.25)."""
    folder = lab.data
    folder.mkdir(exist_ok=True)
    place = {"crs": "EPSG:32633", "transform": Affine(10, 0, 500000, 0, -10, 5100000)}
    profile = {"driver": "GTiff", "count": 1, "height": 40, "width": 40, **place}
    field = np.where(WATER, 0.25, np.linspace(0.4, 0.8, 1600).reshape(40, 40)).astype(np.float32)
    for name, pixels in {"water_mask": stored.astype(np.uint8), "NDVI_2021-06-01": field}.items():
        with rasterio.open(folder / f"{name}.tif", "w", dtype=pixels.dtype, nodata=nodata, **profile) as file:
            file.write(pixels, 1)
    inventory = take_inventory(folder, assume=options.pop("assume", ()))
    inputs = {one.name: one for one in inventory.rasters}
    mask, ndvi = FromInput("water_mask"), FromInput("NDVI_2021-06-01")
    nodes = (
        Node("area", "area", {"mask": mask, "unit": Given("m2")}, 2),
        Node("share", "mask_share", {"mask": mask}, 2),
        Node("wet", "apply_mask", {"raster": ndvi, "mask": mask, "keep": Given("masked")}, 2),
        Node("mean", "raster_mean", {"raster": FromNode("wet")}, 2),
    )
    outputs = {"answer": FromNode("area"), "share": FromNode("share"), "mean": FromNode("mean")}
    plan = Plan("water", "", Workflow(nodes), inputs, outputs=outputs)
    return KnowFlow(lab.home).run(plan, out=lab.home / "out", **options)


@pytest.mark.parametrize(("no", "yes"), [(0, 1), (0, 255), (0, 2), (0, 100), (0, 7)])
def test_every_tool_takes_the_only_number_beside_0_for_yes(lab: Lab, no: int, yes: int) -> None:
    stored = np.where(WATER, yes, no)
    found = water_told(lab, stored)
    assert found.status == "completed", found.error
    assert numbers(found) == {"answer": 20000, "share": 0.125, "mean": pytest.approx(0.25)}
    told = [str(one) for one in found.assumptions if f"hold {yes} are taken for yes" in str(one)]
    assert len(told) == (yes != 1)


def test_a_mask_that_is_all_true_or_all_missing_is_told_apart_by_its_header(lab: Lab) -> None:
    every = water_told(lab, np.full((40, 40), 255))
    assert (every.answer, numbers(every)["share"]) == (160000, 1)
    said = water_told(lab, np.where(WATER, 255, 0), nodata=255)
    assert numbers(said)["share"] == 0


def test_which_of_two_numbers_marks_is_asked_and_the_ready_lines_answer_it(lab: Lab) -> None:
    stored = np.where(WATER, 2, 1)
    found = water_told(lab, stored)
    assert (found.status, found.answer) == ("refused", None)
    assert causes_of(found)[0] == "mask_coded"
    for mark, area in ((1, 140000), (2, 20000)):
        line = f"water_mask.tif:mark={mark}"
        assert f"--assume '{line}'" in found.diagnoses[0]["advice"]
        assert water_told(lab, stored, assume=[line]).answer == area


def area_of_any(lab: Lab, masks: list[Any], **options: Any) -> RunResult:
    """Area (m2) of what any of several masks of 40 x 40 pixels of 10 m marks."""
    place = {"crs": "EPSG:32633", "transform": Affine(10, 0, 500000, 0, -10, 5100000)}
    profile = {"driver": "GTiff", "count": 1, "height": 40, "width": 40, "dtype": "uint8", **place}
    lab.data.mkdir(exist_ok=True)
    for number, pixels in enumerate(masks, 1):
        with rasterio.open(lab.data / f"water_mask_2021-0{number}-01.tif", "w", **profile) as file:
            file.write(np.asarray(pixels).astype(np.uint8), 1)
    inventory = take_inventory(lab.data, assume=options.pop("assume", ()))
    nodes = (
        Node("any", "combine_masks", {"masks": FromInput("masks"), "operation": Given("or")}, 2),
        Node("area", "area", {"mask": FromNode("any"), "unit": Given("m2")}, 2),
    )
    inputs = {"masks": series(tuple(inventory.rasters))}
    plan = Plan("water", "", Workflow(nodes), inputs, outputs={"answer": FromNode("area")})
    return KnowFlow(lab.home).run(plan, out=lab.home / "out")


NOTHING = np.zeros((40, 40))


@pytest.mark.parametrize(
    ("masks", "area"),
    [
        ([np.where(WATER, 255, 0), NOTHING, np.where(WATER, 255, 0)], 20000),
        ([np.where(WATER, 255, 0), NOTHING + 255], 160000),
        # a third number in one of them is missing data in the other, too
        ([np.where(np.arange(40) < 30, WATER, 255), np.where(np.arange(40) < 35, NOTHING, 255)], 20000),
    ],
)
def test_masks_of_one_kind_are_repaired_together(lab: Lab, masks: list[Any], area: float) -> None:
    found = area_of_any(lab, masks)
    assert (found.status, found.answer, found.repairs) == ("completed", area, 1)


def test_masks_that_seem_to_be_written_in_two_ways_are_asked_about(lab: Lab) -> None:
    found = area_of_any(lab, [np.where(WATER, 1, 0), np.where(WATER, 255, 0)])
    assert (found.answer, causes_of(found)) == (None, ["mask_coded"])
    advice = found.diagnoses[0]["advice"]
    assert all(f"--assume 'water_mask_2021-02-01.tif:{said}=255'" in advice for said in ("mark", "nodata"))
