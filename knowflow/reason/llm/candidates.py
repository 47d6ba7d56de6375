"""The tools that a language model is shown for a failure: few, and those that may help first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from knowflow.graph.check import check_plan
from knowflow.graph.effects import inherited_facts
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.words import stems
from knowflow.model.causes import CAUSES
from knowflow.model.repair import Failure
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import FromInput, references
from knowflow.reason.achievers import Achievers

Tools = Mapping[str, ToolSchema]

_MOST_ACHIEVERS = 4
_MOST_BEFORE = 7
_MOST_INSTEAD = 4
# words that say nothing of what a text is about
_EMPTY = frozenset(
    stems(
        "a an and are as at be because by but can cannot come do each first for from give given has have how if in is "
        "it its less many more most much no none not nothing of on one only or other out own per said same say second "
        "so some still such than that the their them then there these they this those to told too under up what when "
        "where which while who with without you your fail failed value"
    )
)
# how much more a tool counts that is made for the very quantity of the data
_MADE_FOR_IT = 3.0
# what a value of a series or band set is a part of: a tool can stand before the part, too
_PART_OF = {"raster_series": "raster", "band_set": "raster"}


def candidate_tools(failure: Failure, tools: Tools) -> tuple[ToolSchema, ...]:
    """Tools for a failure: the failed and the guilty one; what can make their false or unknown conditions true; what
    can stand before the guilty argument; what makes the same of the same. Of the last two, those whose words are
    nearest to the diagnosis, and to the tool in whose place they would be.
    """
    found: dict[str, ToolSchema] = {}
    words = Words(tools)
    for group in (
        _own(failure, tools),
        islice(_achieving(failure, tools), _MOST_ACHIEVERS),
        islice(words.nearest(_told(failure), _before(failure, tools), _quantities(failure)), _MOST_BEFORE),
        islice(_instead(failure, tools, words), _MOST_INSTEAD),
    ):
        for schema in group:
            if not any(parameter.type == "path" for parameter in schema.inputs.values()):
                found.setdefault(schema.tool, schema)
    return tuple(found.values())


def _own(failure: Failure, tools: Tools) -> list[ToolSchema]:
    nodes = [failure.plan.workflow.by_id.get(name) for name in (failure.node, failure.diagnosis.node)]
    return [tools[node.tool] for node in nodes if node is not None and node.tool in tools]


def _achieving(failure: Failure, tools: Tools) -> Iterator[ToolSchema]:
    """What can make conditions of the failed and the guilty node true that are not known to be."""
    finished = {name: record.outputs for name, record in failure.trace.records.items() if record.ready}
    check = check_plan(failure.plan, tools, finished)
    achievers = Achievers(tools)
    seen: set[str] = set()
    for name in (failure.node, failure.diagnosis.node):
        node = check.nodes.get(name)
        for _, verdict in () if node is None else node.preconditions:
            for goal in () if verdict.truth is True else verdict.goals:
                for achiever, _ in achievers(goal):
                    if achiever.schema.tool not in seen:
                        seen.add(achiever.schema.tool)
                        yield achiever.schema


def _before(failure: Failure, tools: Tools) -> list[ToolSchema]:
    """Tools that make a changed copy of what stands at the guilty argument (or at any, where none is named)."""
    node = failure.plan.workflow.by_id.get(failure.diagnosis.node)
    if node is None or node.tool not in tools:
        return []
    inputs = tools[node.tool].inputs
    named = inputs.get(failure.diagnosis.parameter)
    places = [named] if named is not None and named.is_artifact else [p for p in inputs.values() if p.is_artifact]
    kinds = {place.artifact_type for place in places}
    kinds |= {_PART_OF[kind] for kind in kinds if kind in _PART_OF}
    quantities = _quantities(failure)
    return [
        schema
        for schema in tools.values()
        if (carrier := _carrier(schema)) is not None
        and carrier.artifact_type in kinds
        and (not quantities or not carrier.quantity or quantities & accepted_quantities(carrier))
    ]


def _carrier(schema: ToolSchema) -> Parameter | None:
    """The parameter of which the tool makes a changed copy; None where it makes something else."""
    preserved = schema.effects.preserves.get(schema.primary_output)
    carrier = None if preserved is None else schema.inputs.get(preserved.from_)
    made = schema.outputs.get(schema.primary_output)
    return carrier if carrier is not None and carrier.artifact_type == made else None


def _keeps_quantity(schema: ToolSchema) -> bool:
    preserved = schema.effects.preserves.get(schema.primary_output)
    return preserved is not None and "quantity" in inherited_facts(preserved)


def accepted_quantities(parameter: Parameter | None) -> frozenset[str]:
    """The quantity kinds that a parameter takes, families written out; none where it takes any."""
    if parameter is None:
        return frozenset()
    families = {kind.removeprefix("family:") for kind in parameter.quantity if kind.startswith("family:")}
    return frozenset(parameter.quantity) | {n for n, kind in quantity_kinds().items() if kind.family in families}


def _quantities(failure: Failure) -> frozenset[str]:
    """The quantity kinds of what the guilty node reads, as far as they are known."""
    node = failure.plan.workflow.by_id.get(failure.diagnosis.node)
    found: set[str] = set()
    for value in () if node is None else node.args.values():
        for ref in references(value):
            if isinstance(ref, FromInput):
                read = [failure.plan.inputs[ref.name]] if ref.name in failure.plan.inputs else []
            else:
                read = list(failure.trace.record(ref.node).outputs.values())
            found |= {str(leaf.fact("quantity")) for one in read for leaf in one.leaves() if leaf.fact("quantity")}
    return frozenset(found)


def _instead(failure: Failure, tools: Tools, words: Words) -> Iterator[ToolSchema]:
    """Tools that take and make the same types of artifacts as the guilty one, the nearest in words first."""
    for schema in _own(failure, tools)[-1:]:
        yield from words.nearest(text_of(schema), alike(schema, tools))


def alike(schema: ToolSchema, tools: Tools) -> list[ToolSchema]:
    """Other tools that take what a tool takes, and make something of what it makes."""
    taken, made = _taken(schema), set(schema.outputs.values())
    others = (other for other in tools.values() if other.tool != schema.tool)
    return [other for other in others if taken <= _taken(other) and made & set(other.outputs.values())]


def _taken(schema: ToolSchema) -> set[str]:
    return {one.artifact_type for one in schema.inputs.values() if one.is_artifact and one.required}


def _told(failure: Failure) -> str:
    """What is known of the failure, in words."""
    cause = CAUSES[failure.diagnosis.cause]
    error = failure.trace.record(failure.node).error or {}
    evidence = " ".join(one.what for one in failure.diagnosis.evidence)
    return (
        f"{cause.id.replace('_', ' ')} {cause.title} {cause.meaning} {cause.advice} {error.get('message')} {evidence}"
    )


def text_of(schema: ToolSchema) -> str:
    """What a tool is said to do, in words."""
    effects = " ".join((*schema.effects.sets, *schema.effects.ensures))
    return f"{schema.tool.replace('_', ' ')} {schema.title} {schema.description} {effects}"


class Words:
    """Which tools are near to a text: by the words they share, the rarer among tools the more."""

    def __init__(self, tools: Tools) -> None:
        self._stems = {name: frozenset(stems(text_of(schema))) - _EMPTY for name, schema in tools.items()}
        counts = Counter(stem for found in self._stems.values() for stem in found)
        self._weight = {stem: math.log((1 + len(tools)) / count) for stem, count in counts.items()}

    def nearest(
        self, text: str, among: Iterable[ToolSchema], quantities: frozenset[str] = frozenset()
    ) -> Iterator[ToolSchema]:
        """The tools that share words with the text, or are made for these quantities, the nearest first; ties by cost
        and name."""
        wanted = frozenset(stems(text))
        scored = []
        for schema in among:
            made_for_it = _keeps_quantity(schema) and bool(quantities & accepted_quantities(_carrier(schema)))
            scored.append((self._score(schema.tool, wanted) + made_for_it * _MADE_FOR_IT, schema))
        for score, schema in sorted(scored, key=lambda one: (-one[0], one[1].cost, one[1].tool)):
            if score > 0:
                yield schema

    def _score(self, tool: str, wanted: frozenset[str]) -> float:
        own = self._stems[tool]
        length = math.sqrt(sum(self._weight[stem] ** 2 for stem in own)) or 1.0
        return sum(self._weight[stem] ** 2 for stem in own & wanted) / length
