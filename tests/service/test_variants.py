"""A question answered in several ways side by side: the numbers of each are those that NumPy has on the same scene."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from service_examples import Command, scene

from knowflow import KnowFlow
from knowflow.service.variants import likeness

COLUMNS = 32
X = (np.arange(COLUMNS) + 0.5) / COLUMNS
WATER = "What is the area of water?"
SNOW = "What share of the area was covered by snow?"
VALUES = st.recursive(
    st.floats(-1e6, 1e6) | st.text(max_size=3) | st.none(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=2), below, max_size=3),
    max_leaves=6,
)


def lake(folder: Path) -> Path:
    """Water where MNDWI is positive left of x = 0.5, where NDWI is left of x = 0.4."""
    bands = {"green": "0.2", "nir": "0.1 + 0.25 * x", "swir16": "0.1 + 0.2 * x"}
    kind = "surface_bidirectional_reflectance"
    return scene(folder, {"name": "s2", "quantity": kind, "bands": bands, "dates": ["2022-07-01"]})


def snow(folder: Path) -> Path:
    """NDSI is x."""
    bands = {"green": "0.25 * (1 + x)", "swir16": "0.25 * (1 - x)"}
    kind = "surface_bidirectional_reflectance"
    return scene(folder, {"name": "s2", "quantity": kind, "bands": bands, "dates": ["2022-02-01"]})


def test_another_definition_of_what_is_asked_is_a_way_of_its_own_with_its_own_number(tmp_path: Path) -> None:
    found = KnowFlow().run(WATER, lake(tmp_path / "data"), out=tmp_path / "out", variants=3)
    pixel = 100.0 * COLUMNS / 1e6  # km2 in a column
    assert found.answer == pytest.approx((X < 0.5).sum() * pixel)
    by_ndwi = (X < 0.4).sum() * pixel
    assert (found.variants["spread"]["lowest"], found.variants["spread"]["highest"]) == (
        pytest.approx(by_ndwi),
        pytest.approx(by_ndwi),
    )
    assert found.variants["taken"] == "as planned"
    told = json.loads((tmp_path / "out" / "answer.json").read_text())
    assert [way["answer"] for way in told["variants"]["ways"]] == [pytest.approx(found.answer), pytest.approx(by_ndwi)]
    assert "How much the method matters" in Path(str(found.report)).read_text()


def test_usual_values_of_a_limit_that_a_definition_took_by_default_are_ways(tmp_path: Path) -> None:
    found = KnowFlow().run(SNOW, snow(tmp_path / "data"), out=tmp_path / "out", variants=9)
    assert found.answer == pytest.approx((X > 0.4).mean())
    limits = {way["way"].rpartition(" ")[2]: way["answer"] for way in found.variants["ways"][1:]}
    assert limits == {"0.3": pytest.approx((X > 0.3).mean()), "0.5": pytest.approx((X > 0.5).mean())}


def test_a_limit_that_the_user_set_is_not_varied(tmp_path: Path) -> None:
    options = {"out": tmp_path / "out", "variants": 9, "set": {"snow_limit": 0.6}}
    found = KnowFlow().run(SNOW, snow(tmp_path / "data"), **options)  # type: ignore[arg-type]
    assert found.answer == pytest.approx((X > 0.6).mean())
    assert found.variants["spread"]["others"] == 0


def test_a_trend_by_another_estimator_is_a_way_unless_the_question_says_which(tmp_path: Path) -> None:
    years = np.arange(2015, 2022)
    dates = [f"{year}-07-01" for year in years]
    data = scene(
        tmp_path / "data", {"name": "f", "quantity": "ndvi", "values": "0.1 + 0.02 * i + 0.3 * (i > 5)", "dates": dates}
    )
    found = KnowFlow().run("What was the NDVI trend?", data, out=tmp_path / "out", variants=4)
    values = 0.1 + 0.02 * np.arange(7) + 0.3 * (np.arange(7) > 5)
    slopes = [(values[j] - values[i]) / (years[j] - years[i]) for i in range(7) for j in range(i + 1, 7)]
    assert found.variants["spread"]["lowest"] == pytest.approx(np.median(slopes), rel=1e-3)
    assert found.answer == pytest.approx(np.polyfit(years, values, 1)[0], rel=1e-3)
    said = KnowFlow().run("What was the linear NDVI trend?", data, out=tmp_path / "said", variants=4)
    assert said.variants["spread"]["others"] == 0


def test_what_only_leaves_a_step_of_the_plan_out_is_no_way_of_its_own(tmp_path: Path) -> None:
    clouds = {
        "name": "clouds",
        "quantity": "cloud_mask",
        "values": "x > 0.5",
        "dates": ["2022-06-01"],
        "dtype": "uint8",
    }
    ndvi = {"name": "field", "quantity": "ndvi", "values": "x", "dates": ["2022-06-01"]}
    found = KnowFlow().run(
        "What was the mean NDVI?", scene(tmp_path / "data", ndvi, clouds), out=tmp_path / "o", variants=9
    )
    assert found.answer == pytest.approx(X[X <= 0.5].mean())
    assert found.variants["spread"] == {"others": 0, "failed": 0}


def test_what_the_ways_have_in_common_is_computed_once(tmp_path: Path) -> None:
    flow = KnowFlow()
    found = flow.run(SNOW, snow(tmp_path / "data"), out=tmp_path / "out", variants=2)
    other = flow.trace(found.variants["ways"][1]["run_id"])
    index = [node.id for node in other.plan.workflow.nodes if node.tool == "spectral_index"]
    assert index
    assert all(other.record(node).status == "cached" for node in index)


def test_where_the_usual_way_fails_another_is_taken_and_that_is_told(tmp_path: Path) -> None:
    data = lake(tmp_path / "data")
    (path,) = data.glob("*swir16*")
    with rasterio.open(path) as file:
        begin, size = (int(file.get_tag_item(f"BLOCK_{what}_0_0", "TIFF", 1)) for what in ("OFFSET", "SIZE"))
    stored = path.read_bytes()
    path.write_bytes(stored[: begin + 2] + b"\xaa" * (size - 2) + stored[begin + size :])
    found = KnowFlow().run(WATER, data, out=tmp_path / "out", variants=3)
    assert found.answer == pytest.approx((X < 0.4).sum() * 100.0 * COLUMNS / 1e6)
    assert found.variants["spread"] == {"others": 0, "failed": 1}
    assert "cannot be read" in found.variants["ways"][0]["because"]
    assert any(one.origin == "variants" and "cannot be read" in one.because for one in found.assumptions)
    told = [one.sentence() for one in KnowFlow().advice(KnowFlow().plan(WATER, data).plan).earlier]
    assert any(one.startswith("worked: water mask: Open water where NDWI is above 0") for one in told)


def test_a_dry_run_says_which_ways_it_would_compare(knowflow: Command, tmp_path: Path) -> None:
    done = knowflow("run", WATER, "--data", lake(tmp_path / "data"), "--variants", 5, "--dry-run")
    assert (done.code, done.result["status"]) == (0, "planned")
    assert any("would compare" in note and "NDWI" in note for note in done.result["notes"])


def test_a_saved_plan_has_no_ways(tmp_path: Path) -> None:
    flow = KnowFlow()
    plan = flow.plan(WATER, lake(tmp_path / "data")).plan
    assert flow.run(plan, out=tmp_path / "out", variants=2).status == "refused"


@given(VALUES, VALUES)
def test_likeness_is_of_both_the_same_between_0_and_1_and_whole_of_equals(one: object, other: object) -> None:
    assert likeness(one, one) == 1.0
    found = likeness(one, other)
    assert 0.0 <= found <= 1.0
    assert math.isclose(found, likeness(other, one))
