"""What no repair may do, whoever proposes it: change what is asked, or say otherwise than the user said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knowflow.graph.effects import predicted_outputs
from knowflow.graph.resolve import resolve
from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter
from knowflow.model.facts import Origin
from knowflow.model.literal import same
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import Given, Node, Value, value_at

Tools = Mapping[str, ToolSchema]

# parameters that say what is asked rather than how it is computed
_ASKED_TYPES = frozenset({"quantity", "unit", "date", "bbox", "crs"})
_ASKED_NAMES = frozenset(
    {
        "threshold", "upper", "lower", "limit", "side", "index", "quantity", "statistic", "percentile", "operation",
        "classes", "class", "period", "start", "end", "by", "aoi", "area", "direction", "reference", "column", "where",
    }
)  # fmt: skip
# facts that tools restate
_STATED = frozenset({"unit", "nodata", "mark", "scale", "offset", "quantity", "crs"})
# causes that mean that a scene holds nothing: it may be left out
_EMPTY = frozenset({"too_cloudy", "too_few_valid", "empty_after_mask"})
# facts that must not be other after a node is replaced or an argument is set
_MEANING = ("quantity", "unit", "datetime")


def broken_laws(
    plan: Plan,
    edits: Sequence[Edit],
    tools: Tools,
    outputs: Mapping[str, Mapping[str, Artifact]],
    cause: str = "",
) -> tuple[str, ...]:
    """Every law that edits of a plan break, in words; nothing where they break none.

    ``outputs`` are the actual outputs of nodes that are done, ``cause`` is that of the failure.
    """
    return tuple(dict.fromkeys(reason for edit in edits for reason in _broken(edit, plan, tools, outputs, cause)))


def _broken(
    edit: Edit, plan: Plan, tools: Tools, outputs: Mapping[str, Mapping[str, Artifact]], cause: str
) -> Iterator[str]:
    match edit:
        case SetParameter(node=name, parameter=parameter, value=value):
            node = plan.workflow.by_id.get(name)
            if node is not None and node.tool in tools:
                yield from _setting(node, parameter, value, plan, tools, outputs)
        case InsertNode(node=new, spots=spots):
            schema = tools.get(new.tool)
            for spot in spots:
                target = plan.workflow.by_id.get(spot.node)
                if schema is not None and target is not None and spot.param in target.args:
                    standing = _part(target.args[spot.param], spot.at)
                    yield from _restating(new, schema, _known(standing, plan, tools, outputs))
        case ReplaceNode(node_id=name, node=new):
            old = plan.workflow.by_id.get(name)
            if old is not None and old.tool in tools and new.tool in tools:
                yield from _replacing(old, new, plan, tools, outputs)
        case LeaveOut(node=name):
            if cause not in _EMPTY:
                yield f"{name} is left out only where it has no data: what is asked is asked of all scenes"


def _setting(
    node: Node,
    parameter: str,
    value: Value | None,
    plan: Plan,
    tools: Tools,
    outputs: Mapping[str, Mapping[str, Artifact]],
) -> Iterator[str]:
    declared = tools[node.tool].inputs.get(parameter)
    standing = node.args.get(parameter)
    if declared is None or (standing is not None and standing == value):
        return
    if isinstance(standing, Given) and _is_asked(parameter, declared.type, standing.value, plan):
        yield f"{node.id}.{parameter} says what is asked: it stays {standing.value!r}"
        return
    if declared.type in _ASKED_TYPES or parameter in _ASKED_NAMES:
        yield f"{node.id}.{parameter} would change what is asked"
        return
    if declared.is_artifact and standing is not None:
        before, after = _known(standing, plan, tools, outputs), _known(value, plan, tools, outputs)
        if isinstance(before, Artifact) and isinstance(after, Artifact):
            yield from _other_meaning(f"{node.id}.{parameter}", before, after)
            yield from _lost_dates(f"{node.id}.{parameter}", before, after)
        elif value is not None and isinstance(before, Artifact):
            yield f"{node.id}.{parameter} takes data, not a value made up for it"


def _lost_dates(what: str, before: Artifact, after: Artifact) -> Iterator[str]:
    """The dates that a series would lose: what is asked of a period is asked of all its scenes."""
    lost = {item.fact("datetime") for item in before.items} - {item.fact("datetime") for item in after.items}
    if before.items and lost:
        yield f"{what} would lose {', '.join(sorted(map(str, lost))[:5])}"


def _is_asked(parameter: str, kind: str, value: Any, plan: Plan) -> bool:
    """Whether an argument is what the question or the user's settings ask for."""
    if kind in _ASKED_TYPES or parameter in _ASKED_NAMES:
        return True
    return any(same(value, asked) for name, asked in plan.parameters.items() if name == parameter)


def _restating(new: Node, schema: ToolSchema, standing: Any) -> Iterator[str]:
    """What a user said of data is not said otherwise by a tool that only restates it."""
    if not isinstance(standing, Artifact):
        return
    stated = _STATED & schema.inputs.keys()
    if schema.insertable or not stated:
        return
    for leaf in standing.leaves():
        for fact in sorted(stated):
            known = leaf.known(fact)
            if known is not None and known.origin is Origin.USER and not _says(new, fact, known.value):
                yield f"{fact} of {leaf.name or 'the data'} is {known.value}: you said so, and no repair overrides it"


def _says(node: Node, fact: str, value: Any) -> bool:
    """Whether a tool that restates a fact says what is said of it already."""
    stated = node.args.get(fact)
    return isinstance(stated, Given) and same(stated.value, value)


def _replacing(
    old: Node, new: Node, plan: Plan, tools: Tools, outputs: Mapping[str, Mapping[str, Artifact]]
) -> Iterator[str]:
    """Another tool must make the same thing of the same: what is asked stays an argument, what comes out its kind."""
    for name, value in old.args.items():
        declared = tools[old.tool].inputs.get(name)
        if declared is None or not isinstance(value, Given) or not _is_asked(name, declared.type, value.value, plan):
            continue
        given = (other.value for other in new.args.values() if isinstance(other, Given))
        if not any(same(value.value, other) for other in given):
            yield f"{old.id}.{name} says what is asked ({value.value!r}), and {new.tool} is not told so"
    before = _made(old, plan, tools, outputs)
    after = _made(new, plan, tools, outputs)
    if before is not None and after is not None:
        yield from _other_meaning(f"what {new.tool} makes", before, after, facts=("quantity", "unit"))


def _made(node: Node, plan: Plan, tools: Tools, outputs: Mapping[str, Mapping[str, Artifact]]) -> Artifact | None:
    schema = tools[node.tool]
    known = {name: _known(value, plan, tools, outputs) for name, value in node.args.items()}
    return predicted_outputs(schema, {n: v for n, v in known.items() if v is not None}, node.id).get(
        schema.primary_output
    )


def _other_meaning(what: str, before: Artifact, after: Artifact, facts: Sequence[str] = _MEANING) -> Iterator[str]:
    for fact in facts:
        was, is_now = before.fact(fact), after.fact(fact)
        if was is not None and is_now is not None and not same(_folded(was), _folded(is_now)):
            yield f"{what} would have another {fact}: {is_now} instead of {was}"


def _folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _part(value: Value, at: tuple[str | int, ...]) -> Value:
    try:
        return value_at(value, at)
    except (IndexError, KeyError):
        return value


def _known(value: Value | None, plan: Plan, tools: Tools, outputs: Mapping[str, Mapping[str, Artifact]]) -> Any:
    """What is known of a value: a literal, an input, or the actual output of a node that is done; else None."""
    if value is None:
        return None

    def output_of(node: str, output: str) -> Artifact:
        schema = tools[plan.workflow.node(node).tool]
        return outputs[node][output or schema.primary_output]

    try:
        return resolve(value, plan.inputs, output_of)
    except (KeyError, KnowFlowError):
        return None
