"""JSON that comes from users, files or language models."""

from __future__ import annotations

import json
from typing import Any


def json_value(text: str | bytes) -> Any:
    """The value that a JSON text holds; raises ``ValueError`` for everything that is none.

    That is also what Python's reader raises other errors for: a text that is nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
