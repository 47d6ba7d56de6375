"""One connection to a server of tools: opened for a run, asked from any of its threads, ended with it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYetError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from knowflow.ground.errors import KnowFlowError, ToolCrashError, ToolError, ToolTimeoutError, UnknownNameError
from knowflow.ground.extras import require_extra
from knowflow.ground.json_text import json_value
from knowflow.ground.spelling import did_you_mean
from knowflow.tools.context import check_cancelled
from knowflow.tools.mcp.servers import ServerEntry

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client
    from mcp.types import CallToolResult

_TURN_S = 0.1
_START_S = 30.0
_LAST_WORDS = 2000

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Connection:
    """A server that answers. Safe for threads: several calls may be under way."""

    name: str
    tools: tuple[str, ...]
    _portal: BlockingPortal
    _client: Client
    _said: IO[str]

    def call(self, tool: str, arguments: Mapping[str, Any], seconds: float, on_progress: Progress) -> Any:
        """What a tool of the server returns: its structured result, else its text, read as JSON where it is.

        Raises:
            UnknownNameError: it has no such tool.
            ToolError: it says that the call failed.
            ToolTimeoutError: it did not answer in time.
            ToolCrashError: it ended, or its answer is none.
            RunInterruptedError: the run was asked to stop.
        """
        where = f"{self.name}/{tool}"
        if tool not in self.tools:
            raise UnknownNameError(
                f"the server {self.name} has no tool {tool!r}",
                expected=f"one of {', '.join(self.tools)}",
                found=tool,
                hint=did_you_mean(tool, self.tools) or None,
            )

        async def progress(progress: float, total: float | None, message: str | None) -> None:
            if total:
                on_progress(progress / total)

        async def ask() -> CallToolResult:
            most = seconds + _START_S  # the shorter time is kept here, where others are heard, too
            return await self._client.call_tool(tool, dict(arguments), most, progress)

        asked: Future[CallToolResult] = self._portal.start_task_soon(ask)
        try:
            answer = _awaited(asked, seconds, where)
        except KnowFlowError:
            raise
        except (CancelledError, Exception) as error:
            found = f"{_innermost(error)} {_end_of(self._said)}".strip()
            raise ToolCrashError(f"the server {self.name} gave no answer", where=where, found=found) from error
        return _value(answer, where)


@contextmanager
def connected(name: str, entry: ServerEntry, folder: Path) -> Iterator[Connection]:
    """Start a server, or reach one; a process that was started is ended at the end.

    Raises:
        MissingExtraError: the ``mcp`` package is not installed.
        ToolCrashError: there is no such program, nobody is at the address, or it does not speak the protocol.
    """
    require_extra("mcp", "mcp")
    from anyio.from_thread import start_blocking_portal
    from mcp import Client, StdioServerParameters, stdio_client

    with ExitStack() as stack:
        said = stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"))
        try:
            portal = stack.enter_context(start_blocking_portal())
            reached: Any = entry.url
            if entry.command:
                program, *rest = entry.command
                started = StdioServerParameters(command=program, args=rest, env=dict(entry.env), cwd=folder)
                reached = stdio_client(started, errlog=said)
            client = Client(reached, read_timeout_seconds=_START_S)
            stack.enter_context(portal.wrap_async_context_manager(client))
            listed = portal.call(client.list_tools)
        except Exception as error:
            expected, found = entry.url or " ".join(entry.command), f"{_innermost(error)} {_end_of(said)}".strip()
            raise ToolCrashError(f"the server {name} cannot be reached", expected=expected, found=found) from error
        yield Connection(name, tuple(tool.name for tool in listed.tools), portal, client, said)


def _innermost(error: BaseException) -> str:
    """What happened, out of the groups that errors of concurrent tasks come in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}".strip().rstrip(":")


def _end_of(said: IO[str]) -> str:
    said.seek(0)
    return said.read()[-_LAST_WORDS:].strip()


def _awaited(asked: Future[CallToolResult], seconds: float, where: str) -> CallToolResult:
    """The answer to a call, which is taken back where the run is to stop, or it takes too long."""
    until = time.monotonic() + seconds
    while True:
        try:
            return asked.result(timeout=_TURN_S)
        except NotYetError:
            if asked.done():
                raise
        try:
            check_cancelled()
            if time.monotonic() > until:
                hint = "raise timeout_s in the tool's schema, or in mcp.yaml"
                raise ToolTimeoutError(
                    "the server took too long", where=where, expected=f"{seconds:g} s", found="no answer", hint=hint
                )
        except Exception:
            asked.cancel()
            raise


def _value(answer: CallToolResult, where: str) -> Any:
    text = "\n".join(block.text for block in answer.content if block.type == "text")
    if answer.is_error:
        raise ToolError("the server says that the call failed", where=where, found=text or "no reason")
    structured = answer.structured_content
    if structured is not None:
        alone = isinstance(structured, dict) and [*structured] == ["result"]
        return structured["result"] if alone else structured
    try:
        return json_value(text)
    except ValueError:
        return text
