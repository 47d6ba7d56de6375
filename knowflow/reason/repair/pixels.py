"""Diagnosis of pixels: values that cannot be what is said of them, and pixels that are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import PurePath
from typing import Any

from knowflow.model.artifact import Artifact
from knowflow.model.condition import Call, Compare, Const, Expression
from knowflow.model.diagnosis import Diagnosis, Evidence
from knowflow.model.verdict import Place, place_text
from knowflow.model.workflow import FromInput, FromNode, Given, Node, Value
from knowflow.reason.repair.conventions import explanation, processed_alike
from knowflow.reason.repair.examination import Examination, Origin
from knowflow.reason.repair.masks import is_mask, numbers_of
from knowflow.reason.repair.samples import Finding, Sample
from knowflow.reason.repair.spectra import exchanged, scenes_in
from knowflow.reason.repair.values import implausible

_ALMOST_NOTHING = 0.02  # share of pixels with data below which there is nothing to work with
_CLOUDY = 0.5  # share of a scene under cloud that explains missing pixels
_STRIPED = 0.05  # share of rows or columns that are missing whole
_MOST_FILES = 400  # files that are compared with the guilty one
_KIND = ("quantity", "unit", "scale", "offset")  # what is said alike of files that are looked at together
_SAID = ("nodata", "mark")  # what is found of each of several files that are repaired together


def accused(
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


# --- values ---------------------------------------------------------------------------------------------------------


def implausible_file(case: Examination, shown: str) -> Diagnosis | None:
    """The diagnosis of a file, or of the bands of a scene, whose values were refused before their first use."""
    for place, leaf in case.leaves():
        if place_text(place) == shown:
            return of_values(case, case.node, place, leaf, ())
    for name, value in case.arguments.items():
        for place, scene in scenes_in(name, value) if isinstance(value, Artifact) else ():
            finding = exchanged(scene, case.sample) if place_text(place) == shown else None
            if finding is not None:
                return accused(case, case.node, place, finding.cause, finding.evidence, finding.found)
    return None


def of_values(
    case: Examination, node: Node, place: Place, leaf: Artifact, evidence: tuple[Evidence, ...]
) -> Diagnosis | None:
    """What is wrong with the values of a raster, and which other inputs are wrong in the same way."""
    sample = case.sample(leaf)
    if sample is None or implausible(leaf, sample) is None:
        return None
    kind = list(_of_its_kind(case, node, place, leaf))
    numbers = {numbers_of(other, its) for _, other, its in kind} if is_mask(leaf) else set()
    finding = implausible(leaf, sample, numbers)
    if finding is None:
        return None
    same = ((reference, other, implausible(other, its, numbers)) for reference, other, its in kind)
    alike = {reference: other for reference, other, its in same if _same(its, finding)}
    if finding.cause == "values_implausible":
        # what was restated is no input any more, and stands for itself
        samples = [sample for sample in map(case.sample, alike.values() or [leaf]) if sample is not None]
        explained = explanation(leaf, samples)
        share = finding.found.get("share", 1.0)
        if explained is not None and (share >= 0.1 or explained.cause == "unit_wrong"):
            finding = explained
    found = dict(finding.found)
    if alike:
        found |= {"inputs": [[place.name, *place.at] for place in alike], "files": _pattern(case, leaf, alike.values())}
    elif restated := _restated(case, node, place):
        found |= {"restated": [restated.node, restated.output]}
    return accused(
        case,
        node,
        place,
        finding.cause,
        (*finding.evidence, *evidence),
        found,
        certain=finding.certain,
        others=finding.others,
    )


def _restated(case: Examination, node: Node, place: Place) -> FromNode | None:
    """The node by which an input of the plan stands in its own place: nothing but that file went into it and into those
    that were inserted before it. What is wrong there is wrong with the file, wherever it is used."""
    referred = case.reference(node, place)
    value: Value | None = referred
    while isinstance(value, FromNode):
        inserted = case.plan.workflow.node(value.node)
        sources = [one for one in inserted.args.values() if not isinstance(one, Given)]
        if inserted.inserted is None or len(sources) != 1:
            return None
        value = sources[0]
    return referred if isinstance(value, FromInput) and isinstance(referred, FromNode) else None


def _pattern(case: Examination, leaf: Artifact, alike: Iterable[Artifact]) -> str:
    """What the names of files that are alike have in common, and no other input of the plan; else that of one."""
    names = {PurePath(one.path or one.name).name for one in (leaf, *alike)}
    others = {PurePath(one.path or one.name).name for _, one in case.inputs()} - names
    start = "".join(letters[0] for letters in takewhile(lambda at: len(set(at)) == 1, zip(*names, strict=False)))
    if len(names) == 1 or not start or any(name.startswith(start) for name in others):
        return PurePath(leaf.path or leaf.name).name
    return f"{start}*"


def _same(one: Finding | None, other: Finding) -> bool:
    return one is not None and one.cause == other.cause and all(one.found.get(f) == other.found.get(f) for f in _SAID)


def _of_its_kind(
    case: Examination, node: Node, place: Place, leaf: Artifact
) -> Iterator[tuple[FromInput, Artifact, Sample]]:
    """The inputs of the plan of which the same is said as of a file, with their values: this one first."""
    referred = case.reference(node, place)
    if not isinstance(referred, FromInput):
        return
    own = case.whole_way(referred)
    kind = [(own, leaf), *((reference, other) for reference, other in case.inputs() if reference != own)]
    for reference, other in kind[:_MOST_FILES]:
        alike = all(other.fact(name) == leaf.fact(name) for name in _KIND)
        if other.type == "raster" and alike and processed_alike(other) == processed_alike(leaf):
            sample = case.sample(other)
            if sample is not None:
                yield reference, other, sample


def out_of_range(case: Examination, node: Node, place: Place, evidence: tuple[Evidence, ...]) -> Diagnosis:
    """Impossible values: of a file, if one that feeds the node has them; else what the tool made is wrong."""
    for where, leaf in case.leaves(node):
        sample = case.sample(leaf) if leaf.type == "raster" and leaf.path is not None else None
        if sample is None or implausible(leaf, sample) is None:
            continue
        origin = case.origin(where, lambda one: _bad_values(case, one), node)
        guilty = case.plan.workflow.node(origin.node)
        if origin.artifact is not None and origin.input is not None:
            found = of_values(case, guilty, origin.place, origin.artifact, evidence)
            if found is not None:
                return found
        return Diagnosis("values_implausible", guilty.id, case.node.id, origin.place, "", evidence, "certain")
    cause = "values_implausible" if place else "broken_promise"
    shown = Evidence("inputs of the node", "", "their values are possible", "measured")
    return accused(case, node, place, cause, (*evidence, shown), others=("tool_defect",))


def _bad_values(case: Examination, leaf: Artifact) -> bool:
    if leaf.type != "raster" or leaf.path is None:
        return False
    sample = case.sample(leaf)
    return sample is not None and implausible(leaf, sample) is not None


# --- missing pixels -------------------------------------------------------------------------------------------------


def too_little(
    case: Examination, node: Node, place: Place, evidence: tuple[Evidence, ...], part: Expression
) -> Diagnosis:
    """Too few pixels with data: where did they go?"""
    limit = limit_of(part)
    origin = case.origin(place, lambda leaf: scarce(leaf, limit), node)
    guilty = case.plan.workflow.node(origin.node)
    if origin.input is None and not origin.place:
        return lost_here(case, guilty, evidence)
    return _too_little_in_file(case, guilty, origin, evidence)


def limit_of(part: Expression) -> float:
    match part:
        case Call(name="any", args=(inner,)) | Compare(left=Call(name="share", args=(inner,))):
            return limit_of(inner)
    if isinstance(part, Compare) and isinstance(part.right, Const) and isinstance(part.right.value, (int, float)):
        return max(float(part.right.value), _ALMOST_NOTHING)
    return _ALMOST_NOTHING


def scarce(leaf: Artifact, limit: float) -> bool:
    share = leaf.fact("valid_fraction")
    return leaf.type == "raster" and share is not None and share < limit


def lost_here(case: Examination, node: Node, evidence: tuple[Evidence, ...]) -> Diagnosis:
    """A node that has data and leaves none: a mask took them, or its computation."""
    masks = [
        (at, case.measured(leaf)) for at, leaf in case.leaves(node) if "mask" in str(leaf.fact("quantity") or at[0])
    ]
    for at, mask in masks:
        share, known = mask.fact("mean"), mask.fact("valid_fraction")
        if share is None:
            continue
        if known is not None and share * known < _CLOUDY <= share:
            shown = Evidence(
                f"pixels of {mask.name or place_text(at)} that are no missing data", "", f"{known:.0%}", "measured"
            )
            return accused(
                case, node, at, "too_few_valid", (shown, *evidence), {"share": known}, others=("empty_after_mask",)
            )
        clouds = mask.fact("quantity") == "cloud_mask" or "cloud" in str(at[0])
        if clouds and share >= _CLOUDY:
            of = str(mask.fact("datetime") or "")[:10] or "the scene"
            some = "every pixel is cloud or no data" if share == 1 else f"{share:.0%} of the pixels are cloud"
            shown = Evidence(of, "", f"{some}, by {mask.name or place_text(at)}", "measured")
            return accused(case, node, at, "too_cloudy", (shown, *evidence), {"cloud_cover": share}, certain=True)
        shown = Evidence(f"share that {place_text(at)} marks", "", f"{share:.0%}", "measured")
        return accused(case, node, at, "empty_after_mask", (shown, *evidence), {"marked": share}, certain=True)
    if masks:
        return accused(case, node, masks[0][0], "empty_after_mask", evidence, {})
    return Diagnosis("not_finite", node.id, case.node.id, (), "", evidence, "likely", ("no_overlap", "broken_promise"))


def _too_little_in_file(case: Examination, node: Node, origin: Origin, evidence: tuple[Evidence, ...]) -> Diagnosis:
    leaf = origin.artifact
    sample = None if leaf is None else case.sample(leaf)
    share = None if sample is None else sample.valid_share
    shown = () if share is None else (Evidence("pixels with data", "", f"{share:.1%}", "measured"),)
    if sample is not None and sample.lines_missing >= _STRIPED:
        lines = Evidence("whole rows or columns without data", "none", f"{sample.lines_missing:.0%}", "measured")
        return accused(
            case, node, origin.place, "nan_stripes", (lines, *shown, *evidence), {"share": share}, certain=True
        )
    cloudy = leaf is not None and leaf.fact("cloud_masked") is True
    cause = "too_cloudy" if cloudy else "too_few_valid"
    return accused(case, node, origin.place, cause, (*shown, *evidence), {"share": share}, certain=not cloudy)
