"""A learned rule on generated scenes whose truth is known: where it would speak, and be wrong, it is not put into use.

What is wrong with a file is tried on pixels: files of the same kind as the cases, with the same values stored by other
factors and in other units, and with marks of missing data; each is put to a repairer as in a run, with the authored
rules. What is wrong with a step is tried on the same failure of other data, and on other failures of the same step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import convert
from knowflow.memory import numbers
from knowflow.memory.case import Case
from knowflow.model.artifact import Artifact
from knowflow.model.causes import CAUSES
from knowflow.model.edit import Edit, InsertNode, StateFacts
from knowflow.model.facts import PIXEL_FACTS, Facts, Origin
from knowflow.model.rule import Rule, RuleTest
from knowflow.model.tool import Document, ToolSchema
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.verdict import place_text
from knowflow.model.workflow import Given
from knowflow.reason.repair.examination import FileTrouble
from knowflow.reason.repair.repairer import Repairer
from knowflow.reason.repair.samples import MARKERS, Sample, in_unit_of, sample_of
from knowflow.reason.repair.scenarios import FAILED, run_rule_tests, scenario_of
from knowflow.reason.repair.values import implausible

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tools = Mapping[str, ToolSchema]
# how many times larger the numbers are that others store of the same
_FACTORS = (0.01, 0.1, 0.2, 0.25, 0.5, 2 / 3, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 10.0, 50.0, 100.0)
_SIZE = 24
_WRONG = 0.01  # of the width of the values: so far off an answer is another one
_MISSING = 0.1  # share of the pixels that hold a mark
_SHAPES, _PLACES = ((64, 64), (200, 31)), ("EPSG:32633", "EPSG:3035", "EPSG:3857")
_DATES = ("2004-02-29", "2022-06-01")
_OTHER_CAUSES = 12


class Tried(Document):
    """What became of a rule on generated scenes: how many there were, how many it answered, and of what it would speak
    and be wrong."""

    scenes: int
    answered: int = 0
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class _Scene:
    """Stored numbers, and the physical values that they stand for, in the unit of the quantity kind (NaN: missing)."""

    title: str
    stored: NDArray[Any]
    physical: NDArray[Any]


class _Pixels:
    """A probe that sees the pixels of a scene."""

    def __init__(self) -> None:
        self.stored: Any = None

    def values(self, raster: Artifact) -> NDArray[Any]:
        import numpy as np

        stored, nodata = self.stored.astype(float), raster.fact("nodata")
        stored = stored if nodata is None else np.where(stored == nodata, np.nan, stored)
        return np.asarray(stored * float(raster.fact("scale") or 1.0) + float(raster.fact("offset") or 0.0))

    def facts(self, raster: Artifact) -> Facts:
        import numpy as np

        values = self.values(raster)
        known = values[np.isfinite(values)]
        measured = {"valid_fraction": known.size / values.size, "mean": float(known.mean()), "std": float(known.std())}
        return Facts.of(Origin.MEASURED, "scene", **measured)

    def sample(self, raster: Artifact) -> Sample | None:
        return sample_of([self.values(raster)])

    def trouble(self, artifact: Artifact) -> FileTrouble | None:
        return None

    def full(self) -> bool:
        return False


def tried(rule: Rule, cases: Sequence[Case], tools: Tools, authored: Callable[[], Iterable[Rule]] = tuple) -> Tried:
    """A rule on the scenes of all cases that it was learned from, up to the first of which it says what is wrong."""
    count = answered = 0
    for case in cases:
        kind = quantity_kinds().get(str(case.facts.get("quantity")))
        on_pixels = case.of_file and case.parameter and kind is not None and kind.continuous
        found = _on_files(rule, case, kind, tools, authored) if on_pixels and kind else _on_steps(rule, case, tools)
        for title, becomes in found:
            count += 1
            answered += becomes == "right"
            if becomes == "wrong":
                return Tried(scenes=count, answered=answered, wrong=title)
    return Tried(scenes=count, answered=answered)


# --- what is wrong with a file ---------------------------------------------------------------------------------------


def _on_files(
    rule: Rule, case: Case, kind: QuantityKind, tools: Tools, authored: Callable[[], Iterable[Rule]]
) -> Iterator[tuple[str, str]]:
    """Each scene of a case, and whether the rule answers it ``right`` or ``wrong``; nothing, where it is silent."""
    probe = _Pixels()
    repairer = Repairer(tools, authored, probe, learned=lambda: (rule,))
    plan = scenario_of(rule, _as_in_the_run(case), tools).plan
    plan = replace(plan, inputs={name: _without_pixels(one) for name, one in plan.inputs.items()})
    guilty = plan.inputs[case.parameter]
    error = {"code": "precondition", "message": "", "expected": f"plausible({place_text((case.parameter,))})"}
    failed = Trace("", plan, records={FAILED: NodeRecord(FAILED, "failed", error=error)})
    for scene in _scenes(case, kind):
        probe.stored = scene.stored
        sample = probe.sample(guilty)
        repaired = None
        if sample is not None and implausible(guilty, sample) is not None:  # else nothing fails: no rule is asked
            repaired = repairer.failure(failed, FAILED).repaired
        if repaired is None or repaired.by != f"memory:{rule.rule}":
            yield scene.title, ""
            continue
        told = guilty.with_facts(_stated(repaired.edits).over(guilty.facts))
        values = in_unit_of(kind, told, probe.values(told))
        yield scene.title, "wrong" if values is None or _differ(values, scene.physical) else "right"


def _as_in_the_run(case: Case) -> RuleTest:
    arguments = {**case.given, **case.arguments, case.parameter: dict(case.facts)}
    return RuleTest.model_validate(
        {"tool": case.tool, "arguments": arguments, "found": case.found, "cause": case.cause}
    )


def _stated(edits: Iterable[Edit]) -> Facts:
    """What edits say of the file: as facts, or by tools that only restate them."""
    said: dict[str, Any] = {}
    for edit in edits:
        if isinstance(edit, StateFacts):
            said |= edit.facts
        elif isinstance(edit, InsertNode) and edit.node.tool.startswith("declare_"):
            said |= {name: value.value for name, value in edit.node.args.items() if isinstance(value, Given)}
    return Facts.of(Origin.ASSUMED, "", **said)


def _without_pixels(artifact: Artifact) -> Artifact:
    return artifact.with_facts(artifact.facts.without(PIXEL_FACTS))


def _differ(told: NDArray[Any], truth: NDArray[Any]) -> bool:
    import numpy as np

    known = np.isfinite(truth)
    if (np.isfinite(told) != known).any():
        return True
    width = float(np.ptp(truth[known])) or 1.0
    return float(np.abs(told - truth)[known].max()) > _WRONG * width


def _scenes(case: Case, kind: QuantityKind) -> Iterator[_Scene]:
    """Files of the kind of a case, with the same values, and other numbers that stand for them."""
    import numpy as np

    meaning = numbers.meaning_of(case)
    kinds_of_unit = dict.fromkeys((meaning.unit, kind.unit, *kind.units_beside))
    for title, values in _fields(case, kind):
        told = {unit: np.asarray(convert(values, kind.unit, unit)) for unit in kinds_of_unit if unit}
        own = (told.get(meaning.unit, values) - meaning.offset) / meaning.scale
        stored = {f"{title} whose numbers are {factor:g} times as large": own * factor for factor in _FACTORS}
        stored |= {f"{title} in {unit}": numbers_in for unit, numbers_in in told.items()}
        for what, numbers_of in stored.items():
            as_stored = _as_type(numbers_of, case)
            if as_stored is not None:
                yield _Scene(what, as_stored, values)
        yield from _with_marks(title, own, values, case)


def _with_marks(title: str, own: NDArray[Any], values: NDArray[Any], case: Case) -> Iterator[_Scene]:
    """Scenes with missing pixels, and those through whose numbers a mark that was said passes."""
    import numpy as np

    corner = np.zeros(own.shape, dtype=bool)
    corner[: max(1, round(_MISSING * len(own)))] = True
    said = numbers.said(case).get("nodata")
    for mark in dict.fromkeys((*MARKERS[:6], *([float(said)] if isinstance(said, int | float) else []))):
        stored = _as_type(np.where(corner, mark, own), case)
        if stored is not None and not (own == mark).any():
            yield _Scene(f"{title} with {mark:g} for missing data", stored, np.where(corner, np.nan, values))
    if isinstance(said, int | float):
        low, high = float(own.min()), float(own.max())
        through = np.linspace(min(low, said), max(high, said), own.size).reshape(own.shape)
        yield _Scene(f"numbers that go through {said:g}", through, through)


def _fields(case: Case, kind: QuantityKind) -> Iterator[tuple[str, NDArray[Any]]]:
    """Fields of physical values: they vary as those of the case do, around the same middle; where its numbers do not
    matter, within what is possible."""
    import numpy as np

    rng, slope = np.random.default_rng(0), np.linspace(0.0, 1.0, _SIZE)
    middle, spread = numbers.centre(case) or _within(kind)
    rise = np.add.outer(slope, slope)
    for title, field in (
        ("a slope", rise),
        ("a field of noise", rng.random((_SIZE, _SIZE))),
        ("two plains", (rise > 1).astype(float)),
    ):
        yield title, middle + (field - field.mean()) / field.std() * spread


def _within(kind: QuantityKind) -> tuple[float, float]:
    low, high = kind.top if None not in kind.top else kind.range
    start = 0.0 if low is None else low
    width = (high if high is not None else start + 100.0) - start
    return start + width / 2, width / 20


def _as_type(stored: NDArray[Any], case: Case) -> NDArray[Any] | None:
    """Numbers as a file of the case's type holds them; None where it cannot."""
    import numpy as np

    kind = np.dtype(str(case.facts.get("dtype") or "float32"))
    if kind.kind not in "iu":
        return stored
    ends = np.iinfo(kind)
    return None if stored.min() < ends.min or stored.max() > ends.max else np.round(stored)


# --- what is wrong with a step ---------------------------------------------------------------------------------------


def _on_steps(rule: Rule, case: Case, tools: Tools) -> Iterator[tuple[str, str]]:
    """The same failure of other data, which the rule has to answer with edits that hold, and other failures of the same
    step, of which it must not speak."""
    (first, *_) = rule.tests
    for crs, shape, date in product(_PLACES, _SHAPES, _DATES):
        other = {"crs": crs, "shape": shape, "datetime": date}
        arguments = {
            name: {**value, **other} if isinstance(value, dict) else value for name, value in first.arguments.items()
        }
        (result,) = run_rule_tests([_with_test(rule, first, arguments=arguments)], tools)
        why = "; ".join(map(str, result.problems))
        yield f"the same in {crs} ({why})", "right" if result.passed else "wrong"
    for cause in [one for one in CAUSES if one not in rule.if_.cause][:_OTHER_CAUSES]:
        (result,) = run_rule_tests([_with_test(rule, first, cause=cause, refused=True)], tools)
        yield f"{CAUSES[cause].title} of the same step", "" if result.passed else "wrong"


def _with_test(rule: Rule, test: RuleTest, **changed: Any) -> Rule:
    return rule.model_copy(update={"tests": (test.model_copy(update=changed),)})
