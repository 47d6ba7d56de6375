"""What is asked of photographs from above: which scene, which things, how many, how large, how far apart, what is gone.

Such images have no bands and no dates: what counts is the thing asked about, what is measured of it on every image, and
how the numbers compare. Which things and which networks there are, and their names, is knowledge of a pack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowflow.model.goal import QueryGoal, Slot
from knowflow.reason.language import image_words as words
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
    """A question about photographs, with what was recognised in it before the question what it asks."""

    text: str
    thing: tuple[str, str] | None
    network: tuple[str, str] | None
    paired: bool
    scene: bool

    def says(self, pattern: re.Pattern[str]) -> bool:
        """Whether the question itself says so, not a description that it quotes."""
        return pattern.search(words.QUOTED.sub("", self.text)) is not None

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
    paired: bool = False,
) -> QueryGoal:
    """The goal of a question about photographs.

    ``objects`` are the things known, with their other names; ``networks`` the kinds of work that networks do, by the
    name of each; ``scenes`` what whole images show; ``paired`` says that the images are of before and after something.
    """
    network = _network(text, networks or {})
    seen = _Seen(text, _object(text.replace("-", " "), objects), network, paired, _scene(text, scenes))
    operation = _operation(seen)
    slots: dict[str, Slot] = {"quantity": Slot("image", default=True)}
    if seen.thing is not None:
        slots["object"] = Slot(*seen.thing)
    elif named := _named(text):
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
    return QueryGoal(text, slots)


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
        return "boxes_of_pair" if seen.says(words.BOXES_ASKED) else "image_numbers"
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


def _changed(seen: _Seen) -> bool:
    """Whether a question is about what happened to buildings between two images."""
    if seen.works_by("change"):
        return True
    return seen.of_buildings and (seen.says(words.HARM) or (seen.paired and seen.says(words.GONE)))


def _masked(seen: _Seen) -> bool:
    """Whether a limit of brightness makes the mask, or tells which pixels count."""
    by_limit = seen.says(words.MASK) or seen.says(words.PIXELS_COUNTED)
    return seen.says(words.LIMIT) and by_limit and (seen.thing is None or "threshold" in seen.text.casefold())


def _measure(seen: _Seen) -> str:
    """What is measured on every image."""
    text, sized = seen.text, seen.says(words.AREA)
    if _changed(seen):
        by_area = sized and (seen.says(words.GONE) or not seen.says(words.COUNT)) and not _prices(text)
        if seen.says(words.PERCENT) and seen.paired:  # of what was there before
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
    divided = seen.says(words.UNIT_AREA) or seen.says(words.FIT)
    if divided or (measured and seen.says(words.BOXES)):
        return "box_area"
    if (measured or seen.works_by("masks")) and not seen.says(words.DENSITY):
        return "building_area" if seen.thing is not None and seen.thing[0] == _BUILT else "object_area"
    return "object_count"


def _prices(text: str) -> bool:
    return words.EACH_COSTS.search(text) is not None


def _compared(seen: _Seen, measure: str) -> dict[str, Slot]:
    """How the numbers are compared with one another, or with a number of the question."""
    text = seen.text
    if reference := words.UNIT_AREA.search(text):
        return _with_reference(reference["n"] or reference["m"], reference.group(), "ceiling_quotient")
    if reference := words.FIT.search(text):
        return _with_reference(reference["n"] or reference["m"], reference.group(), "quotient")
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
    distance = words.DISTANCE.search(seen.text)
    far = distance is not None and words.FAR.search(distance.group()) is not None
    statistic = Slot("range" if both else "maximum" if far else "minimum")
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
        distance = words.DISTANCE.search(seen.text)
        far = distance is not None and words.FAR.search(distance.group()) is not None
        found["statistic"] = Slot("maximum" if far else "minimum")
    grown = words.GROWN.search(seen.text)
    if grown and operation in ("buffer", "image_numbers"):
        found["radius"] = Slot(float(grown["radius"] or grown["before"]), grown.group())
    placed = operation in ("object_centre", "object_boxes") and seen.says(words.DESCRIBED)
    if (placed or seen.works_by("described") or _one_is_meant(seen)) and (described := _description(seen)):
        found["described"] = Slot(described, described)
    return found


def _one_is_meant(seen: _Seen) -> bool:
    """Whether one thing is quoted, or meant by its size: "the largest storage tank", not "the largest area"."""
    if words.QUOTED.search(seen.text):
        return True
    if seen.thing is None or seen.says(words.DISTANCE):
        return False
    before = seen.text.replace("-", " ").partition(seen.thing[1])[0]
    return re.search(words.SIZED_THING, before, re.IGNORECASE) is not None


def _description(seen: _Seen) -> str:
    """The object in the words of the question, with a capital; what lies furthest towards a side is told by size, name
    and side."""
    if quoted := words.QUOTED.search(seen.text):
        return _capital(quoted["text"].strip())
    towards, size = words.TOWARDS.search(seen.text), words.SIZE.search(seen.text)
    if towards and size and seen.thing is not None:
        name = size["name"] or seen.thing[0]
        return f"The {size['size'].lower()} {name} on the {towards['side'].lower()}ernmost side."
    if phrase := words.PHRASE.search(seen.text):
        said = words.NEXT_TASK.sub("", phrase["text"]).strip()
        return _capital(said) + (phrase["stop"] or "" if said == phrase["text"].strip() else "")
    return _capital(seen.thing[0]) if seen.thing is not None else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _limit(text: str) -> dict[str, Slot]:
    match = words.LIMIT.search(text)
    number = None if match is None else match["a"] or match["b"] or match["c"]
    return {} if match is None or number is None else {"limit": Slot(float(number), match.group())}


def _network(text: str, networks: Mapping[str, str]) -> tuple[str, str] | None:
    """The network that a question names, however it spells it, with the kind of its work."""
    plain = _plain(text)
    return next(((name, kind) for name, kind in networks.items() if _plain(name) in plain), None)


def _named(text: str) -> tuple[str, str] | None:
    """What a question counts or looks for and nothing is known of: detectors are asked for it in its own words."""
    match = words.NAMED.search(text)
    if match is None:
        return None
    plural = match["thing"].casefold()
    for ending, singular in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", "")):
        if plural.endswith(ending):
            return plural.removesuffix(ending) + singular, match["thing"]
    return plural, match["thing"]


def _scene(text: str, scenes: Sequence[str]) -> bool:
    """Whether images are told by what they show as a whole: "pictures of dense residential areas"."""
    every = "|".join(re.escape(name) for name in scenes)
    return bool(every) and re.search(rf"{words.SHOWN}(?:{every})(?:s|es)?\b", text, re.IGNORECASE) is not None


def _plain(text: str) -> str:
    return re.sub(r"[\s_\-]+", "", text).casefold()


def _object(text: str, objects: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """The thing that is to be counted or found, else the first that is named; of names at one place the longest."""
    hits: list[tuple[int, int, str, str]] = []
    for name, others in objects.items():
        for phrase in (name, *others):
            for match in re.finditer(rf"\b{re.escape(phrase)}(?:s|es)?\b", text, re.IGNORECASE):
                hits.append((match.start(), -len(match.group()), name, match.group()))
    hits.sort()
    acted_on = [hit for hit in hits if words.ACTED_ON.search(text[: hit[0]])]
    no_place = [hit for hit in hits if not words.WHICH.search(text[: hit[0]])]  # "which airport shows the most traffic"
    chosen = next(iter((*acted_on, *no_place, *hits)), None)
    return None if chosen is None else (chosen[2], chosen[3])
