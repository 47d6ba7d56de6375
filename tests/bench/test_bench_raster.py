"""The measurement of the raster core: what it says, not how fast anything is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from knowflow.ground.errors import ToolError
from knowflow.roof.cli.app import app
from knowflow_bench.cli.raster import _lines
from knowflow_bench.raster import measure as module
from knowflow_bench.raster.kernels import hot_spots, trend


def test_the_result_has_the_documented_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def run(variant: str, _: object) -> dict[str, float]:
        asked.append(variant)
        return {"seconds": float(len(asked)), "cpu": 2.0, "peak_mb": 100.0}

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "make_series", lambda *_: None)
    done = CliRunner().invoke(app, ["bench", "raster", "--size", "64", "--repeats", "5", "--json"])
    found = json.loads(done.stdout)
    assert {"index_over_limit", "index_s", "limit_s", "whole_array_s", "peak_mb"} <= set(found)
    assert found["index_over_limit"] == found["index_s"] / found["limit_s"]
    warming, counted = asked[:3], asked[3:9]
    assert warming == ["index", "limit", "whole"]
    assert counted == ["index", "limit", "whole", "limit", "index", "whole"]
    assert [len(found["runs_s"][variant]) for variant in ("index", "limit", "whole")] == [5, 5, 5]
    assert found["statistics"]["scenes"] == 150
    assert "index / limit" in "\n".join(_lines(found))


@pytest.mark.parametrize("variant", ["index", "limit", "whole", "statistics", "statistics_limit"])
def test_every_variant_runs_in_a_process_of_its_own(tmp_path: Path, variant: str) -> None:
    module.make_bands(tmp_path, 96)
    if variant.startswith("statistics"):
        for band in tmp_path.glob("*.tif"):
            band.unlink()
        module.make_series(tmp_path, 3, 64)
    found = module._run(variant, tmp_path)
    assert set(found) == {"seconds", "cpu", "peak_mb"}
    assert found["peak_mb"] > 10
    assert not list(tmp_path.glob("out_*"))


def test_a_run_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="run of index failed"):
        module._run("index", tmp_path)


def test_trends_agree_with_pymannkendall_and_hot_spots_with_the_formula() -> None:
    assert trend(12, 20, sample=40)["largest_difference"] < 1e-9
    found = hot_spots(60)
    assert found["pixels_compared"] > 100
    assert found["largest_difference"] < 5e-7
