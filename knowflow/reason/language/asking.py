"""What a sentence asks for: its operations, the statistic among them, and the settings it makes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from knowflow.ground.regex import regex
from knowflow.reason.language import turns
from knowflow.reason.language.fitted_slopes import slope_of_a_fit
from knowflow.reason.language.fractions import asked_share
from knowflow.reason.language.limits import asked_unit
from knowflow.reason.language.movements import asks_relative, movements, superlative_way
from knowflow.reason.language.nested import of_others
from knowflow.reason.language.purposes import without_purposes
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import COMPARING, Asked, operations

_DAILY_OF = regex(
    r"\b(?:mean|average|median)\s+daily\s+(?!(?:mean|average|median|maximum|minimum|sum)s?\b)", re.IGNORECASE
)
_COUNTS_AS = regex(r"counts?\s+as\b|count\s+(?:[\w-]+\s+){1,6}?as\b", re.IGNORECASE)  # "above 310 K counts as hot"
_OF_IT = regex(r"\s+of\s+(?:(?:the|its|mean|average)\s+)*", re.IGNORECASE)
# what tells how far things are apart by itself: "how many more days" asks for a difference beside anything else
_NO_DISTANCE = frozenset({*COMPARING, "trend", "anomaly", "range", "extreme_date", "correlation"})


def read_settings(reading: Reading) -> None:
    """Fill the slots that words of the lexicon set ("cloud-free", "by day")."""
    for mention in reading.mentions:
        if mention.words.lower() == "pixel of":  # one pixel is not counted
            continue
        for meaning in mention.meanings:
            slot = meaning.entry.slot
            if meaning.category != "setting" or slot is None:
                continue
            reading.put(slot, meaning.entry.value, mention.words)


def read_operations(reading: Reading) -> None:
    """Fill ``operation``, ``operations``, ``statistic`` and ``over_dates``; ``reading.asked`` has them in order."""
    reading.asked = _in_percent(_operations(reading), reading)
    _share_asked(reading)
    _slope_of_a_fit(reading)
    _relative(reading)
    _dates(reading)
    much = turns.by_how_much(reading.text)
    limiting = much is not None and any(limit.first <= much.first < limit.past for limit in reading.limits)
    if much is not None and not limiting and not {one.operation for one in reading.asked} & _NO_DISTANCE:
        reading.asked = (Asked("difference", "analysis", much.first, much.words), *reading.asked)
    if not reading.asked:
        return
    asked = reading.asked
    main = asked[0]
    reading.put("operation", main.operation, main.words)
    reading.put("operations", tuple(one.operation for one in asked), ", ".join(one.words for one in asked))
    numbers = [one for one in asked if one.rank == "statistic"]
    if main.operation in ("extreme_date", "extreme_place"):  # "when was the mean at its minimum" asks for the minimum
        numbers.sort(key=lambda one: one.operation not in ("maximum", "minimum"))
    if numbers:
        reading.put("statistic", numbers[0].operation, numbers[0].words)
    of_means = of_others(reading.text, ("maximum", "minimum", "mean", "standard_deviation", "median", "range"), "mean")
    group = reading.slots.get("group_by")
    gathered = of_means is not None and (group is None or group.words in of_means.words or turns.refers(of_means.words))
    averaged = of_others(reading.text, "mean", "share") is not None
    by_scene = group is not None and group.value == "scene"
    if by_scene and ((of_means and gathered) or averaged or _DAILY_OF.search(reading.text)):
        del reading.slots["group_by"]  # "the highest daily mean", "the average daily rainfall" is one number
    elif by_scene and main.operation == "extreme_date":
        del reading.slots["group_by"]  # "when was the mean of each day highest" is one of the days
    if of_means and of_means.outer != "mean" and main.rank == "statistic":
        reading.put("over_dates", of_means.outer, of_means.words)
    elif [one.operation for one in numbers] in (["maximum", "mean"], ["minimum", "mean"]) and main is numbers[0]:
        extreme, mean = numbers
        if not re.search(r"\b(?:and|or)\b", reading.text[extreme.first : mean.first]):
            reading.put("over_dates", extreme.operation, f"{extreme.words}, {mean.words}")


def _in_percent(said: Sequence[Asked], reading: Reading) -> tuple[Asked, ...]:
    """ "What percentage of NDVI was lost" asks for its change in percent, not for a part of the area."""
    asked = {one.operation: one for one in said}
    if asked.keys() != {"change", "share"}:
        return tuple(said)
    told = _OF_IT.match(reading.text, asked["share"].first + len(asked["share"].words))
    named = told and [m for m in reading.mentions if reading.pieces[m.first].start == told.end()]
    if not named or not all(m.of("quantity") and not m.of("feature") for m in named):
        return tuple(said)
    return (replace(asked["change"], operation="percent_change"),)


def _share_asked(reading: Reading) -> None:
    """ "How big a part", "how large is the dry fraction" ask for a share, and no area."""
    part = asked_share(reading.text)
    if part is not None:
        kept = tuple(one for one in reading.asked if one.operation not in ("area", "share"))
        reading.asked = (Asked("share", "analysis", part.start(), part.group()), *kept)


def _slope_of_a_fit(reading: Reading) -> None:
    """The slope of what is fitted to values in time is a trend, and none of the ground."""
    slope = slope_of_a_fit(reading.text)
    if slope is None:
        return
    reading.subjects = tuple(one for one in reading.subjects if one.quantity != "slope") or reading.subjects
    if reading.operation in ("", "difference", "change", "mean"):
        kept = tuple(one for one in reading.asked if one.operation not in COMPARING)
        reading.asked = (Asked("trend", "analysis", slope.start(), slope.group()), *kept)


def _relative(reading: Reading) -> None:
    """A decline that is told relative to where it began is a change in percent."""
    relative, unit = asks_relative(reading.text), asked_unit(reading.text)
    if relative is not None and reading.operation in ("", "change", "difference", "mean"):
        kept = tuple(one for one in reading.asked if one.operation not in COMPARING)
        reading.asked = (Asked("percent_change", "analysis", relative.first, relative.words), *kept)
    elif unit is not None and unit[0] == "%" and _moves_by_percent(reading, unit[1]):
        kept = tuple(one for one in reading.asked if one.operation not in (*COMPARING, "share"))
        reading.asked = (Asked("percent_change", "analysis", 0, unit[1]), *kept)


def _moves_by_percent(reading: Reading, unit: str) -> bool:
    """Percent of a change: "lower in percent", "growth in %", "went down how many percent"; not of an area."""
    if reading.limits or {one.operation for one in reading.asked} & {"trend", "area", "map", "mask", "count"}:
        return False
    said = [one.words for one in reading.asked if one.operation == "share"]
    of_area = any(not unit.lower().startswith(words.lower()) or f"{words} of" in reading.text for words in said)
    return not of_area and (reading.operation in COMPARING or bool(movements(reading.text)))


def _dates(reading: Reading) -> None:
    """ "The wettest day", "the dates of the maximum" ask for a date, and for an extreme."""
    dated = turns.date_of_most(reading.text)
    if dated is None or reading.operation not in ("", "maximum", "minimum", "map", "mean"):
        return
    kept = tuple(one for one in reading.asked if one.rank == "statistic")
    if not {"maximum", "minimum"} & {one.operation for one in kept}:
        way = superlative_way(reading.text[dated.first :])
        down = "least" in dated.words.lower() or (way is not None and way[0] == "down")
        kept = (*kept, Asked("minimum" if down else "maximum", "statistic", dated.first, dated.words))
    reading.asked = (Asked("extreme_date", "analysis", dated.first, dated.words), *kept)


def _operations(reading: Reading) -> tuple[Asked, ...]:
    """The operations that words of the lexicon ask for, outside limits."""
    inside = [(limit.first, limit.past) for limit in reading.limits]
    pieces = reading.pieces
    outside = [m for m in reading.mentions if not any(f <= pieces[m.first].start < p for f, p in inside)]
    asked = list(operations(reading.text, outside, pieces, reading.known))
    asked = [one for one in asked if not _in_passing(reading.text, one, asked)]
    asking = without_purposes(reading.text)
    asked = [one for one in asked if not asking[one.first].isspace()] or asked
    shares = of_others(reading.text, "mean", "share")
    if shares is not None and reading.limits and not any(one.operation == "share" for one in asked):
        asked.insert(0, Asked("share", "analysis", shares.first, shares.words))
    percentile = reading.slots.get("percentile")
    own = {"percentile"} if percentile is None or percentile.value != 50.0 else {"percentile", "median"}
    if percentile is not None and not any(one.operation in own for one in asked):
        asked.append(Asked("percentile", "statistic", reading.text.find(percentile.words), percentile.words))
    if any(limit.side_said and not limit.of_area for limit in reading.limits):
        asked = [
            Asked("mask", one.rank, one.first, one.words)
            if one.operation == "map"
            and one.words.lower().endswith(("where", "is", "are", "was", "were", "did", "does"))
            else one
            for one in asked
        ]
    return tuple(asked)


def _in_passing(text: str, one: Asked, every: Sequence[Asked]) -> bool:
    """ "The first days of March" asks for no date, "counting what is above 0.3" for no number of it."""
    if one.operation == "extreme_date" and turns.days_of(text, one.first):
        return True
    if one.operation == "area" and one.words.lower() == "area" and turns.is_the_place(text, one.first):
        return len(every) > 1 or not asked_unit(text)
    if one.operation == "count" and _COUNTS_AS.match(text, one.first):
        return True
    unit = asked_unit(text)
    if one.operation == "count" and unit is not None and unit[1].lower().startswith("how many"):
        return True  # "how many metres" counts nothing
    counted = one.operation == "count" and one.words.lower() in ("counted", "counting")
    return counted and (len(every) > 1 or unit is not None)
