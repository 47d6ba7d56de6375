"""Limits in other words, on what they are, and told where no step takes them; parts of an area by their rank."""

from __future__ import annotations

import pytest
from published_calls import arguments, files, planned, tools

from knowflow.ground.errors import NotUnderstoodError

DATES = ("2022-05-09", "2022-05-25", "2022-06-10")
DRY = files(("NDVI", "LST"), DATES)
HEAT = files(("LST",), DATES)
GREEN = files(("NDVI",), DATES[:1])
ONE_DATE = files(("BT10", "b4", "b5"), DATES[:1])
RED = [f"lakeTest_sur_refl_b01.tif_{date}.tif" for date in DATES]
VAPOUR = [
    f"2022_{moment}_Reflectance_{band}.tif"
    for moment in ("01_06_0510", "01_20_0525", "07_07_0515", "07_21_0530")
    for band in (2, 5, 17, 18, 19)
]
THERMAL = [
    f"2023_07_0{day}_{time}_{name}.tif"
    for day in (1, 2, 3)
    for time, names in (("0945", ("BT_31_Day", "Emis31")), ("2130", ("BT_31_Night", "Emis31")))
    for name in names
]


@pytest.mark.parametrize(
    ("query", "limit"),
    [
        ("A pixel is thirsty when TVDI > 0.8. What is, averaged over the dates, the thirsty proportion?", 0.8),
        ("Fresh ground shows a TVDI under 0.35. How large is the fresh fraction on average from NDVI and LST?", 0.35),
        ("We call TVDI > 0.7 dry. How high is the severely dry share on average?", 0.7),
    ],
)
def test_a_fraction_of_what_a_limit_told_before_makes_is_a_share(query: str, limit: float) -> None:
    assert tools(query, DRY) == "compute_tvdi calculate_threshold_ratio"
    assert arguments(query, DRY, "calculate_threshold_ratio")[0]["threshold"] == limit


@pytest.mark.parametrize(
    ("query", "names", "limit"),
    [
        ("What share of the area is above an LST of 305 K on average?", HEAT, 305),
        ("Which proportion of the pixels lies below an NDVI value of 0.3?", GREEN, 0.3),
        ("What is the average share of pixels exceeding a land surface temperature of 300 K?", HEAT, 300),
    ],
)
def test_a_quantity_stands_before_its_limit(query: str, names: list[str], limit: float) -> None:
    assert tools(query, names) == "calculate_threshold_ratio" or "hotspot" in tools(query, names)
    assert limit in [*planned(query, names).calls][-1].input.values()


def test_a_mean_is_no_limit_that_stands_after_a_number() -> None:
    query = (
        "By the band ratio method, calculate the share of pixels with water vapour above 4 and average it over January."
    )
    assert arguments(query, VAPOUR, "calculate_threshold_ratio")[0]["threshold"] == 4


@pytest.mark.parametrize(
    ("query", "names", "percentile"),
    [
        ("Above which land surface temperature does the warmest fifth of the city lie (single-channel)?", ONE_DATE, 80),
        ("What LST marks the lower limit of the hottest 5 % of the city (single-channel method)?", ONE_DATE, 95),
        ("Which LST do the coldest 20% of the pixels stay below (single-channel method)?", ONE_DATE, 20),
        ("How hot must a pixel be to belong to the hottest decile, by the single-channel method?", ONE_DATE, 90),
        ("What temperature separates the coolest quarter from the rest (single-channel LST)?", ONE_DATE, 25),
        ("Which NDVI is exceeded only in the greenest third of the area?", GREEN, 66.67),
        ("What is the NDVI that 30 % of the pixels exceed?", GREEN, 70),
    ],
)
def test_the_limit_of_a_part_by_its_rank_is_a_percentile(query: str, names: list[str], percentile: float) -> None:
    (call,) = arguments(query, names, "get_percentile_value_from_image")
    assert call["percentile"] == pytest.approx(percentile, abs=0.01)


@pytest.mark.parametrize(
    "query",
    ["What is the mean LST of the hottest tenth of the area?", "How did LST change in the coolest 20 % of the city?"],
)
def test_what_is_asked_of_a_part_by_its_rank_is_refused(query: str) -> None:
    with pytest.raises(NotUnderstoodError, match="rank"):
        planned(query, HEAT)


@pytest.mark.parametrize(
    "query",
    [
        "Where TVDI exceeds 0.8, how hot is the ground on average? Use NDVI and LST.",
        "Derive TVDI from NDVI and LST and mark the pixels above 0.8. How warm are these pixels on average?",
        "Find the areas that are parched, that is TVDI over 0.8, from NDVI and LST. How cool are they on average?",
        "Dry land is where TVDI (from NDVI and LST) is over 0.8. How hot does it get there on average?",
    ],
)
def test_how_warm_it_is_asks_for_the_temperature_of_what_the_limit_marks(query: str) -> None:
    assert tools(query, DRY) == "compute_tvdi calc_threshold_value_mean"
    assert arguments(query, DRY, "calc_threshold_value_mean")[0]["threshold"] == 0.8


@pytest.mark.parametrize(
    ("query", "ends"),
    [
        (
            "Take TVDI out of the LST and NDVI rasters of 2022-05-09 and bin it: below 0.4 none, 0.4-0.6 mild, "
            "0.6-0.7 much, 0.7 and up all. What percent of the area sits in each bin?",
            [0.7, 0.4],
        ),
        (
            "Split the TVDI of 2022-05-09 made from the NDVI and LST rasters into three: under 0.3, 0.3 to 0.7, "
            "0.7 and above. What share of the area has each?",
            [0.7, 0.3],
        ),
        (
            "TVDI of 2022-05-09 from LST and NDVI in four bands (0-0.2, 0.2-0.5, "
            "0.5-0.8, 0.8-1.0): the percentage of area in each?",
            [0.8, 0.2],
        ),
    ],
)
def test_limits_that_make_classes_are_of_what_is_derived(query: str, ends: list[float]) -> None:
    assert tools(query, DRY) == "compute_tvdi calculate_threshold_ratio*2 difference"
    assert [call["threshold"] for call in arguments(query, DRY, "calculate_threshold_ratio")] == ends


@pytest.mark.parametrize(
    ("query", "limit"),
    [
        (
            "What share fell in the high class? Use three classes: below 295 K is low, "
            "295-305 K is medium, above 305 K is high.",
            305,
        ),
        ("Classes of LST: under 295 K cool, 295-305 K mild, over 305 K hot. Which share is in the warm zone?", 305),
        ("Classes of LST: under 295 K cool, 295-305 K mild, over 305 K hot. Which share is in the cool zone?", 295),
    ],
)
def test_a_class_is_asked_about_by_its_name_or_its_end(query: str, limit: float) -> None:
    (call,) = arguments(query, HEAT[:1], "calculate_threshold_ratio")
    assert call["threshold"] == limit
    assert not [one for one in planned(query, HEAT[:1]).plan.assumptions if one.what == "limit"]


def test_a_limit_is_on_the_quantity_that_follows_it_at_once() -> None:
    query = (
        "With band 31 daytime brightness temperature and emissivity: "
        "on how many days did over 20% of the pixels get above 310 K in daytime LST?"
    )
    assert tools(query, THERMAL) == "modis_day_night_lst count_images_exceeding_threshold_ratio"


def test_brightness_temperatures_by_day_are_those_of_the_day() -> None:
    query = "On how many days was the daytime brightness temperature above 310 K on over a quarter of the area?"
    (call,) = arguments(query, THERMAL, "count_images_exceeding_threshold_ratio")
    assert {path[-7:] for path in call["image_paths"]} == {"Day.tif"}


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("Count the spikes, i.e. the sharp peaks, of the LST.", "calc_batch_image_mean"),
        ("How many sudden peaks does the LST series have?", "calc_batch_image_mean"),
        ("How many spikes does the daily maximum LST have?", "calc_batch_image_max"),
    ],
)
def test_peaks_are_spikes_and_no_largest_values(query: str, tool: str) -> None:
    assert tools(query, HEAT) == f"{tool} count_spikes_from_values"


@pytest.mark.parametrize("rise", ["up by more than 25%", "higher by over 25 %"])
def test_what_is_up_by_so_many_percent_rose(rise: str) -> None:
    query = f"Areas with turbidity {rise} count as foul. Which date has the highest share of them?"
    (call,) = arguments(query, RED, "calc_batch_image_hotspot_percentage")
    assert call["threshold"]["times"] == 1.25


@pytest.mark.parametrize(
    "query",
    [
        "Work out how strongly the atmosphere absorbs in July 2022 with MODIS bands b02, b05, b17, b18, b19.",
        "How large is the absorption by the atmosphere on average in July 2022, from b02, b05, b17, b18 and b19?",
    ],
)
def test_what_the_atmosphere_absorbs_is_told_by_its_water_vapour(query: str) -> None:
    assert tools(query, VAPOUR).startswith("band_ratio")


@pytest.mark.parametrize(
    ("query", "names", "said"),
    [
        ("What is the trend of LST where it exceeds 300 K?", HEAT, "exceeds 300 K"),
        ("Dense stands have NDVI > 0.6. What is the mean NDVI?", GREEN, "> 0.6"),
        ("What was the maximum LST of the land below 310 K?", HEAT, "below 310 K"),
    ],
)
def test_a_limit_that_no_step_takes_is_told(query: str, names: list[str], said: str) -> None:
    left = [one.value for one in planned(query, names).plan.assumptions if one.origin == "left out"]
    assert said in left


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("What share of the area is above 30 °C?", HEAT),
        ("On how many dates was less than 20 % of the area warmer than 300 K?", HEAT),
        ("Fit a linear trend to the LST over the 31 days.", HEAT),
        ("What share of the area has an LST of 10 % above the mean?", HEAT),
    ],
)
def test_a_limit_that_a_step_takes_in_another_form_is_not(query: str, names: list[str]) -> None:
    assert not [one for one in planned(query, names).plan.assumptions if one.what == "limit"]
