"""The facts of what a tool wrote: read from the file, and implied by the tool's effects, brought together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from knowflow.execution.handover import bands_of
from knowflow.ground.errors import EffectError, UnitError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import normalise
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.facts import GRID_FACTS, Facts, Origin
from knowflow.model.tool import ToolSchema

_SMALL = 2  # upper end of a range in which whole numbers tell next to nothing
_WITH_HEADERS = ("raster", "vector", "table")
_STORAGE = frozenset({*GRID_FACTS, "count", "dtype", "nodata", "scale", "offset"})


def written_artifact(schema: ToolSchema, output: str, path: Path, predicted: Artifact, where: str) -> Artifact:
    """An output file as an artifact.

    Raises:
        EffectError: the file was not written, or contradicts what the effects say of quantity, unit, CRS or grid.
    """
    if not path.exists():
        raise EffectError(f"{schema.tool} did not write its output", where=where, expected=output, found="no file")
    if predicted.type == "raster_series":
        return _written_series(schema, output, path, predicted, where)
    if predicted.type == "band_set":
        whole = written_artifact(schema, output, path, replace(predicted, type="raster"), where)
        return replace(predicted, members=bands_of(whole), facts=whole.facts.without(("bands", "count")))
    if predicted.type not in _WITH_HEADERS:
        return replace(predicted, path=str(path))
    from knowflow.reason.inventory import read_artifact  # heavy, and needed for what has a header only

    found = read_artifact(path, predicted.type)
    facts = agreed(schema, output, predicted.facts, found.facts, where)
    return replace(found, type=predicted.type, name=predicted.name, path=str(path), facts=facts, key=None)


def _written_series(schema: ToolSchema, output: str, folder: Path, predicted: Artifact, where: str) -> Artifact:
    """The rasters in a folder as a series, in the order of their names; what is implied holds of each."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    if not files:
        raise EffectError(f"{schema.tool} wrote no raster of its series", where=where, expected=output, found="no file")
    each = replace(predicted, type="raster")
    items = (replace(written_artifact(schema, output, file, each, where), name=file.stem) for file in files)
    return replace(predicted, items=tuple(items))


def agreed(schema: ToolSchema, output: str, implied: Facts, read: Facts, where: str) -> Facts:
    """Implied facts and read ones: what was measured wins, unless it shows that the tool broke a promise."""
    for name in ("quantity", "unit", "crs", "grid"):
        promised, found = implied.value(name), read.value(name)
        if promised is None or found is None or _same(name, promised, found):
            continue
        raise EffectError(
            f"{schema.tool} wrote another {name} than its effects say",
            where=where,
            expected=f"{name}({output}) == {promised}",
            found=str(found),
            hint=f"the schema of {schema.tool} and its implementation disagree",
        )
    _refuse_lost_decimals(schema, output, implied, read, where)
    # how numbers are stored is for the file to say, whatever its origin; the block writer, which measures as it
    # writes, is silent about a scale of one
    if "finite_fraction" in read and "scale" not in read:
        read = Facts.of(Origin.MEASURED, "header", scale=1.0, offset=0.0).over(read)
    own = read.only([name for name, fact in read.items() if fact.origin is Origin.MEASURED or name in _STORAGE])
    concrete = implied.without([name for name, fact in implied.items() if _is_symbolic(fact.value)])
    return own.over(concrete.over(read))


def _refuse_lost_decimals(schema: ToolSchema, output: str, implied: Facts, read: Facts, where: str) -> None:
    """Refuse an index or a share in whole numbers that have no scale: all that it could tell was cut off."""
    kind = quantity_kinds().get(str(implied.value("quantity")))
    if kind is None or kind.categorical or kind.range[1] is None or kind.range[1] > _SMALL:
        return
    dtype = str(read.value("dtype") or "")
    scales = read.value("scale"), implied.value("scale")
    if dtype.startswith(("int", "uint")) and all(scale in (None, 1) for scale in scales) and scales[1] == 1:
        raise EffectError(
            f"{schema.tool} wrote {kind.name} in whole numbers",
            where=where,
            expected=f"decimals in {output}, or a scale: {kind.name} lies in {kind.range[0]}..{kind.range[1]:g}",
            found=dtype,
            hint=f"the implementation of {schema.tool} writes the wrong data type",
        )


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, str) and geo.symbolic(value)


def _same(name: str, promised: Any, found: Any) -> bool:
    if _is_symbolic(promised) or promised == found:
        return True
    if name == "quantity":
        return str(promised).casefold() == str(found).casefold()
    if name == "unit":
        try:
            return normalise(promised) == normalise(found)
        except UnitError:
            return False
    if name == "crs":
        return geo.same_crs(promised, found)
    return False
