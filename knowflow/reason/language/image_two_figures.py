"""Two figures of one kind of thing: "the area of the damaged buildings, and their number"."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.model.goal import Slot
from knowflow.reason.language import image_number_words as numbers
from knowflow.reason.language import image_words as words
from knowflow.reason.language.image_numbers import area_measured
from knowflow.reason.language.image_seen import Seen
from knowflow.reason.language.patterns import any_of

# the number of what an area may be told of
_NUMBER_OF = {
    **dict.fromkeys(("object_area", "object_count"), "object_count"),
    **dict.fromkeys(("box_area", "building_area"), "object_count"),
    **dict.fromkeys(("lost_area", "lost_count"), "lost_count"),
}
_AREA = (
    r"(?:(?<!the )(?<!an )(?<!of )(?:surface |ground |built-?up )?(?:areas?|footprints?)(?! (?:shown|with))"
    r"|(?:the|their|its|total|what|\w+ing) (?:[\w-]+ ){0,3}?(?:areas?|footprints?)"
    r"|how (?:large|big)|how much (?:ground|land|space|area)|how many square (?:kilo)?met(?:er|re)s)"
)
_NUMBER = (
    r"(?:(?:the |their |its |a )(?:total )?(?:numbers?|counts?|tally)"
    r"|how many (?!square|hectares|pixels|met(?:er|re)s|times)|count(?:ing)? (?:all|the (?!area)|how|them|these|those))"
)
_THEN = r"(?:[^.?;]|\.(?=\d))*?(?:,|;|\.|\?|\b(?:and|as well as|plus|also|along with|together with)\b)\s*"
_LEADS = (
    r"(?:(?:and|as well as|also|then|finally|with|give|report|state|tell|determine|calculate|compute|get|estimate"
    r"|measure|find|work out|of) )*(?:me )?"
)
_AREA_FIRST = any_of(rf"\b{_AREA}\b{_THEN}{_LEADS}{_NUMBER}\b")
_NUMBER_FIRST = any_of(
    rf"\b{_NUMBER}\b{_THEN}{_LEADS}{_AREA}\b",
    r"\bnumbers? and (?:the )?(?:total )?(?:areas?|footprints?)\b",
)
# what makes one figure of the two, or only ranks by one of them
_MADE_OF_BOTH = (
    *(numbers.TIMES, numbers.APART_BY, numbers.PERCENT, numbers.DENSITY, numbers.SIZE_OF_EACH, numbers.DIVIDED_BY),
    *(numbers.MULTIPLIED, numbers.RATE_OF_AREA, numbers.COVERS, words.DEGREE, words.COVERED_SHARE, words.DISTANCE),
    any_of(r"\b(?:per|each|than|which|average|mean|densit\w+|divid\w+|rank|sort|compare)\b"),
)


def with_two_figures(seen: Seen, slots: Mapping[str, Slot]) -> dict[str, Slot]:
    """The slots of area and number in the order in which they are asked for; none where one of them is asked for."""
    measured = str(slots["measure"].value)
    alone = not {"by", "compared", "base"} & slots.keys() and seen.kinds is None and seen.ends is None
    if measured not in _NUMBER_OF or not alone or seen.listed or any(seen.says(one) for one in _MADE_OF_BOTH):
        return {}
    first = next((one for one in (_AREA_FIRST, _NUMBER_FIRST) if seen.says(one)), None)
    if first is None:
        return {}
    number = _NUMBER_OF[measured]
    area = area_measured(seen) if measured == number else measured
    pair = (area, number) if first is _AREA_FIRST else (number, area)
    return {"measure": Slot(pair[0]), "second_measure": Slot(pair[1])}
