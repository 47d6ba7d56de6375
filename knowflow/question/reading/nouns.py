"""What statistics, keys and limits make of nouns: functions of the rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knowflow.ground.called import adds_up, read_called
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.knowledge.reading_words import words_of
from knowflow.question.operators import (
    Attribute,
    Calculate,
    Classify,
    During,
    Expression,
    Number,
    Over,
    Polygons,
    Quantity,
    walk,
)
from knowflow.question.reading.grades import GRADES_OF, classes_of_grades
from knowflow.question.reading.order import Level, Test, Thing, closed, end_of_totals, split_by, typed
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.said_units import is_beside
from knowflow.question.reading.spans import until
from knowflow.question.reading.vocabulary import Chosen
from knowflow.question.times import Times
from knowflow.question.types import Type
from knowflow.question.typing_of_features import in_all, of_rows

BY = "objects by "
"""What a key of polygons begins with of which those of one value of an attribute are taken together."""
LAYER = "objects of "
"""What a key of polygons begins with that are those of one file of several: its name follows."""
AMONG = "\t"
"""What stands in a key of features before the value of an attribute, where they are those of it alone."""
CLASSES_OF = "classes of "
"""What a key of the classes of a map begins with that is none of land cover: its kind follows."""
BANDS_OF = "bands of "
"""What a key of bands of one width begins with: kind, width and unit follow, a line each."""
LAND_COVER = Quantity("land_cover_class")
PERCENT = "%"
WHOLE = ("area", "data")
"""What a word for all of the ground, or for all of the data, is."""
STANDING_ON_GROUND = ("height_above_ground", "canopy_height", "building_height")


Graded = tuple[str, str]
"""A kind that a word grades without naming it, and the side that it says."""


def level_of(key: str) -> Level:
    """A key that a word names: a grain of time, the polygons, by an attribute of theirs or not, of a file that is named
    or not, the classes of land cover or of another map, or bands of one width."""
    key, _, name = key.partition(AMONG)
    if name:
        return replace(level_of(key), names=(name,))  # type: ignore[type-var]  # only features are among others
    if key.startswith(BY):
        return Polygons(by=key.removeprefix(BY))
    if key.startswith(LAYER):
        layer, _, by = key.removeprefix(LAYER).partition("\n")
        return Polygons(by=by or None, layer=layer)
    if key.startswith(CLASSES_OF):
        return Quantity(key.removeprefix(CLASSES_OF))
    if key.startswith(BANDS_OF):
        kind, width, unit = key.removeprefix(BANDS_OF).split("\n")
        return Classify(Quantity(kind), unit=unit, width=float(width))
    if key.startswith(GRADES_OF):
        return classes_of_grades(key)
    return {"objects": Polygons(), "classes": LAND_COVER}.get(key, key)


def key_of_bands(kind: str, width: Number) -> str:
    """The key of the bands of a quantity, each as wide as told."""
    return f"{BANDS_OF}{kind}\n{width.value!r}\n{width.unit}"


def map_of_time(when: Times, key: str) -> Expression | None:
    """``per land cover class of 2023``: the classes of one of several maps."""
    level = level_of(key)
    found = During(level, when) if isinstance(level, Quantity) else None
    return found if found is not None and typed(found) is not None else None


def in_layer(key: str, layer: str | None) -> str:
    """A key of polygons as that of one file of several."""
    if layer is None or not (key == "objects" or key.startswith(BY)):
        return key
    return f"{LAYER}{layer}" + (f"\n{key.removeprefix(BY)}" if key.startswith(BY) else "")


def is_by(key: str) -> bool:
    """Whether it is polygons by an attribute of theirs."""
    level = level_of(key)
    return isinstance(level, Polygons) and level.by is not None


def told_as(x: Quantity, noun: str) -> Quantity | None:
    """``chlorophyll concentration``: a quantity with the noun of what is measured of it, which its title has too."""
    kind = quantity_kinds().get(x.kind)
    said = "" if kind is None else f"{kind.title} {kind.cf_name or ''} {kind.name}".lower().replace("_", " ")
    return x if noun in words_of(said) else None


def is_standing(x: Quantity) -> bool:
    """Whether it stands for all dates: elevation."""
    own = typed(x)
    return own is not None and own.of == "number" and not own.keys


def of_things(x: Quantity) -> Quantity | None:
    """``the number of snow days``, ``of buildings``: of what counts something itself."""
    called = read_called(x.kind)
    counts = x.kind in ("duration", "count", "population_count") if called is None else adds_up(called[1])
    return x if counts or (called is not None and called[1] == "day") else None


def of_models(x: Quantity, surface: Quantity, terrain: Quantity) -> Quantity | None:
    """``canopy height (surface model minus terrain model)``: as it is defined."""
    told = tuple(dict(one.having).get("surface") for one in (surface, terrain))
    return x if x.kind in STANDING_ON_GROUND and told == ("surface", "terrain") else None


def chosen_of(x: Quantity, one: Chosen) -> Quantity | None:
    """``the reflectance of the red band``, ``LST at night``: of the data of a quantity those with a fact."""
    if one.fact in dict(x.having) or (x.kind not in one.kinds and not _is_of_bands(x.kind, one)):
        return None
    return replace(x, having=(*x.having, (one.fact, one.value)))


def _is_of_bands(kind: str, one: Chosen) -> bool:
    """Whether a quantity is what a method makes of each band, or of heights: surface reflectance of that above the air,
    the slope of a surface model."""
    families = {quantity_kinds()[name].family for name in one.kinds}
    return one.fact in ("band", "surface") and kind in quantity_kinds() and quantity_kinds()[kind].family in families


def chosen_alone(one: Chosen) -> Quantity | None:
    """``mean of B4``: what the band is of, where there is one such quantity."""
    return chosen_of(Quantity(one.kinds[0]), one) if one.alone and len(one.kinds) == 1 else None


def number(value: float, unit: str = "1") -> Number:
    return Number(value, unit)


def explained(said: str, one: str, other: str) -> str | None:
    """``range (maximum minus minimum)``."""
    return said if (said, one, other) == ("range", "maximum", "minimum") else None


def statistic_of(said: str, thing: Thing) -> Thing | None:
    """A statistic of a noun: over what it is per, where it has one already; else its own."""
    name, _, p = said.partition(" ")
    percentile = float(p) if p else None
    if name == "sum" and thing.statistic == "integral":
        return thing
    if thing.statistic is None and not thing.keys and thing.then is None:
        own = typed(thing.x)
        if own is None or own.of != "number" or not (own.space or own.keys):
            return None
        if of_rows(thing.x) is not None:
            return fits_closed(replace(thing, statistic=name, p=percentile))  # type: ignore[arg-type]  # words list them
        if own.space and name == "sum" and "space" not in own.measure.adds and not own.measure.summed:
            if "time" in own.measure.adds:
                return replace(thing, then="sum")
            return replace(thing, statistic="integral") if _is_density(own) and not _is_rate(thing) else None
        if own.space and name == "integral" and own.measure.gathered is None:
            return None
        if own.space:
            return replace(thing, statistic=name, p=percentile)  # type: ignore[arg-type]  # the words list statistics
        key = own.keys[-1] if own.grain is None else "time"
        x = in_all(thing.x) if name == "sum" else thing.x
        return None if thing.unit is not None else fits(Thing(Over(x, key, name, percentile)))  # type: ignore[arg-type]
    if thing.keys and thing.statistic is None and thing.then is None:
        return None
    return outer(said, thing)


def _is_rate(thing: Thing) -> bool:
    """Whether it is so much in a time, of which a total is the amount of that time."""
    kinds = (quantity_kinds().get(part.kind) for _, part in walk(thing.x) if isinstance(part, Quantity))
    return any(kind is not None and kind.amount is not None for kind in kinds)


def _is_density(own: Type) -> bool:
    """Whether it is so much per area; a depth is one, too, but a total of depths is no volume until that is said."""
    return own.measure.gathered is not None and not compatible(own.measure.unit, "m")


def outer(said: str, thing: Thing) -> Thing | None:
    """A statistic of what is reduced already: over dates, or over what it is per."""
    name, _, p = said.partition(" ")
    percentile = float(p) if p else None
    of_each = any(isinstance(key, Expression) for key in thing.keys)
    if name == "sum" and of_each and thing.statistic in ("area", "count", "patches"):
        return None  # ``the total area per district`` is that of each
    if thing.then == "sum" and thing.statistic is None and (end := end_of_totals(name, thing)) is not None:
        return end
    if not thing.keys:
        known = thing.then is None and percentile is None and thing.statistic not in (name, None)
        return replace(thing, then=name) if known else None  # type: ignore[arg-type]
    if thing.unit is not None:
        return None
    found = replace(thing, outer=(*thing.outer, (name, percentile)))  # type: ignore[arg-type]
    return found if closed(found) is not None else None


def every(grain: str, said: str | None, thing: Thing) -> Thing | None:
    """``annual maximum NDVI``: the statistic is over the dates of each; ``daily``: over the ground of each."""
    if thing.keys or thing.then is not None:
        return None
    if thing.statistic is not None:  # annual mean water area
        of_periods = said in ("mean", "median", "minimum", "maximum") and grain != "date"
        return fits_closed(replace(thing, then=said, keys=(grain,))) if of_periods else None  # type: ignore[arg-type]
    if said is None:
        return replace(thing, keys=(grain,))
    if said.startswith("percentile") or grain == "date":
        found = statistic_of(said, thing)
        return None if found is None else replace(found, keys=(grain,))
    return replace(thing, then=said, keys=(grain,))  # type: ignore[arg-type]


def every_one(grain: str, said: str, thing: Thing) -> Thing | None:
    """``annual maximum`` of data with one date a year: of which that date's ground alone can have one."""
    found = statistic_of(said, thing) if thing.statistic is None and not thing.keys and thing.then is None else None
    return None if found is None else replace(found, keys=(grain,))


def fits_closed(thing: Thing) -> Thing | None:
    return thing if closed(thing) is not None else None


def of_dates(said: str, thing: Thing) -> Thing | None:
    """``the mean over the dates of the ...``: what it is of is one per date."""
    if said.startswith("percentile"):
        x = closed(thing, "date")
        return None if x is None else fits(Thing(Over(x, "time", "percentile", float(said.split()[1]))))
    if thing.keys or thing.then is not None:
        return None
    own = typed(thing.x)
    if own is not None and own.space and thing.statistic is None:
        return fits(Thing(Over(thing.x, "time", said)))  # type: ignore[arg-type]
    return replace(thing, then=said)  # type: ignore[arg-type]


def of_each_pixel(thing: Thing) -> Thing | None:
    """``the maximum NDVI in each cell``: over the dates."""
    plain = thing.statistic is not None and not thing.keys and thing.then is None and not thing.outer
    return of_dates(str(thing.statistic), replace(thing, statistic=None)) if plain else None


def exceeded(thing: Thing, part: Number, _: object = None) -> Thing | None:
    """``which NDVI is exceeded on only a tenth of the area``."""
    return statistic_of(f"percentile {100 - part.value:g}", thing) if part.unit == PERCENT else None


def of_ground(said: str, thing: Thing) -> Thing | None:
    """``the mean over the area of ...``."""
    own = typed(thing.x)
    if own is None or not own.space:
        return None
    if thing.statistic is not None:
        if thing.keys or thing.then is not None:
            return None
        x = closed(thing, "pixel")
        return None if x is None else of_ground(said, Thing(x))
    return of_ground_alone(statistic_of(said, thing))


def of_ground_alone(thing: Thing | None) -> Thing | None:
    """A statistic that is said of the ground: what adds up over time is added up all the same."""
    own = None if thing is None else typed(thing.x)
    if thing is None or own is None or thing.then is not None or "time" not in own.measure.adds:
        return thing
    return end_of_totals(thing.statistic, thing) or replace(thing, then="sum")


def fits(thing: Thing) -> Thing | None:
    return thing if typed(thing.x) is not None else None


def per(thing: Thing, key: Level | tuple[Level, ...]) -> Thing | None:
    """One per key. What is reduced over dates by a statistic of its own is no longer one per period."""
    if isinstance(key, tuple):
        one = per(thing, key[0])
        return None if one is None else per(one, key[1])
    if thing.outer == (("mean", None),) and thing.keys == (key,):
        return replace(thing, outer=())  # ``the mean annual rainfall of each year``
    if thing.outer:
        found = replace(thing, keys=(key, *thing.keys))  # ``mean annual rain of each county``: the years are innermost
        apart = isinstance(key, Expression) and not any(isinstance(one, Expression) for one in thing.keys)
        return found if apart and closed(found) is not None else None
    own = typed(thing.x)
    if isinstance(key, Expression) and own is not None and not own.space and of_rows(thing.x) is None:
        return split_by(thing, key)
    totals = thing.then == "sum" and own is not None and "time" in own.measure.adds
    if isinstance(key, str) and thing.then not in (None, "mean") and thing.statistic is not None and not totals:
        return None
    if isinstance(key, str) and thing.keys[-1:] == (key,):
        return thing  # ``the annual mean for every year``
    if key in thing.keys or len(thing.keys) > 1:
        return None
    return replace(thing, keys=(*thing.keys, key)) if closed(replace(thing, keys=(*thing.keys, key))) else None


def graded(named: Graded, of: Any) -> Thing | None:
    """The quantity that a word grades, of what it is said of: of its ground, or of the quantity itself."""
    kind, of = Quantity(named[0]), None if of is True else of
    if isinstance(of, str):
        return Thing(kind) if of == named[0] else None
    if isinstance(of, Thing):
        return of if any(_grades(named[0], part) for _, part in walk(of.x)) else None
    return Thing(kind) if of is None else within(Thing(kind), of)


def _grades(kind: str, x: Expression) -> bool:
    """Whether a word that grades a quantity is said of something: of the quantity, and how warm it is of any column of
    temperatures."""
    if isinstance(x, Attribute):
        return compatible(x.unit, "K") and compatible(quantity_kinds()[kind].unit, "K")
    return isinstance(x, Quantity) and x.kind == kind


def afterwards(thing: Thing, said: str) -> Thing | None:
    """``NDVI of 2021, mean``: the statistic of a noun that has none yet, told behind it."""
    if (thing.statistic, thing.then, thing.outer) == (None, said, ()):
        return thing  # the five-day rain total
    if thing.statistic is not None or thing.then is not None or thing.outer or thing.unit is not None:
        return None
    plain = statistic_of(said, replace(thing, keys=()))
    found = None if plain is None else replace(plain, keys=thing.keys)
    return found if found is not None and closed(found) is not None else None


def over_ground(thing: Thing, said: str) -> Thing | None:
    """``rain in 2019, area mean``: a statistic of the ground, told behind."""
    return of_ground_alone(afterwards(thing, said))


def in_time(thing: Thing | None, when: Times | Expression | None = None) -> Thing | None:
    return thing if thing is None or when is None else during(thing, when)


def summed(thing: Thing, said: str, when: Times | Expression) -> Thing | None:
    """``summed over April to September``: over the dates."""
    then = during(thing, when)
    return None if then is None else of_dates(said, then)


def over_area(thing: Thing, said: str) -> Thing | None:
    """``summed over the season, averaged over the area``."""
    if thing.statistic is not None or thing.then is None or thing.keys:
        return None
    return replace(thing, statistic=said) if said in ("mean", "median", "minimum", "maximum") else None  # type: ignore[arg-type]


def reached(said: str, thing: Thing, key: Level) -> Thing | None:
    """``the highest mean that each field reached``: of the dates, for each."""
    found = outer(said, replace(thing, keys=())) if thing.keys in ((), (key,)) else None
    return None if found is None else per(found, key)


def adjective_per(kind: str, key: Level | tuple[Level, ...]) -> Thing | None:
    """``how green is each parcel``."""
    return per(Thing(Quantity(kind)), key)


def of_any_pixel(thing: Thing) -> Thing | None:
    """``the highest LST anywhere``; of periods that of all pixels in all of them: ``the lowest annual rainfall of any
    pixel``."""
    if thing.statistic is not None or len(thing.outer) != 1:
        return thing if thing.statistic in ("maximum", "minimum") and not thing.outer else None
    ((said, p),) = thing.outer
    x = closed(replace(thing, outer=()), "pixel") if said in ("maximum", "minimum") else None
    return None if x is None or p is not None else fits(Thing(Over(x, "both", said)))


def one_of_any_pixel(said: str, grain: str, own: str, x: Quantity) -> Thing | None:
    """``the lowest daily mean temperature anywhere``: of data of days, which are such means."""
    found = statistic_of(said, Thing(x)) if (grain, own) == ("date", "mean") else None
    return None if found is None else of_any_pixel(found)


def pixels_extreme(said: str, own: str, x: Quantity, when: Times | Expression | None = None) -> Thing | None:
    """``the lowest mean temperature of any pixel``: of what the dates of each pixel come to."""
    fitting = said in ("maximum", "minimum") and own in ("mean", "median", "sum")
    each = closed(Thing(x, then=own), "pixel") if fitting else None  # type: ignore[arg-type]  # a statistic
    thing = None if each is None else fits(Thing(Over(each, "space", said)))  # type: ignore[arg-type]
    return thing if thing is None or when is None else during(thing, when)


def on_average(one: Thing | Test) -> Any:
    if isinstance(one, Test):
        total = one.left.then == "sum" and one.left.statistic is None
        left = replace(one.left, statistic="mean") if total else of_ground_alone(statistic_of("mean", one.left))
        return None if left is None else replace(one, left=left)
    return of_ground_alone(statistic_of("mean", one))


def gathered_in(unit: str, thing: Thing) -> Thing:
    """A noun of what lies on the ground, all of it where the unit is that of all of it: tonnes of what weighs so much
    per area."""
    own = typed(thing.x)
    if own is None or own.of != "number" or thing.statistic is not None or compatible(own.measure.unit, unit):
        return thing
    whole = own.measure.gathered
    return replace(thing, statistic="integral") if whole is not None and compatible(whole.unit, unit) else thing


def told_in(unit: str, thing: Thing) -> Thing | None:
    """An answer that is told in a unit: of what lies on the ground all of it, where the unit is that of all of it."""
    if thing.unit == unit:
        return thing
    thing = gathered_in(unit, thing)
    x = closed(thing)
    own = None if x is None else typed(x)
    fits = own is not None and own.of == "number" and (compatible(own.measure.unit, unit) or is_beside(x, unit))
    if unit == PERCENT and isinstance(thing.x, Calculate) and thing.x.how == "difference":
        return None  # of what it was, or in points, is not said
    if unit == PERCENT and isinstance(x, Over) and x.statistic == "count":
        return None  # how many there are is no share
    return replace(thing, unit=unit) if fits and thing.unit is None else None


def amount(thing: Thing) -> Thing | None:
    """``how much precipitation``: of what adds up."""
    own = typed(thing.x)
    return thing if own is not None and own.measure.adds and thing.statistic is None else None


def of_periods(thing: Thing) -> bool:
    """Whether it is one per period; of one per class or polygon all that is said is said of each."""
    return any(isinstance(key, str) for key in thing.keys)


def by_time(one: Any, when: Times) -> Any:
    """``the displacement by January 2021`` is that of January, ``the rain by June`` all of it until then."""
    parts = [one.left] if isinstance(one, Test) else [one]
    xs = [part.x if isinstance(part, Thing) else part for part in parts]
    of = [typed(part) for x in xs if isinstance(x, Expression) for _, part in walk(x) if isinstance(part, Quantity)]
    adds = any(own is not None and own.of == "number" and "time" in own.measure.adds for own in of)
    then = until(when) if adds else when
    return None if then is None else during(one, then)
