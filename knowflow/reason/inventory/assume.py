"""``--assume`` facts: what the user says of the files, as facts of origin ``user``.

``fact=value`` goes for every file that does not state the fact itself, so that a scale meant for some bands does not
spoil the masks beside them. ``name:fact=value`` goes for the files whose name matches, against whatever they state:
``name`` is a file's name without its ending, or holds the wildcards ``*`` and ``?`` (``S2_*:scale=0.0001``); it holds
for all facts of one option (``S2_*:scale=0.0001,offset=-0.1``).
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from knowflow.ground import units
from knowflow.ground.errors import KnowFlowError, UnitError, UnknownNameError
from knowflow.ground.quantities import quantity_kind, quantity_kinds
from knowflow.ground.spelling import did_you_mean
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.facts import FACT_TITLES, GRID_FACTS, PIXEL_FACTS, Fact, Facts, Origin
from knowflow.reason.inventory.band_names import canonical_sensor, with_band_facts
from knowflow.reason.inventory.dates import iso_datetime
from knowflow.reason.inventory.file_patterns import variable_of
from knowflow.reason.inventory.told_bands import OF_BANDS, Told, fits, stepped, with_told

SOURCE = "--assume"
_BETWEEN_PAIRS = re.compile(r",(?![^\[\]]*\])")  # a comma in brackets belongs to a list
_OF_ANY_FILE = frozenset({"crs", "region", "datetime"})
_STATISTICS = {"max": "maximum", "min": "minimum", "avg": "mean", "average": "mean", "med": "median", "total": "sum"}
_TOLD_BY = {"resolution": "transform", "dates": "datetime"}  # the fact that has what is assumed


class AssumptionError(KnowFlowError):
    """An ``--assume`` option does not say anything that can be assumed."""

    code = "assumption"


@dataclass(frozen=True, slots=True)
class Assumption:
    """One fact the user vouches for: of the files whose name matches ``files``, or (None) of all that lack it.

    ``source`` is where it is said; with ``within`` only files of that folder are meant, and patterns with a ``/`` are
    paths from there on.
    """

    fact: str
    value: Any
    files: str | None = None
    source: str = SOURCE
    within: str = ""

    def __str__(self) -> str:
        value = f"[{','.join(self.value)}]" if self.fact in OF_BANDS and isinstance(self.value, tuple) else self.value
        return f"{self.files}:{self.fact}={value}" if self.files else f"{self.fact}={value}"

    def applies_to(self, artifact: Artifact) -> bool:
        if self.fact in OF_BANDS and not fits(self.value, artifact.fact("count")):
            return False
        return self._fills_a_gap(artifact) if self.files is None and artifact.path else self.names(artifact)

    def names(self, artifact: Artifact) -> bool:
        """Whether it is said of the file of an artifact by its name."""
        variable = variable_of(artifact)
        path = artifact.path or ""
        called = (path, *((path + variable, os.path.splitext(path)[0] + variable) if variable else ()))
        return bool(path) and any(self.names_path(one) for one in called)

    def names_path(self, path: str) -> bool:
        """Whether it is said of the file of that path by its name."""
        return self.files is not None and _fits(self.files.casefold(), self.within, path)

    def _fills_a_gap(self, artifact: Artifact) -> bool:
        known = artifact.known(_TOLD_BY.get(self.fact, self.fact))
        if known is not None and known.origin not in (Origin.ASSUMED, Origin.USER):
            return False
        if artifact.type != "raster":
            return self.fact in _OF_ANY_FILE
        if self.fact == "unit":
            kind = quantity_kinds().get(str(artifact.fact("quantity")))
            return kind is None or kind.may_be_in(self.value)
        if self.fact == "mark":
            kind = quantity_kinds().get(str(artifact.fact("quantity")))
            return kind is not None and kind.family == "mask"
        return self.fact not in ("scale", "offset") or _scalable(artifact)


@lru_cache(maxsize=1024)  # the facts that are said of one pattern ask for the same files
def _fits(pattern: str, within: str, path: str) -> bool:
    """Whether a pattern in small letters names a file: its name, its name without the ending, or its path; one that
    begins with ``./`` the path alone."""
    if within and not path.startswith(f"{within}{os.sep}"):
        return False
    inside = path[len(within) + 1 if within else 0 :].casefold()
    if pattern.startswith("./"):
        return fnmatchcase(inside, pattern.removeprefix("./"))
    name = PurePath(path).name.casefold()
    return any(fnmatchcase(one, pattern) for one in (name, PurePath(name).stem, inside))


def parse_assumptions(given: Mapping[str, Any] | Iterable[str]) -> tuple[Assumption, ...]:
    """Assumptions from ``{"crs": "EPSG:32633", "S2_*:scale": 0.0001}`` or from texts as ``crs=EPSG:32633,scale=1``.

    Raises ``UnknownNameError`` for facts that nobody can assume and ``AssumptionError`` for values they cannot have.
    """
    pairs = list(given.items()) if isinstance(given, Mapping) else [pair for text in given for pair in _split(text)]
    return tuple(_assumption(str(key).strip(), value) for key, value in pairs)


def apply_assumptions(artifact: Artifact, assumptions: Iterable[Assumption]) -> Artifact:
    """The artifact with what the user says of it; a file without georeference gets its grid from CRS and resolution.

    The upper left corner of such a file is put at (0, 0); a resolution says nothing of files that have their own.
    """
    told = {one.fact: one for one in assumptions if one.applies_to(artifact)}
    said = {name: one.value for name, one in told.items()}
    for name in OF_BANDS if artifact.band is not None else ("dates",):
        said.pop(name, None)  # said of a file, and told to its bands one by one
    resolution = said.get("resolution")
    if resolution is not None and artifact.fact("transform") is not None:
        del said["resolution"]
    if not said:
        return artifact
    facts = artifact.facts.without(_outdated(artifact.facts, said)).merged(
        Facts({name: Fact(value, Origin.USER, told[name].source) for name, value in said.items()})
    )
    facts = with_band_facts(facts) if artifact.type == "raster" else facts
    shape = facts.value("shape")
    if artifact.type == "raster" and resolution is not None and facts.value("transform") is None:
        width, height = resolution
        facts = facts.put("transform", (width, 0.0, 0.0, 0.0, -height, 0.0), Origin.USER, geo.SIZE_ALONE)
    if artifact.type == "raster" and shape is not None and any(name in said for name in GRID_FACTS):
        transform = facts.value("transform")
        token = geo.grid_token(facts.value("crs"), transform or (1, 0, 0, 0, 1, 0), shape)
        facts = facts.put("grid", token, Origin.USER, SOURCE)
        if transform is not None:
            a, b, _, d, e, _ = transform
            sides = (math.hypot(a, d), math.hypot(b, e))
            facts = facts.put("bounds", geo.bounds_of(transform, shape), Origin.USER, SOURCE)
            facts = facts.put("resolution", sides, Origin.USER, SOURCE)
    return artifact.with_facts(facts)


def bands_as_told(bands: Sequence[Artifact], assumptions: Iterable[Assumption], *, known: bool) -> tuple[Artifact, ...]:
    """The bands of one file as the user tells them; none where nothing is said of them.

    What is said of all files counts where the bands are not ``known`` by what the file itself says.
    """
    said = [one for one in assumptions if one.fact in OF_BANDS and bands]
    told = [(one.fact, one.value) for one in said if (not known if one.files is None else one.names(bands[0]))]
    return with_told(bands, told, said[-1].source if said else SOURCE)


def _scalable(artifact: Artifact) -> bool:
    """Whether a scale said of everything can be meant for a layer: not of classes and heights, nor of floating-point
    numbers other than reflectances and radiances, which some producers store as 10000 times what they are."""
    kind = quantity_kinds().get(str(artifact.fact("quantity")))
    if kind is None:
        return True
    floating = str(artifact.fact("dtype") or "").startswith("float")
    return not kind.categorical and kind.family != "terrain" and (not floating or kind.family == "radiometry")


def _outdated(facts: Facts, said: Mapping[str, Any]) -> set[str]:
    """What no longer holds: pixel statistics of another scale, the meaning of a band of another sensor, the span of
    another date."""
    names: set[str] = set()
    if {"scale", "offset", "nodata", "mark"} & said.keys():
        names |= set(PIXEL_FACTS)
    if "datetime" in said:
        names.add("span")
    if "sensor" in said and "band" in facts:
        names |= {"bands", "wavelength"}
    return names


def _split(text: str) -> Iterable[tuple[str, str]]:
    """``crs=EPSG:32633,resolution=10`` as pairs: a comma belongs to a value within brackets, and where no ``name=``
    follows it; the files that a pair names hold for those after it, until others are named."""
    pairs: list[tuple[str, str]] = []
    files = ""
    for part in _BETWEEN_PAIRS.split(text):
        key, equals, value = part.partition("=")
        if equals:
            named, colon, fact = key.rpartition(":")
            files = named if colon else files
            pairs.append((f"{files}:{fact}" if files else fact, value.strip()))
        elif pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]},{part}")
        else:
            raise AssumptionError(
                f"{text!r} is not an assumption",
                expected="fact=value, or file-name:fact=value",
                found=part,
                hint="such as --assume crs=EPSG:32633,resolution=10",
            )
    return pairs


def _assumption(key: str, value: Any) -> Assumption:
    files, _, fact = key.rpartition(":")
    fact = fact.strip().casefold()
    parser = _PARSERS.get(fact)
    if parser is None:
        known = f"{fact} is measured or made, not assumed; " if fact in FACT_TITLES else ""
        raise UnknownNameError(
            f"the fact {fact!r} cannot be assumed",
            expected=f"one of {', '.join(sorted(_PARSERS))}",
            found=repr(key),
            hint=known + did_you_mean(fact, _PARSERS, "see the expected names"),
        )
    return Assumption(fact, parser(fact, value), files.strip() or None)


def _refuse(fact: str, value: Any, expected: str, hint: str = "") -> AssumptionError:
    return AssumptionError(
        f"{fact}={value} cannot be assumed", expected=expected, found=repr(value), hint=hint or FACT_TITLES[fact]
    )


def _listed(value: Any) -> list[Any]:
    """The items of a list, written with brackets or without."""
    if isinstance(value, str):
        return [item.strip() for item in value.strip().strip("[]").replace(";", ",").split(",")]
    return list(value) if isinstance(value, list | tuple) else [value]


def _number(fact: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise _refuse(fact, value, "a number, as 0.0001") from None
    if math.isfinite(number) or fact == "nodata":
        return number
    raise _refuse(fact, value, "a finite number")


def _scale(fact: str, value: Any) -> float:
    number = _number(fact, value)
    if number == 0:
        raise _refuse(fact, value, "a number other than 0")
    return number


def _resolution(fact: str, value: Any) -> tuple[float, float]:
    numbers = [_number(fact, part) for part in _listed(value.replace("x", ",") if isinstance(value, str) else value)]
    if len(numbers) > 2 or any(number <= 0 for number in numbers):
        raise _refuse(fact, value, "one or two positive numbers in units of the CRS, as 10 or 10x10")
    return numbers[0], numbers[-1]


def _transform(fact: str, value: Any) -> tuple[float, ...]:
    numbers = [_number(fact, part) for part in _listed(value)]
    if len(numbers) != 6 or numbers[0] * numbers[4] == numbers[1] * numbers[3]:
        raise _refuse(fact, value, "six numbers a,b,c,d,e,f: x = a column + b row + c, y = d column + e row + f")
    return tuple(numbers)


def _crs(fact: str, value: Any) -> str:
    from pyproj.exceptions import CRSError

    text = str(value).strip()
    try:
        return geo.canonical_crs(f"EPSG:{text}" if text.isdigit() else text)
    except CRSError as error:
        raise _refuse(fact, value, "an authority code, WKT or PROJ string", "such as EPSG:32633") from error


def _quantity(fact: str, value: Any) -> str:
    name = str(value).strip()
    spelt = [one for one in (name, name.casefold()) if one in quantity_kinds()]
    return spelt[0] if spelt else quantity_kind(name).name


def _unit(fact: str, value: Any) -> str:
    try:
        return units.normalise(str(value))
    except UnitError as error:
        raise _refuse(fact, value, "a unit", error.hint or "such as K or m") from error


def _datetime(fact: str, value: Any) -> str:
    moment = iso_datetime(str(value))
    if moment is None:
        raise _refuse(fact, value, "a date or moment, as 2022-06-01 or 2022-06-01T10:00:00")
    return moment


def _dates(fact: str, value: Any) -> Told:
    steps = stepped(value) if isinstance(value, str) else None
    listed = () if steps else tuple(iso_datetime(str(one)) for one in _listed(value))
    if steps is None and (len(listed) < 2 or None in listed):
        expected = "a date for each band of a file, or the first and a step"
        raise _refuse(fact, value, expected, "such as dates=[2018-01-01,2018-02-01] or dates=2018-01-01/P1M")
    return steps or tuple(str(moment) for moment in listed)


def _fraction(fact: str, value: Any) -> float:
    number = _number(fact, value)
    if not 0 <= number <= 1:
        raise _refuse(fact, value, "a fraction from 0 to 1")
    return number


def _angle(fact: str, value: Any, least: float, most: float) -> float:
    number = _number(fact, value)
    if not least <= number <= most:
        raise _refuse(fact, value, f"degrees from {least:g} to {most:g}")
    return number


def _flag(fact: str, value: Any) -> bool:
    word = str(value).strip().casefold()
    if word in ("true", "yes", "1"):
        return True
    if word in ("false", "no", "0"):
        return False
    raise _refuse(fact, value, "true or false")


def _daynight(fact: str, value: Any) -> str:
    word = str(value).strip().casefold()
    if word not in ("day", "night"):
        raise _refuse(fact, value, "day or night")
    return word


def _blank(fact: str, value: Any) -> str:
    word = str(value).strip().casefold()
    if word not in ("none", "unknown"):
        raise _refuse(fact, value, "none or unknown")
    return word


def _statistic(fact: str, value: Any) -> str:
    word = _text(fact, value).casefold()
    return _STATISTICS.get(word, word)


def _orbit(fact: str, value: Any) -> str:
    word = str(value).strip().casefold()
    found = next((name for name in ("ascending", "descending") if len(word) > 2 and name.startswith(word)), None)
    if found is None:
        raise _refuse(fact, value, "ascending or descending")
    return found


def _text(fact: str, value: Any) -> str:
    text = str(value).strip()
    if not text:
        raise _refuse(fact, value, "a name")
    return text


def _bands(fact: str, value: Any) -> tuple[str, ...]:
    return tuple(_text(fact, part) for part in _listed(value))


_PARSERS: Mapping[str, Callable[[str, Any], Any]] = MappingProxyType(
    {
        "crs": _crs,
        "transform": _transform,
        "resolution": _resolution,
        "scale": _scale,
        "offset": _number,
        "nodata": _number,
        "mark": _number,
        "blank": _blank,
        "quantity": _quantity,
        "unit": _unit,
        "datetime": _datetime,
        "sensor": lambda fact, value: canonical_sensor(_text(fact, value)),
        "level": _text,
        "bands": _bands,
        "dates": _dates,
        "polarisation": lambda fact, value: _text(fact, value).upper(),
        "daynight": _daynight,
        "orbit": _orbit,
        "statistic": _statistic,
        "height": _text,
        "region": _text,
        "cloud_fraction": _fraction,
        "cloud_masked": _flag,
        "speckle_filtered": _flag,
        "sun_elevation": partial(_angle, least=-90, most=90),
        "sun_azimuth": partial(_angle, least=-180, most=360),
    }
)
