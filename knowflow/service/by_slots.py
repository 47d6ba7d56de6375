"""The plan of a question that reads as no expression: its words fill slots, and templates answer these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from knowflow.graph.check import WorkflowCheck
from knowflow.ground.errors import KnowFlowError, NotUnderstoodError, PlanningError
from knowflow.ground.report import Problem
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.goal import QueryGoal
from knowflow.model.plan import Plan
from knowflow.model.template import Template
from knowflow.reason.about_data import of_the_data
from knowflow.reason.area import Area
from knowflow.reason.goal_with_data import with_data
from knowflow.reason.heeded import heard, refuse_unheeded, unheeded_by_data
from knowflow.reason.inventory import Inventory
from knowflow.reason.language import unclear, understand
from knowflow.reason.language.misspelt import misspelt
from knowflow.reason.named_by_parts import by_parts
from knowflow.reason.other_times import of_all_times
from knowflow.reason.planner import Planner
from knowflow.reason.untold import refuse_untold
from knowflow.service import notes
from knowflow.service.folder import Folder
from knowflow.service.request import Found, Request
from knowflow.service.scoring import nearest_templates, retrieved


class BySlots:
    """Plans questions over one catalogue; ``sound`` checks a plan."""

    def __init__(
        self, home: Path, catalogue: Catalogue, planner: Planner, sound: Callable[[Plan], WorkflowCheck]
    ) -> None:
        self._home, self._catalogue, self._planner, self._sound = home, catalogue, planner, sound

    def found(self, request: Request, inventory: Inventory, area: Area | None) -> Found:
        """The best plan that the data allow.

        Raises:
            NotUnderstoodError, PlanningError: there is none; the error says why.
        """
        goal = understand(request.query)
        if not request.llm:
            _refuse_unclear(goal)
        try:
            return self._planned(goal, request, inventory, area)
        except (NotUnderstoodError, PlanningError) as error:
            if refused := of_the_data(goal, inventory):
                raise refused from error
            if not request.llm:
                raise
            return self._helped(goal, request, inventory, area, error)

    def _planned(
        self, goal: QueryGoal, request: Request, inventory: Inventory, area: Area | None, words: str = ""
    ) -> Found:
        """The plan of a goal; where nothing gives its quantity, of the quantity's name read by its parts.

        ``words`` are the question as retrieval is to read it, where that is not as it stands.
        """
        try:
            return self._as_read(goal, request, inventory, area, words)
        except (NotUnderstoodError, PlanningError):
            parts = by_parts(goal, inventory)
            with suppress(NotUnderstoodError, PlanningError):
                if parts is not None:
                    return self._as_read(parts, request, inventory, area, words)
            raise

    def _as_read(self, goal: QueryGoal, request: Request, inventory: Inventory, area: Area | None, words: str) -> Found:
        _refuse_unclear(goal)
        goal = with_data(goal, inventory)
        folder = Folder(inventory, goal)
        with _guessed(goal):
            try:
                if request.template is not None:
                    template = self._catalogue.template(request.template)
                    return Found(self._planner.instantiate(template, goal, folder, request.given, area), goal)
                asked = replace(goal, text=words or goal.text)
                retrieval, scores = retrieved(asked, self._catalogue.templates)
                whole = Folder(inventory, of_all_times(goal))
                plan = self._planner.plan(goal, folder, scores, request.given, area, whole)
            except KnowFlowError as error:  # what is missing may be in a file that cannot be read
                error.problems = (
                    *error.problems,
                    *unheeded_by_data(goal, inventory, area is not None),
                    *notes.damaged(inventory),
                )
                raise
            refuse_unheeded(goal, inventory, area is not None)
            refuse_untold(goal, plan.inputs, inventory, area is not None)
        return Found(plan, heard(goal, inventory), retrieval=retrieval)

    def _helped(
        self, goal: QueryGoal, request: Request, inventory: Inventory, area: Area | None, error: KnowFlowError
    ) -> Found:
        """The plan that a language model makes possible, where there is none without it.

        Raises:
            NotUnderstoodError, PlanningError: there is none with it either, and why.
        """

        from knowflow.knowledge.packs import outside_packs
        from knowflow.reason.llm.case import Case
        from knowflow.service.language_model import help_to_plan

        def planned(other: QueryGoal, words: str) -> Plan:
            plan = self._planned(other, request, inventory, area, words).plan
            self._sound(plan)
            return plan

        def made_from(template: Template, other: QueryGoal) -> Plan:
            whole = with_data(other, inventory)
            return self._planner.instantiate(template, whole, Folder(inventory, whole), request.given, area)

        def nearest(other: QueryGoal) -> list[Template]:
            every = self._catalogue.templates
            return nearest_templates(every, other) if request.template is None else [every[request.template]]

        case = Case(
            goal=goal,
            error=error,
            catalogue=self._catalogue,
            inventory=inventory,
            planned=planned,
            made_from=made_from,
            checked=self._sound,
            nearest=nearest,
            offered=outside_packs(self._catalogue.tools),
            template=request.template or "",
        )
        found = help_to_plan(case, self._home)
        if request.template is None:  # a model may read a word otherwise; what it leaves unread is heeded by nothing
            refuse_unheeded(found.goal, inventory, area is not None)
            refuse_untold(found.goal, found.plan.inputs, inventory, area is not None)
        return Found(found.plan, found.goal, help=found)


@contextmanager
def _guessed(goal: QueryGoal) -> Iterator[None]:
    """A refusal comes with the names that words of the question may be misspelt from."""
    try:
        yield
    except KnowFlowError as error:
        error.hint = "; ".join(filter(None, (misspelt(goal), error.hint))) or None
        raise


def _refuse_unclear(goal: QueryGoal) -> None:
    """A question with two meanings, or about what nobody knows, is asked back, not answered with one of them."""
    problems = [Problem("unclear", item.hint, item.why, where=item.slot) for item in unclear(goal)]
    if problems:
        several = any(item.taken is None and item.choices for item in goal.ambiguities)
        raise NotUnderstoodError(
            "the question can be read in more than one way" if several else "the question is not understood as a whole",
            expected=problems[0].expected,
            found=problems[0].found,
            hint="ask again with that said",
            problems=problems[1:],
        )
