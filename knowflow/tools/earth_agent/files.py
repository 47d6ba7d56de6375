"""File names and lists as the published signatures have them, and as the raster core takes them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import read_artifact
from knowflow.tools.raster import sample_statistics
from knowflow.tools.raster.source import handles

Raster = Artifact | str | Path
Series = Sequence[Raster] | Raster
Paths = Path | str | Sequence[Path | str]
PICTURES = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}
LARGEST_REFLECTANCE = 2.0
COLDEST_KELVIN = 130.0


def raster(source: Raster, compat: bool = False, band: int | None = None) -> Artifact:
    """A raster by artifact or file name; ``band`` (1-based) where one is meant, else the first of several.

    ``compat``: numbers as stored, and no value means "no data", as the published tools read them.
    """
    found = source if isinstance(source, Artifact) else read_artifact(Path(source), "raster")
    chosen = band if band is not None else found.band
    if chosen is None and band_count(found) > 1:
        chosen = 1
    if compat:
        stored = Facts.of(Origin.USER, "compat", scale=1.0, offset=0.0, nodata=math.nan)
        return Artifact("raster", stored, found.name, found.path, chosen)
    return replace(found, band=chosen)


def whole(source: Raster, compat: bool = False) -> Artifact:
    """A raster with all its bands."""
    return replace(raster(source, compat), band=None)


def band_count(artifact: Artifact) -> int:
    known = artifact.fact("count")
    if isinstance(known, int):
        return known
    with handles() as opened:
        return int(opened.get(str(artifact.path)).count)


def items(source: Series) -> tuple[Raster, ...]:
    """One file or many, as many."""
    if isinstance(source, Artifact):
        return source.items or (source,)
    if isinstance(source, (str, Path)):
        return (source,)
    return tuple(source)


def series(source: Series, compat: bool = False, band: int | None = None) -> tuple[Artifact, ...]:
    """:func:`raster` of each of one or many."""
    found = tuple(raster(item, compat, band) for item in items(source))
    if not found:
        raise ToolError("there is no file to work on", expected="at least one file", found="an empty list")
    return found


def rows(lists: Mapping[str, Series], compat: bool = False) -> list[dict[str, Raster]]:
    """Parallel lists of files as one row per scene.

    Lists of different lengths are an error: which files belong together is then unknown. ``compat`` cuts them to the
    shortest, as the published tools do.
    """
    columns = {name: items(files) for name, files in lists.items()}
    lengths = {name: len(files) for name, files in columns.items()}
    if len(set(lengths.values())) > 1 and not compat:
        raise ToolError(
            "the lists of files have different lengths",
            expected="one file per scene in each list",
            found=", ".join(f"{name}: {length}" for name, length in lengths.items()),
            hint="which file belongs to which scene cannot be told: give every list in the same order and length",
        )
    if not min(lengths.values()):
        raise ToolError("there is no file to work on", expected="at least one file", found="an empty list")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=False)]


def targets(outputs: Paths, sources: Sequence[Raster], compat: bool = False) -> list[Path]:
    """Where the results of a batch go: the names given, or, in the folder given, a name for each scene in order."""
    if isinstance(outputs, (str, Path)):
        folder, width = Path(outputs), len(str(len(sources)))
        return [folder / f"{number:0{width}d}_{_stem(item)}.tif" for number, item in enumerate(sources, start=1)]
    named = [Path(item) for item in outputs]
    if len(named) != len(sources) and not (compat and len(named) > len(sources)):
        raise ToolError(
            "there must be one output for each scene", expected=f"{len(sources)} names", found=f"{len(named)}"
        )
    return named[: len(sources)]


def _stem(source: Raster) -> str:
    return Path(str(source.path if isinstance(source, Artifact) else source)).stem


def reflectance(source: Raster, compat: bool = False) -> Artifact:
    """A band in reflectance, 0 to 1.

    Raises ``MissingFactError`` where the scale is not known and the numbers cannot be reflectances.
    """
    found = raster(source, compat)
    return found if compat else _plausible(found, -math.inf, LARGEST_REFLECTANCE, "reflectance", "scale=0.0001")


def kelvin(source: Raster, compat: bool = False) -> Artifact:
    """A temperature in kelvin; its unit, where it is another one, is known, and values are plausible."""
    found = raster(source, compat)
    unit = found.fact("unit")
    if compat or (unit is not None and unit != "K"):
        return found
    return _plausible(found, COLDEST_KELVIN, 2000.0, "a temperature in kelvin", "unit=degC, or scale=0.02")


def _plausible(found: Artifact, low: float, high: float, what: str, assumption: str) -> Artifact:
    statistics = sample_statistics(found)
    if statistics.finite and not low <= statistics.mean <= high:
        raise MissingFactError(
            f"the numbers are not {what}, and their scale is not known",
            where=found.path,
            expected=f"values up to {high:g}" if low == -math.inf else f"values from {low:g} to {high:g}",
            found=f"{statistics.minimum:.6g} to {statistics.maximum:.6g}",
            hint=f"write scale and offset into the file, or say them: --assume {assumption}",
        )
    return found


@contextmanager
def picture(output: Path | str) -> Iterator[Path]:
    """A path to write a GeoTIFF to; where the output is named as a picture, it is converted at the end."""
    wanted = Path(output)
    driver = PICTURES.get(wanted.suffix.lower())
    if driver is None:
        yield wanted
        return
    from rasterio.shutil import copy

    wanted.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=wanted.parent) as folder:
        written = Path(folder) / f"{wanted.stem}.tif"
        yield written
        copy(written, Path(folder) / wanted.name, driver=driver)
        (Path(folder) / wanted.name).replace(wanted)
