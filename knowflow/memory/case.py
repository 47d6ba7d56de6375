"""One repair that helped, as evidence: the cause, what is known of the artifact that was guilty, and what was done."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from textwrap import shorten
from typing import Any, Literal

from pydantic import Field

from knowflow.ground.errors import KnowFlowError
from knowflow.memory.remedy import remedy_of
from knowflow.model.artifact import Artifact
from knowflow.model.edit import Edit
from knowflow.model.literal import plain
from knowflow.model.tool import Document, ToolSchema
from knowflow.model.trace import Repaired, Trace
from knowflow.model.verdict import leaves
from knowflow.reason.repair.examination import Examination, Probe
from knowflow.reason.repair.failures import OF_FILES

Tools = Mapping[str, ToolSchema]

# what tells one kind of artifact from another: not where or when it is of, nor how it is cut
OF_A_KIND = (
    "quantity", "unit", "dtype", "scale", "offset", "nodata", "mark", "sensor", "level", "layer", "band",
    "polarisation", "statistic", "height",
)  # fmt: skip
# what is wrong with the numbers of a file depends on what they are
OF_NUMBERS = frozenset({"scale", "offset", "unit", "nodata", "mark", "quantity"})
# what no edit of a plan cures the next time: it passes by itself, or is a matter of this machine and this file
_PASSING = frozenset(
    {
        "unknown", "file_missing", "file_changed", "out_of_disk", "out_of_memory", "timeout", "transient", "tool_crash",
        "server_unreachable", "dependency_missing", "model_missing",
    }
) | (OF_FILES - {"crs_mismatch", "grid_mismatch"})  # fmt: skip


# causes that say that something is wrong, and not what: the condition or the tool does
_OF_WORDS = frozenset({"tool_failed", "tool_defect", "precondition_false", "broken_promise", "quality_missed"})
_OF_ONE_RUN = re.compile(r"\S*[\d/@=]\S*|\S{30,}")  # numbers, paths, addresses, keys
_LONGEST = 200
_MOST_ITEMS = 20


class UnlearnableError(KnowFlowError):
    """A repair that helped, and of which nothing can be kept for the next time; the error says why."""

    code = "unlearnable"


class Case(Document):
    """A repair that helped.

    ``facts`` are those of the guilty artifact that tell its kind, as they were; ``low`` and ``high`` the smallest and
    the largest number of those that are wrong in the same way, ``means`` what each is on average, ``spread`` how much
    they vary; ``then`` are the actions, as a rule writes them.
    """

    run: str
    number: int = 0
    by: Literal["person", "llm"]
    cause: str
    tool: str
    parameter: str = ""
    of_file: bool = Field(False, description="the guilty one is a file, whichever tool reads it")
    facts: dict[str, Any] = Field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    means: tuple[float, float] | None = Field(None, description="least and most of their means")
    spread: tuple[float, float] | None = Field(None, description="least and most of their standard deviations")
    seen: dict[str, tuple[float, float]] = Field(
        default_factory=dict, description="of maps of which nothing was wrong: least and most of what their pixels tell"
    )
    arguments: dict[str, Any] = Field(default_factory=dict, description="arguments that the actions set, as they were")
    given: dict[str, Any] = Field(default_factory=dict, description="what else the guilty node cannot do without")
    then: tuple[dict[str, Any], ...]
    found: dict[str, Any] = Field(default_factory=dict, description="findings of the diagnosis that the actions use")
    error: str = Field("", description="what failed, in words, where the cause does not say it: a regular expression")

    @property
    def key(self) -> tuple[str, int]:
        return self.run, self.number


def case_of(trace: Trace, repair: Repaired, tools: Tools, probe: Probe, edits: tuple[Edit, ...] | None = None) -> Case:
    """A repair of a run that has ended well, as evidence; ``edits`` are what it came to in the end.

    Raises:
        UnlearnableError: nothing of it can be kept.
    """
    diagnosis = repair.diagnosis
    if not diagnosis.failed or diagnosis.node not in repair.before.by_id or diagnosis.cause in _PASSING:
        raise UnlearnableError("no failure that could come again was mended by it", found=diagnosis.cause)
    then = trace.plan_before(repair)
    case = Examination(_as_it_was(trace, repair), diagnosis.node, tools, probe)
    whole = case.arguments.get(diagnosis.parameter)
    guilty = dict(leaves(diagnosis.place[:1], whole)).get(diagnosis.place) if isinstance(whole, Artifact) else None
    remedy = remedy_of(then, repair.diagnosis, repair.edits if edits is None else edits, tools)
    facts = kind_of(guilty)
    numbers = OF_NUMBERS & remedy.literal
    span = _span(case, repair, guilty) if numbers else {}
    told = {action["set_parameter"]["parameter"] for action in remedy.then if "set_parameter" in action}
    literals = {n: plain(v) for n, v in case.arguments.items() if n in told and isinstance(v, str | int | float | bool)}
    return Case(
        run=trace.run_id,
        number=repair.number,
        by="person" if repair.by == "person" else "llm",
        cause=diagnosis.cause,
        tool=repair.before.node(diagnosis.node).tool,
        parameter=diagnosis.parameter,
        of_file=bool(diagnosis.file or diagnosis.found.get("inputs")),
        facts=facts,
        lacks=tuple(sorted(fact for fact in remedy.facts if guilty is not None and guilty.known(fact) is None)),
        **span,
        arguments=literals,
        given=dict(_needed(case, diagnosis.parameter if facts else "", literals)),
        then=remedy.then,
        found={name: plain(diagnosis.found[name]) for name in remedy.found},
        error=_words(repair.failed.error or {}) if diagnosis.cause in _OF_WORDS else "",
    )


def _as_it_was(trace: Trace, repair: Repaired) -> Trace:
    """The trace as it was when something failed, as far as it is still known."""
    failed = repair.failed
    return replace(trace, plan=trace.plan_before(repair), records={**trace.records, failed.node: failed})


def kind_of(guilty: Artifact | None) -> dict[str, Any]:
    """What is known of an artifact that tells its kind; that NaN is missing goes without saying."""
    found = {} if guilty is None else {name: guilty.fact(name) for name in OF_A_KIND}
    return {
        name: plain(value)
        for name, value in found.items()
        if isinstance(value, str | int | float | bool) and not (isinstance(value, float) and not math.isfinite(value))
    }


def _needed(case: Examination, guilty: str, told: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The further arguments that a node cannot do without, those of data by their kind: for the tests of the rule."""
    for name, parameter in case.schema.inputs.items():
        value = case.arguments.get(name)
        if not parameter.required or name in told or name == guilty or value is None:
            continue
        if isinstance(value, Artifact) and parameter.is_artifact:
            yield name, kind_of(next(value.leaves()))
        else:
            literal = value.value if isinstance(value, Artifact) else value
            yield name, plain(literal[:_MOST_ITEMS] if isinstance(literal, tuple) else literal)


def _words(error: Mapping[str, Any]) -> str:
    """A regular expression for what was said of a failure: the condition, else the message without what is of one
    run."""
    said = str(error.get("expected") or "") if error.get("code") in ("precondition", "effect", "quality") else ""
    told = str(error.get("found") or error.get("message") or "")
    parts = [said] if said else _OF_ONE_RUN.split(shorten(told, _LONGEST, placeholder=""))
    return r"\S*".join(re.escape(part) for part in parts)


def _span(case: Examination, repair: Repaired, guilty: Artifact | None) -> dict[str, Any]:
    """The smallest and the largest number of the files that are wrong in the same way, what each is on average, and how
    much it varies."""
    places = {(str(entry[0]), *entry[1:]) for entry in repair.diagnosis.found.get("inputs", ())}
    wrong = [leaf for place, leaf in case.inputs() if (place.name, *place.at) in places]
    samples = [case.sample(leaf) for leaf in wrong or ([guilty] if guilty is not None else [])]
    values = [one.values for one in samples if one is not None and one.values.size]
    if not values:
        return {}
    means, spreads = [float(one.mean()) for one in values], [float(one.std()) for one in values]
    return {
        "low": float(min(one.min() for one in values)),
        "high": float(max(one.max() for one in values)),
        "means": (min(means), max(means)),
        "spread": (min(spreads), max(spreads)),
    }
