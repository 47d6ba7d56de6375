"""Photographs that are asked about at length: scales of each image, numbers divided by others, a centre and a box."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from published_calls import ONE, PAIR, THREE, TWO, arguments, planned, tools

from knowflow.ground.errors import NotUnderstoodError


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


SEGMENTED = "SM3Det SAM2 calculate_area multiply"


@pytest.mark.parametrize(
    ("query", "names", "expected", "times"),
    [
        (
            "If all storage tanks are 12 metres high, what is their total volume in cubic metres (GSD = 0.24 m/px)?",
            ONE,
            SEGMENTED,
            12,
        ),
        (
            "Segment the storage tanks, calculate their total area in square meters (GSD = 0.24 m/px) and multiply it "
            "by the tank height of 12 meters to obtain the volume in cubic meters.",
            ONE,
            SEGMENTED,
            12,
        ),
        ("How much water do the swimming pools hold if they are 180 cm deep (gsd 0.2)?", ONE, SEGMENTED, 1.8),
        ("How much power do the soccer fields yield at 200 W per m² (gsd 0.3)?", ONE, SEGMENTED, 200),
        ("The soccer fields yield 3 tonnes of hay per hectare (gsd 0.2). How much is that?", ONE, SEGMENTED, 0.0003),
        (
            "Each house was 6 m high. What volume of rubble is left by the destroyed buildings (gsd 0.5)?",
            PAIR,
            "ChangeOS calculate_area multiply",
            6,
        ),
        ("Each tank has a capacity of 5000 m3. What volume can be stored?", ONE, "InstructSAM multiply", 5000),
        ("Count the trucks and tell the load at 20 tonnes per truck.", ONE, "InstructSAM multiply", 20),
        ("Count the planes and multiply by the 150 passengers of each.", ONE, "InstructSAM multiply", 150),
        (
            "Count the ships in A and in B, take the difference, and multiply it by 5,000 tonnes.",
            TWO,
            "InstructSAM*2 difference multiply",
            5000,
        ),
    ],
)
def test_what_is_measured_is_multiplied_by_a_number_that_is_told(
    query: str, names: Sequence[str], expected: str, times: float
) -> None:
    assert tools(query, names) == expected
    assert [call["b"] for call in arguments(query, names, "multiply")] == [pytest.approx(times)]


def test_how_many_times_is_the_same_whatever_each_holds() -> None:
    query = "Each ship carries 3000 tonnes. How many times as much is carried in image B as in image A?"
    assert tools(query, TWO) == "InstructSAM*2 division"


@pytest.mark.parametrize(
    "query",
    [
        "What is the total volume of the storage tanks (gsd 0.2)?",
        "Taken from a height of 500 m: how many cubic metres are the storage tanks (gsd 0.2)?",
    ],
)
def test_a_volume_without_a_height_is_refused_with_what_is_missing(query: str) -> None:
    with pytest.raises(NotUnderstoodError, match="height") as refused:
        planned(query, ONE)
    assert "the height of the things in metres" in str(refused.value.expected)


def test_traffic_is_no_volume() -> None:
    assert tools("Judging from the traffic volume, count the vehicles.", ONE) == "InstructSAM"


@pytest.mark.parametrize(
    ("query", "names", "left"),
    [
        (
            "Count the ships and the harbors, and multiply the number of ships by 3.",
            ONE,
            "multiply the number of ships",
        ),
        ("Count the ships, multiply by 12 and divide the result by 4.", ONE, "multiply by 12"),
        ("Count the ships, then subtract 5 from the number.", ONE, "subtract"),
        ("Count the planes and divide the number of A by that of B.", THREE, "divide the number of A by"),
    ],
)
def test_a_last_step_that_no_step_of_the_plan_does_is_told(query: str, names: Sequence[str], left: str) -> None:
    told = [str(note.value) for note in planned(query, names).plan.assumptions if note.origin == "left out"]
    assert len(told) == 1
    assert told[0].startswith(left)


@pytest.mark.parametrize(
    "query",
    [
        "Compute the distance of the two closest ships in pixels and multiply it by the GSD of 0.3 m/px.",
        "Compute the distance of the two closest ships in pixels and convert it to metres (GSD 0.3 m/px).",
    ],
)
def test_a_distance_is_multiplied_by_the_size_of_a_pixel(query: str) -> None:
    assert tools(query, ONE) == "SM3Det bboxes2centroids centroid_distance_extremes multiply"
    assert not [note for note in planned(query, ONE).plan.assumptions if note.origin == "left out"]
