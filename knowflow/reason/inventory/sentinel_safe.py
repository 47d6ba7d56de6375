"""Sentinel-2 products in ``.SAFE`` folders: how stored numbers become reflectance, from the product's own metadata.

Since processing baseline 04.00 (25 January 2022) stored numbers carry an offset, which the metadata state per band:
reflectance = (number + offset) / quantification. Source: https://sentiwiki.copernicus.eu/web/s2-products
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from knowflow.ground.errors import UnreadableDataError
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.band_names import canonical_sensor
from knowflow.reason.inventory.dates import iso_datetime

METADATA = re.compile(r"MTD_MSIL(1C|2A)\.xml", re.IGNORECASE)
TILE_METADATA = "MTD_TL.xml"
# the order in which the metadata number the bands
_BAND_IDS = ("B01", "B02", "B03", "B04", "B05", "B06", "B07", "B08", "B8A", "B09", "B10", "B11", "B12")
_BASELINE_IN_NAME = re.compile(r"_N(\d{4})_R\d{3}_", re.IGNORECASE)
_FIRST_WITH_OFFSET = 400
_QUANTIFICATION = ("BOA_QUANTIFICATION_VALUE", "QUANTIFICATION_VALUE")
_OFFSETS = ("BOA_ADD_OFFSET", "RADIO_ADD_OFFSET")
_OF_NO_LAYERS = frozenset({"QI_DATA", "AUX_DATA", "DATASTRIP", "HTML", "REP_INFO"})  # folders
_PREVIEWS = ("PVI", "PREVIEW", "QUICKLOOK", "-QL")
_OF_LAYERS = {"AOT": "AOT_QUANTIFICATION_VALUE", "WVP": "WVP_QUANTIFICATION_VALUE"}


def safe_folder(path: Path) -> Path | None:
    """The ``.SAFE`` folder a file lies in."""
    return _safe_around(path.parent)


@lru_cache(maxsize=1024)
def _safe_around(folder: Path) -> Path | None:
    return next((place for place in (folder, *folder.parents) if place.suffix.casefold() == ".safe"), None)


def by_baseline(path: Path) -> Facts:
    """How an image is stored, where the name of its file or of a folder holds the processing baseline of a product."""
    for name in (path.name, *(parent.name for parent in path.parents)):
        named = _BASELINE_IN_NAME.search(name)
        if named is not None:
            scale, offset = stored_by_baseline(int(named[1]))
            return Facts.of(Origin.DECLARED, f"processing baseline in {name}", scale=scale, offset=offset)
    return Facts()


def stored_by_baseline(baseline: int) -> tuple[float, float]:
    """The scale and offset of reflectance of a processing baseline, which is told in hundredths."""
    return 0.0001, -0.1 if baseline >= _FIRST_WITH_OFFSET else 0.0


def is_image(path: Path) -> bool:
    """Whether a file in a ``.SAFE`` folder is one of the product's layers, not a preview, report or detector mask."""
    around = {part.upper() for part in path.parts[:-1]}
    name = path.name.upper()
    layer = name.startswith("MSK_CLDPRB") or not (around & _OF_NO_LAYERS or any(word in name for word in _PREVIEWS))
    return layer and path.suffix.casefold() in (".jp2", ".tif", ".tiff")


def sun_facts(metadata: Path) -> Facts:
    """The sun's mean position over a granule, from its own metadata (``MTD_TL.xml``).

    Raises ``UnreadableDataError`` for a file that is not XML.
    """
    values = {
        f"{parent.tag}/{child.tag}": _number((child.text or "").strip())
        for parent in _parsed(metadata).iter()
        if parent.tag == "Mean_Sun_Angle"
        for child in parent
    }
    zenith = values.get("Mean_Sun_Angle/ZENITH_ANGLE")
    return Facts.of(
        Origin.DECLARED,
        metadata.name,
        sun_elevation=None if zenith is None else 90.0 - zenith,
        sun_azimuth=values.get("Mean_Sun_Angle/AZIMUTH_ANGLE"),
    )


def _parsed(metadata: Path) -> ElementTree.Element:
    try:
        return ElementTree.parse(metadata).getroot()
    except (ElementTree.ParseError, OSError) as error:
        raise UnreadableDataError(
            f"{metadata.name} cannot be read",
            where=str(metadata),
            expected="metadata of a Sentinel-2 product, as XML",
            found=str(error),
            hint="unpack the product again",
        ) from error


class SafeMetadata:
    """The product metadata of one ``.SAFE`` folder, or what its name says where the metadata are missing."""

    def __init__(self, folder: Path, metadata: Path | None) -> None:
        self._folder = folder
        self._values: dict[str, str] = {}
        self._offsets: dict[str, float] = {}
        self._source = folder.name if metadata is None else metadata.name
        if metadata is not None:
            self._read(metadata)

    def _read(self, metadata: Path) -> None:
        root = _parsed(metadata)
        for element in root.iter():
            name, text = element.tag.rpartition("}")[2], (element.text or "").strip()
            if name in _OFFSETS:
                number, offset = element.get("band_id", ""), _number(text)
                if offset is not None and number.isdigit() and int(number) < len(_BAND_IDS):
                    self._offsets[_BAND_IDS[int(number)]] = offset
            elif text:
                self._values.setdefault(name, text)

    def facts(self, band: str | None, layer: str | None) -> Facts:
        """What the product says of one of its images: a band (``B04``) or another layer (``AOT``)."""
        clouds = self._number("Cloud_Coverage_Assessment")
        spacecraft = self._values.get("SPACECRAFT_NAME")
        facts = Facts.of(
            Origin.DECLARED,
            self._source,
            sensor=canonical_sensor(spacecraft) if spacecraft else None,
            datetime=iso_datetime(self._values.get("DATATAKE_SENSING_START", "")),
            cloud_fraction=None if clouds is None else clouds / 100,
        )
        if band is None:
            quantification = self._number(_OF_LAYERS.get((layer or "").upper(), ""))
            scale = None if not quantification else 1 / quantification
            return Facts.of(Origin.DECLARED, self._source, scale=scale).over(facts)
        return self._reflectance(band).over(facts)

    def _reflectance(self, band: str) -> Facts:
        quantification = next((found for name in _QUANTIFICATION if (found := self._number(name))), None)
        if quantification:
            told = self._offsets or {band.upper(): 0.0}
            offset = told.get(band.upper()) if len({*told.values()}) > 1 else next(iter(told.values()))
            stored = None if offset is None else offset / quantification
            return Facts.of(Origin.DECLARED, self._source, scale=1 / quantification, offset=stored)
        return by_baseline(self._folder)

    def _number(self, name: str) -> float | None:
        return _number(self._values.get(name, ""))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
