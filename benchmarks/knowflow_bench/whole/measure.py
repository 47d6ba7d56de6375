"""Whole runs and their peers in turns, in processes of their own: processor time, peak memory, and equal answers."""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rasterio

from knowflow.ground.errors import ToolError
from knowflow_bench.whole import alone, data, peers

FLAGSHIP = f"What share of the area has NDVI above {peers.LIMIT:g}, and how large is it"
COUNT = f"On how many dates was the mean NDVI above {peers.MEAN_LIMIT:g}"
MEDIAN, TREND, ZONAL = "Map of the median NDVI", "Map the trend of NDVI", "Mean NDVI in each polygon"
DATES = 24
_FEW = 2  # dates: what a run takes that has next to no nodes
_CLOSE = 1e-6
_COMMAND = "from knowflow.roof.cli import main; main()"
_REFLECTANCE = ("--assume", "quantity=surface_bidirectional_reflectance")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process took, its children included, and what it printed."""

    cpu_s: float
    peak_mb: float
    printed: str


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sides of the scene and of the series in pixels, how many polygons, and nodes of a run and of a plan, one for each
    date and one for all."""

    scene: int = 10980
    series: int = 2400
    polygons: int = 2000
    nodes: int = 1001
    planned: int = 5001


def _flagship(result: Any) -> dict[str, float]:
    return {name: result["values"][name]["value"] for name in ("share", "area")}


def _number(result: Any) -> float:
    return float(result["answer"])


def _mean_of_map(result: Any) -> float:
    """The mean of the map that a run delivered, of its pixels that are known."""
    with rasterio.open(result["outputs"]["map"]) as map_:
        return float(map_.read(1, masked=True).mean(dtype="float64"))


def _mean_of_rows(result: Any) -> float:
    return statistics.fmean(row["mean"] for row in result["answer"])


@dataclass(frozen=True, slots=True)
class _Part:
    """A question about a folder beside a peer, the name of the ratio, and how the answer is read.

    ``alone``: the name of the ratio of the tool by itself, without a plan, a run and a report, where that is measured.
    """

    ratio: str
    peer: str
    folder: str
    question: str
    answer: Callable[[Any], Any]
    options: Sequence[str] = ()
    alone: str = ""


_BESIDE: Mapping[str, _Part] = {
    "flagship": _Part("over_blockwise", "blockwise", "declared", FLAGSHIP, _flagship),
    "undeclared": _Part("undeclared_over_blockwise", "blockwise", "undeclared", FLAGSHIP, _flagship, _REFLECTANCE),
    "median": _Part("median_over_stack", "median", "series", MEDIAN, _mean_of_map),
    "trend": _Part("trend_over_stack", "trend", "series", TREND, _mean_of_map),
    "zonal": _Part("zonal_run_over_library", "zonal", "zones", ZONAL, _mean_of_rows, alone="zonal_over_library"),
}
# without a peer, with the folder that is asked about
_ALONE = {"again": "declared", "plan": "zones", "planned": "planned", "node": "dates", "node_prefect": "dates"}
PARTS = (*_BESIDE, *_ALONE)


def measure(
    sizes: Sizes, repeats: int = 3, folder: Path | None = None, parts: Collection[str] = PARTS
) -> dict[str, Any]:
    """Ratios of processor time beside programs that compute the same, and what plans, nodes and a cached answer take.

    ``parts`` are those of :data:`PARTS` that are measured; the data of others are not made.

    Raises:
        ToolError: a run failed, or its answer is not that of its peer.
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        bench = _Bench(Path(made), repeats)
        _make(bench.place, sizes, parts)
        found: dict[str, Any] = {
            "sizes": {
                "scene": sizes.scene,
                "series": [DATES, sizes.series],
                "polygons": sizes.polygons,
                "nodes": sizes.nodes,
                "planned": sizes.planned,
            },
            "repeats": repeats,
            "runs": {},
        }
        for name, part in _BESIDE.items():
            if name in parts:
                pair = bench.beside(part)
                found |= {part.ratio: pair.ratio}
                found |= {part.alone: pair.alone_ratio} if part.alone else {}
                found |= {f"{name}_memory_over_stack": pair.memory} if part.folder == "series" else {}
                found["runs"][name] = pair.told()
        if "again" in parts:
            found["again_cpu_s"] = bench.again("declared", FLAGSHIP)
        if "plan" in parts:
            found["plan_cpu_s"] = bench.plan("zones", ZONAL)
        if "planned" in parts:
            found["plan_5001_s"] = bench.saved_plan("planned", COUNT)
        if "node" in parts:
            found["node_cpu_ms"] = bench.node("local", sizes.nodes - 1)
        if "node_prefect" in parts:
            with stopped_server(bench.home):
                found["node_cpu_ms_prefect"] = bench.node("prefect", sizes.nodes - 1)
    return found


def _make(place: Path, sizes: Sizes, parts: Collection[str]) -> None:
    """The files that some parts ask about."""
    folders = {_ALONE[name] if name in _ALONE else _BESIDE[name].folder for name in parts}
    for name in sorted(folders & {"declared", "undeclared"}):
        data.make_bands(place / name, sizes.scene, declared=name == "declared")
    if "series" in folders:
        data.make_series(place / "series", DATES, sizes.series)
    dates = {"few": _FEW, "dates": sizes.nodes - 1, "planned": sizes.planned - 1}
    for name in (folders | ({"few"} if "dates" in folders else set())) & dates.keys():
        data.make_dates(place / name, dates[name])
    if "zones" in folders:
        data.make_series(place / "zones", 1, sizes.series)
        data.make_polygons(place / "zones", sizes.polygons, sizes.series)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Runs of ours and of a peer, and of our tool by itself, which took turns."""

    ours: tuple[Spent, ...]
    peer: tuple[Spent, ...]
    alone: tuple[Spent, ...] = ()

    @property
    def ratio(self) -> float:
        return _median(self.ours, "cpu_s") / _median(self.peer, "cpu_s")

    @property
    def alone_ratio(self) -> float:
        return _median(self.alone, "cpu_s") / _median(self.peer, "cpu_s")

    @property
    def memory(self) -> float:
        return _median(self.ours, "peak_mb") / _median(self.peer, "peak_mb")

    def told(self) -> dict[str, float]:
        return {
            f"{who}_{what}": round(_median(runs, what), 2)
            for who, runs in (("ours", self.ours), ("peer", self.peer), ("alone", self.alone))
            if runs
            for what in ("cpu_s", "peak_mb")
        }


def _median(runs: Sequence[Spent], what: str) -> float:
    return float(statistics.median(getattr(run, what) for run in runs))


class _Bench:
    """A folder of data with a home for KnowFlow, whose knowledge is read once before anything is measured."""

    def __init__(self, place: Path, repeats: int) -> None:
        self.place, self.repeats, self.home = place, repeats, place / "home"

    def beside(self, part: _Part) -> _Pair:
        """A question and its peer in turns, everything computed anew each time.

        Raises:
            ToolError: a run failed, or the answers differ.
        """
        ours: list[Spent] = []
        theirs: list[Spent] = []
        alone_: list[Spent] = []
        self._ask("plan", part.folder, part.question, part.options)
        for _ in range(self.repeats):
            shutil.rmtree(self.home / "cache", ignore_errors=True)
            ours.append(self._ask("run", part.folder, part.question, part.options))
            theirs.append(self._peer(part.peer, part.folder))
            expected = json.loads(theirs[-1].printed)
            _require_equal(part.question, part.answer(json.loads(ours[-1].printed)), expected)
            if part.alone:
                alone_.append(spent([sys.executable, str(alone.__file__), str(self.place / part.folder)], os.environ))
                _require_equal(part.question, json.loads(alone_[-1].printed), expected)
        return _Pair(tuple(ours), tuple(theirs), tuple(alone_))

    def again(self, folder: str, question: str) -> float:
        """Processor seconds of a question whose nodes are all in the cache."""
        self._ask("run", folder, question)
        return _median([self._ask("run", folder, question) for _ in range(self.repeats)], "cpu_s")

    def plan(self, folder: str, question: str) -> float:
        """Processor seconds of a plan over a folder that was never read, without its knowledge being read anew."""
        self._ask("plan", folder, question)  # which leaves the knowledge as it was parsed
        found = []
        for _ in range(self.repeats):
            for store in self.home.glob("headers.sqlite*"):
                store.unlink()
            found.append(self._ask("plan", folder, question))
        return _median(found, "cpu_s")

    def saved_plan(self, folder: str, question: str) -> float:
        """Processor seconds of a plan over files whose headers are known, made, shown and saved."""
        self._ask("plan", folder, question)
        shown = ("--save", str(self.place / "plan.yaml"))
        return _median([self._ask("plan", folder, question, shown, how=()) for _ in range(self.repeats)], "cpu_s")

    def node(self, runner: str, nodes: int) -> float:
        """Processor milliseconds of a run for each of its small nodes, beside what its plan takes and a run of a few.

        Of its own process: a server that is shared by all runs is not counted.

        Raises:
            ToolError: a run failed, or its answer is not that of its peer.
        """
        found = []
        for _ in range(self.repeats):
            many, few = (self._beside_plan(folder, runner) for folder in ("dates", "few"))
            found.append(1000 * (many - few) / (nodes - _FEW))
        return float(statistics.median(found))

    def _beside_plan(self, folder: str, runner: str) -> float:
        """Processor seconds of a run, without those of its plan over headers that are known."""
        self._ask("plan", folder, COUNT)
        plan = self._ask("plan", folder, COUNT).cpu_s
        shutil.rmtree(self.home / "cache", ignore_errors=True)
        run = self._ask("run", folder, COUNT, runner=runner)
        _require_equal(COUNT, _number(json.loads(run.printed)), json.loads(self._peer("dates", folder).printed))
        return run.cpu_s - plan

    def _ask(
        self,
        what: str,
        folder: str,
        question: str,
        options: Sequence[str] = (),
        runner: str = "local",
        how: Sequence[str] = ("--json",),
    ) -> Spent:
        out = self.place / "out"
        shutil.rmtree(out, ignore_errors=True)
        command = [sys.executable, "-c", _COMMAND, what, question, "--data", str(self.place / folder), *options]
        where = ["--out", str(out), "--runner", runner] if what == "run" else []
        settings = {"KNOWFLOW_HOME": str(self.home), "KNOWFLOW_CONFIG": str(self.place / "config")}
        return spent([*command, *where, *how], {**os.environ, **settings})

    def _peer(self, name: str, folder: str) -> Spent:
        out = self.place / "peer"
        out.mkdir(exist_ok=True)
        return spent([sys.executable, str(peers.__file__), name, str(self.place / folder), str(out)], os.environ)


@contextmanager
def stopped_server(home: Path) -> Iterator[None]:
    """At the end no server of a home is left."""
    try:
        yield
    finally:
        from knowflow.execution.prefect_server import stop_server

        stop_server(home)


def spent(command: Sequence[str], environment: Mapping[str, str]) -> Spent:
    """Run a command and tell what it took; a program that was set up has its byte code, and so have these.

    Raises:
        ToolError: it failed.
    """
    known = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=printed, stderr=said, env=known)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (printed, said):
            stream.seek(0)
        if process.returncode != 0:
            raise ToolError(f"{command[-1]} failed", found=said.read().decode(errors="replace")[-2000:])
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return Spent(used.ru_utime + used.ru_stime, used.ru_maxrss / unit, printed.read().decode())


def _require_equal(question: str, ours: Any, theirs: Any) -> None:
    pairs = [(ours[name], theirs[name]) for name in theirs] if isinstance(theirs, dict) else [(ours, theirs)]
    if not all(math.isclose(one, other, rel_tol=_CLOSE) for one, other in pairs):
        raise ToolError(f"{question!r} has two answers", expected=str(theirs), found=str(ours))
