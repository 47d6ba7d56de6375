"""The facade: everything a program, the command line or a flow asks of KnowFlow."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import KnowFlowError, PlanningError, RemoteChangeError
from knowflow.ground.kept import as_authored
from knowflow.ground.report import Problem
from knowflow.ground.resources import state_home
from knowflow.ground.system import refusal
from knowflow.service.outcomes import refused, result_of, result_of_plan, with_report
from knowflow.service.results import Diagnosis, PlanResult, RunResult, TemplateTestResult

if TYPE_CHECKING:
    from knowflow.execution.action import Runner
    from knowflow.execution.events import Listener
    from knowflow.execution.pruning import Pruned
    from knowflow.execution.run_store import RunSummary
    from knowflow.knowledge.catalogue import Catalogue
    from knowflow.knowledge.rules import RuleBook
    from knowflow.model.plan import Plan
    from knowflow.model.rule import Rule
    from knowflow.model.template import Template
    from knowflow.model.tool import ToolSchema
    from knowflow.model.trace import Trace
    from knowflow.question.operators import Expression
    from knowflow.question.reading.reader import Reading
    from knowflow.reason.calls import Proposal
    from knowflow.reason.inventory import Inventory
    from knowflow.reason.repair.scenarios import RuleTestResult
    from knowflow.service.advice import Advice
    from knowflow.service.asked_points import At
    from knowflow.service.critic import Verdict
    from knowflow.service.engine import Engine
    from knowflow.service.memory_book import MemoryBook
    from knowflow.service.presenter import Presenter
    from knowflow.service.repair_policy import RepairPolicy
    from knowflow.service.request import Model, Request
    from knowflow.service.rule_book import ExplainedRun
    from knowflow.service.run_differences import Difference
    from knowflow.service.run_edits import Change, EditedRun
    from knowflow.service.sources.places import Data
    from knowflow.service.variants import Way
    from knowflow.service.whence import Whence

RunnerName = str  # prefect, local, dask, dask=ADDRESS, pool=NAME


class Service:
    """Plans, runs, checks and looks things up. One instance may answer many questions, each with knowledge as it is.

    ``home`` is where runs and the cache are kept (default: ``KNOWFLOW_HOME``, the project's ``.knowflow/``, or the
    user's state folder).
    """

    def __init__(self, home: Path | str | None = None, presenter: Presenter | None = None) -> None:
        self.home = Path(home).resolve() if home is not None else state_home()
        self._presenter = presenter
        self._known: tuple[int, Catalogue] | None = None
        self._planning: tuple[Catalogue, Engine] | None = None

    @property
    def catalogue(self) -> Catalogue:
        """All tools and templates at hand, as their files are now."""
        from knowflow.service.knowledge_cache import catalogue_of

        state = as_authored()
        if self._known is None or self._known[0] != state:
            self._known = state, catalogue_of(self.home)
        return self._known[1]

    @property
    def _engine(self) -> Engine:
        from knowflow.service.engine import Engine

        catalogue = self.catalogue
        if self._planning is None or self._planning[0] is not catalogue:
            self._planning = catalogue, Engine(self.home, catalogue, self._presenter)
        return self._planning[1]

    # --- questions -------------------------------------------------------------------------------------------------

    def inventory(
        self,
        data: Data,
        assume: Sequence[str] = (),
        dates: str | None = None,
        *,
        aoi: str | None = None,
        refresh: bool = False,
    ) -> Inventory:
        """What a folder holds, or data elsewhere within an area; ``refresh`` looks again at what lies elsewhere.

        Raises:
            KnowFlowError: the folder does not exist, or holds nothing that can be read.
        """
        from knowflow.reason.inventory import take_inventory

        as_authored()
        return take_inventory(_folder(data, aoi, dates, refresh), assume=assume, dates=dates)

    def read(
        self,
        question: str,
        data: Data | None = None,
        *,
        at: At = None,
        assume: Sequence[str] = (),
        llm: bool | Model = "never",
    ) -> Reading:
        """How a question is read: its expression with the words behind each part, or what stands in the way.

        With ``data`` the names that the folder brings are known too: its classes, its polygons, its dates. ``llm`` is
        as for :meth:`plan`: where a language model reads something else than the words say, both are ``alike``. ``at``
        is where it is asked, as for :meth:`plan`.

        Raises:
            KnowFlowError: the folder does not exist, or holds nothing that can be read; the text is no question, or
                nothing that it asks has a value at a point.
        """
        from knowflow.question.reading.reader import read
        from knowflow.reason.data_words import data_words
        from knowflow.reason.points import ground_of, place_of, with_points
        from knowflow.service.asked_points import said_place
        from knowflow.service.question_text import refuse_empty, refuse_no_text, refuse_too_long
        from knowflow.service.request import model_of

        for refuse in (refuse_empty, refuse_too_long, refuse_no_text):
            refuse(question)
        said = said_place(at, self.home)
        place = None if said is None else place_of(said)
        inventory = None if data is None else with_points(self.inventory(data, assume), place).as_called()
        if inventory is None:
            as_authored()
        words = None if inventory is None else data_words(inventory, self.catalogue.tools, self.catalogue.templates)
        found = read(question, words)
        if inventory is not None:
            from knowflow.reason.inventory.called import names_of_kinds

            found = replace(found, called=names_of_kinds(inventory.artifacts))
        if (when := model_of(llm)) == "always" or (when == "fallback" and found.expression is None):
            from knowflow.service.second_reader import read_with_model

            found = read_with_model(self.home, self.catalogue.templates, found, words)
        if place is not None:
            from knowflow.question.reading.pointed import reading_at

            found = reading_at(found, ground_of(place))
        if found.expression is not None or inventory is None:
            return found
        return replace(found, instead=self._engine.suggesting(inventory).instead_of(question))

    def suggest(self, data: Data, *, assume: Sequence[str] = (), dates: str | None = None) -> dict[str, list[str]]:
        """Questions that a folder can answer, by what they ask for: how much, areas, dates, through time, and so on.

        Each is planned over the folder, so that :meth:`run` answers it; topics without any are left out.

        Raises:
            KnowFlowError: the folder does not exist, or holds nothing that can be read.
        """
        return self._engine.suggesting(self.inventory(data, assume, dates).as_called()).by_topic()

    def plan(
        self,
        query: str | Expression,
        data: Data,
        *,
        aoi: str | None = None,
        at: At = None,
        dates: str | None = None,
        set: Mapping[str, Any] | None = None,
        assume: Sequence[str] = (),
        template: str | None = None,
        memory: bool = True,
        llm: bool | Model = "never",
        refresh: bool = False,
    ) -> PlanResult:
        """The checked plan for a question about a folder of data, in words or as an expression.

        ``data`` may be several sources, and lie elsewhere (``s3://bucket/prefix``, ``stac+https://...``): what was
        found there stays what the question is about until ``refresh`` looks again (docs/remote.md).

        ``aoi`` is ``west,south,east,north`` in degrees or a vector file; ``at`` is a point, ``(longitude, latitude)``
        in degrees, for its value, or over dates its series, or a file of points (GeoPackage, GeoJSON, Shapefile, or CSV
        with columns of longitude and latitude), for those of each; ``dates`` is ``START/END``; ``set`` binds template
        parameters; ``assume`` states facts (``"crs=EPSG:32633"``). ``llm`` says when the configured
        language model reads the question: ``never``, as a ``fallback`` (True) where there is no plan without it, or
        ``always``, where a reading that differs from that of the words is shown and none is taken. Without ``memory``
        nothing counts that earlier runs taught.

        Raises:
            KnowFlowError: there is no such plan; the error says why and what to do.
        """
        from knowflow.service.asked_points import around_place, said_place

        place = said_place(at, self.home)
        folder = _folder(data, around_place(aoi, place), dates, refresh, query)
        request = _request(query, folder, aoi, place, dates, set, assume, template, llm)
        return self._engine.planned(replace(request, memory=memory))

    def advice(self, plan: Plan, *, memory: bool = True) -> Advice:
        """What experts mind about the question of a plan, and what earlier attempts at it over such data came to."""
        from knowflow.service.advice import advice

        return advice(plan, self.home, memory=memory)

    def run(
        self,
        query: str | Expression | Plan,
        data: Data | None = None,
        *,
        aoi: str | None = None,
        at: At = None,
        dates: str | None = None,
        set: Mapping[str, Any] | None = None,
        assume: Sequence[str] = (),
        template: str | None = None,
        out: Path | str | None = None,
        runner: RunnerName | Runner = "local",
        dry_run: bool = False,
        max_repairs: int | None = None,
        memory: bool = True,
        max_hours: float | None = None,
        llm: bool | Model = "never",
        variants: int = 1,
        refresh: bool = False,
        after: str | None = None,
        on_event: Listener | None = None,
        on_plan: Any = None,
    ) -> RunResult:
        """Answer a question, in words or as an expression, or execute a plan.

        Never raises for a question that cannot be answered: see ``status``.
        A plan says itself what it is of: data, area, period, parameters, assumptions and template are for questions.
        ``out`` is the folder for what is delivered (default: ``knowflow-out`` in the current directory).
        ``max_repairs`` bounds how often the plan may be repaired (0: failures are only diagnosed). Without ``memory``
        nothing counts that earlier runs taught, and nothing is learned from this one. A run that is
        estimated to take longer than ``max_hours`` (default: 6) is refused with the estimate. ``llm`` is as
        for :meth:`plan`. With ``variants`` above 1 so many ways to answer are compared (other methods, usual values of
        parameters), and the best is returned with :attr:`RunResult.variants`. ``after`` is a run of whose question this
        may be a change ("and in 2017?"): its data and assumptions hold where no others are given. ``on_plan`` is called
        with the :class:`PlanResult` before anything runs.
        """
        from knowflow.model.plan import Plan
        from knowflow.service.asked_points import around_place, said_place

        text = query.query if isinstance(query, Plan) else _words_of(query)
        place: str | None = None
        planned: PlanResult | None = None
        request: Request | None = None
        try:
            if not isinstance(query, Plan):
                before = None if after is None else self.trace(after)
                if data is None and before is not None:
                    data = dict(before.request).get("data")
                if data is None:
                    raise PlanningError("a question needs a folder of data", expected="data", found="nothing")
                place = said_place(at, self.home)
                folder = _folder(data, around_place(aoi, place), dates, refresh, query)
                request = _request(query, folder, aoi, place, dates, set, assume, template, llm)
                if before is not None:
                    from knowflow.service.next_question import going_on

                    request = going_on(request, before)
                request = replace(request, pixels=max_repairs != 0, memory=memory)
                planned = self._engine.planned(request)
            else:
                compared = variants if variants > 1 else None
                said: dict[str, object] = {"data": data, "aoi": aoi, "at": at, "dates": dates, "set": set}
                said |= {"assume": assume, "template": template, "after": after}
                _refuse_changes_of_plan(**said, variants=compared)
                planned = self._engine.checked(query)
            if on_plan is not None:
                on_plan(planned)
            if dry_run:
                found = self._ways(request, planned, variants) if request is not None and variants > 1 else []
                told = (f"would compare: {'; '.join(one.name for one in found)}",) if found else ()
                return result_of_plan(replace(planned, notes=(*planned.notes, *told)))
            out_folder = Path(out if out is not None else "knowflow-out").resolve()
            compared_ways = request is not None and variants > 1
            fuse = False if compared_ways else None  # what several ways have in common is kept
            carry_out = partial(self._executed, runner, on_event, _policy(max_repairs, memory), max_hours, fuse)
            if request is not None and compared_ways:
                trace = self._compared(request, planned, variants, carry_out, out_folder)
            else:
                trace = carry_out(planned, out_folder)
                changed = (trace.error or {}).get("code") == RemoteChangeError.code
                if request is not None and changed and not isinstance(query, Plan):
                    around = around_place(aoi, place)
                    _folder(data or "", around, dates, True, query)  # what changed is told with the plan
                    planned = self._engine.planned(request)
                    trace = carry_out(planned, out_folder)
                if trace.status == "failed" and request is not None:
                    planned, trace = self._without_templates(request, planned, trace, carry_out, out_folder)
        except KnowFlowError as error:
            return with_report(refused(text, error, planned), planned, self.home, self._presenter)
        except OSError as error:  # the run's own record cannot be kept
            return replace(refused(text, refusal(error), planned), status="failed")
        return result_of(trace, planned.notes)

    def _without_templates(
        self,
        request: Request,
        planned: PlanResult,
        failed: Trace,
        carry_out: Callable[[PlanResult, Path], Trace],
        folder: Path,
    ) -> tuple[PlanResult, Trace]:
        """A run that failed with a template that earlier runs taught, once more without: what was learned is never why
        a question has no answer. The plan and the run that count, which are the first where that is no better."""
        if not any(one.origin == "memory" for one in planned.plan.assumptions):
            return planned, failed
        from knowflow.memory.foresight import steps_of

        names = ", ".join(steps_of(planned.plan))
        if not names:
            return planned, failed
        again = self._engine.planned(replace(request, learned_templates=False))
        trace = carry_out(again, folder)
        if trace.status != "completed":
            return planned, failed
        told = f"memory: answered without {names}, with which run {failed.run_id} failed"
        return replace(again, notes=(*again.notes, told)), trace

    def _executed(
        self,
        runner: RunnerName | Runner,
        on_event: Listener | None,
        policy: RepairPolicy,
        max_hours: float | None,
        fuse: bool | None,
        planned: PlanResult,
        folder: Path,
    ) -> Trace:
        return self._engine.executed(planned, self._runner(runner), folder, on_event, policy, max_hours, fuse)

    def _compared(
        self,
        request: Request,
        planned: PlanResult,
        most: int,
        carry_out: Callable[[PlanResult, Path], Trace],
        folder: Path,
    ) -> Trace:
        """The best of several ways to answer, told of the others, with its results in the folder.

        Raises:
            KnowFlowError: the plan itself cannot be run.
        """
        from knowflow.service.critic import verdict
        from knowflow.service.variants import Compared, carried_out, judged

        done = carried_out(self._ways(request, planned, most), carry_out, folder)
        compared = Compared.of(judged(done), lambda trace: verdict(trace, self.catalogue))
        if request.memory and done[0].trace is not None:
            from knowflow.service.remembering import reflect

            reflect(done[0].trace, self.home, tuple(compared.reflections()))
        trace = compared.ways[compared.best].trace
        assert trace is not None  # the plan itself was run, or this raised
        if trace.status != "completed":
            return trace
        return self._engine.told_again(trace, compared.told(trace.plan), self._runner(trace.runner), folder)

    def _ways(self, request: Request, planned: PlanResult, most: int) -> list[Way]:
        """A plan, and up to so many ways in all to answer its question."""
        from knowflow.reason.variants import variations
        from knowflow.service.variants import ways

        others = variations(planned.plan, planned.check, self.catalogue)
        return ways(planned, others, lambda one: self._engine.varied(request, planned, one), most)

    def last_asked(self) -> str | None:
        """The id of the newest run of this home that answered a question, None where there is none."""
        from knowflow.service.next_question import last_asked

        return last_asked((one.run_id for one in self.runs()), self.trace)

    def resume(
        self,
        run_id: str,
        *,
        out: Path | str | None = None,
        runner: RunnerName | Runner | None = None,
        max_repairs: int | None = None,
        memory: bool = True,
        on_event: Listener | None = None,
    ) -> RunResult:
        """Go on with a run that was interrupted or failed.

        Its results go where it was told to put them, and the same runner carries it out, unless told otherwise.

        Raises:
            KnowFlowError: there is no such run, or another process is executing it.
        """
        from knowflow.service.inputs import newer

        before = self.trace(run_id)
        folder = Path(out if out is not None else before.out or "knowflow-out").resolve()
        try:
            again = self._runner(before.runner if runner is None else runner)
            told = newer(before.plan)
            policy = _policy(max_repairs, memory)
            return result_of(self._engine.resumed(run_id, again, folder, on_event, policy), told)
        except OSError as error:
            raise refusal(error) from error

    def preview_edit(self, run_id: str, change: Change) -> EditedRun:
        """What a person's change of a run would do: which nodes keep their results, which are computed again.

        Raises:
            KnowFlowError: there is no such run, or the change does not hold; all reasons are listed.
        """
        return self._engine.edited(run_id, change)

    def edit_run(
        self,
        run_id: str,
        change: Change,
        *,
        out: Path | str | None = None,
        runner: RunnerName | Runner | None = None,
        max_repairs: int | None = None,
        memory: bool = True,
        on_event: Listener | None = None,
        on_edit: Callable[[EditedRun], None] | None = None,
    ) -> RunResult:
        """Change a run that ended, however it ended, and go on with it: what the change does not touch is kept.

        ``on_edit`` is called with what the change does before anything runs.

        Raises:
            KnowFlowError: there is no such run, another process is executing it, or the change does not hold.
        """
        edited = self._engine.edited(run_id, change, keep=True)
        if on_edit is not None:
            on_edit(edited)
        return self.resume(
            edited.run_id, out=out, runner=runner, max_repairs=max_repairs, memory=memory, on_event=on_event
        )

    def _runner(self, runner: str | Runner) -> Runner:
        from knowflow.service.runners import runner_of

        return runner_of(runner, self.home) if isinstance(runner, str) else runner

    # --- knowledge -------------------------------------------------------------------------------------------------

    def tools(self) -> Mapping[str, ToolSchema]:
        return self.catalogue.tools

    def templates(self) -> Mapping[str, Template]:
        return self.catalogue.templates

    def check(self, paths: Sequence[Path | str] = ()) -> list[Problem]:
        """Every problem of authored documents: of the given files and folders, or of all knowledge at hand."""
        from knowflow.service.knowledge import check_documents

        as_authored()
        return check_documents([Path(path) for path in paths])

    def test_templates(
        self, names: Sequence[str] | None = None, *, keep: Path | str | None = None
    ) -> list[TemplateTestResult]:
        """Run templates on scenes generated from their tests and compare with the analytic truth.

        ``keep`` is a folder in which the scenes are left, as ``TEMPLATE/NUMBER/data``.
        """
        from knowflow.service.template_tests import run_template_tests

        return run_template_tests(self.catalogue, names, None if keep is None else Path(keep))

    def run_tool(
        self,
        name: str,
        arguments: Mapping[str, str],
        *,
        out: Path | str | None = None,
        assume: Sequence[str] = (),
        runner: RunnerName | Runner = "local",
        max_hours: float | None = None,
        on_event: Listener | None = None,
    ) -> RunResult:
        """Run one tool on files and values, with the same checks before and after as in a workflow."""
        from knowflow.service.single import plan_of_tool

        try:
            plan = plan_of_tool(self.catalogue.tool(name), arguments, assume)
        except KnowFlowError as error:
            return refused(f"tool {name}", error, None)
        return self.run(plan, out=out, runner=runner, max_hours=max_hours, on_event=on_event)

    def check_call(
        self, name: str, arguments: Mapping[str, Any], files: Sequence[str] | None = None
    ) -> tuple[tuple[Problem, ...], tuple[Proposal, ...]]:
        """What is wrong with a flat call of a tool, and the calls to make instead, the best first.

        Files are texts, outputs are named. ``files`` are those that count as there (None: those on disk).
        """
        from knowflow.reason.calls import Call, KnownFiles, check_call, proposals

        known = KnownFiles(on_disk=True) if files is None else KnownFiles(frozenset(files))
        call = Call(name, arguments)
        problems = check_call(call, self.catalogue.tools, known)
        return problems, proposals(call, self.catalogue.tools, known) if problems else ()

    # --- repair rules ----------------------------------------------------------------------------------------------

    def rule_book(self) -> RuleBook:
        """The repair rules at hand, with the problems of those that are not valid."""
        from knowflow.knowledge.rules import load_rules

        return load_rules(self.catalogue.tools)

    def rules(self) -> Mapping[str, Rule]:
        return self.rule_book().rules

    def rule_record(self) -> dict[str, tuple[int, int]]:
        """How often each rule was tried and helped, in the runs of this home."""
        from knowflow.knowledge.success_record import SuccessRecord

        return SuccessRecord(self.home).all()

    def test_rules(self, names: Sequence[str] | None = None) -> list[RuleTestResult]:
        """Test rules on the failures that their authors describe.

        Raises:
            UnknownNameError: there is no rule of such a name.
        """
        from knowflow.service.rule_book import tested

        return tested(self.rule_book(), names, self.catalogue)

    def explain_repairs(self, run_id: str) -> ExplainedRun:
        """What went wrong in a run, what was done about it, and which rules speak of it.

        Raises:
            UnknownNameError: there is no such run.
        """
        from knowflow.service.rule_book import explained

        return explained(run_id, self.catalogue, self.home)

    # --- memory ----------------------------------------------------------------------------------------------------

    def memory(self, project: str | None = None) -> MemoryBook:
        """What earlier runs taught: of the project around the current folder, unless another one is named."""
        from knowflow.service.memory_book import MemoryBook

        as_authored()
        return MemoryBook(self.home, self.catalogue, project)

    # --- runs and the machine --------------------------------------------------------------------------------------

    def runs(
        self,
        *,
        status: Sequence[str] = (),
        quantity: Sequence[str] = (),
        template: Sequence[str] = (),
        tool: Sequence[str] = (),
        cause: Sequence[str] = (),
        by: Sequence[str] = (),
        all_homes: bool = False,
    ) -> tuple[RunSummary, ...]:
        """The runs that are of one of the words of each kind given, newest first; all where none is. ``all_homes``: of
        all homes whose database is that of ``KNOWFLOW_TRACES``.

        ``cause`` is that of a failure, repaired or not; ``by`` who repaired one: ``person``, ``llm``, ``rule:NAME``.

        Raises:
            KnowFlowError: there is no such status or cause; the index of runs cannot be used.
        """
        from knowflow.service.run_index import runs_found

        words = {"quantity": quantity, "template": template, "tool": tool, "cause": cause, "by": by}
        return runs_found(self.home, status, every_home=all_homes, **words)

    def compare_runs(self, run_id: str, other: str) -> tuple[Difference, ...]:
        """In what two runs differ: the question, the files, what was assumed, the steps, repairs and answers."""
        from knowflow.service.run_differences import differences

        return differences(self.trace(run_id), self.trace(other))

    def judge_run(self, run_id: str) -> Verdict:
        """Whether a run that ended failed, as far as that can be told without knowing the answer."""
        from knowflow.service.critic import verdict

        return verdict(self.trace(run_id), self.catalogue)

    def export_run(self, run_id: str, folder: Path | str) -> tuple[Path, ...]:
        """Write a run into a folder as it stands alone: trace, plan, exchanges, logs.

        Raises:
            KnowFlowError: there is no such run, or the folder cannot be written to.
        """
        from knowflow.execution.run_store import exported

        try:
            return exported(run_id, Path(folder), self.home)
        except OSError as error:
            raise refusal(error) from error

    def whence(self, file: Path | str) -> Whence:
        """Where a file that a run delivered comes from, by its content: whatever it is called now.

        Raises:
            KnowFlowError: there is no such file, or no run of this home delivered it.
        """
        from knowflow.service.whence import whence

        return whence(Path(file), self.home)

    def carry_out_part(
        self,
        part: Path | str,
        arguments: Mapping[str, str],
        *,
        files: Sequence[str] = (),
        made: Sequence[Path] = (),
        out: Path | str,
    ) -> tuple[Path, ...]:
        """Carry out part of a plan on files that are handed over: see :mod:`knowflow.service.steps`.

        Raises:
            KnowFlowError: it is no such part, something is not handed over, or a node fails.
        """
        from knowflow.service.steps import carry_out_part

        return carry_out_part(Path(part), arguments, files, made, Path(out), self.catalogue)

    def trace(self, run_id: str) -> Trace:
        """The record of a run, by its id or the beginning of it; also of another home, where they share a database."""
        from knowflow.service.run_index import trace_anywhere

        return trace_anywhere(run_id, self.home)

    def prune(
        self,
        *,
        older_than: str | None = None,
        keep: int | None = None,
        max_size: str | None = None,
        status: Sequence[str] = (),
        cache_size: str | None = None,
        dry_run: bool = False,
    ) -> Pruned:
        """Remove the records of old runs, and of the cache what is beyond its size.

        Runs go that have one of the statuses (none given: any) and are older than ``older_than`` (``"30d"``), not among
        the ``keep`` newest, or beyond ``max_size`` (``"5GB"``). What runs delivered stays, and what has not ended.

        Raises:
            KnowFlowError: nothing says which runs go, or something that is said is not read.
        """
        from knowflow.service.pruning import pruned

        return pruned(self.home, older_than, keep, max_size, status, cache_size, dry_run=dry_run)

    def doctor(self) -> list[Diagnosis]:
        """What is installed, what works, and what to do about what does not."""
        from knowflow.service.doctor import diagnose

        as_authored()
        return diagnose(self.home)

    def demo(
        self,
        out: Path | str,
        *,
        runner: RunnerName = "local",
        on_event: Listener | None = None,
        on_plan: Any = None,
        on_result: Callable[[RunResult], None] | None = None,
    ) -> list[RunResult]:
        """Answer three questions on imagery that comes with the installation; ``on_result`` gets each answer."""
        from knowflow.service.demo import demo_questions

        results = []
        for question in demo_questions(Path(out)):
            result = self.run(
                question.query,
                question.data,
                assume=question.assume,
                out=question.out,
                runner=runner,
                on_event=on_event,
                on_plan=on_plan,
            )
            if on_result is not None:
                on_result(result)
            results.append(result)
        return results


def _words_of(query: str | Expression) -> str:
    """A question in words; an expression that does not fit has none of its own."""
    if isinstance(query, str):
        return query
    from knowflow.question.words import in_words

    try:
        return in_words(query)
    except ValueError:
        return query.op


def _folder(
    data: Data, aoi: str | None, dates: str | None, refresh: bool, asked: str | Expression | None = None
) -> Path:
    """The folder that stands for data: one of the user's own, or what is gathered from elsewhere."""
    if not isinstance(data, (str, Path)) and len(data) == 1:
        data = data[0]
    if isinstance(data, (str, Path)) and os.path.isdir(data) and not str(data).rstrip("/").endswith(".zarr"):
        return Path(data)
    from knowflow.service.sources import local

    return local(data, aoi=aoi, dates=dates, refresh=refresh, asked=asked)


def _request(
    query: str | Expression,
    data: Path,
    aoi: str | None,
    place: str | None,
    dates: str | None,
    settings: Mapping[str, Any] | None,
    assume: Sequence[str],
    template: str | None,
    llm: bool | Model,
) -> Request:
    from knowflow.service.request import Request, model_of

    _refuse_other_forms(settings, assume)
    words, expression = _words_of(query), None if isinstance(query, str) else query
    given = dict(settings or {})
    model = model_of(llm)
    return Request(words, data, aoi, dates, given, tuple(assume), template, model, expression=expression, at=place)


def _policy(max_repairs: int | None, memory: bool) -> RepairPolicy:
    from knowflow.service.repair_policy import RepairPolicy

    usual = RepairPolicy(memory=memory)
    return usual if max_repairs is None else replace(usual, max_repairs=max_repairs)


def _refuse_other_forms(settings: object, assumed: object) -> None:
    """Settings and assumptions that are given in each other's form, or that of the command line.

    Raises:
        PlanningError: they are no mapping, or no list of texts.
    """
    if settings is not None and not isinstance(settings, Mapping):
        raise PlanningError(
            "the parameters to set are given in a form that is not read",
            expected="a mapping of names to values, such as set={'threshold': 0.5}",
            found=f"set={settings!r}",
        )
    listed = assumed if isinstance(assumed, Sequence) and not isinstance(assumed, str) else [None]
    if not all(isinstance(one, str) for one in listed):
        raise PlanningError(
            "the assumptions are given in a form that is not read",
            expected="a list of texts, such as assume=['crs=EPSG:32633']",
            found=f"assume={assumed!r}",
        )


def _refuse_changes_of_plan(**given: object) -> None:
    """A plan is bound to its data and parameters: what is said besides would count for nothing.

    Raises:
        PlanningError: something is said besides the plan.
    """
    said = [name for name, value in given.items() if value not in (None, (), [], {})]
    if said:
        raise PlanningError(
            "a plan is carried out as it is",
            expected="the plan alone: data and parameters are those it was made with",
            found=", ".join(f"--{name}" for name in said),
            hint="plan the question again with that (`knowflow plan ... --save FILE`), or change the plan itself",
        )
