"""Finished and failed runs made by hand, with small real files, for everything that shows a run to people."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.transform import Affine

from knowflow.ground.errors import EffectError, PreconditionError
from knowflow.model.artifact import Artifact, scalar, series
from knowflow.model.diagnosis import Diagnosis, Evidence
from knowflow.model.edit import InsertNode, SetParameter, Spot
from knowflow.model.facts import Facts, Origin
from knowflow.model.geo import bounds_of
from knowflow.model.plan import Assumption, Decision, Plan, Quality
from knowflow.model.trace import Check, NodeRecord, Refusal, Repaired, Trace
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Inserted, Node, SeriesOf, Workflow

START = 1_750_000_000.0
DATES = tuple(f"2021-{month:02d}-{3 + month:02d}" for month in range(1, 13))


def write_raster(
    path: Path,
    values: np.ndarray,
    *,
    crs: str | None = "EPSG:32633",
    origin: tuple[float, float] = (465000.0, 5080000.0),
    pixel: float = 20.0,
    nodata: float | None = float("nan"),
) -> Path:
    place = {} if crs is None else {"crs": crs, "transform": Affine(pixel, 0.0, origin[0], 0.0, -pixel, origin[1])}
    profile: dict[str, Any] = {"driver": "GTiff", "count": 1, "dtype": values.dtype.name, "nodata": nodata, **place}
    with rasterio.open(path, "w", height=values.shape[0], width=values.shape[1], **profile) as out:
        out.write(values, 1)
    return path


def raster(path: Path, quantity: str, unit: str | None, **facts: Any) -> Artifact:
    """The artifact of a raster file, with the facts a tool would derive."""
    with rasterio.open(path) as source:
        header = Facts.of(
            Origin.MEASURED,
            "header",
            crs=None if source.crs is None else source.crs.to_string(),
            transform=None if source.crs is None else tuple(source.transform)[:6],
            shape=source.shape,
            bounds=None if source.crs is None else bounds_of(tuple(source.transform)[:6], source.shape),
            dtype=source.dtypes[0],
            size=path.stat().st_size,
        )
    said = Facts.of(Origin.DERIVED, "effect", quantity=quantity, unit=unit, **facts)
    return Artifact("raster", said.over(header), name=path.stem, path=str(path))


def hills(rows: int, columns: int) -> np.ndarray:
    y, x = np.mgrid[0 : 1 : rows * 1j, 0 : 1 : columns * 1j]
    return np.sin(7 * x + 2 * y) * np.cos(5 * y - x) + 0.4 * np.sin(19 * x * y)


def trend_plan(folder: Path) -> Plan:
    scenes = []
    for index, date in enumerate(DATES):
        path = write_raster(folder / f"S2_{date}_L2A.tif", (hills(24, 24) * 3000 + 4000).astype("uint16"), nodata=0)
        facts = {"datetime": date, "scale": 0.0001, "sensor": "Sentinel-2", "cloud_fraction": 0.02 * index}
        scenes.append(raster(path, "surface_bidirectional_reflectance", "1", **facts))
    index_nodes = tuple(
        Node(
            f"product[{date}]",
            "spectral_index",
            {
                "bands": BandsOf(
                    {
                        "red": FromNode("align") if number == 7 else FromInput("series", (number, "red")),
                        "nir": FromInput("series", (number, "nir")),
                    }
                ),
                "index": Given("ndvi"),
            },
            layer=2,
            title=f"Vegetation index of {date}",
            step="product",
        )
        for number, date in enumerate(DATES)
    )
    because = "the scene of 2021-08-11 lies on another grid (EPSG:32632 24x24 at 30x30), needed for same_grid"
    align = Node(
        "align",
        "align_to",
        {"raster": FromInput("series", (7, "red")), "like": FromInput("series", (0, "red"))},
        layer=1,
        title="Bring the scene onto the grid of the others",
        inserted=Inserted("planner", because, "same_grid(bands.red, bands.nir)", lossy="resampling smooths values"),
    )
    mask = tuple(
        Node(
            f"masked[{date}]",
            "apply_mask",
            {"raster": FromNode(f"product[{date}]"), "mask": FromInput("clouds", (number,))},
            layer=2,
            step="masked",
        )
        for number, date in enumerate(DATES)
    )
    masked = SeriesOf(tuple(FromNode(node.id) for node in mask))
    tail = (
        Node("trend", "linear_trend", {"series": masked, "confidence": Given(0.95)}, layer=3, step="trend"),
        Node("dates", "batch_statistics", {"series": masked}, layer=3, step="dates"),
        Node("answer", "mean", {"x": FromNode("trend")}, layer=3, step="answer"),
    )
    return Plan(
        query="How did the vegetation change over 2021 <b>here</b>?",
        title="Trend of a quantity over time",
        template="quantity_trend",
        workflow=Workflow((align, *index_nodes, *mask, *tail)),
        inputs={"series": series(tuple(scenes), "series"), "clouds": series(tuple(scenes), "clouds")},
        parameters={"quantity": "ndvi", "confidence": 0.95},
        outputs={"answer": FromNode("answer"), "trend": FromNode("trend"), "dates": FromNode("dates")},
        quality=(Quality("valid_fraction(trend) >= 0.5", {"trend": FromNode("trend")}),),
        assumptions=(
            Assumption("confidence", 0.95, "assumed", "the template's default; the question names none"),
            Assumption("scale", 0.0001, "user", "--assume scale=0.0001"),
        ),
        decisions=(
            Decision(
                "produce_quantity",
                "ndvi_from_reflectance",
                "red and nir are there",
                (("ndvi_given", "no file holds ndvi"), ("evi_from_reflectance", "another quantity was asked for")),
            ),
        ),
        understood={"quantity": "ndvi", "operation": "trend"},
    )


def completed_run(folder: Path) -> Trace:
    """A completed run: a trend over twelve scenes, one of them aligned first; map, table of dates and one number."""
    plan = trend_plan(folder)
    values = (hills(300, 420) * 0.02).astype("float32")
    values[:60, :80] = np.nan
    trend = raster(
        write_raster(folder / "trend.tif", values),
        "trend_per_year",
        "year-1",
        valid_fraction=0.962,
        finite_fraction=0.962,
        value_range=(float(np.nanmin(values)), float(np.nanmax(values))),
        mean=float(np.nanmean(values)),
    )
    rows = [
        {"date": date, "mean": round(0.5 + 0.2 * float(np.sin(i / 2)), 4), "valid_fraction": round(0.99 - 0.02 * i, 3)}
        for i, date in enumerate(DATES)
    ]
    with (folder / "dates.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    facts = Facts.of(Origin.DERIVED, "effect", fields=("date", "mean", "valid_fraction"), features=len(rows))
    dates = Artifact("table", facts, name="dates", value=tuple(rows), path=str(folder / "dates.csv"))
    answer = scalar(-0.00734, Facts.of(Origin.DERIVED, "effect", unit="year-1", quantity="trend_per_year"), "answer")
    ndvi = Artifact("raster", Facts.of(Origin.DERIVED, "effect", quantity="ndvi", unit="1"), path="/cache/x.tif")
    outputs: dict[str, Mapping[str, Artifact]] = {
        "trend": {"output": trend},
        "dates": {"value": dates},
        "answer": {"value": answer},
    }
    records = {}
    for index, node in enumerate(plan.workflow.nodes):
        checks = (
            Check("before", "same_grid(bands)", True, "EPSG:32633 24x24 at 20x20"),
            Check("after", "finite_fraction(output) >= 0.01", True, "finite_fraction(output) is 0.962"),
        )
        records[node.id] = NodeRecord(
            node.id,
            "cached" if node.id.startswith("product[2021-0") else "done",
            key=f"{index:04x}" * 16,
            outputs=outputs.get(node.id, {"output": ndvi}),
            checks=checks,
            started=START + index,
            finished=START + index + 0.37,
        )
    return Trace(
        run_id="20250615-150640-trend",
        plan=plan,
        status="completed",
        records=records,
        runner="prefect",
        started=START,
        finished=START + 33.3,
        outputs={"answer": answer, "trend": trend, "dates": dates},
        delivered={"trend": str(folder / "trend.tif"), "dates": str(folder / "dates.csv")},
        quality=(Check("quality", "valid_fraction(trend) >= 0.5", True, "valid_fraction(trend) is 0.962"),),
        ui="http://127.0.0.1:4200/runs/flow-run/1",
        version="0.1.0",
    )


def failed_run(folder: Path) -> Trace:
    """A run whose trend broke its promise: what depends on it was not started."""
    plan = trend_plan(folder)
    error = EffectError(
        "the trend is not physical",
        where="trend",
        expected="in_range(output): -2..2 per year",
        found="values up to <script>alert(1)</script> 4.1e9",
        hint="a scene was probably not scaled: --assume scale=0.0001",
    ).to_json()
    records = {
        node.id: NodeRecord(node.id, "done", started=START, finished=START + 1)
        for node in plan.workflow.nodes
        if node.id not in ("trend", "answer")
    }
    checks = (Check("after", "in_range(output)", False, "trend_per_year of output is 4.1e9"),)
    records["trend"] = NodeRecord("trend", "failed", checks=checks, error=error, started=START, finished=START + 2)
    records["answer"] = NodeRecord("answer", "skipped")
    return Trace(
        run_id="20250615-150640-failed",
        plan=plan,
        status="failed",
        records=records,
        started=START,
        finished=START + 3,
        error=error,
        version="0.1.0",
    )


def repaired_run(folder: Path) -> Trace:
    """The completed run as it came about: a scene lay on another grid, then a person asked for more confidence."""
    trace = completed_run(folder)
    workflow = trace.plan.workflow
    align, late = workflow.node("align"), workflow.node("product[2021-08-11]")
    bands = {"red": FromInput("series", (7, "red")), "nir": FromInput("series", (7, "nir"))}
    broken = replace(late, args={**late.args, "bands": BandsOf(bands)})
    first = Workflow(tuple(broken if node.id == late.id else node for node in workflow.nodes if node.id != "align"))
    trend = workflow.node("trend")
    sure = replace(trend, args={**trend.args, "confidence": Given(0.9)})
    second = Workflow(tuple(sure if node.id == "trend" else node for node in workflow.nodes))
    error = PreconditionError(
        "the rasters are on different grids",
        where="Vegetation index of 2021-08-11",
        expected="same_grid(bands)",
        found="red is on EPSG:32632 24x24 at 30x30",
    ).to_json()
    evidence = Evidence("grid of red", "EPSG:32633 24x24 at 20x20", "EPSG:32632 24x24 at 30x30", "measured")
    diagnosis = Diagnosis(
        "grid_mismatch", late.id, late.id, ("bands", "red"), "S2_2021-08-11_L2A.tif", (evidence,), "certain"
    )
    repairs = (
        Repaired(
            1,
            NodeRecord(late.id, "failed", error=error, started=START, finished=START + 0.1),
            diagnosis,
            "rule:align_grids",
            "IF any tool fails with error('grid_mismatch') THEN insert_tool('align_to')",
            "bands that are combined must lie on the same grid",
            (InsertNode(align, (Spot(late.id, "bands", ("red",)),), "raster"),),
            new=("align",),
            changed=(late.id,),
            before=first,
            lossy="resampling smooths values",
            refused=(
                Refusal("llm", "replace <b>everything</b> by magic", ("unknown_tool: expected a tool that exists",)),
            ),
            seconds=0.012,
            tokens=1234,
        ),
        Repaired(
            2,
            NodeRecord("trend", "done"),
            Diagnosis("unknown", "trend", ""),
            "person",
            "set trend.confidence to 0.95",
            "asked for by a person",
            (SetParameter("trend", "confidence", Given(0.95)),),
            changed=("trend",),
            before=second,
        ),
    )
    asked = {"model": "m", "purpose": "repair", "seconds": 1.5, "answer": {"text": "<i>magic</i>", "tokens": 1234}}
    return replace(trace, repairs=repairs, exchanges=(asked,))


def hopeless_run(folder: Path) -> Trace:
    """The failed run with what was found out about it, and a proposal that was refused."""
    diagnosis = Diagnosis(
        "scale_missing",
        "product[2021-08-11]",
        "trend",
        ("bands",),
        evidence=(Evidence("values of the scene", "0..1", "12 to 9875", "measured"),),
        advice="say the factor: --assume scale=... (and offset=...)",
    )
    refusal = Refusal("rule:rescale", "insert apply_scale", ("scale of <b>it</b> is not known",))
    return replace(failed_run(folder), diagnoses=(diagnosis,), refusals=(refusal,))


def steep_run(folder: Path) -> Trace:
    """A run over one longitude/latitude elevation model: a mask, an elevation map and an area in square metres."""
    heights = ((hills(200, 260) + 1.5) * 400).astype("float32")
    place: dict[str, Any] = {"origin": (-84.4, 36.7), "pixel": 0.000833}
    dem = raster(write_raster(folder / "dem.tif", heights, crs="EPSG:4326", **place), "elevation", "m")
    steepness = (np.abs(hills(200, 260)) > 0.5).astype("uint8")
    steepness[:20] = 255
    mask_path = write_raster(folder / "steep.tif", steepness, crs="EPSG:4326", nodata=255, **place)
    mask = raster(mask_path, "mask", "1")
    plan = Plan(
        query="Where is the terrain steeper than 15 degrees, and how large is that?",
        title="Area where a quantity exceeds a threshold",
        template="area_above_threshold",
        workflow=Workflow(
            (
                Node("steep", "threshold", {"raster": FromInput("dem"), "threshold": Given(15)}, layer=2, step="steep"),
                Node("area", "area_of", {"mask": FromNode("steep")}, layer=3, step="area"),
            )
        ),
        inputs={"dem": dem},
        parameters={"quantity": "slope", "threshold": 15, "side": "above"},
        outputs={"answer": FromNode("area"), "map": FromNode("steep"), "elevation": FromInput("dem")},
    )
    area = scalar(123_456_789.0, Facts.of(Origin.DERIVED, "effect", unit="m2", quantity="area"), "answer")
    records = {
        "steep": NodeRecord("steep", "done", outputs={"output": mask}, started=START, finished=START + 0.2),
        "area": NodeRecord("area", "done", outputs={"value": area}, started=START, finished=START + 0.1),
    }
    return Trace(
        run_id="20250615-steep",
        plan=plan,
        status="completed",
        records=records,
        started=START,
        finished=START + 1,
        outputs={"answer": area, "map": mask, "elevation": dem},
        version="0.1.0",
    )
