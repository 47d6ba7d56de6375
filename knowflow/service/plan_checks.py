"""Whether a plan may be carried out: how it checks, and what pixels tell of what its files leave unsaid."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from knowflow.graph.check import WorkflowCheck, check_plan
from knowflow.ground.errors import MissingFactError, PlanningError
from knowflow.ground.report import Problem
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.plan import Plan
from knowflow.service.models_of_plan import require_models
from knowflow.service.repair_policy import PIXELS_MAY_TELL, remembers
from knowflow.service.request import Request


class PlanChecks:
    """Checks plans with the tools of one catalogue."""

    def __init__(self, home: Path, catalogue: Catalogue) -> None:
        self._home = home
        self._catalogue = catalogue
        self._last: tuple[Plan, WorkflowCheck] | None = None

    def sound(self, plan: Plan) -> WorkflowCheck:
        """How a plan checks.

        Raises:
            PlanningError: a condition does not hold, or a model that it takes is not registered.
        """
        check = self._check(plan)
        if not check.ok:
            raise PlanningError("the plan does not pass its own check", problems=check.problems)
        require_models(plan, check, self._catalogue.tools)
        return check

    def told(self, plan: Plan, request: Request) -> tuple[Plan, WorkflowCheck]:
        """A plan with what the pixels tell of facts that its files leave unsaid, and how it checks.

        Raises:
            PlanningError: it does not pass its check.
        """
        check = self.sound(plan)
        unsaid = any(missing.fact in PIXELS_MAY_TELL for missing in check.missing)
        memory = request.memory and remembers(self._home)
        if not request.pixels or not (unsaid or memory):
            return plan, check
        from knowflow.service.told_by_pixels import told_by_pixels

        told = told_by_pixels(plan, check, self._catalogue, self._home, memory=memory)
        return told, check if told is plan else self.sound(told)

    def explained(self, plan: Plan, check: WorkflowCheck) -> tuple[WorkflowCheck, tuple[str, ...]]:
        """A check with what a language model says of the edges that it leaves open, and what it doubts."""
        if check.decided:
            return check, ()
        from knowflow.service.language_model import explained

        return explained(plan, check, self._catalogue.tools, self._home)

    def _check(self, plan: Plan) -> WorkflowCheck:
        """How a plan checks; of one that differs from the last in what is told of it alone, as that one did."""
        last, found = self._last or (None, None)
        if last is None or found is None or not _checks_alike(plan, last):
            found = check_plan(plan, self._catalogue.tools)
        self._last = plan, found
        return found


def refuse_unknown_facts(check: WorkflowCheck, but: Collection[str] = ()) -> None:
    """Refuse a plan with facts that nobody will know; ``but`` are those that a look at the pixels may settle.

    Raises:
        MissingFactError: with the ``--assume`` that would tell each.
    """
    if all(missing.fact in but for missing in check.missing):
        return
    first = check.missing[0]
    facts = sorted({missing.fact for missing in check.missing})
    raise MissingFactError(
        f"nobody knows the {', '.join(facts)} of {first.source}",
        where=first.node,
        expected=first.condition,
        found=f"{first.place}: {first.fact} is unknown",
        hint=" ".join(dict.fromkeys(missing.assume for missing in check.missing)),
        problems=[
            Problem("missing_fact", m.condition, f"{m.fact} unknown", m.assume, m.node)
            for m in {(m.fact, m.source): m for m in check.missing}.values()
        ],
    )


def _checks_alike(one: Plan, other: Plan) -> bool:
    """Whether two plans are one in all that a check looks at."""
    same = one.workflow is other.workflow and one.inputs is other.inputs
    return same and (one.outputs, one.quality) == (other.outputs, other.quality)
