"""What limits a chain of steps: those on its product, those that tell places apart, those told by a mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.artifact import CHANGES
from knowflow.model.goal import Threshold
from knowflow.reason.language import chain_words as words
from knowflow.reason.language.chain import Chain
from knowflow.reason.language.compared import compares_two
from knowflow.reason.language.grounds import tells_places
from knowflow.reason.language.limits import limits, make_classes
from knowflow.reason.language.movements import moved_by
from knowflow.reason.language.nested import statistics_named
from knowflow.reason.language.product_words import FIRE_POWER, OF_AN_EVENT
from knowflow.reason.language.products_named import EXTREMES
from knowflow.reason.language.retrieval_words import asks_how_warm, averaged

_NAMED_CLASS = re.compile(r"\b(?P<name>[a-z]+)\s*\(\s*(?=[<>≥≤=]|\d)", re.IGNORECASE)
# "above 305 K is high", and "the high class" that is asked about
_NAME_AFTER = re.compile(
    r"\s*(?:(?:is|are|as|means?|counts?\s+as|=|:)\s+)?(?:an?\s+|the\s+)?(?P<name>[a-z]+)\b", re.IGNORECASE
)
_CLASS = re.compile(r"\b(?P<name>[a-z]+)\s+(?:class|zone|category|level|bin|group)\b", re.IGNORECASE)
_OF_THE_TWO = re.compile(
    r"\bdifference\s+(?:of|between)\s+(?:the\s+two|both|these|them|those)\b|\bsubtract\w*\b|\bminus\b", re.IGNORECASE
)
_MEAN_OF_ALL = re.compile(
    r"\b(?:annual|yearly|overall|seasonal|long-term|whole-period)\s+(?:[\w-]+\s+){0,2}?(?:mean|average)\b"
    r"|\b(?:mean|average)\s+(?:[\w-]+\s+){0,2}?(?:of|over|for|across)\s+(?:the\s+|all\s+)*"
    r"(?:whole|entire|full|all|year|period|dates|images|scenes|days|months)\b",
    re.IGNORECASE,
)


def read_limits(chain: Chain) -> None:
    """The limits on the main quantity as its threshold (several: as classes), the others as conditions."""
    if words.STATISTIC_LIMITED.search(chain.text):
        chain.drop("threshold", "side", "conditions")
        return
    former, main = chain.goal.value("quantity"), chain.value("quantity")
    conditions = [(name, one) for name, one in chain.goal.value("conditions") or () if one.relative_to is None]
    if former in OF_AN_EVENT and main == FIRE_POWER:  # "MaxFRP > 10 counts as burning": of fire, not of burn scars
        conditions = [(FIRE_POWER if name == former else name, one) for name, one in conditions]
        former = main
    threshold = chain.goal.value("threshold")
    said = isinstance(threshold, Threshold) and not chain.slots["threshold"].default
    if former == "toa_brightness_temperature" and main == "surface_temperature":
        former = main  # what is retrieved of brightness temperatures is what is limited
    if main in OF_AN_EVENT and former in chain.products.derived(str(main)):
        former = main  # "dNBR (NBR before minus NBR after) > 0.27"
    others = [(str(former), threshold)] if said and former != main and former is not None else []
    own = [threshold] if said and former == main else []
    for name, limit in dict.fromkeys(conditions):
        limited = _that_can_be(chain, name, limit) or name
        if (limited, main, limit.unit) == ("precipitation_rate", "precipitation", "mm day-1"):
            limited, limit = main, replace(limit, unit="mm")  # files of rain are sums of a day
        if limited == main:
            own.append(limit)
        else:
            others.append((limited, limit))
    own, others = list(dict.fromkeys(own)), list(dict.fromkeys(others))  # said of one date, and again of the other
    if not own and _are_classes_of(chain, str(main), others):  # "TVDI out of NDVI and LST, in classes: below 0.4, ..."
        own, others = [limit for _, limit in others], []
    if not own or not said:
        chain.drop("threshold", "side")
    if not own and len(others) == len(conditions) == 1 and _is_counted(chain):
        (main, limit), others = others[0], []
        own = [limit]
        chain.put("quantity", main, note="what is limited is counted")
    measured = _measured_there(chain, str(main), len(own)) if own and not others else None
    if measured is not None:
        chain.put("quantity", measured, note="measured where the other is beyond its limit")
        others, own = [(str(main), limit) for limit in own], []
        chain.drop("threshold", "side")
    if own:
        _take_limits(chain, own)
    chain.drop("conditions")
    if others:
        chain.put("conditions", tuple(others))
    _read_relative_limits(chain)


def _that_can_be(chain: Chain, quantity: str, limit: Threshold) -> str | None:
    """The other quantity that is named and can have such a value, where this one never has it: of temperature and
    emissivity, 0.96 is an emissivity; the main one goes before the others."""
    kind = quantity_kinds().get(quantity)
    if limit.unit is not None or kind is None or kind.range is None or _in_range(quantity, limit):
        return None
    main = str(chain.value("quantity"))
    named = (main, *chain.products.mentioned)
    return next((name for name in named if name != quantity and _in_range(name, limit)), None)


def _are_classes_of(chain: Chain, main: str, limited: Sequence[tuple[str, Threshold]]) -> bool:
    """Whether limits make classes of what is derived of the quantity that is named last before them."""
    names = {name for name, _ in limited}
    return len(names) == 1 and names <= chain.products.derived(main) and make_classes([one for _, one in limited])


def _is_counted(chain: Chain) -> bool:
    """Pixels or dates beyond a limit are asked for, and no statistic of them."""
    said = set(chain.goal.value("operations") or ())
    return bool(said & {"share", "count"}) and chain.goal.value("statistic") not in ("maximum", "minimum")


def _measured_there(chain: Chain, main: str, limits: int) -> str | None:
    """ "Identify pixels with A > 1 and compute the mean B of these", "the mean B where A > 1 and where A < 0": B is
    what is asked about."""
    asked = "mask" in (chain.goal.value("operations") or ()) or words.THERE.search(chain.text)
    if not (asked or limits == 2 or tells_places(chain.text)) or chain.goal.value("statistic") not in EXTREMES:
        return None
    steps, retrieved = chain.products.derived(main), chain.products.retrieved
    named = [name for name in chain.goal.value("quantities") or () if name != main and name not in CHANGES]
    named += [
        name for name in chain.goal.value("sources") or () if name not in named and asks_how_warm(chain.text, name)
    ]
    others = [name for name in named if not chain.products.is_left_to_index(name)]
    return next(
        (
            name
            for name in others
            if averaged(chain.text, name)
            or asks_how_warm(chain.text, name)
            or (asked and (name in retrieved or name not in steps))
        ),
        None,
    )


def _take_limits(chain: Chain, own: list[Threshold]) -> None:
    """One limit as the threshold; of several that make classes, that of the class that is asked about."""
    chosen = own[0]
    if (between := _between_two(chain, own)) is not None:
        chosen = between
    elif len(own) > 1:
        asked = _class_asked_for(chain.text, own)
        if asked is not None:
            chosen = asked
        else:
            chain.put("limits", _with_open_ends(str(chain.value("quantity")), own))
    chain.put("threshold", chosen)
    chain.put("side", chosen.side)


def _class_asked_for(text: str, own: Sequence[Threshold]) -> Threshold | None:
    """The one of several classes that is asked about by its name, which stands before its limit or after it: "low
    (< 295 K)", "above 305 K is hot"; None where all are."""
    before = [match["name"].lower() for match in _NAMED_CLASS.finditer(text)]
    told = {
        (limit.threshold.value, limit.threshold.side): _NAME_AFTER.match(text, limit.past) for limit in limits(text)
    }
    after = [match["name"].lower() if (match := told.get((one.value, one.side))) else "" for one in own]
    last = re.split(r"[.;]", text.strip(" ."))[-1].lower()
    classes = [match["name"].lower() for match in _CLASS.finditer(text)]
    for names, among in ((before, last), (after, " ".join(classes))):
        named = [limit for name, limit in zip(names, own, strict=False) if re.search(rf"\b{name or '(?!)'}\b", among)]
        if len(names) == len(own) and len(named) == 1:
            return named[0]
    ways = {entry.value for entry in lexicon().movements if {*classes} & {*entry.adjectives}}
    side = {"up": "above", "down": "below"}.get(str(*ways)) if len(ways) == 1 else None  # "the hot class" of "high"
    ends = [limit for limit in own if limit.side == side]
    return ends[0] if len(ends) == 1 and make_classes(own) else None


def _with_open_ends(quantity: str, own: Sequence[Threshold]) -> tuple[Threshold, ...]:
    """Limits of classes; what reaches to the end of what there can be is open: "0-0.2" of dryness is below 0.2."""
    kind = quantity_kinds().get(quantity)
    low, high = kind.range if kind is not None and kind.range is not None else (None, None)
    if not make_classes(own):
        return tuple(own)
    return tuple(
        replace(one, value=float(one.upper), side="below", upper=None)
        if one.upper is not None and one.value == low and one.unit is None
        else replace(one, side="above", upper=None)
        if one.upper is not None and one.upper == high and one.unit is None
        else one
        for one in own
    )


def _between_two(chain: Chain, own: list[Threshold]) -> Threshold | None:
    """What lies between two limits of one side, told as the one less the other: "the share above 0.5 and that
    above 0.7, and the difference of the two"."""
    spans = [limit for limit in own if limit.side == "between"]
    ends = [limit for limit in own if limit.side != "between"]
    if len(ends) != 2 or len({(limit.side, limit.unit) for limit in ends}) > 1 or compares_two(chain.goal):
        return None
    low, high = sorted(limit.value for limit in ends)
    if spans:
        return spans[0] if {(one.value, one.upper) for one in spans} == {(low, high)} else None
    told = low < high and _OF_THE_TWO.search(chain.text) is not None
    return Threshold(low, ends[0].unit, "between", high) if told else None


def _read_relative_limits(chain: Chain) -> None:
    """Limits that are told by the mean of the quantity, and increases and decreases that count."""
    every = [chain.goal.value("threshold"), chain.goal.value("share_threshold")]
    every += [limit for _, limit in chain.goal.value("conditions") or ()]
    told = next((one for one in every if isinstance(one, Threshold) and one.relative_to == "mean"), None)
    moved = moved_by(chain.text)
    if more := words.MORE_THAN_MEAN.search(chain.text):
        chain.put("times_mean", _times_mean(more), more.group())
        if more["g"] or ((more["e"] or more["f"]) and words.BELOW_IT.search(chain.text, more.end())):
            chain.put("mean_side", "below")
    elif same := words.MEAN_IS_LIMIT.search(chain.text) or _mean_used_as_limit(chain.text):
        chain.put("times_mean", 1.0, same.group())
        if words.BELOW_IT.search(chain.text, same.end()):
            chain.put("mean_side", "below")
    elif told is not None:
        chain.put("times_mean", round(told.value / 100, 6))
        chain.put("mean_side", told.side)
    elif rise := next((one for one in moved if one.way == "up" and one.percent), None):
        chain.put("times_mean", _raised(rise.value), rise.words)
    elif fall := next((one for one in moved if one.way == "down"), None):
        chain.put("drop", fall.value / (100 if fall.percent else 1), fall.words)
    if "times_mean" in chain.slots and _MEAN_OF_ALL.search(chain.text):
        chain.put("mean_of", "all")
    if {"times_mean", "drop"} & chain.slots.keys():
        chain.drop("threshold", "side", "share_threshold", "conditions", "limits")


def _times_mean(told: re.Match[str]) -> float:
    """The factor of the mean: told as so much more or less than it, as so many times it, or as a part of it."""
    if told["g"]:
        return _raised(-float(told["g"]))
    if percent := told["a"] or told["b"] or told["c"]:
        return _raised(float(percent))
    return round(float(told["f"]) / 100, 6) if told["f"] else float(told["d"] or told["e"])


def _mean_used_as_limit(text: str) -> re.Match[str] | None:
    """Where a mean that was told before is made the limit: "average those, and use it as the bar to clear"."""
    found = words.USED_AS_LIMIT.search(text)
    named = () if found is None else statistics_named(text[: found.start()])
    return found if named and named[-1][0] == "mean" else None


def _in_range(quantity: str, limit: Threshold) -> bool:
    """Whether a quantity can have the value of a limit that is told in its own unit."""
    kind = quantity_kinds().get(quantity)
    if kind is None or kind.range is None:
        return False
    low, high = kind.range
    return (low is None or low <= limit.value) and (high is None or limit.value <= high)


def _raised(percent: float) -> float:
    return round(1 + percent / 100, 6)
