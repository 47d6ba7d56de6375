"""Turns of phrase: what they make of a question, and what the whole question turns on and nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

from knowflow.model.goal import Period, Threshold
from knowflow.reason.language import unclear, understand


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("By how many kelvin per year did the surface temperature rise?", "operation", "trend"),
        ("Our commune must report it: how many ha of each land cover class?", "group_by", "class"),
        ("How many ha of each land cover class has each commune?", "group_by", "class_in_zone"),
        ("By how many mm did the rainfall of June 2022 deviate from that of May 2022?", "operation", "difference"),
        ("How many hectares of ice have disappeared?", "feature", "ice"),
        ("Share of the area that is built over", "feature", "built_up"),
        ("Which overpass was the hottest by LST?", "operation", "extreme_date"),
        ("Of the 2023 overpasses, which one has the most snow?", "operation", "extreme_date"),
        ("Which month in 2022 has the highest mean NDVI?", "group_by", "month"),
        ("April or June 2023: which of the two had the lower mean LST?", "statistic", "minimum"),
        ("How many grid cells are warmer than 300 K?", "count_of", "pixels"),
        ("COUNT(*) of the scenes with mean NDVI > 0.4", "operations", ("count", "mean")),
        ("On how many days was the rain heavier than 8 mm?", "threshold", Threshold(8.0, "mm", "above")),
        ("How many overpasses exceed a scene-mean NDVI of 0.4?", "threshold", Threshold(0.4, None, "above")),
        ("Sea level rise worries us. How many ha lie under 10 m altitude?", "operations", ("area",)),
        ("The LST rose. By how many kelvin?", "operation", "difference"),
        ("What percentage of the terrain falls within 5 to 15 m?", "operation", "share"),
        ("Into how many unconnected patches does the water fall?", "count_of", "patches"),
        ("Regress mean NDVI on the year.", "operation", "trend"),
        ("What altitude does the top of this mountain have?", "statistic", "maximum"),
        ("Collapse the NDVI stack along time into one raster with the median.", "operation", "composite"),
        ("Per pixel the average over the dates of NDVI", "operation", "composite"),
        ("Count all ground that lost over 0.4 NDVI, in ha.", "operations", ("area",)),
        ("Mean NBR of June 2020 minus that of May 2020?", "operations", ("difference", "mean")),
        ("dNBR averaged over the image, before minus after?", "operations", ("mean",)),
        ("Averaging all scenes with clouded pixels removed, which NDVI results?", "operations", ("mean",)),
        ("Which kind of land is hottest? List the mean LST of all classes.", "operations", ("mean",)),
        ("Mean NDVI per date, then the top value of these?", "over_dates", "maximum"),
        ("Average NDVI for each winter scene and, of these, the minimum", "over_dates", "minimum"),
        ("How much does NDVI fall per year?", "operation", "trend"),
        ("What was the highest mean NDVI of all dates?", "over_dates", "maximum"),
        ("Standard deviation of the daily mean NDWI in spring 2020", "over_dates", "standard_deviation"),
        ("Median of the scene means of LST", "over_dates", "median"),
        ("Standard deviation of LST on 3 May 2021", "over_dates", None),
        ("What percentage of NDWI was lost from 3 May to 9 June 2021?", "operation", "percent_change"),
        ("What percentage of the land was lost from 3 May to 9 June 2021?", "operation", "change"),
        ("At what rate did NDWI fall between 3 May 2020 and 9 June 2021?", "operation", "trend"),
        ("Mean cloud probability on 3 May 2021", "quantity", "cloud_probability"),
        ("Mean red edge chlorophyll index", "quantity", "cire"),
        ("In how many months was the mean LST above 290 K?", "count_of", "month"),
        ("Number of years with a mean NDWI below 0.1", "count_of", "year"),
        ("On what share of the dates was NDWI above 0.2?", "count_of", "dates"),
        ("On what share of the dates was NDWI above 0.2?", "operation", "share"),
        ("What share of the land has an NDWI above 0.2 on 3 May 2021?", "count_of", None),
        ("Map of the lowest NDWI in 2020", "operation", "composite"),
        ("Map the NDWI of 3 May 2021 and tell me the mean", "operation", "map"),
        ("Which polygon has the highest mean elevation?", "operation", "extreme_place"),
        ("Give the smallest scene average of NDVI", "over_dates", "minimum"),
        ("How high was the AOD at its worst, as an average over the area?", "over_dates", "maximum"),
        ("What is the maximum NDVI?", "over_dates", None),
        ("What are the maximum and mean NDVI?", "over_dates", None),
        ("Area where NDVI dropped by more than 0.3", "threshold", None),
        ("When was it driest?", "statistic", "maximum"),
        ("On which date was the mean NBR at its minimum?", "statistic", "minimum"),
        ("Average sigma nought in dB", "quantity", "sigma0_db"),
        ("Average sigma nought", "quantity", "sigma0"),
        ("When was the water most turbid?", "quantity", "ndti"),
        ("How large is the lake?", "quantity", "ndwi"),
        ("Mean AOD of the first days of March 2023", "operation", "mean"),
        ("Burned area in ha, counting dNBR greater than 0.27", "operations", ("area",)),
        ("How high is the highest point?", "statistic", "maximum"),
        ("How green was the area?", "operations", ("mean",)),
        ("How steep is it?", "quantity", "slope"),
        ("How high is our study area?", "operations", ("mean",)),
        ("How vegetated is the area?", "operations", ("area",)),
        ("Combine all dates into one median NDVI image.", "operation", "composite"),
        ("Size in ha of the largest hot area above 310 K", "operations", ("largest_patches",)),
        ("Largest fire radiative power on 2019-12-30?", "statistic", "maximum"),
        ("Smallest NDVI?", "statistic", "minimum"),
        ("How many hectares of built-up land were added between 2016 and 2022?", "operation", "change"),
        ("What percentage of the scene has NDMI below 0?", "operation", "share"),
        ("snow area, ha", "unit", "ha"),
        ("Hectares above 600 m", "operation", "area"),
        ("% water by district", "operation", "share"),
        ("How much lower, in percent, was NO2 in March 2020 than in March 2019?", "operation", "percent_change"),
        ("By how much did the mean night lights rise from 2018 to 2021?", "operation", "difference"),
        ("How far did mean NDSI fall between 1 March and 15 April 2023?", "operation", "difference"),
        ("How many percent of the scene exceed NDVI 0.6?", "quantity", "ndvi"),
        ("How high does the terrain get?", "operation", "maximum"),
        ("How many metres high is the highest point?", "operation", "maximum"),
        ("Which 2023 date had the largest mean NDSI?", "operation", "extreme_date"),
        ("wettest date please", "operation", "extreme_date"),
        ("Which was the rainiest day?", "operation", "extreme_date"),
        ("What is the mean NDVI of the scenes that have at least 0.3 NDVI?", "operation", "mean"),
        ("What is the mean NDVI of the scenes that have Budapest in view?", "operation", "mean"),
        ("What is the mean NDVI of the scenes that an honest man took?", "operation", "mean"),
        ("What is the mean NDVI of the forest scenes?", "operation", "mean"),
        ("most turbid date in 2022", "operation", "extreme_date"),
        ("Was January or February 2023 cooler?", "statistic", "minimum"),
        ("Which of the two was warmer: January 2023 or February 2023?", "operation", "extreme_date"),
        ("pixels above 305 K: how many?", "count_of", "pixels"),
        ("Maximum of the scene-average NDSI values", "over_dates", "maximum"),
        ("one NDVI picture made from all the dates", "operation", "composite"),
        ("no. of days w/ mean LST above 305 K", "count_of", "dates"),
        ("Dates with mean LST > 303 K: how many are there?", "count_of", "dates"),
        ("Count the separate hot patches above 310 K", "count_of", "patches"),
        ("NTL slope per year 2018-2021", "operation", "trend"),
        ("NTL slope per year 2018-2021", "quantity", "night_lights"),
        ("Mean slope of the terrain", "quantity", "slope"),
        ("Since the fire, how quickly does NBR come back per year?", "operation", "trend"),
        ("Tell me the date when the area suffered most, by TVDI", "operations", ("extreme_date", "maximum")),
        ("Which of the July 2021 dates shows the crest of NDWI?", "operation", "extreme_date"),
        ("Tell me whether January or February 2023 had the higher surface temperature.", "operation", "extreme_date"),
        ("One clean picture of NDVI, averaged over all the dates", "operation", "composite"),
        ("The hottest spot on the image, how many °C does it have?", "operation", "maximum"),
        ("NDVI threshold 0.27, total green hectares?", "operations", ("area",)),
        ("Could you list the hectares where NDVI is above 0.5?", "unit", "ha"),
        ("How many patches of 5 ha are above 310 K?", "unit", None),
        ("P90 of NDVI", "percentile", 90.0),
        ("Compare the districts for me please: NDVI mean of each one.", "operations", ("mean",)),
        ("Compare mean NDVI of June and August 2021", "operation", "difference"),
        ("How many hectares did NDVI fall below 0.2 on 5 May 2021?", "operations", ("area",)),
        ("The value that 90 % of the pixels stay below: NDVI?", "percentile", 90.0),
        ("the level below which 20 % of the scene lies, NDVI", "percentile", 20.0),
        ("At which date did the lake reach its smallest extent?", "statistic", "minimum"),
        ("count of nights with LST under 280 K", "count_of", "dates"),
        ("Give the relative decline in NDVI 2019 to 2021", "operation", "percent_change"),
        ("Was the sea warmer in June or in August 2022, and by how much?", "operation", "difference"),
        ("How much has NDWI changed per decade?", "operation", "trend"),
        ("total area with NDWI > 0, hectares", "operations", ("area",)),
        ("date | mean NDVI, all scenes of 2021 please", "group_by", "scene"),
        ("A table with the columns district, mean NDVI", "group_by", "zone"),
        ("|mean NDVI - mean EVI|", "group_by", None),
        ("Elevation: 1-sigma spread in m?", "operation", "standard_deviation"),
        ("r between NDVI and elevation?", "operation", "correlation"),
        ("mean brightness temp of band 10", "quantity", "toa_brightness_temperature"),
        ("What was the snow temperature?", "quantity", "surface_temperature"),
        ("Hectares of each land cover class in every district", "group_by", "class_in_zone"),
        ("Going through the NDWI series, name the day the flood crested.", "operation", "extreme_date"),
        ("Tell me the day NO2 was highest.", "operation", "extreme_date"),
        ("I am after the acquisition with the lowest mean LST; its date is enough.", "statistic", "minimum"),
        ("Highest mean NDVI of all acquisitions - just the date.", "operation", "extreme_date"),
        ("LST pixels > 30 degC on 17 July 2022, number of", "count_of", "pixels"),
        ("Nights with LST under 280 K, number of them", "count_of", "dates"),
        ("Relative growth, in %, of the mean NDVI from 2018 to 2021?", "operation", "percent_change"),
        ("Growth of the mean NDVI per year from 2018 to 2021?", "operation", "trend"),
    ],
)
def test_what_a_turn_of_phrase_means(text: str, slot: str, value: Any) -> None:
    assert understand(text).value(slot) == value


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("How many dates of July and August 2022 had a mean NDVI above 0.5?", False),
        ("Which month was warmer in 2023, January or February?", False),
        ("How much warmer was February 2023 than January 2023?", True),
        ("How many hectares burned between 20 July and 24 August 2021?", True),
        ("Mean NDVI between 20 July and 24 August 2021", False),
    ],
)
def test_two_times_are_compared_only_where_something_is(text: str, compared: bool) -> None:
    assert ("comparison" in understand(text).slots) is compared


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (
            "Rain from June 1 to July 31, 2023: the mean of June, then that of July, and the percentage of change.",
            ("2023-06-01", "2023-06-30", "2023-07-01", "2023-07-31"),
        ),
        (
            "Between 5 December 2022 and 20 January 2023, compare the mean LST in December with that in January.",
            ("2022-12-05", "2022-12-31", "2023-01-01", "2023-01-20"),
        ),
        (
            "By how much did the rain change from June 1 to July 31, 2023?",
            ("2023-06-01", "2023-06-01", "2023-07-31", "2023-07-31"),
        ),
    ],
)
def test_months_told_apart_inside_a_time_of_days_are_what_is_compared(text: str, ends: tuple[str, ...]) -> None:
    pair = understand(text).value("comparison")
    assert tuple(day for one in pair for day in (one.start, one.end)) == ends


def test_an_event_lies_between_the_ends_of_its_time() -> None:
    goal = understand("How many hectares were flooded between 5 July and 20 July 2021?")
    days = (Period("2021-07-05", "2021-07-05"), Period("2021-07-20", "2021-07-20"))
    assert goal.value("comparison") == days


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("How salty is the water?", "salty"),
        ("How many people were affected by the flood?", "people"),
        ("How deep is the snow?", "deep"),
        ("How many elderly residents live where LST was over 310 K?", "elderly residents"),
        ("Number of kindergartens with LST above 310 K", "kindergartens"),
        ("How hot will it be?", "future"),
        ("How green will it be next summer?", "future"),
        ("Predict tomorrow's NDVI", "future"),
    ],
)
def test_what_the_question_turns_on_and_nobody_knows_is_told(text: str, says: str) -> None:
    assert any(says in item.why for item in unclear(understand(text)))


@pytest.mark.parametrize(
    "text",
    [
        "How strongly are NDVI and surface temperature correlated?",
        "How much larger was the water surface in 2021 than in 2020?",
        "How dry is every land cover class? Mean TVDI please.",
        "How large is the lake?",
        "How much of the area is snow?",
        "How many lakes are there?",
        "How many overpasses had a mean NDVI above 0.5?",
        "Of all the days in the series, how many brought a mean NDVI of over 0.5?",
    ],
)
def test_degrees_and_known_words_are_no_unknown(text: str) -> None:
    assert not [item for item in unclear(understand(text)) if "nothing is known" in item.why]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SST difference between August 2022 and June 2022", "2022-06-01"),
        ("PWV 1 June 2022 vs 1 July 2022: percent change of the mean?", "2022-06-01"),
        ("Mean NDVI of July 2018 minus mean NDVI of July 2023", "2023-07-01"),
        ("How much warmer was June 2022 than August 2022?", "2022-08-01"),
    ],
)
def test_the_later_is_compared_with_the_earlier_unless_the_question_says_with_which(text: str, first: str) -> None:
    before, _ = understand(text).value("comparison")
    assert before.start == first


def test_an_average_that_another_time_is_set_against_is_no_part_of_one_span() -> None:
    goal = understand("What was the NDVI anomaly of 2021 relative to the 1991-2020 average?")
    assert goal.value("comparison") == (Period("1991-01-01", "2020-12-31"), Period("2021-01-01", "2021-12-31"))


@pytest.mark.parametrize(
    ("text", "slot", "word"),
    [
        ("Why did NDVI fall after 2018?", "operation", "causes"),
        ("What caused the flood?", "operation", "causes"),
        ("What is the mean elevation within 500 m of the road?", "region", "within 500 m of"),
        ("Which lake has the most fish?", "quantity", "fish"),
        ("What was the pH of the lake?", "quantity", "ph"),
        ("How many trees are there?", "count_of", "trees"),
    ],
)
def test_what_no_data_tell_is_asked_back(text: str, slot: str, word: str) -> None:
    assert [(item.slot, word in item.why.lower()) for item in unclear(understand(text))] == [(slot, True)]


@pytest.mark.parametrize(
    "text",
    [
        "How many lakes are there?",
        "How many hectares of forest are there?",
        "What is the mean NDVI of the forest?",
        "Which date had the most clouds?",
        "What was the highest elevation?",
        "What was the mean intensity of lights at night in 2021?",
    ],
)
def test_what_data_can_tell_is_not_asked_back(text: str) -> None:
    assert unclear(understand(text)) == ()


@pytest.mark.parametrize("query", ["When did NDVI drop most?", "On which date was the largest gain in NDVI?"])
def test_the_date_of_the_largest_change_is_asked_back(query: str) -> None:
    goal = understand(query)
    assert [one.slot for one in goal.ambiguities] == ["operation"]
    assert unclear(goal)


@pytest.mark.parametrize(
    ("query", "grouped"),
    [
        ("Please print date and average NDVI", "scene"),
        ("Print the date and the highest NDVI", None),
        ("Write forest and water", None),
    ],
)
def test_what_is_printed_beside_a_value_is_its_row(query: str, grouped: str | None) -> None:
    assert understand(query).value("group_by") == grouped
