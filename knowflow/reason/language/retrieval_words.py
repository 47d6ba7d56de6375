"""What belongs to retrieved quantities: the time of day, warm and dry as superlatives, pairs of percentiles."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.goal import Side, Slot, Threshold
from knowflow.reason.language import chain_words as words
from knowflow.reason.language.distance import asks_for_distance
from knowflow.reason.language.nested import of_others
from knowflow.reason.language.patterns import GREATEST, LEAST, one_of
from knowflow.reason.language.turns import DRY_IS_HIGH

_MEASURED = r"(?:(?:mean|average|surface|land|brightness)\s+)*(?:LST|SST|temperatures?)"
_BY_DAY = re.compile(rf"\bday(?:[- ]?time)?\s+{_MEASURED}\b|\b(?:by|during the) day\b|\bdaytime\b", re.IGNORECASE)
_BY_NIGHT = re.compile(
    rf"\bnight(?:[- ]?time)?\s+{_MEASURED}\b|\bnights\b|\b(?:at|by|during the) night\b"
    r"|\b(?:nighttime|night-time|nocturnal)\b",
    re.IGNORECASE,
)
_OF_THE_DAY = re.compile(
    r"\bday[- ]?time\s+(?!brightness)(?:mean\s+|average\s+)?(?:land\s+|surface\s+)*(?:LST|temp)", re.I
)
_OF_THE_NIGHT = re.compile(
    r"\bnight(?:[- ]?time)?\s+(?!brightness)(?:mean\s+|average\s+)?(?:land\s+|surface\s+)*(?:LST|temp)|\bnights\b", re.I
)
_DAY_AND_NIGHT = re.compile(r"\bday(?:[- ]?time)?\s*(?:and|&|/|,|-|–)\s*night", re.IGNORECASE)
_OF_BOTH = re.compile(
    r"\bday(?:[- ]?time)?\s*(?:and|versus|vs\.?|with|to|against)\s*(?:the\s+)?night(?:[- ]?time)?\s+"
    r"(?!brightness)(?:mean\s+|average\s+)?(?:land\s+|surface\s+)*(?:LST|temp)",
    re.IGNORECASE,
)
_IN_DAYLIGHT = r"(?:by|at|of|in|during)\s+(?:the\s+)?day(?:[- ]?time)?\b"
_IN_THE_DARK = r"(?:by|at|of|in|during)\s+(?:the\s+)?night(?:[- ]?time)?\b"
_DAY_AGAINST_NIGHT = re.compile(
    r"\b(?:diurnal|daily|day[-–/ ]+(?:to[- ])?night)\s+(?:land\s+|surface\s+|mean\s+|LST\s+)*"
    rf"(?:temperature\s+|LST\s+)?(?:range|amplitude|cycle|variation|{words.APART})\b"
    r"|\bday(?:[- ]?time)?\s+(?:LST\s+|temperature\s+)?(?:minus|less|[-–])\s+night"
    rf"|\b{words.APART}\b[^.]*\b(?:between|of)\b[^.]*\bday(?:[- ]?time)?\b[^.]*\band\b[^.]*\bnight"
    r"|\b(?:compar\w+|contrast|differ\w*|how\s+(?:much|far|many\s+\w+))\b[^.?;]*"
    rf"\b(?:{_IN_DAYLIGHT}[^.?;]*\b{_IN_THE_DARK}|{_IN_THE_DARK}[^.?;]*\b{_IN_DAYLIGHT})",
    re.IGNORECASE,
)
_HOW_WARM = re.compile(r"\bhow\s+(?:warm|hot|cold|cool)\b(?!\s+(?:must|does\s+\w+\s+\w+\s+have))", re.IGNORECASE)
_DRY_OR_WET = re.compile(r"\b(?P<dry>dri(?:est|er))\b|\bwett(?:est|er)\b|\bmoistest\b", re.IGNORECASE)
_RISE = re.compile(
    r"\b(?:by|of) (?:more than|over|at least)\s*(?P<n>\d*\.?\d+)"
    r"|\b(?:spikes?|jumps?|rises?|increases?|threshold)\b[^.;]{0,40}?"
    r"\b(?:above|over|exceed\w*|greater than|more than|larger than|of|at least|>)\s*(?P<m>\d*\.?\d+)",
    re.IGNORECASE,
)
_COEFFICIENT = re.compile(
    r"\b(?P<name>alpha|beta|a|b)\s*=\s*(?P<value>[-+]?\d*\.?\d+)|(?P<greek>[αβ])\s*=\s*(?P<number>[-+]?\d*\.?\d+)", re.I
)
_USUAL_COEFFICIENTS = {"a": 1.59, "b": 0.0}  # of snow depth: Chang et al. (1987)
_PERCENTILE = r"(\d{1,2}(?:\.\d+)?)\s*(?:st|nd|rd|th)?"
_TWO_PERCENTILES = re.compile(
    rf"\b{_PERCENTILE}(?:\s*percentile(?:\s+values?)?)?\s*(?:and|to|minus|[-–])\s*(?:the\s+)?{_PERCENTILE}\s*percentiles?\b",
    re.IGNORECASE,
)
_ONE_PERCENTILE = re.compile(rf"\b{_PERCENTILE}\s*percentiles?\b", re.IGNORECASE)
_NAMED_RANGES = (
    (re.compile(r"\binter-?quartile range\b|\bIQR\b", re.IGNORECASE), (25.0, 75.0)),
    (re.compile(r"\binter-?decile range\b", re.IGNORECASE), (10.0, 90.0)),
)
# statistics of the pixels of one scene, which a series of scenes is then followed or searched by
_EACH_OF = ("maximum", "minimum", "median")  # whose mean over the scenes is asked for
_OF_A_SCENE = ("median", "standard_deviation", "skewness", "kurtosis", "sum")
_EXTREME_OF_EXTREMES = re.compile(
    rf"\b(?:{GREATEST}|{LEAST})\s+(?:daily\s+|scene\s+|spatial\s+)?(?P<which>maximum|minimum|peak)\b",
    re.IGNORECASE,
)
_SPREAD = r"(?:variability|spread|scatter|standard deviation)"
_FROM_DAY_TO_DAY = re.compile(
    rf"\b(?:(?P<one>day|date|scene|image)[- ]to[- ](?P=one)|temporal)\s+{_SPREAD}\b"
    rf"|\b{_SPREAD}\s+from\s+(?:one\s+)?(?P<each>day|date|scene|image)\s+to\s+(?:the\s+next|another|(?P=each))\b",
    re.IGNORECASE,
)
_SERIES = words.IN_TIME | {"spikes", "count_means"}


def statistic_of_a_scene(text: str, operation: str, said: frozenset[str]) -> str:
    """What is computed of each scene before the scenes are compared in time: the mean, unless another one is named."""
    if words.PATCHY.search(text):
        return "standard_deviation"
    named = next((name for name in _OF_A_SCENE if name in said and name != operation), None)
    if named is not None:
        return named
    if operation in words.TRENDS and "share" in said:
        return "share"
    extreme = _EXTREME_OF_EXTREMES.search(text)
    if words.OF_ONE_PIXEL.search(text):
        return "minimum" if "minimum" in said and "maximum" not in said else "maximum"
    inner = of_others(text, "mean", _EACH_OF)
    if inner is not None and operation != "beyond_mean":
        return inner.inner
    if extreme is not None:
        return "minimum" if extreme["which"].lower() == "minimum" else "maximum"
    if operation in _SERIES and "mean" not in said:
        return next((name for name in ("maximum", "minimum") if name in said), "mean")
    return "mean"


CELSIUS_LIMIT = re.compile(r"\d\s*(?:°\s*|degrees?\s+|deg\.?\s*)?(?:C|Celsius)\b", re.IGNORECASE)
_TO_KELVIN = re.compile(r"\b(?:convert\w*|transform\w*)\b[^.]*\bkelvin\b|\b(?:in)?to kelvin\b", re.IGNORECASE)
_HIGHEST, _LOWEST = r"(?:warmest|hottest|highest|wettest|largest)", r"(?:coldest|coolest|lowest|driest|smallest)"
_RANGE_OF_GROUPS = re.compile(
    rf"\b(?:range|{words.APART})\b[^.]*\b(?:{_HIGHEST}\b[^.]*\b{_LOWEST}|{_LOWEST}\b[^.]*\b{_HIGHEST})"
    r"\s+(?:of the\s+)?(?:\w+\s+)?(?P<kind>season|month|year)",
    re.IGNORECASE,
)


def operation_of_retrievals(text: str, quantity: str, said: Collection[str]) -> str | None:
    """What several words ask for together: distances of percentiles or seasons, day against night, means of maxima.

    ``said`` are the operations that single words ask for.
    """
    if two_percentiles(text) is not None:
        return "percentile_range"
    if time_of_day(text) == "both" and "temperature" in quantity:
        return "difference"
    if extreme_group(text) is not None:
        return "range_of_groups"
    seasons = {name.lower().replace("fall", "autumn") for name in words.SEASON.findall(text)}
    others = any(words.HEARD[name].search(text) for name in ("difference", "percent_change", "extreme_date", "count"))
    others = others or asks_for_distance(text) is not None
    if len(seasons) > 2 and not others and not words.TREND.search(text):
        return "by_season"
    if of_others(text, "mean", _EACH_OF) is not None:
        return "mean_of_each"
    varies = _FROM_DAY_TO_DAY.search(text) and "coefficient_of_variation" not in said
    return "spread_of_means" if varies or of_others(text, "standard_deviation", "mean") is not None else None


def retrieved_details(text: str, quantity: str, slots: Mapping[str, Slot]) -> dict[str, Any]:
    """The slots that only questions about retrieved quantities have."""
    found: dict[str, Any] = {}
    operation, limit, algorithm = (
        slots[name].value if name in slots else None for name in ("operation", "threshold", "algorithm")
    )
    if operation == "percentile_range" and (ends := two_percentiles(text)) is not None:
        found |= {"low_percentile": ends[0], "high_percentile": ends[1], "percentile": None}
    part = time_of_day(text) if "temperature" in quantity else None
    if part is not None:
        found |= {"span": "day_night"} if part == "both" else {"part_of_day": part}
    if operation == "spikes" and (rise := _RISE.search(text)) is not None:
        found["rise"] = float(rise["n"] or rise["m"])
    if operation == "range_of_groups":
        found["extreme_of"] = extreme_group(text)
    if isinstance(limit, Threshold) and limit.unit == "degC" and _TO_KELVIN.search(text):
        found["converted"] = True
    if algorithm == "dual_frequency" and (coefficients := unusual_coefficients(text)):
        found["coefficients"] = coefficients
    return found


def extreme_group(text: str) -> str | None:
    """The parts of the time of which the highest and the lowest are compared: seasons, months or years."""
    found = _RANGE_OF_GROUPS.search(text)
    if found is None:
        return None
    kind = found["kind"].lower()
    return "season_of_year" if kind == "season" else kind


def time_of_day(text: str) -> str | None:
    """``day``, ``night``, or ``both`` where the two are compared; None where the text does not say it.

    What the data are ("day and night brightness temperature") says less than what is asked of them.
    """
    if _DAY_AGAINST_NIGHT.search(text):
        return "both"
    day, night = bool(_OF_THE_DAY.search(text)), bool(_OF_THE_NIGHT.search(text))
    both = (day and night) or _OF_BOTH.search(text) is not None
    if both and words.HEARD["difference"].search(text):
        return "both"
    if day == night and not _DAY_AND_NIGHT.search(text):
        day, night = bool(_BY_DAY.search(text)), bool(_BY_NIGHT.search(text))
    return None if day == night else "day" if day else "night"


def unusual_coefficients(text: str) -> tuple[tuple[str, float], ...]:
    """Coefficients of a linear retrieval that are not those that are taken anyway."""
    found = []
    for match in _COEFFICIENT.finditer(text):
        name = (match["name"] or {"α": "alpha", "β": "beta"}[match["greek"].lower()]).lower()
        value = float(match["value"] or match["number"])
        if value != _USUAL_COEFFICIENTS[name[0]]:
            found.append((name, value))
    return tuple(found)


def dryness_extreme(text: str, quantity: str, operation: str = "") -> str | None:
    """The extreme that "driest" or "wettest" means of a quantity, high or low where it is dry; what is only "drier"
    than something it is compared with is no extreme."""
    said = _DRY_OR_WET.search(text)
    if said is None or (operation in words.COMPARED and said.group().lower() == "drier"):
        return None
    return "maximum" if bool(said["dry"]) == (quantity in DRY_IS_HIGH) else "minimum"


def averaged(text: str, quantity: str) -> bool:
    """The text asks for the mean, maximum or minimum of just this quantity."""
    statistic = r"\b(?:average|mean|maximum|minimum)\s+(?:[\w-]+\s+){0,3}?"
    return bool(re.search(rf"{statistic}{_names(quantity)}\b", text, re.IGNORECASE))


def asks_how_warm(text: str, quantity: str) -> bool:
    """Whether a text asks for a temperature by its adjective: "how warm is the land in those areas"."""
    return "temperature" in quantity and _HOW_WARM.search(text) is not None


def is_named(text: str, quantity: str) -> bool:
    """The text has a name of the quantity, not only words that imply it."""
    return bool(re.search(rf"\b{_names(quantity)}s?\b", text, re.IGNORECASE))


def _names(quantity: str) -> str:
    kind = quantity_kinds().get(quantity)
    names = [quantity.replace("_", " "), *(kind.synonyms if kind is not None else ())]
    return one_of(names)


def counted_limits(share: Threshold, limit: Threshold) -> dict[str, Any]:
    """The limits of scenes to be counted as tools take them, which count what exceeds.

    Less than a fifth of the area above a limit is more than four fifths below it.
    """
    if share.side != "below" or limit.side not in ("above", "below"):
        return {}
    other: Side = "below" if limit.side == "above" else "above"
    turned = replace(share, value=100 - share.value, side="above")
    return {"share_threshold": turned, "threshold": replace(limit, side=other), "side": other}


def two_percentiles(text: str) -> tuple[float, float] | None:
    """The lower and the upper of two percentiles whose distance is asked for."""
    for pattern, values in _NAMED_RANGES:
        if pattern.search(text):
            return values
    found = _TWO_PERCENTILES.search(text)
    if found is not None:
        low, high = sorted((float(found[1]), float(found[2])))
        return low, high
    named = sorted({float(one[1]) for one in _ONE_PERCENTILE.finditer(text)})  # one after the other, then compared
    return (named[0], named[1]) if len(named) == 2 and words.HEARD["difference"].search(text) else None
