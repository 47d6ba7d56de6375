"""What an item of STAC declares of an asset, held against the asset's own header."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as Xml

from affine import Affine

from knowflow.ground.report import Problem
from knowflow.reason.inventory.crs import canonical_or_none
from knowflow.reason.inventory.georeference import APART
from knowflow.reason.inventory.stac import placed
from knowflow.service.sources.items import Asset
from knowflow.tools.remote.headers import crs_of, size_of, transform_of

_TYPES = {"Byte": "uint8", "Int8": "int8"}
_FACTS = (("nodata", "NoDataValue"), ("scale", "Scale"), ("offset", "Offset"))
_AS_STATED = 1e-9


def disagreements(asset: Asset, root: Xml.Element) -> Iterator[Problem]:
    """Every fact that both an item and a header state, and state otherwise."""
    for fact, item, header in _differing(asset, root):
        yield Problem(
            "item_and_header",
            f"{fact} {item}, as item {asset.item.get('id')} says of {asset.key}",
            f"{fact} {header} in the header of {asset.address}",
            "leave the item out, or say which is right to whoever made it",
        )


def _differing(asset: Asset, root: Xml.Element) -> Iterator[tuple[str, Any, Any]]:
    crs, numbers = placed(asset.item, asset.said)
    own_crs = crs_of(root)
    header_crs = None if own_crs is None else canonical_or_none(own_crs)
    if crs is not None and header_crs is not None and crs != header_crs:
        yield "crs", crs, header_crs
    rows, columns = size_of(root)
    shape = asset.said.get("proj:shape")
    if isinstance(shape, list) and len(shape) == 2 and tuple(shape) != (rows, columns):
        yield "shape", tuple(shape), (rows, columns)
    transform = transform_of(root)
    if numbers is not None and transform is not None and _apart(Affine(*numbers), transform, rows, columns):
        yield "transform", tuple(numbers), tuple(transform)[:6]
    for number, band in enumerate(root.findall("VRTRasterBand")):
        yield from _of_band(asset.said, band, number)


def _of_band(said: Mapping[str, Any], band: Xml.Element, number: int) -> Iterator[tuple[str, Any, Any]]:
    listed = said.get("raster:bands") or said.get("bands") or ()
    own = listed[number] if isinstance(listed, list) and number < len(listed) else {}
    own = {**({} if number else said), **(own if isinstance(own, dict) else {})}
    kind = own.get("data_type")
    stored = band.get("dataType", "")
    if isinstance(kind, str) and kind != (found := _TYPES.get(stored, stored.lower())):
        yield "data type", kind, found
    for fact, tag in _FACTS:
        declared = own.get(fact, own.get(f"raster:{fact}"))
        text = band.findtext(tag)
        if isinstance(declared, int | float) and text is not None and not _same(float(declared), float(text)):
            yield fact, declared, text


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_AS_STATED, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))


def _apart(one: Affine, other: Affine, rows: int, columns: int) -> bool:
    """Whether a corner lies more than a tenth of a pixel apart."""
    for corner in ((0, 0), (columns, 0), (0, rows), (columns, rows)):
        x, y = ~other @ (one @ corner)
        if max(abs(x - corner[0]), abs(y - corner[1])) > APART:
            return True
    return False
