"""What became of every node, and where everything came from, ready for the page."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from knowflow.graph.export import Group, folded, value_text
from knowflow.ground.references import reference_of
from knowflow.model.artifact import Artifact
from knowflow.model.trace import Check, NodeRecord, Trace
from knowflow.model.workflow import Given, Node
from knowflow.roof.notation import (
    day,
    duration,
    literal,
    middle,
    moment,
    number,
    plain,
    shorten,
    size,
    unit_sign,
    words,
)
from knowflow.roof.report.answer import input_files
from knowflow.roof.report.maps import quantity_title

MOST_OF_GROUP = 40
MOST_FILES = 60
_PACKAGES = ("rasterio", "numpy", "scipy", "pyproj", "pyogrio", "shapely", "spyndex", "prefect")
_STATUS = {
    "done": "done",
    "cached": "from cache",
    "failed": "failed",
    "skipped": "not started",
    "running": "running",
    "pending": "not started",
}


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node as the report tells it."""

    id: str
    title: str
    tool: str
    status: str
    says: str
    seconds: str
    parameters: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...]
    checks: tuple[Check, ...]
    inserted: str
    error: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """A node, or siblings, by their title and by their place in the plan; of many only the first ``MOST_OF_GROUP`` are
    told one by one."""

    title: str
    label: str
    tool: str
    layer: int
    rows: tuple[NodeRow, ...]
    more: int
    status: str
    says: str
    seconds: str


@dataclass(frozen=True, slots=True)
class Insertion:
    """Nodes that were added, once for each reason."""

    title: str
    tool: str
    by: str
    because: str
    goal: str
    lossy: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An input file with what identifies it."""

    name: str
    path: str
    size: str
    day: str
    modified: str
    digest: str
    whole_digest: str


def node_groups(trace: Trace) -> tuple[NodeGroup, ...]:
    return tuple(_group(group, trace) for group in folded(trace.plan.workflow))


def _group(group: Group, trace: Trace) -> NodeGroup:
    records = [trace.record(node.id) for node in group.nodes]
    pairs = sorted(zip(group.nodes, records, strict=True), key=lambda pair: pair[1].status != "failed")
    statuses = [record.status for record in records]
    first = min(statuses, key=("failed", "running", "pending", "skipped", "done", "cached").index)
    says = ", ".join(f"{statuses.count(s)} {_STATUS[s]}" for s in dict.fromkeys(statuses))
    spent = [record.seconds for record in records if record.seconds is not None and record.status != "cached"]
    return NodeGroup(
        plain(group.title),
        plain(group.label),
        plain(group.head.tool),
        group.head.layer,
        tuple(_row(node, record) for node, record in pairs[:MOST_OF_GROUP]),
        max(0, len(pairs) - MOST_OF_GROUP),
        first,
        _STATUS[first] if len(records) == 1 else says,
        duration(sum(spent)) if spent else "",
    )


def _row(node: Node, record: NodeRecord) -> NodeRow:
    return NodeRow(
        id=plain(node.id),
        title=plain(node.title),
        tool=plain(node.tool),
        status=record.status,
        says=_STATUS[record.status],
        seconds="" if record.seconds is None or record.status == "cached" else duration(record.seconds),
        parameters=tuple(
            (words(name), literal(value.value) if isinstance(value, Given) else shorten(value_text(value), 160))
            for name, value in node.args.items()
        ),
        outputs=tuple(f"{words(name)}: {facts_line(artifact)}" for name, artifact in record.outputs.items()),
        checks=record.checks,
        inserted="" if node.inserted is None else plain(node.inserted.because),
        error=record.error,
    )


def facts_line(artifact: Artifact) -> str:
    """The most telling facts of an artifact on one line."""
    sign = unit_sign(artifact.fact("unit"))
    if artifact.type in ("scalar", "text"):
        value = number(artifact.value, 8) if isinstance(artifact.value, (int, float)) else literal(artifact.value)
        return f"{value} {sign}".strip()
    parts = [words(artifact.type)]
    quantity = quantity_title(artifact)
    if quantity:
        parts.append(quantity + (f", {sign}" if sign else ""))
    shape = artifact.fact("shape")
    if shape is not None:
        parts.append(f"{shape[1]} × {shape[0]} pixels")
    span = artifact.fact("value_range")
    if span is not None:
        parts.append(f"values {number(span[0])} to {number(span[1])}")
    share = artifact.fact("valid_fraction")
    if share is not None:
        parts.append(f"{number(share * 100, 3)} % valid")
    if artifact.parts():
        parts.append(f"{len(artifact.parts())} items")
    count = artifact.fact("features")
    if count is not None:
        parts.append(f"{number(count)} rows" if artifact.type == "table" else f"{number(count)} features")
    return "; ".join(parts)


def insertions(trace: Trace) -> tuple[Insertion, ...]:
    found = []
    for group in folded(trace.plan.workflow):
        inserted = group.head.inserted
        if inserted is None:
            continue
        more = f" (and {len(group.reasons) - 1} more)" if len(group.reasons) > 1 else ""
        because = plain(group.reasons[0]) + more
        goal, lossy = plain(inserted.goal), plain(inserted.lossy or "")
        found.append(Insertion(plain(group.title), plain(group.head.tool), inserted.by, because, goal, lossy))
    return tuple(found)


def source_files(trace: Trace) -> tuple[tuple[SourceFile, ...], int]:
    """The input files, at most ``MOST_FILES`` of them, and how many more there are."""
    files: dict[str, Artifact] = {}
    for artifact in input_files(trace):
        files.setdefault(str(artifact.path), artifact)
    rows = []
    for path, artifact in list(files.items())[:MOST_FILES]:
        try:
            status = Path(path).stat()
            bytes_on_disk, modified = size(status.st_size), moment(status.st_mtime)
        except OSError:
            known = artifact.fact("size")
            bytes_on_disk, modified = size(known), "no longer there"
        reference = reference_of(path)
        if reference is not None:
            modified = reference.states
        digest = plain(trace.digests.get(path, ""))
        taken = artifact.fact("datetime")
        rows.append(
            SourceFile(
                plain(Path(path).name),
                plain(path if reference is None else reference.addresses),
                bytes_on_disk,
                day(taken) if taken else "–",
                modified,
                middle(digest, 22) if digest else "–",
                digest,
            )
        )
    return tuple(rows), max(0, len(files) - MOST_FILES)


def versions(trace: Trace) -> tuple[tuple[str, str], ...]:
    """KnowFlow, Python and the libraries that computed."""
    rows = [("KnowFlow", plain(trace.version or "unknown")), ("Python", platform.python_version())]
    for package in _PACKAGES:
        try:
            rows.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return tuple(rows)


def derivations(trace: Trace, most: int = 400) -> Iterator[tuple[str, str]]:
    """W3C PROV in words, one statement a line: relation and what it relates."""
    nodes, inputs = trace.plan.workflow.nodes, list(trace.plan.inputs)
    for name in inputs[:most]:
        yield "entity", f"{plain(name)} (input of the plan)"
    if len(inputs) > most or len(nodes) > most:
        yield "note", f"of {len(inputs)} inputs and {len(nodes)} steps the first {most} each; the trace has all"
    for node in nodes[:most]:
        record = trace.record(node.id)
        if not record.ready:
            continue
        for name, value in node.args.items():
            if not isinstance(value, Given):
                yield "used", f"{plain(node.id)} used {shorten(value_text(value), 120)} as {words(name)}"
        for name in record.outputs:
            entity = f"{plain(node.id)}.{plain(name)}"
            key = f" [{middle(record.key, 18)}]" if record.key else ""
            yield "wasGeneratedBy", f"{entity}{key} wasGeneratedBy {plain(node.id)} ({plain(node.tool)})"
    for name, value in trace.plan.outputs.items():
        yield "wasDerivedFrom", f"{plain(name)} wasDerivedFrom {shorten(value_text(value), 120)}"
    yield "wasAssociatedWith", f"run {plain(trace.run_id)} wasAssociatedWith KnowFlow {plain(trace.version)}"
