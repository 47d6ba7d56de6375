"""The server: what a client lists, and what it calls, carried out in a thread that tells how far it is and can stop."""

from __future__ import annotations

import math
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import anyio
import mcp_types as types
from anyio import from_thread, to_thread
from mcp.server import Server, ServerRequestContext

from knowflow import __version__
from knowflow.ground.errors import KnowFlowError, RunInterruptedError, UnknownNameError
from knowflow.ground.json_text import json_text, strict
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.system import refusal
from knowflow.ground.waiting import listening
from knowflow.roof.library import KnowFlow
from knowflow.roof.mcp.jobs import Job
from knowflow.roof.mcp.offers import Offer
from knowflow.roof.roots import Roots

_ROOTS = "roots"
_FAILED = ("failed", "refused", "interrupted")
_AT_ONCE = 4
"""Calls that are carried out at the same time; more wait for their turn."""

_INSTRUCTIONS = (
    "Answers questions about folders of Earth-observation data by checked workflows. Begin with `suggest` or"
    " `inventory` for an unknown folder, then `ask`. What is refused says what was expected, found, and what to do."
)


def server_of(
    offers: Sequence[Offer], roots: Sequence[Path], *, client_roots: bool = False, instructions: str = _INSTRUCTIONS
) -> Server[Any]:
    """A server of these tools. ``client_roots``: where no roots are given, those that the client names are open; only
    for clients that act for the user of this machine."""
    desk = _Desk({one.name: one for one in offers}, tuple(one.resolve() for one in roots), client_roots)
    return Server(
        "knowflow",
        version=__version__,
        title="KnowFlow",
        instructions=instructions,
        on_list_tools=desk.listed,
        on_call_tool=desk.called,
        lifespan=desk.open,
    )


class _Desk:
    """Where calls come in."""

    def __init__(self, offers: Mapping[str, Offer], roots: tuple[Path, ...], client_roots: bool) -> None:
        self._offers = offers
        self._roots = roots
        self._client_roots = client_roots
        self._turns = threading.BoundedSemaphore(_AT_ONCE)
        self._under_way: set[Job] = set()

    @asynccontextmanager
    async def open(self, server: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """While the server is there; whatever is under way then does not keep its process from ending."""
        yield {}
        for job in tuple(self._under_way):
            job.stop()

    async def listed(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=one.name,
                    title=one.title,
                    description=one.description,
                    input_schema=dict(one.arguments),
                    output_schema=dict(one.gives),
                    annotations=types.ToolAnnotations(read_only_hint=one.looks_only, open_world_hint=False),
                )
                for one in self._offers.values()
            ]
        )

    async def called(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        roots = await self._roots_of(context, params)
        if isinstance(roots, types.InputRequiredResult):
            return roots
        return await self._carried_out(context, params.name, params.arguments or {}, Roots(roots))

    async def _roots_of(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> tuple[Path, ...] | types.InputRequiredResult:
        """The folders that are open to a call; or the question for those of the client, which comes again with them."""
        capabilities = context.session.client_capabilities
        if self._roots or not self._client_roots or capabilities is None or capabilities.roots is None:
            return self._roots
        found = (params.input_responses or {}).get(_ROOTS)
        if found is None and context.session.can_send_request:
            found = await context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
        if found is None:
            return types.InputRequiredResult(input_requests={_ROOTS: types.ListRootsRequest()})
        named = found.roots if isinstance(found, types.ListRootsResult) else []
        files = [urlparse(str(one.uri)) for one in named]
        return tuple(Path(unquote(one.path)).resolve() for one in files if one.scheme == "file")

    async def _carried_out(
        self, context: ServerRequestContext[Any], name: str, arguments: Mapping[str, Any], roots: Roots
    ) -> types.CallToolResult:
        send, receive = anyio.create_memory_object_stream[tuple[float, int | None, str]](math.inf)
        token = anyio.lowlevel.current_token()

        def tell(done: float, whole: int | None, message: str) -> None:
            with suppress(anyio.ClosedResourceError, RuntimeError):  # the client, or the server, is gone
                from_thread.run_sync(send.send_nowait, (done, whole, message), token=token)

        async def report() -> None:
            async for done, whole, message in receive:
                await context.session.report_progress(done, whole, message)

        job = Job(KnowFlow(), roots, tell)
        async with anyio.create_task_group() as group:
            group.start_soon(report)
            try:
                found = await to_thread.run_sync(partial(self._answer, job, name, arguments), abandon_on_cancel=True)
            finally:
                job.stop()
                send.close()
        return found

    def _answer(self, job: Job, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """What a call comes to, in a thread of its own; every error is one that a client can read."""
        self._under_way.add(job)
        try:
            with listening(job.hear), self._turns:
                found = strict(self._offer(name).call(arguments, job))
        except KeyboardInterrupt:
            return _refused(RunInterruptedError("stopped on request"))
        except KnowFlowError as error:
            return _refused(error)
        except OSError as error:
            return _refused(refusal(error))
        except Exception as error:
            return _refused(KnowFlowError(f"a defect of KnowFlow: {type(error).__name__}: {error}"))
        finally:
            self._under_way.discard(job)
        failed = isinstance(found, dict) and found.get("status") in _FAILED
        alone = found.get("result") if isinstance(found, dict) and [*found] == ["result"] else found
        text = alone if isinstance(alone, str) else json_text(alone)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=found, is_error=failed)

    def _offer(self, name: str) -> Offer:
        found = self._offers.get(name)
        if found is None:
            hint = did_you_mean(name, self._offers) or None
            expected = "a tool that the server lists"
            raise UnknownNameError(f"no tool is called {name!r}", expected=expected, found=name, hint=hint)
        return found


def _refused(error: KnowFlowError) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=str(error))], structured_content={"error": error.to_json()}, is_error=True
    )
