"""A goal told back to the user: each slot with its words, and what is still open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.knowledge.restrictions import restriction_words
from knowflow.knowledge.words import stem
from knowflow.model.goal import QueryGoal, Threshold
from knowflow.reason.language.clauses import to_clause_end
from knowflow.reason.language.cloud_limits import limit_of_clouds
from knowflow.reason.language.possible_limits import impossible_numbers
from knowflow.reason.language.qualifiers import unheeded
from knowflow.reason.language.reckoned import only_besides, reckoned
from knowflow.reason.language.subjects import NEEDS_LIMIT, fits

_COUNTED = regex(
    r"\b(?:(?:the\s+)?(?:most|fewest)|(?P<many>how many|number of)(?:\s+[a-z]+ly)?|how much(?! of\b)|amount of)\s+"
    r"(?P<head>[a-z]+)\b",
    re.IGNORECASE,
)
_WHAT = regex(
    r"\s*what(?:'s| is| was| are| were)\s+the\s+(?:[\w-]+\s+){0,2}?(?P<head>[a-z]+)\s*(?=of\b|in\b|on\b|at\b|[?.]|$)",
    re.IGNORECASE,
)
# "what kind of rock is it", "which rock lies there"
_KIND = regex(
    r"\s*(?:what|which)\s+(?:(?:kind|sort|type|species|breed)s?\s+of\s+(?P<head>[a-z]+)\b|"
    r"(?P<noun>[a-z]+)\s+(?:is|are|was|were|do|does|did|lie|lies|grows?|lives?|has|have|had)\b)",
    re.IGNORECASE,
)
_LENGTHS = regex(r"how many\s+(?:centi|milli|kilo)?met(?:re|er)s$|how many\s+(?:[ckm]?m|feet|inches)$", re.IGNORECASE)
_THINGS = regex(r"\s*how many\s+(?P<thing>[a-z]+)\b", re.IGNORECASE)
# what is counted: "how many residents"; in "of all dates, how many show" it is the dates
_SEVERAL = regex(r"(?:s|people|men|women|children|cattle)$", re.IGNORECASE)
_TABLES = frozenset({"table", "spreadsheet", "list", "csv"})  # forms that numbers are wanted in
_DEGREE = regex(r"(?:ly|er)$", re.IGNORECASE)  # "how strongly", "how much larger" ask for what is named elsewhere
_HEAD = regex(r"\s*how\s+(?:(?P<many>many\s+(?:[a-z]+ly\s+)?)|much\s+(?!of\b))?(?P<head>[a-z]+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Explained:
    """One slot as understood; ``default`` says that a default or usual reading stands in, ``note`` why."""

    slot: str
    value: Any
    words: str
    default: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """Something essential that the query leaves open, and how to say it; ``only_user``: a model cannot say it."""

    slot: str
    why: str
    hint: str
    only_user: bool = True


def explain(goal: QueryGoal) -> tuple[Explained, ...]:
    """Every slot with the words it came from, in the order in which they were filled."""
    return tuple(Explained(name, slot.value, slot.words, slot.default, slot.note) for name, slot in goal.slots.items())


def missing(goal: QueryGoal) -> tuple[Missing, ...]:
    """What a plan needs to know and the query does not say; ambiguities that nothing decided count too."""
    found: list[Missing] = []
    if goal.value("quantity") is None:
        found.append(
            Missing(
                "quantity", "the query names no quantity that is known", "name one: NDVI, surface temperature, slope..."
            )
        )
    if goal.value("operation") is None:
        found.append(
            Missing(
                "operation",
                "the query does not say what to do",
                "say it: share of the area, mean, trend, map, change...",
            )
        )
    asked = set(goal.value("operations", ()))
    limit = {"threshold", "moved", "share_threshold", "conditions"} & goal.slots.keys()
    only_dates = asked & NEEDS_LIMIT == {"count"} and goal.value("quantity") is None
    if (
        asked & NEEDS_LIMIT
        and not limit
        and goal.value("class") is None
        and goal.value("group_by") != "class"
        and not only_dates
    ):
        found.append(
            Missing(
                "threshold",
                f"{_first(asked & NEEDS_LIMIT)} needs a limit",
                "give one: 'above 0.5', 'warmer than 305 K'",
            )
        )
    if goal.value("operation") == "correlation" and len(goal.value("quantities", ())) < 2:
        found.append(
            Missing("quantities", "a correlation needs two quantities", "name both: 'between NDVI and temperature'")
        )
    found.extend(unclear(goal))
    return tuple(found)


def unclear(goal: QueryGoal) -> tuple[Missing, ...]:
    """What the query says in a way that cannot be acted on: limits without a usable unit, words of two meanings."""
    ambiguous = (
        Missing(item.slot, f"{item.words!r} can mean {' or '.join(item.choices)}", "say which one is meant")
        if item.choices
        else Missing(item.slot, f"{item.words!r} {item.why}", item.hint)
        for item in goal.ambiguities
        if item.taken is None
    )
    impossible = (Missing(*found) for found in impossible_numbers(goal))
    return (
        *_units(goal),
        *_measured_otherwise(goal),
        *ambiguous,
        *_unheeded(goal),
        *_of_clouds(goal),
        *impossible,
        *_unknown(goal),
    )


def _measured_otherwise(goal: QueryGoal) -> list[Missing]:
    """ "How many centimetres of snow": a depth, where the snow is known by an index."""
    unit, quantity = goal.slots.get("unit"), goal.slots.get("quantity")
    if unit is None or quantity is None or "object" in goal.slots or not _LENGTHS.match(unit.words):
        return []
    of_it = re.search(rf"{re.escape(unit.words)}\s+of\s+(?:[\w-]+\s+){{0,3}}?{re.escape(quantity.words)}", goal.text)
    if of_it is None or fits(str(quantity.value), str(unit.value)):
        return []
    why = f"{of_it.group()!r}: a depth, a height or a length, which the data do not tell of {quantity.words}"
    return [Missing("unit", why, "ask for the share or the area, or for a quantity that has such a unit")]


def _unheeded(goal: QueryGoal) -> list[Missing]:
    found = unheeded(goal)
    return [] if found is None else [Missing(found[0].slot, f"{found[1]!r} {found[0].why}", found[0].hint)]


def _of_clouds(goal: QueryGoal) -> list[Missing]:
    words = limit_of_clouds(goal)
    hint = "name the dates, or ask about all of them: clouds are left out wherever there are masks of them"
    return (
        []
        if words is None
        else [Missing("threshold", f"{words!r} picks scenes by their clouds, which no step does", hint)]
    )


def _unknown(goal: QueryGoal) -> list[Missing]:
    """What the whole question turns on and nobody knows: "how salty", "how many people"."""
    asked = _HEAD.match(goal.text) or _COUNTED.search(goal.text)
    if asked is None and goal.value("operation") is None:
        asked = _WHAT.match(goal.text)  # "what was the pH of the lake"
    kind = _KIND.match(goal.text)
    if kind and _of_unknown_kind(goal, kind):
        why = f"nothing is known of {to_clause_end(goal.text, kind.start(), kind.end()).strip().lower()!r}"
        return [Missing("quantity", why, "name a quantity that the data can tell, such as an area or a mean")]
    things = _THINGS.match(goal.text)
    for name in ("feature", "class") if things and not {"count_of", "unit", "object"} & goal.slots.keys() else ():
        if things and name in goal.slots and things["thing"].lower() in goal.slots[name].words.lower():
            why = f"{things['thing']} are not counted: the data tell how much ground they cover"
            return [Missing("count_of", why, "ask for the share or the area, or for the number of separate patches")]
    quantity = goal.slots.get("quantity")
    counted = asked is not None and asked.re is not _WHAT and asked["many"] and _SEVERAL.search(asked["head"])
    counted = counted and goal.value("operation") == "count"
    # "how many residents had more than 310 K": what is counted is no date, and no pixel, of the quantity that is named
    named = quantity is not None and not quantity.default and not (counted and "count_of" not in goal.slots)
    left = _lowered(goal)
    thing = quantity is not None and "feature" not in goal.slots  # "how severe was the fire": a fire has a severity
    if asked and (thing or asked.re is _COUNTED) and stem(asked["head"]) in restriction_words().harmless:
        asked = None  # "the most intense fires", "number of usable images" ask for what comes after
    if asked and not named and asked["head"].lower() in left and not _DEGREE.search(asked["head"]):
        why = f"nothing is known of {to_clause_end(goal.text, asked.start(), asked.end()).lower()!r}"
        return [Missing("quantity", why, "name a quantity that the data can tell, such as an area or a mean")]
    if (word := reckoned(goal)) and not only_besides(goal, word):
        why = f"{word!r}: no step divides or multiplies what is found"
        return [Missing("operation", why, "ask for each of the two numbers by itself", only_user=False)]
    measure = _unknown_measure(goal)
    if measure:
        why = f"nothing is known of {measure!r}"
        hint = "say it in other words: a mean, a share, a trend, a change..."
        return [Missing("operation", why, hint, only_user=False)]
    return []


def _of_unknown_kind(goal: QueryGoal, kind: re.Match[str]) -> bool:
    """Whether a kind of something is asked for that nobody knows, or of a thing that is known by no kinds."""
    if (kind["head"] or kind["noun"]).lower() in _lowered(goal):
        return goal.value("operation") is None or kind["head"] is not None
    named = (goal.slots[name].words.lower() for name in ("class", "feature") if name in goal.slots)
    return (
        kind["head"] is not None and "group_by" not in goal.slots and any(kind["head"].lower() in one for one in named)
    )


def _lowered(goal: QueryGoal) -> set[str]:
    return {word.lower() for word in goal.leftover}


def _unknown_measure(goal: QueryGoal) -> str:
    """What is asked of the quantity, in words that nobody knows: "the quotient of NDVI", "how volatile was NDVI"."""
    quantity, operation = goal.slots.get("quantity"), goal.value("operation")
    heads = [re.escape(word) for word in goal.leftover if word.islower() and word not in _TABLES]
    if quantity is None or not heads or "largest_patches" in goal.value("operations", ()):
        return ""
    for words in quantity.words.split(", "):
        of_it = rf"\b(?P<head>{'|'.join(heads)})\s+of\s+(?:[\w-]+\s+){{0,3}}{re.escape(words)}\b"
        how = rf"^\s*how\s+(?P<head>{'|'.join(heads)})\s+(?:is|are|was|were)\s+(?:[\w-]+\s+){{0,2}}{re.escape(words)}\b"
        found = re.search(of_it, goal.text, re.IGNORECASE)
        if found is None and operation in (None, "mean"):
            found = re.search(how, goal.text, re.IGNORECASE)
            if found and stem(found["head"]) in restriction_words().harmless:
                continue  # "how severe", "how strong" ask for the value
        if found and not _DEGREE.search(found["head"]):
            return found["head"]
    return ""


def _units(goal: QueryGoal) -> list[Missing]:
    """Limits on a quantity with a unit, whose unit was not said or does not fit."""
    slot = "threshold" if "threshold" in goal.slots else "moved"
    threshold, quantity = goal.value(slot), goal.value("quantity")
    kind = quantity_kinds().get(quantity or "")
    if not isinstance(threshold, Threshold) or kind is None or threshold.relative_to is not None:
        return []
    open_already = any(item.slot == "threshold" and item.taken is None for item in goal.ambiguities)
    value = threshold.value if slot == "threshold" else abs(threshold.value)
    if threshold.unit is None and kind.unit not in ("1", "%") and not open_already and (value or slot == "threshold"):
        hint = f"say the unit: {value:g} {kind.unit}"
        return [Missing(slot, f"the limit {value:g} has no unit; {kind.title.lower()} has one", hint)]
    if not fits(kind.name, threshold.unit):
        why = f"{threshold.unit} is no unit of {kind.title.lower()}"
        return [Missing(slot, why, f"give the limit in {kind.unit}")]
    return []


def _first(names: set[str]) -> str:
    return sorted(names)[0].replace("_", " ")
