"""One run of one variant, in a process of its own, after one on a tiny scene: what is imported is not measured."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.ground.errors import ToolError
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow
from knowflow.reason.inventory import read_artifact
from knowflow_bench.raster.variants import peak_mb

LIMIT = 0.5
_ROWS, _COLUMNS = 512, 2048  # of a block where nothing else decides it
_OURS = {"compress": "zstd", "zstd_level": 1, "predictor": 1, "num_threads": 2, "tiled": True}


def chain(folder: Path, *, fuse: bool) -> float:
    """The area in which NDVI is above a limit, clouds left out: four nodes, carried out by the scheduler (ha)."""
    inputs = {name: read_artifact(folder / f"{name}.tif", "raster") for name in ("red", "nir", "cloud")}
    nodes = (
        *_clear_index("", ""),
        _node("green", "threshold", raster=FromNode("clear"), threshold=Given(LIMIT)),
        _node("area", "area", mask=FromNode("green")),
    )
    return float(_answer(folder, nodes, inputs, fuse=fuse).value)


def over_time(folder: Path, *, method: str, fuse: bool) -> float:
    """NDVI of many dates without their clouds, and one value of it a pixel; the mean of these."""
    nodes: list[Node] = []
    inputs: dict[str, Artifact] = {}
    places = sorted(place for place in folder.iterdir() if place.is_dir() and place.name[:1].isdigit())
    for place in places:
        for name in ("red", "nir", "cloud"):
            one = read_artifact(place / f"{name}.tif", "raster")
            inputs[f"{name}{place.name}"] = one.with_facts(one.facts.put("datetime", place.name, Origin.DECLARED))
        nodes += _clear_index(place.name, place.name)
    series = SeriesOf(tuple(FromNode(f"clear{place.name}") for place in places))
    nodes.append(_node("composite", "temporal_composite", series=series, method=Given(method)))
    found = _answer(folder, nodes, inputs, fuse=fuse)
    return float(found.fact("mean"))


def _clear_index(name: str, date: str) -> tuple[Node, Node]:
    bands = BandsOf({band: FromInput(f"{band}{date}") for band in ("red", "nir")})
    return (
        _node(f"ndvi{name}", "spectral_index", index=Given("NDVI"), bands=bands),
        _node(f"clear{name}", "apply_mask", raster=FromNode(f"ndvi{name}"), mask=FromInput(f"cloud{date}")),
    )


def _node(name: str, tool: str, **args: Value) -> Node:
    return Node(name, tool, args, layer=2)


@cache
def _tools() -> Mapping[str, ToolSchema]:
    return load_catalogue().tools


def _answer(folder: Path, nodes: Sequence[Node], inputs: Mapping[str, Artifact], *, fuse: bool) -> Artifact:
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    plan = Plan("", "", Workflow(tuple(nodes)), inputs=inputs, outputs={"answer": FromNode(nodes[-1].id)})
    trace = execute(plan, _tools(), LocalRunner(), home, fuse=fuse)
    if trace.answer is None:
        raise ToolError("the run has no answer", found=str(trace.error))
    if fuse and not any(record.told_only for record in trace.records.values()):
        raise ToolError("nothing was carried out in one pass")
    return trace.answer


def least(folder: Path) -> float:
    """What nobody can do without: every pixel decoded once and computed with, block by block in one thread; nothing is
    written, checked, counted or told. Beside it the others show how much of theirs could be saved at all (ha)."""
    found = 0
    with ExitStack() as stack:
        red, nir, cloud = (
            stack.enter_context(rasterio.open(folder / f"{name}.tif")) for name in ("red", "nir", "cloud")
        )
        for row in range(0, red.height, _ROWS):
            for column in range(0, red.width, _COLUMNS):
                window = Window(column, row, min(_COLUMNS, red.width - column), min(_ROWS, red.height - row))
                stored = [file.read(1, window=window) for file in (red, nir)]
                one, other = (values * np.float32(1e-4) for values in stored)
                green = (other - one) / (other + one) > LIMIT
                green &= (cloud.read(1, window=window) == 0) & (stored[0] != 0) & (stored[1] != 0)
                found += int(np.count_nonzero(green))
    return float(found) * 100 / 10_000


def whole(folder: Path) -> float:
    """Plain rasterio and numpy on whole arrays, every step written and read again; the same types, the same codec."""
    stored: dict[str, NDArray[Any]] = {}
    for name in ("red", "nir", "cloud"):
        with rasterio.open(folder / f"{name}.tif") as file:
            stored[name], profile = file.read(1), file.profile
    red, nir = (
        np.where(stored[name] == 0, np.float32(np.nan), stored[name] * np.float32(1e-4)) for name in ("red", "nir")
    )
    decimal = {**profile, **_OURS, "dtype": "float32", "nodata": np.nan}
    ndvi = _through(folder / "ndvi.tif", (nir - red) / (nir + red), decimal)
    clear = _through(folder / "clear.tif", np.where(stored["cloud"] == 0, ndvi, np.float32(np.nan)), decimal)
    green = np.where(np.isnan(clear), np.uint8(255), (clear > LIMIT).astype(np.uint8))
    green = _through(folder / "green.tif", green, {**profile, **_OURS, "dtype": "uint8", "nodata": 255})
    return float(np.count_nonzero(green == 1)) * 100 / 10_000


def _through(path: Path, values: NDArray[Any], profile: Mapping[str, Any]) -> NDArray[Any]:
    with rasterio.open(path, "w", **profile) as file:
        file.write(values, 1)
    with rasterio.open(path) as file:
        found: NDArray[Any] = file.read(1)
    return found


def dask(folder: Path, *, method: str) -> float:
    """xarray and dask: lazy arrays of all dates in chunks, reduced over time by two threads, and written."""
    import dask as scheduler
    import rioxarray
    import xarray

    def lazy(path: Path) -> Any:
        found: Any = rioxarray.open_rasterio(path, chunks={"x": 512, "y": 512})
        return found.squeeze("band", drop=True)

    layers = []
    for place in sorted(one for one in folder.iterdir() if one.is_dir() and one.name[:1].isdigit()):
        red, nir, cloud = (lazy(place / f"{name}.tif") for name in ("red", "nir", "cloud"))
        scaled = [one.where(one != 0).astype(np.float32) * np.float32(1e-4) for one in (red, nir)]
        layers.append(((scaled[1] - scaled[0]) / (scaled[1] + scaled[0])).where(cloud == 0))
    stack = xarray.concat(layers, "time").chunk({"time": -1})
    made = getattr(stack, method)("time", skipna=True).astype(np.float32)
    with scheduler.config.set(scheduler="threads", num_workers=2):
        made = made.compute()
    made.rio.to_raster(folder / "out_dask.tif", **{key: value for key, value in _OURS.items() if key != "predictor"})
    return float(np.nanmean(made.values, dtype=np.float64))


VARIANTS: Mapping[str, Callable[[Path], float]] = {
    "fused": lambda folder: chain(folder, fuse=True),
    "unfused": lambda folder: chain(folder, fuse=False),
    "whole": whole,
    "least": least,
    "mean_fused": lambda folder: over_time(folder, method="mean", fuse=True),
    "median_fused": lambda folder: over_time(folder, method="median", fuse=True),
    "mean_dask": lambda folder: dask(folder, method="mean"),
    "median_dask": lambda folder: dask(folder, method="median"),
}


def main(variant: str, place: str, tiny: str) -> None:
    """One run: its time, the processor time of all its threads, its peak memory and its answer, as JSON."""
    run = VARIANTS[variant]
    run(Path(tiny))
    begun, busy = time.perf_counter(), time.process_time()
    answer = run(Path(place))
    found = {
        "seconds": time.perf_counter() - begun,
        "cpu": time.process_time() - busy,
        "peak_mb": peak_mb(),
        "answer": answer,
    }
    for written in Path(place).glob("*_dask.tif"):
        written.unlink()
    print(json.dumps(found))
