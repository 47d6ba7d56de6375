"""The quantity that a sentence is about, the thing on the ground that stands for it, and the quantities beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowflow.ground.indices import spectral_indices
from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.goal import Slot
from knowflow.reason.language.product_words import per_quantity
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Subject, main_subject, told_by

_SUPERLATIVE = regex(r"est$|^(?:most|least)\s", re.IGNORECASE)
# "of the forest", "over water": where the quantity is wanted
_PLACE = regex(
    r"\b(?:of|in|over|within|inside|across|for|on|under|beneath|above)\s+(?:(?:the|our|my|all|any)\s+){0,2}$",
    re.IGNORECASE,
)
_OPENED = regex(r"\s*(?:index\s*)?\(\s*", re.IGNORECASE)
_WETNESS = regex(r"dri|wet|rain|most rain|least rain|clear|cloud", re.IGNORECASE)
_WAS = regex(r"\s+(?:(?:is|was|are|were|gets?|got|became|the|its|their|at)\s+)*", re.IGNORECASE)


def read_topic(reading: Reading) -> Subject | None:
    """Fill ``quantity``, ``feature``, ``class``, ``index``, ``sources`` and ``quantities``; the main quantity."""
    reading.subjects = _without_things_told_of(reading)
    reading.subjects = _without_bystanders(reading)
    main = main_subject(reading.text, reading.subjects, reading.asked)
    if main is None:
        return None
    reading.put("quantity", main.quantity, main.words, main.sure < 2 or main.feature is not None, main.note)
    if main.feature is not None:
        reading.put("feature", main.feature.value, main.words)
        if main.feature.class_:
            _stands_for(reading, main.feature.class_, main.words)
    elif main.quantity in spectral_indices() and main.sure == 2:
        reading.put("index", main.quantity, main.words)
    for named in reading.subjects if main.feature is not None else ():
        if named.feature is None and named.sure == 2 and named.quantity in spectral_indices():
            reading.put("index", named.quantity, named.words)  # "water by NDWI"
    _beside(reading, main)
    return main


def _without_things_told_of(reading: Reading) -> tuple[Subject, ...]:
    """Subjects without things on the ground of which a superlative tells another quantity: "the warmest water", "when
    was the snow coldest" are about temperature, and the thing is where it is wanted.

    How dry or wet a thing is, is left to the thing's own quantity.
    """
    found = reading.subjects
    told = [one for one in found if one.sure == 0 and _SUPERLATIVE.search(one.words) and not _WETNESS.match(one.words)]
    things = [
        one for one in found if one.feature is not None and one.feature.class_ and one.feature.threshold is not None
    ]
    for adjective in told:
        for thing in things:
            first, second = sorted((adjective, thing), key=lambda one: one.first)
            between = reading.text[first.past : second.first]
            joined = between.isspace() if first is adjective else _WAS.fullmatch(between) is not None
            if joined and thing.quantity != adjective.quantity:
                reading.put("class", thing.feature.class_ if thing.feature else "", thing.words)
                found = tuple(one for one in found if one is not thing)
    return found


def _without_bystanders(reading: Reading) -> tuple[Subject, ...]:
    """Subjects without usual readings beside a named quantity, and without clouds that only get in the way."""
    found = reading.subjects
    if reading.operation == "correlation":
        return found
    by = reading.slots.get("group_by")
    if by is not None and by.value == "class":  # "for all land cover classes: NDVI" is about NDVI
        found = tuple(s for s in found if s.quantity != "land_cover_class") or found
    found = tuple(one for one in found if not _spelled_out(reading.text, one, found))
    sure = [subject for subject in found if subject.sure >= 1]
    if sure:
        families = {subject.quantity for subject in sure}
        found = tuple(s for s in found if s.sure >= 1 or s.quantity in families)
    in_water = [s for s in found if s.feature is not None and s.feature.class_ == "water"]
    plain = [s for s in in_water if s.feature is not None and s.feature.value == "open_water"]
    if plain and len(plain) < len(in_water):  # "the water was turbid" is not about the water's extent
        found = tuple(s for s in found if s not in plain)
    clouds = [s for s in found if s.feature is not None and s.feature.value == "cloud"]
    if clouds and len(clouds) < len(found):
        reading.put("mask_clouds", True, clouds[0].words, True, "what clouds hide is left out")
        found = tuple(s for s in found if s not in clouds)
    return found


def _spelled_out(text: str, subject: Subject, found: Sequence[Subject]) -> bool:
    """Whether a thing on the ground only spells out a name that follows it: "vegetation index (NDVI)"."""
    after = [one for one in found if one.quantity == subject.quantity and one.named and one.first > subject.first]
    return not subject.named and any(_OPENED.fullmatch(text[subject.past : one.first]) for one in after)


def _beside(reading: Reading, main: Subject) -> None:
    """What else is named: what the data are, what restricts, and quantities that could be meant as well."""
    found = reading.subjects
    restricts = (main.feature is None or main.feature.loose) and reading.operation != "correlation"
    restricts = restricts and main.quantity != per_quantity(reading.text)  # "lighting per capita" is about the lighting
    others: dict[str, Subject] = {}
    surest = 0 if reading.operation == "correlation" else 1  # "does it get greener with height" names two
    for subject in found:
        if subject.quantity == main.quantity or subject.source or subject.sure < surest:
            continue
        if restricts and not subject.named and _sets_scene(reading.text, subject, main):
            continue
        if restricts and not subject.named and subject.feature is not None and subject.feature.class_:
            _restrict(reading, main, subject.feature.class_, subject.words)
        else:
            others.setdefault(subject.quantity, subject)
    sources = [subject for subject in found if subject.source]
    named = dict.fromkeys(subject.quantity for subject in sources if subject.quantity != main.quantity)
    if named:
        reading.put("sources", tuple(named), ", ".join(dict.fromkeys(subject.words for subject in sources)))
    if others:
        words = ", ".join((main.words, *(subject.words for subject in others.values())))
        reading.put("quantities", (main.quantity, *others), words)


def _stands_for(reading: Reading, where: str, words: str) -> None:
    """The class that the main thing on the ground is of; said twice ("urban, built-up land") it is no place besides."""
    present = reading.slots.get("class")
    if present is None or present.value == where:
        reading.slots["class"] = Slot(where, words)


def _sets_scene(text: str, subject: Subject, main: Subject) -> bool:
    """Whether a thing on the ground is what the main quantity tells of, and no place that it is wanted for.

    "Water-stressed in the sense of NDMI", "the muddiest water, by NDTI", "when the fires burned hardest: use FRP".
    """
    if _PLACE.search(text[max(0, subject.first - 24) : subject.first]):
        return False
    of_same = main.quantity in lexicon().instead.get(subject.quantity, ())
    return of_same or told_by(text, main)


def _restrict(reading: Reading, main: Subject, where: str, words: str) -> None:
    """Keep where the main quantity is wanted."""
    present = reading.slots.get("class")
    if present is None or present.words == main.words:
        reading.slots["class"] = Slot(where, words)
