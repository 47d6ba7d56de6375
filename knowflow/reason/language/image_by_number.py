"""What a number of the question makes of the numbers that are measured on photographs: a product, or a quotient.

So much for each thing ("each holds 5000 tonnes") or each square metre, so many a month, an area times a height that is
told, or what the question says to multiply or divide by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from knowflow.knowledge.words import NUMBER_WORDS
from knowflow.model.goal import Slot
from knowflow.reason.language import image_number_words as numbers
from knowflow.reason.language import image_things as things
from knowflow.reason.language import image_words as words
from knowflow.reason.language.image_seen import Seen

# the mean area of one thing, by what is measured of all
OF_EACH = {
    "object_area": "object_mean_area",
    "box_area": "box_mean_area",
    "building_area": "building_mean_area",
    "lost_area": "lost_mean_area",
    "mask_area": "mask_mean_area",
}
# already the quotient of what was lost and what there was
PARTS = frozenset({"lost_part_count", "lost_part_area"})
_COUNTED = frozenset({"object_count", "building_count", "lost_count"})
# what a step that the question names at its end may have become
_CARRIED: Mapping[str, frozenset[str]] = {
    "multiply": frozenset({"product", "percent", "percent_change", "distance"}),
    "divide": frozenset(
        {"quotient", "ceiling_quotient", "ratio", "range_ratio", "percent", "percent_change", "variation", "mean"}
        | {*OF_EACH.values(), *PARTS}
    ),
    "subtract": frozenset(
        {"difference", "range", "percent_change", "lost_area", "lost_count", "lost_mean_area"} | PARTS
    ),
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the question, in its words, and what is made with it; ``at_last``: of what all else comes to."""

    value: float
    said: str
    how: str
    at_last: bool = False

    def slots(self) -> dict[str, Slot]:
        return {"reference": Slot(self.value, self.said), "by": Slot(self.how, self.said)}


def by_number(seen: Seen, measured: str) -> Number | None:
    """What a number of the question makes of what is measured; None where it tells none."""
    return _quotient(seen, measured) or _product(seen, measured)


def told_by_volume_or_area(seen: Seen) -> bool:
    """Whether so much for each square metre is told, or a height where a volume is asked for: areas are measured."""
    return _per_area(seen) is not None or _height(seen) is not None


def volume(seen: Seen) -> str:
    """The words that ask for a volume, if there are any."""
    match = numbers.VOLUME.search(words.QUOTED.sub("", seen.text))
    return "" if match is None else match.group()


def steps_left_out(seen: Seen, slots: Mapping[str, Slot]) -> str:
    """The words of what the question says to do with a number at last, where nothing of the goal does it."""
    made = {str(slots[name].value) for name in ("by", "compared", "measure", "statistic") if name in slots}
    found = (
        match.group()
        for name, pattern in numbers.LAST_STEPS.items()
        for match in list(pattern.finditer(seen.text))[-1:]
        if not made & _CARRIED[name]
    )
    return "; ".join(found)


def _quotient(seen: Seen, measured: str) -> Number | None:
    text = seen.text
    if reference := things.reference_area(text):
        whole = seen.says(words.FIT) and not (seen.says(words.CONVERTED) or seen.says(numbers.ROUNDED_UP))
        return _number(reference["n"], reference.group(), "quotient" if whole else "ceiling_quotient")
    if seen.says(numbers.DENSITY) and (reference := numbers.COVERS.search(text)):
        return _number(reference["n"], reference.group(), "quotient")
    if measured in _COUNTED and (reference := numbers.COPES_WITH.search(text)) and seen.says(words.COUNT):
        return _number(reference["n"] or reference["m"], reference.group(), "ceiling_quotient")
    if measured in _COUNTED | OF_EACH.keys() and (reference := numbers.DIVIDED_BY.search(text)):
        how = "ceiling_quotient" if seen.says(numbers.ROUNDED_UP) else "quotient"
        return _number(reference["n"] or reference["m"] or reference["k"], reference.group(), how)
    timed = measured == "lost_count" or (measured in _COUNTED and seen.says(words.TIME_ASKED))
    if timed and (reference := numbers.RATE.search(text)):
        return _number(reference["n"] or reference["m"], reference.group(), "ceiling_quotient")
    return None


def _product(seen: Seen, measured: str) -> Number | None:
    if measured in PARTS and (percent := numbers.IN_PERCENT.search(seen.text)):
        return Number(100.0, percent.group(), "product", at_last=True)
    if height := _height(seen):
        return height
    if (times := numbers.MULTIPLIED.search(seen.text)) and measured != "distance":
        value = _value(times["n"] or times["m"] or times["times"]) * (0.01 if times["percent"] else 1)
        if value != 100 or not seen.says(numbers.PERCENT):
            return Number(value, times.group(), "product", at_last=True)
    if measured in PARTS or measured in OF_EACH.values():
        return None
    if amount := _per_area(seen):
        return amount
    if each := numbers.EACH_COSTS.search(seen.text):
        return _number(each["n"] or each["m"] or each["given"] or each["cost"], each.group(), "product")
    return None


def _per_area(seen: Seen) -> Number | None:
    """So much for each square metre; what is told for each hectare is made so."""
    told = numbers.PER_AREA.search(seen.text)
    if told is None:
        return None
    area = told["area"].casefold()
    size = next((size for start, size in numbers.AREAS.items() if area.startswith(start)), 1.0)
    return Number(_value(told["n"]) / size, told.group(), "product")


def _height(seen: Seen) -> Number | None:
    """The height in metres that a volume is told by: of the things, not of the camera."""
    asked = seen.says(numbers.VOLUME) or seen.says(numbers.OF_WHAT_HOLDS) or seen.says(numbers.MULTIPLIED)
    if not asked or numbers.EACH_COSTS.search(seen.text):
        return None
    for match in _heights(seen.text):
        unit = match["unit"].casefold()
        size = next((size for start, size in numbers.METRES.items() if unit.startswith(start)), 1.0)
        return Number(_value(match["n"]) * size, match.group(), "product")
    return None


def _heights(text: str) -> Iterator[re.Match[str]]:
    for pattern in numbers.HEIGHTS:
        yield from (
            match for match in pattern.finditer(text) if not numbers.OF_THE_CAMERA.search(text[: match.start()])
        )


def _number(number: str, said: str, how: str) -> Number:
    return Number(_value(number), said, how)


def _value(number: str) -> float:
    return float(NUMBER_WORDS.get(number.casefold()) or number)
