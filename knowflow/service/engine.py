"""The algorithm of this project, spelled out in one place.

plan  = instantiate(retrieve(goal), inventory)          # planned()
run every ready node; check before and after it         # executed(), resumed()
    on failure: diagnose -> rule -> else LLM -> edit the plan -> check it again -> continue from there
learn, deliver, report                                  # HandOver
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.graph.check import WorkflowCheck, check_plan
from knowflow.ground.errors import DataNotFoundError, KnowFlowError, MissingFactError, NotUnderstoodError, PlanningError
from knowflow.ground.report import Problem
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.success_record import METHODS
from knowflow.model.plan import Plan
from knowflow.model.workflow import Workflow
from knowflow.reason.area import Area, area_of
from knowflow.reason.expression_planner import ExpressionPlanner
from knowflow.reason.inventory import Inventory, take_inventory
from knowflow.service import notes
from knowflow.service.alike import alike
from knowflow.service.composed import (
    as_said,
    goal_of,
    meant,
    misfit,
    not_set,
    read_so,
    several_readings,
    told_in,
    with_maps,
)
from knowflow.service.dates_apart import dates_apart
from knowflow.service.estimate import estimate
from knowflow.service.folder import Folder
from knowflow.service.inputs import as_planned, newer, require_unchanged, settled, states
from knowflow.service.large_runs import require_time
from knowflow.service.models_of_plan import require_models
from knowflow.service.places import places_apart
from knowflow.service.question_text import refuse_no_text, refuse_too_long
from knowflow.service.repair_policy import PIXELS_MAY_TELL, RepairPolicy, remembers
from knowflow.service.request import Found, Request
from knowflow.service.results import PlanResult
from knowflow.service.space import require_space
from knowflow.service.unused import unused

# a plan is made without what runs it, and without what asks a language model: importing that would cost more than it
if TYPE_CHECKING:
    from knowflow.execution.action import Runner
    from knowflow.execution.events import Listener
    from knowflow.execution.hooks import Hooks
    from knowflow.model.trace import Trace
    from knowflow.question.operators import Expression
    from knowflow.question.reading.reader import Reading
    from knowflow.question.reading.vocabulary import DataWords
    from knowflow.reason.compiling.by_memory import FromMemory
    from knowflow.reason.variants import Variation
    from knowflow.service.hand_over import HandOver
    from knowflow.service.presenter import Presenter
    from knowflow.service.run_edits import Change, EditedRun
    from knowflow.service.suggesting import Suggesting


class Engine:
    """Plans and executes over one catalogue; keeps its state in one home folder."""

    def __init__(self, home: Path, catalogue: Catalogue, presenter: Presenter | None = None) -> None:
        self._home = home
        self._catalogue = catalogue
        self._presenter = presenter
        self._composer = ExpressionPlanner(catalogue)
        self._checked: tuple[Plan, WorkflowCheck] | None = None

    # --- phase 1: from a question and files to a checked plan ------------------------------------------------------

    def planned(self, request: Request) -> PlanResult:
        """The best plan that the data allow.

        Raises:
            DataNotFoundError, NotUnderstoodError, PlanningError: there is none; the error says why.
        """
        began = time.time_ns()
        if request.expression is None:
            refuse_too_long(request.query)
            refuse_no_text(request.query)
        else:
            _refuse_words(request)
        area = None if request.aoi is None else area_of(request.aoi)
        inventory = _inventory(request, area)
        try:
            found = self._found(request, inventory, area)
            plan, check = self._told(found.plan, request)
        except (NotUnderstoodError, PlanningError) as error:
            self._explain(error, request, inventory, area)
            raise
        if found.reading is not None:
            plan = with_maps(plan, check, self._catalogue.tools)
        check, doubts = self._explained(plan, check)
        cost = estimate(plan, check, self._catalogue.tools)
        asked = meant(inventory, found.expression)
        told = (
            *doubts,
            *notes.other_unit(plan, check),
            *notes.resolutions(plan, check),
            *alike(plan, inventory, found.goal),
            *unused(plan, asked, found.goal),
            *dates_apart(plan, inventory.root),
            *places_apart(plan),
            *notes.of_folder(inventory),
            *notes.left_out(self._catalogue),
            *found.notes,
        )
        settled_plan = settled(plan, began)
        return PlanResult(settled_plan, check, cost, told, found.by_model, found.reading, request.to_json())

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
            planned = Engine(self._home, variation.catalogue, self._presenter).planned(request)
        plan = variation.applied(planned.plan, planned.check)
        if plan is planned.plan:
            return planned
        check = self._sound(plan)
        return replace(planned, plan=plan, check=check, estimate=estimate(plan, check, self._catalogue.tools))

    def _found(self, request: Request, inventory: Inventory, area: Area | None) -> Found:
        """The plan of an expression that was given, else of how the sentence is read: by its words, and by a language
        model where one is to be asked.

        Raises:
            NotUnderstoodError, PlanningError: there is none, or both read it differently; the error says why.
        """
        if request.expression is not None:
            return self._given(request.expression, request, inventory, area)
        if request.template is not None and request.llm == "never":
            return self._by_template(request.template, request, inventory, area)
        if request.llm == "never":
            return self._by_words(request, inventory, area)
        from knowflow.service.second_reader import SecondReader

        def carried_out(reading: Reading) -> Found:
            asked = reading.candidates()[0]
            return self._carried_out(asked, reading, self._stated(asked, request), request, inventory, area)

        second = SecondReader(self._home, self._catalogue.templates, carried_out)
        return second.found(request, self._words(inventory), lambda: self._by_words(request, inventory, area))

    def _by_words(self, request: Request, inventory: Inventory, area: Area | None) -> Found:
        """The plan of how the sentence reads as an expression.

        Raises:
            NotUnderstoodError, PlanningError: there is none; the error says why.
        """
        reading = self._read(request, inventory)
        try:
            found = self._composed(reading, request, inventory, area)
            if found is None:
                raise _nothing_set(reading, request) or self._not_understood(reading, inventory)
        except KnowFlowError as error:  # what is missing may be in a file that cannot be read
            error.problems = (*error.problems, *notes.damaged(inventory))
            raise
        return found

    def _not_understood(self, reading: Reading, inventory: Inventory) -> NotUnderstoodError:
        from knowflow.service.refusals import not_understood

        return not_understood(reading, self._words(inventory), inventory)

    def _words(self, inventory: Inventory) -> DataWords:
        """The names that a folder, the tools and the templates bring, for the reader."""
        from knowflow.reason.data_words import data_words

        return data_words(inventory, self._catalogue.tools, self._catalogue.templates)

    def _by_template(self, name: str, request: Request, inventory: Inventory, area: Area | None) -> Found:
        """The plan of a template that is named, of what the question tells.

        Raises:
            UnknownNameError: there is none of that name.
            NotUnderstoodError, PlanningError: the question does not read, or the template does not fit it or the data.
        """
        from knowflow.service.by_template import applied

        template = self._catalogue.template(name)
        reading = self._read(request, inventory) if request.query.strip() else None
        if reading is not None and reading.expression is None:
            raise self._not_understood(reading, inventory)
        asked = applied(template, None if reading is None else reading.expression, request.given)
        try:
            return self._of_expression(asked, request, inventory, area, request.given)
        except KnowFlowError as error:
            error.problems = (*error.problems, *notes.damaged(inventory))
            raise

    def _given(self, expression: Expression, request: Request, inventory: Inventory, area: Area | None) -> Found:
        """The plan of an expression that was given.

        Raises:
            PlanningError: an operator cannot be carried out.
        """
        try:
            asked, others = self._stated(expression, request)
            return self._of_expression(asked, request, inventory, area, others)
        except KnowFlowError as error:
            error.problems = (*error.problems, *notes.damaged(inventory))
            raise

    def _composed(self, reading: Reading, request: Request, inventory: Inventory, area: Area | None) -> Found | None:
        """The plan of a question that reads as an expression; None where it does not.

        Raises:
            NotUnderstoodError: several readings can be carried out, and differ on these data.
            PlanningError: none can be; or what is set of that which it states is no such value, or does not fit there.
        """
        from knowflow.question.literals import literals

        if reading.unfit:
            raise misfit(reading)
        found: dict[Workflow, Found] = {}
        refused: list[KnowFlowError] = []
        for one in reading.candidates():
            if not request.given.keys() <= literals(one).keys() | self._composer.parameters(one):
                continue  # the parameters of a template
            stated = self._stated(one, request)
            try:
                made = self._carried_out(one, reading, stated, request, inventory, area)
            except KnowFlowError as error:  # another reading may be carried out
                refused.append(error)
                continue
            found.setdefault(made.plan.workflow, made)
        if len(found) > 1:
            raise several_readings([one.expression for one in found.values()])
        if refused and not found:
            raise refused[0]
        return next(iter(found.values()), None)

    def _carried_out(
        self,
        one: Expression,
        reading: Reading,
        stated: tuple[Expression, Mapping[str, object]],
        request: Request,
        inventory: Inventory,
        area: Area | None,
    ) -> Found:
        """The plan of one expression of a reading, as it is ``stated``.

        Raises:
            KnowFlowError: there is none, or it does not pass its check.
        """
        asked, others = stated
        made = self._of_expression(asked, request, inventory, area, others)
        self._sound(made.plan)
        plan = told_in(read_so(as_said(made.plan, reading), one, reading.candidates()), one, reading)
        return replace(made, plan=plan, reading=replace(reading.taken(one), expression=asked))

    def _stated(self, expression: Expression, request: Request) -> tuple[Expression, Mapping[str, object]]:
        """An expression with what is set of that which it states, and what is set beside it: of its definitions.

        Raises:
            PlanningError: what is set is no such value, does not fit there, or nothing has that name.
        """
        from knowflow.question.literals import with_literals

        own = self._composer.parameters(expression)
        others = {name: value for name, value in request.given.items() if name in own}
        stated = {name: value for name, value in request.given.items() if name not in others}
        return with_literals(expression, stated), others

    def _explain(self, error: KnowFlowError, request: Request, inventory: Inventory, area: Area | None) -> None:
        """What stands in the way of a question that is refused, and what can be asked instead, said with the error."""
        from knowflow.service.suggesting import in_the_way

        if request.expression is None:
            reading = self._read(request, inventory)
            found = in_the_way(reading, lambda one: self._sound_of(one, inventory, area), str(error))
            error.problems = (*error.problems, *found)
        error.instead = error.instead or self.suggesting(inventory, area).instead_of(
            request.expression or request.query
        )

    def suggesting(self, inventory: Inventory, area: Area | None = None) -> Suggesting:
        """What offers questions that a folder can answer."""
        from knowflow.service.suggesting import Suggesting

        return Suggesting(self._words(inventory), lambda one: self._sound_of(one, inventory, area))

    def _sound_of(self, expression: Expression, inventory: Inventory, area: Area | None) -> None:
        """Plan an expression and check the plan.

        Raises:
            PlanningError: there is none.
        """
        self._sound(self._composer.plan(expression, Folder(inventory, goal_of(expression, "")), area))

    def _of_expression(
        self,
        expression: Expression,
        request: Request,
        inventory: Inventory,
        area: Area | None,
        given: Mapping[str, object],
    ) -> Found:
        goal = goal_of(expression, request.query)
        memory = self._memory(request.learned_templates) if request.memory else None
        plan = self._composer.plan(expression, Folder(inventory, goal), area, given, memory)
        said = request.expression is None and request.query.strip()
        query = request.query if said else plan.query  # of what was set, what is asked now
        return Found(replace(plan, query=query), goal, expression)

    def _memory(self, templates: bool) -> FromMemory | None:
        """What earlier runs taught of planning; None where they taught nothing."""
        templates = templates and remembers(self._home, "templates")
        if not templates and not (self._home / METHODS).is_file():
            return None
        from knowflow.service.solidifying import at_hand

        return at_hand(self._catalogue, self._home, templates)

    def _read(self, request: Request, inventory: Inventory) -> Reading:
        """How the words of a question are read."""
        from knowflow.question.reading.reader import read

        return read(request.query, self._words(inventory))

    def _told(self, plan: Plan, request: Request) -> tuple[Plan, WorkflowCheck]:
        """A plan with what the pixels tell of facts that its files leave unsaid, and how it checks."""
        check = self._sound(plan)
        unsaid = any(missing.fact in PIXELS_MAY_TELL for missing in check.missing)
        memory = request.memory and remembers(self._home)
        if not request.pixels or not (unsaid or memory):
            return plan, check
        from knowflow.service.told_by_pixels import told_by_pixels

        told = told_by_pixels(plan, check, self._catalogue, self._home, memory=memory)
        return told, check if told is plan else self._sound(told)

    def _explained(self, plan: Plan, check: WorkflowCheck) -> tuple[WorkflowCheck, tuple[str, ...]]:
        if check.decided:
            return check, ()
        from knowflow.service.language_model import explained

        return explained(plan, check, self._catalogue.tools, self._home)

    def _sound(self, plan: Plan) -> WorkflowCheck:
        check = self._check(plan)
        if not check.ok:
            raise PlanningError("the plan does not pass its own check", problems=check.problems)
        require_models(plan, check, self._catalogue.tools)
        return check

    def _check(self, plan: Plan) -> WorkflowCheck:
        """How a plan checks; of one that differs from the last in what is told of it alone, as that one did."""
        last, found = self._checked or (None, None)
        if last is None or found is None or not _checks_alike(plan, last):
            found = check_plan(plan, self._catalogue.tools)
        self._checked = plan, found
        return found

    # --- phase 2: run every ready node, check before and after, stop only what depends on a failure ----------------

    def executed(
        self,
        planned: PlanResult,
        runner: Runner,
        out: Path,
        on_event: Listener | None = None,
        repairs: RepairPolicy = RepairPolicy(),  # noqa: B008  (a frozen value)
        max_hours: float | None = None,
    ) -> Trace:
        """Execute a plan, deliver its outputs into ``out`` and write the report there.

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

        _refuse_unknown_facts(planned.check, PIXELS_MAY_TELL if repairs.max_repairs else ())
        require_writable(self._home)
        require_writable(out)
        require_time(planned.plan, planned.estimate, max_hours)
        require_space(self._home, planned.estimate)
        hooks = self._hooks(runner, out, on_event, repairs)
        hooks["admit"] = as_planned
        if self._presenter is not None and runner.exhibits:
            hooks["exhibits"] = partial(self._presenter.plan_exhibits, planned)
        hooks["begun"] = partial(_begun, planned, self._home)
        with taken(out):
            return execute(planned.plan, self._catalogue.tools, runner, self._home, str(out), **hooks)

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

        trace = load_run(run_id, self._home)
        require_unchanged(trace.plan)
        require_writable(out)
        hooks = self._hooks(runner, out, on_event, repairs)
        if self._presenter is not None and runner.exhibits and trace.repairs:
            hooks["exhibits"] = partial(self._presenter.repair_exhibits, trace)
        with taken(out):
            return resume(run_id, self._catalogue.tools, runner, self._home, str(out), **hooks)

    def edited(self, run_id: str, change: Change, *, keep: bool = False) -> EditedRun:
        """A run with a person's change, checked; with ``keep`` it is what :meth:`resumed` goes on with.

        Raises:
            GraphEditError, DocumentError, PlanningError: the change does not hold; all reasons are listed.
        """
        from knowflow.execution.run_store import edit, load_run
        from knowflow.service.run_edits import edited_run, recorded

        edited = edited_run(load_run(run_id, self._home), change, self._catalogue.tools)
        require_unchanged(edited.plan)
        _refuse_unknown_facts(self._sound(edited.plan), PIXELS_MAY_TELL)
        if keep:
            edit(run_id, lambda trace: recorded(trace, edited), self._home)
        return edited

    def told_again(self, trace: Trace, plan: Plan, runner: Runner, out: Path) -> Trace:
        """A run that ended, its plan told of more than it was, delivered and documented anew; nothing is computed."""
        from knowflow.execution.run_store import edit

        edit(trace.run_id, lambda one: replace(one, plan=plan), self._home)
        return self.resumed(trace.run_id, runner, out, None, RepairPolicy(max_repairs=0, memory=False))

    def checked(self, plan: Plan) -> PlanResult:
        """A plan that somebody saved, checked again, and its files as well.

        Raises:
            PlanningError, DataNotFoundError, UnreadableDataError: it does not hold any more.
        """
        require_unchanged(plan)
        check = self._sound(plan)
        cost = estimate(plan, check, self._catalogue.tools)
        return PlanResult(replace(plan, files=states(plan)), check, cost, notes=newer(plan))

    def _hooks(self, runner: Runner, out: Path, on_event: Listener | None, repairs: RepairPolicy) -> Hooks:
        """Phase 3 included: what a run ends with is learned from, delivered and documented."""
        from knowflow.execution.hooks import Hooks
        from knowflow.service.repairs import repairer

        shown = self._presenter if runner.exhibits else None
        return Hooks(
            on_event=on_event,
            repair=repairer(self._catalogue, self._home, repairs),
            retell=None if shown is None else shown.repair_exhibits,
            conclude=self._hand_over(out, runner, repairs),
        )

    def _hand_over(self, out: Path, runner: Runner, repairs: RepairPolicy) -> HandOver:
        from knowflow.service.hand_over import HandOver

        learner = self._catalogue if repairs.memory else None
        return HandOver(self._home, out, self._presenter, runner.exhibits, learner)


def _nothing_set(reading: Reading, request: Request) -> PlanningError | None:
    """Why what is set of a question that reads fits none of its readings; None where nothing is read, or set."""
    problems = tuple(not_set(reading, request.given))
    if not problems:
        return None
    first = problems[0]
    where, hint = "--set", first.hint or None
    error = PlanningError("the question states nothing of that name", where=where, found=first.found, hint=hint)
    error.problems = problems
    return error


def _checks_alike(one: Plan, other: Plan) -> bool:
    """Whether two plans are one in all that a check looks at."""
    same = one.workflow is other.workflow and one.inputs is other.inputs
    return same and (one.outputs, one.quality) == (other.outputs, other.quality)


def _inventory(request: Request, area: Area | None) -> Inventory:
    """What the folder of a question holds, within the area of interest where there is one."""
    extent = None if area is None else area.extent
    inventory = take_inventory(request.data, assume=request.assume, dates=request.dates, aoi=extent).as_called()
    if area is not None and not inventory.rasters:
        raise DataNotFoundError(
            "no raster overlaps the area of interest",
            where=str(request.data),
            expected=f"rasters that overlap {request.aoi}",
            found=inventory.summary(),
            hint="--aoi takes west,south,east,north in degrees, or a vector file",
        )
    return inventory


def _begun(planned: PlanResult, home: Path, trace: Trace) -> Trace:
    """A run with what was asked for, and with the exchanges by which a language model read it."""
    if planned.by_model is not None:
        from knowflow.service.language_model import keep_exchanges

        trace = keep_exchanges(trace, planned.by_model, home)
    return replace(trace, request=planned.request)


def _refuse_words(request: Request) -> None:
    """Refuse what is for questions in words.

    Raises:
        PlanningError: a template or a language model is asked for beside an expression.
    """
    given = [name for name, usual in (("template", None), ("llm", "never")) if getattr(request, name) != usual]
    if given:
        raise PlanningError(
            "an expression says all that is asked",
            expected="the expression and the folder, with --set, --aoi, --dates and --assume",
            found=", ".join(f"--{name}" for name in given),
            hint="change the expression itself",
        )


def _refuse_unknown_facts(check: WorkflowCheck, but: Collection[str] = ()) -> None:
    """Refuse a plan with facts that nobody will know; ``but`` are those that a look at the pixels may settle."""
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
