"""Diagnosis of a condition that does not hold: a precondition, a promise of a tool, or a quality that was demanded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from knowflow.ground.errors import ConditionSyntaxError
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Compare, Const, Expression, Logic, calls, names, parse
from knowflow.model.diagnosis import Diagnosis, Evidence
from knowflow.model.evaluate import evaluate
from knowflow.model.verdict import Place, Verdict, leaves, place_text, short
from knowflow.model.workflow import FromInput, FromNode, Node, Value, references, value_at
from knowflow.reason.repair.examination import Examination, Origin
from knowflow.reason.repair.values import Finding, explanation, implausible

Environment = Mapping[str, Any]

# what a predicate that does not hold is called, where nothing behind it says more
OF_PREDICATE: Mapping[str, str] = {
    "same_crs": "crs_mismatch",
    "projected": "not_projected",
    "geographic": "crs_mismatch",
    "georeferenced": "crs_missing",
    "overlaps": "no_overlap",
    "has_bands": "band_missing",
    "same_quantity": "quantity_wrong",
    "family": "quantity_wrong",
    "quantity": "quantity_wrong",
    "categorical": "quantity_wrong",
    "continuous": "quantity_wrong",
    "quantity_family": "quantity_wrong",
    "same_unit": "unit_mismatch",
    "compatible_units": "unit_mismatch",
    "unit": "unit_mismatch",
    "distinct_dates": "duplicate_dates",
    "is_index": "parameter_out_of_range",
    "known": "fact_unknown",
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
_ALMOST_NOTHING = 0.02  # share of pixels with data below which there is nothing to work with
_CLOUDY = 0.5  # share of a scene under cloud that explains missing pixels
_STRIPED = 0.05  # share of rows or columns that are missing whole
_MOST_FILES = 400  # files that are compared with the guilty one


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
        return _implausible_file(case, text.removeprefix("plausible(").removesuffix(")"))
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
            return _out_of_range(case, node, place, evidence)
        case "valid_fraction" | "finite_fraction" | "cloud_fraction":
            return _too_little(case, node, place, evidence, part)
    cause = OF_PREDICATE.get(predicate, "precondition_false")
    found: dict[str, Any] = {"goals": [str(goal) for goal in verdict.goals[:8]], **_wanted(verdict, known)}
    if cause == "duplicate_dates":
        found |= _twice(case, known, place)
    return _at(case, node, place, cause, evidence, found, certain=verdict.truth is False)


def _broken(case: Examination, condition: Expression, text: str) -> Diagnosis | None:
    """A promise that the result breaks: usually of an input that the tool could not know to be wrong."""
    predicate = _predicate_of(condition)
    shown = (Evidence(text, "to hold", str(case.error.get("found") or "it does not hold"), "checked"),)
    if predicate in ("valid_fraction", "finite_fraction"):
        limit = _limit(condition)
        inward = next((at for at, leaf in case.leaves() if _scarce(case.measured(leaf), limit)), None)
        if inward is None:
            return lost_here(case, case.node, shown)
        return _too_little(case, case.node, inward, shown, condition)
    if predicate in ("in_range", "scaled", "value_range", "mean"):
        return _out_of_range(case, case.node, (), shown)
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
    limit = _limit(part)
    inward = next((at for at, leaf in case.leaves(guilty) if _scarce(case.measured(leaf), limit)), None)
    if inward is None:
        return lost_here(case, guilty, shown)
    return _too_little(case, guilty, inward, shown, part)


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


def _scarce(leaf: Artifact, limit: float) -> bool:
    share = leaf.fact("valid_fraction")
    return leaf.type == "raster" and share is not None and share < limit


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


def _at(
    case: Examination,
    node: Node,
    place: Place,
    cause: str,
    evidence: tuple[Evidence, ...],
    found: Mapping[str, Any] | None = None,
    *,
    certain: bool = False,
    others: tuple[str, ...] = (),
) -> Diagnosis:
    """A diagnosis at an argument of a node, with the file behind it."""
    reference = case.reference(node, place)
    leaf = dict(case.leaves(node)).get(place)
    file = (leaf.path or "") if isinstance(reference, FromInput) and leaf is not None else ""
    return Diagnosis(
        cause,
        node.id,
        case.node.id,
        place,
        file,
        evidence,
        "certain" if certain else "likely",
        others,
        found=found or {},
    )


def _unknown_fact(case: Examination, node: Node, verdict: Verdict, evidence: tuple[Evidence, ...]) -> Diagnosis:
    gap = verdict.missing[0]
    cause = OF_MISSING.get(gap.fact, "fact_unknown")
    shown = Evidence(f"{gap.fact} of {place_text(gap.place)}", "to be known", "nobody knows it", "")
    options = " ".join(dict.fromkeys(f"--assume {_said_as(one.fact)}=VALUE" for one in verdict.missing))
    found = _at(case, node, gap.place, cause, (shown, *evidence), {"fact": gap.fact}, certain=True)
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
        return _at(case, node, place, "rotated_grid", (tilt, *evidence), certain=True)
    if any("do not overlap" in item.found for item in evidence):
        return _at(case, node, place, "no_overlap", evidence, certain=True)
    if len(systems) > 1:
        shown = Evidence("CRS", "one for all", ", ".join(sorted(map(short, systems))), "header")
        return _at(case, node, place, "crs_mismatch", (*evidence, shown), certain=True, others=("grid_mismatch",))
    return _at(case, node, place, "grid_mismatch", evidence, certain=True)


def _rotated(leaf: Artifact) -> bool:
    transform = leaf.fact("transform")
    return transform is not None and (abs(transform[1]) > 1e-9 or abs(transform[3]) > 1e-9)


def _leaf(known: Environment, place: Place) -> Artifact | None:
    value = known.get(str(place[0])) if place else None
    return None if not isinstance(value, Artifact) else dict(leaves((str(place[0]),), value)).get(place, value)


# --- values ---------------------------------------------------------------------------------------------------------


def _implausible_file(case: Examination, shown: str) -> Diagnosis | None:
    """The diagnosis of a file whose values were refused before its first use."""
    for place, leaf in case.leaves():
        if place_text(place) == shown:
            return _of_values(case, case.node, place, leaf, ())
    return None


def _of_values(
    case: Examination, node: Node, place: Place, leaf: Artifact, evidence: tuple[Evidence, ...]
) -> Diagnosis | None:
    """What is wrong with the values of a raster, and which other inputs are wrong in the same way."""
    sample = case.sample(leaf)
    finding = None if sample is None else implausible(leaf, sample)
    if finding is None:
        return None
    alike = dict(_alike(case, node, place, leaf, finding))
    if finding.cause == "values_implausible":
        samples = [sample for sample in (case.sample(one) for one in alike.values()) if sample is not None]
        explained = explanation(leaf, samples)
        share = finding.found.get("share", 1.0)
        if explained is not None and (share >= 0.1 or explained.cause == "unit_wrong"):
            finding = explained
    found = {**finding.found, "inputs": [[place.name, *place.at] for place in alike]}
    return _at(
        case,
        node,
        place,
        finding.cause,
        (*finding.evidence, *evidence),
        found,
        certain=finding.certain,
        others=finding.others,
    )


def _alike(
    case: Examination, node: Node, place: Place, leaf: Artifact, finding: Finding
) -> Iterator[tuple[FromInput, Artifact]]:
    """The inputs of the plan of the same quantity and unit that are wrong in the same way, this one first."""
    referred = case.reference(node, place)
    if not isinstance(referred, FromInput):
        return
    own = case.whole_way(referred)
    yield own, leaf
    said = (leaf.fact("quantity"), leaf.fact("unit"), leaf.fact("scale"), leaf.fact("offset"))
    for number, (reference, other) in enumerate(case.inputs()):
        if number >= _MOST_FILES:
            return
        if reference == own or other.type != "raster":
            continue
        if (other.fact("quantity"), other.fact("unit"), other.fact("scale"), other.fact("offset")) != said:
            continue
        sample = case.sample(other)
        same = None if sample is None else implausible(other, sample)
        if same is not None and same.cause == finding.cause and same.found.get("nodata") == finding.found.get("nodata"):
            yield reference, other


def _out_of_range(case: Examination, node: Node, place: Place, evidence: tuple[Evidence, ...]) -> Diagnosis:
    """Impossible values: of a file, if one that feeds the node has them; else what the tool made is wrong."""
    for where, leaf in case.leaves(node):
        sample = case.sample(leaf) if leaf.type == "raster" and leaf.path is not None else None
        if sample is None or implausible(leaf, sample) is None:
            continue
        origin = case.origin(where, lambda one: _bad_values(case, one), node)
        guilty = case.plan.workflow.node(origin.node)
        if origin.artifact is not None and origin.input is not None:
            found = _of_values(case, guilty, origin.place, origin.artifact, evidence)
            if found is not None:
                return found
        return Diagnosis("values_implausible", guilty.id, case.node.id, origin.place, "", evidence, "certain")
    cause = "values_implausible" if place else "broken_promise"
    shown = Evidence("inputs of the node", "", "their values are possible", "measured")
    return _at(case, node, place, cause, (*evidence, shown), others=("tool_defect",))


def _bad_values(case: Examination, leaf: Artifact) -> bool:
    if leaf.type != "raster" or leaf.path is None:
        return False
    sample = case.sample(leaf)
    return sample is not None and implausible(leaf, sample) is not None


# --- missing pixels -------------------------------------------------------------------------------------------------


def _too_little(
    case: Examination, node: Node, place: Place, evidence: tuple[Evidence, ...], part: Expression
) -> Diagnosis:
    """Too few pixels with data: where did they go?"""
    limit = _limit(part)
    origin = case.origin(place, lambda leaf: _scarce(leaf, limit), node)
    guilty = case.plan.workflow.node(origin.node)
    if origin.input is None and not origin.place:
        return lost_here(case, guilty, evidence)
    return _too_little_in_file(case, guilty, origin, evidence)


def _limit(part: Expression) -> float:
    if isinstance(part, Compare) and isinstance(part.right, Const) and isinstance(part.right.value, (int, float)):
        return max(float(part.right.value), _ALMOST_NOTHING)
    return _ALMOST_NOTHING


def lost_here(case: Examination, node: Node, evidence: tuple[Evidence, ...]) -> Diagnosis:
    """A node that has data and leaves none: a mask took them, or its computation."""
    masks = [
        (at, case.measured(leaf)) for at, leaf in case.leaves(node) if "mask" in str(leaf.fact("quantity") or at[0])
    ]
    for at, mask in masks:
        share = mask.fact("mean")
        if share is None:
            continue
        clouds = mask.fact("quantity") == "cloud_mask" or "cloud" in str(at[0])
        if clouds and share >= _CLOUDY:
            shown = Evidence(f"cloud cover, by {mask.name or place_text(at)}", "", f"{share:.0%}", "measured")
            return _at(case, node, at, "too_cloudy", (shown, *evidence), {"cloud_cover": share}, certain=True)
        shown = Evidence(f"share that {place_text(at)} marks", "", f"{share:.0%}", "measured")
        return _at(case, node, at, "empty_after_mask", (shown, *evidence), {"marked": share}, certain=True)
    if masks:
        return _at(case, node, masks[0][0], "empty_after_mask", evidence, {})
    return Diagnosis("not_finite", node.id, case.node.id, (), "", evidence, "likely", ("no_overlap", "broken_promise"))


def _too_little_in_file(case: Examination, node: Node, origin: Origin, evidence: tuple[Evidence, ...]) -> Diagnosis:
    leaf = origin.artifact
    sample = None if leaf is None else case.sample(leaf)
    share = None if sample is None else sample.valid_share
    shown = () if share is None else (Evidence("pixels with data", "", f"{share:.1%}", "measured"),)
    if sample is not None and sample.lines_missing >= _STRIPED:
        lines = Evidence("whole rows or columns without data", "none", f"{sample.lines_missing:.0%}", "measured")
        return _at(case, node, origin.place, "nan_stripes", (lines, *shown, *evidence), {"share": share}, certain=True)
    cloudy = leaf is not None and leaf.fact("cloud_masked") is True
    cause = "too_cloudy" if cloudy else "too_few_valid"
    return _at(case, node, origin.place, cause, (*shown, *evidence), {"share": share}, certain=not cloudy)


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
