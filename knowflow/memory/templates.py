"""Learned templates: a draft with the guards that its cases give, and which drafts are one template."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

from knowflow.ground.json_text import json_text
from knowflow.ground.units import known
from knowflow.memory.case import Case
from knowflow.memory.draft import GUARD, Draft
from knowflow.memory.generalise import conditions_of, who
from knowflow.memory.shelf import LearnedTemplate
from knowflow.model.template import Step, Template
from knowflow.reason.compiling.by_memory import EMPTY

_OF_IT = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\(it\)""")
_VARIES = 1.3  # times as much, or as little, as maps that were seen
_LAYER = 3  # that of what carries out operators


def learned_of(draft: Draft, cases: Sequence[Case], base: LearnedTemplate | None = None) -> LearnedTemplate:
    """A draft as a learned template, as narrow as its cases; ``base`` is what it was before the last of them."""
    template = template_of(draft, cases)
    earlier = () if base is None else (*base.earlier, base.template)
    return LearnedTemplate(
        why="", template=template, deeds=draft.deeds, prepares=draft.prepares, cases=tuple(cases), earlier=earlier
    )


def template_of(draft: Draft, cases: Sequence[Case]) -> Template:
    """The template of a draft, guarded by what its cases have in common."""
    said = " and ".join(_guards(draft, cases))
    runs = ", ".join(dict.fromkeys(case.run for case in cases))
    of = " and ".join(dict.fromkeys(str(case.facts.get("quantity") or case.parameter) for case in cases))
    return Template.model_validate(
        {
            "template": name_of(draft),
            "version": len({case.run for case in cases}),
            "title": f"Learned: {draft.deeds}, of {of.replace('_', ' ')}",
            "layer": _LAYER,
            "computes": draft.computes,
            "parameters": {name: _parameter(name, unit) for name, unit in draft.parameters.items()},
            "inputs": {name: {"type": type_} for name, type_ in draft.inputs.items()},
            "steps": {name: _with(step, said) for name, step in draft.steps.items()},
            "outputs": {"answer": draft.answer},
            "source": f"learned from {runs}, by {who(cases)}",
        }
    )


def guarded_by(template: Template, guard: str) -> Template:
    """A template with another condition in the place of its guards."""

    def other(step: Step) -> Step:
        for text in template.guards:
            step = step.model_copy(update={"when": step.when and step.when.replace(text, guard)})
        return step

    return template.model_copy(update={"steps": {name: other(step) for name, step in template.steps.items()}})


def name_of(draft: Draft) -> str:
    """The name of the template of a draft: what it does, and a mark of what it does it to."""
    kinds = sorted((case.parameter, str(case.facts.get("quantity"))) for case in draft.cases)
    digest = hashlib.sha256(json_text([*draft.what, kinds]).encode()).hexdigest()[:6]
    words = re.sub(r"[^a-z0-9_]+", "_", f"learned_{draft.deeds.partition(' ')[0]}_{draft.operator}".casefold())
    return f"{words.strip('_')}_{digest}"


def shared(draft: Draft, other: LearnedTemplate) -> bool:
    """Whether both do the same to the data of the same quantity, before another operator each."""
    return bool(draft.prepares) and draft.prepares == other.prepares and draft.deeds == other.deeds


def _guards(draft: Draft, cases: Sequence[Case]) -> list[str]:
    """What must hold of each input: what its cases have in common, and what their pixels told, or about that."""
    found: list[str] = []
    for name in draft.inputs:
        of_it = [case for case in cases if case.parameter == name] or list(cases)
        told = (text for text in conditions_of(of_it) if "$" not in text)  # a text that reads like a reference
        found += [_about(text, f"$inputs.{name}") for text in (*told, *_numbers(of_it))]
    return found


def _numbers(cases: Sequence[Case]) -> Iterator[str]:
    """Windows for what pixels tell: the mean half as far from what was seen as the values vary, the ends, which chance
    has a part in, as far, and the variation about as much."""
    spreads = [end for case in cases for end in case.seen.get("std", ())]
    if not spreads or not all(case.seen for case in cases):
        return
    width = math.sqrt(min(spreads) * max(spreads))
    for fact, room in (("mean", width / 2), ("lowest", width), ("highest", width)):
        ends = [end for case in cases for end in case.seen[fact]]
        yield f"{fact}(it) >= {min(ends) - room:.9g}"
        yield f"{fact}(it) <= {max(ends) + room:.9g}"
    yield f"std(it) >= {min(spreads) / _VARIES:.9g}"
    yield f"std(it) <= {max(spreads) * _VARIES:.9g}"


def _about(condition: str, name: str) -> str:
    """A condition about ``it`` as one about an input; texts in it stay what they are."""
    return _OF_IT.sub(lambda found: f"({name})" if found[0] == "(it)" else found[0], condition)


def _parameter(name: str, unit: str) -> dict[str, Any]:
    if name == EMPTY:
        return {"type": "string", "choices": ["fail", "missing"], "default": "missing"}
    return {"type": "number", **({"unit": unit} if known(unit) else {})}


def _with(step: Any, guard: str) -> Any:
    return json.loads(json.dumps(step).replace(json.dumps(GUARD)[1:-1], json.dumps(guard)[1:-1]))
