"""Ten thousand files are no harder than ten times a thousand: what is done with the layers of a folder, counted in
calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.grouping import scenes_of, series_of
from knowflow.reason.inventory.layers import layers_of
from knowflow.reason.inventory.overview import groups_of
from knowflow.reason.inventory.selection import selected
from knowflow.reason.inventory.siblings import candidates_by_siblings, with_regions_settled
from knowflow.reason.inventory.tiles import with_tiles_joined

FEW = 120
Made = Callable[[int], dict[str, Any]]


def placed(left: float, top: float = 0.0) -> dict[str, Any]:
    west, north = 500000.0 + 100 * left, 5100000.0 - 100 * top
    return {"transform": (10.0, 0.0, west, 0.0, -10.0, north), "bounds": (west, north - 100, west + 100, north)}


def day(n: int) -> str:
    return f"{1900 + n // 336:04}-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}"


FOLDERS: dict[str, Made] = {
    "one series": lambda n: {"datetime": day(n)},
    "tiles side by side": lambda n: {**placed(n % 32, n // 32), "region": f"t{n}", "datetime": day(0)},
    "tiles far apart": lambda n: {**placed(2 * n), "region": f"t{n}", "datetime": day(0)},
    "a word of its own in each name": lambda n: {"region": f"w{n}", "datetime": day(n)},
    "versions of one date": lambda n: {"region": f"w{n}", "datetime": day(0)},
    "half without a date": lambda n: {"datetime": day(n)} if n % 2 else {},
    "half unread": lambda n: {} if n % 2 else {"quantity": None, "layer": f"x{n}"},
}
WORK: dict[str, Callable[[list[Artifact]], Any]] = {
    "regions": with_regions_settled,
    "tiles": with_tiles_joined,
    "what counts": selected,
    "series": series_of,
    "scenes": scenes_of,
    "groups": lambda items: [group.to_json() for group in groups_of(items)],
    "layers": lambda items: [one.to_json() for one in layers_of(items, candidates_by_siblings(items))],
}


def files(count: int, made: Made) -> list[Artifact]:
    always = {"quantity": "ndvi", "crs": "EPSG:32633", "shape": (10, 10), "size": 100, **placed(0)}
    letters = str.maketrans("0123456789", "abcdefghij")
    names = [f"{n:05}".translate(letters) + "_2020" for n in range(count)]
    return [
        Artifact("raster", Facts.of(Origin.DECLARED, "", **{**always, **made(n)}), name, f"/nowhere/{name}.tif")
        for n, name in enumerate(names)
    ]


def calls(work: Callable[[list[Artifact]], Any], items: list[Artifact]) -> int:
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work(items)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("folder", FOLDERS)
def test_four_times_the_files_take_about_four_times_the_calls(folder: str) -> None:
    made = FOLDERS[folder]
    for name, work in WORK.items():
        few, many = (calls(work, files(count, made)) for count in (FEW, 4 * FEW))
        assert many <= 5.5 * few + 2000, name
