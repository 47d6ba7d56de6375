"""The commands and their groups. Everything heavier than typer is imported by the command that needs it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import copy
from typing import Annotated

import typer
from typer.main import get_command_name
from typer.models import CommandInfo

from knowflow.roof.cli import (
    agents,
    bench,
    completion,
    knowledge,
    leaving,
    looking,
    machine,
    memory,
    models,
    questions,
    rules,
    run_edits,
    talking,
)

CONTEXT = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="knowflow",
    help="From a sentence and a folder of Earth-observation files to a checked, executed and explained answer.",
    epilog="Exit codes: 0 fine, 1 found problems, 2 bad usage or input, 3 the run failed.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=CONTEXT,
)
tools = typer.Typer(help="The tools that plans are made of.", no_args_is_help=True, rich_markup_mode=None)
templates = typer.Typer(help="The workflows that experts wrote.", no_args_is_help=True, rich_markup_mode=None)
runs = typer.Typer(help="What was run, and going on with it.", no_args_is_help=True, rich_markup_mode=None)


def asked_alone(given: Sequence[str]) -> typer.Typer:
    """The app with none but the command or group that is asked for: to look at the options of all others costs more
    than the command line itself. All of it where none is, so that it can say which there are."""
    if completion.VARIABLE in os.environ:
        from typer._completion_classes import completion_init

        completion_init()
        return app
    asked = next((word for word in given if not word.startswith("-")), "")
    alone = copy(app)
    alone.registered_commands = [one for one in app.registered_commands if _name(one) == asked]
    alone.registered_groups = [one for one in app.registered_groups if one.name == asked]
    return alone if alone.registered_commands or alone.registered_groups else app


def _name(command: CommandInfo) -> str:
    return command.name or get_command_name(command.callback.__name__ if command.callback else "")


def _version(asked: bool) -> None:
    if asked:
        from knowflow import __version__

        typer.echo(f"knowflow {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    trust_data: Annotated[
        bool,
        typer.Option("--trust-data", help="Data may name addresses to fetch, and files outside of their folder."),
    ] = False,
) -> None:
    if trust_data:  # before anything that opens data is imported, and for the processes that are started
        os.environ["KNOWFLOW_TRUST_DATA"] = "on"


app.command()(questions.demo)
app.command()(questions.run)
app.command()(talking.ask)
app.command()(questions.plan)
app.command()(looking.read)
app.command()(looking.suggest)
app.command()(looking.data)
app.command()(knowledge.check)
app.command()(leaving.export)
app.command("import")(leaving.import_process)
app.command()(leaving.whence)
app.add_typer(tools, name="tools")
app.add_typer(templates, name="templates")
app.add_typer(models.app, name="models")
app.add_typer(rules.app, name="rules")
app.add_typer(runs, name="runs")
app.add_typer(memory.app, name="memory")
app.add_typer(bench.app, name="bench")
app.command()(machine.ui)
app.command()(agents.mcp)
app.command()(agents.ogc)
app.command()(machine.doctor)
app.command()(completion.completion)

tools.command("list")(knowledge.list_tools)
tools.command("show")(knowledge.show_tool)
tools.command("run")(questions.run_tool)
tools.command("part")(leaving.carry_out_part)

templates.command("list")(knowledge.list_templates)
templates.command("show")(knowledge.show_template)
templates.command("search")(knowledge.search_templates)
templates.command("new")(knowledge.new_template)
templates.command("render")(knowledge.render_template)
templates.command("test")(knowledge.run_template_tests)

runs.command("list")(machine.list_runs)
runs.command("show")(machine.show_run)
runs.command("diff")(machine.diff_runs)
runs.command("judge")(machine.judge_run)
runs.command("export")(machine.export_run)
runs.command("prune")(machine.prune_runs)
runs.command("resume")(questions.resume)
runs.command("edit")(run_edits.edit_run)
