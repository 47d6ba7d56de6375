"""Questions planned over a pack of tools, from file names alone: the typed plan, and the calls that carry it out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from knowflow.graph.calls import Call, flat_calls
from knowflow.ground.errors import DataNotFoundError, NotUnderstoodError, PlanningError
from knowflow.ground.kept import kept
from knowflow.ground.text_lines import text_lines
from knowflow.knowledge.packs import LoadedPack, load_pack
from knowflow.knowledge.words import clean
from knowflow.model.goal import QueryGoal, Slot
from knowflow.model.plan import Assumption, Plan
from knowflow.question.operators import Expression, Over, Quantity, walk
from knowflow.question.reading.reader import read_by_rules
from knowflow.question.reading.readings import Reading
from knowflow.reason.compiling.by_templates import compiled_by_templates
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import Inventory, inventory_of_names
from knowflow.reason.language.day_found import with_day_found
from knowflow.reason.language.extremes_apart import extremes_of_another
from knowflow.reason.language.fractions import with_percent
from knowflow.reason.language.imagery import understand_images
from knowflow.reason.language.inverse_share import part_by_rank
from knowflow.reason.language.outcome import outcome
from knowflow.reason.language.product_words import OF_AN_EVENT
from knowflow.reason.language.retrieval_words import is_named
from knowflow.reason.language.spelled_numbers import in_digits
from knowflow.reason.language.sudden import sudden_falls
from knowflow.reason.language.understanding import understand
from knowflow.reason.limits_untaken import limits_untaken
from knowflow.reason.planner import Planner
from knowflow.service.photographs import (
    Photographs,
    before_and_after,
    comparison_left_out,
    of_photographs,
    refuse_nothing_to_look_for,
)
from knowflow.service.question_text import refuse_too_long
from knowflow.service.scenes import Scenes
from knowflow.service.settled import settled

PACK = "earth_agent"
_LAST = re.compile(r"\blast(?= (?:ten days|10 days|dekad|decade|third|week|half) )", re.IGNORECASE)
_THIS = re.compile(r"\b(?:this|that) (?=(?:month|year|period|season|day)\b)", re.IGNORECASE)
# degrees of longitude and latitude limit no quantity
_DEGREES = r"\d+(?:\.\d+)?"
_GRATICULE = re.compile(rf"\(?(?:{_DEGREES}\s*°?\s*[NSEW]?\s*(?:[-–]|to\b|and\b)\s*)?{_DEGREES}\s*°\s*[NSEW]\b\)?")
_GI_STAR = re.compile(r"\bGi\s?\*")


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """A plan as the calls of a pack, with the templates it is composed of, and what it was made for: the expression
    that the question was read as, else a goal."""

    calls: tuple[Call, ...]
    plan: Plan
    templates: tuple[str, ...]
    goal: QueryGoal | None

    @property
    def template(self) -> str:
        return self.plan.template


def _refuse_limits(goal: QueryGoal) -> None:
    """Refuse limits that no step takes.

    Raises:
        NotUnderstoodError: with their words, and why.
    """
    for one in goal.unmet:
        raise NotUnderstoodError(f"{one.words!r} {one.why}", where="question", found=goal.text, hint=one.hint)


def _refuse_extremes_of_another(goal: QueryGoal) -> None:
    """Refuse what is asked for on two days that are extreme in another quantity, which no plan looks for.

    Raises:
        NotUnderstoodError: with the words of the two days.
    """
    quantity = str(goal.value("quantity"))
    if said := extremes_of_another(goal.text, quantity):
        raise NotUnderstoodError(
            "the days are told by another quantity than the one that is asked for",
            where="question",
            expected="the dates of the two days, or the extremes of the quantity itself",
            found=f"{said!r}, beside {quantity}",
            hint="ask for the dates of both days first, then compare these",
        )


def _refuse_sudden_falls(goal: QueryGoal) -> None:
    """Refuse what falls suddenly and is to be counted or found: the tools count rises.

    Raises:
        NotUnderstoodError: with the words of the fall.
    """
    if goal.value("quantity") != "image" and (said := sudden_falls(goal.text)):
        raise NotUnderstoodError(
            "sudden falls are not counted: a spike is a rise",
            where="question",
            expected="spikes (sudden rises), change points, or the largest decrease from one date to the next",
            found=repr(said),
            hint="ask for one of these",
        )


def _refuse_parts_by_rank(goal: QueryGoal) -> None:
    """Refuse what is asked of a part of the area that is told by its rank alone: no step cuts it out.

    Raises:
        NotUnderstoodError: with the words of the part.
    """
    said = part_by_rank(goal.text)
    if said and goal.value("quantity") != "image" and not {"percentile", "threshold"} & goal.slots.keys():
        raise NotUnderstoodError(
            "a part of the area that is told by its rank is cut out by no step",
            where="question",
            expected="a limit, such as 'above 305 K', or the limit of the part: 'above which LST does it lie'",
            found=repr(said),
            hint="ask for the limit of the part first, then for what lies beyond it",
        )


class CallPlanner:
    """Plans over one pack. Stateless between questions."""

    def __init__(self, loaded: LoadedPack) -> None:
        self._loaded = loaded

    @cached_property
    def _planner(self) -> Planner:
        return Planner(self._loaded.catalogue)

    def goal(self, query: str, inventory: Inventory) -> QueryGoal:
        """What is asked of such files.

        Raises:
            NotUnderstoodError: the text is too long for a question.
        """
        refuse_too_long(query)
        pack = self._loaded.pack
        if of_photographs(inventory):
            return understand_images(query, pack.objects, pack.networks, pack.scenes, before_and_after(inventory))

        def read(text: str) -> QueryGoal:
            return outcome(understand(text), pack.made_of, pack.of_algorithm)

        goal = with_day_found(read(_settled(query)), read)
        return settled(replace(goal, text=query), inventory)

    def plan(self, query: str, inventory: Inventory) -> tuple[Plan, QueryGoal | None]:
        """The typed plan for a question about an inventory: of the expression that it reads as, where there are tools
        for all of it, else of a goal.

        Raises:
            NotUnderstoodError: no template answers such a question.
            PlanningError: templates answer it, but none fits the files; every reason is listed.
        """
        refuse_too_long(query)
        with suppress(PlanningError):
            if not of_photographs(inventory) and (found := self._of_expression(query, inventory)) is not None:
                return found, None
        return self.plan_of(self.goal(query, inventory), inventory)

    def _of_expression(self, query: str, inventory: Inventory) -> Plan | None:
        """The plan of the expression that a question reads as; None where it reads as none.

        Raises:
            PlanningError: some of it no template of the pack carries out with these files.
        """
        reading = read_by_rules(query, replace(data_words(inventory), anywhere=True))
        if reading.expression is None or _shares_of_bands(reading.expression, inventory):
            return None
        scenes = Scenes(inventory, QueryGoal(query))
        of_pack, pack = self._loaded.catalogue, self._loaded.pack
        plan = compiled_by_templates(reading.expression, of_pack, scenes, pack.conventions, reading.unit)
        told = (*(Assumption(note, True, "files") for note in scenes.notes), *_taken_for_the_whole(reading))
        return replace(plan, query=query, unit=reading.unit or "", assumptions=(*plan.assumptions, *told))

    def plan_of(self, goal: QueryGoal, inventory: Inventory) -> tuple[Plan, QueryGoal]:
        """The typed plan for a goal, and the goal as it is planned for; raises as :meth:`plan`."""
        if not goal.value("quantity") and not any(slot.words for slot in goal.slots.values()):
            raise NotUnderstoodError(
                "nothing in the question says what is to be done, or with what",
                where="question",
                expected="a quantity, a statistic or a comparison that the templates know",
                found=goal.text.strip() or "no words",
                hint="name what is to be calculated, such as 'mean NDVI of 2022'",
            )
        refuse_nothing_to_look_for(goal)
        _refuse_limits(goal)
        _refuse_extremes_of_another(goal)
        _refuse_sudden_falls(goal)
        _refuse_parts_by_rank(goal)
        scenes = _data(inventory, goal)
        try:
            plan = self._planner.plan(goal, scenes, self._outermost(goal))
        except PlanningError as error:
            plan, goal = self._about_another(goal, scenes, error)
        notes = (Assumption(note, True, "files") for note in scenes.notes)
        left = tuple(comparison_left_out(goal, plan, self._loaded.catalogue.templates))
        if goal.value("quantity") != "image":
            left += tuple(limits_untaken(_settled(goal.text), plan))
        return replace(plan, assumptions=(*plan.assumptions, *notes, *left)), goal

    def _outermost(self, goal: QueryGoal) -> dict[str, float]:
        """What answers the outermost operation goes before what answers one inside it."""
        wanted = goal.value("operation")
        templates = self._loaded.catalogue.templates
        return {name: 1.0 for name, template in templates.items() if wanted in template.answers}

    def _about_another(
        self, goal: QueryGoal, scenes: Scenes | Photographs, error: PlanningError
    ) -> tuple[Plan, QueryGoal]:
        """The plan for another quantity that the question names, where the files have nothing of the likeliest."""
        said = goal.slots.get("quantity", Slot(None, default=True))
        named = (*(goal.value("quantities") or ()), *(goal.value("sources") or ()))
        if said.value not in OF_AN_EVENT and is_named(goal.text, str(said.value)):
            made_of = self._loaded.pack.made_of.get(str(said.value), ())
            named = tuple(name for name in named if name not in made_of)  # no answers in the place of what is asked
        for name in dict.fromkeys((*named, *(scenes.only_quantity() if said.default else ()))):
            if name == said.value:
                continue
            slot = Slot(name, said.words, name not in named, "what the files can tell")
            other = replace(goal, slots={**goal.slots, "quantity": slot})
            try:
                return self._planner.plan(other, scenes, self._outermost(other)), other
            except (PlanningError, NotUnderstoodError):
                continue
        raise error

    def calls(self, plan: Plan, folder: str) -> tuple[Call, ...]:
        """The flat calls that carry a plan out on the files of a folder."""
        return flat_calls(plan, self._loaded.catalogue.tools, self._loaded.pack, folder)


def _taken_for_the_whole(reading: Reading) -> Iterator[Assumption]:
    """The words of places and times that stand for all that there is."""
    for words in reading.whole:
        yield Assumption(words, "all of the files", "question", "the files are taken to be of it")


def _data(inventory: Inventory, goal: QueryGoal) -> Scenes | Photographs:
    return Photographs(inventory, goal.value("moment")) if of_photographs(inventory) else Scenes(inventory, goal)


def _settled(query: str) -> str:
    """The question with its numbers in digits, and without words that point back at a period it names: "in August ...,
    the highest of this month"."""
    query = in_digits(_GI_STAR.sub("Gi star", _GRATICULE.sub(" ", with_percent(clean(query)))))
    if not re.search(r"\b(?:19|20)\d\d\b", query):
        return query
    return _THIS.sub("the ", _LAST.sub("final", query))


def _shares_of_bands(expression: Expression, inventory: Inventory) -> bool:
    """Whether shares of several scenes are averaged of what is made from bands: templates average these first."""
    held = {item.fact("quantity") for item in inventory.artifacts}
    return any(
        isinstance(one, Over)
        and (one.axes, one.statistic) == ("time", "mean")
        and isinstance(one.x, Over)
        and (one.x.axes, one.x.statistic) == ("space", "share")
        and any(isinstance(part, Quantity) and part.kind not in held for _, part in walk(one.x))
        for _, one in walk(expression)
    )


@kept(4)
def call_planner(pack: str = PACK) -> CallPlanner:
    """The planner of a pack, with all its knowledge loaded."""
    from knowflow.ground.resources import state_home
    from knowflow.service.knowledge_cache import catalogue_of

    planner = CallPlanner(load_pack(pack, catalogue_of(state_home()).tools))
    planner.goal("mean NDVI in 2020", inventory_of_names(["warm_2020-01-01_NDVI.tif"]))  # load what planning reads
    return planner


def names_of(data: Path) -> tuple[str, ...]:
    """The names of the files of a folder, or those that a text file lists, one a line.

    Raises:
        DataNotFoundError: there is neither.
        UnreadableDataError: the file is no text.
    """
    if data.is_dir():
        found = sorted(path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file())
    elif data.exists():
        found = [line.strip() for line in text_lines(data, "names") if line.strip()]
    else:
        raise DataNotFoundError(
            "there are no files to plan with", where=str(data), expected="a folder, or a file of names", found="nothing"
        )
    return tuple(name for name in found if not Path(name).name.startswith("."))


def plan_calls(
    query: str,
    folder: str,
    files: Sequence[str],
    *,
    pack: str = PACK,
) -> PlannedCalls:
    """The calls that answer a question about files of which only the names are known.

    ``folder`` is what the names are relative to, as the calls are to spell it.

    Raises:
        NotUnderstoodError: no template answers such a question.
        PlanningError: templates answer it, but none fits the files; every reason is listed.
    """
    planner = call_planner(pack)
    plan, goal = planner.plan(query, inventory_of_names(files))
    calls = planner.calls(plan, folder)
    used = dict.fromkeys((plan.template, *(choice.chosen for choice in plan.decisions)))
    return PlannedCalls(calls, plan, tuple(used), goal)
