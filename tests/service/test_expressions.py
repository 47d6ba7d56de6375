"""Questions as expressions: what runs on files is what the reference interpreter finds in the arrays they hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow
from knowflow.graph.orphans import needed
from knowflow.question.check import type_of
from knowflow.question.operators import Position, Quantity, walk
from knowflow.reason.compiling.compilation import Compilation
from knowflow.reason.compiling.made import Made
from knowflow.testing.interpreter.values import Scene
from knowflow_bench.algebra import judge
from knowflow_bench.random_scenes import random_scene, write_scene
from tests.question.test_question_check import read

ANSWERED = [
    "over(over(ndvi, space, mean), time, maximum)",
    "over(over(during(ndvi, 2017), time, maximum), space, percentile, 80)",
    "over(beyond(over(ndvi, space, maximum), above, 0.6), time, count)",
    "over(beyond(ndvi, above, 0.5), space, share)",
    "over(beyond(ndvi, above, over(ndvi, space, median)), space, area)",
    "over(beyond(during(ndvi, '2016-06-01/..'), below, 0.4), time, share)",
    "over(over(within(ndvi, is_class(land_cover_class, [forest, water])), space, mean), time, mean)",
    "over(within(elevation, beyond(slope, at_least, '10 degree')), space, mean)",
    "over(beyond(elevation, at_most, over(elevation, space, mean)) and beyond(slope, above, '9 degree'), "
    "space, patches)",
    "over(water_mask and not beyond(ndvi, above, 0.4), space, share)",
    "over(over(split(precipitation, year), space, mean), time, sum)",
    "over(over(over(split(ndvi, month_of_year), space, mean), time, mean), month_of_year, range)",
    "calculate(difference, over(over(during(surface_temperature, 2017), space, mean), time, mean), "
    "over(over(during(surface_temperature, 2018), space, mean), time, mean))",
    "beyond(surface_temperature, above, '22 degC')",
    "over(beyond(elevation, above, '0.4 km'), space, share)",
    "trend(over(ndvi, space, mean))",
    "extreme(over(ndvi, space, mean), highest)",
    "over(over(population_count, space, sum), time, mean)",
    "show(over(ndvi, time, median), map)",
    "over(is_class(classify(slope, [9, 14], [flat, gentle, steep], degree), gentle), space, area)",
    "over(along(over(ndvi, space, mean), change), time, minimum)",
    "over(along(over(precipitation, space, mean), cumulated), time, maximum)",
    "over(along(over(ndvi, space, mean), running, 3), time, maximum)",
    "over(along(ndvi, running, 2), time, maximum)",
    "over(correlate(ndvi, surface_temperature, space), time, mean)",
    "correlate(ndvi, precipitation, time)",
    "over(over(within(ndvi, water_mask), space, count), time, sum)",
    "over(split(elevation, polygons()), space, mean)",
    "over(split(over(ndvi, time, maximum), polygons()), space, deviation)",
    "over(split(beyond(slope, above, '12 degree'), polygons()), space, share)",
    "over(split(beyond(slope, above, '12 degree'), polygons()), space, area)",
    "over(split(over(ndvi, time, mean), land_cover_class), space, mean)",
    "over(split(elevation, classify(slope, [9, 14], [flat, gentle, steep], degree)), space, maximum)",
    "over(land_cover_class, space, area)",
    "extreme(over(split(elevation, polygons()), space, mean), highest)",
    "extreme(over(split(slope, land_cover_class), space, mean), lowest)",
    "calculate(product, over(elevation, space, maximum), 2)",
    "over(ndvi, both, percentile, 30)",
    "over(split(elevation, polygons(north)), space, mean)",
    "over(over(split(elevation, polygons()), space, mean), objects, maximum)",
    "over(split(ndvi, polygons()), space, median)",
    "over(over(split(ndvi, polygons([north, south])), both, mean), objects, range)",
    "over(within(elevation, polygons(north)), space, mean)",
    "over(within(ndvi, extreme(over(split(elevation, polygons()), space, mean), highest)), space, mean)",
    "over(within(elevation, point(15.0015, 46.0525)), space, mean)",
    "over(during(ndvi, extreme(over(surface_temperature, space, mean), highest)), space, mean)",
    "over(during(ndvi, holds(beyond(over(surface_temperature, space, mean), above, '295 K'))), space, mean)",
    "over(over(during(ndvi, over(beyond(over(ndvi, space, mean), above, 0.3), time, first)), space, mean), time, mean)",
    "holds(beyond(over(ndvi, space, mean), above, 0.4))",
    "beyond(over(ndvi, space, mean), above, 0.5)",
    "over(over(ndvi, space, maximum), time, count)",
    "over(beyond(over(ndvi, space, mean), above, 0.38), time, longest)",
    "over(beyond(ndvi, at_least, 0.4), time, first)",
    "within(water_mask, beyond(slope, above, '9 degree')) or beyond(ndvi, above, 0.5)",
    "over(within(water_mask, polygons(north)) and not beyond(ndvi, above, 0.4), space, patches)",
    "extreme(over(split(ndvi, season), both, mean), highest, 3)",
    "extreme(over(over(split(ndvi, month_of_year), space, mean), date, mean), lowest, 2)",
    "trend(ndvi, theil_sen)",
    "over(ndvi, time, percentile, 80)",
    "over(precipitation, time, sum)",
    "over(is_class(land_cover_class, forest) and beyond(over(elevation, space, mean), above, '100 m'), space, share)",
    "over(elevation, space, integral)",
    "over(over(split(during(precipitation, 2017), polygons()), space, integral), time, sum)",
    "over(within(over(precipitation, time, sum), is_class(land_cover_class, forest)), space, integral)",
    "over(land_cover_class, space, majority)",
    "is_class(over(land_cover_class, space, majority), [forest, water])",
    "over(within(land_cover_class, polygons(middle)), space, area)",
    "over(over(split(ndvi, land_cover_class), space, mean), classes, range)",
    "classify(over(ndvi, space, mean), [0.3, 0.4], [low, middle, high])",
    "calculate(power, surface_temperature, 2)",
    "calculate(ratio, over(precipitation, time, sum), elevation)",
    "calculate(product, '3 cm', over(precipitation, space, mean))",
    "calculate(difference, ndvi, over(ndvi, space, mean))",
    "over(aspect, space, mean)",
    "over(within(aspect, polygons(north)), space, deviation)",
    "over(beyond(aspect, between, '300 degree', '60 degree'), space, share)",
    "correlate(ndvi, surface_temperature, both)",
    "correlate(within(ndvi, polygons(north)), surface_temperature, both)",
    "correlate(over(ndvi, space, mean), over(precipitation, space, mean), time)",
    "along(ndvi, change)",
    "show(within(ndvi, polygons(north)), map)",
    "over(beyond(over(split(ndvi, land_cover_class), space, mean), above, 0.38), time, longest)",
    "along(over(split(precipitation, land_cover_class), space, mean), change)",
    "extreme(over(over(split(split(ndvi, month), land_cover_class), space, mean), time, mean), lowest)",
    "trend(over(over(split(split(ndvi, month), land_cover_class), space, mean), time, mean))",
    "show(over(ndvi, space, mean), table)",
    "over(calculate(sum, elevation, '0.2 km'), space, mean)",
    "calculate(difference, over(surface_temperature, space, mean), '20 degC')",
]


@pytest.fixture(scope="module")
def scene() -> Scene:
    return random_scene(2)


@pytest.fixture(scope="module")
def folder(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scene")
    write_scene(scene, path / "data")
    return path


@pytest.mark.parametrize("text", ANSWERED)
def test_a_run_finds_what_the_interpreter_finds(text: str, scene: Scene, folder: Path) -> None:
    found = judge(read(text), scene, folder / "data", KnowFlow(home=folder / "home"), folder / "out")
    assert (found.verdict, found.why) == ("right", "")


CLOUDED = [
    "over(over(ndvi, space, mean), time, maximum)",
    "over(over(during(ndvi, MONTH), space, mean), time, mean)",
    "extreme(over(over(split(ndvi, month), space, mean), date, mean), lowest)",
    "over(over(beyond(ndvi, above, 0.4), space, share), time, mean)",
    "over(over(within(during(ndvi, MONTH), beyond(elevation, above, '400 m')), space, median), time, median)",
]


@pytest.fixture(scope="module")
def clouded(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> tuple[Scene, Path]:
    """What is unknown of NDVI has a number in its files, and masks of clouds say that it counts for nothing."""
    folder = tmp_path_factory.mktemp("clouded")
    own = replace(scene, layers={name: scene.layers[name] for name in ("ndvi", "elevation")})
    write_scene(own, folder)
    for path in sorted(folder.glob("ndvi_*.tif")):
        with rasterio.open(path) as file:
            values, profile, tags = file.read(1), file.profile, file.tags()
        with rasterio.open(path, "w", **profile) as file:
            file.write(np.where(np.isnan(values), np.float32(0.95), values), 1)
            file.update_tags(**tags)
        mask = {**profile, "dtype": "uint8", "nodata": 255}
        with rasterio.open(folder / path.name.replace("ndvi", "cloud_mask"), "w", **mask) as file:
            file.write(np.isnan(values).astype(np.uint8), 1)
            file.update_tags(**{**tags, "QUANTITY": "cloud_mask"})
    return own, folder


@pytest.mark.parametrize("text", CLOUDED)
def test_what_masks_of_clouds_cover_is_unknown(text: str, clouded: tuple[Scene, Path], tmp_path: Path) -> None:
    own, folder = clouded
    asked = read(text.replace("MONTH", f"{own.layers['ndvi'].dates[2]:%B}".lower()))
    found = judge(asked, own, folder, KnowFlow(home=tmp_path / "home"), tmp_path / "out")
    assert (found.verdict, found.why) == ("right", "")


OF_MANY_YEARS = [
    "anomaly(over(over(split(ndvi, season), space, mean), date, mean))",
    "anomaly(over(precipitation, space, mean), percent)",
    "anomaly(extreme(over(precipitation, space, mean), highest, 9))",
    "anomaly(ndvi, deviations, '2016/..')",
    "over(anomaly(ndvi), both, maximum)",
    "trend(over(over(split(ndvi, year), space, mean), date, maximum))",
    "trend(over(split(ndvi, year), date, median), theil_sen)",
    "extreme(over(over(split(precipitation, year), space, mean), date, sum), highest, 2)",
]


@pytest.fixture(scope="module")
def years(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scene, Path]:
    scene, path = random_scene(9), tmp_path_factory.mktemp("years")
    write_scene(scene, path / "data")
    return scene, path


@pytest.mark.parametrize("text", OF_MANY_YEARS)
def test_what_needs_many_years_is_what_the_interpreter_finds(text: str, years: tuple[Scene, Path]) -> None:
    scene, path = years
    found = judge(read(text), scene, path / "data", KnowFlow(home=path / "home"), path / "out")
    assert (found.verdict, found.why) == ("right", "")


REFUSED = {
    "apply(viewshed, elevation)": "apply",
    "anomaly(ndvi, deviations, '2018/..')": "anomaly",
    "over(beyond(over(during(ndvi, holds(beyond(over(surface_temperature, space, mean), above, '295 K'))), "
    "space, mean), above, 0.3), time, longest)": "over",
    "split(elevation, point(15.0015, 46.0525))": "split",
}


@pytest.mark.parametrize("text", REFUSED)
def test_an_operator_that_nothing_carries_out_is_refused_by_its_name(text: str, folder: Path) -> None:
    assert type_of(read(text)) is not None
    found = KnowFlow(home=folder / "home").run(read(text), folder / "data", out=folder / "out", dry_run=True)
    assert found.status == "refused"
    assert found.error is not None
    assert found.error["where"] == REFUSED[text]


@pytest.mark.parametrize("text", ANSWERED)
def test_what_is_asked_twice_is_computed_once_and_nothing_is_computed_for_nothing(text: str, folder: Path) -> None:
    planned = KnowFlow(home=folder / "home").plan(read(text), folder / "data")
    nodes = planned.plan.workflow.nodes
    calls = [(node.tool, repr(sorted(node.args.items()))) for node in nodes]
    assert len(calls) == len(set(calls))
    assert needed(planned.plan) == {node.id for node in nodes}


@pytest.mark.parametrize(
    ("text", "rule", "dropped"),
    [
        ("over(within(elevation, beyond(slope, above, '9 degree')), space, mean)", "_within", "beyond"),
        ("over(beyond(elevation, above, over(elevation, space, mean)), space, share)", "_beyond", "over"),
        ("over(over(during(ndvi, 2017), space, mean), time, mean)", "_over", "over"),
    ],
)
def test_a_rule_that_drops_an_operator_makes_no_plan(
    text: str, rule: str, dropped: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law of realisation: were a rule to pass over a part of what it is about, the plan is refused."""

    def careless(self: Compilation, e: Any, at: Position) -> Made:
        return (
            self.made(Quantity("elevation"), (*at, e.op, "x")) if rule != "_over" else self.made(Quantity("ndvi"), at)
        )

    monkeypatch.setattr(Compilation, rule, careless)
    found = KnowFlow(home=folder / "home").run(read(text), folder / "data", dry_run=True)
    assert found.error is not None
    assert (found.error["code"], found.error["where"]) == ("not_compiled", dropped)


def test_times_that_no_data_are_of_are_refused_with_those_there_are(folder: Path) -> None:
    found = KnowFlow(home=folder / "home").run(read("over(during(ndvi, 1999), space, mean)"), folder / "data")
    assert found.status == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "trend(over(ndvi, space, mean))",
        "extreme(over(ndvi, space, mean), highest)",
        "over(beyond(over(ndvi, space, mean), above, 0.1), time, first)",
        "over(beyond(over(ndvi, space, mean), above, over(over(ndvi, space, minimum), time, mean)), time, longest)",
        "along(over(ndvi, space, mean), change)",
    ],
)
def test_an_image_without_a_date_has_no_place_in_time(text: str, scene: Scene, tmp_path: Path) -> None:
    one = replace(scene.layers["ndvi"], values=scene.layers["ndvi"].values[0], dates=())
    write_scene(replace(scene, layers={"ndvi": one, "elevation": scene.layers["elevation"]}), tmp_path / "data")
    found = KnowFlow(home=tmp_path / "home").run(read(text), tmp_path / "data", dry_run=True)
    assert (found.status, (found.error or {})["found"]) == ("refused", "ndvi without a date")


def test_an_expression_that_does_not_fit_is_refused_with_the_reason(folder: Path) -> None:
    found = KnowFlow(home=folder / "home").run(read("over(elevation, time, mean)"), folder / "data")
    assert found.status == "refused"
    assert found.error is not None
    assert "dates or periods" in str(found.error["found"])


def test_words_are_not_for_expressions(folder: Path) -> None:
    found = KnowFlow(home=folder / "home").run(read("ndvi"), folder / "data", template="seasonal_cycle")
    assert found.error is not None
    assert "--template" in str(found.error["found"])


def test_what_is_stated_has_names_and_can_be_set(folder: Path, scene: Scene) -> None:
    asked = read("over(beyond(over(ndvi, space, mean), above, 0.9), time, count)")
    service = KnowFlow(home=folder / "home")
    planned = service.plan(asked, folder / "data", set={"limit": 0.39})
    assert planned.plan.understood["stated"] == {"value": {"limit": "0.39"}}
    assert "above 0.39" in planned.plan.query
    found = service.run(asked, folder / "data", out=folder / "out", set={"limit": 0.39})
    means = [np.nanmean(values) for values in scene.layers["ndvi"].values]
    assert found.answer == sum(mean > 0.39 for mean in means)


def test_what_a_sentence_states_can_be_set(folder: Path, scene: Scene) -> None:
    asked = "On how many dates was the mean NDVI above 0.9?"
    found = KnowFlow(home=folder / "home").run(asked, folder / "data", out=folder / "out", set={"limit": 0.39})
    assert found.answer == sum(np.nanmean(values) > 0.39 for values in scene.layers["ndvi"].values)
    assert "above 0.39" in str(found.understood)


def test_what_is_set_to_no_value_is_refused_with_what_the_sentence_states(folder: Path) -> None:
    service, asked = KnowFlow(home=folder / "home"), "On how many dates was the mean NDVI above 0.9?"
    error = service.run(asked, folder / "data", set={"limit": "abc"}, dry_run=True).error
    assert error is not None
    assert (error["where"], error["found"]) == ("limit", "abc")
    error = service.run(asked, folder / "data", set={"limt": "0.3"}, dry_run=True).error
    assert error is not None
    own = [one for one in error["problems"] if one["code"] == "not_set"]
    assert [(one["expected"], one["found"]) for one in own] == [("limit=0.9", "limt")]


def test_the_answer_says_what_was_understood(folder: Path) -> None:
    found = KnowFlow(home=folder / "home").run(
        read("over(elevation, space, mean)"), folder / "data", out=folder / "out"
    )
    assert found.understood == found.query == "the mean of elevation over the area"
    assert found.to_json()["understood"] == found.understood
    delivered = json.loads((folder / "out" / "answer.json").read_text("utf-8"))
    assert found.understood in json.dumps(delivered)


def test_the_judge_sees_a_wrong_number(scene: Scene, folder: Path) -> None:
    """Files of another scene give other numbers: a judge that said right would say so of anything."""
    other = random_scene(3)
    found = judge(read(ANSWERED[0]), other, folder / "data", KnowFlow(home=folder / "home"), folder / "out")
    assert found.verdict == "wrong"
    assert len([*walk(found.expression)]) == 3
