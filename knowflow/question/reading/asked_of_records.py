"""What is asked of the records of one file, by the parts of a question whatever their order: its rows restricted, and
counted, added up, averaged, or ranked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from knowflow.ground.units import compatible, normalise
from knowflow.knowledge.words import stem
from knowflow.question.operators import (
    Attribute,
    Beyond,
    Calculate,
    During,
    Expression,
    Extreme,
    Holds,
    Number,
    Over,
    Polygons,
    Split,
    walk,
)
from knowflow.question.reading.attributes import any_day
from knowflow.question.reading.chosen_records import Asked, Rows, either, limited, restricted, without_spans
from knowflow.question.reading.features import FeatureLayer, Sort
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.nouns import PERCENT, level_of, per, statistic_of, told_in
from knowflow.question.reading.objects import count, most_in, per_zone, ranked_zones
from knowflow.question.reading.order import Level, Thing, typed
from knowflow.question.reading.questions import Answer, answer
from knowflow.question.reading.rows import usual_statistic
from knowflow.question.reading.sorts import not_of
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows, is_count

_SIDES = {"highest": "maximum", "lowest": "minimum"}
_ENDS = ("maximum", "minimum")
_BEFORE_KEYS = ("value", "flag", "unmarked", "tells")
_OF_MOST = frozenset(
    {
        "which",
        "when",
        "key",
        "grain",
        "stat",
        "average",
        "total",
        "most",
        "graded",
        "column",
        "adjective",
        "tells",
        "what",
    }
)
"""What parts of a question of those with the most do."""
_HEADS = ("count", "days", "amount", "which", "what", "when")


def asked_of(parts: Sequence[Asked], layer: FeatureLayer) -> Iterator[Answer]:
    """What parts make together of the records of a file; nothing where one of them does not fit, or is left."""
    told = list(_denied(_which_of_what(_days_counted(either(parts, layer)))))
    told = [replace(one, role="group") if _is_group(one, layer) else one for one in told]
    needed = [one.needs for one in parts if one.role == "tells" and one.needs]
    if any(one.role == "left" for one in told):
        return
    made = _part_of_all(told, layer) if any(one.role == "share" for one in told) else _made(told, layer)
    if made is not None and all(each & made[1] for each in needed):
        yield made[0]


_Made = tuple[Answer, frozenset[str]]
"""What is asked, and the columns that it is of."""


def _made(parts: Sequence[Asked], layer: FeatureLayer) -> _Made | None:
    parts = without_spans(parts, layer)
    kept = [one for one in parts if one.role != "join" and (one.role != "tells" or one.needs)]
    found = None if any(one.role == "left" for one in kept) else limited(kept, layer)
    said = None if found is None else restricted(found, layer)
    made = None if said is None else _asked(said[1], said[0], layer)
    return None if said is None or made is None else (made[0], made[1] | said[0].by)


def _days_counted(parts: Sequence[Asked]) -> list[Asked]:
    """Parts with times that are counted as such: ``how many days``, of which each counts once."""
    found: list[Asked] = []
    for one in parts:
        if one.role == "grain" and found and found[-1].role == "count":
            found[-1] = Asked("days", one.value)
        else:
            found.append(one)
    return found


def _which_of_what(parts: Sequence[Asked]) -> Iterator[Asked]:
    """Parts with ``which`` as a head of its own only before what it chooses from, perhaps with values: ``what did``."""
    for at, one in enumerate(parts):
        after = next((other.role for other in parts[at + 1 :] if other.role not in _BEFORE_KEYS), "")
        if one.role == "count":  # what is counted stands next
            of = (other.role for other in parts[at + 1 :] if other.role not in ("join", "tells", "flag", "unmarked"))
            yield replace(one, value=next(of, ""))
        elif one.role != "which" or after in ("key", "grain"):
            yield one
        else:
            asks = [other.role for other in parts[at + 1 : at + 2]]
            yield replace(one, role="what" if asks in (["join"], ["column"]) else "left")


def _denied(parts: Iterable[Asked]) -> Iterator[Asked]:
    """Parts with what is denied as what it is then: without a shelter, not spruce."""
    denied = False
    for one in parts:
        if one.role == "not":
            denied = True
        elif not denied or one.role == "join":
            yield one
        else:
            denied = False
            if one.role == "flag":
                yield replace(one, role="unmarked")
            elif one.role == "value" and isinstance(one.value, Sort) and (others := not_of(one.value)) is not None:
                yield replace(one, value=others)
            else:
                yield replace(one, role="left")
    if denied:
        yield Asked("left")


def _part_of_all(parts: Sequence[Asked], layer: FeatureLayer) -> _Made | None:
    """``what percentage of the claims are open``: how many of those that are named, of all of these."""
    at = next(at for at, one in enumerate(parts) if one.role == "share")
    verbs = (n for n in range(at, len(parts)) if parts[n].role == "join" and parts[n].value in _VERBS)
    verb = next(verbs, None)
    if verb is None:
        return None
    both = []
    for some in ([*parts[:at], *parts[at + 1 : verb]], [*parts[:at], *parts[at + 1 :]]):
        kept = [one for one in without_spans(some, layer) if one.role not in ("join", "what")]
        found = limited([one for one in kept if one.role != "tells" or one.needs], layer)
        said = None if found is None else restricted(found, layer)
        if said is None or any(
            one.role not in ("key", "tells") or (one.role == "key" and not _is_row(one, layer)) for one in said[1]
        ):
            return None
        both.append(said[0])
    whole, few = both
    if few.x == whole.x or layer.counts is not None:
        return None
    ratio = Calculate("ratio", *(Over(one.x, "objects", "count") for one in (few, whole)))
    told = answer(Thing(ratio, unit=PERCENT))
    return None if told is None else (told, few.by)


_VERBS = ("is", "are", "was", "were", "has", "have", "had")


def _is_row(part: Asked, layer: FeatureLayer) -> bool:
    level = level_of(part.value) if part.role == "key" else None
    return isinstance(level, Polygons) and level.by is None and level.layer == layer.name


def _asked(parts: Sequence[Asked], rows: Rows, layer: FeatureLayer) -> _Made | None:
    """What the parts ask of records, and the columns that it is of."""
    kept, key = _apart(parts, layer)
    roles = [one.role for one in kept]
    units = [one.value for one in kept if one.role == "unit"]
    stats = [one.value for one in kept if one.role == "stat"] + ["mean"] * roles.count("average")
    columns = list(dict.fromkeys(one.value for one in kept if one.role in ("column", "adjective")))
    if len(units) > 1 or len(columns) > 1 or sum(roles.count(one) for one in _HEADS) > 1 or "left" in roles:
        return None
    of = replace(columns[0], x=rows.x) if columns else None
    used = frozenset(one.name for one in columns) | _columns_of_key(parts)
    if "when" in roles or "which" in roles:
        found = None if key else _which(kept, stats, rows, of, layer)
        return None if found is None or units else (Answer(found), used | _day_of(layer))
    if "most" in roles or "grain" in roles:
        return None
    graded = _graded(kept, units, layer)
    if graded is not None:
        column, side = graded
        if of is not None and of.name != column.name:
            return None
        of, stats = replace(column, x=rows.x), [*stats, side]
    elif "long" in roles or "graded" in roles:
        return None
    thing = _number(kept, stats, rows, of, layer)
    if thing is not None and key is not None:
        counted = isinstance(thing.x, Over) and thing.x.statistic == "count"
        each = Thing(of, statistic=_said_of(kept, stats, of)) if of is not None else None
        thing = per_zone(thing, key) if counted else None if each is None else per(each, key)
    if thing is not None and units:
        thing = told_in(units[0], thing)
    told = None if thing is None else answer(thing)
    return None if told is None else (told, used | frozenset({str(layer.counts)} if "group" in roles else ()))


def _day_of(layer: FeatureLayer) -> frozenset[str]:
    return frozenset() if layer.days is None else frozenset({layer.days[0]})


def _said_of(parts: Sequence[Asked], stats: Sequence[Any], of: Attribute) -> Any:
    """The statistic of the records of each key."""
    said = [one for one in stats if one != "sum"]
    total = len(said) < len(stats) or any(one.role in ("total", "count", "amount") for one in parts)
    return said[0] if said else "sum" if total else usual_statistic(of)


def _apart(parts: Sequence[Asked], layer: FeatureLayer) -> tuple[list[Asked], Level | None]:
    """Parts without those that tell of each of which something is asked, and this."""
    units = {one.value.unit for one in parts if one.role in ("column", "adjective")}
    for at, one in enumerate(parts):
        if one.role == "each" and at + 1 < len(parts) and parts[at + 1].role == "unit":  # yield per hectare, in t/ha
            each = f"{normalise(parts[at + 1].value)}-1"
            if len(units) == 1 and all(each in unit.split() for unit in units):
                return _apart([*parts[:at], *parts[at + 2 :]], layer)
        if one.role == "each" and at + 1 < len(parts) and parts[at + 1].role in ("key", "grain"):
            if _is_row(parts[at + 1], layer):  # the mean loss per claim
                means = [other for other in parts if other.role == "average" or other.value == "mean"]
                return [*parts[:at], *parts[at + 2 :], *([] if means else [Asked("left")])], None
            return [*parts[:at], *parts[at + 2 :]], Keys(parts[at + 1].value).level
    return [replace(one, role="left") if one.role == "each" else one for one in parts], None


def _graded(parts: Sequence[Asked], units: Sequence[str], layer: FeatureLayer) -> tuple[Attribute, str] | None:
    """The column that a word grades, with the extreme that is meant: ``the longest dive, in minutes``. Its number is
    asked for where the unit is said, or the column by its name."""
    named = bool(units) or any(one.role in ("column", "adjective") for one in parts)
    graded = {(one.value[0], _SIDES[one.value[1]]) for one in parts if one.role == "graded"}
    if len(graded) == 1 and named and not any(one.role == "long" for one in parts):
        return graded.pop()
    sides = [one.value for one in parts if one.role == "long"]
    if len(sides) != 1 or len(units) != 1 or graded:
        return None
    own = {(column, unit) for _, column, unit in layer.numbers if unit != "1" and compatible(unit, units[0])}
    spans = compatible(units[0], "s") or compatible(units[0], "m")
    return (Attribute(Polygons(layer=layer.name), *own.pop()), _SIDES[sides[0]]) if len(own) == 1 and spans else None


def _columns_of_key(parts: Sequence[Asked]) -> frozenset[str]:
    levels = [level_of(one.value) for one in parts if one.role == "key"]
    graded = {one.value[0].name for one in parts if one.role == "graded"}
    return frozenset({one.by for one in levels if isinstance(one, Polygons) and one.by is not None} | graded)


def _again(part: Asked, rows: Rows, layer: FeatureLayer) -> bool:
    """Whether a word says what a value that is named is one of: hive B1, the berths for fishing, stake H03 (of a column
    of names, where it is none of the others); or what each record of a day is of: all blocks in 2022."""
    level = level_of(part.value)
    if not isinstance(level, Polygons):
        return False
    if level.by is not None:
        own = level.layer == layer.name
        of_names = rows.named and all(by != level.by for by, _ in layer.sorts)
        return level.by in rows.by or (own and (of_names or _is_of_one_day(rows.x, layer)))
    columns = {stem(word) for by in rows.by if "\n" not in by for word in by.lower().split("_")}
    return f"\n{level.layer}" in rows.by or part.said <= columns


def _number(
    parts: Sequence[Asked], stats: Sequence[Any], rows: Rows, of: Attribute | None, layer: FeatureLayer
) -> Thing | None:
    """How many records there are, or a statistic of a column of theirs."""
    roles = {one.role for one in parts} - {"unit", "what", "tells", "graded", "long", "adjective"}
    said = [one for one in stats if one != "sum"]
    total = "total" in roles or len(said) < len(stats)
    roles -= {"stat", "average", "total", "column", "key"}
    if len(said) > 1 or any(
        one.role == "key" and not (_is_row(one, layer) or _again(one, rows, layer)) for one in parts
    ):
        return None
    if roles == {"count", "group"}:
        return count(rows.x) if of is None and not stats else None
    if roles == {"count"} and of is None and not stats:
        keys = [one for one in parts if one.role == "key"]
        own = any(_is_row(one, layer) for one in keys)
        others = any(one.role == "count" and one.value == "key" for one in parts) and not own
        return None if others else _counted(rows, layer, own)
    if roles == {"days"}:
        days = next(one.value for one in parts if one.role == "days")
        return _counted_days(days, rows) if of is None and not stats and layer.days is not None else None
    if of is None or roles - {"count", "amount"} or (said and (total or roles)):
        return None
    if said:
        return None if rows.both else statistic_of(said[0], Thing(of))
    in_unit = any(one.role == "unit" for one in parts) or "_" not in of.name  # kWp, which is one
    if roles == {"count"} and of.unit != "1" and not in_unit:
        return None
    usual = None if rows.whole or rows.both else usual_statistic(of)
    if usual == "mean" and not (rows.named or _is_of_one_day(rows.x, layer)):
        usual = None  # of several records, whose statistic nobody said
    statistic = "sum" if total or roles else usual
    return None if statistic is None else statistic_of(statistic, Thing(of))


def _is_group(part: Asked, layer: FeatureLayer) -> bool:
    """Whether a word calls a record by what its column says how many each is of: the flocks, of ``flock_size``."""
    of = (layer.counts or "").lower().removesuffix("_size")
    return of != (layer.counts or "").lower() and part.role == "tells" and part.said == {stem(of)}


def _counted_days(grain: str, rows: Rows) -> Thing | None:
    """How many days, weeks or months have such records."""
    if rows.whole or not are_rows(rows.x):
        return None
    each = Over(Split(rows.x, grain), "objects", "count")  # type: ignore[arg-type]  # words list grains
    found = Over(Beyond(each, "above", Number(0.0)), "time", "count")
    return Thing(found) if typed(found) is not None else None


def _is_of_one_day(x: Expression, layer: FeatureLayer) -> bool:
    """Whether a time is a day, or holds only one of those that the records tell: May, of surveys of a day."""
    times = [part.when for _, part in walk(x) if isinstance(part, During) and isinstance(part.when, Times)]
    told = layer.days[1] if layer.days is not None else ()
    of_one = any(sum(any_day((day,), one) for day in told) == 1 for one in times)
    return of_one or any(one.first is not None and one.first == one.last for one in times)


def _counted(rows: Rows, layer: FeatureLayer, named: bool) -> Thing | None:
    """How many records; of those that tell how many each is of, these, where they are named by a value of theirs."""
    if layer.counts is None:
        return count(rows.x)
    return None if named else statistic_of("sum", Thing(Attribute(rows.x, layer.counts)))


def _which(
    parts: Sequence[Asked], stats: Sequence[Any], rows: Rows, of: Attribute | None, layer: FeatureLayer
) -> Expression | None:
    """The records, or the values of a column, a day or a year, with the most of something; or those that are told of
    records at all."""
    if any(one.role not in _OF_MOST for one in parts):
        return None
    ends = [one for one in stats if one in _ENDS] + ["maximum" for one in parts if one.role == "most"]
    means = [one for one in stats if one not in _ENDS] + ["sum" for one in parts if one.role == "total"]
    graded = [one.value for one in parts if one.role == "graded"]
    key = _key(parts, layer)
    if key is None:
        return None
    keys = Keys(key)
    if isinstance(keys.level, str) and layer.days is None:
        return None
    if (ends, graded, means, of) == ([], [], [], None):
        return _told(keys.level, rows, layer)
    if len(ends) + len(graded) != 1 or len(means) > 1 or any(one.role == "when" for one in parts):
        return None
    if graded and of is None:
        of, side = replace(graded[0][0], x=rows.x), _SIDES[graded[0][1]]
    elif graded and of is not None and of.name == graded[0][0].name:
        side = _SIDES[graded[0][1]]
    elif graded:
        return None
    else:
        side = ends[0]
    level = keys.level
    if isinstance(level, Polygons) and level.by is None and level.layer == layer.name:
        own = Extreme(of, "highest" if side == "maximum" else "lowest") if of is not None and not means else None
        return own if own is not None and typed(own) is not None and (layer.names or not are_rows(own.x)) else None
    if of is None:
        counted = any(one.role == "key" and _is_row(one, layer) for one in parts) and not stats
        return most_in(keys, side, rows.x) if counted else None
    roles = {one.role for one in parts}
    if not are_rows(of.x):  # of features all together, in each place or of each value
        said = means[0] if means else "sum" if "most" in roles and _adds(of) else None
        one = None if said is None else statistic_of(said, Thing(of))
        return None if one is None else ranked_zones(keys, side, one)
    each = side if level == "date" and "stat" in roles else "sum" if "most" in roles and _adds(of) else None
    return ranked(keys, side, Thing(of, statistic=means[0] if means else each))  # type: ignore[arg-type]


def _key(parts: Sequence[Asked], layer: FeatureLayer) -> str | None:
    """What is chosen from: what stands behind ``which``, the day behind ``when``."""
    if any(one.role == "when" for one in parts):
        others = any(one.role == "grain" or (one.role == "key" and not _is_row(one, layer)) for one in parts)
        return None if others else "date"
    at = next(at for at, one in enumerate(parts) if one.role == "which")
    follow = [one for one in parts[at + 1 :] if one.role in ("key", "grain")]
    rest = [one for one in parts if one.role == "key" and one not in follow[:1]]
    return follow[0].value if follow and all(_is_row(one, layer) for one in rest) else None


def _told(level: Level, rows: Rows, layer: FeatureLayer) -> Expression | None:
    """Which days, or values of a column, some records have: ``when was P07 sown``, ``which variety is P07``."""
    by_column = isinstance(level, Polygons) and level.by is not None and level.layer == layer.name
    if rows.whole or not (level == "date" or by_column):
        return None
    each = Over(Split(rows.x, level), "objects", "count")  # type: ignore[arg-type]  # a level that is a word is a grain
    found = Holds(Beyond(each, "above", Number(0.0)))
    return found if typed(found) is not None else None


def _adds(of: Attribute) -> bool:
    """Whether the most of it is of all together: hours, tonnes, how many."""
    return of.unit == "1" or is_count(of.unit) or compatible(of.unit, "s") or usual_statistic(of) == "sum"
