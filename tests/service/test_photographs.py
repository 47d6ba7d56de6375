"""Questions about photographs from above: what is measured on every image, by which network, and how it compares."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from published_calls import ONE, PAIR, REGIONS, THREE, TWO, arguments, planned, tools

from knowflow.ground.errors import NotUnderstoodError
from knowflow.reason.inventory import inventory_of_names
from knowflow.service.photographs import Photographs, before_and_after, of_photographs


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        ("What kind of land use does the image show?", ONE, "MSCN"),
        ("Use RemoteCLIP to classify the images and count those of farmland.", THREE, "RemoteCLIP*3"),
        ("Which of the images contains the most ships?", THREE, "InstructSAM*3"),
        ("How many fewer planes are there in image B than in image A?", TWO, "InstructSAM*2 difference"),
        ("How many times more tanks are in image A than in image B?", TWO, "InstructSAM*2 division"),
        ("By what percentage did the number of ships change?", PAIR, "InstructSAM*2 percentage_change"),
        ("Count the cars and give the average number of cars per image.", THREE, "InstructSAM*3 mean"),
        ("The image covers 12.5 hectares: how dense? Density of houses per hectare.", ONE, "InstructSAM division"),
        ("Total area of the bounding boxes of all ships (GSD = 0.3 m/px)?", ONE, "SM3Det calculate_bbox_area"),
        ("Use Strip R-CNN to detect all ships and list their boxes.", ONE, "Strip_R_CNN"),
        ("Using Strip_R_CNN, give the centroids of all harbors.", ONE, "Strip_R_CNN bboxes2centroids"),
        (
            "Average bounding box area of the planes in the image, with a GSD of 0.2 m?",
            ONE,
            "SM3Det calculate_bbox_area InstructSAM division",
        ),
        ("What area do the tennis courts cover?", TWO, "SM3Det*2 SAM2*2 calculate_area*2"),
        (
            "How many parks of 400 m² fit into the boxes of all parking lots (GSD = 0.4 m/px)?",
            ONE,
            "SM3Det calculate_bbox_area division",
        ),
        (
            "Convert the area of the pools into a number of courts (each 420 m²), with gsd = 0.2.",
            ONE,
            "SM3Det SAM2 calculate_area division ceil_number",
        ),
        ("Expand the boxes of the tanks by a radius of 30 m (gsd 0.5).", ONE, "SM3Det bbox_expansion"),
        (
            "A safety zone of 30 m lies around each tank. What is the total area of the zones (GSD = 0.5 m/px)?",
            ONE,
            "SM3Det bbox_expansion calculate_bbox_area",
        ),
        (
            "How far apart are the two closest bridges, in pixels?",
            ONE,
            "SM3Det bboxes2centroids centroid_distance_extremes",
        ),
        (
            "How many meters farther are the two farthest courts apart than the two closest tennis courts (GSD = 0.2)?",
            ONE,
            "SM3Det bboxes2centroids centroid_distance_extremes multiply*2 difference",
        ),
        ("What is the area of the largest storage tank?", ONE, "RemoteSAM SAM2 calculate_area"),
        ("Find “the red-roofed building next to the river” and return its bounding box.", ONE, "RemoteSAM"),
        ("Reduction of built-up area between the two images?", PAIR, "ChangeOS calculate_area"),
        ("By what percentage did the building area shrink?", PAIR, "ChangeOS*2 calculate_area*2 percentage_change"),
        ("Which of the regions lost more buildings?", REGIONS, "ChangeOS*2 count_skeleton_contours*2"),
        (
            "How much larger was the destroyed building area in Region A than in Region B?",
            REGIONS,
            "ChangeOS*2 calculate_area*2 difference",
        ),
        (
            "A crew rebuilds 4 houses a month. How many months does it take to restore what was destroyed?",
            PAIR,
            "ChangeOS count_skeleton_contours division ceil_number",
        ),
        (
            "If ten buildings can be rebuilt each month, how many months will it take?",
            PAIR,
            "ChangeOS count_skeleton_contours division ceil_number",
        ),
        (
            "Each destroyed building costs 150000 to rebuild. What is the total cost?",
            PAIR,
            "ChangeOS count_skeleton_contours multiply",
        ),
        ("What share of the image is covered by buildings?", ONE, "ChangeOS calculate_threshold_ratio"),
        ("What area is brighter than a threshold of 180? Segment it.", ONE, "threshold_segmentation calculate_area"),
        ("How many pixels have a value of at least 200?", ONE, "count_above_threshold"),
        ("Segment the image by a threshold of 0.5.", ["prob.tif"], "threshold_segmentation"),
        ("Which of these pictures are of sparse residential areas?", THREE, "MSCN*3"),
        ("Estimate the land taken up by baseball diamonds at 0.3 meters per pixel.", ONE, "SM3Det SAM2 calculate_area"),
        ("How many square metres of buildings did the fire destroy?", PAIR, "ChangeOS calculate_area"),
        ("How did the number of vehicles change?", PAIR, "InstructSAM*2 difference"),
        ("What percentage more planes does image B have than A?", TWO, "InstructSAM*2 percentage_change"),
        (
            "One car needs 12.5 m²: how many could park on the boxes of the fields (GSD = 0.3 m/px)?",
            ONE,
            "SM3Det calculate_bbox_area division",
        ),
        (
            "How many objects are there after thresholding the image at 150?",
            ONE,
            "threshold_segmentation count_skeleton_contours",
        ),
        (
            "Find “The longest bridge in the center of the image.” and report its area (GSD = 0.5 m/px).",
            ONE,
            "RemoteSAM SAM2 calculate_area",
        ),
        (
            "If paving costs 80 euros per square meter, what do the boxes of all parking lots cost (GSD = 0.2)?",
            ONE,
            "SM3Det calculate_bbox_area multiply",
        ),
        ("How many houses were burned down?", PAIR, "ChangeOS count_skeleton_contours"),
        ("Which area suffered more building collapses?", REGIONS, "ChangeOS*2 count_skeleton_contours*2"),
        ("Render the image as a colour map with the jet palette.", ["heat.tif"], "grayscale_to_colormap"),
    ],
)
def test_a_measure_of_every_image_by_the_network_meant_then_the_comparison(
    query: str, names: Sequence[str], expected: str
) -> None:
    assert tools(query, names) == expected


LABELS = "airport, beach, bridge, forest, harbor, park, parking lot, river, school, stadium"


@pytest.mark.parametrize(
    "query",
    [
        f"Ten tags, one for each photo: {LABELS}. How many bridges are there?",
        f"Which of these would you file under park? The folders are {LABELS}, and each image goes in exactly one.",
        f"Taxonomy: {LABELS}. Give the count for school.",
        "Each tile is either river, lake, forest or meadow. How many are forest?",
        "How many playground scenes are in this set?",
        "Which photo was taken above a railway station?",
        "A: airport, B: beach, C: bridge, D: church, E: desert. Which letter is right for each of the images?",
    ],
)
def test_a_list_of_classes_is_what_whole_scenes_are_told_apart_by(query: str) -> None:
    assert tools(query, THREE) == "MSCN*3"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Tell me the boxes of the couple of tanks that sit closest together.", "minimum"),
        ("Among the bridges, find the pair with the greatest separation and hand back its two boxes.", "maximum"),
        ("Which two ships are the furthest from one another?", "maximum"),
        ("Compute the distances of all ships and return the boxes of the two that are nearest.", "minimum"),
        ("Give the boxes of the two bridges that are farthest from each other.", "maximum"),
        (
            "Convert the boxes of all bridges to centroids, compute their distances, and, using the indices of the "
            "pair for which the distance is minimal, retrieve the bounding boxes of these two.",
            "minimum",
        ),
        ("Identify the pair of planes farthest apart and output their bounding boxes.", "maximum"),
    ],
)
def test_a_pair_is_told_by_its_boxes_where_no_length_is_asked_for(query: str, expected: str) -> None:
    pair = "SM3Det bboxes2centroids centroid_distance_extremes get_list_object_via_indexes"
    assert tools(query, ONE) == pair
    assert planned(query, ONE).goal.value("statistic") == expected


@pytest.mark.parametrize(
    "query",
    [
        "What separates the two bridges that are nearest each other? (0.3 m/px)",
        "Using their bounding boxes, measure the spacing of the two closest bridges (GSD = 0.3 m/px).",
        "The two bridges lying most widely apart: how many metres is it from one to the other (gsd 0.5)?",
        "At 0.2 m per pixel, what is the largest distance between any two bridges?",
        "What is the smallest spacing between ships (GSD = 0.5 m/px)?",
    ],
)
def test_how_far_two_things_are_apart_is_a_length(query: str) -> None:
    assert tools(query, ONE) == "SM3Det bboxes2centroids centroid_distance_extremes multiply"


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        ("Which of the regions came off worse in terms of damaged houses?", REGIONS, "ChangeOS*2 calculate_area*2"),
        ("Rank the districts from least to most devastated.", REGIONS, "ChangeOS*2 calculate_area*2"),
        ("Compare the damage to buildings of the two regions.", REGIONS, "ChangeOS*2 calculate_area*2"),
        ("Was A or B the one where more houses were lost?", REGIONS, "ChangeOS*2 count_skeleton_contours*2"),
        ("How many people lost their homes to the flood?", PAIR, "ChangeOS count_skeleton_contours"),
        ("How long, in months, until everything is back to normal?", PAIR, "ChangeOS count_skeleton_contours"),
        ("By how many pixels has the footprint of the houses gone down?", PAIR, "ChangeOS calculate_area"),
        ("How many ships are there in each of the images?", PAIR, "InstructSAM*2"),
        ("How many fire stations are there?", ONE, "InstructSAM"),
        ("Compare the number of ships in both ports.", TWO, "InstructSAM*2 difference"),
        ("What amount of land do golf courses use up at 0.6 m per pixel?", ONE, "SM3Det SAM2 calculate_area"),
    ],
)
def test_harm_is_told_by_area_between_places_and_by_number_where_buildings_are_counted(
    query: str, names: Sequence[str], expected: str
) -> None:
    assert tools(query, names) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "Express the ground under the soccer fields (boxes, GSD 0.3) as a number of tennis courts at 261 m² each.",
            ["soccer-ball-field"],
        ),
        (
            "How many tennis courts, at 261 square metres apiece, is the area of all the boxes of the pools equal to?",
            ["swimming pool"],
        ),
        ("In tennis courts (261 m² each), what do the boxes of the planes sum up to? GSD = 0.2", ["plane"]),
        ("If a car takes 12.5 m², the tanks' box area (0.4 m/px) is equal to how many cars?", ["storage tank"]),
    ],
)
def test_what_others_are_told_by_is_not_what_is_measured(query: str, expected: list[str]) -> None:
    assert tools(query, ONE) == "SM3Det calculate_bbox_area division ceil_number"
    assert [each["text_prompt"] for each in arguments(query, ONE, "SM3Det")] == expected


@pytest.mark.parametrize(
    "query",
    [
        "Images of a weekday (A) and a weekend (B) are given. How large is the difference in the number of ships?",
        "The harbour was photographed in summer (A) and in winter (B). How big is the gap between the two ship counts?",
        "Two images cover the same bay. How large is the decrease in ships?",
        "To what extent does the number of ships differ between A and B?",
    ],
)
def test_a_number_of_things_that_is_large_is_no_area(query: str) -> None:
    assert tools(query, TWO) == "InstructSAM*2 difference"
    assert [each["text_prompt"] for each in arguments(query, TWO, "InstructSAM")] == ["ship", "ship"]


@pytest.mark.parametrize(
    "query",
    [
        "How large is the difference in area of the ships between image A and image B?",
        "How large is the difference (in square metres) between the ground that ships take up in A and in B?",
    ],
)
def test_an_area_that_is_large_stays_one(query: str) -> None:
    assert tools(query, TWO) == "SM3Det*2 SAM2*2 calculate_area*2 difference"


def test_numbers_of_the_question_reach_the_calls() -> None:
    query = "GSD for image A is 0.5; GSD for image B is 0.25. Rank them by the area of tennis courts."
    assert [each["gsd"] for each in arguments(query, TWO, "calculate_area")] == [0.5, 0.25]
    (grown,) = arguments("Expand the boxes of the tanks by 30 m (gsd 0.5).", ONE, "bbox_expansion")
    assert (grown["radius"], grown["gsd"]) == (30.0, 0.5)
    (colours,) = arguments("Show a plasma colour map.", ["heat.tif"], "grayscale_to_colormap")
    assert colours["cmap_name"] == "plasma"


def test_what_an_object_is_furthest_towards_is_its_side() -> None:
    query = "Where does the centre of the largest helipad furthest to the west lie?"
    (found,) = arguments(query, ONE, "RemoteSAM")
    assert found["text_prompt"] == "The largest helipad on the westernmost side."


def test_more_than_two_numbers_are_not_subtracted() -> None:
    query = "How many more ships are in image A than in image C?"
    assert tools(query, THREE) == "InstructSAM*3"


def test_things_without_a_name_in_the_knowledge_are_looked_for_in_the_words_of_the_question() -> None:
    assert [each["text_prompt"] for each in arguments("How many silos are there?", ONE, "InstructSAM")] == ["silo"]
    query = "How far apart are the two closest water towers (GSD = 0.2)?"
    assert [each["text_prompt"] for each in arguments(query, ONE, "SM3Det")] == ["water tower"]


@pytest.mark.parametrize(
    ("query", "thing"),
    [
        ("Which airport shows the greatest aviation activity?", "plane"),
        ("Judging from traffic, which region is the most congested?", "vehicle"),
        ("Which region has the best developed tennis infrastructure?", "tennis court"),
    ],
)
def test_what_people_do_is_told_from_the_things_that_show_it(query: str, thing: str) -> None:
    assert [each["text_prompt"] for each in arguments(query, TWO, "InstructSAM")] == [thing, thing]


@pytest.mark.parametrize("query", ["How many of the images are pretty?", "Write me a poem.", "What is the mean NDVI?"])
def test_a_question_that_names_nothing_to_look_for_is_refused(query: str) -> None:
    with pytest.raises(NotUnderstoodError, match="looked for on the images"):
        planned(query, THREE)


@pytest.mark.parametrize(
    "query",
    [
        "How high are the buildings?",
        "How long is the bridge?",
        "Who owns the storage tanks?",
        "What colour are the ships?",
        "How many people died in the earthquake?",
    ],
)
def test_what_no_image_from_above_tells_is_refused_and_not_counted_instead(query: str) -> None:
    with pytest.raises(NotUnderstoodError, match="images from above tell"):
        planned(query, PAIR)


def test_images_are_plain_before_or_after_by_their_names() -> None:
    assert of_photographs(inventory_of_names(["A.jpg", "heat.tif"]))
    assert not of_photographs(inventory_of_names(["Somewhere_NDVI_2022-06-01.tif"]))
    assert before_and_after(inventory_of_names(REGIONS)) == 2
    assert not before_and_after(inventory_of_names(THREE))


def test_images_come_in_order_of_time_and_those_of_each_moment_alone() -> None:
    data = Photographs(inventory_of_names(["t2.png", "t1.png"]))
    every, *parts = data.candidates("raster_series", (), (), None)
    assert [item.name for item in every.items] == ["t1", "t2"]
    assert [[item.name for item in part.items] for part in parts] == [["t1"], ["t2"]]
    assert data.candidates("raster_series", ("ndvi",), (), None) == ()
