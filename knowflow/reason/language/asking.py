"""What a sentence asks for: its operations, the statistic among them, and the settings it makes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowflow.ground.units import compatible
from knowflow.model.goal import Ambiguity, Slot
from knowflow.reason.language import turns
from knowflow.reason.language.background import counts_as
from knowflow.reason.language.comparatives import with_difference
from knowflow.reason.language.extreme_place import with_place
from knowflow.reason.language.limits import asked_unit
from knowflow.reason.language.nested import of_others
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import COMPARING, Asked, operations

_AREA_TOLD_BY = frozenset({"area", *COMPARING, "trend", "extreme_date", "time_series", "largest_patches", "zonal"})
_ONE_VALUED = frozenset({"group_by", "class", "mask_clouds", "daynight", "sensor"})


def read_settings(reading: Reading) -> None:
    """Fill the slots that words of the lexicon set ("cloud-free", "by day"); two values of one are ambiguous."""
    for mention in reading.heard:
        for meaning in mention.meanings:
            slot = meaning.entry.slot
            if meaning.category != "setting" or slot is None:
                continue
            present = reading.slots.get(slot)
            if present is None:
                reading.put(slot, meaning.entry.value, mention.words)
            elif slot == "group_by" and {present.value, meaning.entry.value} == {"class", "zone"}:
                reading.slots[slot] = Slot("class_in_zone", f"{present.words}, {mention.words}")
            elif slot in _ONE_VALUED and present.value not in (meaning.entry.value, "class_in_zone"):
                choices = (str(present.value), str(meaning.entry.value))
                words = f"{present.words}, {mention.words}"
                taken = None if slot == "class" else choices[0]  # of two places none is left out in silence
                reading.ambiguities.append(Ambiguity(slot, words, choices, taken))


def read_operations(reading: Reading) -> None:
    """Fill ``operation``, ``operations``, ``statistic`` and ``over_dates``; ``reading.asked`` has them in order."""
    reading.asked = _operations(reading)
    counted = turns.how_many_of(reading.text)
    if counted is not None:
        reading.put("count_of", counted.value, counted.words)
        reading.asked = tuple(one for one in reading.asked if one.operation != "extreme_date")
    _rate(reading)
    _turned(reading)
    _by_unit(reading)
    reading.asked = with_difference(reading.asked, reading.compared)
    reading.asked = with_place(reading.asked, reading.text, reading.slots.get("group_by"))
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
    of_means = of_others(reading.text, ("maximum", "minimum"), "mean")
    group = reading.slots.get("group_by")
    if of_means and group is not None and group.value == "scene" and group.words in of_means.words:
        del reading.slots["group_by"]  # "the highest daily mean" is one number
    if of_means and main.rank == "statistic":
        reading.put("over_dates", of_means.outer, of_means.words)
    elif [one.operation for one in numbers] in (["maximum", "mean"], ["minimum", "mean"]) and main is numbers[0]:
        extreme, mean = numbers
        if not re.search(r"\b(?:and|or)\b", reading.text[extreme.first : mean.first]):
            reading.put("over_dates", extreme.operation, f"{extreme.words}, {mean.words}")


def _operations(reading: Reading) -> tuple[Asked, ...]:
    """The operations that words of the lexicon ask for, outside limits."""
    inside = [(limit.first, limit.past) for limit in reading.limits]
    pieces = reading.pieces
    outside = [m for m in reading.heard if not any(f <= pieces[m.first].start < p for f, p in inside)]
    asked = list(operations(reading.text, outside, pieces, reading.known))
    asked = [one for one in asked if not _in_passing(reading.text, one, asked)]
    percentile = reading.slots.get("percentile")
    if percentile is not None and not any(one.operation == "percentile" for one in asked):
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
    unit = asked_unit(text)
    if one.operation == "count" and unit is not None and unit[1].lower().startswith("how many"):
        return True  # "how many metres" counts nothing
    if one.operation == "count" and counts_as(text, one.first):
        return True
    counted = one.operation == "count" and one.words.lower() in ("counted", "counting")
    return counted and (len(every) > 1 or unit is not None)


def _rate(reading: Reading) -> None:
    """A change per year is a trend, and no grouping by years."""
    rate = turns.rate(reading.text)
    group = reading.slots.get("group_by")
    by_year = group is None or group.value == "year"
    if rate and by_year and reading.operation in ("", "difference", "change", "mean"):
        reading.slots.pop("group_by", None)
        kept = tuple(one for one in reading.asked if one.operation not in COMPARING)
        reading.asked = (Asked("trend", "analysis", rate.first, rate.words), *kept)


def _turned(reading: Reading) -> None:
    """What is asked by a turn of phrase and by no word of the lexicon."""
    text = reading.text
    said = {one.operation for one in reading.asked}
    image, place = turns.one_image(text), turns.largest_place(text)
    if image is not None and "composite" not in said:
        reading.asked = (Asked("composite", "analysis", image.first, image.words), *reading.asked)
    if place is not None and "largest_patches" not in said and reading.operation in ("", "area", "maximum"):
        reading.asked = (*reading.asked, Asked("largest_patches", "analysis", place.first, place.words))
    two, much = turns.which_of_two(text), turns.by_how_much(text)
    if two is not None and sum(span.period is not None for span in reading.times.spans) == 2:
        date = Asked("extreme_date", "analysis", two.first, two.words)
        reading.asked = (date, Asked(str(two.value), "statistic", two.first, two.words))
    elif reading.operation in ("", "maximum", "minimum") and (dated := turns.date_of_most(text)) is not None:
        extreme = reading.asked or (Asked(_superlative(dated.words), "statistic", dated.first, dated.words),)
        reading.asked = (Asked("extreme_date", "analysis", dated.first, dated.words), *extreme)
    elif much is not None and not said & {*COMPARING, "trend"}:
        reading.asked = (Asked("difference", "analysis", much.first, much.words), *reading.asked)
    drawn = {one.operation for one in reading.asked} <= {"map", "mask"}  # "get" alone may ask for a map
    if drawn and (most := turns.gets(text)) is not None:
        reading.asked = (Asked(str(most.value), "statistic", most.first, most.words),)
    if not reading.asked:
        named = [subject for subject in reading.subjects if subject.sure >= 1]
        found = [turn for one in named if (turn := turns.extreme_of(text, one.first)) is not None]
        reading.asked = tuple(Asked(str(turn.value), "statistic", turn.first, turn.words) for turn in found[:1])


def _superlative(words: str) -> str:
    return "minimum" if "least" in words.lower() else "maximum"


def _by_unit(reading: Reading) -> None:
    """Hectares are told of an area, percent of a share or of a change, though no other word says so."""
    unit = asked_unit(reading.text)
    said = {one.operation for one in reading.asked}
    if unit is None or "count" in said:
        return
    if compatible(unit[0], "m2") and not said & _AREA_TOLD_BY:
        kept = tuple(one for one in reading.asked if one.operation != "share")
        reading.asked = (Asked("area", "analysis", 0, unit[1]), *kept)
    elif unit[0] == "%" and not reading.asked:
        reading.asked = (Asked("share", "analysis", 0, unit[1]),)
    elif unit[0] == "%" and reading.operation in ("difference", "change") and not said & {"share", "area"}:
        kept = tuple(one for one in reading.asked if one.operation not in COMPARING)
        reading.asked = (Asked("percent_change", "analysis", 0, unit[1]), *kept)
