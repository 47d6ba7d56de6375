"""Photographs that are asked about at length: scales of each image, numbers divided by others, a centre and a box."""

from __future__ import annotations

import pytest
from published_calls import ONE, PAIR, TWO, arguments, tools


@pytest.mark.parametrize(
    "scales",
    [
        "image A, whose ground sampling distance is 0.3 m per pixel, and image B, whose resolution is 0.5 m",
        "image A with a resolution of 0.3 m and image B with a resolution of 0.5 m",
        "image A (the ground sampling distance of image A is 0.3) and image B (the resolution of image B is 0.5)",
    ],
)
def test_each_image_has_a_scale_of_its_own(scales: str) -> None:
    query = f"Find the area of the tennis courts in {scales}. How many square metres does B have more than A?"
    assert tools(query, TWO) == "SM3Det*2 SAM2*2 calculate_area*2 difference"
    assert [call["gsd"] for call in arguments(query, TWO, "calculate_area")] == [0.3, 0.5]


@pytest.mark.parametrize(
    ("end", "last"),
    [
        ("round the result up", "division ceil_number"),
        ("give the result", "division"),
    ],
)
def test_what_was_lost_is_divided_by_a_number(end: str, last: str) -> None:
    query = f"Count the buildings that the flood destroyed, divide this number by four (houses a team), and {end}."
    assert tools(query, PAIR) == f"ChangeOS count_skeleton_contours {last}"
    assert arguments(query, PAIR, "division")[0]["a"] == 4.0


def test_distances_that_are_converted_to_metres_are_told_in_metres() -> None:
    query = (
        "Compute the closest and the farthest distance between the ships in pixels, convert both to meters "
        "(GSD = 0.2 m/px) and give the difference between the farthest and the closest distance."
    )
    assert tools(query, ONE) == "SM3Det bboxes2centroids centroid_distance_extremes multiply*2 difference"


@pytest.mark.parametrize(
    "area",
    [
        "how many square metres does the rectangle around it cover, if one pixel measures 0.4 m",
        "what is the area of its bounding box (GSD = 0.4 m/px)",
    ],
)
def test_a_thing_has_a_centre_and_a_box(area: str) -> None:
    query = f'Where is the centroid of "the largest storage tank in the north", and {area}?'
    assert tools(query, ONE) == "RemoteSAM bboxes2centroids calculate_bbox_area"
    assert arguments(query, ONE, "calculate_bbox_area")[0]["gsd"] == 0.4


def test_a_centre_alone_needs_no_area() -> None:
    assert tools('Give the centre of "the largest parking area in the north".', ONE) == "RemoteSAM bboxes2centroids"
