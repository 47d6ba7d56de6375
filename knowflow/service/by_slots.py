"""The plan of a question that reads as no expression: its words fill slots, and templates answer these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from knowflow.ground.errors import KnowFlowError, NotUnderstoodError, PlanningError
from knowflow.ground.report import Problem
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.goal import QueryGoal
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
from knowflow.service.scoring import retrieved


class BySlots:
    """Plans questions over one catalogue."""

    def __init__(self, catalogue: Catalogue, planner: Planner) -> None:
        self._catalogue, self._planner = catalogue, planner

    def found(self, request: Request, inventory: Inventory, area: Area | None) -> Found:
        """The best plan that the data allow.

        Raises:
            NotUnderstoodError, PlanningError: there is none; the error says why.
        """
        goal = understand(request.query)
        _refuse_unclear(goal)
        try:
            return self._planned(goal, request, inventory, area)
        except (NotUnderstoodError, PlanningError) as error:
            if refused := of_the_data(goal, inventory):
                raise refused from error
            raise

    def _planned(self, goal: QueryGoal, request: Request, inventory: Inventory, area: Area | None) -> Found:
        """The plan of a goal; where nothing gives its quantity, of the quantity's name read by its parts."""
        try:
            return self._as_read(goal, request, inventory, area)
        except (NotUnderstoodError, PlanningError):
            parts = by_parts(goal, inventory)
            with suppress(NotUnderstoodError, PlanningError):
                if parts is not None:
                    return self._as_read(parts, request, inventory, area)
            raise

    def _as_read(self, goal: QueryGoal, request: Request, inventory: Inventory, area: Area | None) -> Found:
        _refuse_unclear(goal)
        goal = with_data(goal, inventory)
        folder = Folder(inventory, goal)
        with _guessed(goal):
            try:
                if request.template is not None:
                    template = self._catalogue.template(request.template)
                    return Found(self._planner.instantiate(template, goal, folder, request.given, area), goal)
                retrieval, scores = retrieved(goal, self._catalogue.templates)
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
