"""A web server that misbehaves on demand: what servers far away do, on this machine, with every byte counted.

It hands out a folder (byte ranges, ETags, index pages), or stands before another server: a stand-in for a bucket or
a catalogue.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import logging
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

FaultKind: TypeAlias = Literal["status", "cut", "slow"]
_LONGEST_WAIT_S = 60.0
_PASSED_ON = ("content-type", "content-length", "content-range", "etag", "last-modified", "location", "accept-ranges")


@dataclass
class Fault:
    """What goes wrong with answers to addresses that hold ``match``, ``times`` over, after ``after`` right ones."""

    kind: FaultKind
    match: str = ""
    times: int = 1
    status: int = 503
    after: int = 0
    struck: int = field(default=0, init=False)
    seen: int = field(default=0, init=False)

    def strikes(self, address: str) -> bool:
        if self.match not in address:
            return False
        self.seen += 1
        if self.seen <= self.after or self.struck >= self.times:
            return False
        self.struck += 1
        return True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what this is about."""


class Served:
    """A folder, or another server (``http://host:port``), handed out at :attr:`address` while the block lasts.

    ``sent`` counts the bytes of bodies by path, ``asked`` the requests; ``faults`` may be changed at any time.
    """

    def __init__(self, what: Path | str, faults: Iterable[Fault] = ()) -> None:
        self.folder = what if isinstance(what, Path) else None
        self.upstream = None if isinstance(what, Path) else urlsplit(what).netloc
        self.faults = list(faults)
        self.sent: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.over = threading.Event()

    def __enter__(self) -> Served:
        server = _Server(("127.0.0.1", 0), _handler_of(self))
        self._server, self._thread = server, threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.host = f"127.0.0.1:{server.server_address[1]}"
        self.address = f"http://{self.host}"
        return self

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def struck(self, address: str) -> Fault | None:
        with self.lock:
            return next((fault for fault in self.faults if fault.strikes(address)), None)


@dataclass
class _Answer:
    status: int
    headers: dict[str, str]
    body: bytes


def _handler_of(served: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            asked = self.rfile.read(length) if length else b""
            fault = served.struck(self.path)
            if fault is not None and fault.kind == "status":
                answer = _Answer(fault.status, {"Retry-After": "0"}, b"")
            elif served.upstream is not None:
                answer = _passed_on(self, served.upstream, asked)
            else:
                answer = _from_folder(served.folder or Path(), self.path, self.headers.get("Range"))
            path = urlsplit(self.path).path
            with served.lock:
                served.asked[path] += 1
                served.sent[path] += 0 if self.command == "HEAD" else len(answer.body)
            self._send(answer, fault)

        do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815  # names of http.server

        def _send(self, answer: _Answer, fault: Fault | None) -> None:
            headers = {"Content-Length": str(len(answer.body)), **answer.headers}
            try:
                self.send_response(answer.status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command == "HEAD":
                    return
                if fault is not None and fault.kind in ("cut", "slow"):
                    self.wfile.write(answer.body[: len(answer.body) // 2])
                    self.wfile.flush()
                    if fault.kind == "slow":
                        served.over.wait(_LONGEST_WAIT_S)
                    self.close_connection = True
                    return
                self.wfile.write(answer.body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *said: Any) -> None:
            pass

    return Handler


def _passed_on(handler: BaseHTTPRequestHandler, upstream: str, body: bytes) -> _Answer:
    connection = http.client.HTTPConnection(upstream, timeout=_LONGEST_WAIT_S)
    try:
        headers = {name: value for name, value in handler.headers.items() if name.casefold() != "connection"}
        connection.request(handler.command, handler.path, body or None, headers)
        answer = connection.getresponse()
        found = answer.read()
        kept = {name: value for name, value in answer.getheaders() if name.casefold() in _PASSED_ON}
        return _Answer(answer.status, kept, found)
    finally:
        connection.close()


def _from_folder(folder: Path, address: str, wanted: str | None) -> _Answer:
    path = folder / unquote(urlsplit(address).path).lstrip("/")
    if path.is_dir():
        if not urlsplit(address).path.endswith("/"):
            return _Answer(301, {"Location": f"{urlsplit(address).path}/"}, b"")
        names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in path.iterdir())
        links = "".join(f'<a href="{name}">{name}</a>\n' for name in ("../", "?C=N;O=D", *names))
        return _Answer(200, {"Content-Type": "text/html"}, f"<html><body>{links}</body></html>".encode())
    if not path.is_file():
        return _Answer(404, {}, b"")
    whole = path.read_bytes()
    headers = {"ETag": f'"{hashlib.sha256(whole).hexdigest()[:32]}"', "Accept-Ranges": "bytes"}
    if wanted is None:
        return _Answer(200, headers, whole)
    first, _, last = wanted.partition("=")[2].partition("-")
    start, end = int(first), min(int(last or len(whole) - 1), len(whole) - 1)
    if start > end:
        return _Answer(416, headers, b"")
    headers["Content-Range"] = f"bytes {start}-{end}/{len(whole)}"
    return _Answer(206, headers, whole[start : end + 1])


S3_OF_HERE = {
    "AWS_ACCESS_KEY_ID": "someone",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_HTTPS": "NO",
    "AWS_VIRTUAL_HOSTING": "FALSE",
}
"""The usual variables for an object store on this machine, but for ``AWS_S3_ENDPOINT``, which is its host and port."""


@contextmanager
def object_store(folder: Path, bucket: str) -> Iterator[Served]:
    """moto's S3 server with the files of a folder in a bucket, behind a server that counts and misbehaves."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it tells of every request
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        upstream = f"http://{host}:{port}"
        put(upstream, f"/{bucket}", b"")
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                put(upstream, f"/{bucket}/{path.relative_to(folder).as_posix()}", path.read_bytes())
        with Served(upstream) as served:
            yield served
    finally:
        server.stop()


def put(address: str, path: str, body: bytes) -> None:
    """Put an object into a store that asks for no signature."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=_LONGEST_WAIT_S)
    try:
        connection.request(
            "PUT",
            path,
            body,
            {"Authorization": "AWS4-HMAC-SHA256 Credential=someone/20220101/us-east-1/s3/aws4_request"},
        )
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise OSError(f"PUT {path}: {answer.status} {answer.reason}")
    finally:
        connection.close()


@contextmanager
def catalogue(items: Sequence[Mapping[str, Any]], folder: Path) -> Iterator[Served]:
    """``rustac serve`` with some items, behind a server that counts and misbehaves."""
    program = shutil.which("rustac", path=str(Path(sys.executable).parent)) or shutil.which("rustac") or "rustac"
    listed = folder / "items.json"
    listed.write_text(json.dumps({"type": "FeatureCollection", "features": list(items)}), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        bind = f"127.0.0.1:{free.getsockname()[1]}"
    with Served(f"http://{bind}") as served:
        command = [program, "serve", str(listed), "--addr", served.address, "--bind", bind]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(bind, process)
            yield served
        finally:
            process.terminate()
            process.wait()


def _wait_for(bind: str, process: subprocess.Popen[bytes]) -> None:
    host, _, port = bind.partition(":")
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise OSError(f"rustac does not serve at {bind}")
