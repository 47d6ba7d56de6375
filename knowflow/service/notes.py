"""What is told beside an answer: of the question, of the folder, and of knowledge that was left out of use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from knowflow.graph.check import WorkflowCheck
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.references import FOLDER
from knowflow.ground.report import Problem
from knowflow.ground.units import compatible
from knowflow.knowledge.cards import card_problems
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model import geo
from knowflow.model.amounts_of_spans import as_rate
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromNode
from knowflow.reason.inventory import Inventory

_MOST_NOTES = 20
_MOST_NAMES = 3
_PROSE = frozenset({".md", ".rst", ".html", ".htm", ".pdf", ".doc", ".docx", ".odt"})
_OF_PEOPLE = frozenset({"readme", "license", "licence", "copying", "changelog", "citation"})
_ALIGNED_BY = "align_to"
_SQUARE = 1e-3


def other_unit(plan: Plan, check: WorkflowCheck) -> tuple[str, ...]:
    """That none of the numbers can be told in the unit that the question asks for."""
    if not plan.unit or plan.unit in plan.parameters.values():
        return ()
    made = [
        check.nodes[value.node].outputs.get(value.output or next(iter(check.nodes[value.node].outputs)))
        for value in plan.outputs.values()
        if isinstance(value, FromNode) and value.node in check.nodes
    ]
    told = [as_rate(replace(one, value=0), plan.inputs.values(), plan.unit) for one in made if one is not None]
    units = {str(unit) for one in told if (unit := one.fact("unit")) is not None}
    if not units or any(compatible(unit, plan.unit) for unit in units):
        return ()
    return (f"the answer cannot be told in {plan.unit}: it is in {' or '.join(sorted(units))}",)


def resolutions(plan: Plan, check: WorkflowCheck) -> tuple[str, ...]:
    """At which resolution rasters of several are worked with, and how the others came to it."""
    brought: dict[str, dict[str, None]] = {}
    for node in plan.workflow.nodes:
        if node.inserted is None or node.tool != _ALIGNED_BY or node.id not in check.nodes:
            continue
        given = check.nodes[node.id].arguments
        raster, like = given.get("raster"), given.get("like")
        if not isinstance(raster, Artifact) or not isinstance(like, Artifact):
            continue
        own, worked = _resolution(raster), _resolution(like)
        if own and worked and own != worked:
            how = _how(quantity_kinds().get(str(raster.fact("quantity"))))
            brought.setdefault(worked, {})[f"{_called(raster)} of {own} {how}"] = None
    return tuple(f"worked at {worked}: {_listed(list(names))}" for worked, names in brought.items())


def _resolution(raster: Artifact) -> str:
    """The sides of a pixel in words, "" where they or their unit are unknown."""
    sides, crs = raster.fact("resolution"), raster.fact("crs")
    if sides is None or crs is None or not geo.is_crs(crs):
        return ""
    axis = geo.crs_of(crs).axis_info[0]
    unit = "m" if axis.unit_conversion_factor == 1.0 else axis.unit_name
    width, height = sides if isinstance(sides, tuple) else (sides, sides)
    square = abs(width / height - 1.0) < _SQUARE
    return f"{width:.6g} {unit}" if square else f"{width:.6g} x {height:.6g} {unit}"


def _called(raster: Artifact) -> str:
    kind = quantity_kinds().get(str(raster.fact("quantity")))
    return Path(raster.path).name if raster.path else kind.title.lower() if kind is not None else raster.name


def _how(kind: QuantityKind | None) -> str:
    """How numbers of a kind are brought onto another grid."""
    if kind is not None and not kind.continuous:
        return "by nearest neighbour"
    return "by sums" if kind is not None and kind.per_pixel else "by interpolation or means"


def damaged(inventory: Inventory) -> list[Problem]:
    """The files of a folder that cannot be read, as warnings."""
    return [
        Problem("unreadable_data", "a file that can be read", reason, where=path, severity="warning")
        for path, reason in inventory.unreadable[:5]
    ]


def of_folder(inventory: Inventory) -> tuple[str, ...]:
    """What was in the folder and is not used, or not as some source says."""
    notes = [*_of_sources(inventory.root)]
    notes += [f"{path}: {reason}" for path, reason in inventory.unreadable]
    notes += inventory.disagreements
    if len(notes) > _MOST_NOTES:
        notes[_MOST_NOTES:] = [f"and {len(notes) - _MOST_NOTES} more files"]
    if inventory.copies:
        copies = [f"{path} (as {other})" for path, other in inventory.copies]
        notes.append(f"the same file byte for byte, and not used again: {_listed(copies)}")
    if inventory.replaced:
        replaced = [f"{product} (as {newer})" for product, newer in inventory.replaced]
        notes.append(f"processed anew, and not used as it was: {_listed(replaced)}")
    unknown = [path for path, _ in inventory.unknown if not _is_prose(path)]
    if unknown:
        notes.append(f"no data, and not used: {_listed(unknown)}")
    return tuple(notes)


def _is_prose(path: str) -> bool:
    """Whether a file is for people to read, by its name; nobody takes it for data that were forgotten."""
    file = Path(path)
    return file.suffix.lower() in _PROSE or file.stem.casefold() in _OF_PEOPLE


def _of_sources(root: str) -> tuple[str, ...]:
    """What was told as data from elsewhere were gathered."""
    if f"{os.sep}{FOLDER}{os.sep}" not in root:
        return ()
    from knowflow.service.sources import notes_of

    return notes_of(root)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def left_out(catalogue: Catalogue) -> tuple[str, ...]:
    """The documents that have errors and are not used, each with its first."""
    first: dict[str, Problem] = {}
    for problem in (*catalogue.problems, *card_problems()):
        if problem.severity == "error":
            first.setdefault(problem.file, problem)
    return tuple(f"left out for its errors, which `knowflow check` tells: {problem}" for problem in first.values())
