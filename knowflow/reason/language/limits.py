"""Numbers with units and sides in a sentence: "exceeds 0.3", "25 °C or more", "between 295 and 305 K"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kind
from knowflow.ground.regex import regex
from knowflow.ground.units import compatible
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.lexicon_file import Entry
from knowflow.model.goal import Side, Threshold
from knowflow.reason.language.movements import comparative_words, movement_words
from knowflow.reason.language.unit_products import PRODUCT, unit_product

_NUMBER = r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
# "exceed NDVI 0.6", "above a water vapour of 8": the quantity may stand before its limit
_FILLER = (
    r"(?:[\s-]*(?:a|an|the|mean|average|median|scene|image|area|areal|spatial|daily|value|values|of|about|around|"
    r"approximately|roughly|equal|to|is|are|was|at|=|than)\b)*\s*"
    r"(?:(?-i:(?P<name>[A-Z]{3,6}))(?:\s+(?:of|values? of|=))?\s+|(?P<noun>(?:[a-z-]+\s+){0,3}?[\w-]+)\s+of\s+)?"
)
# "3 times the spread", "2 standard deviations": told by another number, and no value by itself
_OF_ANOTHER = r"\s*(?:times|×)\s+(?:the|its|their|that|this|as|of|what)\b|\s*standard\s+deviations?\b"
_TIMES = {"twice": 2.0, "double": 2.0, "triple": 3.0, "thrice": 3.0, "half": 0.5}
# what a participle stands behind, or where it ends what is asked: "305 K was exceeded", "has 14 exceeded?"
_BE = r"(?:(?:has|have|had|can|could|may|might|will)\s+)?(?:is|are|was|were|be|being|been|gets?|got)\s+"
_DONE = r"(?=\s*(?:$|[.,;:?!)])|\s+(?:on|in|by|at|over|for|during|within|across|and|or|when|where|while)\b)"
_ENDS = ("minimum of", "maximum of")
_STATISTIC = r"(?<!\bon )(?P<relative>mean|average|median)"
# "not steeper than", "did not fall below": the other side is meant
_DENIED = regex(r"\b(?:(?<!or )not|\w+n't)\s+(?:(?:an?|any|be|been|being|get|go|lie|have|had)\s+)*$", re.IGNORECASE)
_REACH = 40  # characters before a limit in which what denies it stands
_OF_AREA = regex(
    r"\s*(?:of|in)\s+(?:the\s+|its\s+|all\s+|that\s+)?(?:[\w'-]+\s+){0,3}?"
    r"(?:area|pixels|pixel|region|scene|land|city|basin|image|surface|territory|valid pixels|delta|catchment|ground)\b",
    re.IGNORECASE,
)
# an index of one sign; "a negative NDVI trend" tells the sign of something else
_SIGNED = regex(
    r"\b(?P<sign>negative|positive)\s+(?:values?\s+(?:of|for|in)\s+)?(?-i:(?P<name>[A-Z]{3,6}))\b"
    r"(?!\s+(?:trend|change|anomal|slope|difference|correlation|deviation)\w*)|"
    r"\b(?-i:(?P<named>[A-Z]{3,6}))\s+(?:values?\s+)?(?:(?:is|are|was|were|turns?|turned)\s+)"
    r"(?P<signed>negative|positive)\b(?!ly)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold with its place; ``quantity`` is what its comparative speaks of, ``suggested`` what its unit hints at.

    ``of_area`` marks a limit on a share ("more than 25 % of the area"); ``side_said`` is False when no word says which
    side is meant.
    """

    first: int
    past: int
    words: str
    threshold: Threshold
    quantity: str | None = None
    suggested: str | None = None
    of_area: bool = False
    side_said: bool = True


@dataclass(frozen=True, slots=True)
class _Grammar:
    units: dict[str, Entry]
    directions: dict[str, Entry]
    before: re.Pattern[str]
    between: re.Pattern[str]
    after: re.Pattern[str]
    passive: re.Pattern[str]
    relative: re.Pattern[str]
    by_percent: re.Pattern[str]
    of_statistic: re.Pattern[str]
    bare: re.Pattern[str]
    as_limit: re.Pattern[str]
    of_it: re.Pattern[str]
    asked_unit: re.Pattern[str]


def limits(text: str, taken: Sequence[tuple[int, int]] = ()) -> tuple[Limit, ...]:
    """The limits of a cleaned text in order; ``taken`` are spans (of dates) that hold no limits."""
    grammar = _grammar()
    found: list[Limit] = []
    busy = list(taken)
    for read in (_relative, _between, _before, _after, _bare, _signed):
        for limit in read(text, grammar):
            if not any(limit.first < past and first < limit.past for first, past in busy):
                found.append(limit)
                busy.append((limit.first, limit.past))
    return tuple(sorted(found, key=lambda limit: limit.first))


def direction_words() -> str:
    """The words of sides that stand before a number, as one pattern."""
    return _alternatives(_grammar().directions)


def direction_of(words: str) -> Entry:
    """The side that such words mean, and the quantity that they speak of."""
    return _grammar().directions[" ".join(words.lower().split())]


def make_classes(found: Sequence[Threshold]) -> bool:
    """Whether limits are those of classes: three or more, each of which begins where another one ends."""
    starts = {one.value for one in found if one.side in ("above", "between")}
    stops = {one.upper if one.side == "between" else one.value for one in found if one.side != "above"}
    return len(found) >= 3 and len(starts & stops) >= len(found) - 1


def asked_unit(text: str) -> tuple[str, str] | None:
    """The unit in which the answer is wanted ("in km2", "how many hectares"), with its words; the last one said."""
    grammar = _grammar()
    said = [
        (str(entry.value), match.group())
        for match in grammar.asked_unit.finditer(text)
        if (entry := _unit(next(filter(None, match.groups())), grammar)) is not None
    ]
    return said[-1] if said else None


def number(text: str) -> float:
    return float(text.replace(",", ""))


@kept()
def _grammar() -> _Grammar:
    known = lexicon()
    units = {phrase: entry for entry in known.units for phrase in entry.exact}
    units |= {phrase.lower(): entry for entry in known.units for phrase in entry.phrases}
    directions = {phrase.lower(): entry for entry in known.directions for phrase in (*entry.phrases, *entry.weak)}
    sides = {str(entry.value): entry for entry in known.directions if not (entry.quantity or entry.suggests)}
    areas = {phrase: entry for phrase, entry in units.items() if entry.of_area}
    for word, way in comparative_words().items():  # "heavier than 5 mm", whatever is heavy
        directions.setdefault(f"{word} than", sides["below" if way == "down" else "above"])
    afters = {phrase.lower(): entry for entry in known.directions for phrase in entry.after}
    passives = {phrase.lower(): entry for entry in known.directions for phrase in entry.passive}
    some_unit = rf"(?:{_alternatives(units)}|{PRODUCT})(?![\w²³/])"
    unit = rf"(?:\s*-?\s*(?P<unit>{some_unit}))?"
    value = rf"(?P<value>{_NUMBER})"
    direction = rf"(?P<side>{_alternatives(directions)})"
    edge = r"(?:(?<![\w.])|(?=[<>≥≤]))"

    def compiled(pattern: str) -> re.Pattern[str]:
        return regex(pattern, re.IGNORECASE)

    return _Grammar(
        units=units,
        directions=passives | directions | afters,
        before=compiled(rf"{edge}(?:{movement_words()}\s+)?{direction}{_FILLER}{value}{unit}(?!\s*(?:x\b|[\d])|\.\d|{_OF_ANOTHER})"),
        between=compiled(
            rf"{edge}(?:(?P<opened>between|from|in range|range)\s+)?(?P<value>{_NUMBER})"
            rf"(?:\s*{some_unit})?\s*(?P<to>and|(?:up\s+)?to|-)\s*(?P<upper>{_NUMBER}){unit}(?!\d|\.\d)"
        ),
        after=compiled(rf"{edge}{value}{unit}\s+(?P<side>{_alternatives(afters)})(?!\w)"),
        passive=compiled(rf"{edge}{value}{unit}\s+(?P<be>{_BE})?(?P<side>{_alternatives(passives)})(?(be)(?!\w)|{_DONE})"),
        relative=compiled(rf"{edge}{value}\s*(?:%|percent)\s+(?P<side>higher|lower|greater|less|more|above|below|larger)\s+(?:than\s+)?"
                          rf"(?:the\s+)?(?:[\w-]+\s+){{0,2}}?{_STATISTIC}"),
        by_percent=compiled(rf"{edge}{direction}\s+(?:the\s+|its\s+)?(?:[\w-]+\s+){{0,2}}?{_STATISTIC}\s+by\s+"
                            rf"(?:(?:more|less)\s+than\s+|at\s+least\s+)?{value}\s*(?:%|percent)"),
        of_statistic=compiled(rf"{edge}{direction}\s+(?:(?P<value>{_NUMBER})\s*(?:%|percent)\s+of\s+|"
                              rf"(?P<times>{_NUMBER}\s*(?:times\b|[x×])|{'|'.join(_TIMES)})\s+(?:of\s+|as\s+\w+\s+as\s+)?)?"
                              rf"(?:the\s+|its\s+)?(?!an?\s|by\s)(?:(?!\d|and\b|or\b)[\w-]+\s+){{0,2}}?{_STATISTIC}\b(?!\s+(?:[\w-]+\s+){{0,3}}?of\s+\d)"),
        bare=compiled(rf"\b(?:(?:threshold|cut-?off|limit|thresholded)\s*(?:value\s+)?(?:of|at|=|is|:)?|(?:line|bar|mark)\s+(?:drawn\s+|set\s+)?at)\s*"
                      rf"(?P<told>(?:an?\s+(?:[\w-]+\s+){{1,3}}?|(?-i:[A-Z]{{3,6}})\s+)(?:of\s+)?)??{value}{unit}"),
        as_limit=compiled(rf"{edge}{value}{unit}\s+(?:as|for|to\s+be)\s+(?:(?:the|a|our)\s+)?(?:[\w-]+\s+)?"
                          r"(?:threshold|cut-?off|limit|bar|criterion)\b"),
        of_it=compiled(rf"{edge}{direction}\s+(?:it|this|that|(?:the|this|that)\s+(?:line|bar|mark|limit|threshold|value))\b"),
        asked_unit=compiled(rf"\b(?:in|as|how many(?:\s+(?:more|fewer|less|extra))?|number of)\s*\(?\s*"
                            rf"(?P<unit>{some_unit})"
                            rf"|\((?P<alone>{some_unit})\)"
                            rf"|,\s*(?P<last>{some_unit})\s*(?:[?.!]|$)"
                            rf"|(?<!\d)(?<!\d[\s-])(?<!/)(?<!per )(?<!\ba )(?<!\bone )\b"
                            rf"(?P<noun>{_alternatives(areas)})(?![\w²³/])"
                            rf"|^\s*(?P<first>%|percent)\s+(?=[A-Za-z])"),
    )  # fmt: skip


def _alternatives(spellings: dict[str, Entry]) -> str:
    """A pattern of spellings, longest first; words end at a word's end."""
    ordered = sorted(spellings, key=len, reverse=True)
    return "|".join(re.escape(text).replace(r"\ ", r"\s+") + (r"\b" if text[-1].isalnum() else "") for text in ordered)


def _unit(said: str | None, grammar: _Grammar) -> Entry | None:
    """The unit of a spelling; units of one letter keep their case."""
    if said is None:
        return None
    plain = " ".join(said.split())
    entry = grammar.units.get(plain)
    if entry is None and plain.lower() not in ("k", "c", "f", "mw"):
        entry = grammar.units.get(plain.lower())
    product = unit_product(plain) if entry is None else None
    if product is None:
        return entry
    return next(
        (one for one in grammar.units.values() if one.value == product), Entry.model_validate({"value": product})
    )


def _limit(
    text: str,
    match: re.Match[str],
    grammar: _Grammar,
    threshold: Threshold,
    side: Entry | None = None,
    said: bool = True,
) -> Limit:
    unit = _unit(match.groupdict().get("unit"), grammar)
    denial = _denial(text, match.start())
    first, past = match.start() if denial is None else denial.start(), match.end()
    of_area = _OF_AREA.match(text, past) if unit is not None and unit.value == "%" else None
    return Limit(
        first=first,
        past=of_area.end() if of_area else past,
        words=text[first : of_area.end() if of_area else past].strip(),
        threshold=threshold,
        quantity=side.quantity if side else None,
        suggested=_suggested(unit, side),
        of_area=of_area is not None,
        side_said=said,
    )


def _suggested(unit: Entry | None, side: Entry | None) -> str | None:
    """What a unit hints at, or else a direction that its number fits: "higher than 2 km" is about heights."""
    if unit is None:
        return None
    of_side = None if side is None or side.suggests is None else quantity_kind(side.suggests)
    fits = of_side is not None and of_side.unit is not None and compatible(str(unit.value), of_side.unit)
    return unit.suggests or (of_side.name if fits and of_side is not None else None)


def _direction(text: str, match: re.Match[str]) -> Entry:
    """The side of a limit; the other one where it is denied: "not steeper than", "did not fall below"."""
    entry = direction_of(match["side"])
    denied = _denial(text, match.start()) is not None
    return entry.model_copy(update={"value": "below" if entry.value == "above" else "above"}) if denied else entry


def _denial(text: str, place: int) -> re.Match[str] | None:
    return _DENIED.search(text, max(0, place - _REACH), place)


def _name(match: re.Match[str], grammar: _Grammar) -> str | None:
    unit = _unit(match.groupdict().get("unit"), grammar)
    return None if unit is None else str(unit.value)


def _before(text: str, grammar: _Grammar) -> list[Limit]:
    found = []
    for match in grammar.before.finditer(text):
        if match["side"].lower() in _ENDS and not match.groupdict().get("unit"):
            continue
        entry = _direction(text, match)
        named = _quantity(match["name"] or match["noun"])
        if (match["name"] or match["noun"]) and named is None:
            continue
        threshold = Threshold(number(match["value"]), _name(match, grammar), entry.value)
        limit = _limit(text, match, grammar, threshold, entry)
        found.append(limit if named is None else replace(limit, quantity=named))
    return found


def _quantity(name: str | None) -> str | None:
    """The quantity of a name that stands before its limit: "exceed NDVI 0.6", "above a wind speed of 8"."""
    mentions = lexicon().scan(name) if name else ()
    meaning = mentions[0].of("quantity") if mentions else None
    return None if meaning is None else str(meaning.entry.value)


def _after(text: str, grammar: _Grammar) -> list[Limit]:
    """What follows the number: "20 degrees or more", "on how many days was 305 K exceeded"."""
    found = []
    for match in (*grammar.after.finditer(text), *grammar.passive.finditer(text)):
        entry = direction_of(match["side"])
        threshold = Threshold(number(match["value"]), _name(match, grammar), entry.value)
        found.append(_limit(text, match, grammar, threshold, entry))
    return found


def _between(text: str, grammar: _Grammar) -> list[Limit]:
    """Two numbers are a range of values when a word opens it, or when a unit follows."""
    found = []
    for match in grammar.between.finditer(text):
        unit = match.groupdict().get("unit")
        lower, upper = sorted((number(match["value"]), number(match["upper"])))
        opened = (match["opened"] or "").lower()
        if (
            not unit
            and not (opened and match["to"].lower() in ("and", "to", "-"))
            and not ("." in match["value"] + match["upper"] and (match["to"] == "-" or _in_a_list(text, match)))
        ):
            continue
        if not opened and match["to"].lower() == "and":
            continue
        found.append(_limit(text, match, grammar, Threshold(lower, _name(match, grammar), "between", upper)))
    return found


def _in_a_list(text: str, match: re.Match[str]) -> bool:
    """Whether a range stands where a list begins or goes on: "below 0.3, 0.3 to 0.7, 0.7 and above"."""
    return match["to"].lower() != "and" and text[: match.start()].rstrip()[-1:] in (",", ";", ":", "(")


def _relative(text: str, grammar: _Grammar) -> list[Limit]:
    """ "50 % higher than the mean" is more than 150 % of it; "above the mean" is more than 100 % of it."""
    found = []
    for match in (*grammar.relative.finditer(text), *grammar.by_percent.finditer(text)):
        said = match["side"].lower()
        below = said in ("lower", "less") or (said in grammar.directions and grammar.directions[said].value == "below")
        side: Side = "below" if below else "above"
        percent = 100.0 + (-1 if below else 1) * number(match["value"])
        threshold = Threshold(percent, "%", side, relative_to=_statistic(match))
        found.append(_limit(text, match, grammar, threshold))
    for match in grammar.of_statistic.finditer(text):
        if match["side"].lower() in _ENDS:  # "the minimum of the mean" is the smallest mean
            continue
        entry = _direction(text, match)
        value = number(match["value"]) if match["value"] else 100.0 * _factor(match["times"])
        threshold = Threshold(value, "%", entry.value, relative_to=_statistic(match))
        found.append(_limit(text, match, grammar, threshold, entry))
    return found


def _factor(said: str | None) -> float:
    """ "1.5 times", "twice" as a number; nothing said is once."""
    if said is None:
        return 1.0
    return _TIMES[said.lower()] if said.lower() in _TIMES else number(said.rstrip("x×times TIMESX"))


def _statistic(match: re.Match[str]) -> str:
    return "median" if match["relative"].lower() == "median" else "mean"


def _signed(text: str, grammar: _Grammar) -> list[Limit]:
    """ "Negative NDMI", "where NDMI is positive": below or above zero."""
    found = []
    for match in _SIGNED.finditer(text):
        named = _quantity(match["name"] or match["named"])
        side: Side = "below" if (match["sign"] or match["signed"]).lower() == "negative" else "above"
        if named is not None:
            found.append(replace(_limit(text, match, grammar, Threshold(0.0, None, side)), quantity=named))
    return found


def _bare(text: str, grammar: _Grammar) -> list[Limit]:
    """A limit that no side is told of; or one that is told of it later: "... What share exceeds it?"."""
    found = []
    for match in (*grammar.bare.finditer(text), *grammar.as_limit.finditer(text)):
        later = grammar.of_it.search(text, match.end())
        side: Side = "above" if later is None else direction_of(later["side"]).value
        threshold = Threshold(number(match["value"]), _name(match, grammar), side)
        limit = _limit(text, match, grammar, threshold, said=later is not None)
        if match.groupdict().get("told"):  # "at a TVDI of 0.7": the quantity is read where it stands
            place = match.start("value")
            limit = replace(limit, first=place, words=text[place : limit.past].strip())
        found.append(limit)
    return found
