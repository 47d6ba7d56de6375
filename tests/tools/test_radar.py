"""Radar images: speckle filtered across blocks as in one piece, decibels and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from raster_files import opened, read, write

from knowflow.ground.errors import ToolError
from knowflow.ground.resources import packaged_root
from knowflow.ground.yamldoc import load
from knowflow.model.artifact import Artifact
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import Goal
from knowflow.reason.achievers import Achievers
from knowflow.tools.kernels import speckle
from knowflow.tools.radar import despeckle, from_decibel, to_decibel


def backscatter(
    folder: Path, shape: tuple[int, int] = (40, 60), quantity: str = "sigma0"
) -> tuple[Artifact, np.ndarray]:
    values = np.random.default_rng(5).gamma(4.4, 0.1 / 4.4, shape).astype(np.float32)
    values[10:14, 20:30] = np.nan
    tags = {"QUANTITY": quantity, "UNIT": "1", "POLARISATION": "VV", "DATETIME": "2022-06-01"}
    return write(folder / "vv.tif", values, nodata=np.nan, tags=tags, facts={"quantity": quantity}), values


@pytest.mark.parametrize(
    ("method", "kernel"),
    [
        ("lee", lambda values: speckle.lee(values, 5, 4.4)),
        ("refined_lee", lambda values: speckle.refined_lee(values, 4.4)),
        ("frost", lambda values: speckle.frost(values, 5, 2.0)),
    ],
)
def test_blocks_have_no_seams(method: str, kernel: object, tmp_path: Path) -> None:
    raster, values = backscatter(tmp_path, (700, 2300))
    despeckle(raster, tmp_path / "out.tif", method=method, window=5)  # type: ignore[arg-type]
    whole = np.where(np.isnan(values), np.nan, kernel(values))  # type: ignore[operator]
    np.testing.assert_allclose(read(tmp_path / "out.tif"), whole, rtol=2e-6)


def test_what_a_filtered_image_says_of_itself(tmp_path: Path) -> None:
    raster, _ = backscatter(tmp_path)
    despeckle(raster, tmp_path / "out.tif")
    with opened(tmp_path / "out.tif") as written:
        tags = written.tags()
    assert (tags["SPECKLE_FILTERED"], tags["QUANTITY"], tags["UNIT"], tags["POLARISATION"]) == (
        "YES",
        "sigma0",
        "1",
        "VV",
    )


def test_a_window_has_a_middle(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no pixel in its middle"):
        despeckle(backscatter(tmp_path)[0], tmp_path / "out.tif", window=6)


def test_decibels_and_back(tmp_path: Path) -> None:
    values = np.array([[1.0, 0.1, 0.001, 0.0, -0.2, np.nan]], dtype=np.float32)
    power = write(tmp_path / "p.tif", values, nodata=np.nan, facts={"quantity": "gamma0"})
    to_decibel(power, tmp_path / "db.tif", quantity="gamma0_db")
    np.testing.assert_allclose(read(tmp_path / "db.tif"), [[0, -10, -30, np.nan, np.nan, np.nan]], atol=1e-5)
    with opened(tmp_path / "db.tif") as written:
        assert (written.tags()["QUANTITY"], written.tags()["UNIT"]) == ("gamma0_db", "dB")
    decibel = write(tmp_path / "d.tif", read(tmp_path / "db.tif"), nodata=np.nan, facts={"quantity": "gamma0_db"})
    from_decibel(decibel, tmp_path / "back.tif", quantity="gamma0")
    np.testing.assert_allclose(read(tmp_path / "back.tif"), [[1, 0.1, 0.001, np.nan, np.nan, np.nan]], rtol=1e-5)


def test_sigma_does_not_become_gamma(tmp_path: Path) -> None:
    raster, _ = backscatter(tmp_path)
    with pytest.raises(ToolError, match="sigma0 does not become gamma0_db"):
        to_decibel(raster, tmp_path / "db.tif", quantity="gamma0_db")


@pytest.mark.parametrize(
    ("fact", "value", "tool"),
    [
        ("quantity", "sigma0_db", "to_decibel"),
        ("quantity", "gamma0", "from_decibel"),
        ("speckle_filtered", True, "despeckle"),
    ],
)
def test_a_planner_finds_what_makes_it_so(fact: str, value: object, tool: str) -> None:
    tools = {}
    for path in packaged_root("schemas").glob("preprocessing/*.yaml"):
        schema = ToolSchema.model_validate(load(path).data)
        tools[schema.tool] = schema
    candidates = [achiever.schema.tool for achiever, _ in Achievers(tools)(Goal(fact, ("raster",), value=value))]
    assert tool in candidates


@pytest.mark.parametrize(("own", "wanted", "inserted"), [("sigma0", "sigma0_db", True), ("gamma0", "sigma0_db", False)])
def test_decibels_are_inserted_only_where_they_are_of_the_same_kind(own: str, wanted: str, inserted: bool) -> None:
    schema = ToolSchema.model_validate(load(packaged_root("schemas") / "preprocessing" / "to_decibel.yaml").data)
    raster = Artifact("raster", Facts.of(Origin.DECLARED, quantity=own, scale=1.0, offset=0.0, unit="1"))
    verdicts = [evaluate(c, {"raster": raster, "quantity": wanted}).truth for _, c in schema.parsed_preconditions]
    assert all(verdicts) is inserted
