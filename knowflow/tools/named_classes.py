"""Classes of a class map by their names."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.knowledge.legends import Legend, legend_calling, name_and_number, number_said, numbers_named
from knowflow.knowledge.legends import legend as legend_named
from knowflow.model.artifact import Artifact
from knowflow.tools.area import class_names, numbers_in, product_legend
from knowflow.tools.raster import Block, Output, map_blocks

_ANY_YEARS = 99  # as many classes as of a map of years of which nothing tells the last


def mask_of_class(raster: Artifact, name: str, output: Path, legend: str | None = None, quantity: str = "mask") -> None:
    """Write a mask (1 = a class of that name, 0 = another, 255 = no data) of a class map.

    Names are those of ``legend`` (such as esa_worldcover), else of the map itself (its tag CLASSES, or a file beside
    it), else of the well-known product that its layer or file name tells; ``forest`` finds all forests, and ``class 3``
    the class of that number. Raises ``MissingFactError``
    where nobody names the numbers, ``ToolError`` where no class has the name.
    """
    numbers = np.array(numbers_of(raster, name, legend))
    there: list[bool] = []

    def kernel(block: Block) -> NDArray[np.uint8]:
        found = np.isin(block.raw("raster"), numbers)
        there.append(bool(found.any()))
        return np.where(block.valid("raster"), found.astype(np.uint8), np.uint8(255))

    map_blocks(kernel, {"raster": raster}, Output.mask(output, quantity))
    if not any(there):
        _require_told_year(raster, name)


def _require_told_year(raster: Artifact, name: str) -> None:
    """Raises ``ToolError`` where no pixel is of a year, and a map of years of which nothing tells the first has only
    later ones."""
    names = class_names(raster)
    if not name.isdigit() or sum(map(str.isdigit, names.values())) < _ANY_YEARS:
        return
    occurring = numbers_in(raster)
    years = sorted(int(one) for number, one in names.items() if one.isdigit() and number in occurring)
    if years and int(name) < years[0]:
        raise ToolError(
            f"whether the map is of {name} nothing tells",
            where=raster.path,
            expected=f"a year from {years[0]} to {years[-1]}, which are those that occur",
            found=name,
            hint="ask of those, or name the file by all years that it is of: loss_year_2001_2022.tif",
        )


def _of_both(raster: Artifact, name: str, code: int, legend: str | None) -> tuple[int, ...]:
    """The number by which a class is named, where the map names its classes only if that is one of its name."""
    try:
        named = numbers_of(raster, name, legend)
    except MissingFactError:
        return numbers_of(raster, f"class {code}", legend)
    if code not in named:
        raise ToolError(
            f"{name!r} is not class {code} of the map",
            where=raster.path,
            expected=f"the number of {name!r}: {', '.join(map(str, named))}",
            found=str(code),
        )
    return (code,)


def numbers_of(raster: Artifact, name: str, legend: str | None = None) -> tuple[int, ...]:
    """The numbers that a class map has for the class of that name; see :func:`mask_of_class`."""
    if (both := name_and_number(name)) is not None:
        return _of_both(raster, *both, legend)
    occurring = cache(lambda: numbers_in(raster))
    own = class_names(raster)
    if legend is not None:
        known: Legend | None = legend_named(legend)
    elif (same := legend_calling(own)) is not None:
        known = same
    elif (found := numbers_named(own, name)) and raster.fact("quantity") != "scene_classification":
        return found
    else:
        known = product_legend(raster, occurring)
    names = own if known is None else known.called
    numbers = numbers_named(own, name) if known is None else known.numbers(name)
    if numbers:
        return numbers
    said = number_said(name)
    if said is not None and (said in names or said in occurring()):
        return (said,)
    if not names:
        raise MissingFactError(
            "what the numbers of the class map mean is unknown",
            where=raster.path,
            expected="names in its tag CLASSES or in a file beside it, a well-known legend, or a number",
            found=f"numbers only ({', '.join(map(str, sorted(occurring())[:12]))})",
            hint="set legend (esa_worldcover, corine, modis_igbp...), or name the class by its number: class 3",
        )
    raise ToolError(
        f"the class map has no class {name!r}",
        where=raster.path,
        expected=", ".join(f"{one} ({code})" for code, one in names.items()),
        found=name,
    )
