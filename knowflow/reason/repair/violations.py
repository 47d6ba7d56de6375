"""Diagnosis of a condition that does not hold: a precondition, a promise of a tool, or a quality that was demanded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from knowflow.ground.bands import sensor_bands
from knowflow.ground.errors import ConditionSyntaxError
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Expression, Logic, calls, names, parse
from knowflow.model.diagnosis import Diagnosis, Evidence
from knowflow.model.evaluate import evaluate
from knowflow.model.verdict import Place, Verdict, leaves, place_text, short
from knowflow.model.workflow import FromNode, Node, Value, references, value_at
from knowflow.reason.repair.examination import Examination
from knowflow.reason.repair.pixels import (
    accused,
    implausible_file,
    limit_of,
    lost_here,
    out_of_range,
    scarce,
    too_little,
)

Environment = Mapping[str, Any]

# what a predicate that does not hold is called, where nothing behind it says more
OF_PREDICATE: Mapping[str, str] = {
    "same_crs": "crs_mismatch",
    "projected": "not_projected",
    "true_lengths": "not_projected",
    "in_metres": "not_projected",
    "grid_north": "rotated_grid",
    "unrotated": "rotated_grid",
    "square_pixels": "oblong_pixels",
    "geographic": "crs_mismatch",
    "georeferenced": "crs_missing",
    "overlaps": "no_overlap",
    "contains": "no_overlap",
    "has_bands": "band_missing",
    "same_quantity": "quantity_wrong",
    "family": "quantity_wrong",
    "quantity": "quantity_wrong",
    "categorical": "quantity_wrong",
    "continuous": "quantity_wrong",
    "circular": "quantity_wrong",
    "rate": "unit_mismatch",
    "quantity_family": "quantity_wrong",
    "same_unit": "unit_mismatch",
    "compatible_units": "unit_mismatch",
    "usual_unit": "unit_mismatch",
    "unit": "unit_mismatch",
    "distinct_dates": "duplicate_dates",
    "is_index": "parameter_out_of_range",
    "known": "fact_unknown",
    "marks_clouds": "fact_unknown",
    "length": "too_few_dates",
    "std": "low_contrast",
    "crs": "crs_mismatch",
}
# what it means that nobody knows a fact
OF_MISSING: Mapping[str, str] = {
    "crs": "crs_missing",
    "transform": "crs_missing",
    "grid": "crs_missing",
    "bounds": "crs_missing",
    "scale": "scale_missing",
    "offset": "scale_missing",
    "quantity": "quantity_unknown",
    "datetime": "date_unknown",
    "bands": "band_missing",
}


_SAME_WAVELENGTH = 10.0  # nm between the centres of one band as different sources state it


def diagnosed_condition(
    case: Examination,
    text: str,
    environment: Environment,
    node: Node,
    phase: str,
    values: Mapping[str, Value] | None = None,
) -> Diagnosis | None:
    """The diagnosis of a condition over the arguments of a node; None where it holds after all.

    In phase ``after`` the condition is about outputs that are gone; in phase ``quality`` over ``values`` of the plan.
    """
    if text.startswith("plausible("):
        return implausible_file(case, text.removeprefix("plausible(").removesuffix(")"))
    try:
        condition = parse(text)
    except ConditionSyntaxError:
        return None
    known = {n: case.measured(value) if isinstance(value, Artifact) else value for n, value in environment.items()}
    if phase == "after":
        return _broken(case, condition, text)
    verdict = evaluate(condition, known)
    if verdict.truth is True:
        return None
    part, verdict = _decisive(condition, known, verdict)
    predicate = _predicate_of(part)
    if phase == "quality":
        return _poor(case, node, part, predicate, verdict, known, values or {})
    evidence = (Evidence(text, "to hold", verdict.because or "it does not hold", "checked"),)
    place = _guilty_place(verdict, part, known)
    if verdict.truth is None and verdict.missing:
        return _unknown_fact(case, node, verdict, evidence)
    match predicate:
        case "same_grid":
            return _grids(case, node, place, known, evidence)
        case "in_range" | "scaled" | "value_range" | "mean":
            return out_of_range(case, node, place, evidence)
        case "valid_fraction" | "finite_fraction" | "cloud_fraction":
            return too_little(case, node, place, evidence, part)
    if predicate == "has_bands" and (misnamed := _misnamed(known, place, verdict)) is not None:
        return accused(case, node, place, "band_misnamed", (misnamed, *evidence), others=("band_missing",))
    cause = OF_PREDICATE.get(predicate, "precondition_false")
    found: dict[str, Any] = {"goals": [str(goal) for goal in verdict.goals[:8]], **_wanted(verdict, known)}
    if cause == "duplicate_dates":
        found |= _twice(case, known, place)
    return accused(case, node, place, cause, evidence, found, certain=verdict.truth is False)


def _broken(case: Examination, condition: Expression, text: str) -> Diagnosis | None:
    """A promise that the result breaks: usually of an input that the tool could not know to be wrong."""
    predicate = _predicate_of(condition)
    shown = (Evidence(text, "to hold", str(case.error.get("found") or "it does not hold"), "checked"),)
    if predicate in ("valid_fraction", "finite_fraction"):
        limit = limit_of(condition)
        inward = next((at for at, leaf in case.leaves() if scarce(case.measured(leaf), limit)), None)
        if inward is None:
            return lost_here(case, case.node, shown)
        return too_little(case, case.node, inward, shown, condition)
    if predicate in ("in_range", "scaled", "value_range", "mean"):
        return out_of_range(case, case.node, (), shown)
    return None


def _poor(
    case: Examination,
    node: Node,
    part: Expression,
    predicate: str,
    verdict: Verdict,
    known: Environment,
    values: Mapping[str, Value],
) -> Diagnosis:
    """A result that is not good enough: of the step before it that lost what it lacks."""
    shown = (Evidence(str(part), "to hold", verdict.because or "it does not hold", "checked"),)
    place = _guilty_place(verdict, part, known)
    guilty = _made_at(case, place, values)
    if guilty is None or predicate not in ("valid_fraction", "finite_fraction", "cloud_fraction"):
        cause = OF_PREDICATE.get(predicate, "quality_missed") if predicate != "length" else "quality_missed"
        return Diagnosis(cause, (guilty or node).id, case.node.id, (), "", shown, "likely")
    limit = limit_of(part)
    inward = next((at for at, leaf in case.leaves(guilty) if scarce(case.measured(leaf), limit)), None)
    if inward is None:
        return lost_here(case, guilty, shown)
    return too_little(case, guilty, inward, shown, part)


def _made_at(case: Examination, place: Place, values: Mapping[str, Value]) -> Node | None:
    """The node that made what stands at a place of a quality condition."""
    value = values.get(str(place[0]), values.get(str(place[0]).removeprefix("$"))) if place else None
    if value is None:
        return None
    try:
        value = value_at(value, place[1:])
    except (IndexError, KeyError):
        return None
    reference = next(references(value), None)
    return case.plan.workflow.node(reference.node) if isinstance(reference, FromNode) else None


def _decisive(condition: Expression, known: Environment, verdict: Verdict) -> tuple[Expression, Verdict]:
    """The part of a conjunction that does not hold."""
    if isinstance(condition, Logic) and condition.op == "and":
        for part in condition.parts:
            found = evaluate(part, known)
            if found.truth is not True:
                return _decisive(part, known, found)
    return condition, verdict


def _predicate_of(part: Expression) -> str:
    for call in calls(part):
        if call.name not in ("any", "share", "given"):
            return call.name
    return ""


def _guilty_place(verdict: Verdict, part: Expression, known: Environment) -> Place:
    """The artifact that a verdict blames: of its goals, of what it misses, else the first that the condition names."""
    if verdict.goals:
        return verdict.goals[0].place
    if verdict.missing:
        return verdict.missing[0].place
    for name in names(part):
        value = known.get(name)
        if isinstance(value, Artifact):
            if not value.parts():
                return (name,)
            for place, leaf in leaves((name,), value):
                single = evaluate(part, {**known, name: leaf})
                if single.truth is False:
                    return place
            return (name,)
    return next(((name,) for name in names(part)), ())


def _unknown_fact(case: Examination, node: Node, verdict: Verdict, evidence: tuple[Evidence, ...]) -> Diagnosis:
    gap = verdict.missing[0]
    cause = OF_MISSING.get(gap.fact, "fact_unknown")
    shown = Evidence(f"{gap.fact} of {place_text(gap.place)}", "to be known", "nobody knows it", "")
    options = " ".join(dict.fromkeys(f"--assume {_said_as(one.fact)}=VALUE" for one in verdict.missing))
    found = accused(case, node, gap.place, cause, (shown, *evidence), {"fact": gap.fact}, certain=True)
    return replace(found, advice=f"say it if you know it: {options}")


def _said_as(fact: str) -> str:
    """The option for a fact: where pixels lie follows from how large they are."""
    return "resolution" if fact in ("transform", "grid", "bounds") else fact


def _grids(
    case: Examination, node: Node, place: Place, known: Environment, evidence: tuple[Evidence, ...]
) -> Diagnosis:
    parts = [leaf for value in known.values() if isinstance(value, Artifact) for leaf in value.leaves()]
    systems = {leaf.fact("crs") for leaf in parts if leaf.fact("crs") is not None}
    leaf = _leaf(known, place)
    if leaf is not None and _rotated(leaf):
        tilt = Evidence(f"transform of {place_text(place)}", "no rotation", str(leaf.fact("transform")), "measured")
        return accused(case, node, place, "rotated_grid", (tilt, *evidence), certain=True)
    if any("do not overlap" in item.found for item in evidence):
        return accused(case, node, place, "no_overlap", evidence, certain=True)
    if len(systems) > 1:
        shown = Evidence("CRS", "one for all", ", ".join(sorted(map(short, systems))), "header")
        return accused(case, node, place, "crs_mismatch", (*evidence, shown), certain=True, others=("grid_mismatch",))
    return accused(case, node, place, "grid_mismatch", evidence, certain=True)


def _rotated(leaf: Artifact) -> bool:
    transform = leaf.fact("transform")
    return transform is not None and (abs(transform[1]) > 1e-9 or abs(transform[3]) > 1e-9)


def _leaf(known: Environment, place: Place) -> Artifact | None:
    value = known.get(str(place[0])) if place else None
    return None if not isinstance(value, Artifact) else dict(leaves((str(place[0]),), value)).get(place, value)


def _misnamed(known: Environment, place: Place, verdict: Verdict) -> Evidence | None:
    """A band under another name whose wavelength is that of one which is lacking."""
    value = known.get(str(place[0])) if place else None
    members = {n: m for item in (value.items or (value,)) for n, m in item.members.items()} if value else {}
    lacking = verdict.because.partition(" lacks ")[2].partition(" (has ")[0].split(", ")
    for name, member in members.items():
        wavelength, sensor = member.fact("wavelength"), member.fact("sensor")
        for band in sensor_bands(str(sensor)) if wavelength is not None and sensor is not None else ():
            near = band.centre is not None and abs(band.centre - wavelength) <= _SAME_WAVELENGTH
            if band.common_name in lacking and near:
                shown = f"{wavelength:g} nm, which is {band.common_name} of {sensor}"
                return Evidence(f"wavelength of {name}", f"that of {name}", shown, "declared")
    return None


def _wanted(verdict: Verdict, known: Environment) -> dict[str, Any]:
    """What the first goal of a verdict wants a fact to be, where it is one that tools can make so."""
    if not verdict.goals:
        return {}
    goal = verdict.goals[0]
    like = None if goal.like is None else _leaf(known, goal.like)
    wanted = {"unit": goal.value if goal.predicate == "unit" else None, "crs": None}
    if like is not None and goal.predicate in ("same_unit", "same_crs"):
        fact = goal.predicate.removeprefix("same_")
        wanted[fact] = like.fact(fact)
    return {name: value for name, value in wanted.items() if value is not None}


def _twice(case: Examination, known: Environment, place: Place) -> dict[str, Any]:
    """The items of a series whose date one before them has: ``items`` where they are copies, else ``twice``."""
    value = known.get(str(place[0])) if place else None
    if not isinstance(value, Artifact):
        value = next((v for v in known.values() if isinstance(v, Artifact) and len(v.items) > 1), None)
    if value is None:
        return {}
    first: dict[Any, Artifact] = {}
    twice, copies = [], []
    for index, item in enumerate(value.items):
        date = item.fact("datetime")
        if date in first:
            twice.append(index)
            copies += [index] if _copies(case, first[date], item) else []
        first.setdefault(date, item)
    return {"twice": twice} | ({"items": copies} if copies == twice else {})


def _copies(case: Examination, one: Artifact, other: Artifact) -> bool:
    """Whether two scenes hold the same numbers at the same places, as far as the sample tells."""
    pairs = list(zip(one.leaves(), other.leaves(), strict=False))
    if len(list(one.leaves())) != len(list(other.leaves())):
        return False
    for a, b in pairs:
        first, second = case.sample(a), case.sample(b)
        if first is None or second is None or a.fact("grid") != b.fact("grid") or first.total != second.total:
            return False
        if first.values.shape != second.values.shape or bool((first.values != second.values).any()):
            return False
    return True
