"""Zarr stores, on disk or elsewhere, for the library of that name: keys are objects below an address.

A chunk that a store does not have is of its fill value, says the format; one that a server has lost would be read as
such, too. Where a store can be listed, what is listed has to come; where it cannot (web servers), every chunk has to.
https://zarr-specs.readthedocs.io
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from knowflow.ground.errors import PlanningError, RemoteDataError
from knowflow.ground.json_text import json_text
from knowflow.ground.references import State
from knowflow.tools.remote.vsi import is_address, listed, read, state_of

INSTALL = 'pip install "knowflow[remote]"'
_DOCUMENTS = ("zarr.json", ".zmetadata", ".zgroup", ".zarray", ".zattrs")


def store_of(address: str) -> Any:
    """A store that the library reads, on disk or elsewhere.

    Raises:
        PlanningError: the library is not installed.
    """
    try:
        import zarr
    except ImportError as error:
        raise PlanningError(
            "a Zarr store cannot be read here", expected="the libraries for it", found="not installed", hint=INSTALL
        ) from error
    if not is_address(address):
        return zarr.storage.LocalStore(address, read_only=True)
    return _elsewhere(address)


def state_of_store(address: str) -> State:
    """What tells the states of a store apart: the names, sizes and times of all its files. Elsewhere its metadata, with
    the names of all objects where they can be listed.

    Raises:
        RemoteDataError: it cannot be had.
    """
    if not is_address(address):
        files = sorted(path for path in Path(address).rglob("*") if path.is_file())
        said = [(str(path.relative_to(address)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
        return State(_digest(said), sum(size for _, size, _ in said))
    if address.startswith("http"):
        return _state_by_metadata(address)
    found = [(one, state_of(one)) for one in listed(address) if os.path.basename(one) in _DOCUMENTS]
    names = [one.removeprefix(address) for one in listed(address)]
    return State(_digest([names, [state.etag for _, state in found]]), sum(state.size for _, state in found))


def _state_by_metadata(address: str) -> State:
    for name in _DOCUMENTS[:2]:
        try:
            return state_of(f"{address}/{name}")
        except RemoteDataError as error:
            last = error
    raise last


def _digest(said: Any) -> str:
    return hashlib.sha256(json_text(said).encode()).hexdigest()


@lru_cache(maxsize=8)
def _elsewhere(address: str) -> Any:
    from zarr.abc.store import OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest

    class Elsewhere(Store):
        """Objects below an address, read only."""

        supports_writes = supports_deletes = False

        def __init__(self) -> None:
            super().__init__(read_only=True)
            self.names = None if address.startswith("http") else frozenset(listed(address))

        @property
        def supports_listing(self) -> bool:
            return self.names is not None

        def __eq__(self, other: object) -> bool:
            return self is other

        def has(self, key: str) -> bool:
            return self.names is None or f"{address}/{key}" in self.names

        async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
            if not self.has(key):
                return None
            try:
                found = await asyncio.to_thread(_part, f"{address}/{key}", byte_range)
            except RemoteDataError as error:
                if self.names is None and os.path.basename(key) in _DOCUMENTS and _gone(error):
                    return None
                raise
            return prototype.buffer.from_bytes(found)

        async def get_partial_values(self, prototype: Any, key_ranges: Iterable[tuple[str, Any]]) -> list[Any]:
            return [await self.get(key, prototype, one) for key, one in key_ranges]

        async def exists(self, key: str) -> bool:
            return self.has(key) if self.names is not None else await self.get(key, _plain()) is not None

        async def list(self) -> AsyncIterator[str]:
            for name in sorted(self.names or ()):
                yield name.removeprefix(f"{address}/")

        async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
            async for key in self.list():
                if key.startswith(prefix):
                    yield key

        async def list_dir(self, prefix: str) -> AsyncIterator[str]:
            start = f"{prefix.rstrip('/')}/" if prefix else ""
            inside = {key.removeprefix(start).partition("/")[0] async for key in self.list_prefix(start)}
            for name in sorted(inside):
                yield name

        async def set(self, key: str, value: Any) -> None:
            raise NotImplementedError

        async def delete(self, key: str) -> None:
            raise NotImplementedError

    def _part(name: str, wanted: Any) -> bytes:
        if isinstance(wanted, RangeByteRequest):
            return read(name, wanted.start, wanted.end - wanted.start)
        size = state_of(name).size
        if isinstance(wanted, OffsetByteRequest):
            return read(name, wanted.offset, size - wanted.offset)
        if isinstance(wanted, SuffixByteRequest):
            return read(name, size - wanted.suffix, wanted.suffix)
        return read(name, 0, size)

    return Elsewhere()


def _plain() -> Any:
    from zarr.core.buffer import default_buffer_prototype

    return default_buffer_prototype()


def _gone(error: RemoteDataError) -> bool:
    return "404" in str(error.found)
