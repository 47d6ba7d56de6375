"""Relations of how numbers are stored: layout, types, missing values, scale and offset, units, tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import rasterio

from knowflow_bench.metamorphic.relations.sheet import Sheet, rasters, read_sheet, rewritten, write_sheet
from knowflow_bench.metamorphic.relations.site import ROUNDED, Asked, Relation, Site

_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32")


def _rewriting(change: Callable[[Sheet, Site], Sheet]) -> Callable[[Site], Asked]:
    """A change of every raster of the folder, which leaves the question as it is."""

    def changed(site: Site) -> Asked:
        rewritten(site.folder, lambda sheet: change(sheet, site))
        return site.asked

    return changed


# --- layout --------------------------------------------------------------------------------------------------------


def _laid_out(**layout: Any) -> Callable[[Site], Asked]:
    return _rewriting(lambda sheet, site: replace(sheet, layout=layout))


def _compressed(sheet: Sheet, site: Site) -> Sheet:
    kinds: list[dict[str, Any]] = [
        {"compress": "lzw", "predictor": 2},
        {"compress": "zstd"},
        {"compress": "packbits"},
        {},
    ]
    if sheet.stored.dtype.kind == "f":
        kinds[0] = {"compress": "lzw", "predictor": 3}
    return replace(sheet, layout=site.chance.choice(kinds))


def _blocks(sheet: Sheet, site: Site) -> Sheet:
    if site.chance.random() < 0.5:
        return replace(sheet, layout={"blockysize": site.chance.choice([1, 3, 7])})
    width, height = site.chance.choice([(16, 16), (16, 48), (64, 32)])
    return replace(sheet, layout={"tiled": True, "blockxsize": width, "blockysize": height})


def _with_overviews(site: Site) -> Asked:
    """Overviews beside the pixels, made by another rule: of the nearest pixel, or of means."""
    from rasterio.enums import Resampling

    rule = site.chance.choice([Resampling.nearest, Resampling.average, Resampling.mode])
    for path in rasters(site.folder):
        with rasterio.open(path, "r+") as file:
            file.build_overviews([2, 4], rule)
    return site.asked


# --- types and missing values --------------------------------------------------------------------------------------


def _double(sheet: Sheet, site: Site) -> Sheet:
    kind = sheet.stored.dtype
    return sheet.with_stored(sheet.stored.astype(np.float64)) if kind.kind == "f" else sheet


def _wider(sheet: Sheet, site: Site) -> Sheet:
    kind = sheet.stored.dtype
    wide = {"uint8": ["int16", "uint16", "int32"], "uint16": ["int32", "uint32"], "int16": ["int32"]}.get(kind.name)
    return sheet if wide is None else sheet.with_stored(sheet.stored.astype(site.chance.choice(wide)))


def _another_nodata(sheet: Sheet, site: Site) -> Sheet:
    kind = sheet.stored.dtype
    if kind.kind == "f":
        fill = site.chance.choice([-9999.0, -32768.0, float(np.finfo(np.float32).min), 1e20, float("nan")])
    else:
        if sheet.nodata is None:
            return sheet
        taken, limits = set(np.unique(sheet.stored).tolist()), np.iinfo(kind)
        fill = float(next(one for one in (limits.max, limits.max - 1, limits.min) if one not in taken))
    filled = np.where(sheet.gaps, kind.type(fill), sheet.stored)
    return sheet.with_stored(filled, nodata=fill)


def _in_mask_bands(site: Site) -> Asked:
    """Gaps are said by a mask, inside of the file or beside it, over whatever numbers."""
    for path in rasters(site.folder):
        sheet = read_sheet(path)
        gaps = sheet.gaps.any(axis=0)
        here = sheet.stored[~sheet.gaps]
        under = here.flat[site.chance.randrange(here.size)] if here.size else 0
        plain = sheet.with_stored(np.where(sheet.gaps, under, sheet.stored).astype(sheet.stored.dtype), nodata=None)

        def masked(file: Any, gaps: Any = gaps) -> None:
            file.write_mask(~gaps)

        with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=site.chance.random() < 0.5):
            write_sheet(path, plain, masked)
    return site.asked


# --- scale, offset, units ------------------------------------------------------------------------------------------


def _as_integers(sheet: Sheet, site: Site) -> Sheet:
    """Floats as integers with scale and offset. The step is a power of two below which they have no digits, where
    there is one that the type can hold: then nothing is rounded."""
    if sheet.stored.dtype.kind != "f":
        return sheet
    values = sheet.values
    seen = values[np.isfinite(values)]
    step = _exact_step(seen)
    if step is None or not seen.size:
        return sheet
    low = float(np.floor(seen.min() / step) * step)
    count = (float(seen.max()) - low) / step
    kind = next((one for one in ("uint16", "int32") if count < np.iinfo(one).max - 1), None)
    if kind is None:
        return sheet
    fill = np.iinfo(kind).max
    numbers = np.where(np.isnan(values), fill, np.round((values - low) / step)).astype(kind)
    bands = len(values)
    written = replace(sheet, stored=numbers, nodata=float(fill), scales=(step,) * bands, offsets=(low,) * bands)
    said = site.chance.random() < 0.5  # in the tags as well, or in the header alone
    return written.tagged(SCALE=repr(step) if said else None, OFFSET=repr(low) if said else None)


def _exact_step(seen: Any) -> float | None:
    """The largest power of two that all numbers are multiples of."""
    if not seen.size:
        return None
    for power in range(8, -40, -1):
        step = 2.0**power
        if (seen / step == np.round(seen / step)).all():
            return step
    return None


_UNITS: Mapping[str, tuple[tuple[str, float, float], ...]] = {
    "K": (("degC", 1.0, -273.15), ("degF", 1.8, -459.67)),
    "degC": (("K", 1.0, 273.15), ("degF", 1.8, 32.0)),
    "m": (("km", 1e-3, 0.0), ("cm", 100.0, 0.0), ("ft", 1 / 0.3048, 0.0)),
    "mm": (("cm", 0.1, 0.0), ("m", 1e-3, 0.0)),
}
_OF_SHARES = ("percent", 100.0, 0.0)
_SHARES = ("surface_bidirectional_reflectance", "toa_bidirectional_reflectance", "cloud_probability")


def _in_another_unit(site: Site) -> Asked:
    """The same measurements in other units; all files of a layer in the same one."""
    chosen: dict[str, tuple[str, float, float]] = {}
    for path in rasters(site.folder):
        sheet = read_sheet(path)
        unit, quantity = sheet.tags.get("UNIT", ""), sheet.tags.get("QUANTITY", "")
        others = _UNITS.get(unit) or ((_OF_SHARES,) if quantity in _SHARES and unit == "1" else ())
        if others:
            name, times, plus = chosen.setdefault(quantity, site.chance.choice(others))
            write_sheet(path, _converted(sheet, name, times, plus))
    return site.asked


def _converted(sheet: Sheet, unit: str, times: float, plus: float) -> Sheet:
    if sheet.stored.dtype.kind == "f":
        values = (sheet.values * times + plus).astype(sheet.stored.dtype)
        nodata = sheet.nodata if sheet.nodata is not None else float("nan")
        return sheet.with_stored(np.where(sheet.gaps, nodata, values), nodata=nodata).tagged(UNIT=unit)
    scales = tuple(scale * times for scale in sheet.scales)
    offsets = tuple(offset * times + plus for offset in sheet.offsets)
    said = {"SCALE": repr(scales[0]), "OFFSET": repr(offsets[0])} if "SCALE" in sheet.tags else {}
    return replace(sheet, scales=scales, offsets=offsets).tagged(UNIT=unit, **said)


def _without_units(site: Site) -> str:
    known = {unit for layer in site.scene.layers for unit in [layer.unit or ""]}
    return "" if known & _UNITS.keys() or site.quantities & {*_SHARES} else "nothing in it has another unit"


# --- tags ----------------------------------------------------------------------------------------------------------


def _in_sidecars(site: Site) -> Asked:
    """Tags, names, scales and missing values beside the file, as GDAL's .aux.xml, and not in it."""
    for path in rasters(site.folder):
        sheet = read_sheet(path)
        bare = replace(sheet, tags={}, names=(None,) * len(sheet.names), scales=(1.0,) * len(sheet.scales))
        write_sheet(path, replace(bare, offsets=(0.0,) * len(sheet.offsets)))
        Path(f"{path}.aux.xml").write_text(_sidecar(sheet), encoding="utf-8")
    return site.asked


def _sidecar(sheet: Sheet) -> str:
    items = "".join(f"<MDI key={quoteattr(name)}>{escape(text)}</MDI>" for name, text in sheet.tags.items())
    bands = []
    for number, (name, scale, offset) in enumerate(zip(sheet.names, sheet.scales, sheet.offsets, strict=True), start=1):
        said = f"<Description>{escape(name)}</Description>" if name else ""
        if (scale, offset) != (1.0, 0.0):
            said += f"<Offset>{offset!r}</Offset><Scale>{scale!r}</Scale>"
        bands.append(f'<PAMRasterBand band="{number}">{said}</PAMRasterBand>')
    return f"<PAMDataset><Metadata>{items}</Metadata>{''.join(bands)}</PAMDataset>"


def _spelt_otherwise(sheet: Sheet, site: Site) -> Sheet:
    """The CRS as its definition, in another dialect and without its code."""
    from rasterio.crs import CRS

    kind = site.chance.choice(["WKT1_GDAL", "WKT2_2019"])
    return replace(sheet, crs=None if sheet.crs is None else CRS.from_wkt(sheet.crs.to_wkt(version=kind)))


STORAGE = (
    Relation("tiled", "tiled instead of striped", _laid_out(tiled=True, blockxsize=16, blockysize=16)),
    Relation("compressed", "compressed in another way, or not", _rewriting(_compressed)),
    Relation("blocks", "cut into blocks of another size", _rewriting(_blocks)),
    Relation("byte_order", "with the other byte order", _laid_out(ENDIANNESS="BIG", compress="deflate")),
    Relation("big_tiff", "as BigTIFF", _laid_out(BIGTIFF="YES", compress="deflate")),
    Relation("overviews", "with overviews", _with_overviews),
    Relation("float64", "in double precision", _rewriting(_double), ROUNDED),
    Relation("wider_integers", "in wider integers", _rewriting(_wider), ROUNDED),
    Relation("nodata_value", "with another value for what is missing", _rewriting(_another_nodata)),
    Relation("mask_band", "with a mask for what is missing", _in_mask_bands),
    Relation("scale_and_offset", "as integers with scale and offset", _rewriting(_as_integers), ROUNDED),
    Relation("units", "in other units", _in_another_unit, 2e-5, _without_units, columns=("unit",)),
    Relation("sidecar", "with tags beside the file", _in_sidecars),
    Relation("crs_spelling", "with the CRS spelt out", _rewriting(_spelt_otherwise)),
)
