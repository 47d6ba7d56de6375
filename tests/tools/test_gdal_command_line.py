"""The tools beside GDAL's own command line, where one is installed: equal, to the last bit where versions are.

The new ``gdal`` program is there from version 3.11 on; its parser of command lines is in the library and is asked
everywhere. The classic utilities (gdaldem, gdalwarp...) may be of another version than the library: those are compared
within what versions differ by.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import shapely
from gdal_scenes import NORTH, PIXEL, UTM, WEST, call, classes, dem, hills, read, schema_of
from test_gdal_vectors import SQUARES, features, vector

from knowflow.model.artifact import Artifact
from knowflow.tools.gdal import algorithms
from knowflow.tools.gdal.library import c_names, library

COLOURS = "400 0 0 0\n600 200 100 0\n"
BOX = (WEST + 100, NORTH - 300, WEST + 400, NORTH - 100)


def _has_new_program() -> bool:
    if shutil.which("gdal") is None:
        return False
    said = subprocess.run(["gdal", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"GDAL (\d+)\.(\d+)", said)
    return found is not None and (int(found[1]), int(found[2])) >= (3, 11)


WAYS = [
    "parser",
    pytest.param("program", marks=pytest.mark.skipif(not _has_new_program(), reason="gdal >= 3.11 is not installed")),
]
utilities = pytest.mark.skipif(
    shutil.which("gdaldem") is None, reason="GDAL's utilities (gdaldem...) are not installed"
)


def _run(*command: Any) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


def _gdal(way: str, words: list[Any]) -> None:
    """What ``gdal WORDS`` does: by the program, or by the library with the program's parser."""
    if way == "program":
        _run("gdal", *words)
        return
    kind, name, *options = map(str, words)
    gdal = library().functions
    gdal.GDALAlgorithmParseCommandLineArguments.restype = ctypes.c_bool
    gdal.GDALAlgorithmParseCommandLineArguments.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p)]
    with algorithms._algorithm(library(), (kind, name)) as algorithm:
        assert gdal.GDALAlgorithmParseCommandLineArguments(algorithm, c_names(options))
        assert gdal.GDALAlgorithmRun(algorithm, algorithms.PROGRESS(0), None)
        assert gdal.GDALAlgorithmFinalize(algorithm)


def _dem(path: Path) -> Artifact:
    """An elevation model whose header says it all, so that both read the very same file."""
    source = dem(path, nodata=np.nan)
    with rasterio.open(path, "r+") as dataset:
        dataset.units = ("m",)
    return source


# tool -> (its arguments, the same as words of GDAL's command line)
RASTERS: dict[str, tuple[dict[str, Any], str]] = {
    "slope": ({}, "raster slope --unit degree"),
    "aspect": ({}, "raster aspect"),
    "hillshade": ({"azimuth": 200, "altitude": 30}, "raster hillshade --azimuth 200 --altitude 30 --zfactor 1"),
    "tpi": ({}, "raster tpi"),
    "tri": ({}, "raster tri"),
    "roughness": ({}, "raster roughness"),
    "gdal_raster_reproject": (
        {"dst_crs": "EPSG:3035", "resampling": "cubic"},
        "raster reproject --dst-crs EPSG:3035 --resampling cubic",
    ),
    "gdal_raster_clip": ({"bbox": list(BOX)}, f"raster clip --bbox {','.join(map(str, BOX))}"),
    "gdal_raster_resize": (
        {"size": ["35", "25"], "resampling": "average"},
        "raster resize --size 35,25 --resampling average",
    ),
    "gdal_raster_neighbors": (
        {"kernel": ["gaussian"], "method": ["mean"]},
        "raster neighbors --kernel gaussian --method mean --output-data-type Float32",
    ),
    "gdal_raster_reclassify": ({"mapping": "[0,500]=1;DEFAULT=2"}, "raster reclassify --mapping [0,500]=1;DEFAULT=2"),
    "fill_nodata": ({}, "raster fill-nodata"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("tool", list(RASTERS))
def test_rasters_equal_those_of_the_command_line(tmp_path: Path, tool: str, way: str) -> None:
    source, (arguments, words) = _dem(tmp_path / "in.tif"), RASTERS[tool]
    (name, *_) = schema_of(tool).inputs
    call(schema_of(tool), tmp_path / "ours.tif", **{name: source}, **arguments)
    _gdal(way, [*words.split(), source.path, tmp_path / "theirs.tif"])
    with rasterio.open(tmp_path / "theirs.tif") as dataset:
        theirs = dataset.read(1, masked=True)
    ours = read(tmp_path / "ours.tif")
    expected = theirs.filled(np.nan) if theirs.dtype.kind == "f" else theirs.data
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("gdal_vector_buffer", {"distance": 25}, "vector buffer --distance 25"),
        ("gdal_vector_filter", {"where": "value > 0"}, "vector filter --where value>0"),
        ("gdal_vector_reproject", {"dst_crs": "EPSG:4326"}, "vector reproject --dst-crs EPSG:4326"),
        ("gdal_vector_segmentize", {"max_length": 30}, "vector segmentize --max-length 30"),
    ],
)
def test_vectors_equal_those_of_the_command_line(
    tmp_path: Path, tool: str, arguments: dict[str, Any], words: str, way: str
) -> None:
    source = vector(tmp_path / "in.gpkg", SQUARES)
    call(schema_of(tool), tmp_path / "ours.gpkg", input=source, **arguments)
    _gdal(way, [*words.split(), source.path, tmp_path / "theirs.gpkg"])
    (ours, our_fields), (theirs, their_fields) = features(tmp_path / "ours.gpkg"), features(tmp_path / "theirs.gpkg")
    assert our_fields == their_fields
    assert [shapely.to_wkb(one) for one in ours] == [shapely.to_wkb(one) for one in theirs]


@utilities
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("slope", {}, "slope -compute_edges"),
        ("slope", {"gradient": "ZevenbergenThorne"}, "slope -compute_edges -alg ZevenbergenThorne"),
        ("aspect", {}, "aspect -compute_edges"),
        ("hillshade", {"azimuth": 200, "altitude": 30}, "hillshade -compute_edges -az 200 -alt 30"),
        ("tpi", {}, "TPI -compute_edges"),
        ("tri", {}, "TRI -compute_edges -alg Riley"),
        ("roughness", {}, "roughness -compute_edges"),
    ],
)
def test_terrain_equals_that_of_gdaldem(tmp_path: Path, tool: str, arguments: dict[str, Any], words: str) -> None:
    source = _dem(tmp_path / "in.tif")
    call(schema_of(tool), tmp_path / "ours.tif", dem=source, **arguments)
    name, *options = words.split()
    _run("gdaldem", name, source.path, tmp_path / "theirs.tif", *options)
    theirs = read(tmp_path / "theirs.tif").astype(np.float64)
    np.testing.assert_allclose(read(tmp_path / "ours.tif"), np.where(theirs == -9999, np.nan, theirs), atol=1e-3)


@utilities
@pytest.mark.parametrize("resampling", ["near", "bilinear", "cubic"])  # edges of average: 3.6 is older
def test_warped_pixels_equal_those_of_gdalwarp(tmp_path: Path, resampling: str) -> None:
    source, names = _dem(tmp_path / "in.tif"), {"near": "nearest"}
    arguments = {"resampling": names.get(resampling, resampling), "dst_crs": "EPSG:3035", "resolution": [12, 12]}
    call(schema_of("gdal_raster_reproject"), tmp_path / "ours.tif", input=source, **arguments)
    options = ["-t_srs", "EPSG:3035", "-tr", 12, 12, "-r", resampling]
    _run("gdalwarp", *options, source.path, tmp_path / "theirs.tif")
    ours, theirs = read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif")
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    np.testing.assert_allclose(ours, theirs, atol=0.01)


@utilities
def test_a_cutline_cuts_what_gdalwarp_cuts(tmp_path: Path) -> None:
    triangle = shapely.Polygon([(WEST + 100, NORTH - 100), (WEST + 396, NORTH - 100), (WEST + 100, NORTH - 409)])
    source, outline = _dem(tmp_path / "in.tif"), vector(tmp_path / "outline.gpkg", [triangle])
    call(schema_of("gdal_raster_clip"), tmp_path / "ours.tif", input=source, like=outline)
    grid = ["-tr", PIXEL, PIXEL, "-te", WEST + 100, NORTH - 410, WEST + 400, NORTH - 100]
    options = ["-cutline", outline.path, "-wo", "CUTLINE_ALL_TOUCHED=YES", *grid]
    _run("gdalwarp", *options, source.path, tmp_path / "theirs.tif")
    np.testing.assert_array_equal(read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif"))


@utilities
def test_colours_sizes_and_bands_equal_those_of_the_utilities(tmp_path: Path) -> None:
    source = _dem(tmp_path / "in.tif")
    (tmp_path / "colours.txt").write_text(COLOURS)
    arguments = {"color_map": str(tmp_path / "colours.txt")}
    call(schema_of("gdal_raster_color_map"), tmp_path / "colours.tif", input=source, **arguments)
    _run("gdaldem", "color-relief", source.path, tmp_path / "colours.txt", tmp_path / "theirs.tif")
    for band in (1, 2, 3):
        with rasterio.open(tmp_path / "colours.tif") as ours, rasterio.open(tmp_path / "theirs.tif") as theirs:
            np.testing.assert_allclose(ours.read(band), theirs.read(band), atol=1)
    arguments = {"size": ["35", "25"], "resampling": "average"}
    call(schema_of("gdal_raster_resize"), tmp_path / "small.tif", input=source, **arguments)
    _run("gdal_translate", "-outsize", 35, 25, "-r", "average", source.path, tmp_path / "translated.tif")
    np.testing.assert_allclose(read(tmp_path / "small.tif"), read(tmp_path / "translated.tif"), rtol=1e-6)


@utilities
def test_burnt_features_equal_those_of_gdal_rasterize(tmp_path: Path) -> None:
    rows, columns = hills().shape
    places = [(WEST + 100, NORTH - 100), (WEST + 615, NORTH - 90), (WEST + 333, NORTH - 444)]
    polygons = vector(tmp_path / "in.gpkg", [shapely.Polygon(places)])
    for touched in (False, True):
        arguments = {"vector": polygons, "like": dem(tmp_path / "like.tif"), "all_touched": touched}
        call(schema_of("rasterize_mask"), tmp_path / "ours.tif", **arguments)
        extent = [WEST, NORTH - PIXEL * rows, WEST + PIXEL * columns, NORTH]
        options = ["-burn", 1, "-te", *extent, "-ts", columns, rows, "-ot", "Byte", *(["-at"] if touched else [])]
        _run("gdal_rasterize", *options, polygons.path, tmp_path / f"theirs_{touched}.tif")
        np.testing.assert_array_equal(read(tmp_path / "ours.tif"), read(tmp_path / f"theirs_{touched}.tif"))


@utilities
def test_contours_equal_those_of_gdal_contour(tmp_path: Path) -> None:
    source = _dem(tmp_path / "in.tif")
    call(schema_of("contour"), tmp_path / "ours.gpkg", raster=source, interval=20)
    _run("gdal_contour", "-i", 20, "-a", "value", "-f", "GPKG", source.path, tmp_path / "theirs.gpkg")
    (ours, our_values), (theirs, their_values) = features(tmp_path / "ours.gpkg"), features(tmp_path / "theirs.gpkg")
    levels = sorted(set(our_values["value"]))
    assert levels == sorted(set(their_values["value"]))
    for level in levels:
        lengths = [
            sum(line.length for line, value in zip(lines, table["value"], strict=True) if value == level)
            for lines, table in ((ours, our_values), (theirs, their_values))
        ]
        assert lengths[0] == pytest.approx(lengths[1], rel=1e-3)


@utilities
def test_vectors_equal_those_of_ogr2ogr(tmp_path: Path) -> None:
    if shutil.which("ogr2ogr") is None:
        pytest.skip("ogr2ogr is not installed")
    source = vector(tmp_path / "in.gpkg", SQUARES)
    for name, arguments, options in (
        ("gdal_vector_reproject", {"dst_crs": "EPSG:4326"}, ["-t_srs", "EPSG:4326"]),
        ("gdal_vector_filter", {"where": "value > 0"}, ["-where", "value > 0"]),
        ("gdal_vector_segmentize", {"max_length": 30}, ["-segmentize", 30]),
        ("gdal_vector_simplify", {"tolerance": 5}, ["-simplify", 5]),
    ):
        call(schema_of(name), tmp_path / f"{name}.gpkg", input=source, **arguments)
        _run("ogr2ogr", *options, tmp_path / f"theirs_{name}.gpkg", source.path)
        (ours, our_fields), (theirs, their_fields) = (
            features(tmp_path / f"{prefix}{name}.gpkg") for prefix in ("", "theirs_")
        )
        assert our_fields == their_fields
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(shapely.get_coordinates(one), shapely.get_coordinates(other), atol=1e-9)


@utilities
def test_sieved_classes_equal_those_of_the_script(tmp_path: Path) -> None:
    if shutil.which("gdal_sieve.py") is None:
        pytest.skip("GDAL's Python scripts are not installed")
    source = classes(tmp_path / "in.tif", crs=UTM)
    call(schema_of("sieve"), tmp_path / "ours.tif", raster=source, min_pixels=6)
    _run("gdal_sieve.py", "-st", 6, "-4", source.path, tmp_path / "theirs.tif")
    np.testing.assert_array_equal(read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif"))
