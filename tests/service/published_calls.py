"""Questions about files known by their names alone, planned as published calls, and what of them tests look at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Any

from knowflow.service.planning_calls import PlannedCalls, plan_calls

FOLDER = "benchmark/data/question9"
# photographs: of one moment, before and after, and so of two places
ONE, TWO, THREE = (["A.png"], ["A.png", "B.png"], ["A.png", "B.png", "C.png"])
PAIR = ["t1.png", "t2.png"]
REGIONS = [f"area_{name}_time_{moment}.png" for name in "AB" for moment in ("post", "pre")]


def files(layers: Sequence[str], dates: Sequence[str], region: str = "Testland") -> list[str]:
    return [f"{region}_{layer}_{date}.tif" for date in dates for layer in layers]


def planned(query: str, names: Sequence[str]) -> PlannedCalls:
    return _planned(query, tuple(names))


@cache
def _planned(query: str, names: tuple[str, ...]) -> PlannedCalls:
    return plan_calls(query, FOLDER, names)


def tools(query: str, names: Sequence[str]) -> str:
    """The tools called after the listing of the files: ``SM3Det*2 SAM2*2``."""
    called = [call.name for call in planned(query, names).calls]
    assert called[0] == "get_filelist"
    runs = [(name, len(list(group))) for name, group in groupby(called[1:])]
    return " ".join(name if count == 1 else f"{name}*{count}" for name, count in runs)


def arguments(query: str, names: Sequence[str], tool: str) -> list[dict[str, Any]]:
    """The arguments of every call of a tool."""
    return [dict(call.input) for call in planned(query, names).calls if call.name == tool]
