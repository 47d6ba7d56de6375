"""Rasters that lie elsewhere, as files of one's own: a reference has their header, and where their pixels are.

A reference is a virtual raster of GDAL's under the name that the raster has, in ``sources`` of the state folder. To the
house it is a file of data like any other: it opens without the network, and its text (address, ETag, size, window) is
what it is keyed by. Its pixels are in another file there once something has fetched them
(:mod:`knowflow.tools.remote.fetch`); until then reading them fails. Nothing but KnowFlow writes references.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from xml.etree import ElementTree as Xml

from knowflow.ground.json_text import json_text, json_value
from knowflow.ground.resources import state_home

FOLDER = "sources"
_DOMAIN, _KEY = "knowflow", "REFERENCE"
_BEGINS = b"<VRTDataset"


@dataclass(frozen=True, slots=True)
class State:
    """What a server said of an object when it was looked at: its ETag, or else what tells its states apart; bytes."""

    etag: str
    size: int


@dataclass(frozen=True, slots=True)
class Part:
    """A window (row, column, rows, columns) of a raster elsewhere, and the row and column of the reference where it
    begins; ``warped``: it lies on another grid, and goes to that of the reference by nearest neighbour.

    Of an array of a cube (``ADDRESS#ARRAY``) ``chosen`` is the place along the axes before its rows, which run from
    south to north where it is ``turned``, and ``band`` the band of the reference that it fills; 0: all of them.
    """

    address: str
    state: State
    window: tuple[int, int, int, int]
    place: tuple[int, int] = (0, 0)
    warped: bool = False
    chosen: tuple[int, ...] = ()
    turned: bool = False
    band: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Part:
        lists = {name: tuple(data[name]) for name in ("window", "place", "chosen")}
        return Part(**{**data, **lists, "state": State(**data["state"])})


@dataclass(frozen=True, slots=True)
class Reference:
    """What a reference says of itself: its parts, later ones below earlier ones, and the file of its pixels."""

    parts: tuple[Part, ...]
    pixels: Path

    @property
    def fetched(self) -> bool:
        return self.pixels.is_file()

    @property
    def addresses(self) -> str:
        """Where the pixels come from, for people."""
        return "; ".join(dict.fromkeys(one.address for one in self.parts))

    @property
    def states(self) -> str:
        """Of which states they are, for people."""
        return "; ".join(dict.fromkeys(f"ETag {one.state.etag}, {one.state.size} bytes" for one in self.parts))


def sources_home() -> Path:
    """The folder of all references and of their pixels."""
    return state_home() / FOLDER


def is_reference(path: str | Path) -> bool:
    """Whether a file is a reference: one of ours, in our own folder."""
    name = os.path.abspath(path)
    if f"{os.sep}{FOLDER}{os.sep}" not in name or not name.startswith(f"{sources_home()}{os.sep}"):
        return False
    try:
        with open(name, "rb") as stream:
            return stream.read(len(_BEGINS)) == _BEGINS
    except OSError:
        return False


def reference_of(path: str | Path) -> Reference | None:
    """What a reference says of itself; None of any other file."""
    if not is_reference(path):
        return None
    name = os.path.abspath(path)
    return _read(name, os.stat(name).st_mtime_ns)


@lru_cache(maxsize=4096)
def _read(path: str, _state: int) -> Reference | None:
    root = Xml.parse(path).getroot()
    said = root.findtext(f"Metadata[@domain='{_DOMAIN}']/MDI[@key='{_KEY}']")
    source = root.findtext(".//SourceFilename")
    if said is None or source is None:
        return None
    parts = tuple(Part.from_json(one) for one in json_value(said))
    return Reference(parts, Path(os.path.normpath(os.path.join(os.path.dirname(path), source))))


def write_reference(path: Path, root: Xml.Element, parts: tuple[Part, ...], pixels: Path) -> None:
    """Write a virtual raster as a reference; every source of its bands becomes the file of its pixels."""
    for old in root.findall(f"Metadata[@domain='{_DOMAIN}']"):
        root.remove(old)
    listed = Xml.SubElement(root, "Metadata", domain=_DOMAIN)
    Xml.SubElement(listed, "MDI", key=_KEY).text = json_text([one.to_json() for one in parts])
    for source in root.iter("SourceFilename"):
        source.set("relativeToVRT", "1")
        source.text = os.path.relpath(pixels, path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(Xml.tostring(root))
    draft.replace(path)


def shown(address: str) -> str:
    """An address as anybody may read it: what is signed or secret stands behind its question mark, or before its @."""
    if "://" not in address:
        return address
    said = urlsplit(address)
    return urlunsplit((said.scheme, said.netloc.rpartition("@")[2], said.path, "", ""))
