"""What a question leaves to the data: which two images a flood lies between, and what "each village" is.

A goal is understood without the data. Where the data hold exactly one reading of what it leaves open, that one is
taken, marked as a default and shown with the answer; what names nothing that is there is refused, not passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from knowflow.ground.errors import DataNotFoundError, NotUnderstoodError
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import stem
from knowflow.model.goal import Period, QueryGoal, Slot
from knowflow.reason.inventory import Inventory
from knowflow.reason.language.turns import EVENTS, OF_EVENTS

_EACH = re.compile(
    r"\b(?:each|every|per|for all(?: the)?|by)\s+(?:\w+ing\s+)?(?P<noun>(?!of\b)[a-z]+)\b|"
    r"\b(?:each|every one|all) of (?:the|these|those|my|our)\s+(?P<listed>[a-z]+)\b|"
    r"^\s*(?P<headed>[a-z]+)\s*[:,].*\b(?:of|for|in) each\b(?!\s+[a-z])",
    re.IGNORECASE,
)


def with_data(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """The goal with what the data alone can tell.

    Raises:
        DataNotFoundError: the question is about an event of which there is no image.
        NotUnderstoodError: the question wants something for each of a kind of thing that nobody knows.
    """
    return _zones(_event(_instead(goal, inventory), inventory), inventory)


def is_of_event(goal: QueryGoal) -> bool:
    """Whether the question is about what changed between two images, by the very thing it names."""
    return goal.value("feature") in EVENTS or goal.value("quantity") in OF_EVENTS


def _instead(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """ "The sea was warmer", "the fires were strongest": of what such words may mean, what the data hold."""
    slot = goal.slots.get("quantity")
    if slot is None or not slot.default or "class" in goal.slots:
        return goal
    if "feature" in goal.slots and "threshold" in goal.slots:
        return goal  # a thing on the ground, known by the limit of this quantity
    held = {kind for item in inventory.artifacts for leaf in item.leaves() if (kind := leaf.fact("quantity"))}
    others = [name for name in lexicon().instead.get(str(slot.value), ()) if name in held]
    if slot.value in held or not others:
        return goal
    note = f"{slot.words!r} may mean several quantities; this one is in the data"
    return replace(goal, slots={**goal.slots, "quantity": Slot(others[0], slot.words, True, note)})


def _event(goal: QueryGoal, inventory: Inventory) -> QueryGoal:
    """The two dates of the data as before and after, for an event whose dates the question does not compare."""
    if not (is_of_event(goal) or "drop" in goal.slots) or "comparison" in goal.slots:
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
        layers = [item.name for item in inventory.artifacts if item.type == "vector"]
        if any(stem(noun) in {stem(word) for word in re.findall(r"[a-z]+", name.lower())} for name in layers):
            name = "zone" if by is None else "class_in_zone"
            left = tuple(word for word in goal.leftover if word.lower() != noun.lower())
            return replace(goal, slots={**goal.slots, "group_by": Slot(name, noun)}, leftover=left)
        raise NotUnderstoodError(
            f"it is not known what each {noun} is",
            expected="a land-cover class, a date, a year, or polygons of a vector layer of that name",
            found=", ".join(layers) or "no vector layer",
            hint="ask 'for each polygon' where the folder has one vector layer",
        )
    return goal


def _unknown_nouns(goal: QueryGoal) -> Iterator[str]:
    region = goal.slots.get("region")
    left = {word.lower() for word in (*goal.leftover, *(region.words.split() if region is not None else ()))}
    nouns = (match["noun"] or match["listed"] or match["headed"] for match in _EACH.finditer(goal.text))
    yield from (noun for noun in nouns if noun.lower() in left)
