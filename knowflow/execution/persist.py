"""JSON documents on disk: written whole or not at all, readable by every JSON reader, the same when read back."""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_NUMBER = "$number"


def to_text(data: Any) -> str:
    """Strict JSON of plain data; numbers that JSON has no word for are written ``{"$number": "nan"}``.

    numpy scalars, paths and tuples are taken as what they stand for.
    """
    try:
        return json.dumps(data, allow_nan=False, ensure_ascii=False, default=_plain)
    except ValueError:
        return json.dumps(_marked(data), allow_nan=False, ensure_ascii=False)


def plain_bytes(data: Any) -> bytes:
    """As :func:`to_text`, encoded and ten times as fast, of what :func:`~knowflow.model.literal.plain` has made: data
    in which no number is NaN or infinite, of which this would make ``null``."""
    import orjson

    try:
        return orjson.dumps(data)
    except TypeError:  # whole numbers of more than 64 bits, keys that are no text
        return to_text(data).encode()


def from_text(text: str) -> Any:
    """The inverse of :func:`to_text`."""
    return json.loads(text, object_hook=_unmarked if f'"{_NUMBER}"' in text else None)


def write_json(path: Path, data: Any) -> None:
    """Replace a document by a new one in a single step: a reader sees the old or the new, never a part."""
    write_text(path, to_text(data) + "\n")


def write_text(path: Path, text: str) -> None:
    """As :func:`write_json`, of a document that is text already."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, *parts: bytes) -> None:
    """As :func:`write_json`, of a document that is bytes already, in parts that belong one behind the other."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with temporary.open("wb") as file:
            file.writelines(parts)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_json(path: Path) -> Any:
    return from_text(path.read_text(encoding="utf-8"))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return _marked(value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    return str(value)


def _marked(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {_NUMBER: repr(value)}
    if isinstance(value, Mapping):
        return {str(name): _marked(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_marked(item) for item in value]
    return _marked(_plain(value))


def _unmarked(data: dict[str, Any]) -> Any:
    return float(data[_NUMBER]) if data.keys() == {_NUMBER} else data
