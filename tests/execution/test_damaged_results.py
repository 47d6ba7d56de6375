"""What is damaged in the cache is never used: it is made again before anybody reads it, and that is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio
from execution_examples import node, plan, schema

from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.model.plan import Plan, Quality
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromInput, FromNode
from knowflow.reason.inventory import read_artifact

CATALOGUE = {
    "multiply": schema(
        "multiply",
        {"raster": {"type": "raster"}, "factor": {"type": "number"}, "output": {"type": "path", "role": "output"}},
    ),
    "mean_of": schema("mean_of", {"raster": {"type": "raster"}}),
}


@pytest.fixture
def chain(tmp_path: Path) -> Plan:
    """The mean of a raster of ones, twice multiplied: 6; the second map is an output, too."""
    path = tmp_path / "ones.tif"
    profile = {"driver": "GTiff", "width": 16, "height": 16, "count": 1, "dtype": "float32", "crs": "EPSG:32633"}
    with rasterio.open(path, "w", transform=rasterio.Affine(10, 0, 0, 0, -10, 0), **profile) as file:
        file.write(np.ones((1, 16, 16), "float32"))
    asked = plan(
        node("two", "multiply", raster=FromInput("r"), factor=2.0),
        node("six", "multiply", raster=FromNode("two"), factor=3.0),
        node("mean", "mean_of", raster=FromNode("six")),
        outputs={"answer": FromNode("mean"), "map": FromNode("six")},
    )
    return replace(asked, inputs={"r": read_artifact(path)})


def run(asked: Plan, home: Path) -> Trace:
    return execute(asked, CATALOGUE, LocalRunner(1), home)


def file_of(trace: Trace, name: str) -> Path:
    return Path(str(trace.record(name).outputs["output"].path))


def damage(path: Path) -> None:
    """The middle of a file as a disk that fails leaves it: as large as it was."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8] = bytes(byte ^ 0x55 for byte in content[middle : middle + 8])
    path.write_bytes(content)


def test_a_damaged_result_that_is_delivered_is_made_again(chain: Plan, home: Path, calls: Path) -> None:
    first = run(chain, home)
    whole = file_of(first, "six").read_bytes()
    damage(file_of(first, "six"))
    calls.write_text("")
    second = run(chain, home)
    assert (second.status, second.outputs["answer"].value) == ("completed", 6.0)
    assert file_of(second, "six").read_bytes() == whole
    assert calls.read_text() == "multiply\n"
    assert second.notes == ("the six was computed again: its result in the cache was damaged or gone",)
    assert run(chain, home).notes == ()


def test_a_damaged_result_that_another_node_needs_is_made_again_before_it_is_read(
    chain: Plan, home: Path, calls: Path
) -> None:
    first = run(chain, home)
    for name in ("two", "six"):
        damage(file_of(first, name))
    longer = (*chain.workflow.nodes, node("again", "multiply", raster=FromNode("six"), factor=0.5))
    asked = replace(chain, workflow=replace(chain.workflow, nodes=longer), outputs={"answer": FromNode("again")})
    calls.write_text("")
    second = run(asked, home)
    assert second.status == "completed"
    with rasterio.open(file_of(second, "again")) as file:
        assert file.read(1) == pytest.approx(np.full((16, 16), 3.0))
    assert calls.read_text() == "multiply\n" * 3
    assert [note.split()[1] for note in second.notes] == ["six", "two"]


def test_what_nobody_reads_is_not_looked_at(chain: Plan, home: Path, calls: Path) -> None:
    damage(file_of(run(chain, home), "two"))
    calls.write_text("")
    second = run(chain, home)
    assert (second.status, second.notes, calls.read_text()) == ("completed", (), "")


def test_a_quality_is_never_judged_by_damaged_pixels(chain: Plan, home: Path) -> None:
    asked = replace(
        chain,
        outputs={"answer": FromNode("mean")},
        quality=(Quality("mean($map) == 6", {"map": FromNode("six")}),),
    )
    damage(file_of(run(asked, home), "six"))
    second = run(asked, home)
    assert (second.status, [check.truth for check in second.quality]) == ("completed", [True])
    assert len(second.notes) == 1
