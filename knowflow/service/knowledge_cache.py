"""The loaded catalogue, kept between calls (without its documents): hundreds of files are read once per change."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import knowflow
from knowflow.ground.errors import ToolError
from knowflow.ground.resources import resources
from knowflow.knowledge.catalogue import Catalogue, load_catalogue

_DIGEST = hashlib.sha256().digest_size
_last: tuple[str, Catalogue] | None = None  # of this process, whatever the home


def catalogue_of(home: Path) -> Catalogue:
    """The catalogue of the search path, from ``home`` where nothing has changed since it was read.

    A kept catalogue that cannot be read is made anew; one that cannot be written costs only time.
    """
    global _last
    state = _fingerprint()
    kept = home / "catalogue" / f"{state}.pickle"
    if _last is not None and _last[0] == state:
        catalogue = _last[1]
        if kept.exists():
            return catalogue
    else:
        with suppress(OSError, AttributeError, ImportError):  # written by other code
            found = _whole(kept.read_bytes())
            if isinstance(found, Catalogue):
                _last = state, found
                return found
        catalogue = replace(with_generated(load_catalogue()), documents={})
        _last = state, catalogue
    with suppress(OSError):
        _keep(catalogue, kept)
    return catalogue


def with_generated(catalogue: Catalogue) -> Catalogue:
    """The catalogue with a tool for every algorithm of GDAL that no authored tool runs.

    Where GDAL's library cannot be loaded they are left out; ``knowflow doctor`` says so.
    """
    from knowflow.tools.gdal import generated_schemas

    with suppress(ToolError):
        return replace(catalogue, tools={**generated_schemas(catalogue.tools.values()), **catalogue.tools})
    return catalogue


def _whole(content: bytes) -> object:
    """What was kept, behind the digest that it was kept with; None where it is damaged."""
    digest, body = content[:_DIGEST], content[_DIGEST:]
    return pickle.loads(body) if hashlib.sha256(body).digest() == digest else None


def _keep(catalogue: Catalogue, destination: Path) -> None:
    destination.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=destination.parent)
    with os.fdopen(handle, "wb") as file:
        body = pickle.dumps(catalogue, protocol=pickle.HIGHEST_PROTOCOL)
        file.write(hashlib.sha256(body).digest() + body)
    for old in destination.parent.glob("*.pickle"):
        old.unlink(missing_ok=True)
    Path(name).replace(destination)


def _fingerprint() -> str:
    """Changes with every authored file (path, size, time) and with the code that reads them."""
    digest = hashlib.sha256(f"{knowflow.__version__} {metadata.version('pyogrio')}".encode())
    for path in _files():
        status = path.stat()
        digest.update(f"{path}|{status.st_size}|{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]


def _files() -> Iterator[Path]:
    for kind, pattern in (("schemas", "**/*.yaml"), ("templates", "**/*.yaml"), ("pkb", "quantities/**/*.yaml")):
        for found in resources(kind, pattern):  # type: ignore[arg-type]
            yield found.path
    package = Path(knowflow.__file__).parent
    for layer in ("ground", "model", "knowledge", "graph"):
        yield from sorted((package / layer).glob("*.py"))
