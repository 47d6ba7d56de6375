"""Scenes with their true arrays, and the values that expressions have on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Key: TypeAlias = Any  # a date, a year, (year, month), a name
Keys: TypeAlias = tuple[Key, ...]


class OutsideError(Exception):
    """What the interpreter does not evaluate: tools by themselves, and what a scene says nothing of."""


@dataclass(frozen=True)
class Layer:
    """True numbers of one quantity, in the unit of its kind: (dates, rows, columns), or (rows, columns) without dates.

    NaN is unknown. Of masks 0 and 1; of classes numbers, which ``legend`` names.
    """

    values: Array
    dates: tuple[date, ...] = ()
    legend: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    """``area``: true area of every pixel, m2. ``polygons``: the part of each pixel, 0 to 1, that a polygon covers.

    ``longitude`` and ``latitude`` of the pixels' centres, in degrees. ``features`` are those of each vector file, and
    ``places`` the pixels' centres (rows, columns, 2) in the metres that these are told in.
    """

    layers: Mapping[str, Layer]
    area: Array
    longitude: Array
    latitude: Array
    polygons: Mapping[str, Array] = field(default_factory=dict)
    features: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    places: Array | None = None

    @property
    def south(self) -> bool:
        """Whether it lies south of the equator."""
        return bool(self.latitude.mean() < 0)


@dataclass(frozen=True)
class Leaf:
    """One value: over space (rows, columns) with the part of each pixel that counts, or a number with ``ground`` None.

    NaN is unknown. ``n`` numbers were known of what it was made of, ``known`` is their share.
    """

    data: Array
    ground: Array | None = None
    n: int = 1
    known: float = 1.0

    @property
    def number(self) -> float:
        """The value of a leaf without space."""
        return float(self.data)


@dataclass(frozen=True)
class Value:
    """One leaf per key, in order; ``names`` are those of the parts of a key, from the outermost in.

    ``labels`` name the numbers of classes. ``thin`` are the periods of which less than 80 % is covered.
    """

    names: tuple[str, ...]
    items: Mapping[Keys, Leaf]
    labels: Mapping[int, str] = field(default_factory=dict)
    thin: frozenset[tuple[str, Key]] = frozenset()

    def mapped(self, change: Callable[[Leaf], Leaf]) -> Value:
        """Every leaf changed by itself."""
        return Value(self.names, {key: change(leaf) for key, leaf in self.items.items()}, self.labels, self.thin)

    def of(self, items: Mapping[Keys, Leaf]) -> Value:
        """The same kind of value with other leaves."""
        return Value(self.names, items, self.labels, self.thin)

    def numbers(self) -> Array:
        """The known numbers that occur on their ground, each once; those of classes."""
        grounds = (
            (leaf, np.ones_like(leaf.data) if leaf.ground is None else leaf.ground) for leaf in self.items.values()
        )
        known = [leaf.data[np.isfinite(leaf.data) & (ground > 0)] for leaf, ground in grounds]
        return np.unique(np.concatenate(known)) if known else np.zeros(0)

    def groups(self, name: str) -> dict[Keys, list[tuple[Key, Leaf]]]:
        """The leaves along the innermost key of a name, for each combination of the other keys, in order of the key."""
        at = self.place(name)
        found: dict[Keys, list[tuple[Key, Leaf]]] = {}
        for key, leaf in self.items.items():
            found.setdefault(key[:at] + key[at + 1 :], []).append((key[at], leaf))
        return {rest: sorted(items, key=lambda item: item[0]) for rest, items in found.items()}

    def place(self, name: str) -> int:
        """Where in the keys the innermost of a name stands."""
        return len(self.names) - 1 - self.names[::-1].index(name)

    def without(self, name: str) -> tuple[str, ...]:
        """The names but the innermost of this one."""
        at = self.place(name)
        return self.names[:at] + self.names[at + 1 :]

    def key(self, rest: Keys, name: str, key: Key) -> Keys:
        """A whole key: the others with that of a name in its place."""
        at = self.place(name)
        return (*rest[:at], key, *rest[at:])


def meet(values: Iterable[Value], combine: Callable[[list[Leaf]], Leaf]) -> Value:
    """Values combined key by key, on the keys that all have; one without a key holds for all of it."""
    given = list(values)
    largest = max(given, key=lambda one: len(one.names))
    items = {}
    for key, leaf in largest.items.items():
        by_name = dict(zip(largest.names, key, strict=True))
        leaves = [
            leaf if one is largest else one.items.get(tuple(by_name[name] for name in one.names)) for one in given
        ]
        if all(found is not None for found in leaves):
            items[key] = combine([found for found in leaves if found is not None])
    thin = frozenset[tuple[str, Key]]().union(*(one.thin for one in given))
    return Value(largest.names, items, largest.labels, thin)


def with_none_of(x: Value, other: Value) -> Value:
    """Areas of classes with none of those that only the other has."""
    if x.names != other.names or "classes" not in x.names:
        return x
    place = x.place("classes")
    rests = {(*key[:place], *key[place + 1 :]) for key in x.items}
    more = [key for key in other.items if (*key[:place], *key[place + 1 :]) in rests]
    return x.of({key: x.items.get(key, Leaf(np.array(0.0))) for key in dict.fromkeys((*x.items, *more))})


def combined(leaves: list[Leaf], made: Array) -> Leaf:
    """A leaf made of others pixel by pixel: its ground is what is ground of all."""
    grounds = [leaf.ground for leaf in leaves if leaf.ground is not None]
    ground = np.minimum.reduce(grounds) if grounds else None
    return Leaf(made, ground, min(leaf.n for leaf in leaves), min(leaf.known for leaf in leaves))
