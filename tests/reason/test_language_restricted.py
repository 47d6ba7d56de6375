"""What restricts a question and is not known is told with its words; what restricts nothing is let be."""

from __future__ import annotations

import pytest

from knowflow.reason.language import understand
from knowflow.reason.language.restrictions import restrictions


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What share of the land above 300 m lies on limestone?", "on limestone"),
        ("Mean NDVI inside the old game preserve", "inside the old game preserve"),
        ("What was the mean surface temperature under the pergolas?", "under the pergolas"),
        ("How large is the area with NDVI above 0.6 at the hospitals?", "at the hospitals"),
        ("What is the mean NDVI of the beech stands?", "of the beech stands"),
        ("Mean NDVI of the irrigated fields", "of the irrigated fields"),
        ("What was the mean NDVI for the heather moor in June?", "for the heather moor"),
        ("How many hectares of private forest are there?", "of private forest"),
        ("What is the mean NDVI on the slopes?", "on the slopes"),
        ("I only care about the tulip farms. What is their mean NDVI?", "only care about the tulip farms"),
        ("Mean NDVI, only on his land", "on his"),
        ("Mean NDVI, excluding whatever farmers irrigate", "excluding whatever farmers irrigate"),
        ("How many of the burned hectares were pine?", "How many of the burned hectares were pine"),
        ("Which share of the flooded land was arable?", "share of the flooded land was arable"),
        ("How many hectares reserved for otters are steeper than 10 degrees?", "reserved for otters"),
        ("How many hectares steeper than 10 degrees are zoned for housing?", "zoned for housing"),
        ("How many hectares of the lake are safe to swim in?", "How many hectares of the lake are safe to swim in"),
        ("How much of the haze was Saharan dust?", "How much of the haze was Saharan dust"),
        ("NDVI goes down since 2016. Is that from overgrazing?", "Is that from overgrazing"),
        (
            "Was it the storm or the beetle that lowered the NDVI?",
            "Was it the storm or the beetle that lowered the NDVI",
        ),
        ("How many hectares with NDVI above 0.4 are communal?", "How many hectares with NDVI above 0.4 are communal"),
        (
            "How many hectares of forest did the moths destroy, by an NDVI loss of more than 0.3?",
            "did the moths destroy",
        ),
        ("Mean NDVI at the foot of the dam", "of the dam"),
        ("Mean surface temperature with the car parks left out", "car parks left out"),
        ("Mean surface temperature per district, hospitals excluded", "hospitals excluded"),
        ("Mean NDVI of the land that is irrigated", "that is irrigated"),
        ("How warm were the tin roofs on average?", "How warm were the tin roofs"),
        ("How many hectares of forest were lost, eaten by beetles?", "eaten by beetles"),
        ("How large is the area under coniferous forest?", "under coniferous forest"),
        ("Mean slope without the quarries and the railways", "without the quarries and the railways"),
        ("Mean NDVI excluding greenhouses", "excluding greenhouses"),
        ("Mean NDVI near the river", "near the river"),
        ("Mean NDVI along the motorway", "along the motorway"),
        ("Mean LST downstream of the dam", "downstream of the dam"),
        ("How many hectares steeper than 10 degrees belong to the monastery?", "belong to the monastery"),
        ("How much did NDVI change from 2018 to 2020 because of the bark beetle?", "because of the bark beetle"),
        ("How many hectares were burned deliberately?", "burned deliberately"),
        ("Mean surface temperature before sunrise on 17 July 2022", "sunrise"),
        ("How warm was the surface on the evening of 17 July 2022?", "evening"),
        ("What was the mean water temperature at 20 m depth?", "at 20 m depth"),
        ("What was the mean soil moisture in the top 10 cm?", "top 10 cm"),
        ("How warm was the sea 5 m below the surface?", "5 m below the surface"),
        ("NDVI fell. Was it a lack of rain or too many goats?", "Was it a lack of rain or too many goats"),
        ("How many hectares flatter than 10 degrees have no cellars yet?", "have no cellars"),
        ("What is the mean NDVI in the northern half of the scene?", "in the northern"),
        ("What is the mean NDVI of the upper quadrant?", "of the upper quadrant"),
        ("What is the mean NDVI of the oak layer?", "of the oak"),
        ("Mean NDVI, harbour district only", "harbour district"),
        ("How high does the village Oberdorf lie on average?", "village Oberdorf"),
        ("Hectares of each class for the district called north, please - the bishop asks.", "district called north"),
        ("Which suffered more by TVDI, maize or sunflower?", "maize or sunflower"),
        ("What was greener, the allotments or the forest?", "allotments or the forest"),
    ],
)
def test_what_nobody_knows_and_restricts_is_told(query: str, words: str) -> None:
    assert [one.words for one in restrictions(understand(query))] == [words]


@pytest.mark.parametrize(
    "query",
    [
        "What is the mean NDVI of the whole valley?",
        "How warm was the city centre on average?",
        "Mean NDVI over all four summers",
        "How much water vapour was in the air on average?",
        "What was the mean surface temperature in northern Elbonia?",
        "Mean NDVI of each district",
        "What is the mean of the index called NDVI?",
        "Was the forest or the meadow greener?",
        "Mean NDVI in the Upper Vellach valley in June 2021",
        "How many hectares were newly flooded between 5 and 20 July 2021, without rivers that were there already?",
        "How warm was it on the hottest day of the last twenty years?",
        "Mean NDVI of every farm",
        "What is the area above 300 m in hectares, in a table and in plain numbers?",
        "Mean NDVI and mean slope of the terrain",
        "Mean NDVI for the annual report",
        "What was the mean NDVI for the whole valley?",
        "How strongly are NDVI and slope correlated in the valley?",
        "What is the mean slope in the scene where NDVI is above 0.4?",
        "What fraction of the scene was lit by more than 20 nW cm-2 sr-1 in 2018?",
        "How many hectares were affected by the fire?",
        "What share of the scene was hidden under cloud?",
        "How much of the soil is sealed?",
        "mean ndvi in kranj in june 2021",
        "How much ground was flooded by the dam failure?",
        "How large is the share of the terrain in my test area that is steeper than 15 degrees?",
        "Mean NDVI with gaps left out",
        "Which area was badly burned in the storm of 2018?",
        "Mean backscatter of the radar image, in dB",
        "Mean NDVI in the bounding box at native resolution",
        "Mean NDVI in reflectance units",
        "Mean NDVI of the subset in the directory",
        "Mean NDVI of the files in this folder",
        "Mean NDVI in the polygon layer",
        "Mean NDVI of the clipped GeoTIFFs on the pixel grid",
    ],
)
def test_what_restricts_nothing_is_no_obstacle(query: str) -> None:
    assert restrictions(understand(query)) == ()


@pytest.mark.parametrize(
    "query",
    [
        "I manage the vineyards on limestone. What was the mean NDVI in June 2021?",
        "For my talk about the oak stands: what was the mean NDVI in June 2021?",
        "I'm writing a note on the bark beetle - how much did mean NDVI change from 2018 to 2020?",
    ],
)
def test_a_motive_restricts_nothing(query: str) -> None:
    assert restrictions(understand(query)) == ()


def test_a_depth_is_told_with_the_quantity_it_is_of() -> None:
    (one,) = restrictions(understand("What is the soil moisture in the top 10 cm?"))
    assert "soil moisture" in one.why


def test_an_occasion_matters_only_as_a_cause() -> None:
    assert restrictions(understand("How many hectares of forest were lost in the storm of 2018?")) == ()
    (one,) = restrictions(understand("How many hectares of forest were lost due to the storm of 2018?"))
    assert one.unknown == ("storm",)
