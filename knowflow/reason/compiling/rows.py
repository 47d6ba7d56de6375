"""Rows of tables as features without a place: statistics of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from knowflow.ground.columns import distinct
from knowflow.ground.errors import PlanningError
from knowflow.ground.row_times import times_by
from knowflow.question.operators import Attribute, Expression, Over, Polygons, Position, Split
from knowflow.question.types import Type
from knowflow.question.typing_of_features import are_rows, layer_of, of_rows
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.called_features import Objects
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes, OfList, refuse
from knowflow.reason.compiling.objects import Features

_MOST_KEYS = 20_000


def is_of_rows(e: Over) -> bool:
    """Whether a statistic is one of rows: of a column, or of how many there are."""
    counted = e.x.x if isinstance(e.x, Split) else e.x
    return e.axes == "objects" and (of_rows(e.x) is not None or (e.statistic == "count" and are_rows(counted)))


def over_rows(e: Over, features: Features, at: Position, own: Type, nodes: Nodes) -> Made:
    """A statistic of rows, of all of them or of those of each value of a column, or of each time.

    Raises:
        PlanningError: there are no such rows, or no column tells what they are taken together by.
    """
    below, split = (*at, e.op, "x"), e.x if isinstance(e.x, Split) else None
    inner = e.x if split is None else split.x
    place = below if split is None else (*below, split.op, "x")
    features.realise(below, place)
    of = inner if isinstance(inner, Attribute) else None
    x = features.of(inner if of is None else of.x, place if of is None else (*place, of.op, "x"))
    columns = features.columns(Polygons(layer=layer_of(inner if of is None else of.x)))
    given: dict[str, Any] = {"statistic": e.statistic, "unit": own.measure.unit} | ({} if e.p is None else {"p": e.p})
    given |= {} if of is None else {"attribute": of.name}
    if split is None:
        values = nodes.add("row_statistics", "over", x.names, **x.given, **given)
        return Made(own, {(): Item(nodes.add("number_of_list", "over", x.names, values=values, place=0))})
    keys, told = _keys(split, x, columns)
    if isinstance(split.key, Expression):
        features.realise((*below, split.op, "key"))
    values = nodes.add("row_statistics", "over", x.names, **x.given, **given, keys=list(keys), **told)

    def take(number: int, key: str) -> Bound:
        return nodes.add("number_of_list", "over", (key,), values=values, place=number)

    return Made(own, OfList(keys, take), listed=values)


def _keys(split: Split, x: Objects, columns: Mapping[str, Sequence[Any]]) -> tuple[Keys, dict[str, Any]]:
    """What rows are taken together by, and how a tool is told of it."""
    if isinstance(split.key, str):
        told = times_by(columns, split.key)
        if told is None:
            raise refuse(
                split, f"rows of which nothing tells the {split.key}", "ask for all of them, or by other columns"
            )
        return tuple(sorted({told[row] for row in x.rows} - {""})), {"grain": split.key}
    assert isinstance(split.key, Polygons)
    by = str(split.key.by)
    if by not in columns:
        raise PlanningError("there is no such column", expected=", ".join(columns), found=by)
    keys = distinct([columns[by][row] for row in x.rows])
    if len(keys) > _MOST_KEYS:
        raise refuse(split, f"{len(keys)} values of {by}", "name some of them")
    return keys, {"by": by}
