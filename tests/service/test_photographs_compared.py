"""Questions about photographs that compare: kinds of thing, described things, before and after, several images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from published_calls import ONE, PAIR, REGIONS, THREE, TWO, arguments, planned, tools

from knowflow.ground.errors import NotUnderstoodError


def prompts(query: str, names: Sequence[str], tool: str) -> list[str]:
    return [each["text_prompt"] for each in arguments(query, names, tool)]


def thing(query: str, value: Any) -> str:
    """The thing that a number is of: what is asked for by the call that it comes from, by results or by files."""
    calls = planned(query, ONE).calls
    made_by = calls[value["from"]].input
    if "text_prompt" in made_by:
        return str(made_by["text_prompt"])
    sources = [one for one in made_by.values() if isinstance(one, dict)]
    written = {f"benchmark/out/{one.input.get('output_path')}": {"from": place} for place, one in enumerate(calls)}
    return thing(query, sources[0] if sources else written[made_by["input_image_path"]])


PAIRWISE = "SM3Det bboxes2centroids centroid_distance_extremes"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "By how many metres does the longest distance between two planes exceed the shortest (GSD = 0.3 m/px)?",
            f"{PAIRWISE} multiply*2 difference",
        ),
        (
            "What is the difference between the smallest and the largest gap of two bridges, in metres (gsd 0.5)?",
            f"{PAIRWISE} multiply*2 difference",
        ),
        (
            "How much farther apart are the two most distant wind turbines than the two nearest ones (GSD 0.4 m/px)?",
            f"{PAIRWISE} multiply*2 difference",
        ),
        (
            "In pixels, how much do the shortest and the longest distance of two harbors differ?",
            f"{PAIRWISE} difference",
        ),
        ("How many times farther apart are the two farthest ships than the two closest?", f"{PAIRWISE} division"),
        ("Ratio of the largest to the smallest distance between tanks?", f"{PAIRWISE} division"),
    ],
)
def test_both_ends_of_the_distances_are_compared(query: str, expected: str) -> None:
    assert tools(query, ONE) == expected


AREAS = "SM3Det*2 SAM2*2 calculate_area*2"
BOXES = "SM3Det*2 calculate_bbox_area*2"


@pytest.mark.parametrize(
    ("query", "expected", "kinds"),
    [
        ("How many more ships than harbours are there?", "InstructSAM*2 difference", ["ship", "harbor"]),
        (
            "Are there more cars or trucks on the picture, and by how many?",
            "InstructSAM*2 difference",
            ["small vehicle", "large vehicle"],
        ),
        (
            "What is the difference between the number of tennis courts and the number of basketball courts?",
            "InstructSAM*2 difference",
            ["tennis court", "basketball court"],
        ),
        ("How many times as many planes as helicopters are parked?", "InstructSAM*2 division", ["plane", "helicopter"]),
        (
            "Estimate the ratio of the area taken up by swimming pools to the area of tennis courts (GSD = 0.2 m/px).",
            f"{AREAS} division",
            ["swimming pool", "tennis court"],
        ),
        (
            "Detect all planes and all helicopters, segment both using their boxes, calculate the area of each kind "
            "(GSD = 0.2 m/px) and subtract the second from the first.",
            f"{AREAS} difference",
            ["plane", "helicopter"],
        ),
        ("Give the ratio of storage tanks to ships.", "InstructSAM*2 division", ["storage tank", "ship"]),
        ("How many cars are there per parking lot?", "InstructSAM*2 division", ["small vehicle", "parking lot"]),
        ("Average number of swimming pools for each house?", "InstructSAM*2 division", ["swimming pool", "building"]),
        (
            "What percentage of the vehicles are trucks?",
            "InstructSAM*2 division multiply",
            ["large vehicle", "vehicle"],
        ),
        (
            "What is the proportion of large vehicles among all vehicles?",
            "InstructSAM*2 division",
            ["large vehicle", "vehicle"],
        ),
        (
            "By what percentage do the small vehicles outnumber the large vehicles?",
            "InstructSAM*2 percentage_change",
            ["small vehicle", "large vehicle"],
        ),
        ("Count the ships and the harbors.", "InstructSAM*2", ["ship", "harbor"]),
        ("How many small and large vehicles are there?", "InstructSAM*2", ["small vehicle", "large vehicle"]),
        (
            "Which is the more frequent one, the bridge or the overpass? Count the bridges and the overpasses.",
            "InstructSAM*2",
            ["bridge", "overpass"],
        ),
        (
            "How many times larger is the area of soccer fields than that of tennis courts (gsd 0.3)?",
            f"{AREAS} division",
            ["soccer-ball-field", "tennis court"],
        ),
        (
            "By how many square metres is the ground covered by parking lots larger than the ground covered by golf "
            "courses (GSD = 0.5 m/px)?",
            f"{AREAS} difference",
            ["parking lot", "golf course"],
        ),
        (
            "Compare the area of baseball diamonds and tennis courts in the picture.",
            AREAS,
            ["baseball diamond", "tennis court"],
        ),
        (
            "What percentage of the parking lot area is occupied by vehicles?",
            f"{AREAS} division multiply",
            ["vehicle", "parking lot"],
        ),
        (
            "Ratio between the bounding box areas of ships and harbors?",
            f"{BOXES} division",
            ["ship", "harbor"],
        ),
        (
            "How many square metres more do the boxes of pools cover than the boxes of the tennis courts (gsd 0.2)?",
            f"{BOXES} difference",
            ["swimming pool", "tennis court"],
        ),
    ],
)
def test_two_kinds_of_thing_on_one_image_are_compared(query: str, expected: str, kinds: list[str]) -> None:
    """The second kind is what the first is told by."""
    assert tools(query, ONE) == expected
    assert sorted(prompts(query, ONE, expected.partition("*")[0])) == sorted(kinds)
    for name in ("division", "percentage_change"):  # of b by a
        for compared in arguments(query, ONE, name):
            assert [thing(query, compared[side]) for side in ("b", "a")] == kinds


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("How many storage tanks, ships and harbors are there?", "InstructSAM*3"),
        ("Which is the most frequent: cars, trucks, or planes? Count the cars, trucks and planes.", "InstructSAM*3"),
    ],
)
def test_three_kinds_that_are_listed_are_measured_each(query: str, expected: str) -> None:
    assert tools(query, ONE) == expected
    assert tools(query, TWO) == "InstructSAM*6"


def test_a_number_for_each_area_of_another_thing_is_of_both() -> None:
    query = "How many cars stand on each hectare of parking lot? (GSD = 0.3 m/px)"
    assert tools(query, ONE) == "InstructSAM SM3Det SAM2 calculate_area division"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("In which of the images is the ratio of ships to harbors highest?", "InstructSAM*6 division*3"),
        ("For every image, how many more planes than helicopters are there?", "InstructSAM*6 difference*3"),
        ("Count the cars and the trucks in each image.", "InstructSAM*6"),
    ],
)
def test_two_kinds_are_compared_on_each_of_several_images(query: str, expected: str) -> None:
    assert tools(query, THREE) == expected


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        ("How many ships are in the harbor?", ONE, "InstructSAM"),
        ("Count the planes at the airport.", ONE, "InstructSAM"),
        ("Which harbor holds more ships, A or B?", TWO, "InstructSAM*2"),
        ("How many more ships are there in harbor A than in harbor B?", TWO, "InstructSAM*2 difference"),
        ("Which airport or harbor is busiest, judging by parked planes?", TWO, "InstructSAM*2"),
        ("Count vehicles such as cars and trucks.", ONE, "InstructSAM"),
        ("How many houses and buildings are there?", ONE, "InstructSAM"),
    ],
)
def test_a_thing_that_only_says_where_or_what_sort_is_not_compared(
    query: str, names: Sequence[str], expected: str
) -> None:
    assert tools(query, names) == expected


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "How large was a destroyed building on average (GSD = 0.5 m/px)?",
            PAIR,
            "ChangeOS calculate_area count_skeleton_contours division",
        ),
        (
            "Average area lost per destroyed house, in square metres (gsd 0.3)?",
            PAIR,
            "ChangeOS calculate_area count_skeleton_contours division",
        ),
        (
            "Mean footprint of the buildings that the storm destroyed?",
            PAIR,
            "ChangeOS calculate_area count_skeleton_contours division",
        ),
        (
            "Map the buildings that were destroyed, calculate their total area and their number, and divide the area "
            "by the number.",
            PAIR,
            "ChangeOS calculate_area count_skeleton_contours division",
        ),
        (
            "In which region was the average destroyed building larger? Give the mean footprint for each.",
            REGIONS,
            "ChangeOS*2 calculate_area*2 count_skeleton_contours*2 division*2",
        ),
        (
            "How much larger was the mean footprint of a destroyed building in region A than in region B?",
            REGIONS,
            "ChangeOS*2 calculate_area*2 count_skeleton_contours*2 division*2 difference",
        ),
        (
            "What is the average building footprint in the image (GSD = 0.5 m/px)?",
            ONE,
            "ChangeOS calculate_area count_skeleton_contours division",
        ),
        ("Mean area of a tennis court (gsd 0.2)?", ONE, "SM3Det SAM2 calculate_area InstructSAM division"),
        (
            "What is the average size of the ships in each image?",
            TWO,
            "SM3Det*2 SAM2*2 calculate_area*2 InstructSAM*2 division*2",
        ),
        (
            "How much larger is the average bounding box area of the planes in image A than in image B (gsd 0.2)?",
            TWO,
            "SM3Det*2 calculate_bbox_area*2 InstructSAM*2 division*2 difference",
        ),
        (
            "Segment the image by a threshold of 180: what is the mean area of the connected structures?",
            ONE,
            "threshold_segmentation calculate_area count_skeleton_contours division",
        ),
        (
            "What is the average area of tennis courts per image (gsd 0.3)?",
            TWO,
            "SM3Det*2 SAM2*2 calculate_area*2 mean",
        ),
    ],
)
def test_an_area_told_for_each_thing_is_divided_by_their_number(
    query: str, names: Sequence[str], expected: str
) -> None:
    assert tools(query, names) == expected


@pytest.mark.parametrize(
    ("query", "ends"),
    [
        (
            "How many metres is it from the westernmost bridge to the largest harbor? (GSD = 0.5 m/px)",
            ["The westernmost bridge", "The largest harbor"],
        ),
        (
            "What is the distance between the smallest storage tank and the largest one (gsd 0.4)?",
            ["The smallest storage tank", "The largest storage tank"],
        ),
        (
            "How far is the northernmost helipad from the only stadium in the image (0.3 m/px)?",
            ["The northernmost helipad", "The only stadium"],
        ),
        (
            "Find “the white roundabout in the north” and “the longest bridge”, and compute the distance between their "
            "centroids (GSD = 0.5 m/px).",
            ["The white roundabout in the north", "The longest bridge"],
        ),
        (
            "What is the distance in metres between the stadium and the train station (gsd 1.0)?",
            ["The stadium", "The train station"],
        ),
    ],
)
def test_two_described_things_are_found_one_by_one_for_their_distance(query: str, ends: list[str]) -> None:
    assert tools(query, ONE) == "RemoteSAM*2 bboxes2centroids centroid_distance_extremes multiply"
    assert prompts(query, ONE, "RemoteSAM") == ends
    (centred,) = arguments(query, ONE, "bboxes2centroids")
    assert centred["bboxes"] == [{"from": 1}, {"from": 2}]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "How many times larger is the largest storage tank than the smallest storage tank?",
            "RemoteSAM*2 SAM2*2 calculate_area*2 division",
        ),
        (
            "What is the difference in area between the largest and the smallest swimming pool (gsd 0.2)?",
            "RemoteSAM*2 SAM2*2 calculate_area*2 difference",
        ),
        (
            "Ratio of the bounding box area of the largest ship to that of the smallest ship?",
            "RemoteSAM*2 calculate_bbox_area*2 division",
        ),
        ("What is the area of the smallest greenhouse (gsd 0.3)?", "RemoteSAM SAM2 calculate_area"),
        ("Find the boxes of the largest ship and the smallest ship.", "RemoteSAM*2"),
        ("Give the centroids of the northernmost bridge and the southernmost one.", "RemoteSAM*2 bboxes2centroids*2"),
    ],
)
def test_the_largest_and_the_smallest_thing_are_measured_each(query: str, expected: str) -> None:
    assert tools(query, ONE) == expected


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "By what percentage did the number of cars change in region A and in region B?",
            REGIONS,
            "InstructSAM*4 percentage_change*2",
        ),
        ("In which region did the number of ships grow more?", REGIONS, "InstructSAM*4 difference*2"),
        (
            "What percentage of the buildings was lost in each region?",
            REGIONS,
            "ChangeOS*4 count_skeleton_contours*4 percentage_change*2",
        ),
        (
            "By how many percent did the building area shrink in each of the regions?",
            REGIONS,
            "ChangeOS*4 calculate_area*4 percentage_change*2",
        ),
        (
            "How many times more houses did region A lose than region B?",
            REGIONS,
            "ChangeOS*2 count_skeleton_contours*2 division",
        ),
        (
            "By what percentage is the destroyed building area of region B larger than that of region A?",
            REGIONS,
            "ChangeOS*2 calculate_area*2 percentage_change",
        ),
        (
            "What is the average number of destroyed buildings over the regions?",
            REGIONS,
            "ChangeOS*2 count_skeleton_contours*2 mean",
        ),
        (
            "Rebuilding costs 900 euros per square metre. What does the destroyed building area cost (gsd 0.5)?",
            PAIR,
            "ChangeOS calculate_area multiply",
        ),
        (
            "The place covers 12 hectares. How many buildings per hectare were destroyed?",
            PAIR,
            "ChangeOS count_skeleton_contours division",
        ),
        ("How many buildings survived the storm?", PAIR, "ChangeOS count_skeleton_contours"),
        (
            "What percentage of the building area remains after the flood?",
            PAIR,
            "ChangeOS*2 calculate_area*2 division multiply",
        ),
        (
            "If 20 square metres can be rebuilt per day, how many days are needed for the lost area (GSD = 0.3)?",
            PAIR,
            "ChangeOS calculate_area division ceil_number",
        ),
        (
            "What share of the image is taken up by destroyed buildings?",
            PAIR,
            "ChangeOS calculate_threshold_ratio",
        ),
    ],
)
def test_change_between_two_images_is_compared_between_places(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "Determine the share of the original building area that the storm destroyed.",
            PAIR,
            "ChangeOS*2 calculate_area*2 division",
        ),
        (
            "Map the buildings before the storm and those that it destroyed, calculate both areas in pixels, and "
            "divide the destroyed area by the original building area.",
            PAIR,
            "ChangeOS*2 calculate_area*2 division",
        ),
        (
            "Express the lost building area as a fraction of the area that was there before.",
            PAIR,
            "ChangeOS*2 calculate_area*2 division",
        ),
        (
            "Count the destroyed houses and divide this number by the number of houses before the fire.",
            PAIR,
            "ChangeOS*2 count_skeleton_contours*2 division",
        ),
        (
            "What share of the building stock was destroyed, in percent?",
            PAIR,
            "ChangeOS*2 count_skeleton_contours*2 division multiply",
        ),
        (
            "In which region was the larger fraction of the building area destroyed?",
            REGIONS,
            "ChangeOS*4 calculate_area*4 division*2",
        ),
    ],
)
def test_a_part_that_was_lost_is_the_loss_divided_by_what_was_there(
    query: str, names: Sequence[str], expected: str
) -> None:
    assert tools(query, names) == expected
    maps = arguments(query, names, "ChangeOS")
    before, lost = maps[: len(maps) // 2], maps[len(maps) // 2 :]
    assert all(one["pre_image_path"] == one["post_image_path"] for one in before)
    assert all(one["pre_image_path"] != one["post_image_path"] for one in lost)
    measured = len(maps) + 1  # the first number after the listing and the maps
    sides = [(one["a"]["from"], one["b"]["from"]) for one in arguments(query, names, "division")]
    assert sides == [(measured + place, measured + len(before) + place) for place in range(len(before))]


@pytest.mark.parametrize(
    "query",
    [
        "Calculate the destroyed building area of A and of B, and divide the reduction of B by the total of A.",
        "How many times as large is the area of destroyed buildings in region B as in region A?",
    ],
)
def test_losses_of_two_places_are_divided_by_one_another(query: str) -> None:
    assert tools(query, REGIONS) == "ChangeOS*2 calculate_area*2 division"
    assert arguments(query, REGIONS, "division") == [{"a": {"from": 3}, "b": {"from": 4}}]


def test_a_part_that_remains_is_what_is_left_divided_by_what_was_there() -> None:
    query = "What part of the building area was not destroyed?"
    assert tools(query, PAIR) == "ChangeOS*2 calculate_area*2 division"
    assert arguments(query, PAIR, "division") == [{"a": {"from": 3}, "b": {"from": 4}}]
    assert all(one["pre_image_path"] == one["post_image_path"] for one in arguments(query, PAIR, "ChangeOS"))


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "By how many ships does the image with the most ships exceed the one with the fewest?",
            THREE,
            "InstructSAM*3 max_value_and_index min_value_and_index difference",
        ),
        (
            "What is the difference between the largest and the smallest area of tennis courts among the images?",
            THREE,
            "SM3Det*3 SAM2*3 calculate_area*3 max_value_and_index min_value_and_index difference",
        ),
        (
            "What is the ratio of the largest to the smallest number of planes on these images?",
            THREE,
            "InstructSAM*3 max_value_and_index min_value_and_index division",
        ),
        (
            "What is the coefficient of variation of the number of cars over the images?",
            THREE,
            "InstructSAM*3 coefficient_of_variation",
        ),
        ("Mean area of the parking lots over all images (gsd 0.2)?", THREE, "SM3Det*3 SAM2*3 calculate_area*3 mean"),
        (
            "By how many metres did the shortest distance between two ships change (gsd 0.5)?",
            PAIR,
            "SM3Det*2 bboxes2centroids*2 centroid_distance_extremes*2 multiply*2 difference",
        ),
        ("What share of the image do tennis courts cover in each?", TWO, "SM3Det*2 SAM2*2 calculate_threshold_ratio*2"),
        (
            "A buffer of 20 m surrounds each tank. How much larger is the total area of the buffers in image A than in "
            "B (gsd 0.5)?",
            TWO,
            "SM3Det*2 bbox_expansion*2 calculate_bbox_area*2 difference",
        ),
        (
            "How do the images rank in terms of the ground that parking lots take up?",
            THREE,
            "SM3Det*3 SAM2*3 calculate_area*3",
        ),
        (
            "Which images rank highest in terms of built-up area? GSD is 0.3 m.",
            THREE,
            "SM3Det*3 SAM2*3 calculate_area*3",
        ),
    ],
)
def test_the_numbers_of_several_images_are_compared(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "One inspector can check 12 storage tanks. How many inspectors are needed?",
            ONE,
            "InstructSAM division ceil_number",
        ),
        (
            "Each crew can repair 3 destroyed houses. How many crews have to be sent?",
            PAIR,
            "ChangeOS count_skeleton_contours division ceil_number",
        ),
        (
            "If 4 ships are unloaded per day, how many days does it take to unload all ships?",
            ONE,
            "InstructSAM division ceil_number",
        ),
        ("One guard is needed for every 20 planes. How many guards are that?", ONE, "InstructSAM division ceil_number"),
        ("Each storage tank holds 5000 m3. How much do they hold together?", ONE, "InstructSAM multiply"),
    ],
)
def test_what_some_can_do_of_many_is_a_quotient_rounded_up(query: str, names: Sequence[str], expected: str) -> None:
    assert tools(query, names) == expected


def test_the_base_of_a_comparison_is_what_comes_after_than() -> None:
    query = "How many times as many ships are in image B as in image A?"
    (divided,) = arguments(query, TWO, "division")
    assert divided == {"a": {"from": 1}, "b": {"from": 2}}
    query = "By what percentage are there more ships in image A than in image B?"
    (changed,) = arguments(query, TWO, "percentage_change")
    assert changed == {"a": {"from": 2}, "b": {"from": 1}}
    query = "By what percentage is the largest ship in image A larger than the largest ship in image B?"
    (changed,) = arguments(query, TWO, "percentage_change")
    assert changed == {"a": {"from": 6}, "b": {"from": 5}}
    query = "By what factor did the number of ships grow?"
    (divided,) = arguments(query, PAIR, "division")
    assert divided == {"a": {"from": 1}, "b": {"from": 2}}


@pytest.mark.parametrize(
    ("query", "names", "tool", "sides"),
    [
        (
            "By what percentage is the destroyed building area of region B larger than that of region A?",
            REGIONS,
            "percentage_change",
            [(3, 4)],
        ),
        ("How many times more houses did region A lose than region B?", REGIONS, "division", [(4, 3)]),
        ("What percentage of the building area remains after the flood?", PAIR, "division", [(3, 4)]),
        (
            "By what percentage did the number of cars change in region A and in region B?",
            REGIONS,
            "percentage_change",
            [(1, 3), (2, 4)],
        ),
    ],
)
def test_places_and_moments_are_told_by_the_right_one(
    query: str, names: Sequence[str], tool: str, sides: list[tuple[int, int]]
) -> None:
    """``a`` is what is told by: region A is measured before region B, and what was before what is after."""
    assert arguments(query, names, tool) == [{"a": {"from": a}, "b": {"from": b}} for a, b in sides]


def test_times_of_day_are_in_order_and_thousands_are_read_whole() -> None:
    query = "By what percentage does the number of vehicles change?"
    counted = arguments(query, ["evening.jpg", "morning.jpg"], "InstructSAM")
    assert [each["input_image_path"].rpartition("/")[2] for each in counted] == ["morning.jpg", "evening.jpg"]
    (times,) = arguments("Each tank holds 5,000 m3. How much do they hold together?", ONE, "multiply")
    assert times["b"] == 5000


def test_two_kinds_apart_are_no_pair_of_one_kind() -> None:
    with pytest.raises(NotUnderstoodError, match="one kind"):
        planned("What is the shortest distance between a ship and a harbor (gsd 0.5)?", ONE)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("How large is the easternmost soccer field by its bounding box (gsd 0.5)?", "RemoteSAM calculate_bbox_area"),
        ("How large are the eastern soccer fields by their boxes (gsd 0.5)?", "SM3Det calculate_bbox_area"),
        (
            "Tennis courts are resurfaced at a price of 45 USD per square metre. What is the total by their boxes?",
            "SM3Det calculate_bbox_area multiply",
        ),
    ],
)
def test_one_thing_at_a_side_is_found_by_its_description_and_a_price_is_multiplied(query: str, expected: str) -> None:
    assert tools(query, ONE) == expected


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "One bucket is enough for 40 m². How many buckets do all basketball courts need (gsd 0.15)?",
            ONE,
            "SM3Det SAM2 calculate_area division ceil_number",
        ),
        (
            "One bucket is enough for 40 m². How many buckets do the boxes of all basketball courts need (gsd 0.15)?",
            ONE,
            "SM3Det calculate_bbox_area division ceil_number",
        ),
        (
            "Segment all soccer fields (gsd 0.19) and divide their area by the area of one roll (120 m²), rounding up.",
            ONE,
            "SM3Det SAM2 calculate_area division ceil_number",
        ),
        (
            "The total area of the boxes of all tanks (gsd 0.2) is by the area of one basin, 650 m2, to divide, and "
            "the result to the next whole number up to round.",
            ONE,
            "SM3Det calculate_bbox_area division ceil_number",
        ),
        (
            "Calculate the total box area of the tanks (gsd 0.2), divide it by 12 and give the result.",
            ONE,
            "SM3Det calculate_bbox_area division",
        ),
        (
            "Every house that the storm destroyed is assigned 4 tents. How many tents are sent?",
            PAIR,
            "ChangeOS count_skeleton_contours multiply",
        ),
    ],
)
def test_what_is_needed_for_things_follows_their_true_area_or_number(
    query: str, names: Sequence[str], expected: str
) -> None:
    assert tools(query, names) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "How many square metres of collapsed building area separate Region A from Region B (GSD 0.3 m)?",
            "ChangeOS*2 calculate_area*2 difference",
        ),
        (
            "After the flood, how much lost building area lies between Region A and Region B? The GSD is 0.3 m.",
            "ChangeOS*2 calculate_area*2 difference",
        ),
        (
            "After the flood, how many destroyed buildings separate Region A from Region B?",
            "ChangeOS*2 count_skeleton_contours*2 difference",
        ),
    ],
)
def test_what_separates_two_places_is_a_difference(query: str, expected: str) -> None:
    assert tools(query, REGIONS) == expected
