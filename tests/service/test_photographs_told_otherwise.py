"""Photographs that are told by their moment, pairs by what no other pair is, and two figures of one kind of thing."""

from __future__ import annotations

import pytest
from published_calls import ONE, PAIR, arguments, planned, tools

BEFORE = ["quake_17_pre_disaster.png"]
AFTER = ["quake_17_post_disaster.png"]
BOTH = BEFORE + AFTER


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What area do the houses cover in the image taken before the tsunami (GSD = 0.5 m/px)?", BEFORE),
        ("How much ground do buildings take up on this post-earthquake picture? GSD = 0.5 m/px", AFTER),
        ("What is the footprint of the buildings, in m2, on the pre-flood scene (0.5 m/px)?", BOTH),
    ],
)
def test_a_hazard_that_only_tells_which_image_is_meant_says_nothing_of_losses(query: str, names: list[str]) -> None:
    assert tools(query, names) == "ChangeOS calculate_area"
    (change,) = arguments(query, names, "ChangeOS")
    assert change["pre_image_path"] == change["post_image_path"]


def test_images_of_the_other_moment_are_left_out_and_that_is_told() -> None:
    query = "How many buildings are there in the post-disaster image?"
    assert [call["input_image_path"][-len(AFTER[0]) :] for call in arguments(query, BOTH, "InstructSAM")] == AFTER
    assert any("only images of after" in note.what for note in planned(query, BOTH).plan.assumptions)


@pytest.mark.parametrize(
    "query",
    [
        "How many buildings of the pre-disaster image are gone in the post-disaster image?",
        "Compared with the image before the quake, how many buildings were destroyed?",
        "How many buildings collapsed, judging by the post-disaster image?",
    ],
)
def test_what_was_lost_is_still_of_both_images(query: str) -> None:
    assert tools(query, BOTH) == "ChangeOS count_skeleton_contours"


@pytest.mark.parametrize(
    ("query", "statistic"),
    [
        ("Two planes stand such that no other planes are closer together. Return their boxes.", "minimum"),
        ("Give the bounding boxes of the pair of tanks that no other pair is nearer than.", "minimum"),
        ("None of the other pairs of ships lies farther apart than one: show the boxes of it.", "maximum"),
    ],
)
def test_a_pair_is_told_by_what_no_other_pair_is(query: str, statistic: str) -> None:
    assert tools(query, ONE) == "SM3Det bboxes2centroids centroid_distance_extremes get_list_object_via_indexes"
    assert planned(query, ONE).goal.value("statistic") == statistic


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "What area of houses was destroyed (0.5 m/px), and how many houses were?",
            "calculate_area count_skeleton_contours",
        ),
        (
            "How many buildings collapsed, and what is their total area in m2 (GSD 0.4)?",
            "count_skeleton_contours calculate_area",
        ),
        ("Give the number and the area of the razed buildings, GSD = 0.4 m.", "count_skeleton_contours calculate_area"),
    ],
)
def test_the_area_and_the_number_of_what_was_lost_are_told_of_one_map(query: str, expected: str) -> None:
    assert tools(query, PAIR) == f"ChangeOS {expected}"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "How many ships are there, and how much space do they take up (0.3 m/px)?",
            "InstructSAM SM3Det SAM2 calculate_area",
        ),
        ("State the area of all tanks (GSD 0.5 m/px) and their number.", "SM3Det SAM2 calculate_area InstructSAM"),
        (
            "Count the courts and get their total area from boxes (GSD 0.2 m/px).",
            "InstructSAM SM3Det calculate_bbox_area",
        ),
        (
            "What is the mean area of a tank (GSD 0.5 m/px), if you count the tanks?",
            "SM3Det SAM2 calculate_area InstructSAM division",
        ),
    ],
)
def test_neither_the_area_nor_the_number_of_things_is_passed_over(query: str, expected: str) -> None:
    assert tools(query, ONE) == expected


@pytest.mark.parametrize(
    ("query", "last"),
    [
        (
            "How many buses of 30 m² could park on all tennis courts (GSD 0.3 m/px)? Round up to the next integer.",
            "ceil_number",
        ),
        ("A car park is planned: as many bays of 12 m² as cover the playgrounds (0.3 m/px)?", "ceil_number"),
        ("How many tents of 20 m² each fit on the soccer fields, at GSD = 0.3 m/px?", "division"),
    ],
)
def test_what_is_to_be_rounded_up_is_whatever_is_to_find_room(query: str, last: str) -> None:
    assert tools(query, ONE).split()[-1] == last
