"""What is measured on photographs, and how the numbers compare: with one another, or with a number of the question."""

from __future__ import annotations

import re
from dataclasses import replace

from knowflow.model.goal import Slot
from knowflow.reason.language import image_number_words as numbers
from knowflow.reason.language import image_things as things
from knowflow.reason.language import image_words as words
from knowflow.reason.language.image_by_number import OF_EACH, PARTS, by_number, told_by_volume_or_area
from knowflow.reason.language.image_seen import BUILT, Seen

_ASIDE = re.compile(r"\([^()]*\)")
# what one image shows, which may be compared with what it shows at another time
_OF_ONE_TIME = frozenset({"object_count", "object_area", "box_area", "building_count", "building_area"})
# comparisons that tell the unit of what is compared: of the others a number of each thing makes nothing else
_OF_SAME_UNIT = frozenset({"difference", "mean", "range", "each"})


def measure(seen: Seen) -> str:
    """What is measured on every image: of all things, or of one of them in the mean."""
    each = seen.kinds is None and seen.says(numbers.SIZE_OF_EACH) and not seen.says(numbers.OVER_IMAGES)
    whole = _measure(seen, each or told_by_volume_or_area(seen))
    return OF_EACH.get(whole, whole) if each else whole


def area_measured(seen: Seen) -> str:
    """What is measured where the area is asked for, whatever else is."""
    return _measure(seen, True)


def measures_of_two(seen: Seen) -> tuple[str, str]:
    """What is measured of each of two kinds of thing, or of two things that are described."""
    if seen.kinds is None:
        both = measure(seen)
        both = both if both in ("object_area", "box_area") else "object_area"
        return both, both
    first, second = (replace(seen, thing=thing) for thing in (seen.kinds.first, seen.kinds.second))
    if seen.kinds.each_area:
        return "object_count", _measure(second, True)
    if seen.kinds.each:
        return _measure(first, False), "object_count"
    return _measure(first, seen.kinds.by_area), _measure(second, seen.kinds.by_area)


def _measure(seen: Seen, by_area: bool) -> str:
    text = seen.text
    sized = by_area or seen.says(words.AREA) or seen.says(words.IN_PIXELS) or _told_by_size(seen)
    if seen.changed and seen.kinds is None:
        return _of_change(seen, sized, by_area)
    if seen.says(words.DISTANCE) or (seen.apart and seen.ends is not None):
        return "distance"
    if seen.says(words.GROWN):
        return "zone_area"
    if seen.masked:
        if seen.says(words.PIXELS_COUNTED) and not seen.says(words.MASK):
            return "pixel_count"
        return "mask_area" if sized else "mask_count"
    if seen.says(words.COVERED_SHARE) and not (seen.kinds is not None and seen.kinds.share):
        return "building_share" if seen.of_buildings else "object_share"
    ranked = words.RANKED.search(_ASIDE.sub(" ", text)) is not None
    measured = by_area or seen.says(words.BY_AREA) or (sized and not ranked)
    boxed = seen.says(words.BOXES) and not seen.says(numbers.SEGMENTED)
    measured = measured or bool(things.reference_area(text))
    if measured and boxed:
        return "box_area"
    if (measured or seen.works_by("masks")) and (by_area or not seen.says(numbers.DENSITY)):
        return "building_area" if seen.thing is not None and seen.thing[0] == BUILT else "object_area"
    return "object_count"


def _told_by_size(seen: Seen) -> bool:
    """Whether two things are told to be larger or smaller, and not to be more or fewer."""
    one = things.one_is_meant(seen.text, seen.thing, seen.says(words.DISTANCE))
    return (one or (seen.kinds or seen.ends) is not None) and seen.says(numbers.LARGER) and not seen.says(words.COUNT)


def _of_change(seen: Seen, sized: bool, each: bool) -> str:
    """What is measured of buildings before and after: what was lost, or, in percent, what was there each time."""
    by_area = each or _told_by_area(seen, sized)
    remains = seen.says(numbers.REMAINS)
    if (
        seen.pairs
        and not seen.says(numbers.SIZE_OF_EACH)
        and (seen.says(numbers.LOSS_BY_ALL) or (seen.says(numbers.PART_OF_ALL) and not remains))
    ):
        return "lost_part_area" if by_area else "lost_part_count"
    if remains:
        times = "building" if seen.says(numbers.IN_PERCENT) or seen.says(numbers.PART) else "remaining"
        return f"{times}_{'area' if by_area else 'count'}"
    both_times = seen.says(numbers.PERCENT) or seen.says(numbers.TIMES_AFTER)
    if both_times and seen.pairs and not (seen.pairs > 1 and seen.says(numbers.BASE)):
        return "building_area" if by_area else "building_count"
    if seen.says(words.SHARE_OF_IMAGE):
        return "lost_share"
    return "lost_area" if by_area else "lost_count"


def _told_by_area(seen: Seen, sized: bool) -> bool:
    """Whether a loss is told by its area: where it says so, and where places are compared and nothing is counted."""
    if numbers.RATE_OF_AREA.search(seen.text):
        return True
    if seen.buildings_counted or numbers.EACH_COSTS.search(seen.text) or numbers.COPES_WITH.search(seen.text):
        return False
    if seen.says(words.TIME_ASKED) and seen.says(words.RECOVERY):
        return False
    return sized or (seen.pairs > 1 and seen.says(words.DEGREE))


def compared(seen: Seen, measured: str) -> dict[str, Slot]:
    """How the numbers are compared with one another, and what a number of the question makes of them."""
    number = by_number(seen, measured)
    if number is None:
        return _with_one_another(seen, measured)
    rest = _with_one_another(replace(seen, text=seen.text.replace(number.said, " ", 1)), measured)
    if "compared" not in rest:
        return number.slots()
    how, words = rest["compared"].value, rest["compared"].words
    if number.how != "product":
        return number.slots() | (rest if number.how == "quotient" and how in _OF_SAME_UNIT else {})
    at_last = number.at_last and seen.text.find(number.said) > seen.text.find(words)
    return rest if how not in _OF_SAME_UNIT and not at_last else number.slots() | rest


def before_and_after(seen: Seen, measured: str, slots: dict[str, Slot]) -> bool:
    """Whether what each of several places shows before something is compared with what it shows after."""
    if measured in _OF_ONE_TIME and seen.changed and seen.says(numbers.REMAINS):
        return True
    if seen.pairs < 2 or measured not in _OF_ONE_TIME or seen.says(numbers.BASE):
        return False
    how = slots["compared"].value if "compared" in slots else "each"
    return how in ("difference", "ratio", "percent_change") or seen.says(numbers.CHANGES)


def _with_one_another(seen: Seen, measured: str) -> dict[str, Slot]:
    text = seen.text
    if measured in _OF_ONE_TIME and seen.changed and seen.says(numbers.REMAINS):
        return {"compared": Slot("percent" if seen.says(numbers.IN_PERCENT) else "ratio")}
    if measured == "distance" and (seen.ends is not None or of_both_distances(seen)):
        return {}
    patterns = {
        "variation": numbers.VARIATION,
        "percent_change": numbers.PERCENT,
        "ratio": numbers.TIMES,
        "difference": numbers.APART_BY,
        "mean": numbers.MEAN_OF_IMAGES,
    }
    if measured in OF_EACH.values():
        del patterns["mean"]
    if measured in PARTS | set(OF_EACH.values()) and not numbers.BASE.search(text):
        del patterns["ratio"]
    for name, pattern in patterns.items():
        if match := pattern.search(text):
            return {"compared": Slot(_of_extremes(seen, name), match.group()), **_base(seen, name)}
    if seen.pairs < 1 and seen.says(numbers.BOTH_EXTREMES) and seen.says(numbers.EXCEEDS):
        return {"compared": Slot("range")}
    return {}


def of_both_distances(seen: Seen) -> bool:
    """Whether the largest and the smallest of all distances are both spoken of."""
    return (seen.says(words.FAR) and seen.says(words.NEAR)) or seen.says(words.BOTH_DISTANCES)


def _of_extremes(seen: Seen, how: str) -> str:
    """What is said of the largest and the smallest of all images is of these two."""
    extremes = {"difference": "range", "ratio": "range_ratio"}
    return extremes[how] if how in extremes and seen.kinds is None and seen.says(numbers.BOTH_EXTREMES) else how


def _base(seen: Seen, how: str) -> dict[str, Slot]:
    """Which of two numbers the other is told by: the one after "than", else that of before where there is change."""
    if how not in ("percent_change", "ratio"):
        return {}
    if told := list(numbers.BASE.finditer(seen.text)):
        base = told[-1]
        first = (base["base"] or base["far"] or base["divisor"]).casefold() in ("a", "first", "earlier")
        return {"base": Slot("first" if first else "last", base.group())}
    if how == "ratio" and (times := numbers.TIMES_AFTER.search(seen.text)):
        return {"base": Slot("first" if times["to_before"] else "last", times.group())}
    if how == "ratio" and ((changes := numbers.CHANGES.search(seen.text)) or seen.pairs == 1):
        return {"base": Slot("first", changes.group() if changes else "")}
    return {}


def compared_kinds(seen: Seen) -> dict[str, Slot]:
    """How the numbers of two kinds of thing, or of two things that are described, are compared."""
    text, kinds = seen.text, seen.kinds
    if kinds is not None and kinds.share:
        percent = numbers.IN_PERCENT.search(text)
        return {"compared": Slot("percent" if percent else "ratio", percent.group() if percent else "")}
    patterns = {"percent_change": numbers.PERCENT, "ratio": numbers.TIMES, "difference": numbers.APART_BY}
    for name, pattern in patterns.items():
        if match := pattern.search(text):
            return {"compared": Slot(name, match.group())}
    told = kinds is not None and (kinds.each_area or kinds.each)
    return {"compared": Slot("ratio")} if told else {}
