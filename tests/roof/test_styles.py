"""Maps look elsewhere as they do here: colours and names of classes, and styles between the limits of the report."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import rasterio
import rasterio.shutil

from knowflow import KnowFlow
from knowflow.ground.colours import OFF, class_colours
from knowflow.model.template import Scene
from knowflow.testing.scenes import write_scene

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


def test_no_two_classes_have_one_colour_and_the_rest_is_grey() -> None:
    cover = class_colours({1: "tree cover", 2: "forest", 3: "open water", 4: "built-up", 5: "something else"})
    assert len(set(cover.values())) == 5
    assert class_colours({0: "not_water", 1: "water"})[0] == OFF
    burn = class_colours({1: "unburned", 2: "low", 3: "moderate-low", 4: "moderate-high", 5: "high"})
    brightness = [sum(burn[grade]) for grade in (2, 3, 4, 5)]
    assert brightness == sorted(brightness, reverse=True), "the worse the darker"
