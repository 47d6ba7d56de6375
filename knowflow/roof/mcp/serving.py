"""The streams of the server: standard ones for a client that started it, HTTP on this machine for others."""

from __future__ import annotations

import socket
from typing import Any

import anyio
import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server

from knowflow.ground.errors import ServerError

HOST = "127.0.0.1"


def serve_streams(server: Server[Any]) -> None:
    """Serve the client that started this process, until it closes standard input."""

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(server: Server[Any], port: int) -> None:
    """Serve clients of this machine by streamable HTTP at ``http://127.0.0.1:PORT/mcp``, until interrupted.

    Raises:
        ServerError: the port is taken.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            expected, found = "a free port of this machine", error.strerror or str(error)
            raise ServerError(
                "the port cannot be used",
                where=f"{HOST}:{port}",
                expected=expected,
                found=found,
                hint="another --http PORT",
            ) from error
    uvicorn.run(server.streamable_http_app(host=HOST), host=HOST, port=port, log_level="warning")
