"""A run as a STAC 1.1 collection, with an item for every map and every set of features, beside the files themselves.

Items say how they were made (extension ``processing`` 1.1), on what grid (``projection`` 1.1) and what their numbers
are (``raster`` 2.0 and the common ``bands``); every asset has its size and SHA-256 (``file`` 2.1, a multihash).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from knowflow.execution.persist import write_json
from knowflow.model.trace import Trace
from knowflow.roof.exports.placed import Placed, placed
from knowflow.roof.exports.refusal import cannot
from knowflow.service.whence import ancestors, files_of

COLLECTION = "collection.json"
_VERSION = "1.1.0"
_EXTENSION = "https://stac-extensions.github.io/{}/schema.json".format
_PROCESSING, _FILE = _EXTENSION("processing/v1.1.0"), _EXTENSION("file/v2.1.0")
_PROJECTION, _RASTER = _EXTENSION("projection/v1.1.0"), _EXTENSION("raster/v2.0.0")
_STATISTICS = ("minimum", "maximum", "mean", "stddev", "valid_percent")
_SHA256 = "1220"  # what a multihash of that kind begins with


def write_stac(trace: Trace, out: Path) -> tuple[Path, ...]:
    """Write ``collection.json`` and ``NAME.item.json`` into a folder, beside the delivered files, which are copied
    there where they are not. Returns all of these.

    Raises:
        NotExpressibleError: nothing of the run has a place on the ground. OutputError: a result was changed.
    """
    _require_place(trace)
    files = placed(trace, out)
    items = {one.name: item for one in files if (item := _item(trace, one)) is not None}
    for name, item in items.items():
        write_json(out / f"{name}.item.json", item)
    others = [one for one in files if one.name not in items]
    write_json(out / COLLECTION, _collection(trace, items, others))
    documents = [out / COLLECTION, *(out / f"{name}.item.json" for name in items)]
    return (*documents, *(one.path for one in files))


def _item(trace: Trace, one: Placed) -> dict[str, Any] | None:
    """The item of a file that has a place on the ground; None of others."""
    if one.artifact is None or one.artifact.type not in ("raster", "vector"):
        return None
    place, described = (_raster_facts if one.artifact.type == "raster" else _vector_facts)(one.path)
    if place is None:
        return None
    extensions = [_PROCESSING, _FILE, _PROJECTION, *([_RASTER] if "bands" in described else [])]
    return {
        "type": "Feature",
        "stac_version": _VERSION,
        "stac_extensions": extensions,
        "id": f"{trace.run_id}-{one.name}",
        **place,
        "properties": {
            "title": f"{trace.plan.title or trace.plan.query}: {one.name}",
            "created": _moment(trace.finished or trace.started),
            **_when(trace, one),
            **_processing(trace, one.outputs),
        },
        "links": [
            {"rel": rel, "href": COLLECTION, "type": "application/json"} for rel in ("root", "parent", "collection")
        ],
        "assets": {one.name: _asset(one) | {"roles": ["data"]} | described},
        "collection": trace.run_id,
    }


def _collection(trace: Trace, items: Mapping[str, dict[str, Any]], others: list[Placed]) -> dict[str, Any]:
    boxes = [item["bbox"] for item in items.values()] or _boxes(trace)
    times = [item["properties"] for item in items.values()] or [_when(trace, None)]
    begins, ends = zip(*map(_interval, times), strict=True)
    wests, souths, easts, norths = zip(*boxes, strict=True)
    return {
        "type": "Collection",
        "stac_version": _VERSION,
        "stac_extensions": [_PROCESSING, _FILE],
        "id": trace.run_id,
        "title": trace.plan.title or trace.plan.query,
        "description": "\n\n".join(
            [trace.plan.query or trace.plan.title, *(f"Assumed: {one}" for one in trace.plan.assumptions)]
        ),
        "license": "other",
        "providers": [{"name": "KnowFlow", "roles": ["processor"], **_processing(trace, tuple(trace.plan.outputs))}],
        "extent": {
            "spatial": {"bbox": [[min(wests), min(souths), max(easts), max(norths)]]},
            "temporal": {"interval": [[min(begins), max(ends)]]},
        },
        "links": [
            {"rel": "root", "href": COLLECTION, "type": "application/json"},
            *({"rel": "item", "href": f"{name}.item.json", "type": "application/geo+json"} for name in items),
        ],
        "assets": {one.name: _asset(one) | {"roles": ["data"]} for one in others},
    }


def _asset(one: Placed) -> dict[str, Any]:
    return {
        "href": one.path.name,
        "type": one.media_type,
        "title": one.name,
        "file:size": one.path.stat().st_size,
        "file:checksum": _SHA256 + one.digest,
    }


# --- how it was made -----------------------------------------------------------------------------------------------


def _processing(trace: Trace, outputs: tuple[str, ...]) -> dict[str, Any]:
    """How outputs were made, in the words of the extension."""
    plan = trace.plan
    values = [plan.outputs[name] for name in outputs if name in plan.outputs]
    nodes = ancestors(plan, values)
    values += [value for node in nodes for value in node.args.values()]
    read = [f"{Path(path).name} (SHA-256 {trace.digests[path]})" for path in files_of(plan, values, trace.digests)]
    steps = [f"{node.title or node.id} ({node.tool})" for node in nodes]
    question = dict(plan.understood.get("question") or {}).get("value")
    asked = {"processing:expression": {"format": "knowflow-question", "expression": question}} if question else {}
    return asked | {
        "processing:lineage": "\n".join([f"Asked: {plan.query}", *steps, *(f"Read: {one}" for one in read)]),
        "processing:software": dict(trace.software) or {"knowflow": trace.version},
    }


# --- when ----------------------------------------------------------------------------------------------------------


def _when(trace: Trace, one: Placed | None) -> dict[str, Any]:
    """The moment or period that a result is of: its own, else that of all that the run read, else when it was made."""
    own = None if one is None or one.artifact is None else one.artifact.fact("datetime")
    read = (leaf.fact("datetime") for data in trace.plan.inputs.values() for leaf in data.leaves())
    moments = sorted({moment for date in ([own] if own else read) if date for moment in _moments(str(date))})
    if not moments:
        return {"datetime": _moment(trace.finished or trace.started)}
    if moments[0] == moments[-1]:
        return {"datetime": moments[0]}
    return {"datetime": None, "start_datetime": moments[0], "end_datetime": moments[-1]}


def _moments(date: str) -> Iterator[str]:
    """``2022``, ``2022-06``, ``2022-06-01``, one with a time, or two with a stroke between, as RFC 3339 has them."""
    for part in date.split("/"):
        try:
            moment = datetime.fromisoformat(part + "-01-01"[: max(0, 10 - len(part))])
        except ValueError:
            continue
        yield _moment((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _interval(times: Mapping[str, Any]) -> tuple[str, str]:
    return times.get("start_datetime") or times["datetime"], times.get("end_datetime") or times["datetime"]


# --- where, and what its numbers are ---------------------------------------------------------------------------------


def _require_place(trace: Trace) -> None:
    """Refuse a run of which nothing has a place: a collection needs one."""
    if not _boxes(trace):
        raise cannot("STAC", next(iter(trace.outputs), "the run"), "no result and no input with a place on the ground")


def _boxes(trace: Trace) -> list[list[float]]:
    """The bounds in degrees of everything that a run made or read."""
    from rasterio.warp import transform_bounds

    several = (*trace.outputs.values(), *trace.plan.inputs.values())
    leaves = (leaf for one in several for leaf in one.leaves())
    known = ((leaf.fact("crs"), leaf.fact("bounds")) for leaf in leaves)
    return [list(transform_bounds(crs, "EPSG:4326", *bounds)) for crs, bounds in dict.fromkeys(known) if crs and bounds]


def _raster_facts(path: Path) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Where a raster lies, and what its header says of its grid and bands."""
    from rasterio.warp import transform_bounds, transform_geom

    from knowflow.tools.raster.source import open_raster

    with open_raster(path) as raster:
        if raster.crs is None:
            return None, {}
        west, south, east, north = raster.bounds
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        place = {
            "bbox": list(transform_bounds(raster.crs, "EPSG:4326", *raster.bounds)),
            "geometry": transform_geom(raster.crs, "EPSG:4326", {"type": "Polygon", "coordinates": [ring]}),
        }
        code = raster.crs.to_epsg()
        described = {
            "proj:epsg": code,
            **({} if code else {"proj:wkt2": raster.crs.to_wkt()}),
            "proj:shape": list(raster.shape),
            "proj:transform": list(raster.transform)[:6],
            "bands": [_band(raster, number) for number in raster.indexes],
        }
    return place, described


def _band(raster: Any, number: int) -> dict[str, Any]:
    """One band in the common words of STAC 1.1, and those of the extension ``raster``."""
    tags, at = raster.tags(number), number - 1
    nodata, unit, name = raster.nodatavals[at], raster.units[at], raster.descriptions[at]
    told = {name: tags.get(f"STATISTICS_{name.upper()}") for name in _STATISTICS}
    statistics = {key: float(text) for key, text in told.items() if text and math.isfinite(float(text))}
    size = math.sqrt(abs(raster.transform.a * raster.transform.e))
    return {
        "name": name or f"band {number}",
        "data_type": raster.dtypes[at],
        **({} if nodata is None else {"nodata": nodata if math.isfinite(nodata) else str(nodata)}),
        **({"unit": unit} if unit else {}),
        **({"statistics": statistics} if statistics else {}),
        "raster:sampling": "area",
        "raster:scale": raster.scales[at],
        "raster:offset": raster.offsets[at],
        **({"raster:spatial_resolution": size} if raster.crs.is_projected else {}),
    }


def _vector_facts(path: Path) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Where features lie; nowhere where there are none."""
    from pyproj import CRS
    from rasterio.warp import transform_bounds

    from knowflow.ground.vectors import read_info

    found = read_info(path, force_total_bounds=True)
    if not found["crs"] or found["total_bounds"] is None or not found["features"]:
        return None, {}
    west, south, east, north = box = list(transform_bounds(found["crs"], "EPSG:4326", *found["total_bounds"]))
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    place = {"bbox": box, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    return place, {"proj:epsg": CRS(found["crs"]).to_epsg()}
