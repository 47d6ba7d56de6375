"""The limits of a sentence into slots: on the main quantity, on others, on the share of the area; or the usual one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kind
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.lexicon_file import Limit as UsualLimit
from knowflow.model.goal import Slot, Threshold, Unmet
from knowflow.reason.language.limits import Limit
from knowflow.reason.language.patterns import any_of, one_of
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.subjects import NEEDS_LIMIT, Subject, attach

_OPENED = re.compile(r"\s*\(")
_REACH = 30  # characters of a bracket in which a limit explains the word before it
_OUTSIDE = re.compile(
    r"(?:\b(?:not|never|outside|except|neither)|n't)\s+(?:(?:in|of|the|range|from|lie|lies|lying|fall|falls|falling|be|is)\s+)*$",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:not|\w+n't)\b", re.IGNORECASE)
_JOINED = re.compile(r"\s*,?\s*(?:and|but|yet)(?:\s+(?:also|is|are|still))?\s*", re.IGNORECASE)


def read_thresholds(reading: Reading, main: Subject | None) -> None:
    """Fill ``threshold``, ``side``, ``conditions`` and ``share_threshold``."""
    conditions: list[tuple[str, Threshold]] = []
    condition_words: list[str] = []
    for limit in reading.limits:
        if limit.of_area or _is_share(reading, limit):
            reading.put("share_threshold", limit.threshold, limit.words)
            continue
        if (unmet := _unmet(reading, limit)) is not None:
            reading.unmet.append(unmet)
            continue
        subject = attach(limit, reading.subjects, reading.text)
        quantity = limit.suggested if subject is None else subject.quantity
        threshold = _with_unit(limit, quantity)
        if quantity is None or (main is not None and quantity == main.quantity and "threshold" not in reading.slots):
            reading.put("threshold", threshold, limit.words)
            reading.put("side", threshold.side, limit.words, not limit.side_said)
        else:
            conditions.append((quantity, threshold))
            condition_words.append(limit.words)
    if "threshold" in reading.slots and main is not None and len(conditions) == 1:
        conditions = _as_range(reading, main.quantity, conditions)
    note = ""
    ground = _ground_by_name(reading, conditions)
    if ground is not None and ground.feature is not None and ground.feature.threshold is not None:
        threshold, note = _as_threshold(ground.feature.threshold), ground.feature.source or ""
        conditions, condition_words = [*conditions, (ground.quantity, threshold)], [*condition_words, ground.words]
    if conditions:
        reading.put("conditions", tuple(conditions), ", ".join(condition_words), note=note)
    _usual_limit(reading, main)


def _ground_by_name(reading: Reading, conditions: Sequence[tuple[str, Threshold]]) -> Subject | None:
    """Terrain that a quantity is wanted of, which no map of classes has: it is where its usual limit holds.

    None, too, where the limit is said: "NDVI on steep slopes (over 20 degrees)".
    """
    place = reading.slots.get("class")
    for subject in reading.subjects if place is not None else ():
        feature = subject.feature
        if subject.words.lower().startswith("how "):
            continue  # "is there a trend, and how steep is it" asks for a degree
        if feature is None or place is None or (feature.class_, subject.words) != (place.value, place.words):
            continue
        if quantity_kind(subject.quantity).family != "terrain" or subject.quantity == reading.slots["quantity"].value:
            continue
        limited = any(quantity == subject.quantity for quantity, _ in conditions)
        told = _OPENED.match(reading.text, subject.past)
        if not limited and told and any(told.end() <= limit.first < told.end() + _REACH for limit in reading.limits):
            continue  # "spectrally flat (emissivity contrast below 0.03)" is told by another quantity
        del reading.slots["class"]
        return None if limited else subject
    return None


def _unmet(reading: Reading, limit: Limit) -> Unmet | None:
    """What no step takes as a limit: what lies outside of two, or so far from the mean."""
    before, base = reading.text[: limit.first], limit.threshold.relative_to
    said = _OUTSIDE.search(before)
    if limit.threshold.side == "between" and (said or _DENIED.match(limit.words)):
        why = "is what lies outside of two limits, which no step takes together"
        hint = "ask for what is below the lower one, and for what is above the upper one"
    elif base is not None and (said := _far_from().search(before)):
        why, hint = f"is told by how far it is from the {base}, which no step does", "give the limit as a number"
    else:
        return None
    return Unmet(f"{said.group() if said else ''}{limit.words}", why, hint)


@kept()
def _far_from() -> re.Pattern[str]:
    """What stands before "above the mean" where it is so far from it: an amount, and no date and no name of a band."""
    units = {phrase for entry in lexicon().units for phrase in (*entry.phrases, *entry.exact)} - {"%", "percent"}
    amount = rf"(?<![\w.,])(?:\d+(?:\.\d+)?\s*{one_of(units)}|\d*\.\d+)"
    return any_of(rf"(?:{amount}|\bstandard\s+deviations?|\bsigmas?)\s+$")


def _as_range(reading: Reading, quantity: str, conditions: list[tuple[str, Threshold]]) -> list[tuple[str, Threshold]]:
    """Two limits on one quantity that "and" joins are a range: "at least 5 m and at most 15 m"."""
    (other, second), first = conditions[0], reading.slots["threshold"]
    low, high = (first.value, second) if first.value.side == "above" else (second, first.value)
    both = [limit for limit in reading.limits if limit.threshold in (first.value, second)]
    if len(both) != 2:  # one is told twice, or in degrees that are left open
        return conditions
    one, two = both
    joined = _JOINED.fullmatch(reading.text[one.past : two.first]) is not None
    if other != quantity or not joined or (low.side, high.side) != ("above", "below") or low.unit != high.unit:
        return conditions
    if low.value >= high.value or None not in (low.relative_to, high.relative_to):
        return conditions
    words = reading.text[one.first : two.past].strip()
    reading.slots["threshold"] = Slot(Threshold(low.value, low.unit, "between", high.value), words)
    reading.slots["side"] = Slot("between", words)
    return []


def _is_share(reading: Reading, limit: Limit) -> bool:
    """A percentage beside a limit on the quantity itself: "at least 30 % had more than 315 K"."""
    plain = [other for other in reading.limits if other.threshold.unit != "%" and other.threshold.relative_to is None]
    return (
        limit.threshold.unit == "%" and limit.threshold.relative_to is None and bool(plain) and limit.suggested is None
    )


def _with_unit(limit: Limit, quantity: str | None) -> Threshold:
    """ "degrees" of a temperature may be Celsius or Fahrenheit: left open."""
    threshold = limit.threshold
    thermal = quantity is not None and "temperature" in quantity
    if threshold.unit == "degree" and thermal:
        return Threshold(threshold.value, None, threshold.side, threshold.upper, threshold.relative_to)
    return threshold


def _usual_limit(reading: Reading, main: Subject | None) -> None:
    """The limit that usually tells the thing on the ground, where one is needed and none is said."""
    if main is None or main.feature is None or main.feature.threshold is None or "threshold" in reading.slots:
        return
    wanted = {one.operation for one in reading.asked}
    if reading.operation in ("spikes", "extreme_date"):
        wanted.discard("count")
    only_numbers = bool(reading.asked) and all(one.rank == "statistic" for one in reading.asked)
    if (main.feature.loose and not wanted & NEEDS_LIMIT) or only_numbers:
        return
    limit = main.feature.threshold
    reading.put("threshold", _as_threshold(limit), main.words, True, main.feature.source)
    reading.put("side", limit.side, main.words, True)


def _as_threshold(usual: UsualLimit) -> Threshold:
    return Threshold(usual.value, usual.unit, usual.side, usual.upper)
