"""Pages of web servers: a folder's index, an item of a catalogue. Rasters are read by GDAL (:mod:`.vsi`)."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

from knowflow.tools.remote.vsi import failed, patiently

_LONGEST = 64 << 20
_TIMEOUT_S = 60.0
_DEEPEST = 6
_MOST_PAGES = 2000


def page(address: str) -> bytes:
    """The text at an address, whole.

    Raises:
        RemoteDataError: it is not handed out, is cut short, or comes too slowly.
    """
    timeout = float(os.environ.get("GDAL_HTTP_TIMEOUT", _TIMEOUT_S))

    def attempt() -> bytes:
        request = urllib.request.Request(address, headers={"Accept": "*/*", "User-Agent": "knowflow"})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                found: bytes = answer.read(_LONGEST)
                length = answer.headers.get("Content-Length")
        except urllib.error.HTTPError as error:
            with error:
                raise failed(address, f"{error.code} {error.reason}") from None
        except (OSError, http.client.HTTPException) as error:
            raise failed(address, str(getattr(error, "reason", error)) or type(error).__name__) from None
        if length is not None and length.isdigit() and len(found) < min(int(length), _LONGEST):
            raise failed(address, f"{len(found)} of {length} bytes came")
        return found

    return patiently(address, attempt)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [value for name, value in attrs if name == "href" and value]


def linked(address: str) -> tuple[str, ...]:
    """The addresses of all files below a folder of a web server, by its index pages, in a stable order.

    Links that lead out of the folder, or carry a question (columns to sort by), are passed over.

    Raises:
        RemoteDataError: the index cannot be read.
    """
    top = address if address.endswith("/") else f"{address}/"
    waiting, seen, files = [(top, 0)], {top}, []
    while waiting:
        folder, depth = waiting.pop()
        links = _Links()
        links.feed(page(folder).decode("utf-8", "replace"))
        for one in dict.fromkeys(urljoin(folder, link) for link in links.found):
            inside = one.startswith(top) and one not in seen and not urlsplit(one).query and not urlsplit(one).fragment
            if not inside or unquote(one).rstrip("/").rpartition("/")[2].startswith("."):
                continue
            seen.add(one)
            if not one.endswith("/"):
                files.append(one)
            elif depth < _DEEPEST and len(seen) < _MOST_PAGES:
                waiting.append((one, depth + 1))
    return tuple(sorted(files))
