"""Spots and copies of templates in scenes where their places are known; boxes against brute force."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from raster_files import write
from skimage.feature import match_template as correlate

from knowflow.ground.errors import ToolError
from knowflow.tools.classical.objects import detect_blobs, match_template
from knowflow.tools.kernels.boxes import corners, non_maximum_suppression, overlap


def found(path: Path) -> tuple[dict[str, Any], list[Any]]:
    meta, _, geometries, columns = pyogrio.raw.read(path)
    assert meta["crs"] == "EPSG:32633"
    return dict(zip(meta["fields"], columns, strict=True)), list(shapely.from_wkb(geometries))


def discs(shape: tuple[int, int], places: list[tuple[int, int, float, float]]) -> NDArray[np.float32]:
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    image = np.full(shape, 0.2)
    for row, column, radius, contrast in places:
        image[(rows - row) ** 2 + (columns - column) ** 2 <= radius**2] += contrast
    return image.astype(np.float32)


DISCS = [
    (30, 30, 4.0, 0.5),
    (60, 120, 6.0, 0.4),
    (100, 40, 8.0, 0.6),
    (511, 700, 5.0, 0.5),
    (512, 900, 6.0, 0.5),
    (700, 512, 7.0, 0.4),
]


class TestSpots:
    @pytest.mark.parametrize("method", ["log", "dog"])
    @pytest.mark.parametrize("polarity", ["bright", "dark"])
    def test_discs_are_told_once_where_they_are(self, tmp_path: Path, method: Any, polarity: Any) -> None:
        image = discs((900, 1100), DISCS)  # several blocks, and discs where they meet
        image += np.random.default_rng(2).normal(0, 0.01, image.shape).astype(np.float32)
        raster = write(tmp_path / "a.tif", image if polarity == "bright" else 1 - image)
        count = detect_blobs(raster, tmp_path / "spots.gpkg", 3, 9, 0.2, polarity, method)
        fields, points = found(tmp_path / "spots.gpkg")
        assert count == len(DISCS) == len(points)
        for row, column, radius, contrast in DISCS:
            near = np.hypot(fields["x"] - column - 0.5, fields["y"] - row - 0.5)
            one = int(near.argmin())
            assert near[one] <= 1.5
            assert fields["radius"][one] == pytest.approx(radius, abs=1.5)
            assert fields["contrast"][one] == pytest.approx(contrast, abs=0.05)
            assert points[one].x == pytest.approx(500_000 + 10 * fields["x"][one])
            assert points[one].y == pytest.approx(5_100_000 - 10 * fields["y"][one])

    def test_what_stands_out_less_is_not_told(self, tmp_path: Path) -> None:
        raster = write(tmp_path / "a.tif", discs((150, 150), [(40, 40, 5, 0.5), (100, 100, 5, 0.1)]))
        assert detect_blobs(raster, tmp_path / "spots.gpkg", 3, 8, 0.2) == 1
        assert detect_blobs(raster, tmp_path / "spots.gpkg", 3, 8, 0.05) == 2

    def test_gaps_are_no_spots(self, tmp_path: Path) -> None:
        image = discs((150, 150), [(40, 40, 5, 0.5)])
        image[95:106, 95:106] = np.nan
        raster = write(tmp_path / "a.tif", image)
        for polarity in ("bright", "dark"):
            count = detect_blobs(raster, tmp_path / "spots.gpkg", 3, 8, 0.2, polarity)  # type: ignore[arg-type]
            assert count == (polarity == "bright")

    def test_radii_in_metres(self, tmp_path: Path) -> None:
        raster = write(tmp_path / "a.tif", discs((150, 150), [(40, 40, 5, 0.5), (100, 100, 5, 0.3)]))
        assert detect_blobs(raster, tmp_path / "spots.gpkg", 30, 80, 0.2, radii="metres") == 2
        with pytest.raises(ToolError, match="out of reach"):
            detect_blobs(raster, tmp_path / "spots.gpkg", 3, 80, 0.2, radii="metres")

    @pytest.mark.parametrize(("smallest", "largest", "contrast"), [(5, 3, 0.1), (0, 3, 0.1), (3, 500, 0.1), (3, 5, 0)])
    def test_limits_that_make_no_sense(self, tmp_path: Path, smallest: float, largest: float, contrast: float) -> None:
        raster = write(tmp_path / "a.tif", discs((20, 20), []))
        with pytest.raises(ToolError):
            detect_blobs(raster, tmp_path / "spots.gpkg", smallest, largest, contrast)


class TestTemplates:
    @pytest.mark.parametrize("size", [(7, 9), (8, 6)])
    def test_copies_are_found_whatever_their_brightness(self, tmp_path: Path, size: tuple[int, int]) -> None:
        random = np.random.default_rng(9)
        pattern = random.random(size)
        image = random.normal(0.4, 0.05, (800, 1100))
        places = [(10, 10), (300, 505), (508, 900), (511, 30), (790, 1090)]
        for number, (row, column) in enumerate(places):
            image[row : row + size[0], column : column + size[1]] = (0.5 + number) * pattern + number
        image = image[: 790 + size[0], : 1090 + size[1]]
        raster = write(tmp_path / "a.tif", image.astype(np.float32))
        template = write(tmp_path / "t.tif", pattern.astype(np.float32))
        assert match_template(raster, template, tmp_path / "m.gpkg", score=0.9) == len(places)
        fields, shapes = found(tmp_path / "m.gpkg")
        assert sorted(zip(fields["y1"], fields["x1"], strict=True)) == [(float(r), float(c)) for r, c in places]
        assert (fields["score"] > 0.99).all()
        west, south, east, north = shapes[0].bounds
        assert (east - west, north - south) == (10 * size[1], 10 * size[0])

    def test_scores_are_those_of_scikit_image(self, tmp_path: Path) -> None:
        random = np.random.default_rng(1)
        image, pattern = random.random((120, 130)), random.random((6, 5))
        raster = write(tmp_path / "a.tif", image.astype(np.float32))
        template = write(tmp_path / "t.tif", pattern.astype(np.float32))
        match_template(raster, template, tmp_path / "m.gpkg", score=0.5, overlap=1.0)
        fields, _ = found(tmp_path / "m.gpkg")
        truth = correlate(image, pattern)
        rows, columns = fields["y1"].astype(int), fields["x1"].astype(int)
        np.testing.assert_allclose(fields["score"], truth[rows, columns], atol=1e-4)
        assert len(rows)
        assert fields["score"].max() == pytest.approx(truth.max(), abs=1e-4)

    @pytest.mark.parametrize("size", [(5, 5), (4, 6), (5, 4)])
    def test_no_match_reaches_into_a_gap(self, tmp_path: Path, size: tuple[int, int]) -> None:
        pattern = np.random.default_rng(3).random(size)
        image = np.tile(pattern, (12, 12))
        image[20, 21] = np.nan
        raster = write(tmp_path / "a.tif", image.astype(np.float32))
        template = write(tmp_path / "t.tif", pattern.astype(np.float32))
        assert match_template(raster, template, tmp_path / "m.gpkg", score=0.99) == 143

    def test_a_template_without_a_pattern(self, tmp_path: Path) -> None:
        raster = write(tmp_path / "a.tif", np.random.default_rng(0).random((30, 30)).astype(np.float32))
        template = write(tmp_path / "t.tif", np.ones((4, 4), np.float32))
        with pytest.raises(ToolError, match="no pattern"):
            match_template(raster, template, tmp_path / "m.gpkg")

    def test_a_template_of_other_pixels(self, tmp_path: Path) -> None:
        from affine import Affine

        raster = write(tmp_path / "a.tif", np.random.default_rng(0).random((30, 30)).astype(np.float32))
        template = write(
            tmp_path / "t.tif",
            np.random.default_rng(1).random((4, 4)).astype(np.float32),
            transform=Affine(20, 0, 0, 0, -20, 0),
        )
        with pytest.raises(ToolError, match="other pixels"):
            match_template(raster, template, tmp_path / "m.gpkg")


boxes = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(1, 9), st.integers(1, 9), st.integers(0, 2)),
    max_size=25,
)


@given(boxes, st.floats(0, 1))
def test_suppression_is_the_greedy_one(given_boxes: list[tuple[int, int, int, int, int]], iou: float) -> None:
    stack = np.array([(x, y, x + w, y + h) for x, y, w, h, _ in given_boxes], dtype=np.float64).reshape(-1, 4)
    scores = np.linspace(1, 0, len(stack))[::-1]
    labels = np.array([label for *_, label in given_boxes], dtype=np.int64)
    kept: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        rivals = [shapely.box(*stack[other]) for other in kept if labels[other] == labels[place]]
        mine = shapely.box(*stack[place])
        if all(mine.intersection(rival).area / mine.union(rival).area <= iou + 1e-12 for rival in rivals):
            kept.append(int(place))
    assert non_maximum_suppression(stack, scores, labels, iou + 1e-12).tolist() == kept


def test_forms_of_boxes() -> None:
    one = np.array([[2.0, 3.0, 4.0, 6.0]])
    np.testing.assert_array_equal(corners(one, "xyxy"), one)
    np.testing.assert_array_equal(corners(one, "xywh"), [[2, 3, 6, 9]])
    np.testing.assert_array_equal(corners(one, "cxcywh"), [[0, 0, 4, 6]])
    assert overlap(one[0], np.array([[2.0, 3, 4, 6], [3, 3, 5, 6], [9, 9, 10, 10]])).tolist() == [1.0, 1 / 3, 0.0]
