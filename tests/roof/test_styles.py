"""Maps look elsewhere as they do here: colours and names of classes, and styles between the limits of the report."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from matplotlib.image import imread

from knowflow import KnowFlow
from knowflow.ground.colours import OFF, class_colours
from knowflow.model.artifact import Artifact
from knowflow.model.template import Scene
from knowflow.testing.scenes import write_scene
from knowflow.tools.gdal import bind

SCENE = {
    "name": "S2",
    "sensor": "sentinel-2",
    "quantity": "surface_bidirectional_reflectance",
    "dates": ["2022-06-01"],
    "bands": {"green": "0.3", "red": "0.3", "nir": "0.1 + 0.4 * x"},
}


@pytest.fixture
def work(tmp_path: Path) -> KnowFlow:
    return KnowFlow(tmp_path / "home")


def _run(work: KnowFlow, question: str, folder: Path, layer: dict[str, object]) -> Path:
    data = folder / f"data of {layer['name']}"
    if not data.is_dir():
        write_scene(Scene.model_validate({"size": [16, 16], "layers": [layer]}), data)
    result = work.run(question, data, out=folder / "out")
    assert result.status == "completed", result.error
    return folder / "out" / "map.tif"


def _names_for_gdal(path: Path, folder: Path) -> list[str]:
    """The names of classes that GDAL reads."""
    rasterio.shutil.copy(path, folder / "seen.vrt", driver="VRT")
    return [str(one.text) for one in ElementTree.parse(folder / "seen.vrt").iter("Category")]


def test_a_mask_has_colours_in_the_file_and_the_words_of_the_question_beside_it(tmp_path: Path, work: KnowFlow) -> None:
    path = _run(work, "What share of the area is water?", tmp_path, SCENE)
    with rasterio.open(path) as file:
        assert file.colorinterp[0] == rasterio.enums.ColorInterp.palette
        assert file.colormap(1)[0] != file.colormap(1)[1]
        assert file.units == ("1",)
        assert file.descriptions == ("Mask",)
        assert float(file.tags(1)["STATISTICS_MEAN"]) == pytest.approx((file.read(1) == 1).mean())
    off, on = ElementTree.parse(path.with_suffix(".qml")).findall(".//paletteEntry")
    assert (off.attrib["value"], off.attrib["label"]) == ("0", "elsewhere")
    assert on.attrib["value"] == "1"
    assert on.attrib["label"] == "there is water"
    red, green, blue = (int(on.attrib["color"][at : at + 2], 16) for at in (1, 3, 5))
    assert blue > max(red, green), "water is blue"
    assert _names_for_gdal(path, tmp_path) == ["elsewhere", on.attrib["label"]]


def test_other_maps_have_a_ramp_between_the_limits_of_their_values(tmp_path: Path, work: KnowFlow) -> None:
    path = _run(work, "What is the mean NDVI?", tmp_path, SCENE)
    stops = ElementTree.parse(path.with_suffix(".qml")).findall(".//colorrampshader/item")
    values = [float(one.attrib["value"]) for one in stops]
    with rasterio.open(path) as file:
        ndvi = file.read(1)
    assert values == sorted(values)
    assert ndvi.min() <= values[0] < values[-1] <= ndvi.max()
    assert len({one.attrib["color"] for one in stops}) == len(stops)


def test_names_of_classes_do_not_stay_beside_a_map_of_another_question(tmp_path: Path, work: KnowFlow) -> None:
    path = _run(work, "What share of the area has NDVI above 0.2?", tmp_path, SCENE)
    assert len(_names_for_gdal(path, tmp_path)) == 2
    assert _run(work, "What is the mean NDVI?", tmp_path, SCENE) == path
    assert _names_for_gdal(path, tmp_path) == []
    assert "paletteEntry" not in path.with_suffix(".qml").read_text(encoding="utf-8")


def _style_of(path: Path) -> dict[float, tuple[int, ...]]:
    """Red, green and blue by value, as the style tells them."""
    found = ElementTree.parse(path.with_suffix(".qml")).iter()
    told = [one.attrib for one in found if one.tag in ("paletteEntry", "item")]
    return {float(one["value"]): tuple(bytes.fromhex(one["color"][1:])) for one in told}


def _as_qgis_draws(path: Path) -> np.ndarray:
    """A map in the colours of its style (rows, columns, RGBA): classes as they are, ramps straight between stops."""
    style = _style_of(path)
    with rasterio.open(path) as file:
        values = file.read(1, masked=True)
    known = ~np.ma.getmaskarray(values) & np.isfinite(values.data)
    bands = [np.interp(values.data, list(style), [colour[band] for colour in style.values()]) for band in range(3)]
    return np.dstack([np.where(known, band, 0) for band in bands] + [np.where(known, 255, 0)])


def _as_gdal_draws(path: Path, folder: Path) -> np.ndarray:
    """The same by GDAL, of the text of its colour maps."""
    lines = [f"{value!r} {red} {green} {blue} 255" for value, (red, green, blue) in _style_of(path).items()]
    (folder / "colours.txt").write_text("\n".join([*lines, "nv 0 0 0 0"]), encoding="utf-8")
    schema = KnowFlow().catalogue.tools["gdal_raster_color_map"]
    given = {"input": Artifact("raster", path=str(path)), "color_map": folder / "colours.txt"}
    bind(schema)(**given, color_selection="interpolate", add_alpha=True, output=folder / "drawn.tif")
    with rasterio.open(folder / "drawn.tif") as file:
        return np.moveaxis(file.read(), 0, -1)


def _as_the_report_shows(path: Path) -> np.ndarray:
    text = path.with_name("report.html").read_text(encoding="utf-8")
    picture = text.partition("data:image/png;base64,")[2].partition('"')[0]
    drawn: np.ndarray = imread(BytesIO(b64decode(picture)), format="png")
    return np.round(drawn * 255)


@pytest.mark.parametrize(
    ("question", "apart"),
    [("What share of the area is water?", 0), ("What is the mean NDVI?", 5)],
)
def test_a_map_is_drawn_elsewhere_as_the_report_shows_it(
    tmp_path: Path, work: KnowFlow, question: str, apart: float
) -> None:
    gap = SCENE | {"bands": {"green": "0.3", "red": "0.3", "nir": "where(y > 0.8, log(-1 - x), 0.1 + 0.4 * x)"}}
    path = _run(work, question, tmp_path, gap)
    shown, drawn = _as_the_report_shows(path), _as_qgis_draws(path)
    assert shown.shape == drawn.shape == (16, 16, 4)
    there = drawn[:, :, 3] == 255
    assert 0 < there.sum() < there.size
    assert (shown[:, :, 3] == drawn[:, :, 3]).all(), "what is no data is transparent"
    assert np.abs(shown - drawn)[there].max() <= apart
    assert np.abs(_as_gdal_draws(path, tmp_path) - drawn)[there].max() <= 1
    if not apart:
        with rasterio.open(path) as file:
            table, classes = file.colormap(1), file.read(1)
        assert all(table[int(classes[at])] == tuple(drawn[at]) for at in zip(*np.nonzero(there), strict=True))


def test_no_two_classes_have_one_colour_and_the_rest_is_grey() -> None:
    cover = class_colours({1: "tree cover", 2: "forest", 3: "open water", 4: "built-up", 5: "something else"})
    assert len(set(cover.values())) == 5
    assert class_colours({0: "not_water", 1: "water"})[0] == OFF
    cover = class_colours({1: "forest", 2: "schrubland"})
    assert cover[2] == class_colours({1: "forest", 2: "shrubland"})[2], "a misspelt class is none of water"
    burn = class_colours({1: "unburned", 2: "low", 3: "moderate-low", 4: "moderate-high", 5: "high"})
    brightness = [sum(burn[grade]) for grade in (2, 3, 4, 5)]
    assert brightness == sorted(brightness, reverse=True), "the worse the darker"
