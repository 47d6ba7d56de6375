"""What is known of an artifact, and how it is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any

from knowflow.model.literal import frozen, plain, same


class Origin(IntEnum):
    """How a fact became known; a higher origin overrides a lower one when two sources disagree."""

    ASSUMED = 1
    DECLARED = 2
    DERIVED = 3
    MEASURED = 4
    USER = 5

    @property
    def label(self) -> str:
        return self.name.lower()


_LABELS = ("", *(origin.label for origin in sorted(Origin)))  # by number: an origin is slow to look up by
GRID_FACTS = ("crs", "transform", "shape", "resolution", "bounds", "grid")
PIXEL_FACTS = (
    "valid_fraction",
    "value_range",
    "finite_fraction",
    "cloud_fraction",
    "histogram",
    "mean",
    "std",
    "lowest",
    "highest",
)

STORED_STATISTICS = "statistics stored in the file"  # where the block writer counted what it wrote, every pixel of it

FACT_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "crs": "coordinate reference system, as an authority code or WKT",
        "transform": "affine transform (a, b, c, d, e, f)",
        "shape": "rows, columns",
        "resolution": "pixel width and height, in units of the CRS",
        "bounds": "west, south, east, north in the CRS",
        "grid": "identity of the pixel grid; equal for artifacts on the same grid",
        "count": "number of bands",
        "bands": "common names of the bands, in order",
        "band": "name of the band as its producer calls it",
        "wavelength": "centre wavelength, nm",
        "sensor": "sensor or mission",
        "level": "processing level",
        "dtype": "data type of the stored numbers",
        "palette": "the stored numbers are indices of a colour table",
        "nodata": "value that marks missing data",
        "valid_range": "smallest and largest stored number that is a measurement: those beyond are codes",
        "marking": "how its numbers, or the codes among them, mark clouds, snow or water: a scheme of quality bands",
        "blank": "what pixels without data are: none, where there is none of it, or unknown",
        "scale": "factor from stored to physical numbers",
        "offset": "offset from stored to physical numbers",
        "mark": "number that marks in a mask: yes, it is so",
        "unit": "unit of the physical numbers",
        "quantity": "quantity kind",
        "thermal_constants": "K1 (W m-2 sr-1 um-1) and K2 (K) that turn radiance of a thermal band into temperature",
        "polarisation": "radar polarisation",
        "orbit": "pass of the satellite: ascending or descending",
        "statistic": "statistic over time that each pixel holds: mean, maximum...",
        "height": "height above the ground or level of the air or water that the numbers are of",
        "slice": "where the numbers are along further dimensions of their file: member, wavelength, lead time",
        "datetime": "acquisition time, ISO 8601",
        "span": "first and last day that the numbers are of, where they are of several",
        "surface": "what an elevation is of: terrain, the bare ground, or surface, with trees and buildings",
        "daynight": "day or night",
        "valid_fraction": "share of pixels that are data",
        "finite_fraction": "share of pixels that are finite numbers",
        "value_range": "smallest and largest physical value",
        "cloud_fraction": "share of pixels under cloud",
        "histogram": "counts per class of value: (edges, counts)",
        "mean": "mean physical value",
        "std": "standard deviation of the physical values",
        "lowest": "smallest physical value",
        "highest": "largest physical value",
        "cloud_masked": "clouds have been removed",
        "speckle_filtered": "the speckle of a radar image has been filtered",
        "sun_elevation": "height of the sun above the horizon, degrees",
        "sun_azimuth": "direction of the sun, degrees clockwise from north",
        "length": "number of items",
        "geometry": "geometry type of a vector",
        "fields": "attribute fields of a vector, or columns of a table",
        "name_field": "field that tells the features of a vector, or the rows of a table, by name",
        "names": "what that field calls them, the first 400",
        "words": "the values of each text field that has few: (field, values)",
        "named_numbers": "numbers that a vector or table names: their field, that of the names, (number, name)",
        "noted": "what notes call a vector, its columns and values: (which, column, as written, called, unit)",
        "classes": "numbers of a class map and their names: (number, name)",
        "features": "number of features of a vector, or rows of a table",
        "region": "region that the file name states",
        "described": "what the file says of the layer in words",
        "stated_range": "smallest and largest stored number that the file states, as whoever wrote it counted them",
        "layer": "name of the layer that the file name states",
        "size": "bytes on disk",
        "unread": "variables on other grids, or sheets of a workbook, that are not read of the file",
    }
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A value with its origin; ``source`` says which tag, effect, option or default it came from."""

    value: Any
    origin: Origin
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", frozen(self.value))

    def __reduce__(self) -> tuple[Any, ...]:
        return Fact, (self.value, self.origin, self.source)  # with the one NaN that there is

    def to_json(self) -> dict[str, Any]:
        return {"value": plain(self.value), "origin": _LABELS[self.origin], "source": self.source}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fact:
        return cls(data["value"], Origin[str(data["origin"]).upper()], str(data.get("source", "")))


class Facts(Mapping[str, Fact]):
    """An immutable set of named facts. An absent name means: nobody knows."""

    __slots__ = ("_facts",)

    def __init__(self, facts: Mapping[str, Fact] | None = None) -> None:
        self._facts: dict[str, Fact] = dict(facts or {})

    def __getitem__(self, name: str) -> Fact:
        return self._facts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Facts) and self._facts == other._facts

    def __hash__(self) -> int:
        return hash(frozenset(self._facts))  # values that are equal (1 and 1.0) may look different

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={fact.value!r} ({fact.origin.label})" for name, fact in self.items())
        return f"Facts({inside})"

    @classmethod
    def of(cls, origin: Origin, source: str = "", **values: Any) -> Facts:
        """Facts that share one origin; ``None`` means unknown and is left out."""
        return cls({name: Fact(value, origin, source) for name, value in values.items() if value is not None})

    def known(self, name: str) -> Fact | None:
        """The fact, or None; what every condition asks, hence without the detour of ``Mapping.get``."""
        return self._facts.get(name)

    def value(self, name: str, default: Any = None) -> Any:
        fact = self._facts.get(name)
        return default if fact is None else fact.value

    def put(self, name: str, value: Any, origin: Origin, source: str = "") -> Facts:
        return Facts({**self._facts, name: Fact(value, origin, source)})

    def without(self, names: Iterable[str]) -> Facts:
        gone = set(names)
        return Facts({name: fact for name, fact in self._facts.items() if name not in gone})

    def only(self, names: Iterable[str]) -> Facts:
        kept = set(names)
        return Facts({name: fact for name, fact in self._facts.items() if name in kept})

    def over(self, weaker: Facts) -> Facts:
        """These facts, and the weaker ones where these say nothing."""
        return Facts({**weaker._facts, **self._facts})

    def merged(self, other: Facts) -> Facts:
        """Both, the stronger origin winning where they name the same fact (ties: ``other``)."""
        result = dict(self._facts)
        for name, fact in other.items():
            present = result.get(name)
            if present is None or fact.origin >= present.origin:
                result[name] = fact
        return Facts(result)

    def common(self, other: Facts) -> Facts:
        """The facts on which both agree in value; the weaker origin is kept."""
        return Facts(
            {
                name: min(fact, other[name], key=lambda f: f.origin)
                for name, fact in self.items()
                if name in other and same(other[name].value, fact.value)
            }
        )

    def to_json(self, told: dict[int, dict[str, Any]] | None = None) -> dict[str, Any]:
        """Each fact by its name; ``told`` holds what those of other artifacts became, by identity: of the million facts
        of a large plan most are the same objects (see :class:`SharedFacts`)."""
        told = {} if told is None else told
        return {
            name: told.get(id(fact)) or told.setdefault(id(fact), fact.to_json()) for name, fact in self._facts.items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Facts:
        return cls({name: Fact.from_json(item) for name, item in data.items()})


class SharedFacts:
    """Facts of very many files, of which those that are told alike are the same objects."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Origin, str], Fact] = {}

    def of(self, facts: Facts) -> Facts:
        """The same facts, each the one that was met first: alike in how they are written, so that 1 is not 1.0."""
        met = self._known.setdefault
        return Facts({name: met((repr(one.value), one.origin, one.source), one) for name, one in facts.items()})
