"""Of readings that are as likely as each other those that are meant with the data at hand."""

from __future__ import annotations

from dataclasses import replace

from knowflow.question.operators import (
    Beyond,
    During,
    Expression,
    Over,
    Polygons,
    Quantity,
    Show,
    Split,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.chart import Entity, Made
from knowflow.question.reading.nouns import level_of
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, is_features, layer_of


def likelier(alike: list[Made], data: DataWords) -> list[Made]:
    """Those that are all of one time, of what the data hold, of maps rather than of tables, as they are to be shown,
    and of points where they lie, of ground rather than of a point called so, and of rows by a name once, whoever else
    is called so."""
    alike = _each_kept(alike)
    shown = _as_shown(_measured(_mapped(_at_hand(_at_one_time(alike), data), data), data))
    return _rows_named_once(_in_polygons(_where_points_lie(shown, data), data), data)


def of_dated_rather(found: list[Made], data: DataWords) -> list[Made]:
    """Of readings that differ in what a time is of, those in which it is of what has times: the people of 2020 who walk
    for an hour, where nobody says of when the walks are."""

    def dated(made: Made) -> bool:
        timed = (part.x for _, part in walk(made.value.expression) if isinstance(part, During))
        kinds = ({part.kind for _, part in walk(x) if isinstance(part, Quantity)} for x in timed)
        return not any(some and some <= data.undated for some in kinds)

    fit = {_untimed(made.value.expression) for made in found if dated(made)} if data.undated else set()
    return [made for made in found if not fit or dated(made) or _untimed(made.value.expression) not in fit]


def _at_one_time(alike: list[Made]) -> list[Made]:
    """Of readings that differ in how much of them one time is of, those that are all of it: ``had both an NDVI above
    0.6 and a soil moisture below 20 % on 10 January``."""
    same: dict[tuple[Expression, str | None], list[Made]] = {}
    for made in alike:
        same.setdefault((_untimed(made.value.expression), made.value.unit), []).append(made)
    return [made for some in same.values() for made in _of_most_times(some)]


def _untimed(x: Expression) -> Expression:
    x = with_children(x, _untimed)
    return x.x if isinstance(x, During) and isinstance(x.when, Times) else x


def _of_most_times(alike: list[Made]) -> list[Made]:
    times = [
        [
            part.when
            for _, part in walk(made.value.expression)
            if isinstance(part, During) and isinstance(part.when, Times)
        ]
        for made in alike
    ]
    if len({when for some in times for when in some}) != 1:
        return alike
    most = max(map(len, times))
    return [made for made, some in zip(alike, times, strict=True) if len(some) == most]


def _each_kept(alike: list[Made]) -> list[Made]:
    """Of readings of which one is the mean of the other over the objects, that of each: ``the mean change of each``."""
    every = {made.value.expression for made in alike}
    means = {x for x in every if isinstance(x, Over) and x.axes == "objects" and x.x in every}
    return [made for made in alike if made.value.expression not in means]


def _in_polygons(alike: list[Made], data: DataWords) -> list[Made]:
    """Of readings of a map that differ in the layer of a place alone those of polygons: the radiance in San Juan is not
    that of a power plant called so."""
    points = {level.layer for _, key in data.spots if isinstance(level := level_of(key), Polygons)}

    def anywhere(x: Expression) -> Expression:
        x = with_children(x, anywhere)
        if isinstance(x, Within) and isinstance(x.where, Polygons) and x.where.names:
            return replace(x, where=replace(x.where, layer=None))
        return x

    def in_polygons(x: Expression) -> bool:
        places = (part.where for _, part in walk(x) if isinstance(part, Within))
        return not any(one.layer in points for one in places if isinstance(one, Polygons) and one.names)

    same: dict[tuple[Expression, str | None], list[Made]] = {}
    for made in alike:
        same.setdefault((anywhere(made.value.expression), made.value.unit), []).append(made)
    kept = ([one for one in some if in_polygons(one.value.expression)] or some for some in same.values())
    return [made for some in kept for made in some]


def _rows_named_once(alike: list[Made], data: DataWords) -> list[Made]:
    """One of the readings that take the same rows of a table: those called so, and those of the place called so."""
    held = {layer.name: {*layer.values, *layer.names} for layer in data.features}

    def named(x: Expression) -> Expression:
        x = with_children(x, named)
        match x:
            case Within(x=Polygons(names=(), layer=layer) as rows, where=Polygons(names=names)) if are_rows(rows):
                return replace(rows, names=names) if names and {*names} <= held.get(layer, set()) else x
        return x

    once: dict[tuple[Expression, str | None], Made] = {}
    for made in alike:
        once.setdefault((named(made.value.expression), made.value.unit), made)
    return list(once.values())


def of_maps_rather(found: list[Made], data: DataWords) -> list[Made]:
    """Without readings of the rows of a table that nothing names, where the same words name what maps hold."""

    def told(made: Made) -> list[Entity]:
        return [one for one in made.entities if one.symbol == "TOLD"]

    held = {layer.name: {*layer.names, *layer.values} for layer in data.features}

    def names_rows(made: Made) -> bool:
        """Whether the question names rows, or a place of which they tell: a station."""
        tables = {layer_of(one.value.x) for one in told(made)}
        values = [one.value for one in made.entities if one.symbol not in ("TOLD", "QUANTITY")]
        told_of = {name for table in tables for name in held.get(table, ())}
        named = {name for value in values for x in _features_in(value) for _, part in walk(x) for name in _names(part)}
        return bool(told_of & named) or any(_layer_told(value) & tables for value in values)

    def mapped(made: Made) -> set[tuple[int, int]]:
        kinds = (one for one in made.entities if one.symbol == "QUANTITY" and one.value.kind in data.maps)
        return {(at, one.end) for one in kinds for at in range(one.start, one.end)}

    spans = [mapped(made) for made in found if not any(are_rows(part) for _, part in walk(made.value.expression))]
    every = {span for some in spans for span in some}
    return [
        made
        for made in found
        if not told(made) or names_rows(made) or not all((one.start, one.end) in every for one in told(made))
    ]


def _layer_told(value: object) -> set[str | None]:
    """The files of features that the value of a word is of."""
    if isinstance(value, str):
        level = level_of(value)
        return {level.layer} if isinstance(level, Polygons) else set()
    return {layer_of(one) for one in _features_in(value)}


def _features_in(value: object) -> list[Expression]:
    parts = value if isinstance(value, tuple) else (value, getattr(value, "x", None))
    return [one for one in parts if isinstance(one, Expression) and is_features(one)]


def _names(part: Expression) -> tuple[str, ...]:
    return part.names if isinstance(part, Polygons) else ()


def _measured(alike: list[Made], data: DataWords) -> list[Made]:
    """Those of what stations measured, by rows of a table, rather than of what a map says where they stand."""
    points = {level.layer for _, key in data.spots if isinstance(level := level_of(key), Polygons)}

    def keys(made: Made) -> list[Polygons]:
        parts = [part.key for _, part in walk(made.value.expression) if isinstance(part, Split)]
        return [key for key in parts if isinstance(key, Polygons)]

    by_rows = any(key.by is not None and are_rows(key) for made in alike for key in keys(made))
    return [made for made in alike if not by_rows or not any(key.layer in points for key in keys(made))] or alike


def _mapped(alike: list[Made], data: DataWords) -> list[Made]:
    """Those of quantities of which there are maps, where there are some: the coolest district, beside a table of the
    air at stations."""

    def mapped(made: Made) -> bool:
        parts = (part for _, part in walk(made.value.expression) if isinstance(part, Quantity))
        return all(part.kind in data.maps for part in parts)

    return [made for made in alike if mapped(made)] or alike


def _at_hand(alike: list[Made], data: DataWords) -> list[Made]:
    """Of readings that are as likely as each other those of what the data hold, where there are some."""

    def held(made: Made) -> bool:
        return all(
            part.kind in data.quantities for _, part in walk(made.value.expression) if isinstance(part, Quantity)
        )

    return [made for made in alike if held(made)] or alike


def _where_points_lie(alike: list[Made], data: DataWords) -> list[Made]:
    """Of readings of points without those by the mean of each, which is what is where it lies: one number."""
    points = {level.layer for _, key in data.spots if isinstance(level := level_of(key), Polygons)}

    def limits(made: Made) -> set[tuple[str, Expression]]:
        return {(one.side, one.limit) for _, one in walk(made.value.expression) if isinstance(one, Beyond)}

    def split(made: Made) -> set[str | None]:
        parts = [part for _, part in walk(made.value.expression) if isinstance(part, Beyond)]
        keys = (one.key for part in parts for _, one in walk(part) if isinstance(one, Split))
        return {key.layer for key in keys if isinstance(key, Polygons)}

    lying = [made for made in alike if not split(made) and points & _layers(made.value.expression)]
    return [
        made
        for made in alike
        if not (split(made) and split(made) <= points and any(limits(one) == limits(made) for one in lying))
    ]


def _layers(x: Expression) -> set[str | None]:
    return {part.layer for _, part in walk(x) if isinstance(part, Polygons)}


def _as_shown(alike: list[Made]) -> list[Made]:
    """Of readings that differ in how they are shown alone those that say how: a table of it."""
    shown = {made.value.expression.x for made in alike if isinstance(made.value.expression, Show)}
    kept = [made for made in alike if made.value.expression not in shown]
    return sorted(kept, key=lambda made: repr(made.value.expression))  # the same in every run
