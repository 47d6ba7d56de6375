"""Every metric on cases computed by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from knowflow import bench
from knowflow.bench import Call, StepOutcome, TaskOutcome, UndefinedMetricError
from knowflow_bench.metrics.values import result_of


def call(tool: str, output: Any = None, **arguments: Any) -> Call:
    return Call(tool, arguments, output)


# expert: list, ndvi, mean, max; predicted: list, mean, ndvi, mean
EXPERT = ["list", "ndvi", "mean", "max"]
OTHER = ["list", "mean", "ndvi", "mean"]


@pytest.mark.parametrize(
    ("metric", "predicted", "expert", "expected"),
    [
        (bench.tao, OTHER, EXPERT, 3 / 4),
        (bench.tao, [], EXPERT, 0),
        (bench.tao, ["a", "b"], ["a", "a"], 1),
        (bench.tio, OTHER, EXPERT, 3 / 4),  # list, ndvi, mean; no max behind
        (bench.tio, ["list", "mean", "max"], EXPERT, 1 / 4),  # stops at ndvi, though mean and max come
        (bench.tio_lcs, ["list", "mean", "max"], EXPERT, 3 / 4),
        (bench.tio_lcs, OTHER, EXPERT, 3 / 4),
        (bench.tio_lcs, [], EXPERT, 0),
        (bench.tio, ["mean", "mean"], ["mean", "mean", "mean"], 2 / 3),
        (bench.tem, OTHER, EXPERT, 1 / 4),
        (bench.tem, [*EXPERT, "more"], EXPERT, 1),
        (bench.tem, ["x", *EXPERT], EXPERT, 0),
        (bench.eff, [*EXPERT, "more"], EXPERT, 5 / 4),
        (bench.eff, [], EXPERT, 0),
        (bench.precision, [*EXPERT, "more"], EXPERT, 4 / 5),
        (bench.precision, ["mean", "mean", "x"], EXPERT, 1 / 2),
        (bench.precision, [], EXPERT, 0),
        (bench.any_order, ["mean", "list", "max", "ndvi", "mean"], EXPERT, True),
        (bench.any_order, ["list", "ndvi"], EXPERT, False),
        (bench.in_order, ["mean", "list", "max", "ndvi"], EXPERT, False),
        (bench.in_order, list(EXPERT), EXPERT, True),
    ],
)
def test_trajectories_of_tools(metric: Any, predicted: list[str], expert: list[str], expected: float) -> None:
    assert metric(predicted, expert) == pytest.approx(expected)


def test_redundancy_is_the_ratio_of_sums_not_the_mean_of_ratios() -> None:
    assert bench.tri([(["a"] * 4, ["a"]), (["a"], ["a"] * 4)]) == 1.0
    assert bench.tri([(["a"] * 3, ["a"]), (["b"], ["b"])]) == 2.0


@pytest.mark.parametrize("metric", [bench.tao, bench.tio, bench.tio_lcs, bench.tem, bench.eff, bench.precision])
def test_a_metric_without_an_expert_is_refused(metric: Any) -> None:
    with pytest.raises(UndefinedMetricError):
        metric(["a"], [])


EXPERT_CALLS = [
    call("get_filelist", ["a.tif", "b.tif"], dir_path="data/q1"),
    call("ndvi", "Result save at out/q1/n.tif", red="data/q1/a.tif", nir="data/q1/b.tif", output_path="q1/n.tif"),
    call("image_mean", [0.30000001], file_list=["out/q1/n.tif"]),
    call("image_max", {"min": [0, 1, 0.1], "max": [2, 3, 0.9]}, file_list=["out/q1/n.tif"]),
    call("difference", 0.6, a="0.9", b=0.3),
]


def prediction(**changes: Any) -> list[Call]:
    calls = [
        call("get_filelist", dir_path="data/q1"),
        call("ndvi", red="data/q1/a.tif", nir="data/q1/b.tif", output_path="q1/n.tif"),
        call("image_mean", file_list=["out/q1/n.tif"]),
        call("image_max", file_list=["out/q1/n.tif"]),
        call("difference", a={"from": 3, "item": [1, 2]}, b={"from": 2, "item": 0}),
    ]
    return [Call(c.tool, {**c.arguments, **changes.get(f"at{i}", {})}, None) for i, c in enumerate(calls)]


def test_param_follows_references_into_the_experts_results() -> None:
    assert bench.param(prediction(), EXPERT_CALLS) == 1.0
    assert bench.param_bound(prediction(), EXPERT_CALLS) == 1.0
    assert bench.exact_match(prediction(), EXPERT_CALLS)
    assert bench.weighted_sequence(prediction(), EXPERT_CALLS) == 1.0


def test_param_ends_with_the_first_call_that_differs_and_the_weighted_sequence_goes_on() -> None:
    swapped = prediction(at1={"red": "data/q1/b.tif", "nir": "data/q1/a.tif"})
    assert bench.param(swapped, EXPERT_CALLS) == 1 / 5
    assert bench.param_bound(swapped, EXPERT_CALLS) == 1 / 5
    assert bench.weighted_sequence(swapped, EXPERT_CALLS) == pytest.approx((1 + 1 / 3 + 1 + 1 + 1) / 5)
    assert not bench.exact_match(swapped, EXPERT_CALLS)


def test_the_weighted_sequence_stops_with_the_tools() -> None:
    cut = [*prediction()[:2], call("other")]
    assert bench.weighted_sequence(cut, EXPERT_CALLS) == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    ("reference", "same"),
    [
        ({"from": 2}, False),  # the whole list is no number
        ({"from": 2, "item": 1}, False),  # there is no second item
        ({"from": 4}, False),  # not an earlier call
        ({"from": -1}, False),
        ({"from": 1}, False),
        (0.3, True),
        ("0.3", False),  # a text is no number
        ({"from": 2, "item": 0}, True),  # rounded in the expert's record
    ],
)
def test_what_a_reference_is_worth(reference: Any, same: bool) -> None:
    assert bench.param(prediction(at4={"b": reference}), EXPERT_CALLS) == (1.0 if same else 4 / 5)


def test_a_run_time_value_is_bound_if_it_comes_from_the_same_call() -> None:
    whole = prediction(at4={"a": {"from": 3}, "b": {"from": 2}})
    assert bench.param_bound(whole, EXPERT_CALLS) == 1.0
    assert bench.param_bound(prediction(at4={"a": {"from": 2}}), EXPERT_CALLS) == 4 / 5


def test_other_names_of_outputs_are_bound_if_the_same_calls_use_them() -> None:
    renamed = prediction(
        at1={"output_path": "q1/ndvi.tif"},
        at2={"file_list": ["out/q1/ndvi.tif"]},
        at3={"file_list": ["out/q1/ndvi.tif"]},
    )
    assert bench.param(renamed, EXPERT_CALLS) == 1 / 5
    assert bench.param_bound(renamed, EXPERT_CALLS) == 1.0


def test_an_output_that_other_calls_use_is_not_bound() -> None:
    unused = prediction(at1={"output_path": "q1/ndvi.tif"}, at2={"file_list": ["data/q1/a.tif"]})
    assert bench.param_bound(unused, EXPERT_CALLS) == 1 / 5


def test_files_are_bound_by_their_place_in_a_batch() -> None:
    expert = [
        call("batch", ["Result saved at out/x1.tif", "Result saved at out/x2.tif"], output_path_list=["x1", "x2"]),
        call("mean_of", 1.0, file_list=["out/x1.tif", "out/x2.tif"]),
    ]

    def ours(*files: str) -> list[Call]:
        return [call("batch", output_path_list=["o/y1", "o/y2"]), call("mean_of", file_list=list(files))]

    assert bench.param_bound(ours("o/y1", "o/y2"), expert) == 1.0
    assert bench.param_bound(ours("o/y2", "o/y1"), expert) == 1 / 2
    assert bench.param_bound(ours("o/y1"), expert) == 0.0


def test_null_is_what_leaving_out_means_and_whole_numbers_are_numbers() -> None:
    expert = [call("area", 1.0, image="x.png", gsd=None, factor=1)]
    assert bench.param([call("area", image="x.png", factor=1.0)], expert) == 1.0
    assert bench.param([call("area", image="x.png", factor=True)], expert) == 0.0
    assert bench.param([call("area", image="x.png", gsd=2, factor=1)], expert) == 0.0


def test_key_tools_by_hand() -> None:
    found = bench.key_tools({"ndvi", "mean"}, {"ndvi", "mean", "list"}, {"ndvi", "trend"}, {"list", "ndvi", "trend"})
    assert (found.recall, found.precision, found.f1) == (0.5, 0.5, 0.5)
    assert bench.key_tools(set(), set(), {"a"}, {"a"}).f1 == 0.0
    with pytest.raises(UndefinedMetricError):
        bench.key_tools({"a"}, {"a"}, set(), {"a"})


def test_weights_of_tools_by_hand() -> None:
    # a feeds b and c, which feed nothing and so lend their rank to all alike: a gets s, b and c get s + 0.85 a / 2,
    # that is 1.425 s each; all ranks together are 1
    weights = bench.tool_weights([[("a", "b")], [("a", "c")]], alpha=2.0)
    a = 1 / 3.85
    assert weights["a"] == pytest.approx(1 + (1 + 2 * a) / 2, abs=1e-5)
    assert weights["b"] == pytest.approx(1 + (0 + 2 * 1.425 * a) / 2, abs=1e-5)
    assert bench.tool_weights([]) == {}


def test_path_similarity_by_hand() -> None:
    def likeness(one: str, other: str) -> float:
        return {frozenset("bc"): 0.75}.get(frozenset((one, other)), 0.0)

    weights = {"a": 2.0}
    assert bench.path_similarity(["a", "b"], ["a", "b"], weights, likeness) == 1.0
    assert bench.path_similarity([], ["a", "b"], weights, likeness) == 0.0
    # b for c costs 0.25, of 2 + 1 + 2 + 1
    assert bench.path_similarity(["a", "b"], ["a", "c"], weights, likeness) == pytest.approx(1 - 0.25 / 6)
    # a is inserted: 2, of 1 + 3
    assert bench.path_similarity(["b"], ["a", "b"], weights, likeness) == pytest.approx(1 - 2 / 4)


def test_elo_by_hand() -> None:
    assert bench.expected_score(1000, 1000) == 0.5
    assert bench.expected_score(1400, 1000) == pytest.approx(10 / 11)
    ratings = bench.elo([("a", "b", 1.0), ("a", "b", 0.5)], k=20)
    second = 20 * (0.5 - 1 / (1 + 10 ** (-20 / 400)))
    assert ratings == pytest.approx({"a": 1010 + second, "b": 990 - second})


def test_tasks_by_hand() -> None:
    outcomes = [TaskOutcome(True, True, 5), TaskOutcome(True, False, 9, 2), TaskOutcome(False, True, 4, 1)]
    assert bench.tsr(outcomes) == pytest.approx(2 / 3)
    assert bench.fpa(outcomes) == pytest.approx(1 / 3)
    assert bench.ntc(outcomes) == pytest.approx(6)
    assert bench.ni(outcomes) == pytest.approx(1)
    with pytest.raises(UndefinedMetricError):
        bench.tsr([])


def test_accuracy_of_steps_by_hand() -> None:
    steps = [
        StepOutcome(True, True, 1.0),
        StepOutcome(True, True, 0.5),
        StepOutcome(True, False),
        StepOutcome(False, False),
    ]
    found = bench.step_accuracy(steps)
    assert (found.inst_acc, found.tool_acc, found.arg_acc) == (0.75, 0.5, 0.75)
    assert found.overall == pytest.approx(2 / 3)
    assert bench.step_accuracy([StepOutcome(True, False)]).arg_acc == 0.0


def test_tokens_by_hand() -> None:
    assert bench.token_efficiency(0.6, 1000) == pytest.approx(0.2)
    assert bench.experience_density(0.8, 250, 1000) == pytest.approx(0.6)
    assert math.isclose(bench.variant_reward(1.0, 0.5, 4, alpha=1.0, beta=0.2, penalty=0.05), 0.9)
    with pytest.raises(UndefinedMetricError):
        bench.token_efficiency(0.6, 1)
    with pytest.raises(UndefinedMetricError):
        bench.experience_density(0.6, 2, 1)


def test_the_text_of_a_list_in_a_record_is_the_list() -> None:
    assert result_of("[[1.0, 2.5], [3, 4]]") == [[1.0, 2.5], [3, 4]]
    assert result_of("[not a list") == "[not a list"
