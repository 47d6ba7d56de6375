"""Addresses that are signed: what is secret of them stays in one file of the state folder that only its owner reads.

References, traces and errors hold the address without it. A signature that has expired is renewed by asking the item of
the catalogue again that it came from.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from knowflow.ground.errors import RemoteDataError
from knowflow.ground.json_text import json_text, json_value
from knowflow.ground.locks import locked
from knowflow.ground.references import shown, sources_home

T = TypeVar("T")
_FILE = "signed.json"
_SIGNED = re.compile(
    r"(^|&)(sig|signature|token|sas|access_token|api_?key|key|expires|policy|x-(amz|goog)-[\w-]+|awsaccesskeyid)=", re.I
)


def without_secret(address: str) -> str:
    """The address as it may be written down; an address whose question is no signature keeps it."""
    said = urlsplit(address) if "://" in address else None
    if said is None or not (said.username or _SIGNED.search(said.query)):
        return address
    return shown(address)


def keep(address: str, item: str | None = None, asset: str | None = None) -> str:
    """Remember a signed address, and the item and asset that it came from; what may be written down of it."""
    plain = without_secret(address)
    if plain != address:
        with locked(sources_home() / f".{_FILE}.lock"):
            _write({**_all(), plain: {"address": address, "item": item, "asset": asset}})
    return plain


def signed(plain: str) -> str:
    """The address to ask for, of one that was written down."""
    known = _all().get(plain)
    return plain if known is None else str(known["address"])


def asked(plain: str, ask: Callable[[str], T]) -> T:
    """What is asked of an address that was written down; once more where its signature has expired and is renewed.

    Raises:
        RemoteDataError: it is refused all the same.
    """
    try:
        return ask(signed(plain))
    except RemoteDataError:
        if not _renewed(plain):
            raise
    return ask(signed(plain))


def _renewed(plain: str) -> bool:
    """Ask the item of a signed address for its present one: whether there is another."""
    from knowflow.tools.remote.web import page

    known = _all().get(plain)
    if known is None or not known.get("item"):
        return False
    item = json_value(page(str(known["item"])))
    asset = item.get("assets", {}).get(known["asset"], {}) if isinstance(item, dict) else {}
    address = asset.get("href") if isinstance(asset, dict) else None
    if not isinstance(address, str) or address == known["address"] or without_secret(address) != plain:
        return False
    keep(address, known["item"], known["asset"])
    return True


def _all() -> dict[str, Any]:
    try:
        found = json_value((sources_home() / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(data: dict[str, Any]) -> None:
    path = sources_home() / _FILE
    draft = path.with_name(f".{_FILE}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(json_text(data))
    draft.replace(path)
