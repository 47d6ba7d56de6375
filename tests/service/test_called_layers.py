"""Layers that no vocabulary knows, asked for by what they are called: from sentence to number, against NumPy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reason.test_inventory_called import write

from knowflow.roof.library import KnowFlow

SIZE = 40
ROWS, COLUMNS = np.mgrid[0:SIZE, 0:SIZE]
CODES = np.where(ROWS < 15, 1, np.where(COLUMNS < 20, 2, 3)).astype(np.uint8)
DEPTH = (0.1 * COLUMNS + 0.05 * ROWS).astype(np.float32)
YIELDS = {year: (40 + ROWS * (year - 2018) + 0.1 * COLUMNS).astype(np.float32) for year in (2019, 2020, 2021)}
COVER = (2.0 * COLUMNS).astype(np.float32)
NOISE = (40 + ROWS).astype(np.float32)
LOUD = 10 * np.log10((10 ** (NOISE.astype(float) / 10)).mean())
VALUE = (1000.0 * COLUMNS).astype(np.float32)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("called")
    write(folder / "peat_depth_m.tif", DEPTH, "m")
    ring = [[499990, 5100010], [500200, 5100010], [500200, 5099590], [499990, 5099590], [499990, 5100010]]
    west = {"type": "Feature", "properties": {"name": "West"}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}
    zones = {"type": "FeatureCollection", "crs": crs, "features": [west]}
    (folder / "zones.geojson").write_text(json.dumps(zones))
    write(folder / "noise_lden.tif", NOISE, "dB(A)")
    write(folder / "roof_cover_2020.tif", COVER, "%")
    write(folder / "insured_value.tif", VALUE, "EUR")
    write(folder / "tree_species.tif", CODES, LEGEND="1=Norway spruce, 2=European beech, 3=Scots pine")
    write(folder / "bedrock_group.tif", CODES[:, ::-1].copy(), LEGEND="1=chalk, 2=granite, 3=schist")
    for year, values in YIELDS.items():
        write(folder / f"yield_sugarcane_{year}.tif", values, "t/ha")
    return folder


def answer(data: Path, question: str, home: Path) -> Any:
    found = KnowFlow(home / "home").run(question, data, out=home / "out")
    assert found.status == "completed", (found.error, question)
    return found.answer


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the mean peat depth?", DEPTH.mean()),
        ("How many hectares have a peat depth above 3 m?", (DEPTH > 3).sum() * 0.01),
        ("Average depth of the peat within Scots pine", DEPTH[CODES == 3].mean()),
        ("mean peat depth in West", DEPTH[:, :20].mean()),
        ("mean peat depth in West in cm", 100 * DEPTH[:, :20].mean()),
        ("mean sugarcane yield in West in 2020 in kg/m2", YIELDS[2020][:, :20].mean() / 10),
        ("mean roof cover of West in percent", COVER[:, :20].mean()),
        ("What is the mean noise Lden?", LOUD),
        ("What is the mean noise Lden in West?", LOUD),
        ("How many hectares have a roof cover above 50 %?", (COVER > 50).sum() * 0.01),
        ("What was the mean roof cover in 2020?", COVER.mean()),
        ("What was the mean roof cover within European beech in 2020?", COVER[CODES == 2].mean()),
        ("How many hectares of beech are there?", (CODES == 2).sum() * 0.01),
        ("What was the mean sugarcane yield in 2020?", YIELDS[2020].mean()),
        ("By how much did the mean yield of sugarcane change from 2019 to 2021?", (YIELDS[2021] - YIELDS[2019]).mean()),
        ("Linear trend of the mean sugarcane yield, per year", ROWS.mean()),
        ("What is the total insured value on granite?", VALUE[CODES[:, ::-1] == 2].sum()),
    ],
)
def test_a_layer_is_asked_for_by_its_own_name(data: Path, tmp_path: Path, question: str, expected: float) -> None:
    assert answer(data, question, tmp_path) == pytest.approx(expected, rel=2e-3)


def test_the_classes_of_a_map_that_is_called_something_are_keys(data: Path, tmp_path: Path) -> None:
    rows = answer(data, "mean peat depth for each tree species", tmp_path)
    names = enumerate(("Norway spruce", "European beech", "Scots pine"), 1)
    expected = {name: DEPTH[code == CODES].mean() for code, name in names}
    assert {row["name"]: row["mean"] for row in rows} == pytest.approx(expected)


def test_what_does_not_add_up_is_not_summed(data: Path, tmp_path: Path) -> None:
    found = KnowFlow(tmp_path / "home").run("total peat depth", data, out=tmp_path / "out")
    assert found.status != "completed"


def test_classes_are_told_by_what_the_data_call_them(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow(tmp_path / "home")
    result = flow.run("mean peat depth for each tree species", data, out=tmp_path / "out")
    assert result.understood == "the mean of peat depth for each class of tree species over the area"
    assert [*result.answer[0]] == ["class", "name", "mean", "count"]
    assert [row["count"] for row in result.answer] == [(code == CODES).sum() for code in (1, 2, 3)]
    report = (tmp_path / "out" / "report.html").read_text()
    assert "for each class of tree species" in report
    assert "class of class label" not in report
    assert report.count("<figcaption>") == 1  # the mean is drawn, not of how many pixels it is
    areas = flow.run("area of each tree species", data, out=tmp_path / "areas")
    assert areas.understood == "the area of each class of tree species"
    read = flow.read("mean peat depth for each tree species", data).to_json()
    assert read["understood_as"].endswith("for each class of tree species over the area")


@pytest.fixture(scope="module")
def floods(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Depths of the floods of 10, 50 and 100 years, each half a metre deeper than the one before."""
    folder = tmp_path_factory.mktemp("floods")
    for years, deeper in ((10, 0.0), (50, 0.5), (100, 1.0)):
        write(
            folder / f"flood_depth_T{years}_m.tif", np.where(COLUMNS < 10, 0.0, DEPTH + deeper).astype(np.float32), "m"
        )
    return folder


@pytest.mark.parametrize(("years", "deeper"), [(50, 0.5), (100, 1.0)])
def test_a_variant_that_is_named_once_is_that_of_all_its_mentions(
    floods: Path, tmp_path: Path, years: int, deeper: float
) -> None:
    found = answer(floods, f"average water depth of the flooded area in the {years}-year flood", tmp_path)
    assert found == pytest.approx((DEPTH[:, 10:] + deeper).mean(), rel=1e-5)


@pytest.mark.parametrize("question", ["What is the mean flood depth?", "Where is the flood depth above 1 m?"])
def test_of_several_variants_none_is_taken_where_nobody_names_one(floods: Path, tmp_path: Path, question: str) -> None:
    found = KnowFlow(tmp_path / "home").run(question, floods, out=tmp_path / "out")
    assert (found.status, found.answer) == ("refused", None)
    assert "t10, t100, t50" in str(found.error)
