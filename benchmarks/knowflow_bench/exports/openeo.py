"""Process graphs carried out by openeo-processes-dask, an implementation of openEO that is not ours."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from knowflow.model.artifact import Artifact
from knowflow.model.trace import Trace

_NEAR = 1e-6


def openeo_differences(trace: Trace, folder: Path) -> list[str]:
    """In what the results of the exported process graphs differ from those of the run, by more than 1e-6."""
    problems = []
    for name, artifact in _leaves(trace):
        try:
            found = executed(folder, name)
        except Exception as error:  # whatever the other implementation says
            problems.append(f"{name}: {type(error).__name__}: {error}")
            continue
        problems += [f"{name}: {one}" for one in _differs(artifact, found)]
    return problems


def executed(folder: Path, name: str) -> Any:
    """The result of a process graph of a folder: an array (xarray), of no dimension where it is a number."""
    collections = json.loads((folder / "collections.json").read_text(encoding="utf-8"))
    document = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries about each other
        from openeo_pg_parser_networkx import OpenEOProcessGraph

        graph = OpenEOProcessGraph(pg_data={"process_graph": document["process_graph"]})
        run = graph.to_callable(_registry(json.dumps(collections)))
        return run().compute()


@cache
def _registry(collections: str) -> Any:
    from openeo_pg_parser_networkx import ProcessRegistry
    from openeo_pg_parser_networkx.process_registry import Process
    from openeo_processes_dask import process_implementations
    from openeo_processes_dask.process_implementations.core import process
    from openeo_processes_dask.specs import __all__ as specified

    known = json.loads(collections)
    registry = ProcessRegistry(wrap_funcs=[process])
    for name in specified:
        implementation = getattr(process_implementations, name, getattr(process_implementations, f"_{name}", None))
        if implementation is not None:
            registry[name] = Process(spec={}, implementation=implementation)

    def load_collection(id: str, bands: list[str], **_: Any) -> Any:  # as openEO calls it
        return _loaded(known[id]["bands"], bands)

    def save_result(data: Any, **_: Any) -> Any:
        return data

    def apply_kernel(kernel: list[list[float]], **given: Any) -> Any:
        """As openEO defines it: the inner level lies along x. The implementation lays it along y."""
        return process_implementations.apply_kernel(kernel=np.transpose(kernel), **given)

    registry["apply_kernel"] = Process(spec={}, implementation=apply_kernel)
    registry["load_collection"] = Process(spec={}, implementation=load_collection)
    registry["save_result"] = Process(spec={}, implementation=save_result)
    return registry


def _loaded(known: Mapping[str, Any], bands: list[str]) -> Any:
    """The bands of a scene as physical numbers in double precision, NaN where not data, read by rasterio alone."""
    import dask.array as da
    import rasterio
    import xarray as xr

    layers: list[Any] = []
    for band in bands:
        told = known[band]
        with rasterio.open(told["file"]) as file:
            values = file.read(told["band"], masked=True)
            transform, (rows, columns) = file.transform, file.shape
            numbers = np.where(np.ma.getmaskarray(values), np.nan, values.data.astype("float64"))
        if told["nodata"] is not None:
            numbers[numbers == told["nodata"]] = np.nan
        layers.append(numbers * told["scale"] + told["offset"])
    x, y = transform.c + transform.a * (np.arange(columns) + 0.5), transform.f + transform.e * (np.arange(rows) + 0.5)
    cube = da.from_array(np.stack(layers))
    return xr.DataArray(cube, coords={"bands": bands, "y": y, "x": x}, dims=("bands", "y", "x"))


def _leaves(trace: Trace) -> list[tuple[str, Artifact]]:
    """The results of a run by the names that their process graphs have."""

    def parts(name: str, one: Artifact) -> list[tuple[str, Artifact]]:
        if one.items:
            several = [(name if len(one.items) == 1 else f"{name}_{n}", item) for n, item in enumerate(one.items, 1)]
            return [leaf for called, item in several for leaf in parts(called, item)]
        if one.members:
            return [leaf for band, member in one.members.items() for leaf in parts(f"{name}_{band}", member)]
        if one.type == "table":
            rows = one.value or ()
            columns = {key: {row["class"]: row[key] for row in rows} for key in ("pixels", "area", "share")}
            return [(f"{name}_{key}", replace(one, value=column)) for key, column in columns.items()]
        return [(name, one)]

    return [leaf for name, artifact in trace.outputs.items() for leaf in parts(name, artifact)]


def _differs(artifact: Artifact, found: Any) -> list[str]:
    from knowflow.tools.raster import read_array

    if artifact.type == "table":  # classes that do not occur have no row
        return [] if _close(artifact.value, found) else [f"{found.values} for {artifact.value}"]
    if artifact.type == "text":  # of dates, behind commas
        is_so = dict(zip(map(str, found["bands"].values), found.values, strict=True))
        told = sorted(label.removeprefix("on ") for label, mark in is_so.items() if mark == 1)
        return [] if told == sorted(str(artifact.value).split(", ")) else [f"{told} for {artifact.value}"]
    found = np.asarray(found)
    if artifact.type == "raster":
        truth = np.asarray(read_array(artifact), dtype="float64")
    else:
        truth = np.asarray(artifact.value, dtype="float64")
    if truth.shape != found.shape:
        return [f"shape {found.shape} for {truth.shape}"]
    if (np.isnan(truth) != np.isnan(found)).any():
        return [f"no data at {int((np.isnan(truth) != np.isnan(found)).sum())} other pixels"]
    apart = np.nanmax(np.abs(truth - found) / np.maximum(1.0, np.abs(truth)), initial=0.0)
    return [f"{apart:g} apart"] if apart > _NEAR else []


def _close(rows: Mapping[int, float], found: Any) -> bool:
    numbers = {int(label): float(number) for label, number in zip(found["bands"].values, found.values, strict=True)}
    return all(abs(rows.get(label, 0.0) - number) <= _NEAR * max(1.0, number) for label, number in numbers.items())
