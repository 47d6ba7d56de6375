"""Keys kept out of errors and records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SHORTEST_KEY = 6
_LOOKS_LIKE_A_KEY = re.compile(r"\b(sk|gsk|hf|xai)[-_][A-Za-z0-9*_-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
HIDDEN = "[key]"


def without_key(data: Any, key: str) -> Any:
    """Plain data with every occurrence of the key hidden; a key that is too short to be one is left."""
    if isinstance(data, str):
        return data.replace(key, HIDDEN) if len(key) >= _SHORTEST_KEY else data
    if isinstance(data, Mapping):
        return {without_key(name, key): without_key(item, key) for name, item in data.items()}
    if isinstance(data, (list, tuple)):
        return [without_key(item, key) for item in data]
    return data


def scrubbed(text: str, key: str) -> str:
    """The text of an error without the key, and without what looks like one: endpoints quote what they refuse."""
    return _LOOKS_LIKE_A_KEY.sub(HIDDEN, without_key(text, key))
