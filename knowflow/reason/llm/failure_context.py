"""A failure as a language model is told of it: everything that matters, nothing twice, and data only as data.

No path leaves the machine (files are named, not located), no pixel, no time of day; and nothing that depends on what
ran beside it: the same failure gives the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeAlias

from knowflow.graph.topology import downstream
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts
from knowflow.model.literal import same
from knowflow.model.plan import Plan
from knowflow.model.repair import Failure
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.trace import Refusal, Repaired
from knowflow.model.workflow import Node, to_json
from knowflow.reason.llm.conversation import REMEMBERED, Message
from knowflow.reason.llm.quoting import FENCES_EXPLAINED, LONGEST_TEXT, abbreviated, compressed, fenced, shortened

_TASK = """\
You repair a workflow over Earth-observation data in which a step failed. You are given the question, the failure with
its diagnosis, the plan around it, what is known of the data, and tools. Answer with the smallest repair after which the
workflow answers the same question rightly: set a parameter that is `technical`, insert a tool before a parameter, put
another tool in the place of one, or leave out a node of a series (say in `lossy` what is lost).

What you may not do, and what will be refused: change what is asked (every argument that stands there, and every
default, unless the parameter is `technical`); change what the user stated; name nodes, inputs, tools or parameters
that are not listed; name files; break a condition (`needs`) of a tool; hide a defect of the data so that a wrong
number looks right. A step that works may not be changed without need. Where no repair is right, answer with no edits
and say why in `because`.
"""
_NEAR = 3
_FAR = _NEAR + 1
_MOST_NODES = 28
_LONGEST_ERROR = 600  # what went wrong tells more than what stands around it
_MOST_ITEMS = 12
_MOST_INPUTS = 12
# facts that say nothing without pixels, or say where files lie
_UNTOLD = frozenset({"histogram", "transform", "grid", "size", "thermal_constants"})


Advice: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""What experts mind about such a question, and what earlier attempts at it came to, latest first."""


def messages(failure: Failure, refused: Sequence[Refusal], advice: Advice = ((), ())) -> tuple[Message, ...]:
    """The conversation that asks for a repair; ``refused`` are the proposals made so far, with reasons."""
    plan, trace = failure.plan, failure.trace
    near, more = _near(plan, failure)
    parts = [
        ("The question, and how it was understood.", "question", _question(plan)),
        ("What failed, and the diagnosis.", "failure", _failure(failure)),
        (f"The plan around it{f' ({more} more nodes are not shown)' if more else ''}.", "nodes", _nodes(near, failure)),
        ("The inputs of the plan.", "inputs", list(_inputs(plan))),
        ("Taken for granted; what the user said stands.", "assumptions", [str(one) for one in plan.assumptions]),
        ("Repairs made before in this run.", "history", [_repair(one) for one in trace.repairs]),
        ("What experts mind about such questions.", "guidance", list(advice[0])),
        ("Tools that you may use. Preconditions are `needs`.", "tools", [tool_summary(t) for t in failure.candidates]),
        ("Proposed for this failure and refused; do not propose them again.", "refused", [_said(r) for r in refused]),
    ]
    longest = {"failure": _LONGEST_ERROR, "guidance": _LONGEST_ERROR}
    earlier = fenced("earlier_attempts", _told(list(advice[1]), _LONGEST_ERROR))
    told = "\n\n".join(
        f"{title}\n{fenced(name, _told(data, longest.get(name, LONGEST_TEXT)))}" for title, name, data in parts if data
    )
    return (
        Message("system", f"{_TASK}\n{FENCES_EXPLAINED}"),
        *([Message("user", f"{REMEMBERED}\n{earlier}")] if advice[1] else []),
        Message("user", f"{told}\n\nAnswer with the repair as one JSON object."),
    )


def _told(data: Any, longest: int = LONGEST_TEXT) -> Any:
    """Data without folders, in short; every row of a list is kept."""
    if isinstance(data, list):
        return [_told(row, longest) for row in data]
    return without_folders(abbreviated(data, longest=longest))


def _question(plan: Plan) -> dict[str, Any]:
    return {
        "question": plan.query,
        "plan": plan.title,
        "template": plan.template,
        "understood": plan.understood,
        "parameters": plan.parameters,
        "unit": plan.unit,
        "quality": [one.condition for one in plan.quality],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    record, diagnosis = failure.trace.record(failure.node), failure.diagnosis
    error = {
        name: str(record.error[name])
        for name in ("code", "message", "expected", "found", "hint")
        if record.error and record.error.get(name)
    }
    return {
        "failed_node": failure.node,
        "error": error,
        "false_checks": [f"{c.condition}: {c.because}" for c in record.checks if c.truth is False],
        "cause": f"{diagnosis.cause}: {diagnosis.title}",
        "confidence": diagnosis.confidence,
        "guilty_node": diagnosis.node,
        "guilty_place": list(diagnosis.place),
        "file": PurePath(diagnosis.file).name,
        "evidence": [str(one) for one in diagnosis.evidence],
        "findings": compressed(diagnosis.found),
        "other_causes": list(diagnosis.others),
    }


def _near(plan: Plan, failure: Failure) -> tuple[list[Node], int]:
    """What leads to the failed and the guilty node and what depends on them, the nearest first to be chosen, in the
    plan's order; and how many nodes there are beside them."""
    workflow = plan.workflow
    followers: dict[str, list[str]] = {}
    for node in workflow.nodes:
        for source in node.sources():
            followers.setdefault(source, []).append(node.id)
    start = tuple(dict.fromkeys(name for name in (failure.node, failure.diagnosis.node) if name in workflow.by_id))
    above = _reached(start, lambda name: workflow.by_id[name].sources() if name in workflow.by_id else ())
    below = _reached(start, lambda name: followers.get(name, ()))
    ranked = sorted({**above, **below}, key=lambda name: min(above.get(name, _FAR), below.get(name, _FAR)))
    chosen = set(ranked[:_MOST_NODES])
    return [node for node in workflow.nodes if node.id in chosen], len(workflow) - len(chosen)


def _reached(start: Sequence[str], beside: Callable[[str], Sequence[str]]) -> dict[str, int]:
    """How far from the start everything near is, in steps."""
    found = dict.fromkeys(start, 0)
    ring = list(start)
    for distance in range(1, _NEAR + 1):
        ring = [name for name in dict.fromkeys(n for one in ring for n in beside(one)) if name not in found]
        found.update(dict.fromkeys(ring, distance))
    return found


def _nodes(near: Sequence[Node], failure: Failure) -> list[dict[str, Any]]:
    """The nodes; of those that are done before the failed one, what they made."""
    trace = failure.trace
    told = []
    for node in near:
        record = trace.record(node.id)
        row = {"id": node.id, "tool": node.tool, "layer": node.layer}
        row["args"] = {name: to_json(value) for name, value in node.args.items()}
        if node.id == failure.node:
            row["status"] = "failed"
        elif record.ready and failure.node in downstream(trace.plan.workflow, (node.id,)):
            row["made"] = {name: _artifact(one) for name, one in record.outputs.items()}
        told.append(row)
    return told


def _inputs(plan: Plan) -> Iterator[dict[str, Any]]:
    for name, artifact in list(plan.inputs.items())[:_MOST_INPUTS]:
        yield {"input": name, **_artifact(artifact)}


def _artifact(artifact: Artifact) -> dict[str, Any]:
    """An artifact in short: what its parts have in common once, then what sets each of them apart."""
    parts: list[tuple[int | str, Artifact]] = [*enumerate(artifact.items), *artifact.members.items()]
    if not parts:
        return _single(artifact, {})
    shared = _shared([part for _, part in parts])
    shown = parts if artifact.members else parts[:_MOST_ITEMS]
    told: dict[str, Any] = {"type": artifact.type, "count": len(parts), **({"all": shared} if shared else {})}
    told["parts"] = {str(key): _single(part, shared) for key, part in shown}
    if len(parts) > len(shown):
        told["not_shown"] = f"items {len(shown)} to {len(parts) - 1}"
    return told


def _single(artifact: Artifact, shared: Mapping[str, Any]) -> dict[str, Any]:
    if artifact.parts():
        return _artifact(artifact)
    told: dict[str, Any] = {"type": artifact.type}
    if artifact.path or artifact.name:
        told["name"] = shortened(PurePath(artifact.path).name if artifact.path else artifact.name)
    if artifact.value is not None:
        told["value"] = artifact.value
    facts = {name: value for name, value in _facts(artifact.facts).items() if name not in shared}
    return {**told, **facts}


def _shared(parts: Sequence[Artifact]) -> dict[str, Any]:
    if any(part.parts() for part in parts):
        return {}
    first = parts[0].facts
    common = {
        name: fact
        for name, fact in first.items()
        if all((other := part.facts.get(name)) is not None and same(other.value, fact.value) for part in parts)
    }
    return _facts(Facts(common))


def _facts(facts: Facts) -> dict[str, Any]:
    """Facts with their origin, which tells how far to trust them; a CRS as its code."""
    return {
        name: f"{_value(name, fact.value)} ({fact.origin.label})"
        for name, fact in facts.items()
        if name not in _UNTOLD and fact.value is not None
    }


def _value(name: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(_value(name, item) for item in value[:_MOST_ITEMS]) + "]"
    return shortened(str(value), 80)


def _repair(one: Repaired) -> str:
    return shortened(f"{one.failed.node} failed ({one.diagnosis.cause}); by {one.by}: {one.sentence}", 300)


def _said(refusal: Refusal) -> dict[str, Any]:
    return {"proposed": shortened(refusal.sentence, 300), "by": refusal.by, "reasons": list(refusal.reasons)}


def tool_summary(schema: ToolSchema) -> dict[str, Any]:
    """A tool in short: what it takes, needs, makes and makes true."""
    return {
        "tool": schema.tool,
        "title": schema.title,
        "layers": list(schema.layers),
        "takes": {name: _parameter(parameter) for name, parameter in schema.inputs.items()},
        "makes": schema.outputs,
        "needs": [text for text, _ in schema.parsed_preconditions],
        "makes_true": [*schema.effects.sets, *schema.effects.ensures],
        "loses": schema.lossy or "",
    }


def _parameter(parameter: Parameter) -> str:
    """A parameter in one line: type, unit, what is allowed, the default."""
    parts = [*(["technical"] if parameter.technical else []), parameter.artifact_type]
    parts += [f"in {parameter.unit}"] if parameter.unit else []
    parts += [f"one of {', '.join(map(str, parameter.choices[:_MOST_ITEMS]))}"] if parameter.choices else []
    parts += [f"from {parameter.minimum:g}"] if parameter.minimum is not None else []
    parts += [f"to {parameter.maximum:g}"] if parameter.maximum is not None else []
    if parameter.default is not None:
        parts.append(f"default {parameter.default}")
    elif parameter.optional:
        parts.append("optional")
    title = f": {parameter.title}" if parameter.title else ""
    return shortened(f"{' '.join(parts)}{title}", 150)


def without_folders(data: Any) -> Any:
    """Plain data in which files are named, not located."""
    if isinstance(data, str):
        return " ".join(_last(word) for word in data.split(" "))
    if isinstance(data, Mapping):
        return {name: without_folders(item) for name, item in data.items()}
    return [without_folders(item) for item in data] if isinstance(data, list) else data


def _last(word: str) -> str:
    bare = word.strip("'\"()[],:;")
    return word.replace(bare, PurePath(bare).name) if bare.startswith(("/", "~/")) and len(bare) > 1 else word
