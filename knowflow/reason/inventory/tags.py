"""What the metadata items of a raster state: quantity, unit, date, band, scale, and statistics of its pixels."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from knowflow.ground import units
from knowflow.ground.bands import called_twice
from knowflow.ground.cubes import ALONG, HEIGHT, TIME
from knowflow.ground.errors import UnitError
from knowflow.ground.json_text import json_value
from knowflow.ground.kept import kept
from knowflow.ground.moments import moment
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.model.facts import STORED_STATISTICS, Facts, Origin
from knowflow.reason.inventory.band_names import canonical_sensor
from knowflow.reason.inventory.dates import days_of, iso_datetime
from knowflow.reason.inventory.spans import Span

Tags = Mapping[str, str]

# spellings that are canonical already: the common case does not load the unit library
_CANONICAL_UNITS = frozenset(
    {"1", "K", "m", "mm", "cm", "km", "degC", "%", "dB", "m2", "km2", "degree", "m s-1", "W m-2"}
)
# tags that describe a layer in words: those of CF, and those of other programs
_IN_WORDS = (
    *("LONG_NAME", "TITLE", "DESCRIPTION", "STANDARD_NAME"),
    *("TIFFTAG_IMAGEDESCRIPTION", "GRIB_COMMENT", "NETCDF_VARNAME"),
)
_UNITS = ("UNITS", "GRIB_UNIT")
_CELL_METHOD = re.compile(r"\btime\s*:\s*([a-z_]+)", re.IGNORECASE)
_OVER_TIME = frozenset({"mean", "maximum", "minimum", "median", "sum"})
_TAKEN_OFF = re.compile(r"-\s*add_offset", re.IGNORECASE)
_OF_CLASS = re.compile(r"(?:CLASS|CLASSE|KLASSE|CATEGORY|VALUE|LABEL|LEGEND|CODE)[ _]?(?:NAME[ _]?)?(\d{1,5})")
_LEGENDS = ("LEGEND", "CLASSES", "CLASS_NAMES", "CATEGORIES", "CLASS_LEGEND", "LEGENDE", "LABELS")
_CLASS_IN_TEXT = re.compile(r"(?<![\w.])(\d{1,5})\s*[=:\-]\s*([^\d,;|\n=:](?:(?!\s\d{1,5}\s*[=:])[^,;|\n=:])*)")
_CLASS_AND_NAME = re.compile(r"\s*(\d{1,5})\s+([^\W\d_][^=:]*?)\s*")
_MOST_LETTERS = 120
AXES, VARIABLE = "the axes of the file", "the name of the variable"
_DATES = (
    *("DATE_ACQUIRED", "ACQUISITION_DATE", "SENSING_DATE", "SENSING_TIME", "DATE_OF_ACQUISITION", "OBSERVATION_DATE"),
    *("IMAGE_DATE", "SURVEY_DATE", "FLIGHT_DATE", "DATE_TIME", "DATE"),
)
# tags in which files state the first and the last day of what they hold, and both in one
_ENDS = (
    *(("START_DATE", "END_DATE"), ("TIME_COVERAGE_START", "TIME_COVERAGE_END"), ("DATE_START", "DATE_END")),
    *(("RANGEBEGINNINGDATE", "RANGEENDINGDATE"), ("START_TIME", "END_TIME"), ("PERIOD_START", "PERIOD_END")),
    *(("FIRST_DATE", "LAST_DATE"), ("BEGIN_DATE", "END_DATE"), ("DATE_FROM", "DATE_TO")),
)
_BOTH_ENDS = ("PERIOD", "TEMPORAL_COVERAGE", "TIME_RANGE", "DATE_RANGE", "TEMPORAL_EXTENT", "TIMESPAN", "DATES")
_BETWEEN = re.compile(r"\s*(?:/|\bto\b|\.\.|\s[-\u2013]\s|\bbis\b|,)\s*")
_ONE_YEAR = 366
_ADDED_UP = "integral_wrt_time_of_"  # CF conventions: the standard name of what a rate adds up to
_CHANNEL = re.compile(r"(?<![A-Za-z0-9])[VH][VH](?![A-Za-z0-9])")  # of a radar: coh_IW2_VV_11May2023
_OF_TWO = re.compile(r"ratio|diff|change|minus|over|[/*]", re.IGNORECASE)
_ALONG_NETCDF = "NETCDF_DIM_"
_YES, _NO = frozenset({"1", "yes", "true"}), frozenset({"0", "no", "false"})


def tag_facts(tags: Tags, band_tags: Tags, unit: str | None = None, description: str | None = None) -> Facts:
    """Facts that dataset tags and the tags of one band declare; the band's go before the dataset's.

    ``unit`` and ``description`` are those of GDAL's band header; a description may name the band. A quantity or unit
    that nobody knows says nothing.
    """
    said = {name.upper(): value for name, value in {**tags, **band_tags}.items() if value}
    found: dict[str, tuple[Any, str]] = {}
    for fact, (tag, read) in _READERS.items():
        value = read(said[tag]) if tag in said else None
        if value is not None:
            found[fact] = (value, tag)
    written = {"of the band's unit": unit or "", "UNIT": said.get("UNIT", "")}
    written |= {tag.casefold(): said.get(tag, "").strip().strip("[]") for tag in _UNITS}  # of netCDF and GRIB
    for source, text in written.items() if "unit" not in found else ():
        if text and (spelt := unit_of(text)) is not None:
            found["unit"] = (spelt, source)
            break
    counted = next(filter(None, written.values()), "")
    if counted and "unit" not in found:
        found["told_unit"] = (counted, "of a unit")
    if "quantity" not in found and "STANDARD_NAME" in said:
        told = found["unit"][0] if "unit" in found else None
        found["quantity"] = (
            _over_a_span(said["STANDARD_NAME"], told) or quantity_of(said["STANDARD_NAME"]),
            "STANDARD_NAME",
        )
    if "band" not in found and description:
        channels = set() if _OF_TWO.search(description) else set(_CHANNEL.findall(description))
        name = channels.pop() if len(channels) == 1 else called_twice(description) or description
        found["band"] = (name, "of the band's description")
    if "classes" not in found and (named := _named_classes(said)) is not None:
        found["classes"] = named
    for name in _DATES if "datetime" not in found else ():
        if name in said and (day := iso_datetime(said[name])) is not None:
            found["datetime"] = (day, name)
            break
    if "datetime" not in found and (days := _told_span(said)) is not None:
        found["span"] = (days, "of its first and last date")
        if Span(*days).days <= _ONE_YEAR:
            found["datetime"] = (str(Span(*days).moment), "of its first and last date")
    elif "datetime" in found and (days := days_of(said[found["datetime"][1]])) is not None:
        found["span"] = (days, found["datetime"][1])
    facts = Facts()
    for fact, (value, tag) in found.items():
        facts = Facts.of(Origin.DECLARED, f"tag {tag}", **{fact: value}).over(facts)
    return facts


def packing(tags: Tags, band_tags: Tags, dtype: str) -> Facts:
    """Scale, offset and missing number as netCDF files are told them; decimal numbers have been unpacked already.

    Source: CF conventions 1.11, section 8.1.
    """
    if not dtype.startswith(("int", "uint")):
        return Facts()
    said = {name.upper(): value for name, value in {**tags, **band_tags}.items() if value}
    scale, offset = _number(said.get("SCALE_FACTOR")), _number(said.get("ADD_OFFSET"))
    return Facts.of(
        Origin.DECLARED,
        "tags of a netCDF file",
        scale=scale,
        offset=offset if scale is None or offset is None else offset_after(scale, offset, tags),
        nodata=_number(said.get("_FILLVALUE") or said.get("MISSING_VALUE")),
    )


def offset_after(scale: float, offset: float, tags: Tags) -> float:
    """The offset that is added after scaling, of one that the tags of a file may say is taken off before it, as is
    usual in HDF4 and done by the atmosphere products of MODIS: ``scale * (stored - offset)``.

    Source: SDsetcal in the HDF4 User's Guide, release 4.2, and the attribute Slope_and_Offset_Usage of these files.
    """
    usage = next((value for name, value in tags.items() if name.upper() == "SLOPE_AND_OFFSET_USAGE"), "")
    return -scale * offset if offset and _TAKEN_OFF.search(usage) else offset


def words_in(tags: Tags, band_tags: Tags, description: str | None) -> Facts:
    """What nobody counts as a fact and what may speak for some: the words that a header has for a band, and the range
    that another program says its numbers have."""
    said = {name.upper(): value for name, value in {**tags, **band_tags}.items() if value}
    texts = [description, *(said.get(name) for name in _IN_WORDS)]
    kept = dict.fromkeys(text.strip()[:_MOST_LETTERS] for text in texts if text and text.strip())
    low, high = (_number(band_tags.get(f"STATISTICS_{name}")) for name in ("MINIMUM", "MAXIMUM"))
    return Facts.of(
        Origin.DECLARED,
        "header",
        described=tuple(kept) or None,
        stated_range=None if low is None or high is None else (low, high),
    )


def pixel_facts(tags: Tags, band_tags: Tags) -> Facts:
    """Statistics that the block writer stored as it wrote the pixels; they are of physical numbers.

    Those of other programs are not believed: they stay in a file whose pixels are changed later, and a copy or a part
    of a file carries those of the whole.
    """
    if "KNOWFLOW_FINITE_FRACTION" not in {*tags, *band_tags}:
        return Facts()
    low, high, mean, std = (
        _number(band_tags.get(f"STATISTICS_{name}")) for name in ("MINIMUM", "MAXIMUM", "MEAN", "STDDEV")
    )
    share = _number(band_tags.get("STATISTICS_VALID_PERCENT"))
    return Facts.of(
        Origin.MEASURED,
        STORED_STATISTICS,
        value_range=None if low is None or high is None else (low, high),
        mean=mean,
        std=std,
        valid_fraction=None if share is None else share / 100,
        finite_fraction=_number(band_tags.get("KNOWFLOW_FINITE_FRACTION") or tags.get("KNOWFLOW_FINITE_FRACTION")),
        histogram=_histogram(band_tags.get("KNOWFLOW_HISTOGRAM") or tags.get("KNOWFLOW_HISTOGRAM")),
    )


def slice_facts(tags: Tags, band_tags: Tags) -> Facts:
    """Where a band of a cube lies along its axes, or lay before it was converted."""
    found = {fact: band_tags.get(tag) for fact, tag in (("slice", ALONG), ("height", HEIGHT), ("datetime", TIME))}
    found["datetime"] = found["datetime"] or _time_of(tags, band_tags)
    return Facts.of(Origin.DECLARED, AXES, **found)


def _told_span(said: Tags) -> tuple[str, str] | None:
    """The first and last day that tags state, in two of them or in one."""
    pairs = [(said[first], said[last]) for first, last in _ENDS if first in said and last in said]
    pairs += [(ends[0], ends[1]) for name in _BOTH_ENDS if len(ends := _BETWEEN.split(said.get(name, ""))) == 2]
    for first, last in pairs:
        begin, end = iso_datetime(first), iso_datetime(last)
        if begin is not None and end is not None:
            days = begin[:10], (days_of(last) or (end, end[:10]))[1]
            if days[0] < days[1]:
                return days
    return None


def _time_of(tags: Tags, band_tags: Tags) -> str | None:
    """The time at which a band lay on an axis of the netCDF file that GDAL made a raster of."""
    for name, value in band_tags.items():
        axis = name.removeprefix(_ALONG_NETCDF)
        units = tags.get(f"{axis}#units", "")
        if axis != name and (time := moment(value, units, tags.get(f"{axis}#calendar", ""))) is not None:
            return time
    return None


def quantity_of(text: str) -> str | None:
    """The quantity kind of that name, or of that CF standard name where only one kind has it."""
    name = text.strip().casefold()
    if name in quantity_kinds():
        return name
    return _cf_names().get(name)


def _over_a_span(text: str, unit: str | None) -> str | None:
    """What CF calls that which a rate adds up to over a span of time, where its numbers are told in the unit of that:
    radiation in J m-2, by the name of the flux."""
    rate, added = (quantity_kinds().get(str(quantity_of(f"{begin}{text.strip()}"))) for begin in ("", _ADDED_UP))
    if unit is None or rate is None or added is None:
        return None
    return added.name if compatible(unit, added.unit) and not compatible(unit, rate.unit) else None


@kept()
def _cf_names() -> Mapping[str, str]:
    listed: dict[str, list[str]] = {}
    for kind in quantity_kinds().values():
        if kind.cf_name:
            listed.setdefault(kind.cf_name, []).append(kind.name)
    return {name: kinds[0] for name, kinds in listed.items() if len(kinds) == 1}


_OF_CARBON = re.compile(r"(?<![A-Za-z])([kMTPm]?g|t)[ _.]?C(?![A-Za-z])")
_OF_WATER = re.compile(r"\s*(?:of )?water[ _]equivalent$", re.IGNORECASE)


@lru_cache(maxsize=256)
def unit_of(text: str) -> str | None:
    """The unit in its canonical spelling, or None where it is none."""
    text = _OF_CARBON.sub(r"\1", _OF_WATER.sub("", text))  # of what it is so much, the quantity says
    if text in _CANONICAL_UNITS:
        return text
    try:
        return units.normalise(text)
    except UnitError:
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _histogram(text: str | None) -> tuple[tuple[float, ...], tuple[int, ...]] | None:
    try:
        edges, counts = json_value(text or "null")
        return tuple(float(edge) for edge in edges), tuple(int(count) for count in counts)
    except (TypeError, ValueError):
        return None


def _classes(text: str) -> tuple[tuple[int, str], ...] | None:
    try:
        return tuple(sorted((int(code), str(name)) for code, name in json_value(text).items())) or None
    except (AttributeError, TypeError, ValueError):
        return None


def _named_classes(said: Tags) -> tuple[tuple[tuple[int, str], ...], str] | None:
    """What classes are called, and the tags that say it: one for each (``CLASS_1``), one that lists them
    (``1=forest, 2=water``, ``1=forest 2=water``), or those of CF.

    Source: CF conventions 1.11, section 3.5.
    """
    each = {int(found[1]): text.strip() for name, text in said.items() if (found := _OF_CLASS.fullmatch(name))}
    if len(each) > 1 and all(any(letter.isalpha() for letter in text) for text in each.values()):
        return tuple(sorted(each.items())), "of each class"
    for name in _LEGENDS:
        of_json = _classes(said.get(name, ""))
        if of_json is not None and len(of_json) > 1:
            return of_json, name
        listed = _CLASS_IN_TEXT.findall(said.get(name, ""))
        if len(listed) > 1:
            return tuple(sorted((int(code), text.strip()) for code, text in listed)), name
        each_told = [_CLASS_AND_NAME.fullmatch(part) for part in re.split(r"[,;|\n]", said.get(name, ""))]
        if len(each_told) > 1 and all(each_told):  # 1 not water, 2 water
            return tuple(sorted((int(one[1]), one[2]) for one in each_told if one)), name
    codes = re.findall(r"-?\d+", said.get("FLAG_VALUES", ""))
    names = said.get("FLAG_MEANINGS", "").split()
    if len(codes) == len(names) > 1:
        return tuple((int(code), text) for code, text in zip(codes, names, strict=True)), "FLAG_MEANINGS"
    return None


def _pair(text: str) -> tuple[float, float] | None:
    numbers = [_number(part) for part in text.strip("()[] ").split(",")]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and numbers[0] and numbers[1] else None


def _flag(text: str) -> bool | None:
    word = text.strip().casefold()
    return True if word in _YES else False if word in _NO else None


def _over_time(text: str) -> str | None:
    """The statistic over time that cells hold (``time: mean``), as CF has it; a point in time is none."""
    found = _CELL_METHOD.search(text)
    name = "" if found is None else found[1].casefold()
    return name if name in _OVER_TIME else None


def _daynight(text: str) -> str | None:
    word = text.strip().casefold()
    return word if word in ("day", "night") else None


_READERS: Mapping[str, tuple[str, Any]] = {
    "quantity": ("QUANTITY", quantity_of),
    "unit": ("UNIT", unit_of),
    "datetime": ("DATETIME", iso_datetime),
    "sensor": ("SENSOR", canonical_sensor),
    "band": ("BAND", str.strip),
    "level": ("LEVEL", str.strip),
    "scale": ("SCALE", _number),
    "offset": ("OFFSET", _number),
    "daynight": ("DAYNIGHT", _daynight),
    "statistic": ("CELL_METHODS", _over_time),
    "polarisation": ("POLARISATION", str.upper),
    "cloud_masked": ("CLOUD_MASKED", _flag),
    "speckle_filtered": ("SPECKLE_FILTERED", _flag),
    "sun_elevation": ("SUN_ELEVATION", _number),
    "sun_azimuth": ("SUN_AZIMUTH", _number),
    "classes": ("CLASSES", _classes),
    "thermal_constants": ("THERMAL_CONSTANTS", _pair),
}
