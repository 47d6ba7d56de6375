"""What a sentence asks for by its turns of phrase and the unit of the answer, where no word of the lexicon says it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowflow.ground.units import compatible
from knowflow.model.goal import Ambiguity
from knowflow.reason.language import turns
from knowflow.reason.language.chosen import chosen
from knowflow.reason.language.clauses import sentences, within
from knowflow.reason.language.distance import asks_for_distance
from knowflow.reason.language.fractions import asked_share
from knowflow.reason.language.limits import asked_unit
from knowflow.reason.language.movements import (
    asks_for_movement,
    asks_largest_movement,
    asks_relative,
    asks_whether_moved,
    moved_by,
    movements,
    speed_named,
    superlative_way,
)
from knowflow.reason.language.named_movements import named_movement
from knowflow.reason.language.nested import of_others
from knowflow.reason.language.one_image import one_image, over_time_everywhere
from knowflow.reason.language.product_words import OF_AN_EVENT
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import COMPARING, NEEDS_LIMIT, Asked

_AREA_TOLD_BY = frozenset({"area", *COMPARING, "trend", "extreme_date", "time_series", "largest_patches", "zonal"})
_TAKEN_AWAY = re.compile(r"minus$|subtract|deduct", re.IGNORECASE)
_MOVING = frozenset(
    {*COMPARING, "trend", "anomaly", "extreme_date", "extreme_place", "correlation", "count", "time_series"}
)
_NO_DISTANCE = frozenset({*COMPARING, "trend", "anomaly", "range", "extreme_date", "correlation"})


def ask_by_turns(reading: Reading) -> None:
    """Narrow or complete ``reading.asked``: counts, rates, one of several places or dates, differences, units."""
    _related(reading)
    _counted(reading)
    _shares(reading)
    _rate(reading)
    _places(reading)
    if not _dates(reading):
        _distance(reading)
    _compared_places(reading)
    _taken_away(reading)
    _whether_moved(reading)
    _extremes(reading)
    _of_dates(reading)
    _by_unit(reading)
    _relative(reading)


def _related(reading: Reading) -> None:
    """ "When it gets greener, does it cool? Answer with the correlation" asks for that alone."""
    asked = next((one for one in reading.asked if one.operation == "correlation"), None)
    if asked is None or not asked.words.lower().startswith("correlation"):
        return
    own = next(span for span in sentences(reading.text) if span[0] <= asked.first < span[1])
    reading.asked = tuple(
        one
        for one in reading.asked
        if within(one.first, (own,)) or one.operation not in ("extreme_date", "trend", "change", "difference")
    )


def _counted(reading: Reading) -> None:
    """What is counted: dates, pixels, or patches that are apart from each other."""
    counted = turns.how_many_of(reading.text)
    if counted is not None:
        reading.put("count_of", counted.value, counted.words)
        reading.asked = tuple(one for one in reading.asked if one.operation != "extreme_date")
        if reading.operation == "" and not reading.asked:
            reading.asked = (Asked("count", "analysis", counted.first, counted.words),)
    things = turns.counts(reading.text)
    if things is not None and any(one.operation == "count" for one in reading.asked):
        reading.put("count_of", things.value, things.words)
    if not {"maximum", "minimum"} & {one.operation for one in reading.asked}:
        reading.asked = tuple(one for one in reading.asked if not turns.is_several(one.words))
    of_dates = turns.share_of_dates(reading.text)
    if of_dates is not None:
        reading.put("count_of", of_dates.value, of_dates.words)
        others = [one for one in reading.asked if one.operation not in ("share", "count", "mean")]
        reading.asked = (Asked("share", "analysis", of_dates.first, of_dates.words), *others)
    parted = turns.apart(reading.text)
    if parted is not None and reading.operation == "count":
        reading.put("count_of", "patches", parted.words)
        reading.understood.append((parted.first, parted.past))
        reading.asked = tuple(one for one in reading.asked if one.operation not in ("hotspots", "largest_patches"))


def _shares(reading: Reading) -> None:
    """ "How big a part", "the monthly mean of the daily pixel fraction" are about shares."""
    part = asked_share(reading.text)
    if part is not None:
        kept = tuple(one for one in reading.asked if one.operation not in ("area", "share"))
        reading.asked = (Asked("share", "analysis", part.start(), part.group()), *kept)
        reading.understood.append(part.span())
    shares = of_others(reading.text, "mean", "share")
    if shares is not None and reading.limits and not any(one.operation == "share" for one in reading.asked):
        reading.asked = (Asked("share", "analysis", shares.first, shares.words), *reading.asked)


def _rate(reading: Reading) -> None:
    """A change per year is a trend, and no grouping by years."""
    slope = turns.slope_in_time(reading.text)
    rate = turns.rate(reading.text) or slope
    others = tuple(one for one in reading.subjects if one.quantity != "slope")
    if slope is not None and others:
        reading.subjects = others
    group = reading.slots.get("group_by")
    by_year = slope is not None or group is None or group.value in ("year", "decade")
    if rate and by_year and reading.operation in ("", "difference", "change", "mean"):
        if group is not None and group.value == "year":
            del reading.slots["group_by"]
        kept = tuple(one for one in reading.asked if one.operation not in COMPARING)
        reading.asked = (Asked("trend", "analysis", rate.first, rate.words), *kept)
        reading.understood.append((rate.first, rate.past))
    speed = speed_named(reading.text)
    if speed is not None and reading.operation == "trend":
        reading.understood.append(speed)


def _whether_moved(reading: Reading) -> None:
    """ "Did the mean rise from 2015 to 2017" asks for a change, and no mean; so do "where did it soar between 2015 and
    2022" and "the uptick from 2015 to 2022"."""
    text = _outside_limits(reading)
    moved = asks_whether_moved(text)
    if moved is None and _from_one_to_another(reading):
        moved = named_movement(text)
    if moved is not None and not {one.operation for one in reading.asked} & _MOVING:
        reading.asked = (Asked("change", "analysis", moved.first, moved.words), *reading.asked)
        reading.understood.append((moved.first, moved.past))


def _from_one_to_another(reading: Reading) -> bool:
    """Whether two times are named: "between 2015 and 2022"."""
    spans = [span for span in reading.times.spans if span.period is not None]
    return len(spans) == 2 or any(span.ends for span in spans)


def _places(reading: Reading) -> None:
    """One image of all dates; one patch of several."""
    said = {one.operation for one in reading.asked}
    image, place = one_image(reading.text), turns.largest_place(reading.text)
    if image is None and all(one.rank == "statistic" for one in reading.asked):
        image = over_time_everywhere(reading.text)
    if image is not None and "composite" not in said:
        reading.asked = (Asked("composite", "analysis", image.first, image.words), *reading.asked)
    if place is not None and "largest_patches" not in said and reading.operation in ("", "area", "maximum"):
        reading.asked = (*reading.asked, Asked("largest_patches", "analysis", place.first, place.words))


def _dates(reading: Reading) -> bool:
    """Which of two times, or the date of the most; whether one is asked for."""
    text = reading.text
    two = turns.which_of_two(text)
    if two is not None and turns.by_how_much(text) is not None:
        return False  # how far they are apart tells which of them it is
    if two is not None and sum(span.period is not None for span in reading.times.spans) == 2:
        date = Asked("extreme_date", "analysis", two.first, two.words)
        reading.asked = (date, Asked(str(two.value), "statistic", two.first, two.words))
        return True
    of_several = chosen(text)
    if of_several is not None and reading.operation in ("", "mean", "maximum", "minimum", "extreme_date"):
        place, words = of_several.first, of_several.words
        most = Asked(of_several.extreme, "statistic", place, words)
        means = tuple(one for one in reading.asked if one.operation == "mean")
        dates = (Asked("extreme_date", "analysis", place, words),) if of_several.wanted == "date" else ()
        reading.asked = (*dates, most, *means)
        return True
    dated = turns.date_of_most(text)
    if dated is None or reading.operation not in ("", "maximum", "minimum", "map", "mean"):
        return False
    kept = tuple(one for one in reading.asked if one.rank == "statistic")
    if not {"maximum", "minimum"} & {one.operation for one in kept}:
        way = superlative_way(text[dated.first :])
        down = "least" in dated.words.lower() or (way is not None and way[0] == "down")
        extreme = "minimum" if down else "maximum"
        kept = (*kept, Asked(extreme, "statistic", dated.first, dated.words))
    reading.asked = (Asked("extreme_date", "analysis", dated.first, dated.words), *kept)
    return True


def _distance(reading: Reading) -> None:
    """How far something moved, or how far two things are from each other."""
    anomaly = reading.operation == "anomaly" and sum(span.period is not None for span in reading.times.spans) == 2
    if anomaly and asks_for_distance(reading.text) is not None:  # from each other, and not from what is usual
        reading.asked = tuple(one for one in reading.asked if one.operation != "anomaly")
    text = _outside_limits(reading, [(one.first, one.past) for one in moved_by(reading.text) if one.limit])
    much = turns.by_how_much(text)
    if much is None or {one.operation for one in reading.asked} & _NO_DISTANCE:
        return
    reading.asked = (Asked("difference", "analysis", much.first, much.words), *reading.asked)
    if all(moved.is_plain for moved in movements(reading.text) if moved.first == much.first):
        reading.understood.append((much.first, much.past))
    moved = asks_for_movement(text)
    if moved is not None and moved.is_plain:
        reading.understood.append((moved.first, moved.past))  # "by how much did it soar"


def _compared_places(reading: Reading) -> None:
    """ "Compare the districts", "does it differ between the classes" want the number of each, beside each other."""
    group = reading.slots.get("group_by")
    of_event = any(one.feature is not None and one.feature.value in turns.EVENTS for one in reading.subjects)
    others = any(one.operation in NEEDS_LIMIT for one in reading.asked)
    of_each = group is not None and group.value in ("zone", "class") and len(reading.times.spans) < 2
    reading.asked = tuple(
        one
        for one in reading.asked
        if not (one.operation == "difference" and one.words.lower().startswith(("compar", "differ")))
        # an event is found by comparing two images
        or not (of_each or (of_event and (others or one.words.lower() == "comparing")))
    )


def _taken_away(reading: Reading) -> None:
    """ "The mean of May minus that of June" is a difference of two numbers, and no change place by place."""
    change = next((one for one in reading.asked if one.operation == "change"), None)
    numbers = any(one.rank == "statistic" for one in reading.asked)
    if change is None or not numbers or not _TAKEN_AWAY.match(change.words):
        return
    kept = [one for one in reading.asked if one != change and one.operation != "difference"]
    if any(one.quantity in OF_AN_EVENT for one in reading.subjects):
        reading.asked = tuple(kept)  # "dNBR, before minus after" only says how the quantity is made
        return
    reading.asked = (Asked("difference", "analysis", change.first, change.words), *kept)


def _outside_limits(reading: Reading, others: Sequence[tuple[int, int]] = ()) -> str:
    """The text with blanks for its limits, and for ``others``: what "fell below 0.2" has moved by no amount that is
    asked for."""
    text = reading.text
    for first, past in (*((limit.first, limit.past) for limit in reading.limits), *others):
        text = text[:first] + " " * (past - first) + text[past:]
    return text


def _extremes(reading: Reading) -> None:
    """ "How high does it get", and the extreme of a quantity that is named right after it."""
    drawn = {one.operation for one in reading.asked} <= {"map", "mask"}  # "get" alone may ask for a map
    if drawn and (most := turns.gets(reading.text)) is not None:
        reading.asked = (Asked(str(most.value), "statistic", most.first, most.words),)
    if not reading.asked:
        named = [subject for subject in reading.subjects if subject.sure >= 1]
        found = [turn for one in named if (turn := turns.extreme_of(reading.text, one.first)) is not None]
        reading.asked = tuple(Asked(str(turn.value), "statistic", turn.first, turn.words) for turn in found[:1])


def _by_unit(reading: Reading) -> None:
    """Hectares are told of an area, percent of a share or of a change, though no other word says so."""
    unit = asked_unit(reading.text)
    said = {one.operation for one in reading.asked}
    if unit is None:
        return
    of_area = compatible(unit[0], "m2")
    if "count" in said and (not of_area or "count_of" in reading.slots):
        return
    if "count" in said:  # "count all ground that ..., in ha": what is counted are hectares
        said = said - {"count"}
        reading.asked = tuple(one for one in reading.asked if one.operation != "count")
    if of_area and "difference" in said and not said & (_AREA_TOLD_BY - COMPARING):
        reading.asked = (*reading.asked, Asked("area", "analysis", 0, unit[1]))
    elif of_area and not said & _AREA_TOLD_BY:
        kept = tuple(one for one in reading.asked if one.operation not in ("share", "sum"))
        reading.asked = (Asked("area", "analysis", 0, unit[1]), *kept)
    elif unit[0] == "%" and not reading.asked:
        reading.asked = (Asked("share", "analysis", 0, unit[1]),)
    elif unit[0] == "%" and not said & {"trend", "area", "map", "mask"} and _moves_by_percent(reading, unit[1]):
        kept = tuple(one for one in reading.asked if one.operation not in (*COMPARING, "share"))
        reading.asked = (Asked("percent_change", "analysis", 0, unit[1]), *kept)


def _of_dates(reading: Reading) -> None:
    """Which extreme a date is wanted of; the date of the largest change is asked back, for no plan looks for it."""
    if reading.operation != "extreme_date":
        return
    moved = asks_largest_movement(reading.text)
    if moved:
        reading.ambiguities.append(Ambiguity("operation", moved, ("extreme_date", "change"), None))
    way = superlative_way(reading.text)
    if way is not None and not {"maximum", "minimum"} & {one.operation for one in reading.asked}:
        extreme = "minimum" if way[0] == "down" else "maximum"
        place = reading.text.find(way[1])
        reading.asked = (*reading.asked, Asked(extreme, "statistic", place, way[1]))


def _relative(reading: Reading) -> None:
    """A decline that is told relative to where it began; the sum of an area is the area."""
    relative = asks_relative(reading.text)
    followed = next((one.words.lower() for one in reading.asked if one.operation == "trend"), None)
    moved = relative is not None and followed is not None and followed in relative.words.lower()
    between = moved and _from_one_to_another(reading)  # "the relative growth from 2018 to 2021" is one number, no rate
    if relative is not None and (between or reading.operation in ("", "change", "difference", "mean")):
        kept = tuple(one for one in reading.asked if one.operation not in COMPARING and one.words.lower() != followed)
        reading.asked = (Asked("percent_change", "analysis", relative.first, relative.words), *kept)
    if any(one.operation == "area" for one in reading.asked):
        reading.asked = tuple(one for one in reading.asked if not _is_total(one))


def _is_total(one: Asked) -> bool:
    return one.operation == "sum" and one.words.lower().startswith(("total", "add"))


def _moves_by_percent(reading: Reading, unit: str) -> bool:
    """Percent of a change: "lower in percent", "growth in %", "went down how many percent"; not of an area."""
    said = [one.words for one in reading.asked if one.operation == "share"]
    of_area = any(not unit.lower().startswith(words.lower()) or f"{words} of" in reading.text for words in said)
    moves = reading.operation in COMPARING or bool(movements(reading.text))
    return moves and not of_area and not reading.limits
