"""Features, and rows, that only the run finds: that with the most of something, and those that these tell of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from knowflow.ground.columns import distinct
from knowflow.question.operators import (
    Attribute,
    Expression,
    Extreme,
    Holds,
    Over,
    Polygons,
    Position,
    Split,
    Within,
    walk,
)
from knowflow.question.typing_of_features import are_rows, layer_of
from knowflow.reason.compiling.called_features import Objects
from knowflow.reason.compiling.made import Made, Nodes, refuse
from knowflow.reason.compiling.which_rows import linked_by


class Finder(Protocol):
    """Finds the features that an expression means, and what lies below it."""

    nodes: Nodes
    each: Callable[[Expression, Position, str], Made]

    def realise(self, *places: Position) -> None:
        """What stands there is carried out."""

    def columns(self, every: Polygons) -> Mapping[str, list[Any]]:
        """All attributes of a file."""

    def of(self, e: Expression, at: Position) -> Objects:
        """The features that an expression means."""


def with_most(e: Extreme, x: Objects, features: Finder, at: Position) -> Objects:
    """That with the most of something: which, only the run finds.

    Raises:
        NotCompiledError: it is told of other features than these.
    """
    made, below = features.each(e, at, "x"), (*at, e.op, "x")
    features.realise(at)
    keys = [key[0] for key in made.items if len(key) == 1]
    told: dict[str, Any] = {"keys": keys, "side": e.side, "n": e.n}
    told["values"] = made.listed or features.nodes.series(made.items[key,].bound for key in keys)
    split = e.x.x if isinstance(e.x, Over) else None
    grain = made.type.grain
    if grain is not None:
        told["grain"] = grain
    elif isinstance(split, Split) and isinstance(split.key, Polygons) and split.key.by is not None:
        told["attribute"] = split.key.by
    elif isinstance(e.x, Attribute) and are_rows(e.x.x):  # each by itself
        x = replace(features.of(e.x.x, (*below, e.x.op, "x")), keys=x.keys)
    elif x.by and {*keys} <= {*x.keys}:
        told["attribute"] = x.by
    else:
        raise refuse(e, "the most of other features than are meant", "name that which is meant")
    most = features.nodes.add("features_with_most", "extreme", x.names, **x.given, **told)
    return replace(x, bound=most, names=(), at_run=True)


def that_hold(e: Holds, x: Objects, features: Finder, at: Position) -> Objects:
    """Those of each of which something holds: which, only the run finds.

    Raises:
        NotCompiledError: it is told of other features than these, or of rows of a table.
    """
    made = features.each(e, at, "x")
    features.realise(at, *((*at, *place) for place, _ in walk(e)))
    keys = [key[0] for key in made.items if len(key) == 1]
    held = {part.key for _, part in walk(e) if isinstance(part, Split)}
    other = any(not isinstance(key, Polygons) or key.by is not None for key in held)
    if other or not keys or not ((x.by and {*x.keys} <= {*keys}) or [*x.keys] == keys):
        raise refuse(e, "features that are chosen by what is told of others", "name those that are meant")
    told: dict[str, Any] = {"keys": keys} | ({"attribute": x.by} if x.by else {})
    told["truths"] = made.listed or features.nodes.series(made.items[key,].bound for key in keys)
    those = features.nodes.add("features_that_hold", "holds", x.names, **x.given, **told)
    return replace(x, bound=those, names=(), at_run=True)


def of_chosen(e: Within, x: Objects, others: Objects, features: Finder) -> Objects:
    """Features, or rows, that others tell of by their names, of which only the run finds which they are.

    Raises:
        NotCompiledError: nothing links them.
    """
    columns, told = (features.columns(Polygons(layer=layer_of(one))) for one in (e.x, e.where))
    if are_rows(e.x) and not are_rows(e.where):
        link = linked_by(columns, others.keys, ())
        pair = None if link is None else (link[0], others.by)
    else:
        by = [column for column in (_column_of_most(e.where),) if column]
        there = {name: told[name] for name in by} or told
        names = x.keys if not are_rows(e.x) else [one for name in by for one in distinct(list(map(str, told[name])))]
        link = linked_by(there if not are_rows(e.x) else columns, names, ())
        pair = None if link is None else (x.by, link[0]) if not are_rows(e.x) else (link[0], by[0])
    if pair is None or not all(pair):
        raise refuse(e, f"features that {layer_of(e.where)} does not tell of", "name those that are meant")
    given: dict[str, Any] = {"attribute": pair[0], "of": others.bound, "of_attribute": pair[1]}
    given |= {"of_names": list(others.names)} if others.names else {}
    told_of = features.nodes.add("features_told_of", "within", x.names, **x.given, **given)
    return replace(x, bound=told_of, names=(), at_run=True)


def _column_of_most(e: Expression) -> str | None:
    """The column of a table by whose texts that with the most of something is found."""
    splits = [part for _, part in walk(e) if isinstance(part, Split) and isinstance(part.key, Polygons)]
    return splits[0].key.by if splits else None  # type: ignore[union-attr]  # polygons
