"""STAC items as files: which of their assets are data, which are told twice, and of which solar day they are."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import urljoin, urlsplit

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.opening import TRUST_VARIABLE, trusted
from knowflow.reason.inventory.header import type_of
from knowflow.service.sources.searching import Item
from knowflow.tools.remote.secrets import keep

_NO_DATA = frozenset({"thumbnail", "overview", "metadata", "visual"})


@dataclass(frozen=True, slots=True)
class Asset:
    """One asset of an item: its key, what it is called as a file, and where it lies."""

    item: Item
    key: str
    file: str
    address: str

    @property
    def said(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.item["assets"][self.key]
        return found

    @property
    def folder(self) -> str:
        return str(self.item.get("id", "item")).replace("/", "_")

    @property
    def layer(self) -> tuple[str, str]:
        """What it has in common with other items' assets that show the same."""
        return str(self.item.get("collection")), self.key


def distinct(items: Iterable[Item]) -> tuple[list[Item], list[str]]:
    """Each item once, by collection and id, the one that was updated last; and what is told of the others."""
    found: dict[tuple[str, str], Item] = {}
    twice = 0
    for one in items:
        key = str(one.get("collection")), str(one.get("id"))
        other = found.get(key)
        twice += other is not None
        if other is None or updated(one) > updated(other):
            found[key] = one
    ordered = sorted(found.values(), key=lambda one: (_moment(one), str(one.get("id"))))
    return ordered, [f"items that the search tells more than once, and that count once: {twice}"] if twice else []


def assets_of(item: Item, base: str, keys: Iterable[str] = ()) -> Iterator[Asset]:
    """The assets of an item that hold data, or those of some keys; ``base`` is where relative addresses count from."""
    wanted = set(keys)
    own = next((link["href"] for link in item.get("links", ()) if link.get("rel") == "self" and "href" in link), None)
    start = own if own is not None and "://" in own else base
    taken: set[str] = set()
    for key, said in item["assets"].items():
        address = said.get("href")
        if not isinstance(address, str) or (key not in wanted if wanted else not _is_data(said)):
            continue
        address = _absolute(address, start)
        if "://" in address:
            address = keep(address, own, key)
        elif not trusted():
            _require_beside(address, base, item)
        file = os.path.basename(_path_of(address))
        if file in taken:
            file = f"{key}{os.path.splitext(file)[1]}".replace("/", "_")
        taken.add(file)
        yield Asset(item, key, file, address)


def solar_day(item: Item) -> str:
    """The day of an item by the sun where it lies."""
    text = _moment(item)
    try:
        moment = dt.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return text[:10]
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    box = item.get("bbox") or (0.0, 0.0, 0.0, 0.0)
    middle = (float(box[0]) + float(box[len(box) // 2])) / 2
    return (moment.astimezone(dt.UTC) + dt.timedelta(hours=middle / 15)).date().isoformat()


def updated(item: Item) -> str:
    """What tells the newer of two versions of an item: its baseline of processing, when it was updated or made."""
    said = item.get("properties") or {}
    names = ("s2:processing_baseline", "processing:version", "updated", "created")
    return " ".join(str(said.get(name) or "") for name in names)


def described(item: Item, assets: Iterable[Asset]) -> dict[str, Any]:
    """The item for the folder of references to some of its assets: what it says of their meaning. Where their pixels
    lie the references say, which are windows of them."""

    def placeless(said: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in said.items() if name not in ("proj:transform", "proj:shape")}

    listed = {one.key: {**placeless(one.said), "href": f"./{one.file}"} for one in assets}
    return {**item, "properties": placeless(item.get("properties") or {}), "assets": listed, "links": []}


def _absolute(address: str, base: str) -> str:
    if "://" in address or address.startswith("/"):
        return address.removeprefix("file://")
    if "://" in base:
        return urljoin(base.replace("s3://", "http+s3://", 1), address).replace("http+s3://", "s3://", 1)
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(base)), address))


def _require_beside(path: str, base: str, item: Item) -> None:
    """Refuse a file of this machine that an item names outside of the folder that it lies in itself, which is somebody
    else's to say."""
    folder = os.path.dirname(os.path.abspath(base))
    if "://" in base or os.path.commonpath((folder, os.path.abspath(path))) != folder:
        raise UnreadableDataError(
            f"the data of item {item.get('id')} are not read",
            where=path,
            expected="addresses, or files in the folder of the items or below it",
            found="a file elsewhere on this machine",
            hint=f"whoever trusts these items says so: knowflow --trust-data ..., or {TRUST_VARIABLE}=on",
        )


def _path_of(address: str) -> str:
    return urlsplit(address).path if "://" in address else address


def _is_data(said: Mapping[str, Any]) -> bool:
    roles = set(said.get("roles") or ())
    return not roles & _NO_DATA and type_of(PurePath(_path_of(str(said.get("href"))))) is not None


def _moment(item: Item) -> str:
    properties = item.get("properties") or {}
    return str(properties.get("datetime") or properties.get("start_datetime") or "")
