"""What is asked of photographs from above: which scene, which things, how many, how large, how far apart, what is gone.

Such images have no bands and no dates: what counts is the thing asked about, what is measured of it on every image, and
how the numbers compare. Which things and which networks there are, and their names, is knowledge of a pack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from knowflow.model.goal import QueryGoal, Slot
from knowflow.reason.language import image_by_number as by_number
from knowflow.reason.language import image_number_words as numbers
from knowflow.reason.language import image_numbers as measuring
from knowflow.reason.language import image_things as things
from knowflow.reason.language import image_words as words
from knowflow.reason.language.image_moments import moment_told
from knowflow.reason.language.image_pairs import kinds_compared, kinds_listed, two_described
from knowflow.reason.language.image_seen import BUILT, Seen
from knowflow.reason.language.image_two_figures import with_two_figures
from knowflow.reason.language.label_sets import LabelSet, label_set

# by what a network of each kind is named in a goal
_NETWORK_SLOTS = {"scene_class": "classifier", "boxes": "detector"}
_BLANKS = re.compile(r"\s{2,}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
# what is measured of what is brighter than a limit
_OF_MASKS = frozenset({"pixel_count", "mask_area", "mask_mean_area", "mask_count"})
# what is asked of things, which have to be named
_OF_THINGS = frozenset(
    {
        *("object_boxes", "object_centre", "boxes_of_pair", "buffer"),
        *("object_count", "object_area", "object_share", "box_area", "zone_area", "distance"),
        *("object_mean_area", "box_mean_area"),
    }
)


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
    read = _BLANKS.sub(lambda match: "\n" if "\n" in match.group() else " ", text)
    labels = label_set(read, scenes, names)
    asked = _THOUSANDS.sub("", read if labels is None else labels.without(read))
    moment = moment_told(asked)
    if moment is not None:
        asked, pairs = moment.text, 0
    network = things.network_named(asked, networks or {})
    thing = things.thing_named(asked.replace("-", " "), objects)
    scene = labels is not None or things.scene_told(asked, scenes, names)
    seen = Seen(asked, thing, network, pairs, scene, things.counts(asked, (BUILT, *objects.get(BUILT, ()))))
    slots = _slots(_with_two(seen, objects), labels)
    if moment is not None:
        slots["moment"] = Slot(moment.name, moment.said)
    return QueryGoal(text, slots)


def _with_two(seen: Seen, objects: Mapping[str, Sequence[str]]) -> Seen:
    """The question with the two kinds of thing that it compares, or the two things that it describes."""
    if seen.changed or seen.scene:
        return seen
    apart = seen.says(words.DISTANCE) or seen.says(numbers.METRES_ASKED)
    if (ends := two_described(seen.text, objects, apart)) is not None:
        return replace(seen, ends=ends, apart=apart)
    plain = words.QUOTED.sub("", seen.text).replace("-", " ")
    if listed := kinds_listed(plain, objects):
        return replace(seen, listed=listed)
    return replace(seen, kinds=kinds_compared(plain, objects))


def _slots(seen: Seen, labels: LabelSet | None) -> dict[str, Slot]:
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
    if operation == "numbers_of_two":
        slots |= _of_two(seen)
    if operation == "image_numbers":
        measure = measuring.measure(seen)
        slots["measure"] = Slot(measure)
        if measure in ("object_area", "box_area") and "object" not in slots:
            slots["object"] = Slot(BUILT, default=True, note="what is built, where the question names nothing else")
        slots |= measuring.compared(seen, measure) | _measured_by(seen, measure)
        if measuring.before_and_after(seen, measure, slots):
            operation = "numbers_before_and_after"
        elif seen.listed and measure in ("object_count", "object_area", "box_area"):
            operation = "numbers_of_kinds"
            slots["objects"] = Slot(seen.listed, ", ".join(seen.listed))
        elif two := with_two_figures(seen, slots):
            operation = "numbers_of_two"
            slots |= two | ({"second_object": slots["object"]} if "object" in slots else {})
    if (asked := by_number.volume(seen)) and slots.get("by", Slot("")).value != "product":
        slots["volume"] = Slot(True, asked)
    if left := by_number.steps_left_out(seen, slots):
        slots["last_step"] = Slot(left, left)
    if operation == "object_centre" and (boxes := words.BOX_MEASURED.search(text)):
        slots["boxes_measured"] = Slot(True, boxes.group())
    if operation == "image_colours" and (colours := words.COLOUR_MAP.search(text)):
        slots["colours"] = Slot(colours["name"].lower(), colours.group())
    if operation == "image_mask" or slots.get("measure", Slot("")).value in _OF_MASKS:
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


def lacks_height(goal: QueryGoal) -> bool:
    """Whether a volume is asked for, and nothing tells the height that an area is to be multiplied by."""
    return goal.value("volume") is not None


def between_kinds(goal: QueryGoal) -> bool:
    """Whether a distance is asked for of things of two kinds, of which nobody says which single ones are meant."""
    pair = goal.value("measure") == "distance" or goal.value("operation") == "boxes_of_pair"
    return pair and goal.value("second_object") is not None


def lacks_object(goal: QueryGoal) -> bool:
    """Whether a question about photographs does not say what is to be counted or found on them."""
    asked = {goal.value("operation"), goal.value("measure")} & _OF_THINGS
    return bool(asked) and goal.value("object") is None and goal.value("described") is None


def _operation(seen: Seen) -> str:
    """What is handed back: scenes before pairs, pairs before places, places before boxes, else numbers."""
    if seen.says(words.COLOURS):
        return "image_colours"
    if seen.scene or seen.works_by("scene_class") or seen.says(words.SCENES):
        return "scene_class"
    if seen.changed:
        return "image_numbers"
    if seen.ends is not None and seen.apart:
        return "image_numbers"
    if seen.says(words.DISTANCE):
        return "boxes_of_pair" if _two_are_wanted(seen) else "image_numbers"
    sized = words.AREA.search(words.CENTRE.sub("", seen.text)) is not None
    if seen.ends is not None and (sized or seen.says(numbers.LARGER)):
        return "numbers_of_two"
    if seen.says(words.CENTRE):
        return "object_centre"
    if seen.says(words.GROWN):
        return "image_numbers" if seen.says(words.ZONES) else "buffer"
    if seen.masked:
        counted = sized or seen.says(words.STRUCTURES) or seen.says(words.COUNT)
        return "image_numbers" if counted else "image_mask"
    told = seen.says(words.BOXES_ASKED) or seen.works_by("described")
    detected = seen.says(words.DETECT) and (seen.says(words.BOXES) or seen.works_by("boxes"))
    if (told or detected) and not sized and not seen.says(words.RANKED):
        return "object_boxes"
    if seen.ends is not None:
        return "object_boxes"
    return "image_numbers" if seen.kinds is None else "numbers_of_two"


def _of_two(seen: Seen) -> dict[str, Slot]:
    """What is measured of two kinds of thing, or of two things that are described, and how it is compared."""
    first, second = measuring.measures_of_two(seen)
    slots = {"measure": Slot(first), "second_measure": Slot(second)} | measuring.compared_kinds(seen)
    if seen.ends is not None:
        return slots if seen.thing is None else {**slots, "second_object": Slot(*seen.thing)}
    if seen.kinds is not None:
        slots |= {"object": Slot(*seen.kinds.first), "second_object": Slot(*seen.kinds.second)}
    return slots


def _described(ends: tuple[str, str]) -> dict[str, Slot]:
    return {"described": Slot(ends[0], ends[0]), "second_described": Slot(ends[1], ends[1])}


def _two_are_wanted(seen: Seen) -> bool:
    """Whether the two that are nearest or farthest are to be told, not how far apart they are."""
    if seen.says(words.GSD):
        return False
    length, boxes = seen.last(words.LENGTH_ASKED), seen.last(words.BOXES_ASKED)
    if max(length, boxes) >= 0:
        return boxes > length
    return (seen.says(words.BOXES) and not seen.says(words.BOXES_AS_MEANS)) or seen.says(words.WHICH_TWO)


def _measured_by(seen: Seen, measure: str) -> dict[str, Slot]:
    """What a distance is of: the two nearest or farthest, how much farther these are than those, or two that are
    described."""
    if measure != "distance":
        return {}
    pixels = seen.says(words.IN_PIXELS) and not seen.says(words.IN_METRES_AFTER)
    in_pixels = {"in_pixels": Slot(True)} if pixels else {}
    if seen.ends is not None:
        return {"statistic": Slot("between"), **in_pixels}
    if seen.kinds is not None:
        in_pixels["second_object"] = Slot(*seen.kinds.second)
    both = Slot("range_ratio" if seen.says(numbers.TIMES) else "range")
    return {"statistic": both if measuring.of_both_distances(seen) else _extreme(seen), **in_pixels}


def _scales(text: str) -> dict[str, Slot]:
    """Metres a pixel: of all images, or of each."""
    found: dict[str, Slot] = {}
    if gsd := words.GSD.search(text):
        found["gsd"] = Slot(float(gsd["a"] or gsd["b"] or gsd["c"]), gsd.group())
    each = list(words.GSD_OF_EACH.finditer(text))
    if len(each) > 1:
        found["gsds"] = Slot(
            tuple(float(match["n"] or match["m"]) for match in each), ", ".join(match.group() for match in each)
        )
    return found


def _places(seen: Seen, operation: str) -> dict[str, Slot]:
    """Where: the object in the words of the question, the pair that is meant, the radius about it."""
    found: dict[str, Slot] = {}
    if operation == "boxes_of_pair":
        found["statistic"] = _extreme(seen)
        if seen.kinds is not None:
            found["second_object"] = Slot(*seen.kinds.second)
    grown = words.GROWN.search(seen.text)
    if grown and operation in ("buffer", "image_numbers"):
        found["radius"] = Slot(float(grown["radius"] or grown["before"]), grown.group())
    if seen.ends is not None:
        return found | _described(seen.ends)
    placed = operation in ("object_centre", "object_boxes") and seen.says(words.DESCRIBED)
    one = things.one_is_meant(seen.text, seen.thing, seen.says(words.DISTANCE))
    if (placed or seen.works_by("described") or one) and (described := things.description(seen.text, seen.thing)):
        found["described"] = Slot(described, described)
    return found


def _extreme(seen: Seen) -> Slot:
    """Which of all pairs is meant: the farthest where it is said, else the nearest."""
    return Slot("maximum" if seen.says(words.FAR) else "minimum")


def _limit(text: str) -> dict[str, Slot]:
    match = words.LIMIT.search(text)
    number = None if match is None else match["a"] or match["b"] or match["c"]
    return {} if match is None or number is None else {"limit": Slot(float(number), match.group())}
