"""Conditions at run time: judged on actual facts, with pixel facts measured where a condition needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from typing import Any

from knowflow.ground.errors import EffectError, MissingFactError, PreconditionError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Expression, parse
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import FACT_TITLES, PIXEL_FACTS, Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Check
from knowflow.model.verdict import Missing, Place, Verdict, place_text

_BOUNDED = "in_range(value)"


def judge(condition: Expression, environment: Mapping[str, Any]) -> tuple[Verdict, dict[str, Any]]:
    """The verdict, and the environment with the pixel facts that had to be measured for it."""
    known = dict(environment)
    verdict = evaluate(condition, known)
    while verdict.truth is None:
        sampled = False
        for place in dict.fromkeys(gap.place for gap in verdict.missing if gap.fact in PIXEL_FACTS):
            artifact = at(known, place)
            if artifact is None or artifact.type != "raster" or artifact.path is None:
                continue
            facts = sampled_facts(artifact)
            if any(name not in artifact.facts for name in facts):
                known[str(place[0])] = _with_facts(known[str(place[0])], place[1:], facts)
                sampled = True
        if not sampled:
            break
        verdict = evaluate(condition, known)
    return verdict, known


def sampled_facts(raster: Artifact) -> Facts:
    """Pixel facts of a raster from windows spread over it; of an all-nodata raster only the fractions are known."""
    from knowflow.tools.raster import sample_statistics

    found = sample_statistics(raster)
    facts = Facts.of(
        Origin.MEASURED, "sampled", valid_fraction=found.valid_fraction, finite_fraction=found.finite_fraction
    )
    if not found.finite:
        return facts
    values = Facts.of(
        Origin.MEASURED,
        "sampled",
        value_range=(found.minimum, found.maximum),
        mean=found.mean,
        std=found.std,
        lowest=found.minimum,
        highest=found.maximum,
        histogram=found.histogram,
    )
    return values.over(facts)


def at(environment: Mapping[str, Any], place: Place) -> Artifact | None:
    """The artifact at a place among arguments, or None where there is none."""
    value = environment.get(str(place[0])) if place else None
    for step in place[1:]:
        if not isinstance(value, Artifact):
            return None
        value = value.items[step] if isinstance(step, int) else value.members.get(step)
    return value if isinstance(value, Artifact) else None


def _with_facts(artifact: Artifact, place: Place, facts: Facts) -> Artifact:
    """The artifact with facts added to the part at a place; what is known already stays."""
    if not place:
        return artifact.with_facts(artifact.facts.over(facts))
    step, rest = place[0], place[1:]
    if isinstance(step, int):
        items = list(artifact.items)
        items[step] = _with_facts(items[step], rest, facts)
        return replace(artifact, items=tuple(items))
    return replace(artifact, members={**artifact.members, step: _with_facts(artifact.members[step], rest, facts)})


def require(schema: ToolSchema, arguments: Mapping[str, Any], where: str) -> tuple[dict[str, Any], tuple[Check, ...]]:
    """Check every precondition; returns the arguments with what was measured, and the checks.

    Raises:
        PreconditionError: one is false.
        MissingFactError: a fact that one needs is not known, and cannot be measured.
    """
    known = dict(arguments)
    checks = []
    for text, condition in schema.parsed_preconditions:
        verdict, known = judge(condition, known)
        checks.append(Check("before", text, verdict.truth, verdict.because))
        if verdict.truth is False:
            raise PreconditionError(
                f"{schema.tool} cannot run on this input", where=where, expected=text, found=verdict.because
            )
        if verdict.truth is None:
            raise missing_fact(schema.tool, text, verdict, known, where)
    return known, tuple(checks)


def missing_fact(tool: str, text: str, verdict: Verdict, known: Mapping[str, Any], where: str) -> MissingFactError:
    """The refusal that names each missing fact, of which artifact, and the option that would supply it."""
    gaps = [gap for gap in verdict.missing if gap.fact in FACT_TITLES]
    facts = dict.fromkeys(gap.fact for gap in gaps)
    named = "; ".join(dict.fromkeys(_gap_text(gap, known) for gap in gaps[:5]))
    options = " ".join(f"--assume {fact}=VALUE" for fact in facts)
    titles = "; ".join(f"{fact}: {FACT_TITLES[fact]}" for fact in facts)
    return MissingFactError(
        f"{tool} needs a fact that nobody knows" if facts else f"{tool} needs what cannot be decided",
        where=where,
        expected=text,
        found=named or verdict.because,
        hint=f"say it if you know it: {options} ({titles})" if facts else None,
    )


def _gap_text(gap: Missing, known: Mapping[str, Any]) -> str:
    artifact = at(known, gap.place)
    source = artifact.name or artifact.path if artifact is not None else None
    place = place_text(gap.place)
    return f"{gap.fact} of {place} is unknown" + (f" ({source})" if source and source != place else "")


def ensure(
    schema: ToolSchema, arguments: Mapping[str, Any], outputs: Mapping[str, Artifact], where: str
) -> tuple[dict[str, Artifact], tuple[Check, ...]]:
    """Check what a tool promises of its result; returns the outputs with what was measured, and the checks.

    What stays unknown after measuring is recorded as such: it neither holds nor fails. A share, a probability or a
    correlation is within the bounds that it has by definition, whether the schema says so or not.

    Raises:
        EffectError: a promise is broken.
    """
    known: dict[str, Any] = {**arguments, **outputs}
    checks = []
    implied = ((_BOUNDED, parse(_BOUNDED)),) if _bounded(outputs.get("value"), schema) else ()
    for text, condition in (*schema.parsed_ensures, *implied):
        verdict, known = judge(condition, known)
        checks.append(Check("after", text, verdict.truth, verdict.because))
        if verdict.truth is False:
            raise EffectError(
                f"{schema.tool} ran, but its result is not what it promises",
                where=where,
                expected=text,
                found=verdict.because,
                hint="look at the inputs of this node: their values, nodata and scale",
            )
    return {name: known[name] for name in outputs}, tuple(checks)


def _bounded(value: Artifact | None, schema: ToolSchema) -> bool:
    """Whether a returned number is a statistic that its definition bounds: one of the tool's own, not one carried over
    from what it is of (the deviation of temperatures is no temperature)."""
    if value is None or value.type != "scalar" or not isinstance(value.value, (int, float)) or isnan(value.value):
        return False  # what is no number says that there was nothing, and is told where it is used
    kind = quantity_kinds().get(str(value.fact("quantity")))
    if kind is None or kind.family != "statistics" or None in kind.range:
        return False
    return f"quantity(value) == '{kind.name}'" in schema.effects.sets
