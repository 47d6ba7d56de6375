"""Turns of phrase that no plan heeds are asked back, and words that only look like them are not."""

from __future__ import annotations

import pytest

from knowflow.reason.language import unclear, understand


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Which pixels are always green?", "always"),
        ("What fraction of the area had its NDWI maximum in May 2020?", "fraction"),
        ("Mean NDVI over the last three acquisitions", "last three acquisitions"),
        ("What area was snow covered on all dates?", "on all dates"),
        ("On how many consecutive days was it hotter than 305 K?", "consecutive"),
        ("When does the vegetation start to green up?", "start"),
        ("When did the snow first melt?", "first"),
        ("Which was the second warmest day?", "second warmest"),
        ("Average of the two largest NDVI values", "two largest"),
        ("mean NDVI excluding water", "excluding"),
        ("What share of the area is not forest?", "not forest"),
        ("NDVI without the built-up area", "without"),
        ("Mean LST minus the lakes", "minus the lakes"),
        ("Mean surface temperature, lakes excluded", "lakes excluded"),
        ("At what time of day was the flood highest?", "time of day"),
        ("How warm was it at 3 pm on 17 July 2022?", "3 pm"),
        ("By how many metres did the ice get thinner between 2014 and 2022?", "thinner"),
        ("How large is the third-largest lake?", "third-largest"),
        ("How much of the NDVI loss was due to drought?", "due to"),
        ("How high will the NDWI be by 30 July 2021?", "will the NDWI be by 30 July 2021"),
        ("How much forest will we lose?", "will we lose"),
        ("What started the fire in summer 2021?", "What started the fire in summer 2021"),
        ("How many hectares steeper than 25 degrees lie within 50 m of a road?", "within 50 m of a road"),
        ("Who planted the orchards?", "Who planted the orchards"),
        ("Were the fields flattened because of hail?", "because of hail"),
        ("Has the slope slid, set off by an earthquake?", "set off by an earthquake"),
        ("What kind of soil is on the slopes?", "what kind of soil"),
        ("What kind of trees grow on the slopes?", "what kind of trees"),
        ("Which rock lies below the slopes?", "which rock lies"),
        ("How high are the clouds?", "height of clouds"),
        ("How many centimetres of snow lay there in May 2020?", "centimetres of snow"),
        ("How many people live below 5.5 m?", "how many people live below 5.5 m"),
        ("Mean NDVI of the dates with at most 20 % clouds", "at most 20 % clouds"),
        ("Map of NDVI in scenes that are less than 20 % cloudy", "less than 20 % cloudy"),
        ("Mean NDVI on Mondays", "Mondays"),
        ("NDVI of every second scene", "every second scene"),
        ("Mean NDVI weighted by elevation", "weighted by elevation"),
        ("Mean NDVI of the 10 % highest ground", "10 % highest ground"),
        ("Where is the highest point?", "Where is the highest point"),
        ("Which pixel has the highest NDVI on 2017-07-05?", "Which pixel"),
        ("Coordinates of the maximum NDVI", "Coordinates of the maximum"),
        ("What share did not lose vegetation in 2017?", "not lose vegetation in 2017"),
        ("Where has NDVI not decreased since 2016?", "not decreased since 2016"),
        ("Area without any loss of NDVI from 2016 to 2017", "without any loss"),
        ("NDVI trend of scenes with cloud cover below 20 %", "cloud cover below 20 %"),
        ("NDVI trend of scenes whose cloud cover is below 0.2", "cloud cover is below 0.2"),
    ],
)
def test_what_no_plan_heeds_is_asked_back(query: str, words: str) -> None:
    assert any(words in item.why for item in unclear(understand(query)))


@pytest.mark.parametrize(
    "query",
    [
        "What is the mean NDVI without clouds?",
        "Area-weighted mean NDVI",
        "How high is the highest point?",
        "Where did NDVI not fall below 0.3?",
        "Did NDVI change or not change between 2016 and 2017?",
        "How large are the three largest coherent patches of grassland?",
        "What was the mean NDVI of the forest?",
        "On which day of July 2022 was it warmest?",
        "On which date was the snow cover largest?",
        "What share of the area is forest?",
        "What was the mean NDVI over the last three years?",
        "Which day had the most intense fires?",
        "Number of usable images",
        "How severe was the fire?",
        "Flood extent in ha, permanent water not counted",
        "What was the mean soil moisture in the top 10 cm?",
        "One NDVI average will do.",
        "I will plot the season myself: please print date and average NDVI.",
        "What was the mean NDVI? We will then publish it.",
    ],
)
def test_words_that_change_nothing_are_no_obstacle(query: str) -> None:
    assert unclear(understand(query)) == ()


@pytest.mark.parametrize(
    "query",
    ["NDVI on the clearest day of 2016", "slope aspect of the steepest point", "mean NDVI of the clearest scene"],
)
def test_a_value_where_another_quantity_is_extreme_is_asked_back(query: str) -> None:
    assert [item.slot for item in unclear(understand(query))] == ["quantity"]


@pytest.mark.parametrize("query", ["On which day was NDVI highest?", "Which was the clearest scene?", "Warmest day?"])
def test_an_extreme_of_the_quantity_itself_is_understood(query: str) -> None:
    assert unclear(understand(query)) == ()
