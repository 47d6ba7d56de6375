"""Objects elsewhere by GDAL's own virtual files: their names, states and bytes, with bounded patience.

Addresses are those people write (``s3://bucket/key``, ``https://...``). Credentials and endpoints are the variables of
GDAL and of the AWS clients, read by GDAL; so are all options of its network, which are set here where nobody says them.
https://gdal.org/en/stable/user/virtual_file_systems.html
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from knowflow.ground.errors import RemoteDataError
from knowflow.ground.references import State, shown
from knowflow.tools.gdal.library import ERROR_HANDLER, library, names

T = TypeVar("T")
_PREFIXES = {
    **{f"{scheme}://": f"/vsi{scheme}/" for scheme in ("s3", "gs", "az", "oss", "swift")},
    "http://": "/vsicurl/http://",
    "https://": "/vsicurl/https://",
}
# GDAL waits for ever where nobody says for how long
_PATIENCE = {
    "GDAL_HTTP_MAX_RETRY": "3",
    "GDAL_HTTP_RETRY_DELAY": "0.5",
    "GDAL_HTTP_RETRY_CODES": "429,500,502,503,504",
    "GDAL_HTTP_CONNECTTIMEOUT": "15",
    "GDAL_HTTP_LOW_SPEED_TIME": "10",
    "GDAL_HTTP_LOW_SPEED_LIMIT": "1000",
    "GDAL_HTTP_TIMEOUT": "120",
    "GDAL_HTTP_MERGE_CONSECUTIVE_RANGES": "YES",
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
}
_ATTEMPTS = 4
_CHUNK = 1 << 20
_STATUS = re.compile(r"\b(?:HTTP/[\d.]+ |(?:response code|status)\D{0,12})([1-5]\d\d)\b", re.IGNORECASE)
_MEANS = (
    (re.compile(r"\b403\b|AccessDenied|Access Denied|Forbidden|InvalidAccessKeyId|SignatureDoesNotMatch", re.I), "403"),
    (re.compile(r"\b401\b|ExpiredToken|TokenRefreshRequired|expired|Unauthorized", re.I), "401"),
    (re.compile(r"\b404\b|NoSuchKey|NoSuchBucket|does not exist|Not Found", re.I), "404"),
    (re.compile(r"\b429\b|TooManyRequests", re.I), "429"),
    (re.compile(r"\b503\b|SlowDown|ServiceUnavailable", re.I), "503"),
    (re.compile(r"timed? ?out|too slow", re.I), "timeout"),
)
HINTS = {
    "401": "the credentials or the signature of the address have expired: renew them, and search again: --refresh",
    "403": "the server refuses these credentials: check AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_NO_SIGN_REQUEST and so on",
    "404": "it is not there any more, or the name is wrong: search again with --refresh",
    "429": "the server asks to be spared: try again later, the run goes on from there (`knowflow runs resume RUN`)",
    "503": "the server is overloaded: try again later, the run goes on from there (`knowflow runs resume RUN`)",
    "timeout": "the server is too slow: try again later, or allow more: GDAL_HTTP_TIMEOUT, GDAL_HTTP_LOW_SPEED_TIME",
}
_OTHER_HINT = "try again later; what has been fetched stays"


def is_address(text: str) -> bool:
    """Whether a text is an address of objects elsewhere that GDAL reads."""
    return text.startswith(tuple(_PREFIXES))


def gdal_name(address: str) -> str:
    """What GDAL calls an address: ``/vsis3/bucket/key`` of ``s3://bucket/key``."""
    for prefix, own in _PREFIXES.items():
        if address.startswith(prefix):
            return own + address.removeprefix(prefix)
    return address


def options(name: str) -> dict[str, str]:
    """GDAL's options for reading one object, and no other; what the environment says stays."""
    patience = {key: os.environ.get(key, value) for key, value in _PATIENCE.items()}
    return {**patience, "CPL_VSIL_CURL_ALLOWED_FILENAME": name, "CPL_VSIL_CURL_NON_CACHED": name}


def failed(address: str, told: str) -> RemoteDataError:
    """The named error of an object that could not be had; what GDAL or the server said goes without secrets."""
    kind = next((kind for means, kind in _MEANS if means.search(told)), "")
    clean = re.sub(r"(https?://[^\s'\"?]+)\?[^\s'\"]*", r"\1", told).replace(gdal_name(address), shown(address))
    return RemoteDataError(
        "data elsewhere cannot be read",
        where=shown(address),
        expected="an object that the server hands out",
        found=clean.strip()[:500] or "no answer",
        hint=HINTS.get(kind, _OTHER_HINT),
    )


def patiently(address: str, attempt: Callable[[], T], while_waiting: Callable[[], None] | None = None) -> T:
    """What an attempt gives, which is made anew a few times, with growing pauses, where it fails.

    Raises:
        RemoteDataError: it never gave anything.
    """
    pause = float(os.environ.get("GDAL_HTTP_RETRY_DELAY", _PATIENCE["GDAL_HTTP_RETRY_DELAY"]))
    for count in range(_ATTEMPTS):
        try:
            return attempt()
        except RemoteDataError:
            if count == _ATTEMPTS - 1:
                raise
        if while_waiting is not None:
            while_waiting()
        time.sleep(pause * 2**count)
    raise AssertionError  # the last attempt returns or raises


def listed(address: str) -> tuple[str, ...]:
    """The addresses of all objects below a prefix of an object store, in a stable order.

    Raises:
        RemoteDataError: it cannot be listed, or nothing is there.
    """
    folder = address if address.endswith("/") else f"{address}/"

    def attempt() -> tuple[str, ...]:
        with _asking(gdal_name(folder)) as (functions, told):
            functions.VSICurlPartialClearCache(gdal_name(folder).encode())
            found = functions.VSIReadDirRecursive(gdal_name(folder).rstrip("/").encode())
            every = [one for one in names(found, functions) if not one.endswith("/")]
        if not every:
            raise failed(folder, " ".join(told[-1:]) or "404: nothing is listed below it")
        return tuple(sorted(folder + one for one in every))

    return patiently(folder, attempt)


def state_of(address: str) -> State:
    """What a server says of an object now, by one small request.

    Raises:
        RemoteDataError: it does not hand it out.
    """
    return patiently(address, lambda: look(address))


def look(address: str) -> State:
    """As :func:`state_of`, asked once."""
    name = gdal_name(address)
    with _asking(name) as (functions, told):
        functions.VSICurlPartialClearCache(name.encode())
        lines = names(functions.VSIGetFileMetadata(name.encode(), b"HEADERS", None), functions)
        said = {key.strip().casefold(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
        status = next((found[1] for line in reversed(lines) if (found := _STATUS.search(line))), "")
        if not status.startswith("2"):
            raise failed(address, f"{status} {_refusal(functions, name) or ' '.join(told[-1:])}".strip())
        total = said.get("content-range", "").rpartition("/")[2] or said.get("content-length", "")
        etag = said.get("etag") or said.get("last-modified")
        if not total.isdigit():
            raise failed(address, "the server does not say how long it is")
        if etag is None:
            etag = hashlib.sha256(_bytes(functions, name, 0, min(int(total), 1 << 14))).hexdigest()
    return State(etag, int(total))


def download(address: str, target: Path, state: State) -> None:
    """Copy an object to a file, whole or not at all.

    Raises:
        RemoteDataError: it does not come whole.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}")
    draft.write_bytes(read(address, 0, state.size))
    draft.replace(target)


def read(address: str, start: int, size: int) -> bytes:
    """So many bytes of an object.

    Raises:
        RemoteDataError: they do not come.
    """
    name = gdal_name(address)

    def attempt() -> bytes:
        with _asking(name) as (functions, told):
            functions.VSICurlPartialClearCache(name.encode())
            found = _bytes(functions, name, start, size)
            if len(found) != size:
                why = _refusal(functions, name) or " ".join(told[-1:])
                raise failed(address, f"{len(found)} of {size} bytes came {why}")
        return found

    return patiently(address, attempt)


def read_text(address: str, longest: int = 64 << 20) -> bytes:
    """The bytes of a small object.

    Raises:
        RemoteDataError: it cannot be read, or is longer than ``longest`` bytes.
    """
    state = state_of(address)
    if state.size > longest:
        raise failed(address, f"{state.size} bytes, where a text of {longest} at most is read")
    return read(address, 0, state.size)


def _refusal(functions: Any, name: str) -> str:
    """Why an object cannot be opened, as the virtual file system says when it is asked for its errors."""
    functions.VSIErrorReset()
    opened = functions.VSIFOpenExL(name.encode(), b"rb", 1)
    if opened:
        functions.VSIFCloseL(opened)
    return (functions.VSIGetLastErrorMsg() or b"").decode("utf-8", "replace")


def _bytes(functions: Any, name: str, start: int, most: int) -> bytes:
    opened = functions.VSIFOpenL(name.encode(), b"rb")
    if not opened:
        return b""
    found = bytearray()
    try:
        if 1 < most <= _CHUNK:
            return _exactly(functions, opened, start, most)
        functions.VSIFSeekL(opened, start, os.SEEK_SET)
        buffer = ctypes.create_string_buffer(_CHUNK)
        while len(found) < most:
            got = functions.VSIFReadL(buffer, 1, min(_CHUNK, most - len(found)), opened)
            found += buffer.raw[:got]
            if not got:
                break
    finally:
        functions.VSIFCloseL(opened)
    return bytes(found)


def _exactly(functions: Any, opened: Any, start: int, size: int) -> bytes:
    """The very bytes of an open object, where reading in sequence asks for whole blocks around them: as two ranges that
    GDAL asks for in one."""
    buffer = ctypes.create_string_buffer(size)
    half = size // 2
    address = ctypes.addressof(buffer)
    places = (ctypes.c_void_p * 2)(address, address + half)
    failure = functions.VSIFReadMultiRangeL(
        2, places, (ctypes.c_uint64 * 2)(start, start + half), (ctypes.c_size_t * 2)(half, size - half), opened
    )
    return b"" if failure else buffer.raw


@contextmanager
def _asking(name: str) -> Iterator[tuple[Any, list[str]]]:
    """GDAL's functions with options for one object, and what GDAL says meanwhile."""
    functions, told = _functions(), []
    handler = ERROR_HANDLER(lambda _level, _number, text: told.append((text or b"").decode("utf-8", "replace")))
    said: Mapping[str, str] = options(name)
    functions.CPLPushErrorHandler(handler)
    for key, value in said.items():
        functions.CPLSetThreadLocalConfigOption(key.encode(), value.encode())
    try:
        yield functions, told
    finally:
        for key in said:
            functions.CPLSetThreadLocalConfigOption(key.encode(), None)
        functions.CPLPopErrorHandler()


@lru_cache(maxsize=1)
def _functions() -> Any:
    text, pointer, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
    functions = library().functions
    for name, result, arguments in (
        ("VSIReadDirRecursive", pointer, [text]),
        ("VSIGetFileMetadata", pointer, [text, text, pointer]),
        ("VSICurlPartialClearCache", None, [text]),
        ("VSIGetFileSystemsPrefixes", pointer, []),
        ("VSIFOpenL", pointer, [text, text]),
        ("VSIFOpenExL", pointer, [text, text, ctypes.c_int]),
        ("VSIGetLastErrorMsg", text, []),
        ("VSIErrorReset", None, []),
        ("VSIFSeekL", ctypes.c_int, [pointer, ctypes.c_uint64, ctypes.c_int]),
        ("VSIFReadL", size, [pointer, size, size, pointer]),
        ("VSIFReadMultiRangeL", ctypes.c_int, [ctypes.c_int, pointer, pointer, pointer, pointer]),
        ("VSIFCloseL", ctypes.c_int, [pointer]),
    ):
        function = getattr(functions, name)
        function.restype, function.argtypes = result, arguments
    return functions


def reads() -> tuple[str, ...]:
    """The kinds of addresses that this GDAL can read."""
    functions = _functions()
    known = names(functions.VSIGetFileSystemsPrefixes(), functions)
    return tuple(scheme for scheme, own in _PREFIXES.items() if own.startswith(known))
