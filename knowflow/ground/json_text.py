"""JSON that comes from users, files or language models; and JSON that every reader can read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_value(text: str | bytes) -> Any:
    """The value that a JSON text holds; raises ``ValueError`` for everything that is none.

    That is also what Python's reader raises other errors for: a text that is nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def json_text(data: Any, indent: int | None = None) -> str:
    """Strict JSON of any data (RFC 8259): numbers that it has no word for become null, what is not plain its text."""
    return json.dumps(strict(data), indent=indent, ensure_ascii=False, allow_nan=False)


def strict(value: Any) -> Any:
    """The same data of what JSON has words for alone; NaN and infinity are None."""
    if isinstance(value, Mapping):
        return {str(name): strict(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [strict(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value
    if hasattr(value, "item"):  # a number of numpy
        return strict(value.item())
    return str(value)
