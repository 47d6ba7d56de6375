"""How fast questions are read, and plans made and checked: a check of 1,000 nodes must take well under a second.

    python benchmarks/planning.py [--nodes N] [--repeat N] [--json]

The workflow is what a series of scenes gives: per date a band set is aligned where it must be, an index computed, a
mask applied, and all dates reduced to one map and one number. Times are the best of the repetitions, in seconds.

A question is read as it is, as so many sentences of its kind, and as one sentence with so many places. ``growth`` is
the time of the longer text over that of the question, divided by their lengths: 1 is linear, the factor itself
quadratic. No text is read twice, so that nothing is remembered of it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from knowflow.graph.check import WorkflowCheck, check_workflow
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.geo import bounds_of, grid_token
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromInput, Given, Workflow
from knowflow.reason.achievers import Achievers
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.language.understanding import understand
from knowflow.service.question_text import LONGEST

LIMIT_SECONDS = 0.5  # of a check of 1,000 nodes
LIMIT_GROWTH = 8.0  # of the time of reading a text of 32 times the length, over linear growth
TIMES_LONGER = (2, 4, 8, 16, 32)
NODES_PER_SCENE = 3
_OUTPUT = {"type": "path", "role": "output"}


def tool(name: str, parameters: Mapping[str, Any], **keys: Any) -> ToolSchema:
    document = {"tool": name, "title": name, "kit": "preprocessing", "layers": [1, 2, 3], "run": f"python:none:{name}"}
    return ToolSchema.model_validate({**document, "parameters": parameters, **keys})


TOOLS = {
    schema.tool: schema
    for schema in (
        tool(
            "align_to",
            {"raster": {"type": "raster"}, "like": {"type": "raster"}, "output": _OUTPUT},
            preconditions=["georeferenced(raster)", "georeferenced(like)"],
            effects={
                "sets": ["same_grid(output, like)"],
                "preserves": {"output": {"from": "raster", "except": ["grid"]}},
            },
        ),
        tool(
            "spectral_index",
            {
                "index": {"type": "string", "choices_from": "spyndex"},
                "bands": {
                    "type": "raster",
                    "keyed_by": "band",
                    "quantity": ["surface_bidirectional_reflectance", "toa_bidirectional_reflectance"],
                },
                "output": _OUTPUT,
            },
            preconditions=["has_bands(bands, index)", "same_grid(bands)", "scaled(bands)"],
            effects={
                "sets": ["quantity(output) == index", "unit(output) == '1'", "scaled(output)"],
                "preserves": {"output": {"from": "bands", "except": ["quantity", "unit", "dtype", "bands"]}},
            },
        ),
        tool(
            "smooth",
            {
                "raster": {"type": "raster"},
                "window": {"type": "integer", "default": 3, "minimum": 1},
                "output": _OUTPUT,
            },
            preconditions=["continuous(raster)"],
            effects={"preserves": {"output": {"from": "raster"}}},
        ),
        tool(
            "mean_of_series",
            {"rasters": {"type": "raster_series"}, "output": _OUTPUT},
            preconditions=["same_grid(rasters)", "same_quantity(rasters)", "distinct_dates(rasters)"],
            effects={"preserves": {"output": {"from": "rasters", "except": ["datetime"]}}},
        ),
    )
}


def raster(name: str, date: str, pixel: float) -> Artifact:
    transform, shape = (pixel, 0.0, 500000.0, 0.0, -pixel, 5100000.0), (1000, 1000)
    facts = Facts.of(
        Origin.DECLARED,
        crs="EPSG:32633",
        transform=transform,
        shape=shape,
        resolution=(pixel, pixel),
        bounds=bounds_of(transform, shape),
        grid=grid_token("EPSG:32633", transform, shape),
        dtype="uint16",
        scale=1e-4,
        offset=0.0,
        nodata=0,
        unit="1",
        quantity="surface_bidirectional_reflectance",
        datetime=date,
        sensor="sentinel-2",
    )
    return Artifact("raster", facts=facts, name=name, path=f"{name}.tif")


def scenes(count: int) -> Artifact:
    """Scenes whose near infrared is on a coarser grid than red: each needs one band aligned."""
    dates = [f"{2000 + i // 336}-{i // 28 % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(count)]
    bands = (("red", 10.0), ("green", 10.0), ("nir", 20.0))
    return series(tuple(band_set({b: raster(f"{d}_{b}", d, p) for b, p in bands}) for d in dates))


def build(inputs: Artifact) -> Builder:
    builder = Builder(TOOLS, Achievers(TOOLS))
    items = []
    for bound in builder.items(Bound(FromInput("scenes"), inputs)):
        index = {"index": Bound(Given("ndvi"), "ndvi"), "bands": bound}
        made = builder.output(builder.add("spectral_index", index, layer=2, step="index"), "output")
        items.append(builder.output(builder.add("smooth", {"raster": made}, layer=2, step="smooth"), "output"))
    builder.add("mean_of_series", {"rasters": builder.series(items)}, layer=3, step="mean")
    return builder


def best(work: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    times = []
    for _ in range(repeat):
        begun = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begun)
    return min(times), result


def places() -> Iterator[str]:
    """Names of places that nobody knows, never the same again."""
    return ("".join(parts).capitalize() for parts in itertools.product(("kel", "mar", "ost", "vin"), repeat=8))


def sentences(count: int, names: Iterator[str]) -> str:
    return " ".join(f"What was the mean NDVI of {next(names)} in 2021?" for _ in range(count))


def enumeration(count: int, names: Iterator[str]) -> str:
    return f"What was the mean NDVI of {', '.join(itertools.islice(names, count))} in 2021?"


def reading(write: Callable[[int, Iterator[str]], str], repeat: int) -> dict[str, dict[str, float]]:
    """Characters, seconds and growth of each length, beside the question itself."""
    names = places()
    understand(write(max(TIMES_LONGER), names))  # the vocabulary is loaded once per process
    measured: dict[str, dict[str, float]] = {}
    for times in (1, *TIMES_LONGER):
        texts = [write(times, names) for _ in range(repeat)]
        assert max(map(len, texts)) <= LONGEST
        seconds, _ = best(partial(lambda left: understand(next(left)), iter(texts)), repeat)
        one = measured.get("1", {"characters": len(texts[0]), "seconds": seconds})
        growth = seconds / one["seconds"] / (len(texts[0]) / one["characters"])
        measured[str(times)] = {"characters": len(texts[0]), "seconds": round(seconds, 5), "growth": round(growth, 2)}
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    inputs = scenes(max(1, options.nodes // NODES_PER_SCENE))
    build(scenes(1))  # catalogues are read once per process
    build_seconds, builder = best(lambda: build(inputs), options.repeat)
    # a fresh workflow each time: its edges are cached
    checked: tuple[float, WorkflowCheck] = best(
        lambda: check_workflow(Workflow(builder.workflow.nodes), {"scenes": inputs}, TOOLS), options.repeat
    )
    check_seconds, result = checked
    measured = {
        "nodes": len(builder.workflow),
        "inserted": sum(node.inserted is not None for node in builder.workflow.nodes),
        "edges": len(builder.workflow.edges),
        "problems": len(result.problems),
        "build_seconds": round(build_seconds, 4),
        "check_seconds": round(check_seconds, 4),
        "limit_seconds": LIMIT_SECONDS,
    }
    lengths = {
        "sentences": reading(sentences, options.repeat),
        "places": reading(enumeration, options.repeat),
    }
    steepest = max(found[str(TIMES_LONGER[-1])]["growth"] for found in lengths.values())
    if options.json:
        print(json.dumps({**measured, "reading": lengths, "limit_growth": LIMIT_GROWTH}))
    else:
        print("\n".join(f"{name:>16}  {value}" for name, value in measured.items()))
        for kind, found in lengths.items():
            print(f"\nreading, {kind}")
            for times, one in found.items():
                said = f"{one['characters']:6,.0f} characters  {1000 * one['seconds']:8.2f} ms"
                print(f"{times + 'x':>16}  {said}  {one['growth']:5.2f} times linear growth")
        print(f"{'limit_growth':>16}  {LIMIT_GROWTH}")
    fast = options.nodes > 1000 or check_seconds < LIMIT_SECONDS
    return 0 if result.ok and fast and steepest < LIMIT_GROWTH else 1


if __name__ == "__main__":
    raise SystemExit(main())
