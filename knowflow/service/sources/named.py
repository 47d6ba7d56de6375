"""What people name as data, told apart by how it is written and by what lies there."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal, TypeAlias
from urllib.parse import parse_qs, urlsplit

from knowflow.ground.errors import DataNotFoundError, PlanningError
from knowflow.ground.json_text import json_value
from knowflow.ground.references import shown
from knowflow.reason.inventory.header import type_of

Kind: TypeAlias = Literal["local", "list", "objects", "object", "pages", "catalogue", "items", "zarr"]
_ADDRESS = re.compile(r"^(s3|gs|az|oss|swift|https?|stac\+https?)://", re.IGNORECASE)
_LISTS = frozenset({".txt", ".lst"})
_ITEMS = frozenset({".json", ".geojson", ".parquet", ".geoparquet"})
_OF_CATALOGUES = frozenset({"cloud_cover", "assets"})


@dataclass(frozen=True, slots=True)
class Source:
    """One source: its kind and address; of a catalogue the collection, and what its search is narrowed by."""

    kind: Kind
    address: str
    collection: str = ""
    narrowed: dict[str, str] = field(default_factory=dict)

    @property
    def elsewhere(self) -> bool:
        return _ADDRESS.match(self.address) is not None

    @property
    def dated(self) -> bool:
        """Whether it is asked for a period, and not for all that it has."""
        return self.kind in ("catalogue", "zarr", "list")

    @property
    def shown(self) -> str:
        """Where it lies, for people."""
        return shown(self.address) + (f"/collections/{self.collection}" if self.collection else "")

    @property
    def title(self) -> str:
        """What a folder of it is called."""
        path = urlsplit(self.address).path if self.elsewhere else self.address
        last = self.collection or os.path.basename(path.rstrip("/"))
        stem = last if self.kind in ("local", "objects", "pages", "catalogue") else last.partition(".")[0]
        return re.sub(r"[^\w.+-]", "_", stem) or "data"


def is_plain(texts: tuple[str, ...]) -> bool:
    """Whether data are one folder or file of the user's own, which are used where they are."""
    return len(texts) == 1 and not _ADDRESS.match(texts[0]) and source_of(texts[0]).kind == "local"


def source_of(text: str) -> Source:
    """What a text names.

    Raises:
        PlanningError: it is an address of no kind that is read. DataNotFoundError: nothing is there.
    """
    if text.casefold().startswith("stac+"):
        return _catalogue(text)
    suffix = os.path.splitext(urlsplit(text).path.rstrip("/") if _ADDRESS.match(text) else text)[1].casefold()
    if suffix == ".zarr":
        return Source("zarr", text.rstrip("/"))
    if _ADDRESS.match(text):
        if suffix in _ITEMS - {".geojson"}:
            return Source("items", text)
        if type_of(PurePath(urlsplit(text).path)) is not None and not text.endswith("/"):
            return Source("object", text)
        return Source("pages" if text.casefold().startswith("http") else "objects", text)
    path = Path(text)
    if suffix in _LISTS and path.is_file():
        return Source("list", text)
    if suffix in _ITEMS and path.is_file() and (suffix.endswith("parquet") or _holds_items(path)):
        return Source("items", text)
    return Source("local", text)


def listed_in(source: Source) -> tuple[str, ...]:
    """The files and addresses that a list names, a line each; relative ones count from the list. ``#`` begins a remark.

    Raises:
        DataNotFoundError: it names nothing, or a file that is not there.
    """
    folder = Path(source.address).parent
    try:
        lines = Path(source.address).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataNotFoundError("the list of files cannot be read", where=source.address, found=str(error)) from error
    names = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    found = [one if _ADDRESS.match(one) else os.path.normpath(folder / one) for one in names]
    gone = [one for one in found if not _ADDRESS.match(one) and not os.path.exists(one)]
    if gone or not found:
        raise DataNotFoundError(
            "the list names files that are not there" if gone else "the list names no file",
            where=source.address,
            expected="a file or address on each line, relative ones from the folder of the list",
            found=", ".join(gone[:5]) or "nothing",
            hint="a folder is named itself: --data DIR; lists end in .txt",
        )
    return tuple(dict.fromkeys(found))


def _catalogue(text: str) -> Source:
    said = urlsplit(text[len("stac+") :])
    root, mark, collection = said.path.partition("/collections/")
    narrowed = {name: values[-1] for name, values in parse_qs(said.query).items()}
    if not mark or not collection.strip("/") or not narrowed.keys() <= _OF_CATALOGUES:
        raise PlanningError(
            "not the address of a collection in a STAC catalogue",
            where="--data",
            expected="stac+https://HOST/collections/NAME, with ?cloud_cover=PERCENT&assets=KEY,KEY behind it or not",
            found=text,
        )
    address = f"{said.scheme}://{said.netloc}{root}"
    return Source("catalogue", address, collection.strip("/").removesuffix("/items"), narrowed)


def _holds_items(path: Path) -> bool:
    try:
        data = json_value(path.read_bytes())
    except (OSError, ValueError):
        return False
    if not isinstance(data, dict):
        return False
    listed = data.get("features") if data.get("type") == "FeatureCollection" else None
    return isinstance(listed, list) and bool(listed) and isinstance(listed[0], dict) and "stac_version" in listed[0]
