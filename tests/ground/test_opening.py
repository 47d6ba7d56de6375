"""The door to files of data: nothing but the file itself is read, and no request leaves the machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from rasterio.errors import NotGeoreferencedWarning

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.opening import TRUST_VARIABLE, check_opening, open_data, told_elsewhere
from knowflow.ground.reader import Reader
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.header import read_artifact
from knowflow.tools.raster.source import open_raster


class Server:
    """A server on this machine, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                self.send_response(404)
                self.end_headers()

            do_HEAD = do_GET  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is written to the screen of a test."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


def write_raster(path: Path, value: float = 5.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    profile = {"driver": "GTiff", "width": 8, "height": 8, "count": 1, "dtype": "float32", "crs": "EPSG:32633"}
    with rasterio.open(path, "w", transform=Affine(10.0, 0.0, 5e5, 0.0, -10.0, 5e6), **profile) as dataset:
        dataset.write(np.full((1, 8, 8), value, dtype="float32"))
    return path


def vrt(source: str, *, relative: str = "0", kind: str = "SimpleSource") -> str:
    return (
        '<VRTDataset rasterXSize="8" rasterYSize="8"><VRTRasterBand dataType="Float32" band="1">'
        f'<{kind}><SourceFilename relativeToVRT="{relative}">{source}</SourceFilename><SourceBand>1</SourceBand>'
        f"</{kind}></VRTRasterBand></VRTDataset>"
    )


def wms(url: str) -> str:
    return (
        f'<GDAL_WMS><Service name="TMS"><ServerUrl>{url}/${{z}}/${{x}}/${{y}}.png</ServerUrl></Service><DataWindow>'
        "<UpperLeftX>-20037508</UpperLeftX><UpperLeftY>20037508</UpperLeftY><LowerRightX>20037508</LowerRightX>"
        "<LowerRightY>-20037508</LowerRightY><TileLevel>2</TileLevel></DataWindow>"
        "<BlockSizeX>256</BlockSizeX><BlockSizeY>256</BlockSizeY><BandsCount>3</BandsCount></GDAL_WMS>"
    )


X_DATASET = '<Metadata domain="GEOLOCATION"><MDI key="X_DATASET">/vsicurl/{}/x.tif</MDI></Metadata><VRTRasterBand'
HOSTILE = {
    "vrt of an address": lambda url: vrt(f"/vsicurl/{url}/a.tif"),
    "vrt of a plain address": lambda url: vrt(f"{url}/a.tif"),
    "vrt of an upper-case address": lambda url: vrt(f"/VSICURL/{url}/a.tif".replace("VSICURL", "vsicurl_streaming")),
    "vrt in a vrt": lambda url: vrt(vrt(f"/vsicurl/{url}/a.tif").replace("<", "&lt;")),
    "vrt of an archive behind an address": lambda url: vrt(f"/vsizip//vsicurl/{url}/a.zip/a.tif"),
    "vrt with its source as an attribute": lambda url: vrt("x.tif", relative="1").replace(
        "<SimpleSource>", f'<SimpleSource SourceFilename="/vsicurl/{url}/a.tif">'
    ),
    "vrt of a service": lambda url: vrt(wms(url).replace("<", "&lt;")),
    "vrt with overviews elsewhere": lambda url: vrt("beside.tif", relative="1").replace(
        "</VRTRasterBand>",
        f"<Overview><SourceFilename>/vsicurl/{url}/o.tif</SourceFilename></Overview></VRTRasterBand>",
    ),
    "vrt of a connection": lambda url: vrt(f"WMS:{url}/wms?LAYERS=a"),
    "vrt with a file of heights": lambda url: vrt("beside.tif", relative="1").replace(
        "<VRTRasterBand", X_DATASET.format(url), 1
    ),
    "broken vrt": lambda url: vrt(f"/vsicurl/{url}/a.tif").replace("</SourceBand>", ""),
    "vrt behind other text": lambda url: "x\n" + vrt(f"/vsicurl/{url}/a.tif"),
    "vrt with a definition": lambda url: f'<!DOCTYPE v [<!ENTITY u "{url}">]>' + vrt("/vsicurl/&u;/a.tif"),
    "wms": wms,
    "wms capabilities": lambda url: f"<WMT_MS_Capabilities><Service><OnlineResource>{url}</OnlineResource></Service>",
    "wcs": lambda url: f"<WCS_GDAL><ServiceURL>{url}/?</ServiceURL><CoverageName>a</CoverageName></WCS_GDAL>",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_under_the_name_of_a_raster_fetches_nothing(name: str, server: Server, tmp_path: Path) -> None:
    write_raster(tmp_path / "beside.tif")
    path = tmp_path / "ndvi_2020-01-01.tif"
    path.write_text(HOSTILE[name](server.url), encoding="utf-8")
    for opening in (read_artifact, open_raster):
        with pytest.raises(UnreadableDataError) as caught:
            opening(path)
        assert "is not opened" in caught.value.message, caught.value
        assert TRUST_VARIABLE in str(caught.value.hint)
    found = take_inventory(tmp_path)
    assert [Path(item.path or "").name for item in found.artifacts] == ["beside.tif"]
    assert found.unreadable[0][0] == path.name
    assert server.asked == []


OGR_VRT = '<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>{}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>'
HOSTILE_VECTORS = {
    "ogr vrt": lambda url: OGR_VRT.format(f"/vsicurl/{url}/a.geojson"),
    "ogr vrt of a plain address": lambda url: OGR_VRT.format(f"{url}/a.geojson"),
    "ogr vrt behind other text": lambda url: "x " + OGR_VRT.format(f"{url}/a.geojson"),
    "ogr vrt of a database": lambda url: OGR_VRT.format("PG:host=127.0.0.1"),
    "wfs": lambda url: f"<OGRWFSDataSource><URL>{url}/wfs</URL></OGRWFSDataSource>",
    "gml with a schema": lambda url: (
        '<ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml" '
        f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://ogr.maptools.org/ '
        f'{url}/a.xsd">'
        "</ogr:FeatureCollection>"
    ),
    "algorithm": lambda url: json.dumps(
        {"type": "gdal_streamed_alg", "command_line": f"gdal vector pipeline ! read {url}/a.geojson ! write x"}
    ),
}


@pytest.mark.parametrize("name", HOSTILE_VECTORS)
def test_a_text_under_the_name_of_a_vector_fetches_nothing(name: str, server: Server, tmp_path: Path) -> None:
    path = tmp_path / "fields.geojson"
    path.write_text(HOSTILE_VECTORS[name](server.url), encoding="utf-8")
    with pytest.raises(UnreadableDataError) as caught:
        read_artifact(path)
    assert "is not opened" in caught.value.message
    assert server.asked == []


def test_no_file_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    outside, folder = write_raster(tmp_path / "secret.tif"), tmp_path / "data"
    write_raster(folder / "inner" / "a.tif")
    for source, relative in ((str(outside), "0"), ("../secret.tif", "1"), ("inner/../../secret.tif", "1")):
        path = folder / "a.vrt"
        path.write_text(vrt(source, relative=relative), encoding="utf-8")
        with pytest.raises(UnreadableDataError) as caught:
            open_raster(path)
        assert "secret.tif" in str(caught.value.found)
    raw = vrt(str(outside)).replace("SimpleSource", "Raw").replace('band="1"', 'band="1" subClass="VRTRawRasterBand"')
    path.write_text(raw, encoding="utf-8")
    with pytest.raises(UnreadableDataError):
        open_raster(path)


def test_a_chain_of_virtual_rasters_is_followed_to_its_end(server: Server, tmp_path: Path) -> None:
    (tmp_path / "inner.tif").write_text(wms(server.url), encoding="utf-8")
    (tmp_path / "middle.tif").write_text(vrt("inner.tif", relative="1"), encoding="utf-8")
    (tmp_path / "outer.tif").write_text(vrt("middle.tif", relative="1"), encoding="utf-8")
    (tmp_path / "loop.tif").write_text(vrt("again.tif", relative="1"), encoding="utf-8")
    (tmp_path / "again.tif").write_text(vrt("loop.tif", relative="1"), encoding="utf-8")
    for name in ("outer.tif", "loop.tif"):
        with pytest.raises(UnreadableDataError):
            open_raster(tmp_path / name)
    assert server.asked == []


def test_a_virtual_raster_of_its_own_folder_is_data(tmp_path: Path) -> None:
    inner = write_raster(tmp_path / "bands" / "a.tif", 7.0)
    for source, relative in (("bands/a.tif", "1"), (str(inner), "0")):
        path = tmp_path / "a.vrt"
        path.write_text(vrt(source, relative=relative), encoding="utf-8")
        with open_raster(path) as dataset:
            assert float(dataset.read(1).mean()) == 7.0


def test_overviews_elsewhere_are_not_looked_for(server: Server, tmp_path: Path) -> None:
    path = write_raster(tmp_path / "a.tif")
    said = f'<Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">/vsicurl/{server.url}/a.ovr</MDI></Metadata>'
    (tmp_path / "a.tif.aux.xml").write_text(f"<PAMDataset>{said}</PAMDataset>", encoding="utf-8")
    with pytest.raises(UnreadableDataError):
        open_raster(path)
    assert server.asked == []


@pytest.mark.parametrize(
    "path", ["{}/a.tif", "/vsicurl/{}/a.tif", "/vsizip//vsicurl/{}/a.zip/a.tif", "WMS:{}/?LAYERS=a"]
)
def test_an_address_is_no_file(path: str, server: Server) -> None:
    with pytest.raises(UnreadableDataError):
        open_raster(path.format(server.url))
    assert server.asked == []


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.tif")
    with pytest.raises(UnreadableDataError, match="not opened"):
        open_raster(tmp_path / "a.tif")


@pytest.mark.parametrize(
    "content",
    [
        b'{"type": "FeatureCollection", "features": [], "source": "https://example.org/"}',
        b"ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 4\n",
        b'<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document/></kml>',
        b"II*\0\0\0\0\0<VRTDataset>",
        b"",
    ],
)
def test_what_holds_its_own_data_passes(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    check_opening(path)
    assert told_elsewhere(path) == ()


def test_who_trusts_the_data_says_so_and_is_told(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_raster(tmp_path / "beside.tif")
    inside = write_raster(tmp_path / "elsewhere" / "b.tif", 3.0)
    path = tmp_path / "data" / "ndvi_2020-01-01.vrt"
    path.parent.mkdir()
    path.write_text(vrt(str(inside)), encoding="utf-8")
    path.rename(path.with_suffix(".tif"))
    monkeypatch.setenv(TRUST_VARIABLE, "on")
    found = take_inventory(tmp_path / "data")
    assert found.artifacts[0].path == str(path.with_suffix(".tif"))
    assert any("b.tif" in note and "trust" in note for note in found.disagreements)


def test_gdal_itself_makes_no_request_in_a_process_that_opens_data(server: Server, tmp_path: Path) -> None:
    """Also where a file has passed the door: the libraries are told, before they load."""
    code = f"""
import knowflow.ground.opening
import rasterio, pyogrio
for opening in (rasterio.open, pyogrio.read_info):
    try:
        opening("/vsicurl/{server.url}/a.tif")
    except Exception as error:
        print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["RasterioIOError", "DataSourceError"]
    assert done.stderr == ""
    assert server.asked == []


def test_the_tools_of_gdal_go_through_the_door_too(server: Server, tmp_path: Path) -> None:
    from knowflow import KnowFlow

    path = tmp_path / "fields.geojson"
    path.write_text(OGR_VRT.format(f"{server.url}/a.geojson"), encoding="utf-8")
    found = KnowFlow().run_tool("gdal_vector_info", {"input": str(path)}, out=tmp_path / "out")
    assert found.status == "refused"
    assert "is not opened" in str(found.to_json())
    assert server.asked == []


@pytest.mark.parametrize("ending", [".tfw", ".TFW", ".tif.aux.xml", ".tif.msk", ".tif.ovr"])
def test_what_stands_beside_a_file_is_found_among_many(tmp_path: Path, ending: str) -> None:
    """Files beside it are asked for by name, the folder is not listed: rasterio, which lists it, sees the same."""
    values = np.arange(64 * 64, dtype=np.uint8).reshape(64, 64)
    profile = {"driver": "GTiff", "width": 64, "height": 64, "count": 1, "dtype": "uint8"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        for number in range(5):
            with rasterio.open(tmp_path / f"other{number}.tif", "w", **profile) as dataset:
                dataset.write(values, 1)
        path = tmp_path / "scene.tif"
        with rasterio.open(path, "w", **profile) as dataset:
            dataset.write(values, 1)
        if ending.lower() == ".tfw":
            (tmp_path / f"scene{ending}").write_text("10\n0\n0\n-10\n500005\n5099995\n")
        elif ending == ".tif.aux.xml":
            text = "<PAMDataset><Metadata><MDI key='SENSOR'>msi</MDI></Metadata></PAMDataset>"
            (tmp_path / f"scene{ending}").write_text(text)
        elif ending == ".tif.msk":
            with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=False), rasterio.open(path, "r+") as dataset:
                dataset.write_mask(values > 9)
        else:
            with rasterio.Env(TIFF_USE_OVR=True), rasterio.open(path, "r+") as dataset:
                dataset.build_overviews([2])
        assert (tmp_path / f"scene{ending}").is_file()
        with open_data(path) as ours, rasterio.open(path) as theirs:
            assert ours.transform == theirs.transform
            assert ours.tags() == theirs.tags()
            assert ours.overviews(1) == theirs.overviews(1)
            assert (ours.read_masks(1) == theirs.read_masks(1)).all()
            told = (ours.transform.is_identity, len(ours.tags()), ours.overviews(1), int(ours.read_masks(1).min()))
        assert told != (True, 0, [], 255), "it has been heeded"


@pytest.mark.parametrize(
    "crs",
    [
        None,
        "EPSG:32633",
        "EPSG:4326",
        "+proj=laea +lat_0=52 +lon_0=10 +ellps=bessel",
        'LOCAL_CS["field",UNIT["metre",1]]',
    ],
)
def test_a_file_says_what_rasterio_reads_of_it_and_its_crs_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crs: str | None
) -> None:
    path, transform = tmp_path / "scene.tif", Affine(10, 0, 500, 0, -10, 900)
    profile = {"driver": "GTiff", "width": 3, "height": 2, "count": 1, "dtype": "int16", "nodata": -1}
    with rasterio.open(path, "w", **profile, crs=crs, transform=transform) as made:
        made.write(np.arange(6, dtype=np.int16).reshape(1, 2, 3))
    asked: list[str] = []
    whole = Reader.read_crs
    monkeypatch.setattr(Reader, "read_crs", lambda self: (asked.append("crs"), whole(self))[1])
    with open_data(path) as found, rasterio.open(path) as expected:
        asked.clear()
        np.testing.assert_array_equal(found.read(), expected.read())
        assert (found.transform, found.shape, found.nodata, found.tags()) == (
            transform, expected.shape, -1, expected.tags(),
        )  # fmt: skip
        assert asked == [], "PROJ is left alone while pixels are read"
        assert found.crs == expected.crs
        assert found.profile == expected.profile
        assert found.crs is found.crs
        assert asked == ["crs"]
    assert found.crs == expected.crs
