"""Plans of many scenes, each a chain of four nodes: index, mask, threshold, area."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.model.plan import Plan
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow
from knowflow.reason.inventory import read_artifact
from knowflow_bench.fused.scenes import make_scene

CHAIN = 4  # nodes of a scene
_LAYERS = ("red", "nir", "cloud")
_YEARS, _FIRST_YEAR = 10, 2015
_LIMIT = 0.5


def many_scenes(folder: Path, scenes: int, side: int) -> dict[str, Artifact]:
    """The layers of one small scene under the names of so many, of ten years and as many tiles as that takes: each has
    a file to be looked at, and the headers are read once."""
    make_scene(folder / "scene", side)
    headers = {name: read_artifact(folder / "scene" / f"{name}.tif", "raster") for name in _LAYERS}
    inputs: dict[str, Artifact] = {}
    for number in range(scenes):
        date, tile = _placed(number)
        place = folder / f"{date}_{tile}"
        place.mkdir()
        for name, header in headers.items():
            path = place / f"{name}.tif"
            os.link(folder / "scene" / f"{name}.tif", path)
            facts = header.facts.put("datetime", date, Origin.DECLARED)
            inputs[f"{name}_{date}_{tile}"] = Artifact(type="raster", path=str(path), facts=facts)
    return inputs


def plan_of(inputs: Mapping[str, Artifact]) -> Plan:
    """The area of each scene in which NDVI is above a limit, clouds left out (ha): four nodes a scene."""
    nodes: list[Node] = []
    for scene in (name.partition("_")[2] for name in inputs if name.startswith("red_")):
        nodes += _chain(scene)
    areas = SeriesOf(tuple(FromNode(node.id) for node in nodes if node.tool == "area"))
    return Plan("", "", Workflow(tuple(nodes)), inputs=inputs, outputs={"answer": areas})


def _placed(number: int) -> tuple[str, str]:
    month, tile = number % (12 * _YEARS), number // (12 * _YEARS)
    return f"{_FIRST_YEAR + month // 12}-{month % 12 + 1:02}-01", f"T{tile:03}"


def _chain(scene: str) -> Sequence[Node]:
    bands = BandsOf({band: FromInput(f"{band}_{scene}") for band in ("red", "nir")})
    return (
        _node(f"ndvi_{scene}", "spectral_index", index=Given("NDVI"), bands=bands),
        _node(f"clear_{scene}", "apply_mask", raster=FromNode(f"ndvi_{scene}"), mask=FromInput(f"cloud_{scene}")),
        _node(f"green_{scene}", "threshold", raster=FromNode(f"clear_{scene}"), threshold=Given(_LIMIT)),
        _node(f"area_{scene}", "area", mask=FromNode(f"green_{scene}")),
    )


def _node(name: str, tool: str, **args: Value) -> Node:
    return Node(name, tool, args, layer=2)
