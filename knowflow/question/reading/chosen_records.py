"""Which records of a file a question is about: those that values, limits, flags and times of it leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.units import compatible
from knowflow.knowledge.words import stem
from knowflow.question.operators import Attribute, During, Expression, Number, Polygons, Within, walk
from knowflow.question.reading.attributes import Bound, any_day, dated, like, not_marked, so_marked, with_number
from knowflow.question.reading.features import FeatureLayer, Sort
from knowflow.question.reading.objects import cut
from knowflow.question.reading.rows import those_rows
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, layer_of


@dataclass(frozen=True, slots=True)
class Asked:
    """A part of a question about records: what it does, its value, the columns of which one has to be used, and the
    stems of its words."""

    role: str
    value: Any = None
    needs: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rows:
    """Records that a question restricts, with the columns by which it does; those of ``both`` of some values."""

    x: Expression
    by: frozenset[str] = frozenset()
    whole: bool = True
    both: bool = False

    @property
    def named(self) -> bool:
        """Whether one of them is named, by what tells them apart."""
        return "" in self.by


def limited(parts: Sequence[Asked], layer: FeatureLayer) -> list[Asked] | None:
    """Parts with each limit as one of a column: of the one beside it, or of the only one that is told in its unit."""
    found = list(parts)
    for bound in [one for one in parts if one.role == "bound"]:
        at = found.index(bound)
        for beside in (at - 1, at + 1):
            other = found[beside] if 0 <= beside < len(found) else None
            of = None if other is None else _column(other, layer)
            told = None if of is None else like(of, bound.value)
            if told is not None:
                found[min(at, beside) : max(at, beside) + 1] = [Asked("limit", told)]
                break
        else:
            told = _by_unit(bound.value, layer)
            if told is None:
                return None
            found[at] = Asked("limit", told)
    return found


def _column(part: Asked, layer: FeatureLayer) -> Attribute | None:
    """The column of numbers that a part names, or of which it is a part of the name."""
    if part.role == "column":
        return part.value  # type: ignore[no-any-return]  # of that role
    own = {(column, unit) for _, column, unit in layer.numbers if {column} == part.needs}
    return Attribute(Polygons(layer=layer.name), *own.pop()) if part.role == "tells" and len(own) == 1 else None


def without_spans(parts: Sequence[Asked], layer: FeatureLayer) -> list[Asked]:
    """Parts without times that are all of those at hand, behind a word that says so: over all seasons, in the year; and
    without words for what a value is one of: the season 2020/21. What is told for each, as so much a month is, is none
    of these."""
    found: list[Asked] = []
    by = {by_of(named_by(one.value), layer) for one in parts if one.role == "value"}
    named = {stem(word) for column in by if "\n" not in column for word in column.lower().split("_")}
    for at, one in enumerate(parts):
        before = parts[at - 1] if at else None
        spanning = before is not None and before.role == "join" and before.value in _SPANNING
        spanning = spanning or (bool(one.said) and one.said <= named) or _is_of_year_told(one, before, layer)
        if one.role == "span" or (one.role == "grain" and (before is None or before.role not in ("which", "each"))):
            found += [] if spanning else [replace(one, role="left")]
        else:
            found.append(one)
    return found


def _is_of_year_told(part: Asked, before: Asked | None, layer: FeatureLayer) -> bool:
    """Whether a word says what a year that is told is one of: the 2022 season, of records of years."""
    days = layer.days[1] if layer.days is not None else ()
    when = before.value if before is not None and before.role == "time" else None
    of_years = part.value in ("season", "year") and all(len(day) == _YEAR for day in days)
    return of_years and isinstance(when, Times) and any_day(days, when)


_YEAR = 4  # letters
_SPANNING = frozenset({"over", "all", "in", "of", "during", "through", "across", "for", "over all", "of all", "any"})
"""Words before a time that is all of that at hand."""


def _by_unit(bound: Bound, layer: FeatureLayer) -> tuple[Attribute, Bound] | None:
    limit = bound[1]
    if not isinstance(limit, Number) or limit.unit == "1":
        return None
    own = {(column, unit) for _, column, unit in layer.numbers if unit != "1" and compatible(unit, limit.unit)}
    return like(Attribute(Polygons(layer=layer.name), *own.pop()), bound) if len(own) == 1 else None


def restricted(parts: Sequence[Asked], layer: FeatureLayer) -> tuple[Rows, list[Asked]] | None:
    """The records that values, limits and times of parts leave, and the parts that are none of these."""
    rows: Rows | None = Rows(Polygons(layer=layer.name))
    rest, before = [], None
    values = _values(parts, layer)
    for by, x in sorted((values or {}).items()):
        rows = _of_value(rows, by, x)
    if values is None or rows is None:
        return None
    rows = replace(rows, both=any(one.role == "value" and one.needs == BOTH for one in parts))
    for at, one in enumerate(parts):
        after = parts[at + 1] if at + 1 < len(parts) else None
        if one.role in ("value", "tells"):
            continue
        if one.role == "dated" and after is not None and after.role == "time":
            rows = _with(rows, one.value.name, dated(one.value, after.value))
        elif one.role == "time" and before is not None and before.role == "dated":
            pass
        elif one.role == "limit":
            rows = _with(rows, one.value[0].name, one.value)
        elif one.role in ("flag", "unmarked"):
            rows = _with(rows, one.value.name, (so_marked if one.role == "flag" else not_marked)(one.value))
        elif one.role == "time":
            rows = _in_time(rows, one.value, layer)
        else:
            rest.append(one)
        before = one
        if rows is None:
            return None
    return None if rows is None else (rows, rest)


def _with(rows: Rows | None, column: str, said: tuple[Attribute, Bound] | None) -> Rows | None:
    if rows is None or said is None:
        return None
    test = with_number(Polygons(layer=layer_of(said[0].x)), said)
    if not isinstance(test, Within):
        return None
    found = those_rows(rows.x, test.where) if are_rows(rows.x) else Within(rows.x, test.where)
    return None if found is None else Rows(found, rows.by | {column}, False, rows.both)


def _values(parts: Sequence[Asked], layer: FeatureLayer) -> dict[str, Polygons] | None:
    """The values that are named, by the column or the file that has them; None where two of one column are apart."""
    found: dict[str, Polygons] = {}
    for x in (named_by(one.value) for one in parts if one.role == "value"):
        by = by_of(x, layer)
        if found.setdefault(by, x) != x:
            return None
    return found


BOTH = frozenset({"and"})
"""What marks several values that are named together: what is asked is of all of them, or of each."""


def either(parts: Sequence[Asked], layer: FeatureLayer) -> list[Asked]:
    """Parts with values of one column, joined by ``or`` or ``and``, as one."""
    found: list[Asked] = []
    for one in parts:
        joined = found[-2:] if one.role == "value" and [part.role for part in found[-2:]] == ["value", "join"] else []
        if joined and joined[1].value in ("or", "and"):
            first, last = named_by(joined[0].value), named_by(one.value)
            if by_of(first, layer) == by_of(last, layer) and first.layer == last.layer:
                names = tuple(dict.fromkeys((*first.names, *last.names)))
                needs = BOTH if joined[1].value == "and" else joined[0].needs
                found[-2:] = [Asked("value", replace(first, names=names), needs)]
                continue
        found.append(one)
    return [replace(one, role="left") if (one.role, one.value) == ("join", "or") else one for one in found]


def named_by(value: Polygons | Sort) -> Polygons:
    """The features, or rows, that a value names."""
    return value.x if isinstance(value, Sort) else value


def by_of(x: Polygons, layer: FeatureLayer) -> str:
    """The column that has a value, "" for the names themselves; a mark of the file, where it is of another one."""
    return _column_of(x, layer) if x.layer == layer.name else f"\n{x.layer}"


def _column_of(x: Polygons, layer: FeatureLayer) -> str:
    return next((by for by, values in layer.sorts if {*x.names} <= {*values}), "")


def _of_value(rows: Rows | None, by: str, x: Polygons) -> Rows | None:
    if rows is None:
        return None
    if are_rows(rows.x):
        found = those_rows(rows.x, x)
    elif x.layer == layer_of(rows.x):
        found = x if rows.x == Polygons(layer=x.layer) else Within(rows.x, x)
    else:
        found = cut(rows.x, x)
    return None if found is None else Rows(found, rows.by | {by}, False, rows.both)


def _in_time(rows: Rows | None, when: Times, layer: FeatureLayer) -> Rows | None:
    if rows is None:
        return None
    if _timed(rows.x):
        return None
    if layer.days is not None and any_day(layer.days[1], when):
        return Rows(During(rows.x, when), rows.by | {layer.days[0]}, False, rows.both)
    if layer.year is not None and not are_rows(rows.x):
        of = Attribute(Polygons(layer=layer.name), layer.year)
        return _with(rows, layer.year, dated(of, when))
    return None


def _timed(x: Expression) -> bool:
    return any(isinstance(part, During) for _, part in walk(x))
