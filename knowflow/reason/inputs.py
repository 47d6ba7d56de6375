"""Which data an input of a template takes: the best candidate that fits what the template declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Protocol, TypeAlias

from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.model.condition import parse
from knowflow.model.evaluate import evaluate
from knowflow.model.goal import Period
from knowflow.model.predicates import bands_needed
from knowflow.model.template import TemplateInput
from knowflow.reason.area import Area
from knowflow.reason.builder import Bound
from knowflow.reason.inventory.dates import within
from knowflow.reason.inventory.grouping import mission_of
from knowflow.reason.inventory.tiles import items_of
from knowflow.reason.named_bands import is_other, of_their_product, refuse_several_bands
from knowflow.reason.pairing import keys_of
from knowflow.reason.scope import Scope


class DataSource(Protocol):
    """Where inputs come from: candidates that fit a declared input, best first, and what was looked through."""

    def candidates(
        self, kind: str, quantity: tuple[str, ...], bands: tuple[str, ...], period: Period | None
    ) -> tuple[Artifact, ...]: ...

    def summary(self) -> str: ...


SURFACE = "surface"
"""What heights are of that are none of the bare ground."""
Having: TypeAlias = tuple[tuple[str, str], ...]
"""Facts beside the quantity by which data are chosen, each with its value: a band, a polarisation, day or night."""


def choose_input(
    name: str, declared: TemplateInput, scope: Scope, data: DataSource, area: Area | None, having: Having = ()
) -> Bound | None:
    """The first candidate that fits, cut to the area of interest; None where there is none and none is needed.

    Raises:
        PlanningError: nothing fits a required input; the candidates and why they do not fit are named.
        NotUnderstoodError: several bands fit, and the question asks for what each of them has.
    """
    quantities = _quantities(declared, scope)
    bands = _bands(declared, scope)
    rejected: list[tuple[str, str]] = []
    fitting: list[Artifact] = []
    for candidate in data.candidates(declared.type, quantities, bands, scope.period):
        artifact = of_their_product(candidate, having)
        why = _unfit(declared, artifact, scope) or is_other(artifact, having)
        if why is None:
            fitting.append(artifact)
        else:
            rejected.append((artifact.name, why))
    fitting = bare_ground(fitting)
    if fitting:
        if not bands and (asked := _asked(scope, fitting[0])) is not None:
            refuse_several_bands(asked, (one for one in fitting if _like(one, fitting[0])))
        bound = scope.builder.input(scope.path_of(name), fitting[0])
        bound = scope.builder.joined(bound, name)
        if area is not None:
            bound = area.clipped(scope.builder, bound, name)
        return Bound(bound.value, bound.known, keys_of(fitting[0]))
    if declared.optional:
        return None
    wanted = " or ".join(quantities) or declared.title or declared.type
    when = "" if scope.period is None else f" from {scope.period.start} to {scope.period.end}"
    with_bands = f" with the bands {', '.join(bands)}" if bands else ""
    raise PlanningError(
        f"no data for {declared.title or name!r}",
        where=scope.where,
        expected=f"{declared.type} of {wanted}{with_bands}{when}",
        found="; ".join(f"{item}: {why}" for item, why in rejected[:3]) or data.summary(),
    )


def bare_ground(fitting: list[Artifact]) -> list[Artifact]:
    """Without models of the surface, with trees and buildings, where there are heights of the ground, too."""
    kinds = {leaf.fact("quantity") for one in fitting for leaf in one.leaves() if leaf.fact("surface") != SURFACE}
    surfaces = {id(one) for one in fitting if any(leaf.fact("surface") == SURFACE for leaf in one.leaves())}
    return [one for one in fitting if id(one) not in surfaces or one.fact("quantity") not in kinds]


def mixture_of(series: Artifact) -> Iterator[str]:
    """What is to be told of a series whose items are of several missions, or of levels that some do not say."""
    missions = Counter(mission_of(item) or "an unnamed sensor" for item in series.items)
    if len(missions) > 1:
        scenes = ", ".join(f"{mission} ({count})" for mission, count in missions.items())
        yield f"scenes of {scenes} are one series, though each sensor sees the ground in its own way"
    levels = Counter(item.fact("level") or "an unnamed level" for item in series.items)
    if len(levels) > 1:
        files = ", ".join(f"{level} ({count})" for level, count in levels.items())
        yield f"files of {files} are one series, as if they had been processed alike"


def of_another_time(raster: Artifact, period: Period | None) -> str:
    """The day that a raster is of, where that is none of the period for which it is taken; else nothing."""
    moment = None if period is None else raster.fact("datetime")
    if period is None or moment is None or within(str(moment), period.start, period.end):
        return ""
    return str(moment)[:10]


def _quantities(declared: TemplateInput, scope: Scope) -> tuple[str, ...]:
    found: list[str] = []
    for quantity in declared.quantity:
        if not quantity.startswith("$"):
            found.append(quantity)
        elif (bound := scope.parameters.get(quantity[1:])) is not None:
            found += bound.known if isinstance(bound.known, tuple) else (str(bound.known).casefold(),)
    return tuple(found)


def _bands(declared: TemplateInput, scope: Scope) -> tuple[str, ...]:
    found: list[str] = []
    for band in declared.bands:
        if not band.startswith("$"):
            found.append(band)
            continue
        bound = scope.parameters.get(band[1:])
        needed = None if bound is None else bands_needed(bound.known)
        found += needed or ()
    return tuple(dict.fromkeys(found))


def _asked(scope: Scope, artifact: Artifact) -> str | None:
    """The quantity that a template gives of its data: by its parameter, or one that it is about."""
    parameter, own = scope.parameters.get("quantity"), artifact.fact("quantity")
    if parameter is not None:
        return str(parameter.known)
    return str(own) if own in scope.template.about else None


def _like(one: Artifact, other: Artifact) -> bool:
    return bool(one.fact("quantity") == other.fact("quantity"))


def _unfit(declared: TemplateInput, artifact: Artifact, scope: Scope) -> str | None:
    """Why a candidate cannot be taken; None when it can."""
    if declared.minimum_count is not None and len(items_of(artifact)) < declared.minimum_count:
        return f"{len(items_of(artifact))} items, {declared.minimum_count} needed"
    for text in declared.where:
        environment = {f"${name}": bound.known for name, bound in scope.parameters.items()}
        verdict = evaluate(parse(text), {**environment, "it": artifact})
        if verdict.truth is not True:
            return verdict.because or f"not {text}"
    return None
