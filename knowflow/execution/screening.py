"""Files are looked at before their first use: values that cannot be what the file says of them go no further.

A file whose numbers are in another unit, were never scaled or hold undeclared nodata is wrong in no tool's eyes: every
tool would compute with it, and the answer would be wrong without a sign of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from knowflow.execution.probing import counted
from knowflow.ground.errors import KnowFlowError, MissingFactError, PreconditionError
from knowflow.model.artifact import Artifact, single_bands
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Check
from knowflow.model.verdict import Place, leaves, place_text
from knowflow.reason.repair.conventions import may_have_offset, offset_is_open
from knowflow.reason.repair.samples import Finding, Sample, ready_lines
from knowflow.reason.repair.spectra import exchanged, scenes_in
from knowflow.reason.repair.values import doubtful, implausible

# the facts that decide what stored numbers are taken for
_MEANING = (
    "quantity",
    "unit",
    "scale",
    "offset",
    "nodata",
    "valid_range",
    "mark",
    "palette",
    "dtype",
    "transform",
    "shape",
)
# tools that say or change what the numbers mean must be able to take those that are said wrong
_RESTATING = frozenset({"declare_mark", "declare_nodata", "declare_scale", "declare_unit", "leave_out_impossible"})


@dataclass(frozen=True, slots=True)
class _Look:
    """One file as it is now, with what is said of it."""

    identity: tuple[Any, ...]
    raster: Artifact = field(compare=False, hash=False)


def screen(schema: ToolSchema, arguments: Mapping[str, Any], where: str) -> tuple[Check, ...]:
    """Look at every raster among the arguments that comes from a file of the user's, as it is or restated.

    What is only doubtful of one is a check that neither holds nor fails.

    Raises:
        PreconditionError: the values of one cannot be what is said of them.
        MissingFactError: nobody says what turns its numbers into physical ones.
        UnreadableDataError: one cannot be read.
    """
    if schema.tool in _RESTATING:
        return ()
    doubts: list[Check] = []
    without_offset: list[Artifact] = []
    for name, value in arguments.items():
        for place, leaf in leaves((name,), value) if isinstance(value, Artifact) else ():
            if leaf.type != "raster" or leaf.path is None or not _of_the_user(leaf) or leaf.known("quantity") is None:
                continue
            condition = f"plausible({place_text(place)})"
            for band in single_bands(leaf):
                finding, further = _found(_look(band))
                if finding is not None:
                    raise _refusal(band, place, finding, where)
                without_offset += [band] if offset_is_open(band) else []
                doubts += [Check("before", condition, None, _doubt(band, doubt)) for doubt in further]
        for place, scene in scenes_in(name, value) if isinstance(value, Artifact) else ():
            finding = exchanged(scene, _sample_of_user)
            if finding is not None:
                raise _refusal(scene, place, finding, where)
    if without_offset and may_have_offset([_sample(_look(leaf)) for leaf in without_offset]):
        doubts.append(Check("before", "plausible(offset)", None, _either_offset(without_offset[0])))
    return tuple(doubts)


def _either_offset(leaf: Artifact) -> str:
    name = PurePath(leaf.path or leaf.name).name
    return (
        f"{name}: the scale is said and no offset, and it counts as 0; the values are possible with the -0.1 of "
        "Sentinel-2's newer and reprocessed products, too: say it with --assume offset=0, or --assume offset=-0.1"
    )


def _doubt(leaf: Artifact, finding: Finding) -> str:
    """What is doubtful of a file, and what to say of it if the doubt is right."""
    name, shown = PurePath(leaf.path or leaf.name).name, finding.evidence[0]
    if "nodata" not in finding.found:
        return f"{name}: {shown.what} {shown.found}, where {shown.expected} is possible; they count as they are"
    option = f"--assume '{name}:nodata={finding.found['nodata']:g}'"
    means = "".join(f" (their {one.what} is {one.found})" for one in finding.evidence[1:])
    return f"{name}: {shown.what} hold {shown.found}{means}; if it marks missing data, say so: {option}"


def _sample_of_user(band: Artifact) -> Sample | None:
    return _sample(_look(band)) if band.path is not None and _of_the_user(band) else None


def _of_the_user(leaf: Artifact) -> bool:
    """Whether a raster is a file of the user's, or one with only its meaning said again: behind one thing that is wrong
    with a file another may be hidden."""
    quantity = leaf.known("quantity")
    return leaf.key is None or (quantity is not None and quantity.source.partition(":")[0] in _RESTATING)


def _refusal(leaf: Artifact, place: Place, finding: Finding, where: str) -> KnowFlowError:
    """The error that says what is wrong; where only a factor is lacking, the one that asks for it."""
    condition, found = f"plausible({place_text(place)})", "; ".join(map(str, finding.evidence))
    name = PurePath(leaf.path or leaf.name).name
    if finding.found.get("choices"):
        return MissingFactError(
            f"nobody knows what the numbers of {leaf.name or leaf.path} stand for",
            where=where,
            expected=condition,
            found=found,
            hint=f"say it: {ready_lines(name, finding.found['choices'])}",
        )
    integers = str(leaf.fact("dtype") or "").startswith(("int", "uint"))
    if integers and leaf.known("scale") is None and finding.cause == "values_implausible":
        return MissingFactError(
            f"nobody knows the scale of {leaf.name or leaf.path}",
            where=where,
            expected=condition,
            found=found,
            hint="say it if you know it: --assume scale=VALUE (and offset=VALUE)",
        )
    return PreconditionError(
        f"the values of {leaf.name or leaf.path} cannot be what the file says",
        where=where,
        expected=condition,
        found=found,
        hint="say it right with --assume (unit, scale, offset, nodata, mark, quantity), or correct the file",
    )


def _look(raster: Artifact) -> _Look:
    status = os.stat(raster.path or "")
    said = tuple(repr(raster.known(name)) for name in _MEANING)
    return _Look((raster.path, raster.band, status.st_size, status.st_mtime_ns, status.st_ctime_ns, said), raster)


@lru_cache(maxsize=4096)
def _found(look: _Look) -> tuple[Finding | None, tuple[Finding, ...]]:
    """What is wrong with the values of a file, and what is doubtful of them."""
    return implausible(look.raster, _sample(look)), doubtful(look.raster, _sample(look))


@lru_cache(maxsize=16)
def _sample(look: _Look) -> Sample:
    return counted(look.raster)
