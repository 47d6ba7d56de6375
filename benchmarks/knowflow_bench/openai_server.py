"""A local server that speaks the OpenAI protocol and says what a test tells it: answers, garbage, errors, nothing."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

MODEL = "test-model"
_LONGEST_SILENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply to a completion request.

    ``text`` (or, where it is not text, its JSON) is the message's content. A ``status`` other than 200 is an error
    with ``text`` as its message. ``silent`` says nothing until the client is gone or the server stops; ``drip`` sends
    a byte now and then, for ever: a client that only waits for the next byte waits for ever too.
    """

    text: Any = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    tokens: int | None = 100
    finish: str = "stop"
    tool_calls: Sequence[tuple[str, str]] = ()
    silent: bool = False
    drip: bool = False
    raw: bytes | None = None


Say = Callable[[Mapping[str, Any]], Reply]


class OpenAIServer:
    """The server's address and what it was asked: ``requests`` are the bodies, ``keys`` what came with them."""

    def __init__(self, replies: Sequence[Reply | str | Mapping[str, Any]] | Say) -> None:
        self._say = replies if callable(replies) else _in_turn(replies)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.stopped = threading.Event()
        server = self

        class Handler(_Handler):
            owner = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def reply_to(self, body: Mapping[str, Any]) -> Reply:
        return self._say(body)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.stopped.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@contextmanager
def openai_server(*replies: Reply | str | Mapping[str, Any], say: Say | None = None) -> Iterator[OpenAIServer]:
    """A running server that gives these replies in turn, the last one for ever, or what ``say`` makes of a request.

    A text is the content of a message, a mapping its JSON.
    """
    server = OpenAIServer(say or replies)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _in_turn(replies: Sequence[Reply | str | Mapping[str, Any]]) -> Say:
    waiting = [reply if isinstance(reply, Reply) else Reply(reply) for reply in replies]
    lock = threading.Lock()

    def say(body: Mapping[str, Any]) -> Reply:
        with lock:
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return say


class _Handler(BaseHTTPRequestHandler):
    owner: ClassVar[OpenAIServer]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "test"}]}
        self._send(200, json.dumps(models).encode(), {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.owner.requests.append(body)
        self.owner.keys.append(self.headers.get("Authorization", "").removeprefix("Bearer "))
        reply = self.owner.reply_to(body)
        if reply.silent:
            self.owner.stopped.wait(_LONGEST_SILENCE_S)
            self.close_connection = True
        elif reply.drip:
            self._drip()
        elif reply.raw is not None:
            self._send(reply.status, reply.raw, reply.headers)
        elif reply.status != 200:
            error = {"error": {"message": reply.text, "type": "test", "code": None, "param": None}}
            self._send(reply.status, json.dumps(error).encode(), reply.headers)
        else:
            self._send(200, json.dumps(_completion(reply, str(body.get("model")))).encode(), reply.headers)

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        try:
            while not self.owner.stopped.wait(0.02):
                self.wfile.write(b" ")
        except OSError:
            pass
        self.close_connection = True

    def _send(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is written to the screen of a test."""


def _completion(reply: Reply, model: str) -> dict[str, Any]:
    content = reply.text if isinstance(reply.text, str) else json.dumps(reply.text)
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if reply.tool_calls:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(reply.tool_calls)
        ]
    completion: dict[str, Any] = {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
    }
    if reply.tokens is not None:
        completion["usage"] = {
            "prompt_tokens": reply.tokens // 2,
            "completion_tokens": reply.tokens - reply.tokens // 2,
            "total_tokens": reply.tokens,
        }
    return completion
