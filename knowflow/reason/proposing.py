"""Which templates may answer a question, by what it asks of which quantity, and how well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from knowflow.ground.units import compatible
from knowflow.model.goal import QueryGoal
from knowflow.model.template import Template
from knowflow.reason.language.product_words import OF_AN_EVENT
from knowflow.reason.language.subjects import OUTER
from knowflow.reason.slots import ESSENTIAL_SLOTS, slot_of

# operations on numbers or images that are made first: what does not carry them out answers another question
MADE_OF_RESULTS = OUTER | {"composite", "count", "extreme_place", "largest_patches"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A template that may answer, with its score and the terms of the score in words."""

    template: Template
    score: float
    because: str


def proposals(templates: Iterable[Template], goal: QueryGoal, preferred: Mapping[str, float]) -> list[Proposal]:
    """The templates that could answer, best first, by the operations they cover.

    A template that has no parameter for an essential slot of the goal answers another question.
    """
    wanted = operations_of(goal)
    found = []
    for template in templates:
        if template.method_of is not None or not template.answers or not _about(template, goal):
            continue
        covered = [operation for operation in wanted if operation in template.answers]
        if not covered or (wanted[0] in MADE_OF_RESULTS and wanted[0] not in covered):
            continue  # what is made of numbers or images (a trend, a date) is answered by nothing else of them
        if _gives_no_area(template, goal) or _leaves_out_condition(template, goal):
            continue
        slots = {slot_of(name, p).partition(".")[0] for name, p in template.parameters.items()}
        if any(slot not in slots for slot in ESSENTIAL_SLOTS if slot in goal.slots and not goal.slots[slot].default):
            continue
        score = preferred.get(template.template, 0.0) + 0.1 * bool(template.about) + template.preference
        score += 0.5 * len(covered) / len(wanted) + (0.3 if covered[0] == wanted[0] else 0.0)
        score -= 0.02 * len(set(template.answers) - set(wanted))
        because = f"answers {', '.join(covered)}; score {score:.2f}"
        found.append(Proposal(template, score, because))
    return sorted(found, key=lambda proposal: (-proposal.score, proposal.template.template))


def _leaves_out_condition(template: Template, goal: QueryGoal) -> bool:
    """The question limits more quantities than the template, which takes them one by one, has parameters for."""
    slots = (slot_of(name, parameter).split(".") for name, parameter in template.parameters.items())
    taken = {int(slot[1]) for slot in slots if slot[0] == "conditions" and slot[1].isdigit()}
    return bool(taken) and len(goal.value("conditions") or ()) > len(taken)


def _gives_no_area(template: Template, goal: QueryGoal) -> bool:
    """The question wants hectares or square kilometres, and the template has no unit of area to tell anything in."""
    unit = goal.value("unit")
    if unit is None or not compatible(str(unit), "m2"):
        return False
    return not any(p.type == "unit" and p.unit == "m2" for p in template.parameters.values())


def operations_of(goal: QueryGoal) -> tuple[str, ...]:
    """What is asked of the quantity, main operation first; where nothing is said, what the other slots suggest."""
    said = tuple(goal.value("operations") or ())
    if said[:1] == ("change",) and goal.value("comparison") is None and _names_quantity(goal):
        return ("trend", *said)  # without two dates to compare, over all of them
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


def _about(template: Template, goal: QueryGoal) -> bool:
    return not template.about or goal.value("quantity") in template.about
