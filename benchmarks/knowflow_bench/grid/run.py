"""The grid: its questions asked as anybody asks them, each answer beside the oracle's."""

from __future__ import annotations

import collections
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from knowflow.service.api import Service
from knowflow.service.results import RunResult
from knowflow_bench.grid.cells import Cell, cells, sentences
from knowflow_bench.grid.judge import differs
from knowflow_bench.grid.oracle import Asked, Oracle

Verdict = Literal["right", "wrong", "refused", "failed"]
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Answered:
    """One question and what became of it."""

    cell: Cell
    wording: int
    question: str
    verdict: Verdict
    why: str = ""
    understood: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        told = {"question": self.question, "why": self.why, "understood": self.understood}
        return {"cell": self.cell.name, "wording": self.wording, "verdict": self.verdict, **told}


def grid(data: Path, n: int | None = None, seed: int = 0, only: str = "") -> dict[str, Any]:
    """The questions of ``n`` combinations (all, where none is said) about a folder: how many are answered right.

    ``only`` takes combinations of which the name has it. ``wrong`` answers differ from NumPy on the files; ``failed``
    runs ended without one.
    """
    begun = time.perf_counter()
    chosen = _chosen(n, seed, only)
    found = list(_answered(data, chosen))
    met = collections.Counter(one.verdict for one in found)
    first = [one for one in found if one.wording == 0]
    return {
        "n": len(found),
        **{verdict: met[verdict] for verdict in ("right", "refused", "wrong", "failed")},
        "combinations": len(chosen),
        "right_in_our_own_words": sum(one.verdict == "right" for one in first),
        "seconds": round(time.perf_counter() - begun),
        "refusals": dict(collections.Counter(one.why for one in found if one.verdict == "refused").most_common()),
        "cases": [one.to_json() for one in found if one.verdict != "right"],
    }


def _chosen(n: int | None, seed: int, only: str) -> list[Cell]:
    every = [cell for cell in cells() if only in cell.name]
    if n is None or n >= len(every):
        return every
    places = np.random.default_rng(seed).choice(len(every), n, replace=False)
    return [every[place] for place in sorted(places)]


def _answered(data: Path, chosen: list[Cell]) -> Iterator[Answered]:
    oracle = Oracle(data)
    with tempfile.TemporaryDirectory(prefix="knowflow-grid-") as folder:
        service = Service(home=Path(folder) / "home")
        for cell in chosen:
            asked = oracle.asked(cell)
            for wording, question in enumerate(sentences(cell, asked.limit)):
                found = service.run(question, data, out=Path(folder) / "out")
                yield _judged(cell, wording, question, found, asked)


def _judged(cell: Cell, wording: int, question: str, found: RunResult, asked: Asked) -> Answered:
    if found.status != "completed":
        error = found.error or {}
        verdict: Verdict = "refused" if found.status == "refused" else "failed"
        found_ = error.get("found") or "; ".join(str(one.get("found")) for one in error.get("problems", ()))
        why = f"{error.get('message')}: {found_}"
        return Answered(cell, wording, question, verdict, why)
    why = differs(found.answer, found.unit, asked, cell.statistic)
    return Answered(cell, wording, question, "wrong" if why else "right", why, found.understood or "as a template")


def lines(found: Mapping[str, Any]) -> list[str]:
    """What was found, for people."""
    counts = ", ".join(f"{found[name]} {name}" for name in ("right", "refused", "wrong", "failed"))
    told = [f"{found['n']} questions of {found['combinations']} combinations: {counts}; {found['seconds']} s"]
    told += [f"{number:>6}  {why}" for why, number in [*found["refusals"].items()][:_SHOWN]]
    for one in found["cases"][:_SHOWN]:
        if one["verdict"] != "refused":
            told += ["", f"{one['verdict']} ({one['cell']}): {one['question']}", f"  {one['why']}; {one['understood']}"]
    return told
