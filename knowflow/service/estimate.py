"""Rough costs of a plan before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from knowflow.graph.check import WorkflowCheck
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.service.results import Estimate

# One pass over one raster and one node's overhead on two cores, as benchmarks/raster.py and benchmarks/execution.py
# measure them; an estimate needs their order of magnitude only.
PIXELS_PER_SECOND = 40e6
SECONDS_PER_NODE = 0.02
BYTES_PER_PIXEL = 4


def estimate(plan: Plan, check: WorkflowCheck, catalogue: Mapping[str, ToolSchema]) -> Estimate:
    """Time on two cores and disk for intermediate results. Grids made at run time count like their source's."""
    pixels_of: dict[str, int] = {}
    seconds, size = 0.0, 0
    for node in plan.workflow.nodes:
        checked = check.nodes.get(node.id)
        if checked is None:
            continue
        schema = catalogue[node.tool]
        cut = min((_share(argument, checked.arguments) for argument in checked.arguments.values()), default=1.0)
        kept = cut if any(_cuts(output) for output in checked.outputs.values()) else 1.0
        read = kept * sum(_pixels(argument, pixels_of) for argument in checked.arguments.values())
        grid = int(kept * max((_largest(argument, pixels_of) for argument in checked.arguments.values()), default=0))
        seconds += SECONDS_PER_NODE + schema.cost * read / PIXELS_PER_SECOND
        for output in checked.outputs.values():
            written = prod(output.fact("shape") or (grid,)) if output.type == "raster" else 0
            pixels_of[output.name] = written
            size += written * BYTES_PER_PIXEL
    return Estimate(seconds=seconds, disk_bytes=size, nodes=len(plan.workflow))


def _cuts(output: Artifact) -> bool:
    """Whether a tool writes a raster of another extent than what it reads: one that is not known before it runs."""
    return output.type == "raster" and output.fact("shape") is None


def _share(argument: Any, among: Mapping[str, Any]) -> float:
    """The share of a raster that lies in the box, or around the polygons, of the same call; 1 where that is unknown."""
    others = (one for one in among.values() if isinstance(one, Artifact) and one.type == "vector")
    box = next((found for one in others if (found := geo.lonlat_box(one)) is not None), None)
    if box is None and among.get("bbox_crs") in (None, "EPSG:4326"):
        box = among.get("bbox")
    if box is None or not isinstance(argument, Artifact) or argument.type != "raster":
        return 1.0
    own = geo.lonlat_box(argument)
    if own is None:
        return 1.0
    width, height = (min(own[i + 2], box[i + 2]) - max(own[i], box[i]) for i in (0, 1))
    return min(1.0, max(0.0, width) * max(0.0, height) / max((own[2] - own[0]) * (own[3] - own[1]), 1e-12))


def _pixels(argument: Any, made: Mapping[str, int]) -> int:
    return sum(_of_leaf(leaf, made) for leaf in argument.leaves()) if isinstance(argument, Artifact) else 0


def _largest(argument: Any, made: Mapping[str, int]) -> int:
    if not isinstance(argument, Artifact):
        return 0
    return max((_of_leaf(leaf, made) for leaf in argument.leaves()), default=0)


def _of_leaf(leaf: Artifact, made: Mapping[str, int]) -> int:
    shape = leaf.fact("shape")
    return int(prod(shape)) if shape is not None else made.get(leaf.name, 0)
