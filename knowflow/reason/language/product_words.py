"""What belongs to products that come as files: totals of what is counted, changes by a number, masks, pictures."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Set
from dataclasses import dataclass

from knowflow.model.goal import FIRST, Period
from knowflow.reason.language import chain_words as words
from knowflow.reason.language.beyond_another_time import beyond_another_time
from knowflow.reason.language.dates import month_period
from knowflow.reason.language.movements import moved_by, movements
from knowflow.reason.language.patterns import COLOUR_MAPS, GREATEST, LEAST, any_of, one_of

OF_AN_EVENT = frozenset({"dnbr", "rdnbr"})  # told by what was before and after
FIRE_POWER = "fire_radiative_power"
COUNTED = ("population_count", "building_volume", "built_up_surface")

# one of several names that are told by limits ("which of these describes the series") compares nothing
_WHICH_OF = any_of(
    r"\bwhich (?:one )?of (?:the two|both|these)\b(?![\s,]+(?:"
    r"(?:class|categor|label|name|term|description|case|type|kind)\w*\b|(?:(?:best|does|do|would)\s+)?(?:describ|appl|fit|characteri[sz]|hold|match)\w*\b))"
)

# operations that are heard in the words of products
HEARD: dict[str, re.Pattern[str]] = {
    "difference": any_of(
        r"\bby how much\b",
        r"\bwhich (?:city|town|lake|country|island|valley|basin)\s+(?:is|was|has|had|gets?|got|received|shows?)\b",
    ),
    "sum": any_of(r"\b(?:total|summed)\s+(?:[\w-]+\s+){0,2}?(?:light|radiance|brightness)\b"),
    "minimum": any_of(
        r"\b(?:poorest|sparsest|scarcest|dimmest|thinnest|faintest)\b",
        r"\bsmallest\b",
    ),
    "per_capita": any_of(r"\bper (?:head|resident|citizen)\b"),
    "binary_map": any_of(
        r"\b(?:binary|yes[-/ ]no|true[-/ ]false|(?:0|zero)[-/ ](?:1|one)) (?:\w+ )?(?:maps?|masks?|images?|rasters?)\b",
        r"\bbinari[sz]\w+",
        r"\bthreshold(?:ing)? segmentation\b",
        r"\bsegment(?:ed|ation)?\b(?=[^.]*\bthreshold)",
    ),
    "colour_picture": any_of(
        r"\bcolou?r[- ]?(?:maps?|coded|ramp)\b", r"\bpseudo-?colou?r\w*", r"\bfalse[- ]colou?r\w*", r"\bpalette\b"
    ),
}
COLOURS = any_of(
    rf"\b(?P<name>{one_of(COLOUR_MAPS)})\b(?=[^.]{{0,20}}\b(?:colou?r|palette|ramp|map)\b)",
    r"\b(?:palette|colou?r[- ]?map|cmap)\s+(?P<after>\w+)\s*$",
)

_AVERAGED = any_of(r"\b(?:mean|average|averaged|avg)\b")
_TOTAL = any_of(r"\b(?:total|sum|altogether|number of (?:people|inhabitants|residents))\b")
_PER = {
    "population_count": any_of(r"\bper[- ](?:capita|person|inhabitant|head|resident|citizen)\b"),
    "building_volume": any_of(r"\bper (?:unit (?:of )?)?(?:[\w-]+ )?(?:built|building)[- ]volume\b"),
    "built_up_surface": any_of(
        r"\bper (?:unit (?:of )?)?(?:[\w-]+ )?(?:built|building)(?:-up| up)?[- ](?:surface|area)\b"
    ),
}
# "divide the light total by the built-surface total"
_DIVIDED_BY = {
    "population_count": any_of(
        r"\bdivid\w*\b[^.;]*?\bby\b[^.;]*?\b(?:population|inhabitants|residents|(?:number of )?people)\b"
    ),
    "building_volume": any_of(r"\bdivid\w*\b[^.;]*?\bby\b[^.;]*?\b(?:built|building)[-_ ]volume\b"),
    "built_up_surface": any_of(r"\bdivid\w*\b[^.;]*?\bby\b[^.;]*?\bbuilt(?:-up| up)?[-_ ](?:surface|area)\b"),
}
_PART = any_of(
    r"\b(?:ratio|share|proportion|percentage|percent|fraction|weight)\s+(?:of|that)\s+(?:the\s+)?(?:is\s+)?"
    r"(?:non-?\s?residential|residential|nres)\b",
    r"\b(?:share|proportion|percent(?:age)?|fraction|part|how\s+much)\s+of\s+(?=[^.;?]{0,30}\b(?:buil[dt]|total|all))"
    r"[^.;?]{0,60}?\b(?:was|is|were|are)\s+(?:not\s+)?(?:non-?\s?)?residential\b",
    r"\b(?:residential|nres)\s+(?:share|proportion|percentage|fraction|part)\b",
    r"\bdivid\w+\s+(?:the\s+)?(?:non-?\s?residential|residential|nres)\b[^.;]*?\bby\b[^.;]*?\btotal\b",
)
_FROM_TO = any_of(
    r"\bbetween the two\b",
    r"\bbetween\b[^.;]{4,60}?\band\b",
    r"\bfrom\b[^.;]{4,40}?\bto\b",
    r"\b(?:compared|relative) (?:to|with)\b",
)
_FROM_NUMBERS = any_of(
    r"\b(?:digital numbers?|DNs?|scaled? integers?|stored (?:numbers|values))\b[^.]*\breflectances?\b",
    r"\breflectances?\b[^.]*\b(?:of|from) (?:the |their )?(?:digital numbers?|DNs?)\b",
)
_TURBID = any_of(r"\bturbid\w*")
_MURKY = any_of(r"\bturbid\w*", r"\bpollut\w*", r"\bmurk\w*", r"\bmudd\w*", r"\bsediment\w*", r"\bwater quality\b")
_AIR = any_of(r"\bair\b", r"\batmospher\w*", r"\blight pollution\b")
_LIMITS = any_of(r"\bthreshold")
_SINGLE = any_of(r"\bfraction\w*", r"\bFVC\b", r"\bfcover\b")
_MODELLED = any_of(r"\bFVC\b", r"\bfcover\b", r"\bfractional\b", r"\bfraction of (?:green )?vegetation cover\b")
_PRONE = any_of(r"\bprone\b")
# "where the difference is below -5": what the change itself is limited by
_DIFFERENCE_LIMITED = re.compile(
    r"\b(?:where|with|whose|in which)\s+(?:(?:the|this|that|a)\s+)?(?:difference|change)\s+(?:(?:map|is|was)\s+){0,2}"
    r"(?:(?:below|under|(?:less|lower|smaller) than|<)\s*(?=-)|exceeds|above|over|(?:more|greater|larger) than|>)\s*"
    r"(?P<n>[-+]?\d+(?:\.\d+)?)(?![\d.]*\s*%)",
    re.IGNORECASE,
)
# "rose by more than 10 MW, and how many by more than 30 MW"
_BY_ANOTHER = re.compile(
    r"[^.?!;]{0,90}?\b(?P<words>by\s+(?:more than|over|at least|>)\s*(?P<n>\d+(?:\.\d+)?))(?![\d.]*\s*%)",
    re.IGNORECASE,
)
_TOP_SHARE = re.compile(
    r"\b(?:top|highest|upper|largest|strongest)\s+(?P<n>\d+(?:\.\d+)?)\s*(?:%|per ?cent\b)", re.IGNORECASE
)
# "subtract the later map from the earlier one": what falls is a difference above nothing
_EARLIER, _LATER = r"(?:pre|before|earlier|former)\b", r"(?:post|after|later|latter)\b"
_LESS_LATER = any_of(
    rf"\b{_EARLIER}[^.;]{{0,40}}?\b(?:minus|less)\b[^.;]{{0,40}}?\b{_LATER}",
    rf"\bsubtract\w*[^.;]{{0,40}}?\b{_LATER}[^.;]{{0,60}}?\bfrom\b[^.;]{{0,40}}?\b{_EARLIER}",
)
_CHANGED_PIXELS = any_of(r"\b(?:number|count\w*|how many)\b(?:\s+[\w-]+){0,4}?\s+pixels\b")
_YEAR = 366  # days
HOT_TIMES_MEAN = 1.5  # what is hot, or turbid, where a question does not say it: half as much again as the mean
_PEAK_COVER = any_of(r"\bpeak (?:\w+ )?(?:cover|coverage|extent)\b", r"\b(?:cover|coverage|extent) peak\w*\b")
_EXTREMES = any_of(
    r"\b(?:ND[A-Z]{1,2}I|NDVI|EVI|index) extremes?\b",
    rf"\b(?:{GREATEST}|{LEAST}|maximum|minimum) (?:mean |average )?(?:ND\w+|EVI|NBR|index)(?: value)?\b",
)
_FIRES = (FIRE_POWER, "fire_mask", "dnbr")
_FIRE_PIXELS = any_of(
    r"\b(?:fire|burning|hot) (?:pixel|detection)s?\b",
    r"\bpixels? with (?:active )?fires?\b",
    r"\bpixels?\b[^,.;?]{0,30}\bburning\b",
    r"\b(?:number|count) of fires\b",
)
_MEGAWATTS = re.compile(r"(?<![\w.])\+?(?P<n>\d+(?:\.\d+)?)\s*(?:MW|megawatts?)\b", re.IGNORECASE)
_THAN = re.compile(r"\b(?:than|above|exceed\w*|over)\s+$", re.IGNORECASE)
_STRONGER = any_of(r"\bintensif\w+", r"\b(?:more\s+(?:intens|strong|power|violent)\w*|(?:strong|fierc|high|great)er)\b")
_PLACES = any_of(
    r"\bmaps?\b", r"\bwhere\b", r"\b(?:which|what|those|these|the)\s+(?:parts|places|areas|regions|zones)\b"
)


@dataclass(frozen=True, slots=True)
class Changed:
    """A change that counts, in the unit of the quantity: negative for a decrease."""

    by: float
    words: str


def operation_of_products(
    text: str, quantity: str, said: Set[str], limited: bool, two: bool, days: bool = False
) -> str | None:
    """The operation that several words make together of a product.

    ``limited`` tells whether a limit is said, ``two`` whether two periods are, ``days`` whether these are single days.
    """
    if "binary_map" in said and (limited or quantity == FIRE_POWER):
        return "binary_map"
    if "colour_picture" in said:
        return "colour_picture"
    compared = next((name for name in ("times", "percent_change", "difference", "change") if name in said), None)
    if "per_capita" in said and compared is not None and two:
        return "difference" if compared == "change" else compared
    in_time = said & {"extreme_date", "kurtosis", "skewness", "trend", "coefficient_of_variation"}
    dated = compared == "change" and "extreme_date" in said  # "wildfire loss: on which day did most pixels burn"
    if compared is not None and two and of_fire_pixels(text, quantity) and "count" in said and not dated:
        return "difference" if compared == "change" else compared
    if of_fire_pixels(text, quantity) and said & {"count", "maximum"} and not in_time:
        return "most_fires" if "maximum" in said else "fire_count"
    if quantity in COUNTED and part_of_total(text):
        if "trend" in said:
            return "part_trend"
        return "part_change" if two and compared is not None else "part_ratio"
    if quantity == FIRE_POWER and two and _PLACES.search(text) and power_risen(text) is not None:
        return "increase_map"
    one_map = days or "change_map" in said
    lost = {"difference", "percent_change"}.isdisjoint(
        said
    )  # what fell from one to the other, not how two shares differ
    counted = "count" in said and _CHANGED_PIXELS.search(text) is not None
    if (
        (changed := changed_by(text, one_map or lost)) is not None
        and two
        and (counted or said & {"share", "area", "map", "mask"} or (lost and changed.by < 0))
    ):
        if counted and not said & {"share", "area"}:
            return "change_count"
        shares_of_both = changed.by < 0 and {"share", "difference"} <= said and not one_map
        return None if shares_of_both else "change_share"
    if (
        quantity in COUNTED
        and not limited
        and not said - {"map", "sum", "count"}
        and counted_as(text, quantity, "sum") is not None
    ):
        return "sum"
    return None


def hot_by_convention(text: str, said: Set[str]) -> bool:
    """Whether hot spots, or turbid water, are asked about without a word on what makes them so."""
    return "hotspots" in said or (_TURBID.search(text) is not None and _LIMITS.search(text) is not None)


def of_murky_water(text: str) -> bool:
    """Whether reflectance is asked about for the sake of what makes water turbid."""
    return _MURKY.search(text) is not None and not _AIR.search(text)


def peak_cover(text: str) -> bool:
    """Whether the date or the size of the largest cover is asked for."""
    return _PEAK_COVER.search(text) is not None


def extremes_too(text: str) -> bool:
    """Whether the largest or smallest mean of the quantity itself is asked for, beside a share of the area."""
    return _EXTREMES.search(text) is not None


def heard(text: str) -> set[str]:
    """The operations that the words of products ask for."""
    compares = _WHICH_OF.search(text) is not None and words.STATISTIC_LIMITED.search(text) is None
    return {name for name, pattern in HEARD.items() if pattern.search(text)} | ({"difference"} if compares else set())


def ends_apart(text: str, period: object) -> tuple[Period, Period] | None:
    """The first and the last month of a period of whole months, else its first and last day, where what changed from
    one to the other is asked about."""
    changes = changed_by(text) is not None or power_risen(text) is not None
    if not isinstance(period, Period) or not changes or not _FROM_TO.search(text):
        return None
    first, last = (dt.date.fromisoformat(day) for day in (period.start, period.end))
    apart = 12 * (last.year - first.year) + last.month - first.month
    ends = month_period(first.year, first.month), month_period(last.year, last.month)
    if (period.start, period.end) == (ends[0].start, ends[1].end):
        return ends if 0 < apart < 12 else None
    days = Period(period.start, period.start), Period(period.end, period.end)
    return days if 1 < period.days <= _YEAR and period.start > FIRST else None


def counted_as(text: str, quantity: str, operation: str) -> str | None:
    """The statistic of each image of what is counted per pixel: people are summed, buildings where a total or a change
    of them is asked for; None for other quantities, and where a mean is asked for."""
    if quantity not in COUNTED or _AVERAGED.search(text):
        return None
    total = quantity == "population_count" or _TOTAL.search(text) or operation not in {*words.IN_TIME, "mean"}
    return "sum" if total else None


def per_quantity(text: str) -> str | None:
    """What a quantity is told per unit of, or its total divided by: people, building volume, built-up surface."""
    every = (*_PER.items(), *_DIVIDED_BY.items())
    return next((name for name, pattern in every if pattern.search(text)), None)


def told_per(text: str) -> int | None:
    """Where the last word is that tells something per unit of another quantity."""
    return max((match.start() for pattern in _PER.values() for match in pattern.finditer(text)), default=None)


def part_of_total(text: str) -> bool:
    """Whether the share of residential (or other) buildings in all of them is asked for."""
    return _PART.search(text) is not None


def changed_by(text: str, days: bool = False) -> Changed | None:
    """ "NDVI increased by more than 500 between 2015 and 2020": a limit on the change from one to the other.

    What fell is one where it is told from what to what, or two single ``days`` are.
    """
    return next(iter(changes_by(text, days)), None)


def changes_by(text: str, days: bool = False) -> tuple[Changed, ...]:
    """Every limit on such a change: "how many gained over 10, how many over 50"."""
    if (limited := _DIFFERENCE_LIMITED.search(text)) is not None:
        sign = -1.0 if _LESS_LATER.search(text) else 1.0
        return (Changed(sign * float(limited["n"]), limited.group()),)
    if (beyond := beyond_another_time(text)) is not None and not beyond.told.percent:
        return (Changed(beyond.told.value if beyond.rises else -beyond.told.value, beyond.told.words),)
    found = []
    for moved in moved_by(text):
        if not moved.limit or moved.percent or not (moved.way == "up" or days or _FROM_TO.search(text)):
            continue
        sign = 1.0 if moved.way == "up" else -1.0
        again = _BY_ANOTHER.match(text, moved.past)
        found.append(Changed(sign * abs(moved.value), moved.words))
        other = again is None or any(moved.past <= one.first < again.start("words") for one in movements(text))
        found += [] if again is None or other else [Changed(sign * float(again["n"]), again["words"])]
    return tuple(found)


def power_risen(text: str) -> Changed | None:
    """A rise of the power of fires that counts, in MW: "+20 MW", "grew by 30 MW", "stronger, by 15 MW or more"."""
    return next(iter(power_rises(text)), None)


def power_rises(text: str) -> tuple[Changed, ...]:
    """Every such rise that a text tells of."""
    changes = changes_by(text)
    if changes and changes[0].by > 0:
        return changes
    rising = any(one.way == "up" for one in movements(text)) or _STRONGER.search(text) is not None
    found = [match for match in _MEGAWATTS.finditer(text) if rising and _THAN.search(text[: match.start()]) is None]
    return tuple(Changed(abs(float(match["n"])), match.group()) for match in found or words.PLUS.finditer(text))


def of_fire_pixels(text: str, quantity: str) -> bool:
    """Whether pixels that burn are spoken of, which a limit tells from those that do not."""
    return quantity in _FIRES and _FIRE_PIXELS.search(text) is not None


def power_averaged(text: str) -> bool:
    """Whether fires are told by their mean power, not by the number of burning pixels."""
    return _AVERAGED.search(text) is not None and not (_FIRE_PIXELS.search(text) or _PRONE.search(text))


def top_share(text: str) -> float | None:
    """The share of the highest values that is meant, in percent: "the top 10 % of the mean fire intensity"."""
    found = _TOP_SHARE.search(text)
    return None if found is None else float(found["n"])


def from_numbers(text: str) -> bool:
    """Whether reflectance is to be made of the numbers that files store."""
    return _FROM_NUMBERS.search(text) is not None


def by_a_model(text: str) -> bool:
    """Whether vegetation cover is named as what a model derives of an index, and not told by a limit on it."""
    return _MODELLED.search(text) is not None


def as_fraction(text: str) -> bool:
    """Whether vegetation cover is meant as the fraction of the ground that a model derives."""
    return _SINGLE.search(text) is not None
