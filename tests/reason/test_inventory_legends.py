"""Class maps have the names that stand beside them: sidecars, tables in any dialect, texts, attributes of vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from pyogrio.raw import write as write_vector
from rasters import UTM, write_raster

from knowflow.model.facts import Origin
from knowflow.reason.inventory import read_file, take_inventory

NAMES = {1: "Forest", 2: "Meadow", 5: "Open water"}
RAT = """<PAMDataset><PAMRasterBand band="1"><GDALRasterAttributeTable>
<FieldDefn index="0"><Name>Value</Name><Type>0</Type><Usage>5</Usage></FieldDefn>
<FieldDefn index="1"><Name>Count</Name><Type>0</Type><Usage>1</Usage></FieldDefn>
<FieldDefn index="2"><Name>Class</Name><Type>2</Type><Usage>2</Usage></FieldDefn>
<Row index="0"><F>1</F><F>9</F><F>Forest</F></Row><Row index="1"><F>2</F><F>9</F><F>Meadow</F></Row>
<Row index="2"><F>5</F><F>9</F><F>Open water</F></Row></GDALRasterAttributeTable></PAMRasterBand></PAMDataset>"""
QML = """<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis><pipe><rasterrenderer type="paletted"><colorPalette>
<paletteEntry value="1" label="Forest" color="#00ff00"/><paletteEntry value="2" label="Meadow" color="#88ff00"/>
<paletteEntry value="5" label="Open water" color="#0000ff"/></colorPalette></rasterrenderer></pipe></qgis>"""
CATEGORIES = (
    "<PAMDataset><PAMRasterBand band='1'><CategoryNames><Category></Category><Category>Forest</Category>"
    "<Category>Meadow</Category><Category></Category><Category></Category><Category>Open water</Category>"
    "</CategoryNames></PAMRasterBand></PAMDataset>"
)


def class_map(path: Path, numbers: tuple[int, ...] = (1, 2, 5), **tags: str) -> Path:
    write_raster(path, dtype="uint8", tags=tags or {"QUANTITY": "land_cover_class"})
    with rasterio.open(path, "r+") as file:
        file.write(np.resize(np.array(numbers, np.uint8), file.shape), 1)
    return path


def named(folder: Path, name: str = "lulc") -> dict[int, str] | None:
    found = next(item for item in take_inventory(folder).rasters if item.name == name)
    classes = found.fact("classes")
    return None if classes is None else dict(classes)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("lulc.tif.aux.xml", RAT),
        ("lulc.tif.aux.xml", CATEGORIES),
        ("lulc.qml", QML),
        ("lulc.csv", "value;label;R;G;B\n1;Forest;0;9;0\n2;Meadow;1;9;0\n5;Open water;0;0;9\n"),
        ("lulc.txt", "1 = Forest\n2 = Meadow\n5 = Open water\n"),
        ("legend.csv", "code\tname\n1\tForest\n2\tMeadow\n5\tOpen water\n"),
        ("classes.txt", "1: Forest\n2: Meadow\n5: Open water\n"),
        ("README.md", "Fields of 2021.\nlulc.tif: 1 = Forest, 2 = Meadow, 5 = Open water\nwells.csv: 3 wells"),
        ("notes.txt", "Land cover (lulc codes: 1 Forest, 2 Meadow and 5 Open water). Made 2020."),
        ("notes.md", "Land use in short.\n\nLand cover codes: 1 Forest, 2 Meadow, 5 Open water. Grid 25 m, 4 flights."),
        ("lookup_table.tsv", "id\tdescription\n1\tForest\n2\tMeadow\n5\tOpen water\n"),
    ],
)
def test_names_are_read_from_whatever_holds_them_beside_a_map(tmp_path: Path, file: str, text: str) -> None:
    class_map(tmp_path / "lulc.tif")
    (tmp_path / file).write_text(text)
    assert named(tmp_path) == NAMES
    assert take_inventory(tmp_path).unknown == ()


def polygons(path: Path, **columns: np.ndarray) -> Path:
    size = len(next(iter(columns.values())))
    point = bytes.fromhex("0101000000000000000000000000000000000000000000")[:21]
    geometry = np.array([point] * size, dtype=object)
    write_vector(
        path,
        geometry=geometry,
        field_data=list(columns.values()),
        fields=list(columns),
        geometry_type="Point",
        crs=UTM["crs"],
    )
    return path


def test_an_identifier_and_a_name_in_a_vector_beside_are_those_of_the_map(tmp_path: Path) -> None:
    class_map(tmp_path / "map_2020.tif")
    polygons(
        tmp_path / "fields.gpkg",
        RABA_ID=np.array([1300, 1321, 2000, 1100, 7000]),
        MAP_ID=np.array([2, 2, 1, 1, 5]),
        MAP_NAME=np.array(["Meadow", "Meadow", "Forest", "Forest", "Open water"], dtype=object),
    )
    assert named(tmp_path, "map_2020") == NAMES


def test_zones_as_numbers_have_the_names_of_the_places(tmp_path: Path) -> None:
    class_map(tmp_path / "zones.tif", (1, 2, 3), QUANTITY="class_label")
    places = np.array(["Northfield", "Southbank", "Westhill"], dtype=object)
    polygons(tmp_path / "districts.gpkg", gid=np.array([1, 2, 3]), district=places)
    assert named(tmp_path, "zones") == {1: "Northfield", 2: "Southbank", 3: "Westhill"}


def test_a_list_of_other_things_names_no_classes(tmp_path: Path) -> None:
    class_map(tmp_path / "lulc.tif")
    names = np.array([f"{letter}ville" for letter in "abcdefghijkl"], dtype=object)
    polygons(tmp_path / "districts.gpkg", gid=np.arange(12), district=names)
    assert named(tmp_path) is None


@pytest.mark.parametrize(
    "note",
    [
        "lulc.tif: 1 = Forest, 2 = Meadow",  # lacks a number of the map
        "other.tif: 1 = Forest, 2 = Meadow, 5 = Open water",
        "Soil codes: 1 Forest, 2 Meadow, 5 Open water",
        "lulc.tif has a legend. soil.tif: 1 = Forest, 2 = Meadow, 5 = Open water",
    ],
)
def test_a_note_of_something_else_names_no_classes(tmp_path: Path, note: str) -> None:
    class_map(tmp_path / "lulc.tif")
    (tmp_path / "README.md").write_text(note)
    assert named(tmp_path) is None


def test_a_note_names_the_numbers_in_a_sentence_behind_what_the_map_is(tmp_path: Path) -> None:
    class_map(tmp_path / "lulc.tif")
    (tmp_path / "README.md").write_text("lulc.tif: what grows where. 1 = Forest, 2 = Meadow, 5 = Open water\n")
    assert named(tmp_path) == NAMES


def test_two_lists_that_name_the_numbers_differently_are_not_believed(tmp_path: Path) -> None:
    class_map(tmp_path / "lulc.tif")
    (tmp_path / "legend_a.csv").write_text("code,name\n1,Forest\n2,Meadow\n5,Water\n")
    (tmp_path / "legend_b.csv").write_text("code,name\n1,Town\n2,Field\n5,Road\n")
    assert named(tmp_path) is None


def test_a_list_that_lacks_a_number_of_the_map_is_of_another_one(tmp_path: Path) -> None:
    class_map(tmp_path / "lulc.tif", (1, 2, 7))
    (tmp_path / "legend.csv").write_text("code,name\n1,Forest\n2,Meadow\n5,Water\n")
    assert named(tmp_path) is None


def test_names_in_the_map_itself_go_before_those_beside_it(tmp_path: Path) -> None:
    class_map(tmp_path / "lulc.tif", QUANTITY="land_cover_class", CLASSES=json.dumps({"1": "Wood", "2": "Grass"}))
    (tmp_path / "legend.csv").write_text("code,name\n1,Forest\n2,Meadow\n5,Water\n")
    assert named(tmp_path) == {1: "Wood", 2: "Grass"}


def test_a_map_given_to_a_tool_has_the_names_of_its_sidecar(tmp_path: Path) -> None:
    path = class_map(tmp_path / "lulc.tif")
    path.with_suffix(".qml").write_text(QML)
    assert dict(read_file(path).fact("classes")) == NAMES


@pytest.mark.parametrize("writer", ["gpkg", "csv"])
def test_the_names_of_places_are_known_with_the_words_of_the_other_fields(tmp_path: Path, writer: str) -> None:
    code = np.array(["XA-001", "XA-002", "XA-003"], dtype=object)
    use = np.array(["vineyard", "orchard", "vineyard"], dtype=object)
    name = np.array(["Northfield", "Southbank", "Westhill"], dtype=object)
    if writer == "gpkg":
        polygons(tmp_path / "parcels.gpkg", code=code, use=use, name=name)
    else:
        rows = [";".join(row) for row in zip(code, use, name, strict=True)]
        (tmp_path / "parcels.csv").write_text("\n".join(["code;use;name", *rows]))
    (found,) = take_inventory(tmp_path).artifacts
    assert (found.fact("name_field"), found.fact("names")) == ("name", ("Northfield", "Southbank", "Westhill"))
    assert dict(found.fact("words"))["use"] == ("vineyard", "orchard")
    assert found.fact("fields") == ("code", "use", "name")


@pytest.mark.parametrize(
    ("names", "quantity"),
    [
        ({0: "Not mangrove", 1: "Mangrove"}, "land_cover_class"),  # a class of ESA WorldCover
        ({1: "Sugarcane", 2: "Rice", 5: "Open water"}, "land_cover_class"),  # one of NLCD
        ({1: "Aquifer", 2: "Aquitard", 5: "Aquiclude"}, "class_label"),
    ],
)
def test_numbers_that_are_declared_to_have_names_are_classes(
    tmp_path: Path, names: dict[int, str], quantity: str
) -> None:
    for year in (2018, 2020):
        class_map(tmp_path / f"qx_{year}.tif", tuple(names), legend=json.dumps(names))
    found = take_inventory(tmp_path)
    for item in found.rasters:
        kind, unit = item.known("quantity"), item.known("unit")
        assert kind is not None
        assert unit is not None
        assert (kind.value, kind.origin, unit.value) == (quantity, Origin.ASSUMED, "1")
        assert "LEGEND" in kind.source
    assert [len(list(one.leaves())) for one in found.series()] == [2]


def test_names_of_numbers_say_nothing_against_the_quantity_that_is_known(tmp_path: Path) -> None:
    class_map(tmp_path / "lulc.tif", QUANTITY="scene_classification", legend=json.dumps({1: "Forest", 2: "Meadow"}))
    assert take_inventory(tmp_path).rasters[0].fact("quantity") == "scene_classification"


def test_a_map_of_named_numbers_does_not_stand_in_for_the_land_cover_that_is_known(tmp_path: Path) -> None:
    class_map(tmp_path / "lulc_2020.tif")
    class_map(tmp_path / "gmw_2020.tif", (0, 1), legend=json.dumps({0: "Not mangrove", 1: "Mangrove"}))
    kinds = {item.name: item.fact("quantity") for item in take_inventory(tmp_path).rasters}
    assert kinds == {"lulc_2020": "land_cover_class", "gmw_2020": "class_label"}


@pytest.mark.parametrize(
    ("note", "known"),
    [
        ("qx_18.tif and qx_23.tif: land cover of 2018 and 2023, 25 m. Codes: see codes.csv.", True),
        ("qx_18, qx_23 = land cover", True),
        ("qx_23.tif: wells of 2023. qx_18 is kept for comparison.", False),
        ("The land cover of 2018 is in another folder, see qx_18.", False),
    ],
)
def test_a_note_says_what_the_files_are_that_it_names(tmp_path: Path, note: str, known: bool) -> None:
    for name in ("qx_18", "qx_23"):
        class_map(tmp_path / f"{name}.tif", AREA_OR_POINT="Area")
    (tmp_path / "codes.csv").write_text("code;class\n1;Forest\n2;Meadow\n5;Open water\n")
    (tmp_path / "README.txt").write_text(note)
    found = take_inventory(tmp_path)
    kinds = {(item.fact("quantity"), item.fact("unit")) for item in found.rasters}
    assert (kinds == {("land_cover_class", "1")}) is known
    assert (named(tmp_path, "qx_23") == NAMES) is known


def test_a_legend_is_of_the_maps_beside_it_whatever_these_are_called(tmp_path: Path) -> None:
    for year in (1995, 2015):
        class_map(tmp_path / f"okupa_{year}.tif", (1, 2, 5), AREA_OR_POINT="Area")
    class_map(tmp_path / "n_rilevati.tif", (1, 2), AREA_OR_POINT="Area")  # which counts something
    (tmp_path / "legenda.csv").write_text("id,nome\n1,bosco (forest)\n2,prato (meadow)\n5,acqua (water)\n")
    found = {item.name: item for item in take_inventory(tmp_path).rasters}
    assert {name for name, item in found.items() if item.fact("classes")} == {"okupa_1995", "okupa_2015"}
    assert found["okupa_1995"].fact("quantity") == "land_cover_class"


def test_a_legend_in_a_folder_is_of_the_maps_in_those_below_unless_one_lies_nearer(tmp_path: Path) -> None:
    for folder in ("maps", "maps/old", "trees"):
        (tmp_path / folder).mkdir()
        class_map(tmp_path / folder / f"cover_{folder[-3:]}.tif", AREA_OR_POINT="Area")
    (tmp_path / "legend.csv").write_text("value,class\n1,Forest\n2,Meadow\n5,Open water\n")
    (tmp_path / "trees/legend.csv").write_text("value,class\n1,Spruce\n2,Beech\n5,Oak\n")
    (tmp_path / "codes.csv").write_text("value,class\n1,North\n2,South\n5,East\n")  # of anything
    assert named(tmp_path, "cover_aps") == named(tmp_path, "cover_old") == NAMES
    assert named(tmp_path, "cover_ees") == {1: "Spruce", 2: "Beech", 5: "Oak"}


def test_a_map_of_named_numbers_is_no_map_of_the_amounts_that_its_name_may_mean(tmp_path: Path) -> None:
    (tmp_path / "classification").mkdir()
    class_map(tmp_path / "classification/cover_2020.tif", AREA_OR_POINT="Area")  # of trees, in names of products
    assert take_inventory(tmp_path).rasters[0].fact("quantity") is None
    (tmp_path / "legend.csv").write_text("value,class\n1,Forest\n2,Meadow\n5,Open water\n")
    assert take_inventory(tmp_path).rasters[0].fact("quantity") == "land_cover_class"


@pytest.mark.parametrize(
    "legend", ["leyenda.csv", "Legenda_mapas.csv", "clases_2020.csv", "klassen.csv", "categorias.csv", "legende.csv"]
)
def test_a_legend_in_the_folder_above_is_one_in_whatever_language_it_is_called(tmp_path: Path, legend: str) -> None:
    (tmp_path / "mapas").mkdir()
    for year in (2000, 2010):
        class_map(tmp_path / f"mapas/okupa_{year}.tif", AREA_OR_POINT="Area")
    (tmp_path / legend).write_text("valor,clase\n1,Forest\n2,Meadow\n5,Open water\n")
    found = take_inventory(tmp_path).rasters
    known = all(item.fact("quantity") == "land_cover_class" for item in found)
    assert known is ("leg" in legend.lower() or "ley" in legend)  # classes may be of one map and not of another
    (tmp_path / "mapas/okupa_2000.tif").rename(tmp_path / "mapas/landcover_2000.tif")
    assert named(tmp_path, "landcover_2000") == NAMES
