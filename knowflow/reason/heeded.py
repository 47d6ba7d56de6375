"""Whether the data heed what restricts a question: names of layers, of files, of regions and of columns.

What neither the lexicon nor the data know would be passed over in silence, and the answer would be that of another
question; it is asked back, with the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from knowflow.ground.errors import NotUnderstoodError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.knowledge.words import stems
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period, QueryGoal, Threshold
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.dates import within
from knowflow.reason.inventory.grouping import mission_of
from knowflow.reason.named_bands import polarisation_of, polarisations_named
from knowflow.reason.untold import untold

# a folder is seen without what reads a sentence
if TYPE_CHECKING:
    from knowflow.reason.language.restricting import Restriction

_NAMING = ("region", "layer", "sensor", "band", "level")
_SEEN_AT_NIGHT = frozenset({"night_lights"})
_OF_A_QUANTITY = frozenset({"trend", "change", "difference", "percent_change"})
_FROM_YEAR_TO_YEAR = re.compile(r"(?:19|20)\d\d\b.*\b(?:19|20)\d\d")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NUMBERED_CLASS = re.compile(
    r"\b(?:class|categor|type|code)(?:e?s|y|ies)?\s*(?:(?:number|no\.?|id|code|value|=)\s*)?(?P<n>\d+)(?![\w.]*\d)",
    re.IGNORECASE,
)
_PASS = re.compile(r"\b(?:a|de)scending\b(?!\s+order)", re.IGNORECASE)
_BY_POLYGONS = frozenset({"zone", "class_in_zone"})


def unheeded_by_data(goal: QueryGoal, inventory: Inventory, by_area: bool) -> tuple[Problem, ...]:
    """What a refused question has that nothing heeds, each as a problem with what can be said instead: restrictions,
    a period without data, a movement of nothing that is known.

    ``by_area``: an area of interest is given, which stands for every place that the question names.
    """
    asked = [item for item in inventory.rasters if item.fact("quantity") == goal.value("quantity")]
    told = untold(goal, asked)
    return (*_restricting(goal, inventory, by_area), *told, *_other_period(goal, inventory), *_of_nothing_known(goal))


def _restricting(goal: QueryGoal, inventory: Inventory, by_area: bool) -> tuple[Problem, ...]:
    from knowflow.reason.language.misspelt import slips
    from knowflow.reason.language.restrictions import restrictions

    found = [one for one in (*restrictions(goal), *slips(goal)) if not (by_area and one.place)]
    known = set(_names(goal, inventory)) if found else set()
    problems = [_problem(one, inventory) for one in found if not set(stems(" ".join(one.unknown))) <= known]
    return (
        *problems,
        *_column(goal, inventory),
        *_class_by_number(goal),
        *_hardly_covered(goal, inventory),
        *_other_hour(goal, inventory),
        *_other_sensor(goal, inventory),
        *_other_pass(goal, inventory),
        *_other_polarisation(goal, inventory),
        *_through_north(goal),
    )


def refuse_unheeded(goal: QueryGoal, inventory: Inventory, by_area: bool) -> None:
    """Raise where a question is restricted by what nothing heeds.

    Raises:
        NotUnderstoodError: with the words, why they matter, and what can be said instead.
    """
    problems = _restricting(goal, inventory, by_area)
    if problems:
        raise NotUnderstoodError(
            "a part of the question is heeded by nothing",
            expected=problems[0].expected,
            found=problems[0].found,
            hint=problems[0].hint,
            problems=problems[1:],
        )


def _column(goal: QueryGoal, inventory: Inventory) -> Iterator[Problem]:
    """ "For each LULC_NAME", "where LULC_ID is 2": a column of polygons, by which nothing is grouped or picked."""
    if goal.value("group_by") in _BY_POLYGONS:
        return
    left = {word.lower() for word in goal.leftover}
    for layer in (item for item in inventory.artifacts if item.type == "vector"):
        for field in map(str, layer.fact("fields") or ()):
            words = set(re.findall(r"[^\W\d_]+|\d+", field.lower()))
            named = re.search(rf"(?<!\w){re.escape(field)}(?!\w)", goal.text, re.IGNORECASE)
            if named and words and words <= left:
                found = f"{named.group()!r} is a column of {layer.name}, by which no step groups or picks polygons"
                yield Problem("unheeded", f"each polygon of {layer.name}, or each class of a map", found)


def _class_by_number(goal: QueryGoal) -> Iterator[Problem]:
    """ "Of class 2": classes are known by their names; the number alone would be passed over, and all be meant."""
    for match in _NUMBERED_CLASS.finditer(goal.text):
        if match["n"] in goal.leftover:
            expected = "a class by its name, such as forest, or each class"
            yield Problem("unheeded", expected, f"{match.group()!r} names a class by its number")


def hour_of(artifact: Artifact) -> str | None:
    """Day or night: as the file says, or by the very thing that was measured."""
    said: str | None = artifact.fact("daynight")
    return said or ("night" if artifact.fact("quantity") in _SEEN_AT_NIGHT else None)


def _other_hour(goal: QueryGoal, inventory: Inventory) -> tuple[Problem, ...]:
    """That a question is about the day or the night, and no file is known to be of it."""
    light = goal.slots.get("daynight")
    if light is None or light.default or any(hour_of(item) == light.value for item in inventory.rasters):
        return ()
    expected = f"data that say that they are of the {light.value}"
    hint = f"--assume daynight={light.value} says that all of them are"
    return (Problem("unheeded", expected, f"{light.words!r}, and nothing says when the data were taken", hint),)


def is_of_sensor(artifact: Artifact, named: str) -> bool | None:
    """Whether an image is of the sensor or mission that a question names; None where nobody knows."""
    mission = mission_of(artifact)
    return None if mission is None else named in mission


def _other_sensor(goal: QueryGoal, inventory: Inventory) -> tuple[Problem, ...]:
    """That a question is about the images of a sensor, and all that could be meant are known to be of another."""
    named = goal.slots.get("sensor")
    if named is None or named.default:
        return ()
    known = [is_of_sensor(item, str(named.value)) for item in inventory.rasters]
    may_be = any(mission_of(item) is None and item.fact("quantity") is not None for item in inventory.rasters)
    if any(known) or may_be or False not in known:
        return ()
    there = ", ".join(dict.fromkeys(filter(None, map(mission_of, inventory.rasters))))
    hint = "leave the sensor out, or give a folder of its images"
    return (Problem("unheeded", f"images of {named.words}", f"images of {there}", hint),)


def pass_named(goal: QueryGoal) -> str | None:
    """The pass of a satellite that a question names, where it names one: ascending or descending."""
    named = {match.group().lower() for match in _PASS.finditer(goal.text)}
    return named.pop() if len(named) == 1 else None


def _other_pass(goal: QueryGoal, inventory: Inventory) -> tuple[Problem, ...]:
    """That a question is about one pass of the satellite, and no file is known to be of it."""
    named = pass_named(goal)
    radar = [item for item in inventory.rasters if item.fact("orbit") is not None or polarisation_of(item) is not None]
    if named is None or not radar or any(item.fact("orbit") == named for item in radar):
        return ()
    hint = f"--assume orbit={named} says that all that do not tell it are"
    return (Problem("unheeded", f"data that say that they are of the {named} pass", f"{named!r}", hint),)


def _other_polarisation(goal: QueryGoal, inventory: Inventory) -> tuple[Problem, ...]:
    """That a question names a polarisation, and all radar images are known to be of another."""
    named, there = polarisations_named(goal), {polarisation_of(item): None for item in inventory.rasters}
    known = [one.upper() for one in there if one is not None]
    if not named or not known or set(there) & set(named.values()):
        return ()
    found = f"{', '.join(named)!r}, and the data are of {', '.join(known)}"
    return (Problem("unheeded", "a polarisation that there are data of", found, "ask for one that there is"),)


def heard(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """The goal without the words that only the data understand: a polarisation or pass of radar images."""
    radar = any(polarisation_of(item) is not None or item.fact("orbit") is not None for item in inventory.rasters)
    words = {*map(str.lower, polarisations_named(goal)), pass_named(goal)} if radar else set()
    return replace(goal, leftover=tuple(word for word in goal.leftover if word.lower() not in words))


def _through_north(goal: QueryGoal) -> tuple[Problem, ...]:
    """ "aspect between 350 and 10 degrees": the directions through north, not all the others that lie between the
    smaller number and the larger one."""
    kind, slot = quantity_kinds().get(str(goal.value("quantity"))), goal.slots.get("threshold")
    limits = slot.value if slot is not None else None
    if kind is None or not kind.circular or not isinstance(limits, Threshold) or slot is None:
        return ()
    first = _NUMBER.search(slot.words)
    if first is None or limits.upper is None or float(first.group()) != limits.upper or limits.upper == limits.value:
        return ()
    expected = f"what faces a side, such as slopes facing north, or from {limits.value:g} to {limits.upper:g}"
    return (Problem("unheeded", expected, f"{slot.words!r} goes through north, which no limits do", "ask for these"),)


def _other_period(goal: QueryGoal, inventory: Inventory) -> tuple[Problem, ...]:
    """That a question is about a period, and all data with a date are of another one."""
    slot, days = goal.slots.get("period"), inventory.dates()
    if slot is None or not isinstance(slot.value, Period) or not days:
        return ()
    if any(within(day, slot.value.start, slot.value.end) for day in days):
        return ()
    there = f"{days[0][:10]} to {days[-1][:10]}" if len(days) > 1 else days[0][:10]
    found = f"{slot.words!r}, from {slot.value.start} to {slot.value.end}: no data are of it"
    return (Problem("unheeded", f"dates within {there}", found, "ask about dates that there are data of"),)


def _hardly_covered(goal: QueryGoal, inventory: Inventory) -> tuple[Problem, ...]:
    """That a question is about years from one to another, and the data are of a small part of them: a trend from 2010
    to 2022 is not that of the summer of 2022."""
    slot = goal.slots.get("period")
    if slot is None or slot.default or not isinstance(slot.value, Period):
        return ()
    period = slot.value
    if period.start[:4] == period.end[:4] or not _FROM_YEAR_TO_YEAR.search(slot.words):
        return ()
    days = sorted(day[:10] for day in inventory.dates() if within(day, period.start, period.end))
    if not days or 2 * Period(days[0][:4] + "-01-01", days[-1][:4] + "-12-31").days >= period.days:
        return ()
    found = f"{slot.words!r}, from {period.start} to {period.end}: the data of it are from {days[0]} to {days[-1]}"
    return (Problem("unheeded", "data of most of these years", found, "ask about years that there are data of"),)


def _of_nothing_known(goal: QueryGoal) -> tuple[Problem, ...]:
    """ "How fast is the ground sinking": that what moves is no quantity that is known."""
    asked, quantity = goal.slots.get("operation"), goal.slots.get("quantity")
    if asked is None or asked.value not in _OF_A_QUANTITY:
        return ()
    # where a question names none, the only one of the data in the unit asked for is taken, by the words of that unit
    unit = goal.slots.get("unit")
    if quantity is not None and quantity.words not in ("", "" if unit is None else unit.words):
        return ()
    from knowflow.reason.language.clauses import to_clause_end

    place = max(goal.text.lower().find(asked.words.lower()), 0)
    words = to_clause_end(goal.text, place, place + len(asked.words))
    return (Problem("unheeded", "the name of a quantity, such as NDVI", f"{words!r} names none that is known"),)


def _problem(one: Restriction, inventory: Inventory) -> Problem:
    asked = set(stems(" ".join(one.unknown)))
    layer = next((item for item in inventory.artifacts if item.type == "vector" and asked & set(_words(item))), None)
    hint = (
        f"--aoi {layer.path} cuts the data to that layer"
        if layer is not None and one.place
        else "ask again with that said"
    )
    return Problem("unheeded", one.hint, f"{one.words!r} {one.why}", hint)


def _names(goal: QueryGoal, inventory: Inventory) -> Iterator[str]:
    """The words that name what the plan may take: rasters always, polygons where there is an answer for each."""
    by_polygons = goal.value("group_by") in _BY_POLYGONS
    for item in inventory.artifacts:
        if item.type != "vector" or by_polygons:
            yield from _words(item)


def _words(item: Artifact) -> Iterator[str]:
    said = [item.name, PurePath(item.path or "").stem, *(str(item.fact(name) or "") for name in _NAMING)]
    said += [str(field) for field in item.fact("fields") or ()]
    yield from stems(" ".join(re.findall(r"[^\W\d_]+", " ".join(said))))
