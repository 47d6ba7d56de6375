"""The commands that open doors for programs: agents, and clients of OGC API - Processes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.options import named
from knowflow.roof.cli.output import AsJson, emit, facade


def mcp(
    root: Annotated[
        list[Path] | None,
        typer.Option(
            "--root", metavar="DIR", parser=named, help="Folder that clients may read and write in (repeatable)."
        ),
    ] = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http", metavar="PORT", min=1, max=65535, help="Serve at http://127.0.0.1:PORT/mcp, not standard streams."
        ),
    ] = None,
    tools: Annotated[
        str | None,
        typer.Option("--tools", metavar="PACK", help="Offer a pack of tools under its own names: earth_agent."),
    ] = None,
    compat: Annotated[
        bool, typer.Option("--compat", help="With --tools: published numbers where those are known to be wrong.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", parser=named, help="With --tools: where outputs are written, in a root."),
    ] = None,
) -> None:
    """Serve agents by the Model Context Protocol.

    Over standard streams a client that starts this command may use the folders of --root; without any, those that it
    opens itself (roots of the client). Over HTTP only those of --root are open.
    """
    from knowflow.ground.extras import require_extra

    require_extra("mcp", "mcp")
    if tools is None and (compat or out is not None):
        raise typer.BadParameter("is for a pack of tools", param_hint="--compat" if compat else "--out")
    if http is not None and not root:
        raise typer.BadParameter("clients over HTTP need folders that are open to them", param_hint="--root")
    from knowflow.roof.mcp.server import server_of
    from knowflow.roof.mcp.serving import serve_http, serve_streams

    if tools is None:
        from knowflow.roof.mcp.questions import offers

        offered = offers()
    else:
        from knowflow.roof.mcp.pack import pack_offers

        offered = pack_offers(tools, facade().tools(), compat=compat, out=None if out is None else out.resolve())
    server = server_of(offered, root or (), client_roots=http is None)
    if http is None:
        serve_streams(server)
    else:
        typer.echo(f"http://127.0.0.1:{http}/mcp", err=True)
        serve_http(server, http)


def ogc(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", parser=named, help="File to write, for pygeoapi (YAML).")],
    root: Annotated[
        list[Path],
        typer.Option("--root", metavar="DIR", parser=named, help="Folder that clients may name data in (repeatable)."),
    ],
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="Where clients find the server.")
    ] = "http://localhost:5000",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", parser=named, help="Folder for results and jobs (default: jobs, beside)."),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Make templates processes of OGC API: a pygeoapi configuration.

    Each that answers is described, and executed at once or in the background; the process `ask` takes any question.
    """
    from knowflow.ground.extras import require_extra
    from knowflow.ground.yaml_text import written
    from knowflow.roof.ogc.configuration import answering, configuration

    require_extra("ogc", "pygeoapi")
    jobs = (out or config.parent / "jobs").resolve()
    templates = answering(facade().templates().values())
    jobs.mkdir(parents=True, exist_ok=True)
    config.write_text(written(configuration(templates, root, jobs, url)), encoding="utf-8")
    if json_:
        emit({"config": str(config), "processes": ["ask", *(one.template for one in templates)]})
        return
    typer.echo(f"{config}: {len(templates) + 1} processes", err=True)
    typer.echo(f"pygeoapi openapi generate {config} --output-file openapi.yml")
    typer.echo(f"PYGEOAPI_CONFIG={config} PYGEOAPI_OPENAPI=openapi.yml pygeoapi serve")
