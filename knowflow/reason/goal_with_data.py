"""What a question leaves to the data: which two images a flood lies between, and what "each village" is.

A goal is understood without the data. Where the data hold exactly one reading of what it leaves open, that one is
taken, marked as a default and shown with the answer; what names nothing that is there is refused, not passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from knowflow.ground.errors import DataNotFoundError, NotUnderstoodError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.knowledge.words import NUMBER_WORDS, stem
from knowflow.model.goal import Period, QueryGoal, Slot
from knowflow.reason.inventory import Inventory
from knowflow.reason.language.periods import BEFORE_AND_AFTER
from knowflow.reason.language.product_words import OF_AN_EVENT
from knowflow.reason.language.turns import EVENTS
from knowflow.reason.quantity_with_data import quantity_with_data

_EACH = regex(
    r"\b(?:each|every|per|for all(?: the)?|(?<!\bline )(?<!\brow )by)\s+(?:\w+ing\s+)?(?P<noun>(?!of\b)[a-z]+)\b|"
    r"\b(?:each|every one|all) of (?:the|these|those|my|our)\s+"
    rf"(?:(?:\d+|{'|'.join(NUMBER_WORDS)})\s+)?(?P<listed>[a-z]+)\b|"
    r"^\s*(?P<headed>[a-z]+)\s*[:,].*\b(?:of|for|in) each\b(?!\s+[a-z])",
    re.IGNORECASE,
)
# what somebody or something did ("attacked by rust"), and what a unit is told per, group nothing
_BY_SOMEBODY = regex(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:[\w'-]+\s+){0,3}?"
    r"(?!(?:group|sort|order|list|averag|summari[sz]|split|divid|separat|tabulat|aggregat|rank|arrang|tell|told|given|shown)\w*\s)"
    r"\w+(?:ed|en|wn|lt|nt|ght)\s+(?:by\s+(?:\w+\s+){1,3}or\s+)?$",
    re.IGNORECASE,
)
_OF_THE_CLOCK = frozenset({"second", "minute", "hour"})
_BARE_EACH = regex(r"\b(?:for|of|per) each(?: one| of (?:them|these|those))?\s*(?:[.?!,;]|$)", re.IGNORECASE)
_OF_PLACES = regex(
    r"\b(?:of|for|in|by|within|inside|do|are|were|did|have|had)\s+(?:(?:all|the|our|my|these|those)\s+){0,2}(?P<noun>[a-z]+s)\b",
    re.IGNORECASE,
)
_TABLE = regex(r"\b(?:cross\s?-?)?tab(?:le|ulat\w+)\b", re.IGNORECASE)
_COLUMN = regex(r"(?<=[:,])\s*(?P<noun>[a-z]+)\s*(?=[,.?]|$)", re.IGNORECASE)
_CLASSES = frozenset({stem("classes"), stem("types"), stem("categories")})


def with_data(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """The goal with what the data alone can tell.

    Raises:
        DataNotFoundError: the question is about an event of which there is no image.
        NotUnderstoodError: the question wants something for each of a kind of thing that nobody knows.
    """
    return _event(quantity_with_data(_zones(goal, inventory), inventory), inventory)


def is_of_event(goal: QueryGoal) -> bool:
    """Whether the question is about what changed between two images, by the very thing it names."""
    return goal.value("feature") in EVENTS or goal.value("quantity") in OF_AN_EVENT


def _event(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """The two dates of the data as before and after, for an event whose dates the question does not compare."""
    around = goal.value("comparison") == BEFORE_AND_AFTER
    if not around and (not (is_of_event(goal) or "moved" in goal.slots) or "comparison" in goal.slots):
        return goal
    period, days = goal.value("period"), _days(inventory)
    if isinstance(period, Period):
        within = _days(inventory.between(period.start, period.end))
        if not within:
            raise DataNotFoundError(
                "there is no image of the time that is asked about",
                expected=f"images from {period.start} to {period.end}",
                found=inventory.summary(),
            )
        days = within if len(within) == 2 else days
    if len(days) != 2:
        return goal
    compared = Slot(
        (Period(days[0], days[0]), Period(days[1], days[1])),
        "",
        True,
        "there are two dates: one before, one after",
    )
    slots = {name: slot for name, slot in goal.slots.items() if name not in ("period", "dates", "months")}
    return replace(goal, slots={**slots, "comparison": compared})


def _days(inventory: Inventory) -> tuple[str, ...]:
    return tuple(dict.fromkeys(day[:10] for day in inventory.dates()))


def _zones(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """ "Each village" is each polygon of the layer of villages; "each class of every village" each class in each."""
    by = goal.value("group_by")
    if by not in (None, "class"):
        return goal
    for noun in _unknown_nouns(goal):
        if (name := _group_named(noun, by, inventory)) is not None:
            return _grouped(goal, name, noun)
        raise NotUnderstoodError(
            f"it is not known what each {noun} is",
            expected="a land-cover class, a date, a year, or polygons of a vector layer of that name",
            found=", ".join(_layers(inventory)) or "no vector layer",
            hint="ask 'for each polygon' where the folder has one vector layer",
        )
    spoken = (*_nouns_before_each(goal), *_places_named(goal))
    meant = ((noun, _group_named(noun, by, inventory)) for noun in spoken)
    found = next((_grouped(goal, name, noun) for noun, name in meant if name is not None), None)
    return found or _each_of_the_layer(goal, inventory)


def _each_of_the_layer(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """ "The mean of each", where nothing says of what: of the polygons, where there is one layer of them and one date.

    Raises:
        NotUnderstoodError: it may be each of several things, or is each of a thing that nobody knows.
    """
    bare, layers = _BARE_EACH.search(goal.text), _layers(inventory)
    if bare is None or {"group_by", "comparison", "dates", "quantities"} & goal.slots.keys():
        return goal
    if len(layers) == 1 and len(_days(inventory)) < 2 and not any(_nouns_before_each(goal)):
        return _grouped(goal, "zone", bare.group().strip(" .?!,;"))
    raise NotUnderstoodError(
        "it is not known of what each a value is wanted",
        expected="each date, each class, or each polygon of a layer",
        found=f"{bare.group().strip()!r}; {', '.join(layers) or 'no vector layer'}",
        hint="say each of what: 'for each date', 'for each polygon'",
    )


def _group_named(noun: str, by: object, inventory: Inventory) -> str | None:
    """What values are grouped by, for a noun that names classes or a vector layer of the data."""
    if by is None and stem(noun) in _CLASSES and _has_classes(inventory):
        return "class"
    words = (re.findall(r"[a-z]+", name.lower()) for name in _layers(inventory))
    if not any(stem(noun) in map(stem, named) for named in words):
        return None
    return "zone" if by is None else "class_in_zone"


def _layers(inventory: Inventory) -> tuple[str, ...]:
    return tuple(item.name for item in inventory.artifacts if item.type == "vector")


def _grouped(goal: QueryGoal, name: str, noun: str) -> QueryGoal:
    left = tuple(word for word in goal.leftover if word.lower() != noun.lower())
    return replace(goal, slots={**goal.slots, "group_by": Slot(name, noun)}, leftover=left)


def _has_classes(inventory: Inventory) -> bool:
    kinds = quantity_kinds()
    held = (kinds.get(str(item.fact("quantity"))) for item in inventory.rasters)
    return any(kind is not None and kind.family == "class" for kind in held)


def _unknown_nouns(goal: QueryGoal) -> Iterator[str]:
    left = _unknown(goal)
    for match in _EACH.finditer(goal.text):
        noun = match["noun"] or match["listed"] or match["headed"]
        agent = match.group().lower().startswith("by") and _BY_SOMEBODY.search(goal.text[: match.start()])
        if noun and noun.lower() in left - _OF_THE_CLOCK and not agent:
            yield noun


def _nouns_before_each(goal: QueryGoal) -> Iterator[str]:
    """What "one value for each" may speak of, and the columns that a table is to have: "village, class, hectares"."""
    left = _unknown(goal)
    bare = _BARE_EACH.search(goal.text)
    spoken = re.findall(r"[a-z]+", goal.text[: bare.start()].lower()) if bare is not None else []
    columns = [match["noun"].lower() for match in _COLUMN.finditer(goal.text)] if _TABLE.search(goal.text) else []
    yield from (noun for noun in (*spoken, *columns) if noun in left)


def _places_named(goal: QueryGoal) -> Iterator[str]:
    """What a value is wanted of, in the plural: "the mean height of the villages" is that of each of them."""
    if goal.value("operations") and goal.value("group_by") is None:
        left = _unknown(goal)
        yield from (noun for match in _OF_PLACES.finditer(goal.text) if (noun := match["noun"].lower()) in left)


def _unknown(goal: QueryGoal) -> frozenset[str]:
    """The words that are not understood, or only as a place."""
    region = goal.slots.get("region")
    words = (*goal.leftover, *(region.words.split() if region is not None else ()))
    return frozenset(word.lower() for word in words)
