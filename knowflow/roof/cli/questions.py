"""Commands that answer: demo, run, plan, resume, and single tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knowflow.roof.cli.answering import Tell, announce_server, answer_with
from knowflow.roof.cli.completion import tool_names
from knowflow.roof.cli.options import (
    LOCAL,
    PREFECT,
    Area,
    Assume,
    At,
    Data,
    Dates,
    Llm,
    MaxHours,
    MaxRepairs,
    ModelReads,
    NoMemory,
    NoRepair,
    Out,
    OutAgain,
    Query,
    Refresh,
    RunId,
    Runner,
    RunnerAgain,
    Set,
    TemplateName,
    Verbose,
    named,
)
from knowflow.roof.cli.output import AsJson, emit, facade, folder_or, pairs, values

if TYPE_CHECKING:
    from knowflow.model.plan import Plan
    from knowflow.question.operators import Expression
    from knowflow.service.advice import Advice
    from knowflow.service.results import PlanResult, RunResult


def demo(
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", parser=named, help="Folder for data, results (default: knowflow-demo)."),
    ] = None,
    runner: Runner = PREFECT,
    verbose: Verbose = False,
    json_: AsJson = False,
) -> None:
    """Answer three questions on built-in imagery.

    The imagery comes with the installation; no network is needed.
    """
    folder = folder_or(out, "knowflow-demo")

    def ask(on_event: Any, on_plan: Any, tell: Tell) -> None:
        facade().demo(folder, runner=runner, on_event=on_event, on_plan=on_plan, on_result=tell)

    answer_with(ask, json_, demo_json, runner, tree=True, verbose=verbose)


def demo_json(results: Sequence[RunResult]) -> dict[str, Any]:
    """The documented shape of ``demo --json``."""
    return {
        "answers": [
            {
                "query": result.query,
                "status": result.status,
                "answer": result.answer,
                "unit": result.unit,
                "plan_nodes": [node["id"] for node in result.nodes],
                "inserted_nodes": list(result.inserted),
                "assumptions": [str(assumption) for assumption in result.assumptions],
                "outputs": dict(result.outputs),
                "report": result.report,
                "ui": result.ui,
                "error": None if result.error is None else dict(result.error),
            }
            for result in results
        ]
    }


def run(
    query: Query = None,
    data: Data = None,
    aoi: Area = None,
    at: At = None,
    dates: Dates = None,
    set_: Set = None,
    assume: Assume = None,
    template: TemplateName = None,
    out: Out = None,
    runner: Runner = PREFECT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan and check, but compute nothing.")] = False,
    max_repairs: MaxRepairs = None,
    no_repair: NoRepair = False,
    no_memory: NoMemory = False,
    max_hours: MaxHours = None,
    llm: Llm = ModelReads.NEVER,
    refresh: Refresh = False,
    variants: Annotated[
        int,
        typer.Option(
            "--variants",
            metavar="K",
            min=1,
            max=50,
            help="Compare up to K ways to answer: other methods, usual parameters. Says how much it matters.",
            show_default=False,
        ),
    ] = 1,
    explain: Annotated[bool, typer.Option("--explain", help="Say why: the plan, and every repair.")] = False,
    verbose: Verbose = False,
    json_: AsJson = False,
) -> None:
    """Answer a question, or execute a saved plan.

    A question is a sentence, or a YAML file that holds it as an expression. What fails is diagnosed, and repaired where
    a rule knows how; the run goes on from there.
    """
    if query is None and template is None:
        raise typer.BadParameter("a question, a saved plan, or --template NAME", param_hint="QUESTION")
    saved, expression = _written(query or "")
    if data is None and saved is None:
        raise typer.BadParameter("a question needs the folder with the imagery", param_hint="--data")
    given = _given(aoi, at, dates, set_, assume, template, no_memory, llm, refresh)

    def ask(on_event: Any, on_plan: Any, tell: Tell) -> None:
        result = facade().run(
            saved or expression or query or "",
            data,
            out=out,
            runner=runner,
            dry_run=dry_run,
            max_repairs=0 if no_repair else max_repairs,
            max_hours=max_hours,
            variants=variants,
            on_event=on_event,
            on_plan=on_plan,
            **given,
        )
        tell(result)

    who = LOCAL if dry_run else runner
    answer_with(ask, json_, _one, who, explain=explain, tree=explain or dry_run, verbose=verbose, memory=not no_memory)


def plan(
    query: Query = None,
    data: Data = None,
    aoi: Area = None,
    at: At = None,
    dates: Dates = None,
    set_: Set = None,
    assume: Assume = None,
    template: TemplateName = None,
    no_memory: NoMemory = False,
    llm: Llm = ModelReads.NEVER,
    refresh: Refresh = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say why: words, choices, edges, scores.")] = False,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid flowchart.")] = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", parser=named, help="Write the plan as YAML, for `knowflow run`."),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option("--tools", metavar="PACK", help="Plan over a pack of tools, from file names alone: earth_agent."),
    ] = None,
    calls: Annotated[bool, typer.Option("--calls", help="With --tools: print the calls that carry it out.")] = False,
    json_: AsJson = False,
) -> None:
    """Show the workflow that would answer.

    With --tools, --data may be a text file that lists the names of the files.
    """
    if query is None and template is None:
        raise typer.BadParameter("a question, or --template NAME", param_hint="QUESTION")
    query = query or ""
    expression = _written(query)[1] if Path(query).is_file() else None
    if expression is None and _names_a_file(query):
        hint = f"a saved plan is shown by `knowflow run {query} --dry-run --explain`"
        raise typer.BadParameter(hint, param_hint="QUESTION")
    if data is None:
        raise typer.BadParameter("a question needs the folder with the imagery", param_hint="--data")
    if calls and tools is None:
        raise typer.BadParameter("calls are those of a pack of tools", param_hint="--tools")
    if tools is not None:
        from knowflow.roof.cli.pack_plans import show_pack_plan

        if llm is not ModelReads.NEVER:
            raise typer.BadParameter("a language model reads questions, not those over a pack", param_hint="--llm")
        show_pack_plan(query, Path(data[0]), tools, calls=calls, explain=explain, json_=json_)
        return
    given = _given(aoi, at, dates, set_, assume, template, no_memory, llm, refresh)
    planned = facade().plan(expression or query, data, **given)
    if save is not None:
        from knowflow.knowledge.plan_document import save_plan

        save_plan(planned.plan, save)
    _show_planned(planned, facade().advice(planned.plan, memory=not no_memory) if explain else None, mermaid, json_)
    if save is not None and not json_:
        typer.echo(f"Saved: knowflow run {save}", err=True)


def _given(
    aoi: str | None,
    at: str | None,
    dates: str | None,
    set_: Sequence[str] | None,
    assume: Sequence[str] | None,
    template: str | None,
    no_memory: bool,
    llm: ModelReads,
    refresh: bool,
) -> dict[str, Any]:
    """What is given with a question, as the facade takes it."""
    return {
        "aoi": aoi,
        "at": at,
        "dates": dates,
        "set": values(set_ or (), "--set"),
        "assume": assume or (),
        "template": template,
        "memory": not no_memory,
        "llm": llm.value,
        "refresh": refresh,
    }


def _show_planned(planned: PlanResult, advice: Advice | None, mermaid: bool, json_: bool) -> None:
    if json_:
        emit({**planned.to_json(), **({} if advice is None else advice.to_json())})
    elif mermaid:
        from knowflow.graph.export import to_mermaid

        typer.echo(to_mermaid(planned.plan), nl=False)
    else:
        from knowflow.roof.terminal.console import output
        from knowflow.roof.terminal.plans import show_explanation, show_plan

        show_plan(output(), planned)
        if advice is not None:
            show_explanation(output(), planned, advice)


def resume(
    run_id: RunId,
    out: OutAgain = None,
    runner: RunnerAgain = None,
    max_repairs: MaxRepairs = None,
    no_repair: NoRepair = False,
    no_memory: NoMemory = False,
    verbose: Verbose = False,
    json_: AsJson = False,
) -> None:
    """Go on with an interrupted or failed run.

    What was finished is not computed again.
    """
    before = facade().trace(run_id).runner  # fails where there is no such run, before a server is started for it

    def ask(on_event: Any, on_plan: Any, tell: Tell) -> None:
        most = 0 if no_repair else max_repairs
        if on_event is not None and (runner or before) == PREFECT:
            announce_server()
        result = facade().resume(
            run_id,
            out=out,
            runner=runner,
            max_repairs=most,
            memory=not no_memory,
            on_event=on_event,
        )
        tell(result)

    answer_with(ask, json_, _one, verbose=verbose)


def run_tool(
    name: Annotated[str, typer.Argument(metavar="TOOL", help="Name of the tool.", autocompletion=tool_names)],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="PARAMETER=VALUE", help="Its arguments; files as paths.")
    ] = None,
    assume: Assume = None,
    out: Out = None,
    runner: Runner = LOCAL,
    max_hours: MaxHours = None,
    verbose: Verbose = False,
    json_: AsJson = False,
) -> None:
    """Run one tool on files and values.

    It is checked before and after as in a workflow. Several files of a series are joined by commas:
    series=FILE,FILE; so are the bands of a band set: bands=red=FILE,nir=FILE.
    """
    given = pairs(arguments or (), "PARAMETER=VALUE")

    def ask(on_event: Any, on_plan: Any, tell: Tell) -> None:
        if on_event is not None and runner == PREFECT:
            announce_server()
        result = facade().run_tool(
            name,
            given,
            out=out,
            assume=assume or (),
            runner=runner,
            max_hours=max_hours,
            on_event=on_event,
        )
        tell(result)

    answer_with(ask, json_, _one, verbose=verbose)


def _written(text: str) -> tuple[Plan | None, Expression | None]:
    """The saved plan, or the expression, behind the name of a YAML file; neither for a sentence."""
    if not _names_a_file(text):
        return None, None
    path = Path(text)
    from knowflow.ground.errors import DataNotFoundError
    from knowflow.knowledge.catalogue import kind_of
    from knowflow.knowledge.plan_document import load_plan
    from knowflow.question.document import load_question

    if not path.is_file():
        expected = "a plan that `knowflow plan ... --save` wrote, or a question as an expression"
        raise DataNotFoundError("there is no such plan", where=text, expected=expected, found="nothing")
    if kind_of(path) in ("algebra", "question"):
        return None, load_question(path)
    return load_plan(path), None


def _names_a_file(text: str) -> bool:
    return Path(text).suffix.lower() in (".yaml", ".yml") and " " not in text.strip()


def _one(results: Sequence[RunResult]) -> dict[str, Any]:
    return results[0].to_json()
