"""The same question wherever the data lie: real servers on this machine, the same numbers, and no byte too many."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.opening import open_data
from knowflow.service.api import Service
from knowflow.service.sources import local, notes_of
from knowflow.service.sources.asked_about import period_of_question
from knowflow.service.sources.named import source_of
from knowflow.tools.remote import vsi
from knowflow.tools.remote.fetch import fetch
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
from tests.ground.test_cubes import Variable, monthly, write

QUESTION = "What is the mean NDVI on each date?"
DATES = ("2022-06-01", "2022-07-01")
WINDOW = (450, 470, 150, 170)  # in the four tiles around one corner
HEADER_BYTES = 64 * 1024


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    patience = {"RETRY_DELAY": "0.02", "MAX_RETRY": "1", "LOW_SPEED_TIME": "1", "TIMEOUT": "2"}
    for name, value in patience.items():
        monkeypatch.setenv(f"GDAL_HTTP_{name}", value)


@pytest.fixture(scope="session")
def series() -> Series:
    return noise(DATES)


@pytest.fixture(scope="session")
def tiled(series: Series, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiled")
    write_tiled(series, folder)
    return folder


@pytest.fixture
def web(tiled: Path, tmp_path: Path) -> Iterator[Served]:
    """A web server of its own copy of the series."""
    folder = tmp_path / "web"
    folder.mkdir()
    for path in tiled.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    with Served(folder) as served:
        yield served


def items(series: Series, folder: Path, base: str, **declared: Any) -> list[dict[str, Any]]:
    return [item_of(folder / f"ndvi_{date}.tif", series, base, **declared) for date in series.numbers]


def written(listed: list[dict[str, Any]], path: Path) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": listed}), encoding="utf-8")
    return path


def aoi(series: Series, window: tuple[int, int, int, int] = WINDOW) -> str:
    return ",".join(f"{number:.12f}" for number in series.box(*window))


def answered(data: Any, tmp_path: Path, **said: Any) -> dict[str, float]:
    """The mean of each date."""
    result = Service().run(QUESTION, data, out=tmp_path / "out", **said)
    assert result.status == "completed", result.error
    return {row["date"]: row["mean"] for row in result.answer}


def refused(data: Any, tmp_path: Path, **said: Any) -> dict[str, Any]:
    result = Service().run(QUESTION, data, out=tmp_path / "out", **said)
    assert result.status in ("refused", "failed")
    assert result.error is not None
    return dict(result.error)


def truth(series: Series) -> dict[str, float]:
    return {date: float(numbers.mean()) * SCALE for date, numbers in series.numbers.items()}


def test_every_source_gives_the_answer_of_the_folder(series: Series, tiled: Path, tmp_path: Path) -> None:
    import rustac

    forms = tmp_path / "forms"
    write_netcdf(series, forms / "ndvi.nc")
    write_hdf5(series, forms / "ndvi.h5")
    write_zarr(series, forms / "three.zarr")
    write_zarr(series, forms / "two.zarr", version=2, south_first=True)
    area = aoi(series)
    part = answered(tiled, tmp_path, aoi=area)
    with object_store(tiled, "series") as bucket, Served(tiled) as web, Served(forms) as cubes:
        listed = items(series, tiled, web.address)
        listing = tmp_path / "list.txt"
        listing.write_text(f"# of June\n{web.address}/ndvi_2022-06-01.tif\n{tiled}/ndvi_2022-07-01.tif\n")

        async def parquet() -> None:
            await rustac.write(str(tmp_path / "items.parquet"), listed)

        asyncio.run(parquet())
        with pytest.MonkeyPatch.context() as patch, catalogue(listed, tmp_path) as stac:
            for name, value in {**S3_OF_HERE, "AWS_S3_ENDPOINT": bucket.host}.items():
                patch.setenv(name, value)
            sources = [
                "s3://series/",
                f"{web.address}/",
                str(listing),
                f"stac+{stac.address}/collections/ndvi",
                str(tmp_path / "items.parquet"),
                f"{cubes.address}/ndvi.nc",
                f"{cubes.address}/ndvi.h5",
                str(forms / "two.zarr"),
                f"{cubes.address}/three.zarr",
            ]
            assert answered(sources[0], tmp_path) == pytest.approx(truth(series), abs=1e-6)
            for source in sources:
                assert answered(source, tmp_path, aoi=area) == pytest.approx(part, abs=1e-9), source


def test_planning_reads_headers_and_a_run_the_tiles_of_the_area_once(
    series: Series, web: Served, tmp_path: Path
) -> None:
    area = aoi(series)
    Service().plan(QUESTION, f"{web.address}/", aoi=area)
    files = [f"/ndvi_{date}.tif" for date in DATES]
    assert all(0 < web.sent[file] <= HEADER_BYTES for file in files)
    headers = dict(web.sent)
    answered(f"{web.address}/", tmp_path, aoi=area)
    read = sum(web.sent[file] - headers[file] for file in files)
    assert read <= 1.2 * sum(_tiles(Path(str(web.folder)) / file.lstrip("/")) for file in files)
    before = [web.sent[file] for file in files]
    assert len(answered(f"{web.address}/", tmp_path, aoi=area, dates="2022-06-01/2022-06-30")) == 1
    assert [web.sent[file] for file in files] == before  # what is known is not asked for again


def _tiles(path: Path) -> int:
    """The bytes of the tiles that the window needs."""
    row, column, rows, columns = WINDOW
    with rasterio.open(path) as file:
        return sum(
            int(file.get_tag_item(f"BLOCK_SIZE_{x}_{y}", "TIFF", bidx=1))
            for y in range((row - 8) // TILE, (row + rows + 8) // TILE + 1)
            for x in range((column - 8) // TILE, (column + columns + 8) // TILE + 1)
        )


def test_a_search_is_frozen_until_it_is_refreshed(series: Series, web: Served, tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    written(items(series, Path("."), web.address)[:1], path)
    first = answered(str(path), tmp_path)
    address = f"{web.address}/"
    two = answered(address, tmp_path)
    (Path(str(web.folder)) / "ndvi_2022-06-01.tif").unlink()
    assert answered(address, tmp_path) == two
    planned = Service().plan(QUESTION, address, refresh=True)
    assert any("1 went" in note and "ndvi_2022-06-01.tif" in note for note in planned.notes)
    assert answered(address, tmp_path) == {date: mean for date, mean in two.items() if date != "2022-06-01"}
    assert list(first) == ["2022-06-01"]


def test_what_has_changed_is_found_before_it_is_used(series: Series, web: Served, tmp_path: Path) -> None:
    address, folder = f"{web.address}/", Path(str(web.folder))
    planned = Service().plan(QUESTION, address).plan
    other = noise(DATES, seed=1)
    write_tiled(other, folder)
    result = Service().run(planned, out=tmp_path / "out")
    assert result.status == "failed"
    assert result.error is not None
    assert result.error["code"] == "remote_changed"
    assert "--refresh" in result.error["hint"]
    error = refused(address, tmp_path)
    assert (error["code"], len(error["problems"])) == ("remote_changed", 2)
    assert answered(address, tmp_path, refresh=True) == pytest.approx(truth(other), abs=1e-6)


def test_what_changes_between_a_plan_and_its_run_is_planned_anew_and_told(web: Served, tmp_path: Path) -> None:
    other = noise(DATES, seed=1)

    def change(_: object) -> None:
        if not (tmp_path / "changed").exists():
            write_tiled(other, Path(str(web.folder)))
            (tmp_path / "changed").touch()

    result = Service().run(QUESTION, f"{web.address}/", out=tmp_path / "out", on_plan=change)
    assert {row["date"]: row["mean"] for row in result.answer} == pytest.approx(truth(other), abs=1e-6)
    assert any("2 changed" in note for note in result.notes)


@pytest.mark.parametrize("zone", [False, True])
def test_what_one_solar_day_shows_is_one_image(zone: bool, web: Served, tmp_path: Path) -> None:
    """Two tiles that overlap by 80 columns; the second lies in another zone, or on the same grid."""
    folder = Path(str(web.folder)) / "day"
    west = noise(DATES[:1], seed=2, west=500_000.0)
    flat = replace(west, numbers={date: np.full_like(one, 4000) for date, one in west.numbers.items()})
    left, _, _, top = (0.0, 0.0, 0.0, 0.0)
    east = replace(flat, west=512_000.0)
    if zone:
        west = replace(flat, numbers={date: np.full_like(one, 2000) for date, one in west.numbers.items()})
        from rasterio.warp import transform

        (left,), (top,) = transform("EPSG:32633", "EPSG:32634", [512_000.0], [5_100_000.0])
        east = replace(flat, crs="EPSG:32634", west=round(left, -1), north=round(top, -1))
    pairs = [(one, name, write_tiled(one, folder / name)[0]) for one, name in ((west, "w"), (east, "e"))]
    listed = [item_of(path, one, f"{web.address}/day/{name}") for one, name, path in pairs]
    listed[1]["properties"]["datetime"] = "2022-06-01T10:00:25Z"
    path = written(listed, tmp_path / "items.json")
    planned = Service().plan("What is the mean NDVI?", str(path))
    assert any("one solar day" in note and ("nearest" in note) is zone for note in planned.notes)
    result = Service().run("What is the mean NDVI?", str(path), out=tmp_path / "out")
    assert result.status == "completed", result.error
    numbers = west.numbers[DATES[0]].astype(float)
    columns = 1200
    expected = (numbers.sum() + 4000.0 * 1280 * columns) / (1280 * (1280 + columns)) * SCALE
    assert result.answer == pytest.approx(expected, abs=2e-3 if zone else 1e-6)


@pytest.mark.parametrize(
    ("fact", "declared"),
    [
        ("crs", {"proj:code": "EPSG:32634"}),
        ("transform", {"proj:transform": [10.0, 0, 500_020.0, 0, -10.0, 5_100_000.0]}),
        ("shape", {"proj:shape": [640, 1280]}),
        ("scale", {"raster:bands": [{"scale": 0.001}]}),
        ("offset", {"raster:bands": [{"scale": SCALE, "offset": -0.1}], "bands": None}),
        ("nodata", {"raster:bands": [{"nodata": 0}]}),
        ("data type", {"raster:bands": [{"data_type": "uint16"}]}),
    ],
)
def test_an_item_that_contradicts_the_header_is_refused_with_both(
    fact: str, declared: dict[str, Any], series: Series, web: Served, tmp_path: Path
) -> None:
    if fact == "offset":  # that of 0 is not stored by the format: a tag says it
        with rasterio.open(Path(str(web.folder)) / "ndvi_2022-06-01.tif", "r+", IGNORE_COG_LAYOUT_BREAK="YES") as file:
            file.offsets = (0.25,)
    listed = items(series, Path("."), web.address)
    listed[0] = items(series, Path("."), web.address, **declared)[0]
    error = refused(str(written(listed, tmp_path / "items.json")), tmp_path)
    assert error["code"] == "unreadable_data"
    problem = error["problems"][0]
    assert fact in problem["expected"]
    assert fact in problem["found"]
    assert listed[0]["id"] in problem["expected"]
    assert "ndvi_2022-06-01.tif" in problem["found"]


def test_scales_that_differ_between_items_count_each_for_its_own(series: Series, web: Served, tmp_path: Path) -> None:
    folder = Path(str(web.folder)) / "other"
    halved = replace(series, numbers={DATES[1]: series.numbers[DATES[1]]})
    write_tiled(halved, folder, scale=SCALE / 2)
    bands = {"raster:bands": [{"scale": SCALE / 2}]}
    listed = [
        items(series, Path("."), web.address)[0],
        item_of(folder / f"ndvi_{DATES[1]}.tif", halved, f"{web.address}/other", **bands),
    ]
    found = answered(str(written(listed, tmp_path / "items.json")), tmp_path)
    assert found[DATES[1]] == pytest.approx(truth(series)[DATES[1]] / 2, abs=1e-6)


def test_items_that_are_told_twice_count_once(series: Series, web: Served, tmp_path: Path) -> None:
    listed = items(series, Path("."), web.address)
    again = json.loads(json.dumps(listed[0]))
    anew = {**json.loads(json.dumps(listed[0])), "id": "processed_anew"}
    anew["properties"]["updated"] = "2023-01-01T00:00:00Z"
    path = written([*listed, again, anew], tmp_path / "items.json")
    planned = Service().plan(QUESTION, str(path))
    assert any("more than once" in note for note in planned.notes)
    assert any("earlier version" in note for note in planned.notes)
    assert answered(str(path), tmp_path) == pytest.approx(truth(series), abs=1e-6)


def test_a_run_tells_where_its_data_lie_and_of_which_state_they_are(web: Served, tmp_path: Path) -> None:
    result = Service().run(QUESTION, f"{web.address}/", out=tmp_path / "out")
    assert result.trace is not None
    told = [state for path, state in result.trace.plan.files.items() if path.endswith("ndvi_2022-06-01.tif")]
    etag = hashlib.sha256((Path(str(web.folder)) / "ndvi_2022-06-01.tif").read_bytes()).hexdigest()[:32]
    assert [f"{web.address}/ndvi_2022-06-01.tif" in one and etag in one for one in told] == [True]


def test_several_sources_stand_together(series: Series, tiled: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    later = noise(("2022-08-01",), seed=3)
    write_tiled(later, own)
    with Served(tiled) as web:
        sources = [f"{web.address}/", str(own)]
        found = answered(sources, tmp_path)
        assert found == pytest.approx({**truth(series), **truth(later)}, abs=1e-6)
        folder = local(sources)
        before = {path: path.lstat() for path in folder.rglob("*")}
        assert {path: path.lstat() for path in local(sources, refresh=True).rglob("*")} == before  # nobody is disturbed
        last = noise(("2022-09-01",), seed=4)
        write_tiled(last, own)
        assert answered(sources, tmp_path) == pytest.approx({**found, **truth(last)}, abs=1e-6)


def test_a_catalogue_is_asked_for_area_period_and_clouds(series: Series, web: Served, tmp_path: Path) -> None:
    listed = items(series, Path("."), web.address)
    cloudy, far = json.loads(json.dumps(listed))
    cloudy["id"], cloudy["properties"]["eo:cloud_cover"] = "cloudy", 80
    far["id"], far["bbox"], far["geometry"] = "far", [100, 10, 101, 11], {"type": "Point", "coordinates": [100, 10]}
    far["properties"]["datetime"] = "2022-06-20T10:00:00Z"
    with catalogue([*listed, cloudy, far], tmp_path) as stac:
        source = f"stac+{stac.address}/collections/ndvi?cloud_cover=20"
        folder = local(source, aoi=aoi(series), dates="2022-06-01/2022-06-30")
    assert [one.name for one in folder.rglob("*.tif")] == ["ndvi_2022-06-01.tif"]


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("What was the mean NDVI in June 2022?", ("2022-06-01", "2022-06-30")),
        ("What was the mean NDVI of forest in 2022?", ("2022-01-01", "2022-12-31")),
        ("How much did the mean NDVI change from June 2021 to August 2022?", ("2021-06-01", "2022-08-31")),
        ("What was the mean NDVI in summer 2022?", ("2021-12-01", "2022-12-31")),
        ("What was the mean NDVI since 2020?", ("2020-01-01", None)),
        ("What was the mean NDVI on each date?", (None, None)),
        ("What was the mean NDVI in June?", (None, None)),
        ("Colourless green ideas sleep furiously in 2022", (None, None)),
    ],
)
def test_the_period_of_a_question_is_what_a_catalogue_is_searched_for(
    question: str, period: tuple[str | None, str | None]
) -> None:
    assert period_of_question(question) == period


@pytest.mark.parametrize(
    ("kind", "when"),
    [*((kind, "pixels") for kind in ("403", "404", "429", "503", "cut", "slow")), ("503", "header"), ("cut", "header")],
)
def test_passing_faults_of_the_network_are_healed(
    kind: str, when: str, series: Series, web: Served, tmp_path: Path
) -> None:
    address = f"{web.address}/"
    if when == "pixels":
        Service().plan(QUESTION, address)
    status = int(kind) if kind.isdigit() else 0
    of_kind: Any = "status" if status else kind
    web.faults[:] = [Fault(of_kind, f"ndvi_{date}", times=2, status=status, after=1) for date in DATES]
    assert answered(address, tmp_path) == pytest.approx(truth(series), abs=1e-6)
    assert sum(fault.struck for fault in web.faults) >= 2


@pytest.mark.parametrize(
    ("kind", "told"),
    [("403", "403"), ("503", "503"), ("cut", ""), ("slow", "")],
)
def test_lasting_faults_of_the_network_are_named(
    kind: str, told: str, web: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vsi, "_ATTEMPTS", 2)
    address = f"{web.address}/"
    planned = Service().plan(QUESTION, address).plan
    status = int(kind) if kind.isdigit() else 0
    of_kind: Any = "status" if status else kind
    web.faults[:] = [Fault(of_kind, "ndvi_2022-07-01", times=10_000, status=status)]
    result = Service().run(planned, out=tmp_path / "out", max_repairs=0)
    assert result.status == "failed"
    assert result.answer is None
    assert result.error is not None
    assert result.error["code"] == "remote_data"
    assert result.error["where"].endswith("ndvi_2022-07-01.tif")
    assert told in str(result.error["found"])
    assert result.error["hint"]


@pytest.mark.parametrize("lasting", [False, True])
def test_a_page_of_a_search_that_fails_is_asked_for_again(
    lasting: bool, series: Series, web: Served, tmp_path: Path
) -> None:
    with catalogue(items(series, Path("."), web.address), tmp_path) as stac:
        times = 10_000 if lasting else 2
        stac.faults[:] = [Fault("status", "/search", times, status=502), Fault("cut", "/search", times)]
        source = f"stac+{stac.address}/collections/ndvi"
        if not lasting:
            assert answered(source, tmp_path) == pytest.approx(truth(series), abs=1e-6)
            return
        error = refused(source, tmp_path)
        assert (error["code"], error["where"]) == ("remote_data", stac.address)


def test_a_signature_is_in_no_record_and_is_renewed_when_it_has_expired(
    series: Series, web: Served, tmp_path: Path
) -> None:
    folder = Path(str(web.folder))
    item = items(series, Path("."), web.address)[0]
    item["links"] = [{"rel": "self", "href": f"{web.address}/item.json"}]
    fresh = json.loads(json.dumps(item))
    item["assets"]["ndvi"]["href"] += "?X-Amz-Signature=hush-old&X-Amz-Expires=60"
    fresh["assets"]["ndvi"]["href"] += "?X-Amz-Signature=hush-new&X-Amz-Expires=60"
    (folder / "item.json").write_text(json.dumps(fresh))
    home = tmp_path / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KNOWFLOW_HOME", str(home))
        source = str(written([item], tmp_path / "items.json"))
        Service().plan(QUESTION, source)
        web.faults[:] = [Fault("status", "hush-old", 10_000, status=403)]
        found = answered(source, tmp_path)
    assert found == pytest.approx({DATES[0]: truth(series)[DATES[0]]}, abs=1e-6)
    secret = home / "sources" / "signed.json"
    assert secret.stat().st_mode & 0o077 == 0
    others = [path for top in (home, tmp_path / "out") for path in top.rglob("*") if path.is_file() and path != secret]
    assert others
    assert not [path for path in others if b"hush-" in path.read_bytes()]


@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        ("s3://bucket/a/prefix", "objects", "prefix"),
        ("s3://bucket/S2A_MSIL2A.SAFE/", "objects", "S2A_MSIL2A.SAFE"),
        ("s3://bucket/v1.2", "objects", "v1.2"),
        ("gs://bucket", "objects", "data"),
        ("https://host/folder", "pages", "folder"),
        ("https://host/a/ndvi.tif?token=x", "object", "ndvi"),
        ("https://host/zones.geojson", "object", "zones"),
        ("https://host/items.json", "items", "items"),
        ("az://box/items.parquet", "items", "items"),
        ("https://host/cube.zarr/", "zarr", "cube"),
        ("stac+https://host/api/v1/collections/s2?cloud_cover=5", "catalogue", "s2"),
    ],
)
def test_addresses_are_told_apart_by_how_they_are_written(text: str, kind: str, title: str) -> None:
    found = source_of(text)
    assert (found.kind, found.title) == (kind, title)


def test_items_name_files_of_their_own_folder_alone(
    series: Series, tiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = [item_of(tiled / f"ndvi_{DATES[0]}.tif", series, str(tiled))]
    error = refused(str(written(listed, tmp_path / "items.json")), tmp_path)
    assert (error["code"], error["where"]) == ("unreadable_data", str(tiled / f"ndvi_{DATES[0]}.tif"))
    monkeypatch.setenv("KNOWFLOW_TRUST_DATA", "on")
    assert list(answered(str(tmp_path / "items.json"), tmp_path)) == [DATES[0]]
    monkeypatch.delenv("KNOWFLOW_TRUST_DATA")
    listed[0]["assets"]["ndvi"]["href"] = f"./below/ndvi_{DATES[0]}.tif"
    write_tiled(replace(series, numbers={DATES[0]: series.numbers[DATES[0]]}), tmp_path / "below")
    assert list(answered(str(written(listed, tmp_path / "items.json")), tmp_path)) == [DATES[0]]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("stac+https://host/api", "no_plan"),
        ("stac+https://host/collections/a?colour=red", "no_plan"),
        ("nothing/here", "data_not_found"),
    ],
)
def test_a_source_that_is_none_is_refused(source: str, code: str, tmp_path: Path) -> None:
    assert refused(source, tmp_path)["code"] == code


def test_a_list_names_what_it_lacks(tmp_path: Path) -> None:
    listing = tmp_path / "list.txt"
    listing.write_text("gone.tif\n")
    error = refused(str(listing), tmp_path)
    assert error["code"] == "data_not_found"
    assert "gone.tif" in error["found"]


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pystac_client", None)
    monkeypatch.setitem(sys.modules, "zarr", None)
    (tmp_path / "cube.zarr").mkdir()
    for source in ("stac+http://127.0.0.1:9/collections/a", str(tmp_path / "cube.zarr")):
        with pytest.raises(KnowFlowError, match="not installed") as refusal:
            local(source)
        assert 'pip install "knowflow[remote]"' in str(refusal.value.hint)


def test_a_folder_of_ones_own_imports_nothing_for_data_elsewhere(tiled: Path) -> None:
    program = f"""
import sys
from knowflow.service.api import Service
Service().plan({QUESTION!r}, {str(tiled)!r})
print(*(name for name in sys.modules if name.startswith(("pystac", "zarr", "h5py", "xarray", "rustac", "requests",
                                                         "knowflow.service.sources", "knowflow.tools.remote"))))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_chunk_that_a_web_server_has_lost_is_no_fill_value(series: Series, tmp_path: Path) -> None:
    write_zarr(series, tmp_path / "cube.zarr")
    (tmp_path / "cube.zarr" / "ndvi" / "c" / "1" / "1" / "1").unlink()
    with Served(tmp_path) as web:
        error = refused(f"{web.address}/cube.zarr", tmp_path)
    assert error["code"] == "remote_data"
    assert error["where"].endswith("cube.zarr/ndvi/c/1/1/1")


def told(path: Path) -> dict[str, Any]:
    """What a cube says of itself, its bands in the order of their tags, with their numbers."""
    with open_data(path) as file:
        bands = [
            (
                sorted(file.tags(number).items()),
                file.dtypes[number - 1],
                repr(file.nodatavals[number - 1]),
                (file.scales[number - 1], file.offsets[number - 1], file.units[number - 1]),
                file.read(number).tobytes(),
            )
            for number in file.indexes
        ]
        return {"grid": (file.shape, file.transform, file.crs), "bands": sorted(bands)}


@pytest.mark.parametrize("name", ["east.nc", "around.nc", "series.nc", "series.h5"])
def test_a_cube_elsewhere_says_what_the_same_file_says_here(name: str, tmp_path: Path) -> None:
    """Months on a grid in degrees, from the east and around the globe, and dates of a projected one."""
    folder = tmp_path / "cubes"
    folder.mkdir()
    few = noise(DATES, side=70)
    monthly(folder / "east.nc")
    monthly(folder / "around.nc", longitudes=[float(one) for one in range(0, 360, 30)], south_up=True)
    write_netcdf(few, folder / "series.nc")
    write_hdf5(few, folder / "series.h5")
    with Served(folder) as web:
        found = local(f"{web.address}/{name}")
        assert not notes_of(found)
        (path,) = found.iterdir()
        fetch(str(path))
        assert told(path) == told(folder / name)
        (least,) = local(f"{web.address}/{name}", aoi="-70,40,-5,41" if name == "around.nc" else None).iterdir()
        with open_data(least) as file:
            assert (file.bounds.left < 0) is (name == "around.nc")


def test_a_cube_that_cannot_be_read_by_its_parts_is_copied_whole_and_told(tmp_path: Path) -> None:
    (tmp_path / "cubes").mkdir()
    grid = {"lat": Variable(np.zeros((3, 4)), ("y", "x")), "lon": Variable(np.zeros((3, 4)), ("y", "x"))}
    swath = {"t": Variable(np.ones((3, 4), "f4"), ("y", "x"), {"coordinates": "lat lon"}), **grid}
    write(tmp_path / "cubes" / "swath.nc", swath)
    with Served(tmp_path / "cubes") as web:
        found = local(f"{web.address}/swath.nc")
    assert (found / "swath.nc").read_bytes() == (tmp_path / "cubes" / "swath.nc").read_bytes()
    assert any("copied whole: 1" in note for note in notes_of(found))


def test_slices_that_lie_in_one_chunk_come_together(tmp_path: Path) -> None:
    import zarr

    few = noise(("2022-06-01", "2022-06-11", "2022-06-21"), side=64)
    write_zarr(few, tmp_path / "cube.zarr")
    group = zarr.open_group(tmp_path / "cube.zarr", mode="a")
    said = dict(group["ndvi"].attrs)
    stack = np.stack(list(few.numbers.values()))
    axes = ("time", "y", "x")
    array = group.create_array(
        "ndvi", shape=stack.shape, dtype="i2", chunks=(2, 64, 64), dimension_names=axes, overwrite=True
    )
    array[...] = stack
    array.attrs.update(said)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(tmp_path / "cube.zarr")
    with Served(tmp_path) as web:
        found = answered(f"{web.address}/cube.zarr", tmp_path)
        chunks = {path: count for path, count in web.sent.items() if "/ndvi/c/" in path}
    assert found == pytest.approx(truth(few), abs=1e-6)
    assert chunks == {
        f"/cube.zarr/ndvi/c/{one}/0/0": (tmp_path / "cube.zarr" / "ndvi" / "c" / f"{one}" / "0" / "0").stat().st_size
        for one in (0, 1)
    }


def test_a_zarr_store_in_a_folder_is_told_of(series: Series, tiled: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ndvi_2022-06-01.tif").symlink_to(tiled / "ndvi_2022-06-01.tif")
    write_zarr(series, tmp_path / "data" / "cube.zarr")
    found = Service().inventory(tmp_path / "data")
    ((path, reason),) = found.unreadable
    assert path == "cube.zarr"
    assert f"--data {tmp_path / 'data' / 'cube.zarr'}" in reason
    assert not found.unknown
