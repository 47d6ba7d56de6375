"""The algorithm of this project, spelled out in one place.

plan  = instantiate(retrieve(goal), inventory)          # planned()
run every ready node; check before and after it         # executed(), resumed()
    on failure: diagnose -> rule -> else LLM -> edit the plan -> check it again -> continue from there
learn, deliver, report                                  # HandOver
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.ground.errors import NotUnderstoodError, PlanningError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.plan import Plan
from knowflow.reason.inventory import Inventory
from knowflow.service.composed import with_maps
from knowflow.service.estimate import estimate
from knowflow.service.inputs import as_planned, newer, require_unchanged, settled, states
from knowflow.service.inquiry import inquiry_of
from knowflow.service.large_runs import require_time
from knowflow.service.plan_checks import PlanChecks, refuse_unknown_facts
from knowflow.service.plan_finder import PlanFinder
from knowflow.service.repair_policy import PIXELS_MAY_TELL, RepairPolicy
from knowflow.service.request import Request
from knowflow.service.results import PlanResult
from knowflow.service.space import require_space
from knowflow.service.told_beside import told_beside

# a plan is made without what runs it, and without what asks a language model: importing that would cost more than it
if TYPE_CHECKING:
    from knowflow.execution.action import Runner
    from knowflow.execution.events import Listener
    from knowflow.execution.hooks import Hooks
    from knowflow.model.trace import Trace
    from knowflow.reason.variants import Variation
    from knowflow.service.hand_over import HandOver
    from knowflow.service.presenter import Presenter
    from knowflow.service.run_edits import Change, EditedRun
    from knowflow.service.suggesting import Suggesting


class Engine:
    """Plans and executes over one catalogue; keeps its state in one home folder."""

    def __init__(self, home: Path, catalogue: Catalogue, presenter: Presenter | None = None) -> None:
        self.home = home
        self._catalogue = catalogue
        self._presenter = presenter
        self._checks = PlanChecks(home, catalogue)
        self._finder = PlanFinder(home, catalogue, self._checks)

    # --- phase 1: from a question and files to a checked plan ------------------------------------------------------

    def planned(self, request: Request) -> PlanResult:
        """The best plan that the data allow.

        Raises:
            DataNotFoundError, NotUnderstoodError, PlanningError: there is none; the error says why.
        """
        began = time.time_ns()
        inquiry = inquiry_of(request)
        try:
            found = self._finder.found(inquiry)
            plan, check = self._checks.told(found.plan, request)
        except (NotUnderstoodError, PlanningError) as error:
            self._finder.explain(error, inquiry)
            raise
        if found.reading is not None:
            plan = with_maps(plan, check, self._catalogue.tools)
        check, doubts = self._checks.explained(plan, check)
        cost = estimate(plan, check, self._catalogue.tools)
        told = (*doubts, *told_beside(plan, check, found, inquiry.inventory, self._catalogue), *found.notes)
        return PlanResult(settled(plan, began), check, cost, told, found.by_model, found.reading, request.to_json())

    def varied(self, request: Request, first: PlanResult, variation: Variation) -> PlanResult:
        """The plan of a question, which ``first`` is, with one thing done otherwise.

        Raises:
            KnowFlowError: the data do not allow it, or the plan does not pass its check.
        """
        if variation.catalogue is self._catalogue:
            planned = first
        else:
            if first.by_model is not None and first.reading is not None:  # what it read stays
                request = replace(request, llm="never", expression=first.reading.expression)
            planned = Engine(self.home, variation.catalogue, self._presenter).planned(request)
        plan = variation.applied(planned.plan, planned.check)
        if plan is planned.plan:
            return planned
        check = self._checks.sound(plan)
        return replace(planned, plan=plan, check=check, estimate=estimate(plan, check, self._catalogue.tools))

    def suggesting(self, inventory: Inventory) -> Suggesting:
        """What offers questions that a folder can answer."""
        return self._finder.suggesting(inventory)

    # --- phase 2: run every ready node, check before and after, stop only what depends on a failure ----------------

    def executed(
        self,
        planned: PlanResult,
        runner: Runner,
        out: Path,
        on_event: Listener | None = None,
        repairs: RepairPolicy = RepairPolicy(),  # noqa: B008  (a frozen value)
        max_hours: float | None = None,
        fuse: bool | None = None,
    ) -> Trace:
        """Execute a plan, deliver its outputs into ``out`` and write the report there.

        ``fuse`` tells whether nodes may be carried out in one pass, which does not keep the rasters between them (None:
        unless KNOWFLOW_FUSE says no).

        On failure: diagnose -> rule from memory -> else what follows from the schemas -> else LLM -> edit the DAG ->
        check it again -> continue from there.

        Raises:
            MissingFactError: a condition needs a fact that nobody knows.
            LargeRunError: it would take longer than ``max_hours``.
            NoSpaceError: the estimated outputs do not fit on the disk.
            OutputError: ``out`` or the home folder cannot be written to.
            OutputInUseError: another run is going to deliver into ``out``.
        """
        from knowflow.execution.scheduler import execute
        from knowflow.service.deliver import require_writable
        from knowflow.service.out_folder import taken
        from knowflow.service.run_index import tell_others

        refuse_unknown_facts(planned.check, PIXELS_MAY_TELL if repairs.max_repairs else ())
        require_writable(self.home)
        require_writable(out)
        require_time(planned.plan, planned.estimate, max_hours)
        require_space(self.home, planned.estimate)
        hooks = self._hooks(runner, out, on_event, repairs)
        hooks["admit"] = as_planned
        if fuse is not None:
            hooks["fuse"] = fuse
        if self._presenter is not None and runner.exhibits:
            hooks["exhibits"] = partial(self._presenter.plan_exhibits, planned)
        hooks["begun"] = partial(_begun, planned, self.home)
        with taken(out):
            trace = execute(planned.plan, self._catalogue.tools, runner, self.home, str(out), **hooks)
        tell_others(self.home)
        return trace

    def resumed(
        self,
        run_id: str,
        runner: Runner,
        out: Path,
        on_event: Listener | None = None,
        repairs: RepairPolicy = RepairPolicy(),  # noqa: B008  (a frozen value)
    ) -> Trace:
        """Go on with a run that was interrupted or failed; what was finished is not computed again."""
        from knowflow.execution.run_store import load_run
        from knowflow.execution.scheduler import resume
        from knowflow.service.deliver import require_writable
        from knowflow.service.out_folder import taken
        from knowflow.service.run_index import tell_others

        trace = load_run(run_id, self.home)
        require_unchanged(trace.plan)
        require_writable(out)
        hooks = self._hooks(runner, out, on_event, repairs)
        if self._presenter is not None and runner.exhibits and trace.repairs:
            hooks["exhibits"] = partial(self._presenter.repair_exhibits, trace)
        with taken(out):
            trace = resume(run_id, self._catalogue.tools, runner, self.home, str(out), **hooks)
        tell_others(self.home)
        return trace

    def edited(self, run_id: str, change: Change, *, keep: bool = False) -> EditedRun:
        """A run with a person's change, checked; with ``keep`` it is what :meth:`resumed` goes on with.

        Raises:
            GraphEditError, DocumentError, PlanningError: the change does not hold; all reasons are listed.
        """
        from knowflow.execution.run_store import edit, load_run
        from knowflow.service.run_edits import edited_run, recorded

        edited = edited_run(load_run(run_id, self.home), change, self._catalogue.tools)
        require_unchanged(edited.plan)
        refuse_unknown_facts(self._checks.sound(edited.plan), PIXELS_MAY_TELL)
        if keep:
            edit(run_id, lambda trace: recorded(trace, edited), self.home)
        return edited

    def told_again(self, trace: Trace, plan: Plan, runner: Runner, out: Path) -> Trace:
        """A run that ended, its plan told of more than it was, delivered and documented anew; nothing is computed."""
        from knowflow.execution.run_store import edit

        edit(trace.run_id, lambda one: replace(one, plan=plan), self.home)
        return self.resumed(trace.run_id, runner, out, None, RepairPolicy(max_repairs=0, memory=False))

    def checked(self, plan: Plan) -> PlanResult:
        """A plan that somebody saved, checked again, and its files as well.

        Raises:
            PlanningError, DataNotFoundError, UnreadableDataError: it does not hold any more.
        """
        require_unchanged(plan)
        check = self._checks.sound(plan)
        cost = estimate(plan, check, self._catalogue.tools)
        return PlanResult(replace(plan, files=states(plan)), check, cost, notes=newer(plan))

    def _hooks(self, runner: Runner, out: Path, on_event: Listener | None, repairs: RepairPolicy) -> Hooks:
        """Phase 3 included: what a run ends with is learned from, delivered and documented."""
        from knowflow.execution.hooks import Hooks
        from knowflow.service.repairs import repairer

        shown = self._presenter if runner.exhibits else None
        return Hooks(
            on_event=on_event,
            repair=repairer(self._catalogue, self.home, repairs),
            retell=None if shown is None else shown.repair_exhibits,
            conclude=self._hand_over(out, runner, repairs),
        )

    def _hand_over(self, out: Path, runner: Runner, repairs: RepairPolicy) -> HandOver:
        from knowflow.service.hand_over import HandOver

        learner = self._catalogue if repairs.memory else None
        return HandOver(self.home, out, self._presenter, runner.exhibits, learner)


def _begun(planned: PlanResult, home: Path, trace: Trace) -> Trace:
    """A run with what was asked for, what is told of its plan, and the exchanges by which a language model read it."""
    if planned.by_model is not None:
        from knowflow.service.language_model import keep_exchanges

        trace = keep_exchanges(trace, planned.by_model, home)
    return replace(trace, request=planned.request, notes=planned.notes)
