"""Plain sentences about a generated scene, and the answer that the scene's formulas give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rasterio
from service_examples import scene

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError
from knowflow.service.results import RunResult
from knowflow.testing.demo import write_demo

YEARS = ["2020-06-01", "2021-06-01", "2022-06-01", "2023-06-01"]
BANDS = {
    "green": "0.1",
    "red": "0.05",
    "nir": "where(x < 0.25, 0.02, 0.3)",
    "swir16": "where(x < 0.25, 0.02, 0.2)",
}
# 32 x 32 pixels of 10 m: 0.1024 km2
LAYERS: list[dict[str, Any]] = [
    {"name": "veg", "quantity": "ndvi", "values": "0.1 + 0.4 * x + 0.1 * i", "dates": YEARS},
    {
        "name": "lst",
        "quantity": "surface_temperature",
        "unit": "K",
        "values": "290 + 20 * x + 4 * i",
        "dates": ["2022-07-01", "2022-07-11"],
    },
    {"name": "dem", "quantity": "elevation", "unit": "m", "values": "where(x < 0.5, 100, 100 + 320 * (x - 0.5))"},
    {
        "name": "lulc",
        "quantity": "land_cover_class",
        "values": "where(x < 0.25, 1, 2)",
        "dtype": "uint8",
        "nodata": 255,
    },
    {
        "name": "S2",
        "quantity": "surface_bidirectional_reflectance",
        "sensor": "sentinel-2",
        "bands": BANDS,
        "dates": ["2023-06-15"],
    },
    {"name": "rain", "quantity": "precipitation", "unit": "mm", "values": "40 * x + 10 * i", "dates": YEARS[:3]},
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The data, and one cache for all questions."""
    folder = tmp_path_factory.mktemp("questions")
    return scene(folder / "data", *LAYERS), folder / "home"


def ask(place: tuple[Path, Path], query: str, out: Path) -> RunResult:
    return KnowFlow(place[1]).run(query, place[0], out=out)


@pytest.mark.parametrize(
    ("query", "answer", "unit"),
    [
        ("What is the mean NDVI in 2021?", 0.4, "1"),
        ("Average surface temperature", 302, "K"),
        ("What was the coldest surface temperature?", 290.3125, "K"),
        ("What is the maximum land surface temperature in degrees Celsius?", 40.5375, "degC"),
        ("What is the standard deviation of elevation?", 51.5994, "m"),
        ("What share of the area was warmer than 300 K in July 2022?", 0.59375, "1"),
        (
            "How much of the area was hotter than 30 degrees Celsius on 2022-07-11?",
            0.53125,
            "1",
        ),
        ("How many hectares were above 305 K on 2022-07-01?", 2.56, "ha"),
        ("area below 150 m elevation in m2", 67200, "m2"),
        ("Area steeper than 10 degrees in m2", 54400, "m2"),
        ("What share of the area has slope between 5 and 50 degrees?", 0.53125, "1"),
        ("mean NDVI where slope is above 15 degrees", 0.55, "1"),
        ("mean NDVI on steep slopes", 0.55, "1"),
        ("What share of the area is steep and higher than 180 m?", 0.25, "1"),
        ("How much of the steep terrain is higher than 180 m?", 0.5, "1"),
        ("What is the NDVI trend per year?", 0.1, "year-1"),
        ("Is it getting greener, and how fast?", 0.1, "year-1"),
        ("How much did NDVI change between 2020 and 2023?", 0.3, "1"),
        ("How much greener was 2023 compared to 2020?", 0.3, "1"),
        ("How much warmer was it on 2022-07-11 than on 2022-07-01?", 4, "K"),
        (
            "Difference in mean surface temperature between 2022-07-01 and 2022-07-11",
            4,
            "K",
        ),
        ("When was the area above 0.45 NDVI largest?", "2023-06-01", None),
        ("In which year was the area above 0.45 NDVI largest?", "2023", None),
        ("On which date was it hottest?", "2022-07-11", None),
        ("When was NDVI lowest?", "2020-06-01", None),
        ("On how many dates was mean NDVI above 0.45?", 2, "1"),
        ("How large is the lake?", 0.0256, "km2"),
        ("How much open water is there, in hectares?", 2.56, "ha"),
        ("What percentage of the scene is water?", 0.25, "1"),
        ("How much snow is there?", 0.0256, "km2"),
        ("How many patches are hotter than 305 K?", 1, "1"),
        ("Median NDVI composite", None, "1"),
        ("Show the NDVI of 2022", None, "1"),
        ("relief map", None, "1"),
        ("SAVI on 2023-06-15", None, "1"),
        ("Which land-cover class covers the most area?", "class 2", None),
        ("How much did it rain from 2020 to 2021?", 50, "mm"),
        ("Map of the total rainfall", None, "mm"),
        ("Difference of the highest NDVI between 2020 and 2023", 0.3, "1"),
        ("How much more rain fell in 2022 than in 2020?", 20, "mm"),
        ("What share of the area had more than 45 mm of rain from 2020 to 2021?", 0.5625, "1"),
        ("Difference of the mean rainfall between 2020 and 2022", 20, "mm"),
        ("Which year had the most rain in total?", "2022", None),
        ("Map of the vegetation fraction", None, "1"),
        (
            "On how many dates was more than half of the area warmer than 300 K?",
            1,
            "1",
        ),
        ("How many hectares had NDVI below 0.4 in 2020 but above 0.4 in 2022?", 5.12, "ha"),
        ("What is the height difference between the highest and the lowest ground?", 155, "m"),
        ("Where the land is higher than 150 m, what was the mean NDVI in 2021?", 0.53125, "1"),
        ("How much rain falls a year on average?", 30, "mm"),
    ],
)
def test_a_sentence_gets_the_right_answer(
    place: tuple[Path, Path], tmp_path: Path, query: str, answer: Any, unit: str | None
) -> None:
    found = ask(place, query, tmp_path)
    assert found.status == "completed", found.error
    assert found.unit == unit
    if isinstance(answer, str):
        assert found.answer == answer
    elif answer is not None:
        assert found.answer == pytest.approx(answer, abs=2e-4 * max(1.0, abs(answer) / 100))


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("How large is each class?", [{"class": 1, "area": 2.56}, {"class": 2, "area": 7.68}]),
        (
            "Maximum NDVI of each year",
            [{"year": str(2020 + i), "maximum": 0.1 + 0.4 * 63 / 64 + 0.1 * i} for i in range(4)],
        ),
        (
            "Average temperature for each date",
            [{"date": "2022-07-01", "mean": 300}, {"date": "2022-07-11", "mean": 304}],
        ),
    ],
)
def test_a_sentence_gets_a_table(
    place: tuple[Path, Path], tmp_path: Path, query: str, rows: list[dict[str, Any]]
) -> None:
    found = ask(place, query, tmp_path)
    assert found.status == "completed", found.error
    assert [{name: row[name] for name in wanted} for row, wanted in zip(found.answer, rows, strict=True)] == [
        pytest.approx(row) if "date" not in row else {**row, "mean": pytest.approx(row["mean"])} for row in rows
    ]


@pytest.mark.parametrize(
    ("query", "code", "word"),
    [
        ("What is the average sea surface salinity?", None, ""),
        ("What was the mean NDVI on 2019-03-03?", "no_plan", "no data of 2019-03-03"),
        ("By what percentage did the mean NDVI increase from 2020 to 2023?", "no_plan", "whose zero means none of it"),
        ("area with NDVI above 20% of the mean", None, "mean"),
        ("share of the area with temperature above 5 mm", None, ""),
        ("area with NDVI above 0.3 in furlongs", None, "furlong"),
        ("what is the backscatter in VV?", None, ""),
    ],
)
def test_what_cannot_be_answered_is_refused_not_bent(
    place: tuple[Path, Path], tmp_path: Path, query: str, code: str | None, word: str
) -> None:
    found = ask(place, query, tmp_path)
    assert found.status == "refused", (found.answer, found.assumptions)
    assert found.error is not None
    assert code is None or found.error["code"] == code
    assert word in str(found.error)
    assert list(tmp_path.iterdir()) == []


def test_words_that_are_not_understood_are_told(place: tuple[Path, Path], tmp_path: Path) -> None:
    found = ask(place, "mean quokkaness adjusted NDVI in 2021", tmp_path)
    assert found.status == "refused"
    assert "quokkaness" in str(found.error)


def test_a_unit_that_does_not_measure_the_answer_is_told(place: tuple[Path, Path], tmp_path: Path) -> None:
    found = ask(place, "What is the mean NDVI in 2021 in degrees Celsius?", tmp_path)
    assert found.status == "refused", found.notes
    assert "in degrees Celsius" in str(found.error)


def test_a_unit_that_nothing_is_told_in_is_refused_in_the_words_of_the_question(place: tuple[Path, Path]) -> None:
    with pytest.raises(KnowFlowError, match="cubic metres"):
        KnowFlow(place[1]).plan("What is the mean NDVI in 2021 in cubic metres?", place[0])


def test_a_unit_that_is_a_word_has_a_plural_in_the_title(tmp_path: Path) -> None:
    write_demo(tmp_path / "data")
    plan = (
        KnowFlow(tmp_path / "home")
        .plan("What share of the terrain is steeper than 15 degrees?", tmp_path / "data" / "terrain")
        .plan
    )
    assert plan.title == "The share of the area where slope is above 15 degrees"


@pytest.mark.parametrize(
    ("query", "title"),
    [
        (
            "What share of the area was warmer than 30 degrees Celsius on 2022-07-11?",
            "The share of the area where surface temperature on 11 July 2022 is above 30 degC",
        ),
        (
            "How much warmer was 11 July 2022 than 1 July 2022?",
            "The mean of the difference of surface temperature on 11 July 2022 minus surface temperature on "
            "1 July 2022 over the area",
        ),
        (
            "By how much did NDVI drop from 2020-06-01 to 2021-06-01?",
            "The mean of the difference of NDVI on 1 June 2020 minus NDVI on 1 June 2021 over the area",
        ),
    ],
)
def test_a_plan_is_titled_in_the_units_and_days_of_the_question(
    place: tuple[Path, Path], query: str, title: str
) -> None:
    assert KnowFlow(place[1]).plan(query, place[0]).plan.title == title


def test_every_number_of_an_answer_is_told_in_the_unit_that_is_asked_for(
    place: tuple[Path, Path], tmp_path: Path
) -> None:
    found = ask(place, "Lowest and highest surface temperature in degrees Celsius", tmp_path)
    written = json.loads(Path(found.outputs["values"]).read_text(encoding="utf-8"))["values"]
    assert {name: one["unit"] for name, one in written.items()} == {"minimum": "degC", "maximum": "degC"}
    assert written == {name: dict(one) for name, one in found.values.items()}
    assert written["maximum"]["value"] == pytest.approx(40.5375)


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        ("Mean and maximum of NDVI in 2021", {"mean": 0.4, "maximum": 0.59375}),
    ],
)
def test_each_part_of_a_sentence_gets_its_answer(
    place: tuple[Path, Path], tmp_path: Path, query: str, answers: dict[str, float]
) -> None:
    assert ask(place, query, tmp_path).answer == {name: pytest.approx(value) for name, value in answers.items()}


def test_one_value_at_each_of_several_times_is_a_table(place: tuple[Path, Path], tmp_path: Path) -> None:
    found = ask(place, "Mean NDVI in 2020 and in 2022", tmp_path)
    assert found.answer == [
        {"time": "2020", "value": pytest.approx(0.3)},
        {"time": "2022", "value": pytest.approx(0.5)},
    ]
    assert found.values["2020"]["value"] == pytest.approx(0.3)


def test_a_map_is_told_in_the_unit_that_is_asked_for(place: tuple[Path, Path], tmp_path: Path) -> None:
    maps = {}
    for unit in ("kelvin", "degrees Celsius"):
        found = ask(place, f"Map the mean surface temperature of 2022 in {unit}", tmp_path)
        with rasterio.open(found.outputs["map"]) as dataset:
            maps[found.unit] = dataset.read(1, masked=True).astype("float64").mean()
    assert maps["degC"] == pytest.approx(maps["K"] - 273.15, abs=1e-4)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("How many hectares had more than 20 mm of rain on at least 2 dates?", 7.68),  # where 40 x + 10 is more
        ("Mean NDVI in 2020 above 200 m elevation", 0.1 + 0.4 * 29 / 32),  # of the columns right of x = 0.8125
        ("Highest mean NDVI in any of the images", 0.1 + 0.4 * 0.5 + 0.1 * 3),
        ("Rainfall of June to August 2021", 40 * 0.5 + 10),
        ("On 1 June 2020, what share of the area had NDVI above 0.3? In percent, please.", 50),
    ],
)
def test_grounds_and_times_as_people_say_them(
    place: tuple[Path, Path], tmp_path: Path, query: str, answer: float
) -> None:
    assert ask(place, query, tmp_path).answer == pytest.approx(answer, rel=1e-4)
