"""What a sentence asks for: its operations, the statistic among them, and the settings it makes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from knowflow.ground.quantities import quantity_kind
from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon_file import Entry
from knowflow.knowledge.phrases import Mention
from knowflow.model.goal import Ambiguity, Slot
from knowflow.reason.language import turns
from knowflow.reason.language.asked_by_turns import ask_by_turns
from knowflow.reason.language.background import names_place
from knowflow.reason.language.comparatives import with_difference
from knowflow.reason.language.extreme_place import class_by_size, with_place
from knowflow.reason.language.groups import names_one_place, told_apart
from knowflow.reason.language.limits import asked_unit
from knowflow.reason.language.nested import beside_each_other, of_others
from knowflow.reason.language.purposes import without_purposes
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Asked, Subject, operations
from knowflow.reason.language.totals import with_total
from knowflow.reason.language.value_range import with_range

_HEADING = regex(r"\s*(?P<purpose>for\b)?[^:.?!;]*:(?=\s)", re.IGNORECASE)
_EACH_OF_THEM = regex(
    r"\b(?:of|for|in|inside|within|on|at|per)\s+(?:each|every one|all)\s+of\s+(?:them|these|those)\b(?!\s+[a-z])",
    re.IGNORECASE,
)
_AGAINST = ("versus", "vs", "against")
_ON_A_MAP = regex(r"^\W*(?:(?:out\s+)?of|among)\s+[^,.?!]*\b(?:on|in)\s+(?:the|this|our|my)\s+$", re.IGNORECASE)
_OF_EVERY_PIXEL = frozenset({"mean", "median", "maximum", "minimum", "sum"})
_OF_THE = regex(r"\s*(?:(?:of|with|showing|for)\s+)?(?:the\s+)?(?:(?:pixel-wise|per-pixel)\s+)?", re.IGNORECASE)
_OF_ANOTHER = regex(r"\bof the\b", re.IGNORECASE)
# what is put aside for something else: "instead of the mean", "the median and not the mean"
_ASIDE = regex(
    r"\b(?:instead of|rather than|in place of|as opposed to)\s+(?:(?:the|an?|its|their|taking|using)\s+)*$", re.I
)
_NOT_IT = regex(r"(?<!or )\bnot\s+(?:(?:the|an?|its|their|by)\s+)*$", re.IGNORECASE)
_ON_WHICH = regex(r"(?:which|what)\s+(?:the|an?)\b", re.IGNORECASE)  # "dates on which the scene mean ..."
_DAILY_OF = regex(
    r"\b(?:mean|average|median)\s+daily\s+(?!(?:mean|average|median|maximum|minimum|sum)s?\b)", re.IGNORECASE
)
_HOW = regex(r"\bhow\s+(?P<degree>[a-z]+)$", re.IGNORECASE)
_DEGREES = frozenset({"green", "steep"})  # of things on the ground that are told by their quantity; others by extent
_IS_THE = regex(r"\s+(?:is|was)\s+(?:the|this|that|our|my)\s+(?:whole\s+|entire\s+|study\s+)?", re.IGNORECASE)
_OF_IT = regex(r"\s+of\s+(?:(?:the|its|mean|average)\s+)*", re.IGNORECASE)
_CLASS_MAPS = frozenset({"land_cover_class", "class_label", "scene_classification"})
_OF_SIZE = frozenset({"area", "share", "maximum", "minimum", "extreme_place", "map"})
_TWO_PLACES = "are two kinds of ground, and one answer is of one of them"
_ONE_BY_ONE = "ask for each by itself, or for each class of a map"
_ONE_VALUED = frozenset({"group_by", "class", "mask_clouds", "daynight", "sensor", "facing"})


def read_settings(reading: Reading) -> None:
    """Fill the slots that words of the lexicon set ("cloud-free", "by day"); two values of one are ambiguous."""
    for mention in reading.heard:
        if _is_motive(reading, mention) or mention.words.lower() == "pixel of":  # one pixel is not counted
            continue
        for meaning in mention.meanings:
            slot = meaning.entry.slot
            if meaning.category != "setting" or slot is None:
                continue
            present = reading.slots.get(slot)
            value, said = _with_noun(reading, mention, meaning.entry)
            if present is None:
                reading.put(slot, value, said)
            elif slot == "group_by" and {present.value, value} == {"class", "zone"}:
                reading.slots[slot] = Slot("class_in_zone", f"{present.words}, {said}")
            elif slot in _ONE_VALUED and present.value not in (value, "class_in_zone"):
                choices = (str(present.value), str(value))
                words = f"{present.words}, {said}"
                taken = None if slot == "class" else choices[0]  # of two places none is left out in silence
                two = Ambiguity(slot, words, (), None, _TWO_PLACES, _ONE_BY_ONE)
                reading.ambiguities.append(two if slot == "class" else Ambiguity(slot, words, choices, taken))
    if "group_by" not in reading.slots:
        _read_columns(reading)
    if "group_by" not in reading.slots:
        _read_each_of_them(reading)


def _with_noun(reading: Reading, mention: Mention, entry: Entry) -> tuple[Any, str]:
    """What a phrase sets, and its words: "each land use" groups by classes, "each land use polygon" by polygons."""
    noun = reading.pieces[mention.past].text if mention.past < len(reading.pieces) else ""
    starts = {other.first for other in reading.mentions}
    if (entry.slot, entry.value) != ("group_by", "class") or not noun.isalpha() or mention.past in starts:
        return entry.value, mention.words
    between = reading.text[reading.pieces[mention.past - 1].end : reading.pieces[mention.past].start]
    each = _each(reading, noun) if between.isspace() else None
    return (entry.value, mention.words) if each is None else (each, f"{mention.words} {noun}")


def _each(reading: Reading, noun: str) -> Any:
    """What "each NOUN" groups by; None where it is nothing that is known."""
    found = reading.known.scan(f"each {noun.lower()}")
    meaning = found[0].of("setting") if found else None
    known = meaning is not None and meaning.entry.slot == "group_by" and found[0].words.endswith(noun.lower())
    return meaning.entry.value if meaning is not None and known else None


def _is_motive(reading: Reading, mention: Mention) -> bool:
    """ "Our commune must declare it: how many ha of each class" is about one commune, and groups by classes."""
    if not names_one_place(mention):
        return False
    if reading.only_tells(mention):
        return True
    grouping = (other for other in reading.heard if other is not mention and _groups(other))
    return any(told_apart(reading.text, mention.words, other.words) for other in grouping)


def _groups(mention: Mention) -> bool:
    return any(meaning.entry.slot == "group_by" for meaning in mention.meanings)


def _read_columns(reading: Reading) -> None:
    """The first column of a table tells what there is a row for: "date | mean NDVI"."""
    columns = turns.columns(reading.text)
    if len(columns) < 2:
        return
    rows = _each(reading, columns[0])
    if rows is not None:
        reading.put("group_by", rows, columns[0])


def _read_each_of_them(reading: Reading) -> None:
    """ "Tabulate the dates with the mean on each of them": the last plural before it that values are grouped by."""
    found = _EACH_OF_THEM.search(reading.text)
    if found is None:
        return
    before = (piece.text for piece in reversed(reading.pieces) if piece.end <= found.start())
    grouped = ((noun, _each(reading, noun[:-1])) for noun in before if noun.isalpha() and noun.endswith("s"))
    noun, rows = next(((noun, rows) for noun, rows in grouped if rows is not None), ("", None))
    if rows is not None:
        reading.put("group_by", rows, f"{noun}, {found.group()}")


def read_operations(reading: Reading) -> None:
    """Fill ``operation``, ``operations``, ``statistic`` and ``over_dates``; ``reading.asked`` has them in order."""
    reading.asked = _operations(reading)
    _ends_of_percentiles(reading)
    ask_by_turns(reading)
    reading.asked = _in_percent(reading)
    reading.asked = with_difference(reading.asked, reading.compared)
    reading.asked = with_total(reading)
    if "group_by" not in reading.slots:
        reading.asked = _with_composite(reading)
    reading.asked = with_place(reading.asked, reading.text, reading.slots.get("group_by"))
    _class_by_size(reading)
    reading.asked = _of_degree(reading)
    reading.asked = with_range(reading)
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
    several = beside_each_other(reading.text)
    if len(numbers) == len(asked) > 1 and {one.operation for one in asked} == {*several}:
        reading.put("statistics", several, ", ".join(one.words for one in numbers))
    of_means = of_others(reading.text, ("maximum", "minimum", "mean", "standard_deviation", "median", "range"), "mean")
    group = reading.slots.get("group_by")
    gathered = of_means is not None and (group is None or group.words in of_means.words or turns.refers(of_means.words))
    averaged = of_others(reading.text, "mean", "share") is not None
    by_scene = group is not None and group.value == "scene"
    if by_scene and ((of_means and gathered) or averaged or _DAILY_OF.search(reading.text)):
        del reading.slots["group_by"]  # "the highest daily mean", "the average daily rainfall" is one number
    elif by_scene and main.operation == "extreme_date":
        del reading.slots["group_by"]  # "when was the mean of each day highest" is one of the days
    other = of_others(reading.text, ("mean", "standard_deviation", "range", "median"), ("maximum", "minimum", "median"))
    if other is not None and (other.grouped or _OF_ANOTHER.search(other.words)):
        choices = (other.outer, other.inner)
        reading.ambiguities.append(
            Ambiguity("statistic", other.words, choices, None)
        )  # one of the other: no plan does it
    if of_means and of_means.outer != "mean" and main.rank == "statistic":
        reading.put("over_dates", of_means.outer, of_means.words)
    elif [one.operation for one in numbers] in (["maximum", "mean"], ["minimum", "mean"]) and main is numbers[0]:
        extreme, mean = numbers
        if not re.search(r"\b(?:and|or)\b", reading.text[extreme.first : mean.first]):
            reading.put("over_dates", extreme.operation, f"{extreme.words}, {mean.words}")


def _class_by_size(reading: Reading) -> None:
    """ "Which class is the largest": the classes of a map by their areas, where no quantity and no limit is told of."""
    told = [one for one in reading.subjects if one.quantity not in _CLASS_MAPS]
    if told or reading.limits or not {one.operation for one in reading.asked} <= _OF_SIZE:
        return
    found = class_by_size(reading.text, reading.slots.get("group_by"))
    if found is not None:
        reading.asked = found
        reading.put("extreme_of", "area", found[1].words)
        first = found[1].first
        reading.understood.append((first, first + len(found[1].words)))


def _of_degree(reading: Reading) -> tuple[Asked, ...]:
    """ "How green is it", "how steep is the area" ask for the mean of what has that degree, where nothing else is."""
    told = [one for one in reading.subjects if _is_degree(reading.text, one)]
    place = told[0].past if told else 0
    areas = [
        one
        for one in reading.asked
        if one.words.lower() == "area" and _IS_THE.fullmatch(reading.text, place, one.first)
    ]
    if not told or len(areas) < len(reading.asked):
        return reading.asked
    reading.subjects = tuple(
        _plain(one) if one in told and one.feature is not None else one for one in reading.subjects
    )
    return (Asked("mean", "statistic", told[0].first, told[0].words),)


def _is_degree(text: str, subject: Subject) -> bool:
    how = _HOW.search(text, 0, subject.past)
    return how is not None and (subject.feature is None or how["degree"].lower() in _DEGREES)


def _plain(thing: Subject) -> Subject:
    """The quantity that tells what degree a thing has, not where it is."""
    return replace(thing, feature=None, note=f"the degree is told by {quantity_kind(thing.quantity).title}")


def _in_percent(reading: Reading) -> tuple[Asked, ...]:
    """ "What percentage of NDVI was lost" asks for its change in percent, not for a part of the area."""
    asked = {one.operation: one for one in reading.asked}
    if asked.keys() != {"change", "share"}:
        return reading.asked
    told = _OF_IT.match(reading.text, asked["share"].first + len(asked["share"].words))
    named = told and [m for m in reading.heard if reading.pieces[m.first].start == told.end()]
    if not named or not all(m.of("quantity") and not m.of("feature") for m in named):
        return reading.asked
    return (replace(asked["change"], operation="percent_change"),)


def _with_composite(reading: Reading) -> tuple[Asked, ...]:
    """ "Map of the maximum" is an image of the largest value of every pixel, out of all dates."""
    asked = sorted(reading.asked, key=lambda one: one.first)
    for one, other in pairwise(asked):
        between = reading.text[one.first + len(one.words) : other.first]
        if one.operation == "map" and other.operation in _OF_EVERY_PIXEL and _OF_THE.fullmatch(between):
            composite = Asked("composite", one.rank, one.first, one.words)
            return (composite, *(other for other in reading.asked if other != one))
    return reading.asked


def _ends_of_percentiles(reading: Reading) -> None:
    """The 100th percentile is the maximum, the 0th the minimum."""
    percentile = reading.slots.get("percentile")
    name = {0.0: "minimum", 100.0: "maximum"}.get(-1.0 if percentile is None else float(percentile.value))
    if name is not None:
        del reading.slots["percentile"]
        reading.asked = tuple(
            Asked(name, one.rank, one.first, one.words) if one.operation == "percentile" else one
            for one in reading.asked
        )


def _operations(reading: Reading) -> tuple[Asked, ...]:
    """The operations that words of the lexicon ask for, outside limits."""
    inside = [(limit.first, limit.past) for limit in reading.limits]
    pieces = reading.pieces
    outside = [m for m in reading.heard if not any(f <= pieces[m.first].start < p for f, p in inside)]
    told = [m for m in outside if m.of("operation") and reading.only_tells(m)]
    if any(m.of("operation") for m in outside if m not in told):
        outside = [m for m in outside if m not in told]  # "We have the outlines. Work out the mean ..."
    said = [m for m in outside if m.of("operation") and turns.is_said(reading.text, pieces[m.first].start)]
    if any(m.of("operation") == one.of("operation") for one in said for m in outside if m not in said):
        outside = [m for m in outside if m not in said]  # "by which I mean ... What is the mean ...?"
    asked = list(operations(reading.text, outside, pieces, reading.known))
    asked = [one for one in asked if not _in_passing(reading.text, one, asked)]
    asked = [one for one in asked if not _in_heading(reading, one, asked)]
    asking = without_purposes(reading.text)
    asked = [one for one in asked if not asking[one.first].isspace()] or asked
    aside = [one for one in asked if _put_aside(reading, one)]
    asked = [one for one in asked if one not in aside] or aside
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


def _put_aside(reading: Reading, one: Asked) -> bool:
    """Whether another operation is wanted in the place of one: "the median instead of the mean"."""
    before = reading.text[: one.first]
    found = _ASIDE.search(before) or (_NOT_IT.search(before) if one.rank == "statistic" else None)
    if found is not None:
        reading.understood.append(found.span())
    return found is not None


def _in_heading(reading: Reading, one: Asked, every: Sequence[Asked]) -> bool:
    """Whether an operation only stands in what a question is headed with: "For my comparison table: ...", "Water versus
    land: ...". A heading that dates or measures something belongs to what is asked."""
    heading = _HEADING.match(reading.text)
    if heading is None or one.first >= heading.end() or all(other.first < heading.end() for other in every):
        return False
    if any(first < heading.end() for first, _ in reading.understood):
        return False
    inside = [m for m in reading.heard if reading.pieces[m.first].start < heading.end()]
    if heading["purpose"]:
        return not any(m.of("quantity") or m.of("feature") or names_place(m) for m in inside)
    return one.operation == "difference" and one.words.lower() in _AGAINST and not any(m.of("quantity") for m in inside)


def _in_passing(text: str, one: Asked, every: Sequence[Asked]) -> bool:
    """ "The first days of March" asks for no date, "counting what is above 0.3" for no number of it."""
    if one.operation == "extreme_date" and (turns.days_of(text, one.first) or _ON_WHICH.match(one.words)):
        return True
    if turns.is_said(text, one.first) and len(every) > 1:
        return True
    if one.operation == "hotspots" and turns.one_place(one.words):
        return True  # "the hottest spot" is one place, and asks for what it is like
    if one.operation == "area" and one.words.lower() == "area" and turns.is_the_place(text, one.first):
        return len(every) > 1 or not asked_unit(text)
    unit = asked_unit(text)
    if one.operation == "map" and (len(every) > 1 or unit is not None) and _ON_A_MAP.search(text[: one.first]):
        return True
    if one.operation == "count" and unit is not None and unit[1].lower().startswith("how many"):
        return True  # "how many metres" counts nothing
    if one.operation == "count" and turns.counts_not(text, one.first):
        return True
    counted = one.operation == "count" and one.words.lower() in ("counted", "counting")
    return counted and (len(every) > 1 or unit is not None)
