"""Commands about knowledge: checking documents, looking at tools and templates, writing new ones."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from knowflow.roof.cli.completion import template_names
from knowflow.roof.cli.options import OfTemplate, ToolName, named
from knowflow.roof.cli.output import AsJson, emit, facade, tell_problems

if TYPE_CHECKING:
    from knowflow.model.template import Template
    from knowflow.model.tool import ToolSchema


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", parser=named, help="Files or folders; default: all knowledge."),
    ] = None,
    write_schemas: Annotated[
        Path | None,
        typer.Option("--write-schemas", metavar="DIR", help="Write JSON Schemas for editors into this folder."),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Find every problem of authored documents.

    Templates, tool schemas, task cards, rules and plans: all problems at once, with file, line and what to do.
    """
    service = facade()
    written: list[Path] = []
    if write_schemas is not None:
        from knowflow.roof.schemas import json_schemas
        from knowflow.roof.schemas import write_schemas as write

        written = write(write_schemas, json_schemas(service.catalogue))
    tell_problems(None if written and not paths else service.check(paths or ()), written, json_)


def list_tools(
    kit: Annotated[str | None, typer.Option("--kit", metavar="KIT", help="Only the tools of this kit.")] = None,
    json_: AsJson = False,
) -> None:
    """All tools."""
    found: list[ToolSchema] = list(facade().tools().values())
    kits = sorted({tool.kit for tool in found})
    if kit is not None and kit not in kits:
        raise typer.BadParameter(f"{kit!r} is not one of {', '.join(kits)}", param_hint="--kit")
    found = [tool for tool in found if kit is None or tool.kit == kit]
    if json_:
        emit([{name: getattr(tool, name) for name in ("tool", "kit", "layers", "title", "source")} for tool in found])
        return
    from knowflow.roof.terminal.catalogue import show_tools
    from knowflow.roof.terminal.console import output

    show_tools(output(), found)


def show_tool(name: ToolName, json_: AsJson = False) -> None:
    """One tool: parameters, conditions, effects."""
    tool = facade().catalogue.tool(name)
    if json_:
        emit(tool.model_dump(mode="json", by_alias=True, exclude_defaults=True))
        return
    from knowflow.roof.terminal.catalogue import show_tool as show
    from knowflow.roof.terminal.console import output

    show(output(), tool)


def list_templates(
    layer: Annotated[
        int | None, typer.Option("--layer", metavar="N", min=1, max=3, help="Only the templates of this layer.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """All templates."""
    found = [one for one in facade().templates().values() if layer is None or one.layer == layer]
    if json_:
        emit({"templates": [_summary(template) for template in found]})
        return
    from knowflow.roof.terminal.catalogue import show_templates
    from knowflow.roof.terminal.console import output

    show_templates(output(), found)


def _summary(template: Template) -> dict[str, object]:
    return {
        "template": template.template,
        "title": template.title,
        "layer": template.layer,
        "domain": template.domain,
        "method_of": template.method_of,
        "defines": template.defines,
        "answers": template.answers,
    }


def show_template(name: OfTemplate, json_: AsJson = False) -> None:
    """One template: parameters, steps, outputs."""
    template = facade().catalogue.template(name)
    if json_:
        emit(template.model_dump(mode="json", by_alias=True, exclude_defaults=True))
        return
    from knowflow.roof.terminal.catalogue import show_template as show
    from knowflow.roof.terminal.console import output

    show(output(), template)


def search_templates(
    query: Annotated[str, typer.Argument(metavar="WORDS", help="A question or a few words.")], json_: AsJson = False
) -> None:
    """Find what answers a question, with scores."""
    if not query.strip():
        raise typer.BadParameter("there is nothing to search for", param_hint="WORDS")
    from knowflow.knowledge.retrieval import retrieve

    found = retrieve(query)
    if json_:
        hits, near = ([asdict(hit) for hit in part] for part in (found.hits, found.near_misses))
        emit({"query": query, "threshold": found.threshold, "hits": hits, "near_misses": near})
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.plans import retrieved

    if found.abstained:
        typer.echo("Nothing is close enough; the nearest are:", err=True)
    output().print(retrieved(found))


def new_template(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name in lower case, words joined by _.")],
    json_: AsJson = False,
) -> None:
    """Write a new, commented template.

    It goes where your own knowledge lives and runs as it stands: change it, check it, test it.
    """
    from knowflow.roof.scaffold import write_template

    path = write_template(name)
    if json_:
        emit({"template": name, "file": str(path)})
        return
    from knowflow.roof.notation import place

    typer.echo(place(path))
    typer.echo(f"Next: edit it, then `knowflow check {place(path)}` and `knowflow templates test {name}`.", err=True)
    hides = [str(other) for hidden, other in facade().catalogue.shadowed if hidden == name]
    if hides:
        typer.echo(f"Note: it now stands in for {name} of {hides[0]}, in every question.", err=True)


def render_template(
    name: OfTemplate,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Write the drawing to this file.")] = None,
    json_: AsJson = False,
) -> None:
    """Draw the steps of a template (Mermaid or SVG)."""
    from knowflow.graph.export import to_mermaid
    from knowflow.roof.outline import outline

    plan = outline(facade().catalogue.template(name))
    if svg is not None:
        from knowflow.roof.drawing import draw

        svg.parent.mkdir(parents=True, exist_ok=True)
        svg.write_text(draw(plan), encoding="utf-8")
    if json_:
        emit({"template": name, "mermaid": to_mermaid(plan), "svg": None if svg is None else str(svg)})
    else:
        typer.echo(str(svg) if svg is not None else to_mermaid(plan), nl=svg is not None)


def run_template_tests(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Templates; default: all.", autocompletion=template_names),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Leave the scenes in this folder, to try them.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """Run templates on scenes of known truth."""
    from knowflow.ground.errors import EXIT_OK, EXIT_PROBLEMS

    results = facade().test_templates(names or None, keep=keep)
    passed = all(one.passed for one in results)
    if json_:
        emit({"passed": passed, "tests": [one.to_json() for one in results]})
    else:
        from knowflow.roof.terminal.console import output
        from knowflow.roof.terminal.problems import show_tests

        show_tests(output(), results)
    raise typer.Exit(EXIT_OK if passed else EXIT_PROBLEMS)
