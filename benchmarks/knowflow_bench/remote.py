"""Data elsewhere: the same question from every kind of source, the bytes it takes, and the faults of networks.

Everything is served on this machine: moto's S3, a catalogue by rustac, a web server that misbehaves on demand.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import rasterio

from knowflow.service.api import Service
from knowflow_bench.network import S3_OF_HERE, Fault, Served, catalogue, object_store
from knowflow_bench.series import (
    SCALE,
    TILE,
    Series,
    item_of,
    noise,
    write_hdf5,
    write_netcdf,
    write_tiled,
    write_zarr,
)

QUESTION = "What is the mean NDVI on each date?"
DATES = ("2022-06-01", "2022-07-01")
WINDOW = (450, 470, 150, 170)  # row, column, rows, columns: in the four tiles around one corner
MARGIN = 8
EQUAL = 1e-9
_HANG_S = 300.0
_IMPATIENT = {
    **{f"GDAL_HTTP_{name}": value for name, value in (("RETRY_DELAY", "0.02"), ("LOW_SPEED_TIME", "1"))},
    **{f"GDAL_HTTP_{name}": value for name, value in (("TIMEOUT", "3"), ("MAX_RETRY", "2"))},
}
Item = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where everything lies: the series, its files, the web server of these, and a catalogue of them."""

    series: Series
    folder: Path
    web: Served
    stac: Served
    collection: str

    @property
    def items(self) -> list[Item]:
        return [item_of(self.folder / f"ndvi_{date}.tif", self.series, self.web.address) for date in DATES]


def remote(runs: int, seed: int) -> dict[str, Any]:
    """Both halves of the measurement; ``runs`` of each kind of fault."""
    with tempfile.TemporaryDirectory() as folder, _environment(_IMPATIENT):
        top = Path(folder)
        series = noise(DATES, seed=seed)
        return {**_sources(series, top / "sources"), **_faults(series, top / "faults", runs, random.Random(seed))}


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """What was measured, for people."""
    yield f"One question from {found['sources']} kinds of sources: answers differ by {found['max_difference']:.1e},"
    yield f"{found['bytes_over_tiles']:.2f} x the bytes of the tiles of the area, headers {found['header_bytes']}."
    for kind, read in found["by_source"].items():
        yield f"  {kind}: {read['bytes_over_tiles']:.3f} x the tiles, headers {read['header_bytes']}"
    yield f"{found['fault_runs']} runs with {len(found['kinds'])} kinds of faults: {found['wrong']} wrong,"
    yield f"{found['hangs']} hang, {100 * found['healed']:.1f} % healed, {found['named']} named."
    for kind, counts in found["kinds"].items():
        yield f"  {kind}: {', '.join(f'{number} {name}' for name, number in counts.items())}"


def _sources(series: Series, top: Path) -> dict[str, Any]:
    """The answer from each kind of source beside that of the folder, and what was read of each."""
    tiled, forms = top / "tiled", top / "forms"
    write_tiled(series, tiled)
    write_netcdf(series, forms / "ndvi.nc")
    write_hdf5(series, forms / "ndvi.nc4")
    write_zarr(series, forms / "ndvi.zarr")
    area = ",".join(f"{number:.12f}" for number in series.box(*WINDOW))
    files = [f"ndvi_{date}.tif" for date in DATES]
    tiles = sum(_tiles(tiled / name) for name in files)
    rows, whole_rows = WINDOW[2] + 2 * MARGIN, series.shape[1] * 2
    with ExitStack() as stack:
        bucket = stack.enter_context(object_store(tiled, "series"))
        web, cubes = stack.enter_context(Served(tiled)), stack.enter_context(Served(forms))
        items = [item_of(tiled / name, series, web.address) for name in files]
        stac = stack.enter_context(catalogue(items, top))
        stack.enter_context(_environment({**S3_OF_HERE, "AWS_S3_ENDPOINT": bucket.host}))
        sources = {
            "s3": ("s3://series/", bucket, files, tiles),
            "https": (f"{web.address}/", web, files, tiles),
            "stac": (f"stac+{stac.address}/collections/ndvi", web, files, tiles),
            "netcdf": (f"{cubes.address}/ndvi.nc", cubes, ["ndvi.nc"], len(DATES) * rows * whole_rows),
            "hdf5": (f"{cubes.address}/ndvi.nc4", cubes, ["ndvi.nc4"], _chunks_of_hdf5(forms / "ndvi.nc4")),
            "zarr": (f"{cubes.address}/ndvi.zarr", cubes, ["ndvi.zarr"], _chunks_of_zarr(forms / "ndvi.zarr")),
        }
        whole, part = _answer(str(tiled), top), _answer(str(tiled), top, aoi=area)
        worst, over, headers = 0.0, dict[str, float](), dict[str, int]()
        for kind, (source, server, names, needed) in sources.items():
            worst = max(worst, _difference(whole, _answer(source, top)))
            with _own_home(top):
                server.sent.clear()
                Service().plan(QUESTION, source, aoi=area)
                planned = _sent(server, names)
                worst = max(worst, _difference(part, _answer(source, top, home=False, aoi=area)))
                headers[kind] = max(planned)
                over[kind] = (sum(_sent(server, names)) - sum(planned)) / needed
    return {
        "sources": 1 + len(sources),
        "max_difference": worst,
        "bytes_over_tiles": max(over.values()),
        "header_bytes": max(headers.values()),
        "by_source": {kind: {"bytes_over_tiles": over[kind], "header_bytes": headers[kind]} for kind in over},
    }


def _sent(server: Served, names: list[str]) -> list[int]:
    """The bytes that went out of each file, or of all objects of a store."""
    return [sum(count for path, count in server.sent.items() if f"{path}/".find(f"/{name}/") >= 0) for name in names]


def _corners() -> Iterator[tuple[int, int]]:
    """The tiles that the window needs, by row and column."""
    row, column, rows, columns = WINDOW
    for y in range((row - MARGIN) // TILE, (row + rows + MARGIN) // TILE + 1):
        yield from ((y, x) for x in range((column - MARGIN) // TILE, (column + columns + MARGIN) // TILE + 1))


def _tiles(path: Path) -> int:
    """The bytes of the tiles that the window needs."""
    with rasterio.open(path) as file:
        return sum(int(file.get_tag_item(f"BLOCK_SIZE_{x}_{y}", "TIFF", bidx=1)) for y, x in _corners())


def _chunks_of_hdf5(path: Path) -> int:
    import h5py

    with h5py.File(path) as file:
        chunk = file["ndvi"].id.get_chunk_info_by_coord
        return sum(chunk((date, y * TILE, x * TILE)).size for date in range(len(DATES)) for y, x in _corners())


def _chunks_of_zarr(path: Path) -> int:
    chunks = (path / "ndvi" / "c" / f"{date}" / f"{y}" / f"{x}" for date in range(len(DATES)) for y, x in _corners())
    return sum(chunk.stat().st_size for chunk in chunks)


def _difference(one: Mapping[str, float] | None, other: Mapping[str, float] | None) -> float:
    if one is None or other is None or one.keys() != other.keys():
        return float("inf")
    return max(abs(one[date] - other[date]) for date in one)


# --- faults -----------------------------------------------------------------------------------------------------------


def _faults(series: Series, top: Path, runs: int, chance: random.Random) -> dict[str, Any]:
    """Runs with each kind of fault: right in spite of it (healed), refused by its name (named), or wrong."""
    folder = top / "web"
    small = replace(series, numbers={date: numbers[:640, :640] for date, numbers in series.numbers.items()})
    write_tiled(small, folder)
    outcomes: dict[str, Counter[str]] = {}
    with Served(folder) as web:
        items = [item_of(folder / f"ndvi_{date}.tif", small, web.address) for date in DATES]
        with catalogue(items, top) as stac:
            place = Place(small, folder, web, stac, f"stac+{stac.address}/collections/ndvi")
            for kind, fault in KINDS.items():
                counts = outcomes.setdefault(kind, Counter())
                for _ in range(runs):
                    web.faults, stac.faults = [], []
                    counts[_within(_HANG_S, lambda fault=fault: fault(place, top, chance))] += 1  # type: ignore[misc]
    every = sum(outcomes.values(), Counter())
    return {
        "fault_runs": every.total(),
        "wrong": every["wrong"],
        "hangs": every["hang"],
        "healed": every["healed"] / max(every.total(), 1),
        "named": every["named"],
        "kinds": {kind: dict(counts) for kind, counts in outcomes.items()},
    }


def _within(seconds: float, work: Callable[[], str]) -> str:
    """What some work gives; ``hang`` where it is not done in time."""
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else "hang" if thread.is_alive() else "wrong"


def _outcome(
    place: Place, top: Path, source: str, on_plan: Any = None, truth: Mapping[str, float] | None = None
) -> str:
    """What a question about a source came to."""
    expected = truth or {date: float(numbers.mean()) * SCALE for date, numbers in place.series.numbers.items()}
    with _own_home(top):
        result = Service().run(QUESTION, source, out=top / "out", on_plan=on_plan)
    if result.status != "completed":
        error = result.error or {}
        return "named" if error.get("code") in ("remote_data", "remote_changed", "unreadable_data") else "wrong"
    answer = {row["date"]: row["mean"] for row in result.answer}
    return "healed" if _difference(expected, answer) < 1e-6 else "wrong"


def _passing(kind: Any, status: int = 0) -> Callable[[Place, Path, random.Random], str]:
    """A fault that passes after one to three answers, wherever in the course of a run it begins."""

    def run(place: Place, top: Path, chance: random.Random) -> str:
        fault = Fault(kind, chance.choice(DATES), chance.randint(1, 3), status, chance.randint(0, 5))
        place.web.faults = [fault]
        return _outcome(place, top, f"{place.web.address}/")

    return run


def _changed(place: Place, top: Path, chance: random.Random) -> str:
    other = noise(DATES, side=640, seed=chance.randint(1, 10_000))

    def change(_: object) -> None:
        write_tiled(other, place.folder)

    truth = {date: float(numbers.mean()) * SCALE for date, numbers in other.numbers.items()}
    try:
        return _outcome(place, top, f"{place.web.address}/", on_plan=change, truth=truth)
    finally:
        write_tiled(place.series, place.folder)


def _expired(place: Place, top: Path, chance: random.Random) -> str:
    items = place.items
    for number, item in enumerate(items):
        name = f"item_{number}.json"
        item["links"] = [{"rel": "self", "href": f"{place.web.address}/{name}"}]
        plain = item["assets"]["ndvi"]["href"]
        item["assets"]["ndvi"]["href"] = f"{plain}?X-Amz-Signature=new"
        (place.folder / name).write_text(json.dumps(item))
        item["assets"]["ndvi"]["href"] = f"{plain}?X-Amz-Signature=old"
    place.web.faults = [Fault("status", "Signature=old", 10_000, 403, chance.randint(0, 8))]
    try:
        return _outcome(place, top, _written(items, top))
    finally:
        for path in place.folder.glob("item_*.json"):
            path.unlink()


def _wrong_place(place: Place, top: Path, chance: random.Random) -> str:
    items = place.items
    spoilt = chance.choice(items)
    if chance.random() < 0.5:
        spoilt["properties"]["proj:code"] = "EPSG:32634"
    else:
        spoilt["assets"]["ndvi"]["proj:transform"][2] += chance.choice((-1, 1)) * chance.uniform(5, 5000)
    return _outcome(place, top, _written(items, top))


def _unlike_scales(place: Place, top: Path, chance: random.Random) -> str:
    scale, date = SCALE / chance.choice((2, 4, 5)), chance.choice(DATES)
    odd = replace(place.series, numbers={date: place.series.numbers[date]})
    folder = place.folder / "odd"
    path = write_tiled(odd, folder, scale=scale)[0]
    items = [item for item in place.items if date not in item["id"]]
    bands: dict[str, Any] = {"raster:bands": [{"scale": scale}]}
    items.append(item_of(path, odd, f"{place.web.address}/odd", **bands))
    means = {one: float(numbers.mean()) for one, numbers in place.series.numbers.items()}
    truth = {one: mean * (scale if one == date else SCALE) for one, mean in means.items()}
    try:
        return _outcome(place, top, _written(items, top), truth=truth)
    finally:
        shutil.rmtree(folder)


def _twice(place: Place, top: Path, chance: random.Random) -> str:
    items = place.items
    again = json.loads(json.dumps(chance.choice(items)))
    if chance.random() < 0.5:
        again["id"] = f"{again['id']}_again"
    items.insert(chance.randint(0, 2), again)
    return _outcome(place, top, _written(items, top))


def _search(place: Place, top: Path, chance: random.Random) -> str:
    kind: Any = chance.choice(("status", "cut"))
    status = chance.choice((429, 500, 502, 503, 504))
    place.stac.faults = [Fault(kind, "/search", chance.randint(1, 3), status)]
    return _outcome(place, top, place.collection)


KINDS: dict[str, Callable[[Place, Path, random.Random], str]] = {
    "403": _passing("status", 403),
    "404": _passing("status", 404),
    "429": _passing("status", 429),
    "503": _passing("status", 503),
    "cut body": _passing("cut"),
    "slow body": _passing("slow"),
    "changed between plan and run": _changed,
    "expired signature": _expired,
    "wrong place in an item": _wrong_place,
    "unlike scales": _unlike_scales,
    "items told twice": _twice,
    "page of a search": _search,
}


def _written(items: list[Item], top: Path) -> str:
    path = top / "asked.json"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": items}), encoding="utf-8")
    return str(path)


def _answer(source: str, top: Path, *, home: bool = True, **said: Any) -> dict[str, float] | None:
    with ExitStack() as stack:
        if home:
            stack.enter_context(_own_home(top))
        result = Service().run(QUESTION, source, out=top / "out", **said)
    return {row["date"]: row["mean"] for row in result.answer} if result.status == "completed" else None


@contextmanager
def _own_home(top: Path) -> Iterator[None]:
    """A state folder of its own, so that nothing is known yet."""
    home = tempfile.mkdtemp(dir=top)
    try:
        with _environment({"KNOWFLOW_HOME": home}):
            yield
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _environment(said: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in said}
    os.environ.update(said)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
