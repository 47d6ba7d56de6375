"""Which templates may answer a question, by what it asks of which quantity, and how well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from knowflow.ground.units import compatible
from knowflow.model.goal import QueryGoal
from knowflow.model.template import Template
from knowflow.reason.language.product_words import OF_AN_EVENT
from knowflow.reason.language.subjects import OUTER
from knowflow.reason.language.turns import EVENTS
from knowflow.reason.slots import ESSENTIAL_SLOTS, slot_of

_OVER_TIME = frozenset({"change", "percent_change", "trend"})  # a difference may be one of places
# operations on numbers or images that are made first: what does not carry them out answers another question
MADE_OF_RESULTS = OUTER | {"composite", "count", "extreme_place", "largest_patches"}
# what a template asks for that is about nothing else: without it, it answers another question
_OWN_SLOTS = frozenset({"moved", "turnover", "severity_classes", "per_pixel", "dates_part"})


@dataclass(frozen=True, slots=True)
class Proposal:
    """A template that may answer, with its score and the terms of the score in words."""

    template: Template
    score: float
    because: str


def proposals(templates: Iterable[Template], goal: QueryGoal, retrieved: Mapping[str, float]) -> list[Proposal]:
    """The templates that could answer, best first, by retrieval and the operations they cover.

    A template that has no parameter for an essential slot of the goal answers another question.
    """
    wanted = operations_of(goal)
    found = []
    for template in templates:
        if template.method_of is not None or not template.answers or not _about(template, goal):
            continue
        covered = [operation for operation in wanted if operation in template.answers]
        if _asks_for_other(template, goal) or _leaves_out_class(template, goal) or _gives_no_area(template, goal):
            continue
        if not covered or _answers_less(template, goal, wanted, covered):
            continue
        if _leaves_out_condition(template, goal):
            continue
        slots = {slot_of(name, p).partition(".")[0] for name, p in template.parameters.items()}
        if any(slot not in slots for slot in ESSENTIAL_SLOTS if slot in goal.slots and not goal.slots[slot].default):
            continue
        score = retrieved.get(template.template, 0.0) + 0.1 * bool(template.about) + template.preference
        score += 0.5 * len(covered) / len(wanted) + (0.3 if covered[0] == wanted[0] else 0.0)
        score += 0.5 * _works_as_asked(template, goal) + 0.5 * ({"statistics"} <= goal.slots.keys() & slots)
        score -= 0.02 * len(set(template.answers) - set(wanted)) + 0.5 * bool(_OWN_SLOTS & (slots - goal.slots.keys()))
        because = f"answers {', '.join(covered)}; score {score:.2f}"
        found.append(Proposal(template, score, because))
    return sorted(found, key=lambda proposal: (-proposal.score, proposal.template.template))


def _leaves_out_condition(template: Template, goal: QueryGoal) -> bool:
    """The question limits more quantities than the template, which takes them one by one, has parameters for."""
    slots = (slot_of(name, parameter).split(".") for name, parameter in template.parameters.items())
    taken = {int(slot[1]) for slot in slots if slot[0] == "conditions" and slot[1].isdigit()}
    return bool(taken) and len(goal.value("conditions") or ()) > len(taken)


def _leaves_out_class(template: Template, goal: QueryGoal) -> bool:
    """The question is about one class of ground, which neither its quantity stands for nor the template asks for."""
    wanted, feature = goal.slots.get("class"), goal.slots.get("feature")
    if wanted is None or goal.value("group_by") == "class" or (feature is not None and feature.words == wanted.words):
        return False
    if "moved" in goal.slots and not _is_share_of(goal, wanted.words):
        return False  # "forest was cleared", "laid bare": what the decrease stands for
    takes = {slot_of(name, parameter) for name, parameter in template.parameters.items()}
    if feature is not None and "quantity" not in takes:
        return True  # "how green are the steep slopes" is no question about the extent of either
    return "class" not in takes and wanted.value not in template.about


def _is_share_of(goal: QueryGoal, ground: str) -> bool:
    """Whether a share is wanted of one kind of ground: "what share of the forest lost more than 0.2"."""
    asked = "share" in (goal.value("operations") or ())
    return (
        asked
        and re.search(rf"\bof\s+(?:the\s+|our\s+|all\s+)*{re.escape(ground)}\b", goal.text, re.IGNORECASE) is not None
    )


def _answers_less(template: Template, goal: QueryGoal, wanted: Sequence[str], covered: Sequence[str]) -> bool:
    """The question asks for what is made of numbers or images (a trend, a date, a correlation), for statistics of a
    quantity or for what an event left, and the template gives something else of that kind."""
    if wanted[0] in MADE_OF_RESULTS and wanted[0] not in covered:
        return True
    said = next(iter(goal.value("operations") or ()), "")
    over_time = said in _OVER_TIME or (said == "difference" and goal.value("comparison") is None)
    if wanted[0] == "zonal" and over_time and said not in covered:
        return True  # "how did each class change" is no question about how large each one is
    if "largest_patches" in wanted and "largest_patches" not in covered:
        return True
    if "largest_patches" in template.answers and not {"largest_patches", "count"} & {*wanted}:
        return True
    takes = {slot_of(name, parameter) for name, parameter in template.parameters.items()}
    quantity, about = goal.slots.get("quantity"), set(template.about)
    feature, place = goal.slots.get("feature"), goal.slots.get("class")
    if quantity is not None and not quantity.default and about and "quantity" not in takes:
        named = {goal.value(slot) for slot in ("quantity", "feature", "index")}
        if feature is not None or place is None or place.words == quantity.words:
            named.add(goal.value("class"))  # "water temperature of the lake" is no question about the lake
        if not named & about:
            return True
    if wanted[0] == "map" and place is feature is None and "index" in goal.slots and "quantity" not in takes:
        return goal.value("comparison") is None  # "map NDSI" asks for its values, not for the snow that they tell
    elsewhere = feature is not None and place is not None and feature.words != place.words and "class" not in takes
    if elsewhere and goal.value("class") in about and not {goal.value("quantity"), goal.value("feature")} & about:
        return True  # "snow temperature" is no question about snow
    extent = bool({"area", "share", "map", "mask", "count"} & {*wanted[:1]})
    return extent and is_of_event(goal) and not {goal.value("feature"), goal.value("quantity")} & about


def _gives_no_area(template: Template, goal: QueryGoal) -> bool:
    """The question wants hectares or square kilometres, and the template has no unit of area to tell anything in."""
    unit = goal.value("unit")
    if unit is None or not compatible(str(unit), "m2"):
        return False
    return not any(p.type == "unit" and p.unit == "m2" for p in template.parameters.values())


def _asks_for_other(template: Template, goal: QueryGoal) -> bool:
    """An essential slot holds what the template's parameter for it cannot take."""
    for name, parameter in template.parameters.items():
        slot = slot_of(name, parameter)
        value = goal.value(slot) if slot in ESSENTIAL_SLOTS else None
        if value is not None and parameter.choices and value not in parameter.choices:
            return True
    return False


def operations_of(goal: QueryGoal) -> tuple[str, ...]:
    """What is asked of the quantity, main operation first; where nothing is said, what the other slots suggest."""
    said = tuple(goal.value("operations") or ())
    if said[:1] == ("change",) and goal.value("comparison") is None and _names_quantity(goal):
        return ("trend", *said)  # without two dates to compare, over all of them
    if goal.value("group_by") == "class_in_zone":
        return said or ("area",)
    if goal.value("group_by") == "zone" and said[:1] and said[0] in ("share", "area", "count"):
        return (*said, "zonal")  # what of each polygon is so, not what a statistic of it is
    if goal.value("group_by") == "zone" and not said and goal.value("feature") and goal.value("threshold") is not None:
        return ("share", "area", "zonal")  # "the part of each district which is water"
    if goal.value("group_by") in ("class", "zone") and not {"zonal", "extreme_place"} & {*said}:
        return ("zonal", *said)
    if goal.value("group_by") == "scene" and "time_series" not in said:
        return ("time_series", *said)
    if said or goal.value("quantity") is None:
        return said
    compared = goal.slots.get("comparison")
    if compared is not None and not compared.default:
        if goal.value("quantity") in OF_AN_EVENT:  # dNBR is a difference already
            return ("mean",)
        return ("difference",)
    if goal.value("threshold") is not None:
        unit = goal.value("unit")
        return ("area", "share") if unit is not None and compatible(str(unit), "m2") else ("share", "area")
    return ("map", "describe")


def _names_quantity(goal: QueryGoal) -> bool:
    """Whether the question is about a quantity itself, not about a thing that stands for one."""
    return goal.value("quantity") is not None and goal.value("threshold") is None


def _works_as_asked(template: Template, goal: QueryGoal) -> bool:
    """Whether the question names how it is to be done, and the template does it so."""
    named = goal.value("algorithm")
    choices = (p.choices for name, p in template.parameters.items() if slot_of(name, p) == "algorithm")
    return named is not None and any(named in allowed for allowed in choices)


def _about(template: Template, goal: QueryGoal) -> bool:
    if not template.about:
        return True
    subjects = {goal.value(slot) for slot in ("quantity", "feature", "class", "index", "group_by")}
    return bool(subjects & set(template.about))


def is_of_event(goal: QueryGoal) -> bool:
    """Whether the question is about what changed between two images, by the very thing it names."""
    return goal.value("feature") in EVENTS or goal.value("quantity") in OF_AN_EVENT
