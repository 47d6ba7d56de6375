"""Pixels of data elsewhere, seen to before a node looks at them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from knowflow.ground.references import is_reference
from knowflow.model.artifact import Artifact


def fetched(arguments: Mapping[str, Any], while_fetching: Callable[[], None]) -> None:
    """Fetch the pixels of every reference among the arguments of a tool; ``while_fetching`` may raise to give up.

    Raises:
        RemoteDataError, RemoteChangeError: they cannot be had as they were planned with.
    """
    values = [value for value in arguments.values() if isinstance(value, Artifact)]
    paths = dict.fromkeys(leaf.path for value in values for leaf in value.leaves() if leaf.path is not None)
    elsewhere = [path for path in paths if is_reference(path)]
    if elsewhere:
        from knowflow.tools.remote.fetch import fetch

        for path in elsewhere:
            fetch(path, while_fetching)
