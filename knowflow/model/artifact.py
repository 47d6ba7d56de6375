"""Artifacts: the typed values that flow along the edges of a workflow, with what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from knowflow.model.facts import Fact, Facts, Origin
from knowflow.model.literal import frozen, plain, same

ArtifactType = Literal[
    "raster", "raster_series", "band_set", "vector", "table", "scalar", "list", "text", "report", "model"
]
CHANGES = ("difference", "trend_per_year", "trend_per_decade", "temperature_difference", "elevation_difference")
ARTIFACT_TYPES: tuple[str, ...] = get_args(ArtifactType)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A value with its facts.

    ``path`` (and ``band``, 1-based) locate rasters, vectors, tables, reports and models; ``value`` holds scalars, lists
    and texts; ``items`` holds the rasters or band sets of a series in date order; ``members`` the rasters of a band set
    by common band name; ``key`` identifies the content (file digest or derivation).
    """

    type: ArtifactType
    facts: Facts = field(default_factory=Facts)
    name: str = ""
    path: str | None = None
    band: int | None = None
    value: Any = None
    items: tuple[Artifact, ...] = ()
    members: Mapping[str, Artifact] = field(default_factory=dict)
    key: str | None = None
    _shared: dict[str, Fact | None] = field(default_factory=dict, init=False, compare=False, repr=False)

    def fact(self, name: str) -> Any:
        """The value of a fact, or None where nobody knows it; a series or band set knows what all its parts share."""
        known = self.known(name)
        return None if known is None else known.value

    def known(self, name: str) -> Fact | None:
        """The fact with its origin, or None."""
        own = self.facts.known(name)
        if own is not None or not (self.items or self.members):
            return own
        if name not in self._shared:  # conditions ask again and again, of hundreds of parts
            self._shared[name] = self._shared_by_parts(name)
        return self._shared[name]

    def _shared_by_parts(self, name: str) -> Fact | None:
        parts = self.parts()
        first = parts[0].known(name)
        if first is None:
            return None
        for part in parts[1:]:
            other = part.known(name)
            if other is None or not same(other.value, first.value):
                return None
        return first

    @property
    def is_value(self) -> bool:
        """Whether it is a number, a text or a list of such, and not of files: pictures of several dates are these."""
        return self.type in ("scalar", "text") or (self.type == "list" and all(one.path is None for one in self.items))

    def parts(self) -> tuple[Artifact, ...]:
        """The direct parts of a composite artifact: items of a series, members of a band set; else nothing."""
        return self.items or tuple(self.members.values())

    def leaves(self) -> Iterator[Artifact]:
        """The single artifacts this one is made of, itself where it is not composite."""
        parts = self.parts()
        if not parts:
            yield self
        for part in parts:
            yield from part.leaves()

    def with_facts(self, facts: Facts) -> Artifact:
        # what every node of every attempt at a plan asks for, hence without the detour of `replace`
        return Artifact(
            self.type, facts, self.name, self.path, self.band, self.value, self.items, self.members, self.key
        )

    def to_json(self, told: dict[int, dict[str, Any]] | None = None) -> dict[str, Any]:
        """Its description; ``told`` as in :meth:`~knowflow.model.facts.Facts.to_json`."""
        data: dict[str, Any] = {"type": self.type}
        if self.name:
            data["name"] = self.name
        for attribute in ("path", "band", "value", "key"):
            value = getattr(self, attribute)
            if value is not None:
                data[attribute] = plain(value)
        if self.facts:
            data["facts"] = self.facts.to_json(told)
        if self.items:
            data["items"] = [item.to_json(told) for item in self.items]
        if self.members:
            data["members"] = {name: member.to_json(told) for name, member in self.members.items()}
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Artifact:
        return cls(
            type=data["type"],
            facts=Facts.from_json(data.get("facts", {})),
            name=data.get("name", ""),
            path=data.get("path"),
            band=data.get("band"),
            value=frozen(data.get("value")),
            items=tuple(cls.from_json(item) for item in data.get("items", ())),
            members={name: cls.from_json(member) for name, member in data.get("members", {}).items()},
            key=data.get("key"),
        )


def single_bands(raster: Artifact) -> tuple[Artifact, ...]:
    """The bands of a raster that has several, each by itself; the raster where it has one, or nobody knows how many."""
    count = raster.fact("count")
    if raster.band is not None or not isinstance(count, int) or count < 2:
        return (raster,)
    facts = raster.facts.without(("bands", "count"))
    return tuple(
        replace(raster, band=number, name=f"{raster.name}:{number}", facts=facts) for number in range(1, count + 1)
    )


def series(items: tuple[Artifact, ...], name: str = "", facts: Facts | None = None) -> Artifact:
    """A raster series over rasters or band sets, in the order given."""
    return Artifact(type="raster_series", items=items, name=name, facts=facts or Facts())


def band_set(members: Mapping[str, Artifact], name: str = "", facts: Facts | None = None) -> Artifact:
    """Rasters of one scene by common band name (``red``, ``nir``...)."""
    return Artifact(type="band_set", members=dict(members), name=name, facts=facts or Facts())


def with_paths(artifact: Artifact, change: Callable[[str], str]) -> Artifact:
    """An artifact whose files, and those of its parts, are elsewhere."""
    return replace(
        artifact,
        path=None if artifact.path is None else change(artifact.path),
        items=tuple(with_paths(item, change) for item in artifact.items),
        members={name: with_paths(member, change) for name, member in artifact.members.items()},
    )


def scalar(value: float | int | bool | str | None, facts: Facts | None = None, name: str = "") -> Artifact:
    """A single number, with its unit and quantity kind among the facts."""
    return Artifact(type="scalar", value=value, facts=facts or Facts(), name=name)


def in_unit(artifact: Artifact, unit: str) -> Artifact:
    """A number in another unit; itself where that is the same unit, or cannot be told in it."""
    own = artifact.fact("unit")
    number = isinstance(artifact.value, (int, float)) and not isinstance(artifact.value, bool)
    if not unit or own is None or own == unit or artifact.type != "scalar" or not number:
        return artifact
    from knowflow.ground.units import compatible, convert

    if not compatible(own, unit):
        return artifact
    changes = artifact.fact("quantity") in CHANGES
    value = float(convert(float(artifact.value), own, unit, difference=changes))
    return replace(artifact, value=value, facts=artifact.facts.put("unit", unit, Origin.DERIVED, "as asked for"))
