"""From a file that a run delivered back to the run: the question, the steps that made it, and the files behind it.

The file is known by its content, whatever it is called and wherever it lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowflow.execution.content import DIGESTS, FileDigests, file_digest, require_file
from knowflow.execution.run_store import load_run
from knowflow.graph.resolve import part_of
from knowflow.ground.errors import DataNotFoundError, KnowFlowError, UnknownNameError
from knowflow.ground.files import in_place_of_file
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromInput, FromNode, Node, Value, references
from knowflow.service.run_index import runs_found

VALUES = "values"
"""What the file of all numbers and texts is called among those that a run delivers."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that a result rests on: its path when it was read, its digest then, and whether it is still that there."""

    path: str
    digest: str
    still_there: bool


@dataclass(frozen=True, slots=True)
class Whence:
    """Where a file comes from: which ``outputs`` of the newest run that delivered it, by which ``steps`` (node, tool,
    derivation key), in order, and of which files. ``others`` are earlier runs that delivered the same."""

    file: str
    digest: str
    trace: Trace
    outputs: tuple[str, ...]
    steps: tuple[tuple[str, str, str], ...]
    sources: tuple[Source, ...]
    others: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        plan = self.trace.plan
        return {
            "file": self.file,
            "sha256": self.digest,
            "run_id": self.trace.run_id,
            "query": plan.query,
            "understood": plan.title,
            "started": self.trace.started,
            "version": self.trace.version,
            "outputs": list(self.outputs),
            "steps": [{"node": node, "tool": tool, "key": key} for node, tool, key in self.steps],
            "inputs": [
                {"path": one.path, "sha256": one.digest, "still_there": one.still_there} for one in self.sources
            ],
            "assumptions": [str(one) for one in plan.assumptions],
            "other_runs": list(self.others),
            "plan": plan.to_json(),
        }


def whence(file: Path, home: Path) -> Whence:
    """Where a file comes from.

    Raises:
        DataNotFoundError: there is no such file.
        UnknownNameError: no run that is kept delivered such a file.
    """
    other = in_place_of_file(file)
    if other is not None:
        raise DataNotFoundError("there is no such file", where=str(file), expected="a file", found=other)
    require_file(file)
    digest = file_digest(file)
    runs = runs_found(home, made=(digest,))
    if not runs:
        raise UnknownNameError(
            "no run delivered this file",
            where=str(file),
            expected=f"a file as it was delivered by one of the runs in {home / 'runs'}",
            found=f"content of SHA-256 {digest}",
            hint="it was changed since, or its run was removed (`knowflow runs prune`) or is of another KNOWFLOW_HOME",
        )
    trace = load_run(runs[0].run_id, home)
    outputs = tuple(outputs_in(trace, digest))
    steps = ancestors(trace.plan, [trace.plan.outputs[name] for name in outputs])
    made = tuple((node.id, node.tool, trace.record(node.id).key) for node in steps)
    values = [value for node in steps for value in node.args.values()]
    values += [trace.plan.outputs[name] for name in outputs]
    digests = FileDigests(home / DIGESTS)
    read = files_of(trace.plan, values, trace.digests)
    sources = tuple(_source(path, trace.digests[path], digests) for path in read)
    return Whence(str(file), digest, trace, outputs, made, sources, tuple(one.run_id for one in runs[1:]))


def outputs_in(trace: Trace, digest: str) -> Iterator[str]:
    """The outputs of a run that are in the delivered file of a digest; all values where it is the file of these."""
    for name, path in trace.delivered.items():
        if trace.made.get(path) != digest:
            continue
        if name == VALUES:
            yield from (key for key, one in trace.outputs.items() if one.is_value)
        else:
            yield from output_named(trace, name)


def output_named(trace: Trace, delivered: str) -> tuple[str, ...]:
    """The output that a delivered file is, or is a part of (``map_2022-06-01`` is of ``map``)."""
    fits = [name for name in trace.outputs if delivered == name or delivered.startswith(f"{name}_")]
    return (max(fits, key=len),) if fits else ()


def ancestors(plan: Plan, values: list[Value]) -> tuple[Node, ...]:
    """The nodes that values come from, in order of execution."""
    needed: set[str] = set()
    waiting = [ref.node for value in values for ref in references(value) if isinstance(ref, FromNode)]
    while waiting:
        node = waiting.pop()
        if node not in needed:
            needed.add(node)
            waiting.extend(plan.workflow.node(node).sources())
    return tuple(node for node in plan.workflow.ordered if node.id in needed)


def files_of(plan: Plan, values: list[Value], known: Mapping[str, str]) -> tuple[str, ...]:
    """The files behind the inputs that values refer to, once each, and of these the ``known`` ones."""
    refs = (ref for value in values for ref in references(value) if isinstance(ref, FromInput))
    leaves = (leaf for ref in refs for leaf in part_of(plan.inputs[ref.name], ref.at).leaves())
    return tuple(dict.fromkeys(leaf.path for leaf in leaves if leaf.path is not None and leaf.path in known))


def _source(path: str, before: str, digests: FileDigests) -> Source:
    """A file as it was read, compared with what is there now."""
    try:
        return Source(path, before, digests.digest(path) == before)
    except KnowFlowError:
        return Source(path, before, False)
