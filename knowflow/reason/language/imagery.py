"""What is asked of photographs from above: which scene, which things, how many, how large, how far apart, what is gone.

Such images have no bands and no dates: what counts is the thing asked about, what is measured of it on every image, and
how the numbers compare. Which things and which networks there are, and their names, is knowledge of a pack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowflow.model.goal import QueryGoal, Slot
from knowflow.reason.language import image_things as things
from knowflow.reason.language import image_words as words
from knowflow.reason.language.label_sets import LabelSet, label_set
from knowflow.reason.language.numerals import NUMBER_WORDS

# what is built where a question about built-up areas names nothing else
_BUILT = "building"
# by what a network of each kind is named in a goal
_NETWORK_SLOTS = {"scene_class": "classifier", "boxes": "detector"}


# what is asked of things, which have to be named
_OF_THINGS = frozenset(
    {
        *("object_boxes", "object_centre", "boxes_of_pair", "buffer"),
        *("object_count", "object_area", "object_share", "box_area", "zone_area", "distance"),
    }
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A question about photographs, with what was recognised in it before the question what it asks.

    ``text`` is without the list of classes, if there is one; ``pairs`` how many images of before have one of after.
    """

    text: str
    thing: tuple[str, str] | None
    network: tuple[str, str] | None
    pairs: int
    scene: bool
    buildings_counted: bool

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether the question itself says so, not a description that it quotes."""
        return pattern.search(words.QUOTED.sub("", self.text)) is not None

    def last(self, pattern: re.Pattern[str]) -> int:
        """Where the question says so for the last time, which is what it comes to; -1 where it does not."""
        return max((match.start() for match in pattern.finditer(self.text)), default=-1)

    def works_by(self, kind: str) -> bool:
        """Whether a network of this kind is named."""
        return self.network is not None and self.network[1] == kind

    @property
    def of_buildings(self) -> bool:
        return self.thing is None or self.thing[0] == _BUILT


def understand_images(
    text: str,
    objects: Mapping[str, Sequence[str]],
    networks: Mapping[str, str] | None = None,
    scenes: Sequence[str] = (),
    pairs: int = 0,
) -> QueryGoal:
    """The goal of a question about photographs.

    ``objects`` are the things known, with their other names; ``networks`` the kinds of work that networks do, by the
    name of each; ``scenes`` what whole images show; ``pairs`` of how many places there are images of before and after.
    """
    names = [name for one, others in objects.items() for name in (one, *others)]
    labels = label_set(text, scenes, names)
    asked = text if labels is None else labels.without(text)
    network = things.network_named(asked, networks or {})
    thing = things.thing_named(asked.replace("-", " "), objects)
    scene = labels is not None or things.scene_told(asked, scenes, names)
    seen = _Seen(asked, thing, network, pairs, scene, things.counts(asked, (_BUILT, *objects.get(_BUILT, ()))))
    return QueryGoal(text, _slots(seen, labels))


def _slots(seen: _Seen, labels: LabelSet | None) -> dict[str, Slot]:
    operation = _operation(seen)
    text, network = seen.text, seen.network
    slots: dict[str, Slot] = {"quantity": Slot("image", default=True)}
    if operation == "scene_class":
        slots |= _classes(text, labels)
    elif named := seen.thing or things.unknown_thing(text):
        slots["object"] = Slot(*named)
    if network is not None and network[1] in _NETWORK_SLOTS:
        slots[_NETWORK_SLOTS[network[1]]] = Slot(network[0], network[0])
    slots |= _scales(text) | _places(seen, operation)
    if operation == "image_numbers":
        measure = _measure(seen)
        slots["measure"] = Slot(measure)
        if measure in ("object_area", "box_area") and "object" not in slots:
            slots["object"] = Slot(_BUILT, default=True, note="what is built, where the question names nothing else")
        slots |= _compared(seen, measure) | _measured_by(seen, measure)
    if operation == "image_colours" and (colours := words.COLOUR_MAP.search(text)):
        slots["colours"] = Slot(colours["name"].lower(), colours.group())
    if operation == "image_mask" or slots.get("measure", Slot("")).value in ("pixel_count", "mask_area", "mask_count"):
        slots |= _limit(text)
    slots["operation"] = Slot(operation)
    slots["operations"] = Slot((operation,))
    return slots


def _classes(text: str, labels: LabelSet | None) -> dict[str, Slot]:
    """The classes that are listed, and the one of them that is asked for."""
    if labels is None:
        return {}
    asked = labels.named(text)
    listed = {"labels": Slot(labels.labels, ", ".join(labels.labels))}
    return listed if asked is None else {**listed, "label": Slot(asked, asked)}


def asks_unmeasured(goal: QueryGoal) -> bool:
    """Whether a question asks of things on images what no image from above tells: their height, owner or colour."""
    text = words.QUOTED.sub("", goal.text)
    return words.UNMEASURED.search(text) is not None and goal.value("measure") != "distance"


def lacks_object(goal: QueryGoal) -> bool:
    """Whether a question about photographs does not say what is to be counted or found on them."""
    asked = {goal.value("operation"), goal.value("measure")} & _OF_THINGS
    return bool(asked) and goal.value("object") is None and goal.value("described") is None


def _operation(seen: _Seen) -> str:
    """What is handed back: scenes before pairs, pairs before places, places before boxes, else numbers."""
    if seen.says(words.COLOURS):
        return "image_colours"
    if seen.scene or seen.works_by("scene_class") or seen.says(words.SCENES):
        return "scene_class"
    if _changed(seen):
        return "image_numbers"
    if seen.says(words.DISTANCE):
        return "boxes_of_pair" if _two_are_wanted(seen) else "image_numbers"
    sized = words.AREA.search(words.CENTRE.sub("", seen.text)) is not None
    if seen.says(words.CENTRE):
        return "object_centre"
    if seen.says(words.GROWN):
        return "image_numbers" if seen.says(words.ZONES) else "buffer"
    if _masked(seen):
        counted = sized or seen.says(words.STRUCTURES) or seen.says(words.COUNT)
        return "image_numbers" if counted else "image_mask"
    told = seen.says(words.BOXES_ASKED) or seen.works_by("described")
    detected = seen.says(words.DETECT) and (seen.says(words.BOXES) or seen.works_by("boxes"))
    if (told or detected) and not sized and not seen.says(words.RANKED):
        return "object_boxes"
    return "image_numbers"


def _two_are_wanted(seen: _Seen) -> bool:
    """Whether the two that are nearest or farthest are to be told, not how far apart they are."""
    if seen.says(words.GSD):
        return False
    length, boxes = seen.last(words.LENGTH_ASKED), seen.last(words.BOXES_ASKED)
    if max(length, boxes) >= 0:
        return boxes > length
    return (seen.says(words.BOXES) and not seen.says(words.BOXES_AS_MEANS)) or seen.says(words.WHICH_TWO)


def _changed(seen: _Seen) -> bool:
    """Whether a question is about what happened to buildings between two images."""
    if seen.works_by("change"):
        return True
    if not seen.of_buildings or seen.says(words.LIMIT):
        return False
    if seen.says(words.HARM) or seen.says(words.RECOVERY):
        return True
    if not seen.pairs or seen.says(words.STATE):
        return False
    return seen.thing is not None or seen.says(words.GONE) or seen.says(words.TIME_ASKED)


def _masked(seen: _Seen) -> bool:
    """Whether a limit of brightness makes the mask, or tells which pixels count."""
    by_limit = seen.says(words.MASK) or seen.says(words.PIXELS_COUNTED)
    return seen.says(words.LIMIT) and by_limit and (seen.thing is None or "threshold" in seen.text.casefold())


def _measure(seen: _Seen) -> str:
    """What is measured on every image."""
    text, sized = seen.text, seen.says(words.AREA) or seen.says(words.IN_PIXELS)
    if _changed(seen):
        by_area = _told_by_area(seen, sized)
        if seen.says(words.PERCENT) and seen.pairs:  # of what was there before
            return "building_area" if by_area else "building_count"
        return "lost_area" if by_area else "lost_count"
    if seen.says(words.DISTANCE):
        return "distance"
    if seen.says(words.GROWN):
        return "zone_area"
    if _masked(seen):
        if seen.says(words.PIXELS_COUNTED) and not seen.says(words.MASK):
            return "pixel_count"
        return "mask_area" if sized else "mask_count"
    if seen.says(words.COVERED_SHARE):
        return "building_share" if seen.of_buildings else "object_share"
    measured = seen.says(words.BY_AREA) or (sized and words.RANKED.search(text.split("(")[0]) is None)
    if things.reference_area(text) or (measured and seen.says(words.BOXES)):
        return "box_area"
    if (measured or seen.works_by("masks")) and not seen.says(words.DENSITY):
        return "building_area" if seen.thing is not None and seen.thing[0] == _BUILT else "object_area"
    return "object_count"


def _told_by_area(seen: _Seen, sized: bool) -> bool:
    """Whether a loss is told by its area: where it says so, and where places are compared and nothing is counted."""
    if seen.buildings_counted or words.EACH_COSTS.search(seen.text):
        return False
    if seen.says(words.TIME_ASKED) and seen.says(words.RECOVERY):
        return False
    return sized or (seen.pairs > 1 and seen.says(words.DEGREE))


def _compared(seen: _Seen, measure: str) -> dict[str, Slot]:
    """How the numbers are compared with one another, or with a number of the question."""
    text = seen.text
    if reference := things.reference_area(text):
        whole = seen.says(words.FIT) and not seen.says(words.CONVERTED)
        return _with_reference(reference["n"], reference.group(), "quotient" if whole else "ceiling_quotient")
    if seen.says(words.DENSITY) and (reference := words.COVERS.search(text)):
        return _with_reference(reference["n"], reference.group(), "quotient")
    if measure == "lost_count" and (reference := words.RATE.search(text)):
        return _with_reference(reference["n"] or reference["m"], reference.group(), "ceiling_quotient")
    if words.SIZE_OF_EACH.search(text) and measure in ("box_area", "object_area"):
        return {"compared": Slot("per_object", "average")}
    if reference := words.EACH_COSTS.search(text):
        return _with_reference(reference["n"] or reference["m"] or reference["cost"], reference.group(), "product")
    patterns = {
        "percent_change": words.PERCENT,
        "ratio": words.TIMES,
        "difference": words.APART_BY,
        "mean": words.MEAN_OF_IMAGES,
    }
    for name, pattern in patterns.items():
        if measure != "distance" and (match := pattern.search(text)):
            return {"compared": Slot(name, match.group())}
    return {}


def _with_reference(number: str, said: str, compared: str) -> dict[str, Slot]:
    value = float(NUMBER_WORDS.get(number.casefold()) or number)
    return {"reference": Slot(value, said), "compared": Slot(compared, said)}


def _measured_by(seen: _Seen, measure: str) -> dict[str, Slot]:
    """What a distance is of: the two nearest or farthest, or how much farther these are than those."""
    if measure != "distance":
        return {}
    both = seen.says(words.FAR) and seen.says(words.NEAR)
    statistic = Slot("range") if both else _extreme(seen)
    return {"statistic": statistic, **({"in_pixels": Slot(True)} if seen.says(words.IN_PIXELS) else {})}


def _scales(text: str) -> dict[str, Slot]:
    """Metres a pixel: of all images, or of each."""
    found: dict[str, Slot] = {}
    if gsd := words.GSD.search(text):
        found["gsd"] = Slot(float(gsd["a"] or gsd["b"]), gsd.group())
    each = list(words.GSD_OF_EACH.finditer(text))
    if len(each) > 1:
        found["gsds"] = Slot(tuple(float(match["n"]) for match in each), ", ".join(match.group() for match in each))
    return found


def _places(seen: _Seen, operation: str) -> dict[str, Slot]:
    """Where: the object in the words of the question, the pair that is meant, the radius about it."""
    found: dict[str, Slot] = {}
    if operation == "boxes_of_pair":
        found["statistic"] = _extreme(seen)
    grown = words.GROWN.search(seen.text)
    if grown and operation in ("buffer", "image_numbers"):
        found["radius"] = Slot(float(grown["radius"] or grown["before"]), grown.group())
    placed = operation in ("object_centre", "object_boxes") and seen.says(words.DESCRIBED)
    one = things.one_is_meant(seen.text, seen.thing, seen.says(words.DISTANCE))
    if (placed or seen.works_by("described") or one) and (described := things.description(seen.text, seen.thing)):
        found["described"] = Slot(described, described)
    return found


def _extreme(seen: _Seen) -> Slot:
    """Which of all pairs is meant: the farthest where it is said, else the nearest."""
    return Slot("maximum" if seen.says(words.FAR) else "minimum")


def _limit(text: str) -> dict[str, Slot]:
    match = words.LIMIT.search(text)
    number = None if match is None else match["a"] or match["b"] or match["c"]
    return {} if match is None or number is None else {"limit": Slot(float(number), match.group())}
