"""What is wrong with a case from before its data are looked at to its end, and what must not have happened meanwhile.

Each is entered before the data are written, and yields a look at the case's folder: what is wrong there, in words.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.abc import MetaPathFinder
from pathlib import Path
from unittest.mock import patch

from knowflow_bench.faults.injection.sources import ADDRESS

KEY = "sk-echoed-0123456789abcdef"
"""The key that a language model is asked with where it is looked for afterwards."""
Look = Callable[[Path], str]


def _nothing(folder: Path) -> str:
    return ""


@contextmanager
def addressed(folder: Path) -> Iterator[Look]:
    """An address that nobody may ask anything."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_HEAD = do_GET  # noqa: N815  (the name that the server looks for)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        with patch.dict(os.environ, {ADDRESS: f"http://127.0.0.1:{server.server_address[1]}"}):
            yield lambda _: f"{asked[0]} was fetched from an address that the data name" if asked else ""
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def database_is_a_folder(folder: Path) -> Iterator[Look]:
    """Where the state keeps its small databases, there are folders."""
    for name in ("digests.sqlite", "rules.sqlite"):
        (folder / "home" / name).mkdir(parents=True)
    yield _nothing


@contextmanager
def without_chromadb(folder: Path) -> Iterator[Look]:
    """The package for vectors is not there, and nothing of it was kept."""
    loaded = {name: module for name, module in sys.modules.items() if not _of_chromadb(name)}
    with (
        patch.dict(sys.modules, loaded, clear=True),
        patch.object(sys, "meta_path", [_Absent(), *sys.meta_path]),
        patch.dict(os.environ, {"KNOWFLOW_HOME": str(folder / "state")}),
    ):
        yield _nothing


def _of_chromadb(name: str) -> bool:
    return name.partition(".")[0] == "chromadb"


class _Absent(MetaPathFinder):
    """Finds that chromadb is not installed."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if _of_chromadb(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def secret_key(folder: Path) -> Iterator[Look]:
    """A key that must not be written anywhere."""

    def look(place: Path) -> str:
        found = [path for path in place.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
        return f"the key stands in {found[0].name}" if found else ""

    yield look


SURROUNDINGS: Mapping[str, Callable[[Path], AbstractContextManager[Look]]] = {
    "addressed": addressed,
    "database_is_a_folder": database_is_a_folder,
    "without_chromadb": without_chromadb,
    "secret_key": secret_key,
}
