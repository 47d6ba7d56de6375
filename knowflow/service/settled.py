"""What the files settle of a goal: which two years or regions are compared, whether a trend is one of years."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from statistics import median, mode
from typing import Any

from knowflow.ground.bands import band
from knowflow.model.goal import Period, QueryGoal, Slot
from knowflow.reason.inventory import Inventory
from knowflow.reason.language.chain_words import HEARD, OF_TWO
from knowflow.reason.language.divided import multiplied
from knowflow.reason.language.movements import movements
from knowflow.reason.language.patterns import YEAR

YEARS_OF_A_TREND = 3
_YEARS_OF_A_TEST = 8  # fewer numbers can hardly be significant (Kendall 1975, table of probabilities)
_OF_A_BAND = ("share", "count_means")

_IN_KELVIN = re.compile(r"(?<!\()\b(?:in|as)\s+(?:kelvins?|K)\b(?!\))", re.IGNORECASE)
_THERMAL = ("lwir11", "lwir12", "lwir")
_OF_BUILDINGS = ("building_volume", "built_up_surface")
_OF_A_VALUE = ("mean", "maximum", "minimum")

_LENGTHS, _ABOUT = (365.25 / 12, 365.25), 0.05  # days of a month and of a year, and how far files are from them
_FROM_YEAR_TO_YEAR = re.compile(rf"\b(?:from|between)\s+{YEAR}\s+(?:to|and|until)\s+{YEAR}\b", re.IGNORECASE)
_EXCEEDS = re.compile(r"\bthan\b|\bexceed", re.IGNORECASE)
_PARTS = {"year": 4, "month": 7}  # how much of a date tells one from another


def settled(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """The goal with what it leaves open and the files leave no choice about, each as a default with its reason."""
    slots = dict(goal.slots)
    years = sorted({moment[:4] for moment in inventory.dates()})
    regions = _regions(inventory)

    def put(name: str, value: Any, note: str) -> None:
        slots[name] = Slot(value, default=True, note=note)

    _time_of_day(goal, inventory, put)
    if (base := _base_of_files(goal, inventory)) is not None:
        put("per_quantity", base, "the files tell of buildings by their surface or volume alone")
    if _told_in_celsius(goal) and _of_one_thermal_band(inventory):
        put("unit", "degC", "what a thermal band holds in kelvin is told in degrees Celsius, as surface temperature")
    asked = [year for year in years if _of_period(year, goal.value("period"))]
    enough = YEARS_OF_A_TREND if goal.value("operation") == "trend" else _YEARS_OF_A_TEST
    if goal.value("per") == "" and len(asked) >= enough:
        put("per", "year", f"the files are of {len(asked)} years")
    if goal.value("extreme_of") in _PARTS and _once_each(inventory, _PARTS[str(goal.value("extreme_of"))]):
        del slots["extreme_of"]  # which of the files it is, tells it
    if goal.value("operation") == "decomposition" and goal.value("cycle") is None:
        days = goal.value("cycle_days")
        if days is not None:
            cycle = round(days / _step(inventory))
            put("cycle", cycle, f"{cycle} files make a cycle of {days:g} days")
        elif (cycle := _of_a_year(inventory)) > 1:
            put("cycle", cycle, f"{cycle} files make a year")
    compared = goal.value("comparison")
    absent = _absent(compared, years)
    named = [region for region in regions if _plain(region) in _plain(goal.text)]
    if goal.value("operation") == "mean" and len(regions) == 2 == len(named) and goal.value("conditions") is None:
        put("operation", "difference", "the two regions that the question names are compared")
        put("operations", ("difference", "mean"), "the two regions that the question names are compared")
    times = _times_of_change(goal, inventory)
    if len(regions) == 2 == len(named) and times is not None:
        each = "the files are of two times in each of the two regions that the question names"
        compared_too = "difference" in (goal.value("operations") or ()) or HEARD["difference"].search(goal.text)
        operation = "changes_compared" if compared_too else "change_of_each"
        put("operation", operation, each)
        put("operations", (operation,), each)
        put("regions", tuple(regions), each)
        put("comparison", times, each)
        return replace(goal, slots=slots)
    if slots["operation"].value in OF_TWO and len(regions) == 2 == len(named):
        put("comparison", _as_told(goal, regions), "the files are of the two regions that the question names")
        put("span", "regions", "the files are of the two regions that the question names")
        return replace(goal, slots=slots)
    elsewhen = len(regions) == 2 and _without_files(compared, inventory)
    if goal.value("operation") in OF_TWO and (compared is None or absent or elsewhen):
        if len(regions) == 2:
            put("comparison", tuple(regions), "the files are of two regions")
            put("span", "regions", "the files are of two regions")
        elif len(years) == 2:
            put("comparison", tuple(Period(f"{year}-01-01", f"{year}-12-31") for year in years), "two years of files")
            put("span", "years", "the files are of two years")
        elif absent:
            del slots["comparison"], slots["span"]
    inner = tuple(goal.value("operations") or ())[1:]
    if goal.value("operation") in {"trend", *OF_TWO} and _one_date(goal, inventory):
        put(
            "operation",
            next((name for name in inner if name not in OF_TWO), "mean"),
            "one date of files",
        )
        put("operations", (slots["operation"].value, *inner), "the files are of one date")
    return replace(goal, slots=slots)


def _base_of_files(goal: QueryGoal, inventory: Inventory) -> str | None:
    """The other measure of buildings than the one that something is told per unit of, where files have just that."""
    base = goal.value("per_quantity")
    held = {leaf.fact("quantity") for item in inventory.artifacts for leaf in item.leaves()} & set(_OF_BUILDINGS)
    return str(*held) if base in _OF_BUILDINGS and len(held) == 1 and base not in held else None


def _times_of_change(goal: QueryGoal, inventory: Inventory) -> tuple[Period, Period] | None:
    """The two times between which a change in percent is asked about; None where two regions are compared."""
    compared: tuple[Any, ...] = goal.value("comparison") or ()
    period = goal.value("period")
    moved = _FROM_YEAR_TO_YEAR.search(goal.text) and movements(goal.text) and not _EXCEEDS.search(goal.text)
    if isinstance(period, Period) and moved:
        years = period.start[:4], period.end[:4]
        compared = tuple(Period(f"{year}-01-01", f"{year}-12-31") for year in dict.fromkeys(years))
    of_times = len(compared) == 2 and all(isinstance(one, Period) for one in compared)
    asked = goal.value("operation") == "percent_change" and of_times and not _without_files(compared, inventory)
    return (compared[0], compared[1]) if asked else None


def _time_of_day(goal: QueryGoal, inventory: Inventory, put: Callable[[str, Any, str], None]) -> None:
    """Which band, or which files, hold the temperature of the time of day that is asked about.

    Retrievals of both times write the day into the first band and the night into the second. What tools that read the
    first band alone are asked about the night goes to a retrieval with the night first.
    """
    part = goal.value("part_of_day")
    times = {(str(item.fact("quantity")), item.fact("daynight")) for item in inventory.rasters}
    if part is None or not {time for _, time in times} >= {"day", "night"}:
        return
    retrieved = any(quantity == "surface_emissivity" for quantity, _ in times)
    retrieved = retrieved and goal.value("quantity") != "toa_brightness_temperature"
    if retrieved and part == "night" and goal.value("operation") in _OF_A_BAND:
        put("band", 1, "the night is the second band")
    elif goal.value("algorithm") is None and (part == "night" or not retrieved):
        put("algorithm", part, f"the temperature by {part} is asked for")


def _told_in_celsius(goal: QueryGoal) -> bool:
    """Whether the temperature of the surface itself is asked for, in no unit."""
    asked = goal.value("quantity") == "surface_temperature" and goal.value("operation") in _OF_A_VALUE
    return asked and goal.value("unit") is None and _IN_KELVIN.search(goal.text) is None


def _of_one_thermal_band(inventory: Inventory) -> bool:
    """Whether the files hold a thermal band of Landsat and nothing that a temperature could be retrieved with."""
    names = {(item.fact("quantity"), item.fact("band")) for item in inventory.rasters}
    if len(names) != 1:
        return False
    quantity, name = next(iter(names))
    found = None if name is None else band("landsat-8", str(name))
    return quantity is None and found is not None and found.common_name in _THERMAL


def _of_a_year(inventory: Inventory) -> int:
    """The number of dates that most years have."""
    counted = Counter(day[:4] for day in {moment[:10] for moment in inventory.dates()})
    return mode(counted.values()) if counted else 0


def _step(inventory: Inventory) -> float:
    """How many days lie between most of the dates; those of months and of years are of the same length each."""
    days = sorted({dt.date.fromisoformat(moment[:10]) for moment in inventory.dates()})
    step = median((later - day).days for day, later in pairwise(days)) if len(days) > 1 else 1
    return next((length for length in _LENGTHS if abs(step - length) < _ABOUT * length), float(step))


def _as_told(goal: QueryGoal, regions: list[str]) -> tuple[str, ...]:
    """Two regions, what is so many times the other last: the one that is told first where the question comes to it."""
    if goal.value("operation") != "times":
        return tuple(regions)
    asked = next(reversed(tuple(HEARD["times"].finditer(goal.text))), None)
    text = goal.text[asked.start() :] if asked is not None else goal.text
    told = {region: _place_of(region, text) for region in regions}
    base = multiplied(text, list(told.values()))
    if base is not None:
        return tuple(sorted(regions, key=lambda region: region != regions[base]))
    return tuple(sorted(regions, key=lambda region: told[region], reverse=True))


def _place_of(region: str, text: str) -> int:
    """Where a region is named, however its words are joined; -1 where it is not."""
    named = re.search(r"[\W_]*".join(map(re.escape, re.findall(r"[^\W_]+", region))), text, re.IGNORECASE)
    return -1 if named is None else named.start()


def _once_each(inventory: Inventory, letters: int) -> bool:
    """There is one date of each year or month."""
    dates = {moment[:10] for moment in inventory.dates()}
    return len({date[:letters] for date in dates}) == len(dates)


def _one_date(goal: QueryGoal, inventory: Inventory) -> bool:
    """There is nothing to compare: one date, one region, and neither conditions nor times of day that tell apart."""
    told_apart = any(goal.value(name) is not None for name in ("comparison", "conditions"))
    told_apart = told_apart or goal.value("span") == "day_night"
    return len({moment[:10] for moment in inventory.dates()}) == 1 and len(_regions(inventory)) < 2 and not told_apart


def _of_period(year: str, period: Any) -> bool:
    """Whether a year is one of those asked about; all are where no period is said."""
    return not isinstance(period, Period) or period.start[:4] <= year <= period.end[:4]


def _absent(compared: Any, years: list[str]) -> bool:
    """Two periods are compared, and the files have nothing of the years of one of them."""
    if not compared or not all(isinstance(one, Period) for one in compared):
        return False
    return any(not any(one.start[:4] <= year <= one.end[:4] for year in years) for one in compared)


def _without_files(compared: Any, inventory: Inventory) -> bool:
    """One of two periods has no files, so that these are not what the files of two regions are to tell."""
    if not compared or not all(isinstance(one, Period) for one in compared):
        return False
    days = [moment[:10] for moment in inventory.dates()]
    return any(not any(one.start <= day <= one.end for day in days) for one in compared)


def _regions(inventory: Inventory) -> list[str]:
    """The regions that file names tell apart, as they are first spelled."""
    found: dict[str, str] = {}
    for item in inventory.rasters:
        region = str(item.fact("region") or "")
        found.setdefault(_plain(region), region)
    return [region for plain, region in sorted(found.items()) if plain]


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
