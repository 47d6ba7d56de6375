"""A learned rule on generated scenes whose truth is known: where it would speak, and be wrong, it is not admitted.

The scenes are look-alikes: files of the same kind as the case, with numbers that stand for something else. Each is put
to a repairer as in a run, with the authored rules; only its pixels are made up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from knowflow.memory.case import Case
from knowflow.model.artifact import Artifact
from knowflow.model.edit import StateFacts
from knowflow.model.facts import PIXEL_FACTS, Facts, Origin
from knowflow.model.rule import Rule
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.verdict import place_text
from knowflow.reason.repair.examination import FileTrouble
from knowflow.reason.repair.repairer import Repairer
from knowflow.reason.repair.samples import Sample, sample_of
from knowflow.reason.repair.scenarios import FAILED, scenario_of
from knowflow.reason.repair.values import implausible

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tools = Mapping[str, ToolSchema]
# how many times larger the numbers are that others store of the same
_FACTORS = (0.01, 0.1, 0.2, 0.25, 0.5, 2.0, 3.0, 4.0, 5.0, 10.0, 50.0, 100.0)
_SIZE = 24
_WRONG = 0.01  # of the width of the values: so far off an answer is another one


@dataclass(frozen=True, slots=True)
class _Scene:
    """Stored numbers, and the physical values that they stand for."""

    title: str
    stored: NDArray[Any]
    physical: NDArray[Any]


class _Pixels:
    """A probe that sees the pixels of a scene."""

    def __init__(self, scene: _Scene) -> None:
        self._scene = scene

    def values(self, raster: Artifact) -> NDArray[Any]:
        import numpy as np

        stored, nodata = self._scene.stored.astype(float), raster.fact("nodata")
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


def harm(rule: Rule, case: Case, tools: Tools, authored: Callable[[], Iterable[Rule]] = tuple) -> tuple[str, int]:
    """What a rule does wrong on look-alikes of the case that it was learned from (nothing: it does none), and the
    number of scenes."""
    scenario = scenario_of(rule, rule.tests[0], tools)
    count = 0
    for scene in _scenes(case):
        count += 1
        probe = _Pixels(scene)
        inputs = {name: _without_pixels(one) for name, one in scenario.plan.inputs.items()}
        plan = replace(scenario.plan, inputs=inputs)
        guilty = inputs[case.parameter]
        sample = probe.sample(guilty)
        if sample is None or implausible(guilty, sample) is None:
            continue  # nothing fails: no rule is asked
        place = (case.parameter,)
        error = {"code": "precondition", "message": "", "expected": f"plausible({place_text(place)})"}
        records = {FAILED: NodeRecord(FAILED, "failed", error=error)}
        failed = Trace("", plan, records=records)
        reply = Repairer(tools, authored, probe, learned=lambda: (rule,)).failure(failed, FAILED)
        if reply.repaired is None or reply.repaired.by != f"memory:{rule.rule}":
            continue
        said = [edit.facts for edit in reply.repaired.edits if isinstance(edit, StateFacts)]
        stated = Facts.of(Origin.ASSUMED, "", **{name: value for facts in said for name, value in facts.items()})
        if _wrong(probe.values(guilty.with_facts(stated.over(guilty.facts))), scene):
            return f"it would speak of {scene.title}, and be wrong", count
    return "", count


def _without_pixels(artifact: Artifact) -> Artifact:
    return artifact.with_facts(artifact.facts.without(PIXEL_FACTS))


def _wrong(told: NDArray[Any], scene: _Scene) -> bool:
    import numpy as np

    width = float(np.ptp(scene.physical)) or 1.0
    gone = ~np.isfinite(told)
    return bool(gone.any()) or float(np.abs(told - scene.physical).max()) > _WRONG * width


def _scenes(case: Case) -> Iterator[_Scene]:
    """Look-alikes of a case: none where what was said is not of numbers."""
    said: dict[str, Any] = {n: v for action in case.then for n, v in action.get("state_facts", {}).items()}
    if case.low is None or case.high is None or not case.parameter or not case.facts.get("quantity"):
        return
    for title, numbers in _fields(case):
        if isinstance(said.get("scale"), int | float):
            scale, offset = float(said["scale"]), float(said.get("offset") or 0.0)
            for factor in _FACTORS:
                stored = _as_type(numbers * factor, case)
                if stored is not None:
                    what = f"{title} whose numbers are {factor:g} times as large"
                    yield _Scene(what, stored, stored / factor * scale + offset)
        if isinstance(said.get("nodata"), int | float):
            import numpy as np

            ramp = np.linspace(min(case.low, said["nodata"]), max(case.high, said["nodata"]), numbers.size)
            through = ramp.reshape(numbers.shape)
            yield _Scene(f"numbers that go through {said['nodata']:g}", through, through)


def _fields(case: Case) -> Iterator[tuple[str, NDArray[Any]]]:
    """Fields of numbers that vary as those of the case do, around the same middle."""
    import numpy as np

    rng, slope = np.random.default_rng(0), np.linspace(0.0, 1.0, _SIZE)
    rise = np.add.outer(slope, slope)
    low, high = float(case.low or 0.0), float(case.high or 0.0)
    least, most = case.spread or ((high - low) / 4, (high - low) / 4)
    for title, field in (
        ("a slope", rise),
        ("a field of noise", rng.random((_SIZE, _SIZE))),
        ("two plains", (rise > 1).astype(float)),
    ):
        yield title, (low + high) / 2 + (field - field.mean()) / field.std() * math.sqrt(least * most)


def _as_type(numbers: NDArray[Any], case: Case) -> NDArray[Any] | None:
    """Numbers as a file of the case's type holds them; None where it cannot."""
    import numpy as np

    kind = np.dtype(str(case.facts.get("dtype") or "float32"))
    if kind.kind not in "iu":
        return numbers
    ends = np.iinfo(kind)
    return None if numbers.min() < ends.min or numbers.max() > ends.max else np.round(numbers)
