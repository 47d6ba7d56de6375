"""Which runs and results are to go, as people say it: ages and sizes with their units."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from knowflow.execution.pruning import UNREADABLE, Pruned, Which, prune
from knowflow.ground.errors import UnitError, UnknownNameError
from knowflow.model.trace import RunStatus

_SECONDS: Mapping[str, float] = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_BYTES: Mapping[str, float] = {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}
_SAID = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", re.IGNORECASE)
# a run that has not ended never goes
STATUSES = (*(status for status in get_args(RunStatus) if status != "running"), UNREADABLE)


def pruned(
    home: Path,
    older_than: str | None,
    keep: int | None,
    max_size: str | None,
    statuses: Sequence[str],
    cache_size: str | None,
    *,
    dry_run: bool,
) -> Pruned:
    """Remove what is said of runs and cache.

    Raises:
        UnitError: an age or a size is not read. UnknownNameError: there is no such status.
        KnowFlowError: nothing says which runs go.
    """
    for status in statuses:
        if status not in STATUSES:
            raise UnknownNameError(
                f"no run that has ended is {status!r}", where="--status", expected=", ".join(STATUSES), found=status
            )
    max_bytes, cache_bytes = (
        None if said is None else int(_read(said, _BYTES, option, "a size, as 500MB or 5GB"))
        for said, option in ((max_size, "--max-size"), (cache_size, "--cache-size"))
    )
    age = None if older_than is None else _read(older_than, _SECONDS, "--older-than", "an age, as 12h, 30d or 8w")
    return prune(home, Which(age, keep, max_bytes, tuple(statuses), cache_bytes), dry_run=dry_run)


def _read(said: str, units: Mapping[str, float], option: str, expected: str) -> float:
    found = _SAID.fullmatch(said)
    if found is None or found[2].casefold() not in units:
        raise UnitError(f"{option} is not read", where=option, expected=expected, found=said)
    return float(found[1]) * units[found[2].casefold()]
