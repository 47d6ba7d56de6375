"""The campaigns that are reported: the command of each, and which of its numbers are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Campaign:
    """One measurement: ``arguments`` follow ``knowflow bench``, with the names of inputs in braces; ``kept`` makes the
    figures out of what the command prints with ``--json``."""

    name: str
    arguments: tuple[str, ...]
    kept: Callable[[Mapping[str, Any]], Figures]

    def inputs(self) -> tuple[str, ...]:
        """The names of the files and folders that it needs."""
        return tuple(one[1:-1] for one in self.arguments if one.startswith("{"))

    def command(self, given: Mapping[str, str]) -> list[str]:
        """What follows ``knowflow``."""
        filled = [given[one[1:-1]] if one.startswith("{") else one for one in self.arguments]
        return ["bench", *filled, "--json"]


def plain(found: Mapping[str, Any]) -> Figures:
    """The numbers and words of a result, without its lists and groups."""
    return {name: value for name, value in found.items() if isinstance(value, (int, float, str))}


def _of_tables(found: Mapping[str, Any]) -> Figures:
    """Of every table of faults its numbers, and how many kinds it has."""
    return {name: _of_table(one) for name, one in found.items()}


def _kinds(by_kind: Mapping[str, Mapping[str, Any]]) -> Figures:
    return {
        "kinds": len(by_kind),
        "kinds_repairable": sum(bool(one["repairable"]) for one in by_kind.values()),
        "kinds_harmless": sum(not one["fails"] for one in by_kind.values()),
    }


def _of_table(found: Mapping[str, Any]) -> Figures:
    return {**_kinds(found["by_kind"]), **plain(found)}


def _relations(found: Mapping[str, Any]) -> Figures:
    return {**plain(found), "relations": len(found["relations"])}


def _inventory(found: Mapping[str, Any]) -> Figures:
    """Of all files, and of those under each kind of names."""
    return {**plain(found), **{names: plain(one) for names, one in found["names"].items()}}


_OF_EARTH = ("earth-bench", "--questions", "{questions}", "--regime")
CAMPAIGNS: Sequence[Campaign] = (
    Campaign("earth_bench_ap", (*_OF_EARTH, "ap"), plain),
    Campaign("earth_bench_if", (*_OF_EARTH, "if"), plain),
    Campaign("tasks", ("tasks",), plain),
    Campaign("tasks_fresh", ("tasks", "--fresh"), plain),
    Campaign("faults", ("faults", "--table", "all", "--each", "{each}"), _of_tables),
    Campaign("faults_real", ("faults", "--table", "real", "--each", "{each}", "--data", "{data}"), _of_table),
    Campaign("inventory", ("inventory",), _inventory),
    Campaign("metamorphic", ("metamorphic", "--n", "{n}"), _relations),
    Campaign("opinion", ("opinion",), plain),
    Campaign("failing_calls", ("failing-calls", "--calls", "{failures}", "--questions", "{questions}"), plain),
    Campaign("parity", ("parity", "--calls", "{calls}"), plain),
    Campaign("raster", ("raster",), plain),
)
