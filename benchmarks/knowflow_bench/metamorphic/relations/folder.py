"""Relations of the folder: names, links, sub-folders, stacks of bands, what lies beside the data, and years."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from knowflow_bench.metamorphic.relations.sheet import Sheet, rasters, read_sheet, write_sheet
from knowflow_bench.metamorphic.relations.site import Asked, Relation, Site

_YEARS = 4  # leap years stay leap years
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

_MEANINGLESS = "bcdfghjklmnpqrstvwxz"
_ORDER = tuple(random.Random("names").sample(range(256), 256))
_PUBLISHED = re.compile(r"WorldCover|CLC20|MCD12", re.IGNORECASE)
_CODED = re.compile(r"q((?:[bcdfghjklmnpqrstvwxz]{2})+)q")


def _renamed(site: Site) -> Asked:
    """Names that say nothing, in another order; what the files are, their tags say."""
    for path in rasters(site.folder):
        path.rename(path.with_name(f"{_coded(path.stem)}{path.suffix}"))
    return site.asked


def _coded(name: str) -> str:
    """A name in two consonants a letter, whose order is not that of the letters."""
    places = (divmod(_ORDER[letter], len(_MEANINGLESS)) for letter in name.encode())
    return "q" + "".join(_MEANINGLESS[a] + _MEANINGLESS[b] for a, b in places) + "q"


def _decoded(text: str) -> str:
    def name(match: re.Match[str]) -> str:
        letters = [_MEANINGLESS.index(one) for one in match[1]]
        places = [a * len(_MEANINGLESS) + b for a, b in zip(letters[::2], letters[1::2], strict=True)]
        return bytes(_ORDER.index(place) for place in places).decode()

    return _CODED.sub(name, text)


def _named_by_file(site: Site) -> str:
    """Why names say something: what the numbers of a published class map mean is told by its name alone."""
    told = [one.name for one in site.scene.layers if _PUBLISHED.search(one.name) and "CLASSES" not in one.tags]
    return f"the name of {told[0]} tells what its numbers mean" if told else ""


def _through_link(site: Site) -> Asked:
    """The folder is elsewhere, and a link to it stands here."""
    kept = site.folder.with_name("kept elsewhere")
    site.folder.rename(kept)
    site.folder.symlink_to(kept, target_is_directory=True)
    return site.asked


def _links_to_files(site: Site) -> Asked:
    kept = site.folder.with_name("kept elsewhere")
    site.folder.rename(kept)
    site.folder.mkdir()
    for path in kept.iterdir():
        (site.folder / path.name).symlink_to(path)
    return site.asked


def _in_folders(site: Site) -> Asked:
    """A folder for each layer."""
    for layer in site.scene.layers:
        below = site.folder / layer.name
        for path in rasters(site.folder):
            if path.parent == site.folder and (path.stem == layer.name or path.stem.startswith(f"{layer.name}_")):
                below.mkdir(exist_ok=True)
                path.rename(below / path.name)
    return site.asked


def _stacked(site: Site) -> Asked:
    """The bands of a date in one file, in another order."""
    for layer in site.scene.layers:
        if len(layer.bands) < 2:
            continue
        groups: dict[str, list[Path]] = {}
        for band in layer.bands:
            for path in rasters(site.folder):
                if path.stem.startswith(f"{layer.name}_") and path.stem.endswith(f"_{band}"):
                    groups.setdefault(path.stem.removesuffix(f"_{band}"), []).append(path)
        for stem, paths in groups.items():
            site.chance.shuffle(paths)
            sheets = [read_sheet(path) for path in paths]
            for path in paths:
                path.unlink()
            write_sheet(site.folder / f"{stem}.tif", _together(sheets))
    return site.asked


def _together(sheets: list[Sheet]) -> Sheet:
    first = sheets[0].tagged(BAND=None)
    return replace(
        first,
        stored=np.concatenate([sheet.stored for sheet in sheets]),
        scales=tuple(sheet.scales[0] for sheet in sheets),
        offsets=tuple(sheet.offsets[0] for sheet in sheets),
        names=tuple(sheet.names[0] for sheet in sheets),
    )


def _without_bands(site: Site) -> str:
    return "" if any(len(layer.bands) > 1 for layer in site.scene.layers) else "there are no bands to stack"


def _with_strangers(site: Site) -> Asked:
    """Files that are no answer to the question: texts, a picture of nothing, a raster of another quantity."""
    sheet = read_sheet(rasters(site.folder)[0])
    (site.folder / "readme.txt").write_text("all of it was measured twice\n", encoding="utf-8")
    (site.folder / "checksums.md5").write_text("d41d8cd98f00b204e9800998ecf8427e  a.tif\n", encoding="utf-8")
    (site.folder / ".cache.tif").write_bytes(b"")
    stranger = sheet.with_stored(np.full(sheet.stored.shape, 0.25, dtype=np.float32), nodata=None)
    stranger = replace(
        stranger, scales=(1.0,), offsets=(0.0,), names=(None,), tags={"QUANTITY": "ozone_column", "UNIT": "DU"}
    )
    write_sheet(site.folder / "ozone.tif", stranger.with_stored(stranger.stored * np.float32(1200)))
    return site.asked


def _other_years(site: Site) -> Asked:
    """All dates of the data and of the question some years later."""
    sheets = {path: read_sheet(path) for path in rasters(site.folder)}
    for path in sheets:
        path.unlink()
    for path, sheet in sheets.items():
        when = sheet.tags.get("DATETIME")
        moved = sheet if when is None else sheet.tagged(DATETIME=later(when))
        write_sheet(path if when is None else path.with_name(later(path.name)), moved)
    asked = site.asked
    query = None if asked.query is None else later(asked.query)
    return replace(asked, query=query, parameters={name: _later(value) for name, value in asked.parameters.items()})


def _later(value: Any) -> Any:
    if isinstance(value, str):
        return later(value)
    if isinstance(value, Mapping):
        return {name: _later(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_later(one) for one in value]
    return value


def later(text: str, years: int = _YEARS) -> str:
    """A text with its years moved on."""
    return _YEAR.sub(lambda match: str(int(match[0]) + years), text)


def _earlier(text: str) -> str:
    return later(text, -_YEARS)


def _undated(site: Site) -> str:
    named = [one.name for one in site.scene.layers if not one.dates and _YEAR.search(one.name)]
    if named:
        return f"{named[0]} is of a year that its name alone tells"
    return "" if any(layer.dates for layer in site.scene.layers) else "nothing has a date"


FOLDER = (
    Relation(
        "renamed", "under names that say nothing, in another order", _renamed, not_of=_named_by_file, back=_decoded
    ),
    Relation("linked", "through a link to the folder", _through_link),
    Relation("linked_files", "through links to the files", _links_to_files),
    Relation("sub_folders", "in a folder for each layer", _in_folders),
    Relation("stacked", "with the bands of a date in one file", _stacked, not_of=_without_bands),
    Relation("strangers", "with files beside that say nothing of it", _with_strangers),
    Relation("other_years", "some years later", _other_years, not_of=_undated, back=_earlier),
)
