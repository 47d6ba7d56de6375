"""What no repair may do, whoever proposes it: change what is asked, or say otherwise than the user said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knowflow.graph.effects import predicted_outputs
from knowflow.graph.resolve import resolve
from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, SetParameter, StateFacts
from knowflow.model.facts import Origin
from knowflow.model.literal import frozen, same
from knowflow.model.plan import Plan
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import BandsOf, Given, Node, SeriesOf, Value, references, value_at

Tools = Mapping[str, ToolSchema]

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
                    yield from _restating(_claims(new, schema), _known(standing, plan, tools, outputs))
        case StateFacts(inputs=inputs, facts=facts):
            for one in inputs:
                yield from _restating(facts, _known(one, plan, tools, outputs))
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
    if declared is None or same(_effective(standing, declared), _effective(value, declared)):
        return
    place = f"{node.id}.{parameter}"
    if isinstance(standing, Given | None):
        if not _is_open(parameter, declared, standing, plan):
            yield f"{place} says what is asked: it stays {_said(standing, declared)}"
        return
    before, after = _known(standing, plan, tools, outputs), _known(value, plan, tools, outputs)
    if isinstance(before, Artifact) and isinstance(after, Artifact):
        yield from _other_meaning(place, before, after)
        yield from _lost_dates(place, before, after)
    elif value is None:
        yield f"{place} says what is asked: its data stay"
    elif isinstance(before, Artifact) or not set(references(value)) <= set(references(standing)) or _literal(value):
        yield f"{place} takes the data that stand there, not others or a value made up for them"


def _effective(value: Value | None, declared: Parameter) -> Any:
    """What a tool is told: the literal that is given, or else the default; a reference stands for itself."""
    if value is None:
        return frozen(declared.default)
    return value.value if isinstance(value, Given) else value


def _said(standing: Given | None, declared: Parameter) -> str:
    if standing is None and declared.default is None:
        return "as it is, not given"
    return repr(_effective(standing, declared))


def _literal(value: Value) -> bool:
    """Whether a value is a literal, or has one in it."""
    match value:
        case Given():
            return True
        case SeriesOf(items=items):
            return not items or any(map(_literal, items))
        case BandsOf(members=members):
            return any(map(_literal, members.values()))
    return False


def _is_open(parameter: str, declared: Parameter, standing: Given | None, plan: Plan) -> bool:
    """Whether an argument is a repair's to set: its schema says that it is technical, and nobody asked for it.

    A text that a parameter of the plan has, whatever it is called there, was asked for; so was a value of one of the
    same name.
    """
    asked = plan.parameters.items() if standing is not None else ()
    return declared.technical and not any(
        same(standing.value, value) and (name == parameter or isinstance(value, str))
        for name, value in asked
        if standing is not None
    )


def _lost_dates(what: str, before: Artifact, after: Artifact) -> Iterator[str]:
    """The dates that a series would lose: what is asked of a period is asked of all its scenes."""
    lost = {item.fact("datetime") for item in before.items} - {item.fact("datetime") for item in after.items}
    if before.items and lost:
        yield f"{what} would lose {', '.join(sorted(map(str, lost))[:5])}"


def _claims(new: Node, schema: ToolSchema) -> Mapping[str, Any]:
    """The facts that a tool restates which does nothing else; None where what it says is no literal."""
    if schema.insertable:
        return {}
    given = {fact: new.args.get(fact) for fact in _STATED & schema.inputs.keys()}
    return {fact: value.value if isinstance(value, Given) else None for fact, value in given.items()}


def _restating(claims: Mapping[str, Any], standing: Any) -> Iterator[str]:
    """What a user said of data is not said otherwise by who only restates it."""
    for leaf in standing.leaves() if isinstance(standing, Artifact) and claims else ():
        for fact in sorted(claims):
            known = leaf.known(fact)
            if known is not None and known.origin is Origin.USER and not same(claims[fact], known.value):
                yield f"{fact} of {leaf.name or 'the data'} is {known.value}: you said so, and no repair overrides it"


def _replacing(
    old: Node, new: Node, plan: Plan, tools: Tools, outputs: Mapping[str, Mapping[str, Artifact]]
) -> Iterator[str]:
    """Another tool must make the same thing of the same: what is asked stays an argument, what comes out its kind."""
    was, is_now = tools[old.tool].inputs, tools[new.tool].inputs
    told = [value.value for value in old.args.values() if isinstance(value, Given)]
    tells = [value.value for value in new.args.values() if isinstance(value, Given)]
    for name, declared in was.items():
        standing = old.args.get(name)
        if not isinstance(standing, Given | None) or _is_open(name, declared, standing, plan):
            continue
        asked = _effective(standing, declared)
        kept = name in is_now and same(asked, _effective(new.args.get(name), is_now[name]))
        moved = name not in is_now and (standing is None or any(same(asked, other) for other in tells))
        if not kept and not moved:
            yield f"{old.id}.{name} says what is asked ({_said(standing, declared)}), and {new.tool} is not told so"
    for name, value in new.args.items():
        if name in was or name not in is_now or not isinstance(value, Given) or is_now[name].technical:
            continue
        if not any(same(value.value, other) for other in (*told, frozen(is_now[name].default))):
            yield f"{new.tool}.{name} would say {value.value!r}, which nobody asked for"
    read = [reference for value in new.args.values() for reference in references(value)]
    for name, value in old.args.items():
        again = list(references(new.args[name])) if name in new.args else [] if name in is_now else read
        if not set(references(value)) <= set(again):
            yield f"{new.tool} would no longer read {name} of {old.id}"
    before = _made(old, plan, tools, outputs)
    after = _made(new, plan, tools, outputs)
    if before is not None and after is not None:
        yield from _other_meaning(f"what {new.tool} makes", before, after, facts=("quantity", "unit"))


def _made(node: Node, plan: Plan, tools: Tools, outputs: Mapping[str, Mapping[str, Artifact]]) -> Artifact | None:
    schema = tools[node.tool]
    known = {name: _known(value, plan, tools, outputs) for name, value in node.args.items()}
    try:
        made = predicted_outputs(schema, {n: v for n, v in known.items() if v is not None}, node.id)
    except KnowFlowError:  # what it is given does not fit it: the check says so
        return None
    return made.get(schema.primary_output)


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
