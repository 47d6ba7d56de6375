"""The bench of whole runs: peers that are right by themselves, and no ratio of runs that answer otherwise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from typer.testing import CliRunner

from knowflow.ground.errors import ToolError
from knowflow.knowledge.plan_document import load_plan
from knowflow.roof.cli.app import app
from knowflow_bench.whole import data, measure, peers


def read(path: Path) -> Any:
    with rasterio.open(path) as dataset:
        return dataset.read(1)


def test_peers_tell_what_the_files_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data.make_bands(tmp_path / "bands", 130, declared=True)
    red, nir = (read(tmp_path / "bands" / name).astype(np.float64) for name in data.BANDS)
    known = (red > 0) & (nir > 0)
    green = known & ((nir - red) / np.where(known, nir + red, 1) > peers.LIMIT)
    monkeypatch.setattr(peers, "_ROWS", 16)  # more blocks than wait at a time
    monkeypatch.setattr(peers, "_COLUMNS", 32)
    found = peers.blockwise(tmp_path / "bands", tmp_path)
    assert found["share"] == pytest.approx(green.sum() / known.sum(), abs=1e-3)
    assert found["area"] == pytest.approx(green.sum() * 1e-4, abs=1e-2)

    data.make_series(tmp_path / "series", 6, 70)
    stack = np.stack([read(path) for path in sorted((tmp_path / "series").glob("*.tif"))]).astype(np.float64)
    stack[:, np.isnan(stack).all(axis=0)] = 0.0
    middle = np.nanmedian(stack, axis=0)
    assert peers.median(tmp_path / "series", tmp_path) == pytest.approx(middle[middle != 0].mean(), rel=1e-6)


def test_an_answer_that_differs_from_the_peer_s_has_no_ratio() -> None:
    measure._require_equal("mean", 0.5, 0.5 + 1e-9)
    with pytest.raises(ToolError, match="two answers"):
        measure._require_equal("mean", {"share": 0.5, "area": 1.0}, {"share": 0.5, "area": 1.1})


def test_what_a_process_took_is_told_and_a_failure_is_named() -> None:
    found = measure.spent([sys.executable, "-c", "print(sum(range(2_000_000)))"], {})
    assert found.printed.strip() == str(sum(range(2_000_000)))
    assert found.cpu_s > 0
    assert found.peak_mb > 1
    with pytest.raises(ToolError, match="failed"):
        measure.spent([sys.executable, "-c", "raise SystemExit(3)"], {})


def test_a_question_is_measured_beside_its_peer(tmp_path: Path) -> None:
    bench = measure._Bench(tmp_path, 1)
    data.make_series(tmp_path / "zones", 1, 64)
    data.make_polygons(tmp_path / "zones", 144, 64)
    found = bench.beside(measure._BESIDE["zonal"])
    assert found.ratio > 0
    assert found.alone_ratio > 0
    assert set(found.told()) == {f"{who}_{what}" for who in ("ours", "peer", "alone") for what in ("cpu_s", "peak_mb")}


def test_nodes_are_measured_beside_the_plan_and_a_run_of_a_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    took = {("plan", "few"): 1.0, ("run", "few"): 1.5, ("plan", "dates"): 1.2, ("run", "dates"): 2.2}

    def ask(self: Any, what: str, folder: str, *options: Any, runner: str = "local") -> measure.Spent:
        asked.append((what, folder, runner))
        return measure.Spent(took[what, folder], 1.0, '{"answer": 3}')

    monkeypatch.setattr(measure._Bench, "_ask", ask)
    monkeypatch.setattr(measure._Bench, "_peer", lambda *_: measure.Spent(1.0, 1.0, "3"))
    assert measure._Bench(tmp_path, 1).node("prefect", 52) == pytest.approx(10.0)
    assert ("run", "dates", "prefect") in asked
    assert ("run", "few", "prefect") in asked


def test_the_peer_of_many_dates_counts_those_above_the_limit(tmp_path: Path) -> None:
    data.make_dates(tmp_path / "dates", 12)
    means = [read(path).astype(np.float64).mean() for path in sorted((tmp_path / "dates").glob("*.tif"))]
    assert len(means) == 12
    assert 0 < peers.dates(tmp_path / "dates", tmp_path) == sum(mean > peers.MEAN_LIMIT for mean in means) < 12


def test_a_plan_of_many_nodes_is_made_shown_and_saved(tmp_path: Path) -> None:
    bench = measure._Bench(tmp_path, 1)
    data.make_dates(tmp_path / "planned", 3)
    assert bench.saved_plan("planned", measure.COUNT) > 0
    assert len(load_plan(tmp_path / "plan.yaml").workflow) == 5, "a node for each date, one for all, and the answer"


def test_files_are_made_for_the_parts_that_are_measured_alone(tmp_path: Path) -> None:
    measure._make(tmp_path, measure.Sizes(64, 64, 4), ["again", "median"])
    assert {path.name for path in tmp_path.iterdir()} == {"declared", "series"}


def test_the_folder_where_files_are_made_need_not_be_there(tmp_path: Path) -> None:
    place = tmp_path / "not" / "yet"
    found = measure.measure(measure.Sizes(), folder=place, parts=[])
    assert found["runs"] == {}
    assert list(place.iterdir()) == []


def test_a_part_that_does_not_exist_is_refused_with_those_that_do() -> None:
    found = CliRunner().invoke(app, ["bench", "whole", "--only", "medain"])
    assert found.exit_code == 2
    assert "median" in found.output
