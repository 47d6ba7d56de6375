"""Items of STAC: searched in a catalogue by area, period and cloud cover, or read from a file."""

from __future__ import annotations

import asyncio
import hashlib
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from knowflow.ground.errors import PlanningError, RemoteDataError
from knowflow.ground.json_text import json_text, json_value
from knowflow.ground.references import shown, sources_home
from knowflow.model import geo
from knowflow.service.sources.named import Source
from knowflow.tools.remote.vsi import download, failed, is_address, patiently, read_text, state_of

Item = Mapping[str, Any]
INSTALL = 'pip install "knowflow[remote]"'
_MOST_ITEMS = 5000
_PAGE = 100
_BUSY = (429, 500, 502, 503, 504)


def missing(what: str) -> PlanningError:
    """The error of a kind of source whose libraries are not installed."""
    return PlanningError(
        f"{what} cannot be read here", expected="the libraries for data elsewhere", found="not installed", hint=INSTALL
    )


def searched(source: Source, extent: geo.Box | None, period: tuple[str | None, str | None]) -> list[Item]:
    """The items of a collection within an area (west, south, east, north in degrees), a period and a cloud cover.

    Raises:
        RemoteDataError: the catalogue does not answer, or not whole.
        PlanningError: there are too many, or the library for it is not installed.
    """
    try:
        import pystac_client
        from pystac_client.exceptions import APIError
        from pystac_client.stac_api_io import StacApiIO
        from requests.exceptions import RequestException
        from urllib3 import Retry
    except ImportError as error:
        raise missing("a STAC catalogue") from error
    clouds = source.narrowed.get("cloud_cover")
    asked: dict[str, Any] = {"collections": [source.collection], "limit": _PAGE, "max_items": _MOST_ITEMS + 1}
    if extent is not None:
        asked["bbox"] = list(extent)
    if any(period):
        asked["datetime"] = "/".join(one or ".." for one in period)
    delay = float(os.environ.get("GDAL_HTTP_RETRY_DELAY", "0.5"))
    timeout = float(os.environ.get("GDAL_HTTP_TIMEOUT", "60"))

    def attempt() -> list[Item]:
        again = Retry(total=4, backoff_factor=delay, status_forcelist=_BUSY, allowed_methods=None)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what a catalogue says, and does not say, of itself
                client = pystac_client.Client.open(
                    source.address, stac_io=StacApiIO(max_retries=again, timeout=timeout)
                )
                if clouds is not None and client.conforms_to("QUERY"):
                    asked["query"] = {"eo:cloud_cover": {"lte": float(clouds)}}
                found: list[Item] = list(client.search(**asked).items_as_dicts())
        except (RequestException, APIError, ValueError, KeyError, NotImplementedError) as error:
            raise failed(source.address, str(error) or type(error).__name__) from None
        return found

    found = patiently(source.address, attempt)
    if len(found) > _MOST_ITEMS:
        raise PlanningError(
            "the search finds too many items",
            where=source.address,
            expected=f"at most {_MOST_ITEMS}",
            found="more",
            hint="narrow it: --aoi, --dates, or ?cloud_cover=PERCENT behind the name of the collection",
        )
    return found if clouds is None else [one for one in found if _clouds(one) <= float(clouds)]


def _clouds(item: Item) -> float:
    """The cloud cover of an item in per cent; that of one that tells none counts as 0."""
    said = (item.get("properties") or {}).get("eo:cloud_cover")
    return float(said) if isinstance(said, int | float) else 0.0


def items_in(source: Source) -> list[Item]:
    """The items of a file: a collection of items in JSON, or stac-geoparquet.

    Raises:
        PlanningError: it holds none, or the library for it is not installed.
        RemoteDataError: it cannot be read where it lies.
    """
    path = source.address
    if path.casefold().endswith("parquet"):
        found = _of_parquet(path)
    else:
        data = json_value(read_text(path) if is_address(path) else Path(path).read_bytes())
        found = data.get("features", [data]) if isinstance(data, dict) else []
    items: list[Item] = [one for one in found if isinstance(one, dict) and "stac_version" in one and "assets" in one]
    if not items:
        raise PlanningError("the file holds no STAC items", where=shown(path), expected="a collection of STAC items")
    return items


def _of_parquet(path: str) -> list[Any]:
    try:
        import rustac
    except ImportError as error:
        raise missing("stac-geoparquet") from error
    if is_address(path):
        state = state_of(path)
        name = hashlib.sha256(json_text([path, state.etag, state.size]).encode()).hexdigest()[:32]
        copy = sources_home() / "whole" / f"{name}.parquet"
        download(path, copy, state)
        path = str(copy)

    async def read() -> Any:
        return await rustac.read(path)

    try:
        found = asyncio.run(read())
    except Exception as error:  # what its own language throws has no class here
        raise RemoteDataError(
            "the file cannot be read", where=path, expected="stac-geoparquet", found=str(error)
        ) from error
    return list(found.get("features", []))
