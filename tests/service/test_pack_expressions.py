"""Expressions over the tools of a pack: what their plans compute is what NumPy computes of the same arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from published_calls import FOLDER, files

from knowflow import KnowFlow
from knowflow.graph.calls import flat_calls
from knowflow.ground.errors import DocumentError, PlanningError
from knowflow.model.goal import QueryGoal
from knowflow.model.plan import Plan
from knowflow.model.template import Scene
from knowflow.question.form import expression_of
from knowflow.reason.compiling.by_templates import compiled_by_templates, operators_of
from knowflow.reason.inventory import inventory_of_names, take_inventory
from knowflow.service.planning_calls import call_planner
from knowflow.service.scenes import Scenes
from knowflow.testing.scenes import write_scene

DATES = ["2021-06-01", "2021-08-01", "2022-06-01", "2022-08-01"]
PACK = call_planner()._loaded  # the knowledge as the planner has it


def planned(text: str, inventory: Any) -> Plan:
    asked, faults = expression_of(text)
    assert asked is not None, faults
    scenes = Scenes(inventory, QueryGoal(""))
    return compiled_by_templates(asked, PACK.catalogue, scenes, PACK.pack.conventions)


def called(text: str, layers: list[str], dates: list[str]) -> list[str]:
    plan = planned(text, inventory_of_names(files(layers, dates)))
    calls = flat_calls(plan, PACK.catalogue.tools, PACK.pack, FOLDER)
    return [call.name for call in calls[1:]]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """NDVI of four dates, and the same numbers as the files hold them: date by row by column."""
    folder = tmp_path_factory.mktemp("pack")
    layer = {"name": "R_NDVI", "quantity": "ndvi", "values": "0.2 + 0.5*x*x + 0.04*i*y", "dates": DATES}
    write_scene(Scene.model_validate({"size": [16, 16], "layers": [layer]}), folder / "data")
    import rasterio

    maps = []
    for path in sorted((folder / "data").glob("*.tif")):
        with rasterio.open(path) as source:
            maps.append(source.read(1).astype(float))
    return folder, np.array(maps)


NUMBERS: list[tuple[str, Callable[[np.ndarray], float]]] = [
    ("over(over(ndvi, space, mean), time, mean)", lambda a: a.mean()),
    ("over(over(ndvi, space, mean), time, maximum)", lambda a: a.mean((1, 2)).max()),
    ("over(over(ndvi, space, mean), time, range)", lambda a: np.ptp(a.mean((1, 2)))),
    ("over(over(beyond(ndvi, above, 0.4), space, share), time, mean)", lambda a: (a > 0.4).mean()),
    ("over(over(beyond(ndvi, between, 0.3, 0.5), space, share), time, mean)",
     lambda a: ((a > 0.3) & (a <= 0.5)).mean()),
    ("over(beyond(over(ndvi, space, mean), above, 0.41), time, count)", lambda a: (a.mean((1, 2)) > 0.41).sum()),
    ("over(over(during(ndvi, 2022), space, mean), time, mean)", lambda a: a[2:].mean()),
    ("over(over(during(ndvi, june), time, mean), space, mean)", lambda a: a[[0, 2]].mean()),
    ("calculate(absolute, calculate(difference, over(over(during(ndvi, 2022), space, mean), time, mean), "
     "over(over(during(ndvi, 2021), space, mean), time, mean)))", lambda a: abs(a[2:].mean() - a[:2].mean())),
    ("calculate(ratio, over(over(during(ndvi, 2022), space, mean), time, mean), "
     "over(over(during(ndvi, 2021), space, mean), time, mean))", lambda a: a[2:].mean() / a[:2].mean()),
    ("over(beyond(over(ndvi, time, mean), above, calculate(product, over(over(ndvi, time, mean), space, mean), 1.2)), "
     "space, share)", lambda a: (a.mean(0) > 1.2 * a.mean()).mean()),
    ("over(beyond(calculate(difference, over(during(ndvi, 2022), time, mean), over(during(ndvi, 2021), time, mean)), "
     "above, 0.05), space, share)", lambda a: (a[2:].mean(0) - a[:2].mean(0) > 0.05).mean()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "truth"), NUMBERS, ids=[text[:60] for text, _ in NUMBERS])
def test_a_plan_of_a_pack_computes_what_the_expression_means(
    text: str, truth: Callable[[np.ndarray], float], scene: tuple[Path, np.ndarray], tmp_path: Path
) -> None:
    folder, arrays = scene
    plan = planned(text, take_inventory(folder / "data"))
    result = KnowFlow(home=folder / "home").run(plan, out=tmp_path / "out")
    assert result.status == "completed", result.error
    answer = result.answer[0] if isinstance(result.answer, (list, tuple)) else result.answer
    of_hundred = "share" in text and "count" not in text and "hotspot" not in plan.template
    told = {answer, answer / 100} if of_hundred and result.unit != "1" else {answer}  # some tools tell per cent
    assert any(one == pytest.approx(truth(arrays), rel=1e-3) for one in told)


def test_every_pattern_of_a_pack_is_one_and_mistakes_are_named() -> None:
    operators = operators_of(PACK.catalogue.templates)
    assert 10 < len(operators) < 40
    _, template = operators[0]
    for computes, found in (("above($x)", "above"), ("over($nothing, space, mean)", "nothing")):
        broken = template.model_copy(update={"computes": computes})
        with pytest.raises(DocumentError) as caught:
            operators_of({"broken": broken})
        assert found in str(caught.value.found)


@given(
    st.lists(
        st.sampled_from([f"20{year}-0{month}-11" for year in (19, 20, 21) for month in (3, 6, 7)]),
        min_size=2,
        unique=True,
    )
)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_one_call_of_each_period_whatever_the_dates(dates: list[str]) -> None:
    years = {day[:4] for day in dates}
    maps = called("over(over(split(ndvi, year), time, mean), space, mean)", ["NDVI"], sorted(dates))
    several = sum(1 for year in years if sum(day[:4] == year for day in dates) > 1)
    assert maps == ["calculate_tif_average"] * several + ["calc_batch_image_mean"]


def test_the_largest_pattern_is_one_call_and_its_parts_are_several() -> None:
    share = "over(beyond(tvdi, above, 0.7), space, share)"
    assert called(f"over(beyond({share}, above, '40 %'), time, count)", ["NDVI", "LST"], DATES) == [
        "compute_tvdi",
        "count_images_exceeding_threshold_ratio",
    ]
    assert called(f"over({share}, time, maximum)", ["NDVI", "LST"], DATES)[-1] == "max_value_and_index"


def test_what_no_template_carries_out_is_refused_and_not_answered_by_another() -> None:
    for text in (
        "over(over(ndvi, space, mean), time, deviation)",  # theirs is that of a sample
        "over(over(ndvi, space, median), time, median)",
        "over(over(split(ndvi, polygons()), space, mean), time, mean)",
        "over(beyond(over(beyond(ndvi, above, 0.4), space, share), at_least, '40 %'), time, longest)",
        "correlate(ndvi, surface_temperature, both)",
    ):
        with pytest.raises(PlanningError):
            called(text, ["NDVI", "LST"], DATES)


def test_a_part_of_a_question_is_not_lost_where_two_times_are_asked_for() -> None:
    from knowflow.service.planning_calls import plan_calls

    query = "What percentage of the pixels had an NDVI of more than 0.3 in June 2021 and in June 2022?"
    calls = plan_calls(query, FOLDER, files(["NDVI"], DATES)).calls
    shares = [call for call in calls if call.name == "calc_batch_image_hotspot_percentage"]
    assert [call.input["file_list"][0][-14:-4] for call in shares] == ["2021-06-01", "2022-06-01"]


def test_temperatures_are_told_in_degrees_where_the_question_asks_for_them() -> None:
    asked, _ = expression_of("over(over(surface_temperature, space, mean), time, mean)")
    assert asked is not None
    scenes = Scenes(inventory_of_names(files(["LST"], DATES)), QueryGoal(""))
    for unit, last in (("degC", "kelvin_to_celsius"), ("K", "mean"), (None, "mean")):
        plan = compiled_by_templates(asked, PACK.catalogue, scenes, PACK.pack.conventions, unit)
        assert flat_calls(plan, PACK.catalogue.tools, PACK.pack, FOLDER)[-1].name == last


def test_several_layers_of_one_quantity_are_not_taken_one_for_another() -> None:
    built = files(["built_volume_total", "built_volume_nres"], ["2020-01-01"])
    asked, _ = expression_of("over(over(building_volume, space, mean), time, mean)")
    assert asked is not None
    with pytest.raises(PlanningError) as caught:
        compiled_by_templates(
            asked, PACK.catalogue, Scenes(inventory_of_names(built), QueryGoal("")), PACK.pack.conventions
        )
    assert "built_volume_nres" in str(caught.value.found)


def test_the_habits_of_a_pack_are_told_and_change_no_number_of_images_without_gaps(
    scene: tuple[Path, np.ndarray], tmp_path: Path
) -> None:
    folder, arrays = scene
    images = "calculate(difference, over(during(ndvi, 2021), time, mean), over(during(ndvi, 2022), time, mean))"
    plan = planned(f"over({images}, space, mean)", take_inventory(folder / "data"))
    assert "subtract" not in {node.tool for node in plan.workflow.nodes}
    assert any("the means are compared" in str(one) for one in plan.assumptions)
    result = KnowFlow(home=folder / "home").run(plan, out=tmp_path / "out")
    assert result.answer == pytest.approx(abs(arrays[:2].mean() - arrays[2:].mean()), rel=1e-3)
