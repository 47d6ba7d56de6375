"""The facade: everything a program, the command line or a flow asks of KnowFlow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.ground.kept import as_authored
from knowflow.ground.system import refusal
from knowflow.service.api_knowledge import Knowledge
from knowflow.service.api_runs import Runs
from knowflow.service.carrying_out import CarryingOut, ways_of
from knowflow.service.given import Given, folder_of, policy_of, refuse_changes_of_plan, words_of
from knowflow.service.outcomes import refused, result_of, result_of_plan, with_report
from knowflow.service.results import Diagnosis, PlanResult, RunResult

if TYPE_CHECKING:
    from knowflow.execution.action import Runner
    from knowflow.execution.events import Listener
    from knowflow.model.plan import Plan
    from knowflow.model.trace import Trace
    from knowflow.question.operators import Expression
    from knowflow.question.reading.readings import Reading
    from knowflow.reason.inventory import Inventory
    from knowflow.service.asked_points import At
    from knowflow.service.request import Model, Request
    from knowflow.service.run_edits import Change, EditedRun
    from knowflow.service.sources.places import Data

RunnerName = str  # prefect, local, dask, dask=ADDRESS, pool=NAME


class Service(Knowledge, Runs):
    """Plans, runs, checks and looks things up. One instance may answer many questions, each with knowledge as it is.

    ``home`` is where runs and the cache are kept (default: ``KNOWFLOW_HOME``, the project's ``.knowflow/``, or the
    user's state folder).
    """

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
        return take_inventory(folder_of(data, aoi, dates, refresh), assume=assume, dates=dates)

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
        request = self._given(query, data, aoi, at, dates, set, assume, template, llm).request(refresh)
        return self._engine.planned(replace(request, memory=memory))

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

        Never raises for a question that cannot be answered: see ``status``. A plan says itself what it is of: data,
        area, period, parameters, assumptions and template are for questions. ``out`` is the folder for what is
        delivered (default: ``knowflow-out`` in the current directory). ``max_repairs`` bounds how often the plan may be
        repaired (0: failures are only diagnosed). Without ``memory`` nothing counts that earlier runs taught, and
        nothing is learned from this one. A run that is estimated to take longer than ``max_hours`` (default: 6) is
        refused with the estimate. ``llm`` is as for :meth:`plan`. With ``variants`` above 1 so many ways to answer are
        compared (other methods, usual values of parameters), and the best is returned with :attr:`RunResult.variants`.
        ``after`` is a run of whose question this may be a change ("and in 2017?"): its data and assumptions hold where
        no others are given. ``on_plan`` is called with the :class:`PlanResult` before anything runs.
        """
        from knowflow.model.plan import Plan

        planned: PlanResult | None = None
        try:
            given, request = None, None
            if isinstance(query, Plan):
                said: dict[str, object] = {"data": data, "aoi": aoi, "at": at, "dates": dates, "set": set}
                said |= {"assume": assume, "template": template, "after": after}
                refuse_changes_of_plan(**said, variants=variants if variants > 1 else None)
                planned = self._engine.checked(query)
            else:
                before = None if after is None else self.trace(after)
                of = dict(before.request).get("data") if data is None and before is not None else data
                given = self._given(query, of, aoi, at, dates, set, assume, template, llm)
                request = _going_on(given.request(refresh), before)
                request = replace(request, pixels=max_repairs != 0, memory=memory)
                planned = self._engine.planned(request)
            if on_plan is not None:
                on_plan(planned)
            if dry_run:
                return result_of_plan(self._with_ways(request, planned, variants))
            folder = Path(out if out is not None else "knowflow-out").resolve()
            carrying = CarryingOut(self._engine, self._runner, runner, on_event, max_hours, max_repairs, memory)
            if given is None or request is None:
                trace = carrying.once(planned, folder)
            elif variants > 1:
                trace = carrying.compared(request, planned, variants, self.catalogue, folder)
            else:
                planned, trace = carrying.answered(given, request, planned, folder)
        except KnowFlowError as error:
            return with_report(refused(_text(query), error, planned), planned, self.home, self._presenter)
        except OSError as error:  # the run's own record cannot be kept
            return replace(refused(_text(query), refusal(error), planned), status="failed")
        return result_of(trace, planned.notes)

    def _given(
        self,
        query: str | Expression,
        data: Data | None,
        aoi: str | None,
        at: At,
        dates: str | None,
        settings: Mapping[str, Any] | None,
        assume: Sequence[str],
        template: str | None,
        llm: bool | Model,
    ) -> Given:
        from knowflow.service.asked_points import said_place

        if data is None:
            raise PlanningError("a question needs a folder of data", expected="data", found="nothing")
        return Given(query, data, aoi, said_place(at, self.home), dates, settings, assume, template, llm)

    def _with_ways(self, request: Request | None, planned: PlanResult, variants: int) -> PlanResult:
        """A plan that is only made, with the ways to answer that would be compared."""
        if request is None or variants < 2:
            return planned
        found = ways_of(self._engine, self.catalogue, request, planned, variants)
        told = (f"would compare: {'; '.join(one.name for one in found)}",) if found else ()
        return replace(planned, notes=(*planned.notes, *told))

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
            policy = policy_of(max_repairs, memory)
            return result_of(self._engine.resumed(run_id, again, folder, on_event, policy), told)
        except OSError as error:
            raise refusal(error) from error

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

    # --- the machine -----------------------------------------------------------------------------------------------

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


def _text(query: str | Expression | Plan) -> str:
    from knowflow.model.plan import Plan

    return query.query if isinstance(query, Plan) else words_of(query)


def _going_on(request: Request, before: Trace | None) -> Request:
    """A request that may be a change of the one before."""
    if before is None:
        return request
    from knowflow.service.next_question import going_on

    return going_on(request, before)
