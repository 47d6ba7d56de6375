"""A template that is named, rather than asked for: it is applied to what the question, where there is one, tells of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.model.template import Template
from knowflow.question.operators import (
    Along,
    Apply,
    During,
    Expression,
    Over,
    Quantity,
    Show,
    Split,
    Trend,
    walk,
)
from knowflow.question.times import Times
from knowflow.reason.procedures import quantity_of

_TAKEN = (Quantity, During, Over, Show, Split, Trend, Along)
"""Of a question, what a template stands for or is told; all else would be dropped."""


def applied(template: Template, asked: Expression | None, given: Mapping[str, Any]) -> Apply:
    """The template with the quantity and the time of a question; ``given`` are parameters that are set.

    Raises:
        PlanningError: it is no template that answers, or the question restricts what a template cannot take.
    """
    if template.defines is not None:
        what = template.defines.replace("_", " ")
        raise PlanningError(
            f"{template.title}: this says what {what} is, and answers nothing by itself",
            where="--template",
            expected="a template that answers",
            found=template.template,
            hint=f"ask for {what}",
        )
    if isinstance(asked, Apply) and asked.tool == template.template:
        return asked
    kinds: list[str] = []
    when: list[Times] = []
    for _, part in walk(asked) if asked is not None else ():
        restricts = isinstance(part, During) and not isinstance(part.when, Times)
        if not isinstance(part, _TAKEN) or restricts:
            raise PlanningError(
                f"a template does not take this part of the question: {part.op.replace('_', ' ')}",
                where="--template",
                expected="a quantity and its time; the rest with --set, the ground with --aoi",
                found=part.op,
                hint="ask without --template",
            )
        kinds += [part.kind] if isinstance(part, Quantity) else []
        when += [part.when] if isinstance(part, During) and isinstance(part.when, Times) else []
    if len(set(kinds)) > 1 or len(set(when)) > 1:
        raise PlanningError("a template is of one quantity and one time", found=", ".join(dict.fromkeys(kinds)))
    time = when[0] if when else None
    parameter = quantity_of(template)
    if not kinds or parameter is None or parameter in given:
        return Apply(template.template, when=time)
    of = Quantity(kinds[0])
    return Apply(template.template, (of if time is None else During(of, time),))
