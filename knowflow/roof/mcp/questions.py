"""What agents may ask of KnowFlow: the facade's own methods, with their results as plain data."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from knowflow.ground.errors import PlanningError
from knowflow.roof.cli.options import MaxHours, MaxRepairs, TemplateName
from knowflow.roof.mcp import results
from knowflow.roof.mcp.jobs import Job
from knowflow.roof.mcp.offers import Offer, offer_of
from knowflow.service.request import Model
from knowflow.service.results import RunResult

Question = Annotated[str, "A question in plain words."]
Folder = Annotated[Path, "Folder with the imagery."]
Area = Annotated[str | None, "Vector file, or WEST,SOUTH,EAST,NORTH in degrees."]
At = Annotated[str | None, "Point, as LON,LAT in degrees, or file of points: the value there, over dates the series."]
Dates = Annotated[str | None, "Period of the data to use, as START/END."]
Given = Annotated[dict[str, Any] | None, "Values of what the question or its template leaves open, by name."]
Assume = Annotated[list[str] | None, "Facts of the data that no file tells, as crs=EPSG:32633."]
Out = Annotated[Path | None, "Folder for results and report (default: a new one in knowflow-out, in the first root)."]
Memory = Annotated[bool, "Use what earlier runs taught, and learn from this one."]
Reader = Annotated[Model, "When the language model that the user configured reads the question, too."]
Run = Annotated[str, "Id of the run, or its beginning."]
Word = Annotated[str | None, "Only this one, in full."]


def ask(
    job: Job,
    question: Question,
    data: Annotated[Path | None, "Folder with the imagery; with `after` that of the run before."] = None,
    after: Annotated[str | None, "Run that this goes on from: `and in 2017?`, `only in the forest`."] = None,
    aoi: Area = None,
    at: At = None,
    dates: Dates = None,
    set: Given = None,
    assume: Assume = None,
    template: TemplateName = None,
    out: Out = None,
    max_repairs: MaxRepairs = None,
    max_hours: MaxHours = None,
    memory: Memory = True,
    llm: Reader = "never",
) -> dict[str, Any]:
    """Answer a question about a folder of Earth-observation data.

    The question is read, planned, checked and run; what fails is repaired where a rule knows how. The result holds what
    was understood, the answer with its unit, what was assumed, the files written and the report. A question that cannot
    be answered is refused with what was expected, what was found and a hint: mostly an `assume` that is lacking. With
    `after` the question may be a change of an earlier one; what is changed is told with the answer.
    """
    if after is not None:
        job.roots.require(job.service.trace(after).plan)
    return _told(
        job.service.run(
            question,
            data,
            aoi=None if aoi is None else job.roots.place(aoi),
            at=None if at is None else job.roots.place(at),
            dates=dates,
            set=set,
            assume=assume or (),
            template=template,
            out=_out(out, job),
            max_repairs=max_repairs,
            max_hours=max_hours,
            memory=memory,
            llm=llm,
            after=after,
            on_event=job.on_event,
            on_plan=job.on_plan,
        )
    )


def read(
    job: Job,
    question: Question,
    data: Annotated[Path | None, "Folder whose names are known, too."] = None,
    at: At = None,
    assume: Assume = None,
    llm: Reader = "never",
) -> dict[str, Any]:
    """Show how a question is read, and run nothing.

    The result is the question as an expression and in plain words, with the words behind each part; or which words were
    not understood. `run` takes an expression.
    """
    return job.service.read(
        question, data, at=None if at is None else job.roots.place(at), assume=assume or (), llm=llm
    ).to_json()


def plan(
    job: Job,
    question: Question,
    data: Folder,
    aoi: Area = None,
    at: At = None,
    dates: Dates = None,
    set: Given = None,
    assume: Assume = None,
    template: TemplateName = None,
    memory: Memory = True,
    llm: Reader = "never",
    save: Annotated[Path | None, "File to write the plan to, as YAML, for `run`."] = None,
) -> dict[str, Any]:
    """Show the checked workflow that would answer a question, and run nothing.

    The result holds nodes and edges with the reasons for each, what nobody knows of the data, and what it will cost.
    """
    planned = job.service.plan(
        question,
        data,
        aoi=None if aoi is None else job.roots.place(aoi),
        at=None if at is None else job.roots.place(at),
        dates=dates,
        set=set,
        assume=assume or (),
        template=template,
        memory=memory,
        llm=llm,
    )
    job.roots.require(planned.plan)
    if save is not None:
        from knowflow.knowledge.plan_document import save_plan

        save_plan(planned.plan, save)
    return planned.to_json()


def check(job: Job, paths: Annotated[list[Path], "Files or folders of YAML documents."]) -> dict[str, Any]:
    """Find every problem of authored documents.

    Templates, tool schemas, task cards, rules, plans and written questions: all problems at once, with file, line, what
    was expected, what was found and what to do.
    """
    found = job.service.check(paths)
    return {"problems": [problem.to_json() for problem in found]}


def run(
    job: Job,
    plan: Annotated[Path | None, "A plan that `plan` saved."] = None,
    expression: Annotated[dict[str, Any] | None, "A question as an expression, as `read` shows it; needs data."] = None,
    data: Annotated[Path | None, "Folder with the imagery, for an expression."] = None,
    resume: Annotated[str | None, "Id of a run that was interrupted or failed, to go on with."] = None,
    out: Out = None,
    max_repairs: MaxRepairs = None,
    memory: Memory = True,
) -> dict[str, Any]:
    """Execute a saved plan or an expression, or go on with a run.

    What was finished is not computed again.
    """
    given = [name for name, one in (("plan", plan), ("expression", expression), ("resume", resume)) if one is not None]
    if len(given) != 1:
        expected = "one of plan, expression, resume"
        raise PlanningError("nobody knows what to run", expected=expected, found=", ".join(given) or "none")
    if resume is not None:
        job.roots.require(job.service.trace(resume).plan)
        again = job.service.resume(resume, out=out, max_repairs=max_repairs, memory=memory, on_event=job.on_event)
        return _told(again)
    return _told(
        job.service.run(
            _written(plan, expression),
            data,
            out=_out(out, job),
            max_repairs=max_repairs,
            memory=memory,
            on_event=job.on_event,
            on_plan=job.on_plan,
        )
    )


def explain(job: Job, run: Run) -> dict[str, Any]:
    """How a run came to its answer.

    What was asked, decided and assumed, every node, what went wrong, why, what was done about it, and which rules speak
    of it.
    """
    trace = job.service.trace(run)
    job.roots.require(trace.plan)
    return {"run": trace.to_json(), "explained": job.service.explain_repairs(run).to_json()}


def edit(
    job: Job,
    run: Run,
    set: Annotated[dict[str, Any] | None, "NODE.PARAMETER to its new value; null takes it away."] = None,
    replace: Annotated[dict[str, str] | None, "Node to another tool for it."] = None,
    insert: Annotated[list[tuple[str, str]] | None, "Pairs of a tool and the place NODE.PARAMETER before it."] = None,
    drop: Annotated[list[str] | None, "NODE.PARAMETER[ITEM], by number or date, or nodes to leave out."] = None,
    assume: Annotated[list[str] | None, "What numbers of its files stand for, as FILE:FACT=VALUE."] = None,
    plan: Annotated[Path | None, "An edited plan instead of single changes."] = None,
    dry_run: Annotated[bool, "Show what would be computed again, and change nothing."] = False,
    max_repairs: MaxRepairs = None,
    memory: Memory = True,
) -> dict[str, Any]:
    """Change a run that ended, and go on with it.

    What was finished and does not depend on the change is not computed again.
    """
    from knowflow.service.run_edits import Change

    change = Change(set, replace, tuple(insert or ()), tuple(drop or ()), tuple(assume or ()), plan)
    job.roots.require(job.service.trace(run).plan)
    edited = job.service.preview_edit(run, change)
    job.roots.require(edited.plan)
    if dry_run:
        return {"status": "planned", "edit": edited.to_json()}
    result = job.service.edit_run(run, change, max_repairs=max_repairs, memory=memory, on_event=job.on_event)
    return {**_told(result), "edit": edited.to_json()}


def suggest(job: Job, data: Folder, assume: Assume = None, dates: Dates = None) -> dict[str, Any]:
    """List questions that a folder can answer, by topic.

    Each was planned over the folder, so that `ask` answers it. A good first call for unknown data.
    """
    return {"topics": job.service.suggest(data, assume=assume or (), dates=dates)}


def inventory(job: Job, data: Folder, assume: Assume = None, dates: Dates = None) -> dict[str, Any]:
    """Show what is in a folder, and how that is known.

    Layers and files with their facts: quantity, unit, date, sensor, CRS; each measured, declared, derived or assumed.
    """
    return job.service.inventory(data, assume=assume or (), dates=dates).to_json()


def templates(
    job: Job, words: Annotated[str | None, "What is nearest to a question or a few words."] = None, name: Word = None
) -> dict[str, Any]:
    """List the workflows that experts wrote, or show one in full.

    What is found by words is a template, which `name` shows in full, or a kind of question for `ask`.
    """
    if name is not None:
        return job.service.catalogue.template(name).model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if words is not None:
        from knowflow.knowledge.retrieval import retrieve

        found = retrieve(words)
        known = job.service.templates()
        hits = [(one, one.id in known) for one in (*found.hits, *found.near_misses)]
        return {"found": [{"id": o.id, "title": o.title, "score": o.score, "template": is_one} for o, is_one in hits]}
    told = {"template", "title", "layer", "domain", "answers"}
    return {"templates": [one.model_dump(mode="json", include=told) for one in job.service.templates().values()]}


def memory(job: Job, name: Word = None) -> dict[str, Any]:
    """List what earlier runs taught in this project, or show one rule or template of it.

    Nothing is changed: what counts is for the user to decide (`knowflow memory approve`).
    """
    book = job.service.memory()
    if name is not None:
        found = book.one(name)
        return {**found.learned.model_dump(mode="json", by_alias=True, exclude_defaults=True), **found.to_json()}
    kept, problems = book.all()
    return {"memory": [one.to_json() for one in kept], "problems": [one.to_json() for one in problems]}


def offers() -> tuple[Offer, ...]:
    """Everything that clients are offered of KnowFlow itself."""
    works: Mapping[Callable[..., Any], Any] = {
        ask: results.Answer,
        run: results.Answer,
        plan: results.Planned,
        edit: results.Edited,
    }
    looks: Mapping[Callable[..., Any], Any] = {
        read: results.Reading,
        check: results.Checked,
        explain: results.Explained,
        suggest: results.Suggested,
        inventory: results.Held,
        templates: results.Templates,
        memory: results.Remembered,
    }
    return tuple(offer_of(one, gives, looks_only=one in looks) for one, gives in {**works, **looks}.items())


def _told(result: RunResult) -> dict[str, Any]:
    return result.to_json()


def _out(given: Path | None, job: Job) -> Path:
    """Where results go: each call of its own, as clients call several at once."""
    own = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    return given if given is not None else job.roots.allowed(f"knowflow-out/{own}")


def _written(plan: Path | None, expression: dict[str, Any] | None) -> Any:
    """A saved plan, or an expression that was given as data.

    Raises:
        DocumentError: it is not valid; every problem is listed.
    """
    if plan is not None:
        from knowflow.knowledge.plan_document import load_plan

        return load_plan(plan)
    from knowflow.question.document import question_of

    return question_of(expression)
