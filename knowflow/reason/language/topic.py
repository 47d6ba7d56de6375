"""The quantity that a sentence is about, the thing on the ground that stands for it, and the quantities beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.phrases import Meaning
from knowflow.knowledge.words import stem
from knowflow.model.goal import Ambiguity, Slot, Threshold
from knowflow.reason.language import turns
from knowflow.reason.language.clauses import within
from knowflow.reason.language.limits import Limit, asked_unit
from knowflow.reason.language.moved_limits import told_move
from knowflow.reason.language.product_words import per_quantity
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import Subject, attach, main_subject, told_by

_SUPERLATIVE = regex(r"est$|^(?:most|least)\s", re.IGNORECASE)
# "of the forest", "over water": where the quantity is wanted
_PLACE = regex(
    r"\b(?:of|in|over|within|inside|across|for|on|under|beneath|above)\s+(?:(?:the|our|my|all|any)\s+){0,2}$",
    re.IGNORECASE,
)
_THAT_IS = regex(
    r"\b(?:that\s+is(?:\s+to\s+say)?|i\.e\.|namely|in\s+other\s+words|which\s+means|meaning)\s*,?\s+(?:to\s+say\s+)?"
    r"(?:all\s+|everything\s+|wherever\s+|where\b|with\b|those\s+|the\s+|pixels\s+|places\s+|areas\s+|an?\s+)",
    re.IGNORECASE,
)
_OPENED = regex(r"\s*(?:index\s*)?\(\s*", re.IGNORECASE)
_HEIGHT = regex(r"heights?", re.IGNORECASE)
_OF_WHAT = regex(r"\s+of\s+(?:(?:the|a|an|our|my|these|all|each|every)\s+)*(?P<noun>[a-z]+)", re.IGNORECASE)
_HOW_HIGH = regex(r"\bhow\s+(?:high|tall)\b", re.IGNORECASE)
_WHOSE = regex(r"\b(?P<noun>[a-z]+)(?:'s?\s+(?:\w+\s+){0,2}|\s+)$", re.IGNORECASE)
_WETNESS = regex(r"dri|wet|rain|most rain|least rain|clear|cloud", re.IGNORECASE)
_WAS = regex(r"\s+(?:(?:is|was|are|were|gets?|got|became|the|its|their|at)\s+)*", re.IGNORECASE)
_SLOPE = "slope"
_CLOUD_FREE = 10.0  # percent of the area
_CALLED_CLEAR = (
    "a date is called cloud-free where less than a tenth of the area is under cloud; a question may say less"
)
_CLEAREST = regex(r"(?:clear|cloudi)est\b", re.IGNORECASE)


def read_topic(reading: Reading) -> Subject | None:
    """Fill ``quantity``, ``feature``, ``class``, ``index``, ``sources`` and ``quantities``; the main quantity."""
    reading.subjects = _as_explained(reading)
    usual = [subject for subject in reading.subjects if subject.sure <= 0]
    reading.subjects = _without_things_told_of(reading)
    reading.subjects = _without_bystanders(reading)
    main = _that_moved(reading) or main_subject(reading.text, reading.subjects, reading.asked)
    if main is None:
        _of_settings(reading)
        return None
    main = _in_percent(reading, _in_decibels(reading, main))
    _turn_dryness(reading, main)
    _ask_whose_extreme(reading, main, usual)
    _ask_height_of_what(reading, main)
    _ask_height_of_thing(reading, main)
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


def _of_settings(reading: Reading) -> None:
    """What a question is about that names no quantity: the side that ground faces, or how many dates are cloud-free."""
    facing, clear, counted = (reading.slots.get(name) for name in ("facing", "mask_clouds", "count_of"))
    if facing is not None:
        reading.put("quantity", "aspect", facing.words, True, "the side that ground faces is its aspect")
    elif clear is not None and clear.value and counted is not None and counted.value == "dates" and not reading.limits:
        del reading.slots["mask_clouds"]
        reading.put("quantity", "cloud_fraction", clear.words, True, "dates are told apart by their clouds")
        reading.put("threshold", Threshold(_CLOUD_FREE, "%", "below"), clear.words, True, _CALLED_CLEAR)
        reading.put("side", "below", clear.words, True)


def _as_explained(reading: Reading) -> tuple[Subject, ...]:
    """What is meant, without what it is only called: "dry vegetation, that is to say where NDMI is below zero"."""
    explained = _THAT_IS.search(reading.text)
    if explained is None:
        return reading.subjects
    after = [one for one in reading.subjects if one.first >= explained.end() and one.named]
    limited = any(
        limit.first >= explained.end() and attach(limit, after, reading.text) is not None for limit in reading.limits
    )
    return tuple(after) if after and limited else reading.subjects


def _ask_whose_extreme(reading: Reading, main: Subject, usual: Sequence[Subject]) -> None:
    """ "NDVI on the clearest day" is no extreme of NDVI: a value where another quantity is extreme is asked back."""
    if main.sure < 2:
        return
    spoken = [(one.quantity, one.words) for one in usual if _SUPERLATIVE.search(one.words)]
    spoken += [("cloud_fraction", one.words) for one in reading.asked if _CLEAREST.match(one.words)]
    for quantity, words in spoken:
        if quantity != main.quantity:
            reading.ambiguities.append(Ambiguity("quantity", f"{main.words}, {words}", (main.quantity, quantity), None))
            return


def _ask_height_of_what(reading: Reading, main: Subject) -> None:
    """The height of a tree or a house is not that of the ground: which one is meant, is asked back.

    Of a class, a place or a point of the ground it is the ground's.
    """
    if not _HEIGHT.fullmatch(main.words):
        return
    named = _OF_WHAT.match(reading.text, main.past) or _WHOSE.search(reading.text, 0, main.first)
    if named is None or _on_ground(reading, named):
        return
    words = f"height, {named['noun']}"
    choices = ("height of the ground", f"height above it, of what is called {named['noun']}")
    reading.ambiguities.append(Ambiguity("quantity", words, choices, None))


def _ask_height_of_thing(reading: Reading, main: Subject) -> None:
    """ "How high are the clouds" asks for no share of them; a number of them may be high."""
    high = _HOW_HIGH.search(reading.text)
    if high is None or main.named or main.feature is None or main.quantity == "elevation" or reading.limits:
        return
    if not any(one.operation not in ("mean", "maximum", "minimum", "median") for one in reading.asked):
        choices = (f"height of {main.words}", f"how much of the ground is {main.words}")
        reading.ambiguities.append(Ambiguity("quantity", f"{high.group()}, {main.words}", choices, None))


def _on_ground(reading: Reading, named: re.Match[str]) -> bool:
    """Whether what is named has no height of its own: zones and classes, operations, the ground, layers, places."""
    place = named.start("noun")
    pieces, known = reading.pieces, reading.known
    if stem(named["noun"]) in known.common | known.function | known.places:
        return True
    inside = (m for m in reading.mentions if pieces[m.first].start <= place < pieces[m.past - 1].end)
    return any(_of_ground(meaning) for mention in inside for meaning in mention.meanings)


def _of_ground(meaning: Meaning) -> bool:
    return meaning.category in ("operation", "setting", "quantity", "scope") and meaning.entry.slot != "class"


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
    sure = [subject for subject in found if subject.sure >= 1 and not within(subject.first, reading.told)]
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


def _that_moved(reading: Reading) -> Subject | None:
    """The quantity named last before "fell by more than 0.3", or between these words."""
    told = told_move(reading.text, reading.limits)
    if told is None:
        return None
    named = [one for one in reading.subjects if one.sure == 2 and told.first - 20 <= one.first < told.past]
    return named[-1] if named else None


def _in_decibels(reading: Reading, main: Subject) -> Subject:
    """The quantity on the logarithmic scale, where the sentence speaks of decibels and there is one."""
    if not turns.in_decibels(reading.text) or f"{main.quantity}_db" not in quantity_kinds():
        return main
    scaled = f"{main.quantity}_db"
    reading.subjects = tuple(
        replace(one, quantity=scaled) if one.quantity == main.quantity else one for one in reading.subjects
    )
    return replace(main, quantity=scaled)


def _in_percent(reading: Reading, main: Subject) -> Subject:
    """The slope as rise over run, where a limit on it, or the answer, is told in percent: 100 % are 45 degrees."""
    limited = [_sloping(reading, limit) for limit in reading.limits]
    unit = asked_unit(reading.text)
    told = unit is not None and unit[0] == "%" and all(one.rank == "statistic" for one in reading.asked)
    if not any(limited) and not (told and main.quantity == _SLOPE):
        return main
    other = f"{_SLOPE}_percent"
    reading.limits = tuple(
        replace(limit, quantity=other, suggested=other) if on_slope else limit
        for limit, on_slope in zip(reading.limits, limited, strict=True)
    )
    reading.subjects = tuple(
        replace(one, quantity=other) if one.quantity == _SLOPE else one for one in reading.subjects
    )
    return replace(main, quantity=other) if main.quantity == _SLOPE else main


def _sloping(reading: Reading, limit: Limit) -> bool:
    """Whether a limit in percent is one on the slope: by its own words, or as what is named last before it."""
    if limit.threshold.unit != "%" or limit.threshold.relative_to is not None or limit.of_area:
        return False
    before = [one.quantity for one in reading.subjects if one.first < limit.first]
    return _SLOPE in (limit.quantity, *before[-1:]) and limit.quantity in (None, _SLOPE)


def _turn_dryness(reading: Reading, main: Subject) -> None:
    """ "The driest" is the maximum of a quantity that is high where it is dry."""
    statistic = reading.slots.get("statistic")
    if statistic is None or main.quantity not in turns.DRY_IS_HIGH or not re.match(r"dri|wet", statistic.words.lower()):
        return
    turned = {"minimum": "maximum", "maximum": "minimum"}[statistic.value]
    reading.slots["statistic"] = Slot(turned, statistic.words, True, "where it is dry, it is high")


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
        loose = [name for name in others if name not in _limited(reading, found)]
        if loose and reading.operation != "correlation":
            reading.ambiguities.append(Ambiguity("quantity", words, (main.quantity, *loose), main.quantity))


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
    """Keep where the main quantity is wanted; of two places that nothing tells apart, none is taken."""
    present = reading.slots.get("class")
    if present is None or present.words == main.words:
        reading.slots["class"] = Slot(where, words)
    elif present.value != where:
        choices = (str(present.value), where)
        reading.ambiguities.append(Ambiguity("class", f"{present.words}, {words}", choices, None))


def _limited(reading: Reading, found: Sequence[Subject]) -> set[str]:
    """The quantities that the limits of the sentence are on."""
    return {subject.quantity for limit in reading.limits if (subject := attach(limit, found, reading.text)) is not None}
