"""What words mean with the data at hand: of several things that one name stands for those that they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache
from typing import Any

from knowflow.ground.called import read_called
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import MEASURED_AS, reading_words, words_of
from knowflow.knowledge.words import stem
from knowflow.question.operators import Expression, IsClass, Polygons, Quantity, walk
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import PLACE, SEVERAL, number_of, same_words
from knowflow.question.reading.heights import lies_so
from knowflow.question.reading.nouns import level_of
from knowflow.question.reading.order import Thing
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.types import type_of_kind

NAMING = frozenset(
    [
        "QUANTITY",
        "GROUND",
        "BODY",
        "SHARE_OF",
        "STOCK",
        "SUBSTANCE",
        "MEDIUM",
        "RANKED",
        "COMPARED",
        "MORE",
        "GOING",
        "TURNED",
        "ADJECTIVE",
        "GETS",
        "NAMED",
        "MEASURES",
        "POINT_OF",
        "NEAR",
        "SOURCE",
        "HELD",
        "ASKED",
        "GONE",
        "GROUP",
    ]
)
"""Symbols of words that say of what a question is."""
_OF_ITS = {
    "STAT": "ITS_STAT",
    "CHANGED": "ITS_CHANGE",
    "ARITHMETIC": "ITS_CHANGE",
    "RISE": "ITS_RISE",
    "MOVED": "ITS_RISE",
}
"""What is asked of it, each with its symbol where nothing is named that it is asked of."""


def of_the_one(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Statistics and changes of what is not named: ``in how many months did the mean exceed 150 mm?``. Of a sentence
    that names nothing, and not where what follows is what it is of: the mean of the area."""
    kinds = [kind for kind in data.quantities if _is_number(kind)]
    dated = [kind for kind in kinds if data.maps.get(kind, 0) > 1]
    if len(dated) != 1 or any(one.symbol in NAMING for one in found):
        return
    times = {one.start for one in found if one.symbol == "TIME"}
    its, lying = Thing(Quantity(dated[0])), {*lies_so(words)}
    for one in found:
        of_time = words[one.end : one.end + 1] not in (["of"], ["in"]) or one.end + 1 in times
        falls = one.symbol == "MOVED" and one.value == "down" and _adds_up(dated[0])  # rain falls, and is no less
        if one.symbol in _OF_ITS and one.value is not None and of_time and one.start not in lying and not falls:
            yield replace(one, symbol=_OF_ITS[one.symbol], value=(one.value, its), cost=one.cost + 1)


def _adds_up(kind: str) -> bool:
    own = type_of_kind(kind)
    return own is not None and own.of == "number" and "time" in own.measure.adds


def _is_number(kind: str) -> bool:
    own = type_of_kind(kind)
    return own is not None and own.of == "number"


_MADE = 2  # what is made of data that hold a map of it
COMMON_UNITS = ("%", "1", "m", "km", "cm", "m2", "ha", "km2", "day", "year", "degree")
_MANY = "sa"  # how a plural ends: means, maxima
_FACTS = ("BAND", "POLARISATION", "DAYNIGHT", "ORBIT")  # words for values of facts of the data
_OF_KINDS = ("RANKED", "COMPARED", "MORE", "GOING", "TURNED", "ADJECTIVE", "GETS", "NAMED", "MEDIUM", "POINT_OF")
_GRADED = ("RANKED", "COMPARED", "MORE", "GOING", "TURNED", "ADJECTIVE", "GETS", "NAMED")


def of_angles(found: Sequence[Entity]) -> Iterator[Entity]:
    """Degrees are those of the angle that is spoken of, where no temperature is, and the other way round."""
    kinds = {one.value.kind for one in found if one.symbol == "QUANTITY"}
    kinds |= {one.value if isinstance(one.value, str) else one.value[0] for one in found if one.symbol in _GRADED}
    units = {quantity_kinds()[kind].unit for kind in kinds}
    angle = "degree" in units or any(one.symbol == "slopes" for one in found)
    warm = any(compatible(unit, "K") for unit in units)
    both = [one for one in found if (one.symbol, one.value) == ("UNIT", "degree")]
    meant = "degree" if angle else "degC"
    for one in found:
        either = one.symbol == "UNIT" and any(same_words(one, other) for other in both)
        if angle == warm or not either or one.value == meant:
            yield one


def own_units(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Units in which one quantity alone of the data is told: ``above 25 ug/m3``."""
    for one in found:
        if one.symbol == "UNIT" and one.value not in COMMON_UNITS:
            own = [kind for kind in data.quantities if (its := type_of_kind(kind)) is not None and its.of == "number"]
            kinds = [kind for kind in own if compatible(type_of_kind(kind).measure.unit, one.value)]  # type: ignore[union-attr]
            if len(kinds) == 1:
                yield replace(one, symbol="OWN_UNIT", value=(kinds[0], one.value))


def graded(found: Iterable[Entity], data: DataWords) -> Iterator[Entity]:
    """Of quantities that one word grades the usual one, which is the first, those that the data hold, and those of what
    the sentence says it of."""
    usual: dict[tuple[str, int, int], str] = {}
    every = tuple(found)
    said = {one.value for one in every if one.symbol == "MEDIUM"}
    named = {one.value.kind for one in every if one.symbol == "QUANTITY"}
    in_tables = frozenset(kind for layer in data.features for kind, *_ in layer.kinds)
    kinds: dict[tuple[str, int, int], set[str]] = {}
    for one in every:
        if one.symbol in _GRADED:
            kinds.setdefault((one.symbol, one.start, one.end), set()).add(_graded_kind(one))
    for one in every:
        if one.symbol in _GRADED:
            kind = one.value if isinstance(one.value, str) else one.value[0]
            first = usual.setdefault((one.symbol, one.start, one.end), kind)
            alike = kinds[one.symbol, one.start, one.end]
            held = data.quantities | named
            held = held if alike & held else in_tables
            spoken = {first} if first in said else alike & said
            if kind not in ((alike & said & held) or (alike & held) | spoken or {first}):
                continue
        yield one


def measured(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What is graded by a noun of what is measured, ``deeper`` by ``depth``: of the quantities of the data those whose
    name has it, in place of others that the word grades and that the data do not hold."""
    told: dict[tuple[str, int, int], dict[Entity, None]] = {}
    nouns = {one: noun for one in found if (noun := _graded_kind(one)).startswith(MEASURED_AS)}
    for one, noun in nouns.items():
        for kind in _kinds_of_noun(noun.removeprefix(MEASURED_AS), data):
            value = kind if isinstance(one.value, str) else (kind, *one.value[1:])
            told.setdefault((one.symbol, one.start, one.end), {})[replace(one, value=value)] = None
    for one in found:
        instead = told.get((one.symbol, one.start, one.end), {})
        if one not in nouns and one not in instead and (not instead or _graded_kind(one) in data.quantities):
            yield one
    yield from (one for some in told.values() for one in some)


def _graded_kind(one: Entity) -> str:
    """The quantity that a word grades; "" for other words."""
    if one.symbol not in _OF_KINDS:
        return ""
    return one.value if isinstance(one.value, str) else str(one.value[0])


def _kinds_of_noun(noun: str, data: DataWords) -> Iterator[str]:
    """The quantities of the data whose names have a noun, and that no words of their own grade: a Secchi depth is
    clear, and not deep."""
    said = stem(noun)
    for kind in sorted(data.quantities - _graded_by_name()):
        called = read_called(kind)
        if said in map(stem, (kind.replace("_", " ") if called is None else called[0]).split()):
            yield kind


@cache
def _graded_by_name() -> Set[str]:
    every = (one for found in reading_words().phrases.values() for one in found)
    return {value if isinstance(value, str) else value[0] for symbol, value in every if symbol in _GRADED}


def _as_named(alike: Sequence[Entity], data: DataWords) -> Entity:
    """What one name means of what the data map: the first, and of a map's classes the one that they call so."""
    first = alike[0]
    if not isinstance(first.value, IsClass):
        return first
    said = {key_of(name) for name in first.value.names}
    known = {name for names in data.classes.values() for name in names}
    same_map = (one for one in alike if isinstance(one.value, IsClass) and one.value.x == first.value.x)
    own = [one for one in same_map if known.issuperset(one.value.names)]
    return first if not own or said.intersection(map(key_of, own[-1].value.names)) else own[-1]


def _of_more_years(x: Expression, other: Expression, data: DataWords) -> bool:
    """Whether there are maps of it of years of which there are none of the other."""
    years, its = ({year for kind in kinds_of(e) for year in data.years.get(kind, ())} for e in (x, other))
    return bool(its) and not years <= its


_MADE_OF: Mapping[str, Set[str]] = {"wind_speed": {"eastward_wind", "northward_wind"}}
"""Quantities that files name the height of by those that they are made of."""


def known_by(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What one name means with these data.

    Of things on the ground the first of which they hold a map, else the last; how much is covered where they hold no
    quantity called so; and quantities in place of those that they do not hold.
    """
    held = data.quantities
    named = {(one.start, one.end): one.value for one in found if one.symbol == "QUANTITY"}
    for one in found:
        whole = named.get((one.start, one.end))
        if one.symbol == "GROUND":
            alike = [other for other in found if other.symbol == "GROUND" and same_words(one, other)]
            mapped = [other for other in alike if kinds_of(other.value) <= held]
            meant = _as_named(mapped, data) if mapped else alike[-1 if held else 0]
            if one == meant:
                yield replace(one, value=_as_mask(one.value, held))
            elif mapped and one.value != meant.value and not kinds_of(one.value) <= held:
                yield replace(one, cost=one.cost + _MADE)  # where the map does not fit: it is of one date
            elif one in mapped and one.value != meant.value and _of_more_years(one.value, meant.value, data):
                yield replace(one, cost=one.cost + _MADE)
        elif one.symbol == "SHARE_OF":
            if held and not (whole is not None and whole.kind in held) and not _held_otherwise(one, found, held):
                yield one
        elif one.symbol == "SHORT":
            if (one.start, one.end) not in named:
                yield replace(one, symbol="QUANTITY", value=Quantity(one.value), cost=_MADE)
        elif one.symbol == "HELD":
            one = replace(one, value=_held_as(one.value, held))
            if (one.value in held or _MADE_OF.get(one.value, {""}) <= held) and (
                whole is None or whole.kind not in held
            ):
                whole_name = one.end - one.start > 1  # no part of which says something else
                yield replace(one, symbol="QUANTITY", value=Quantity(one.value), cost=one.cost - whole_name)
        elif one.symbol in ("STOCK", "SINKS", "LOSS", "STANDING", "KEPT"):
            stocks = (other.value for other in found if other.symbol == one.symbol and same_words(one, other))
            told = one.symbol != "SINKS" or _is_told_upwards(one.value, data)
            if told and one.value == next((kind for kind in stocks if kind in held), None):
                yield replace(one, value=Quantity(one.value))
        elif one.symbol in ("DENSITY", "DENSEST", "SPARSEST"):
            if one.value in held:
                yield one
        elif one.symbol == "SUBSTANCE":
            others = [other for other in found if other.symbol == "SUBSTANCE" and same_words(one, other)]
            more_own = any(other.value in held and other.cost < one.cost for other in others)
            one = replace(one, value=_held_as(one.value, held))
            if one.value in held and not more_own and not _names_another(one, found, held):
                yield one
        elif one.symbol == "SENSOR":
            if not data.sensors or any(name.partition("-")[0] == one.value.partition("-")[0] for name in data.sensors):
                yield one
        elif one.symbol in _FACTS:
            value = next(
                (other for other in data.chosen if (other.fact, other.value) == (one.symbol.lower(), one.value)), None
            )
            if value is not None:
                yield replace(one, symbol="CHOSEN", value=value)
        elif one.symbol != "QUANTITY" or not _told_otherwise(one, found, held):
            yield one


def _as_mask(ground: Any, held: Set[str]) -> Any:
    """A class of land that the data hold as a mask alone, as this: forest."""
    if not isinstance(ground, IsClass) or not isinstance(ground.x, Quantity) or ground.x.kind in held:
        return ground
    mask = f"{ground.names[0]}_mask"
    return Quantity(mask) if len(ground.names) == 1 and mask in held else ground


def _is_told_upwards(kind: str, data: DataWords) -> bool:
    """Whether what goes down is below nothing: as notes say, or what it is a motion of by its name."""
    return dict(data.down).get(kind, -1 if kind.startswith("vertical") else 0) < 0


def _held_as(kind: str, held: Set[str]) -> str:
    """A kind, or what the data hold that is called so and is no kind of its own."""
    return kind if kind in held else next((one for one in sorted(held) if one.partition("__")[0] == kind), kind)


def _names_another(one: Entity, found: Sequence[Entity], held: Set[str]) -> bool:
    """Whether the noun behind a substance makes it the name of another quantity: snow, in snow depth."""
    nouns = [other.end for other in found if other.symbol == "TOLD_AS" and other.start == one.end]
    whole = [
        other.value for other in found if other.symbol == "QUANTITY" and other.start == one.start and other.end in nouns
    ]
    return any(other.kind != one.value and other.kind in held for other in whole)


_THEIR_GROUND = frozenset(
    (one,) for one in ("area", "areas", "surface", "surfaces", "pixels", "ground", "terrain", "land")
)


def places_of_a_kind(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What a word for places is where nothing else is said of it: the polygons, where it is plural, or what the data
    call the one that there is; else the whole of the data: ``the NDVI of the district``. A word that is a name of one
    of the polygons is that one: ``in the Basin``."""
    called = {words_of(name) for name, _ in data.keys}
    named = {(one.start, one.end) for one in found if one.symbol == "OBJECTS"}
    counts = {layer.name: layer.count for layer in data.features}
    for one in found:
        of = level_of(one.value) if one.symbol == "NAMED_KEY" and (one.start, one.end) not in named else None
        if isinstance(of, Polygons) and of.by is None:
            count = counts.get(of.layer, len(data.objects))
            spoken = tuple(word for word in words[one.start : one.end] if word != "-")
            behind = [other for other in found if other.symbol == "STAT" and other.start == one.end]
            if behind and words[one.end][-1] in _MANY:
                continue  # the field means
            if spoken in called and count >= SEVERAL and tuple(words[one.end : one.end + 1]) in _THEIR_GROUND:
                yield Entity("PLACE", one.start, one.end + 1, of, 1)  # the landslide area
                continue
            polygons = spoken[-1].endswith("s") or (spoken in called and count < SEVERAL)
            body = count >= SEVERAL and any(other.symbol == "BODY" and same_words(one, other) for other in found)
            if spoken in called and not polygons and (body or len(spoken) > 1 or of.layer is not None):
                continue  # the glacier, of four; the fire perimeter, among others: not all of the ground
            symbol, value, cost = ("PLACE", of, 2) if polygons else ("SCOPE", PLACE, one.cost)
            yield replace(one, symbol=symbol, value=value, cost=cost)
            if behind and symbol == "SCOPE" and spoken not in called:  # the region mean, of data that have none
                yield replace(one, symbol="spatial", value=None)
            if polygons and number_of(words[one.start - 1] if one.start else "") == count:
                yield replace(one, symbol="PLACE", start=one.start - 1, value=of, cost=1)  # the three reserves


def without_sums(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """A sum of what is told as that of its pixels is no sum of two: ``the sum of lights in 2014 and 2020``."""
    kinds = {name for name, kind in quantity_kinds().items() if kind.summed}
    summed = {one.start for one in found if one.symbol == "QUANTITY" and one.value.kind in kinds}
    for one in found:
        end = one.end + (words[one.end : one.end + 1] == ["of"])
        if not (one.symbol == "ARITHMETIC" and one.value == "sum" and end in summed):
            yield one


def of_their_ground(found: Sequence[Entity]) -> Iterator[Entity]:
    """What polygons are called, less likely as each of them where the ground of all is spoken of: the glacier area."""
    grounds = {(one.start, one.end - 1) for one in found if one.symbol == "PLACE" and isinstance(one.value, Polygons)}
    for one in found:
        of_all = one.symbol == "NAMED_KEY" and (one.start, one.end) in grounds
        yield replace(one, cost=one.cost + 3) if of_all else one


_BY_OWN = ("RANKED_BY", "COMPARED_BY", "ADJECTIVE_BY", "ATTRIBUTE", "YEARLY")


def by_own_numbers(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What features tell themselves, or grades them, without quantities that the data do not hold: taller trees by a
    column of heights, where nothing maps a canopy; the people of a column of them."""
    own = {(one.start, one.end) for one in found if one.symbol in _BY_OWN}
    for one in found:
        kind = one.value.kind if one.symbol == "QUANTITY" else _graded_kind(one)
        kind = str(one.value) if one.symbol in ("STOCK", "DENSITY") else kind
        if not kind or kind in data.quantities or (one.start, one.end) not in own:
            yield one


def called_like(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Quantities that a substance alone names, or that a word grades, as the one of it that the data hold: NO2 as its
    concentration, where they hold no column of it; the steepest by the slope in percent."""
    for one in found:
        kind = one.value.kind if one.symbol == "QUANTITY" else _graded_kind(one)
        kind = str(one.value) if one.symbol == "MEASURES" else kind
        if kind and data.quantities and kind not in data.quantities:
            said = {kind, "_".join(words[one.start : one.end])} if one.symbol == "QUANTITY" else {kind}
            alike = [held for held in sorted(data.quantities) if held.rpartition("_")[0] in said]
            if len(alike) == 1 and alike[0].rpartition("_")[0] in (kind, kind.rpartition("_")[0]):
                one = _of_kind(one, alike[0])
        yield one


def _of_kind(one: Entity, kind: str) -> Entity:
    if one.symbol == "QUANTITY":
        return replace(one, value=Quantity(kind))
    return replace(one, value=kind if isinstance(one.value, str) else (kind, *one.value[1:]))


def of_spots(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Names of one point, by what the files of points are called."""
    layers = {level.layer for _, key in data.spots if isinstance(level := level_of(key), Polygons)}
    names = {(layer.name, name) for layer in data.features for name in layer.names if layer.name in layers}
    for one in found:
        if one.symbol == "OBJECTS" and len(one.value.names) == 1 and (one.value.layer, *one.value.names) in names:
            yield replace(one, symbol="SPOT")


def with_their_kind(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Names with the word behind them for what they are: the Les Combes apiary, by the column of a table that holds
    them; the high surge risk zone, by the layer or by what any ground is called."""
    kinds: dict[int, list[tuple[Entity, Polygons]]] = {}
    for one in found:
        if one.symbol == "NAMED_KEY" and isinstance(level := level_of(one.value), Polygons):
            kinds.setdefault(one.start, []).append((one, level))
    held: dict[tuple[str | None, str | None], set[str]] = {
        (layer.name, by): {*texts} for layer in data.features for by, texts in layer.sorts
    }
    for one in found:
        for kind, level in kinds.get(one.end, ()) if one.symbol == "OBJECTS" else ():
            by_column = {*one.value.names} <= held.get((level.layer, level.by), set())
            if level.by is not None and by_column:
                yield replace(one, end=kind.end)
            of_layer = level.by is None and level.layer is not None and level.layer == one.value.layer
            if level == Polygons() or of_layer:
                yield replace(one, end=kind.end)
            for zone, ground in kinds.get(kind.end, ()) if by_column or of_layer else ():
                if ground == Polygons():
                    yield replace(one, end=zone.end)


def called_by_outlines(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """With things on the ground less likely that the data tell by outlines of that name alone: lakes, of a layer of
    lakes beside no mask of water, or beside a class that is called otherwise."""
    named = [one for one in found if one.symbol == "PLACE" and isinstance(one.value, Polygons)]
    named += [one for one in found if one.symbol == "NAMED_KEY" and isinstance(level_of(one.value), Polygons)]
    for one in found:
        thing = one.symbol in ("BODY", "GROUND") and not kinds_of(one.value) & data.quantities
        if one.symbol in ("BODY", "GROUND") and isinstance(one.value, IsClass):
            own = {word for name in one.value.names for word in key_of(name)}
            otherwise = own.isdisjoint(key_of(" ".join(words[one.start : one.end])))
            if otherwise and any(same_words(one, other) for other in named):
                yield replace(one, cost=one.cost + 6)
                continue
        yield replace(one, cost=one.cost + 3) if thing and any(same_words(one, other) for other in named) else one


def _told_otherwise(one: Entity, found: Sequence[Entity], held: Set[str]) -> bool:
    """Whether the data hold no such quantity, and what its name means with them."""
    others = [other for other in found if same_words(one, other)]
    of_data = ("HELD", "STOCK", "DENSITY")
    instead = any(other.symbol == "SHARE_OF" or (other.symbol in of_data and other.value in held) for other in others)
    return bool(held) and one.value.kind not in held and instead


def _held_otherwise(one: Entity, found: Sequence[Entity], held: Set[str]) -> bool:
    return any(other.symbol == "HELD" and other.value in held and same_words(one, other) for other in found)


def kinds_of(ground: Expression) -> Set[str]:
    return {part.kind for _, part in walk(ground) if isinstance(part, Quantity)}
