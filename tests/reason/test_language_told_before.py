"""What the sentence before says, and the question takes up: a limit, polygons, dates, averages."""

from __future__ import annotations

from typing import Any

import pytest

from knowflow.model.goal import Threshold
from knowflow.reason.language import understand


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("Count land with an NDBI above 0.1 as sealed. Which share of the image is that?", "operations", ("share",)),
        ("Count pixels with EVI over 0.3 as overgrown. How many hectares are these?", "operations", ("area",)),
        ("Count the pixels with EVI over 0.3.", "operation", "count"),
        ("A mean NDWI over 0.2 counts as flooded. How many of the dates were so?", "count_of", "dates"),
        ("A mean NDWI over 0.2 counts as flooded. How many of the dates were so?", "operation", "count"),
        ("Here are the outlines. Compute the mean slope within each of them.", "group_by", "zone"),
        ("We got the outlines. Compute the mean slope within each of them.", "operations", ("mean",)),
        ("Show the parcels with the median NDMI of each of them.", "group_by", "zone"),
        ("List the dates with the mean NDMI at each of them.", "group_by", "scene"),
        ("Average the NDMI for each scene. What is the smallest of these averages?", "over_dates", "minimum"),
        ("For each date of 2021 take the share under 0.2 NDVI, then average these shares.", "group_by", None),
        ("Take the average daily rainfall of May 2021 and of June 2021. What is the difference?", "group_by", None),
        ("The folder holds a land use map and a DEM. Give the average height.", "quantity", "elevation"),
        ("The mill stops once the mean NDWI is above 0.3. Count the days on which this was so.", "count_of", "dates"),
        ("Which day had the most intense burning, by mean FRP?", "quantity", "fire_radiative_power"),
        ("Estimate the rate of warming, K per year, from the LST images.", "operation", "trend"),
        ("Can plants cool? Does LST change with NDVI? Give me the correlation.", "operation", "correlation"),
        (
            "When it gets wetter, does it get cooler? Give the correlation of NDMI and LST.",
            "operations",
            ("correlation",),
        ),
    ],
)
def test_a_question_takes_up_what_was_told_before(text: str, slot: str, value: Any) -> None:
    assert understand(text).value(slot) == value


@pytest.mark.parametrize("text", ["Average the NDMI for each scene.", "Give the largest of the NDMI for each scene."])
def test_values_of_each_scene_stay_apart_where_nothing_gathers_them(text: str) -> None:
    assert understand(text).value("group_by") == "scene"


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("Put May 2021 beside June 2021: how many mm lie between their mean rainfall?", "operation", "difference"),
        ("What lies between the mean LST of May 2021 and of June 2021?", "operation", "difference"),
        ("Half of the ground is steeper than which angle? We mean the median slope.", "operations", ("median",)),
        ("Parts of the town lie above 300 K. How many ha do these add up to?", "operations", ("area",)),
        ("Drop all cloudy pixels and give the mean EVI.", "operations", ("mean",)),
        ("Which is the wettest of the May 2021 scenes, by mean NDMI?", "operation", "extreme_date"),
        ("Among all the water bodies, what area does the biggest one have?", "operations", ("area", "largest_patches")),
        ("What LST has the coldest pixel of the image?", "count_of", None),
        ("How many dates reached a mean NDMI above 0.2?", "threshold", Threshold(0.2, None, "above")),
        (
            "How many pixels are above the mean of NDMI?",
            "threshold",
            Threshold(100.0, "%", "above", relative_to="mean"),
        ),
    ],
)
def test_words_that_only_look_like_operations(text: str, slot: str, value: Any) -> None:
    assert understand(text).value(slot) == value


def test_a_statistic_is_heard_beside_what_somebody_means() -> None:
    query = "Dense growth, by which I mean NDVI above 0.7, warms less. Determine the average LST of the dense part."
    assert "mean" in understand(query).value("operations")
