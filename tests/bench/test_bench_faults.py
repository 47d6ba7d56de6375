"""The campaign of faults counts what it should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowflow.ground.errors import DataNotFoundError
from knowflow.roof.cli import main
from knowflow.testing.scenes import Grid
from knowflow_bench.faults import campaign as campaigns
from knowflow_bench.faults.answers import Map, One
from knowflow_bench.faults.campaign import Planned, campaign, cases_of
from knowflow_bench.faults.case import Ending, fault_free, run_case
from knowflow_bench.faults.injection.data import Gap
from knowflow_bench.faults.injection.table import Question, names_cause, questions, table
from knowflow_bench.faults.injection.truth import CaseTruth
from knowflow_bench.faults.judge import untrue


def test_cases_are_the_same_each_time_and_a_limit_takes_some_of_all_kinds() -> None:
    faults = table("first")
    one, other = (list(cases_of(faults, 20)) for _ in range(2))
    assert one == other
    assert len(one) == 20 * len(faults) >= 1000
    assert len({(case.fault.kind, case.question, case.seed) for case in one}) == len(one)
    few = list(cases_of(faults, 20, len(faults)))
    assert {case.fault.kind for case in few} == {fault.kind for fault in faults}


ROWS = {"by": "k", "rows": [{"k": 1, "mean": "mean(veg)", "count": 32}]}
SITE = {"crs": "EPSG:32633", "origin": [500000, 5100000]}
GRID = Grid("EPSG:32633", (10.0, 0.0, 500000.0, 0.0, -10.0, 5100000.0), (4, 4))
X = np.tile(np.arange(4) / 4 + 0.125, (4, 1))


def _truth(true: dict[str, Any], gaps: Any = None) -> CaseTruth:
    layer = {"name": "veg", "quantity": "ndvi", "values": "x + i", "dates": ["2020-06-01", "2021-06-01"]}
    told = {"name": "q", "asked": "NDVI", "layers": [layer], "size": [4, 4], "place": SITE, "truth": {"answer": true}}
    lost = {} if gaps is None else {"veg_2020-06-01": [Gap(np.asarray(gaps, dtype=bool), GRID.crs, GRID.transform)]}
    return CaseTruth(Question.model_validate(told), lost)


@pytest.mark.parametrize(
    ("true", "found", "tolerance", "right"),
    [
        ({"value": "mean(veg)", "unit": "K"}, One(1.0, "K"), 1e-6, True),
        ({"value": "mean(veg)", "unit": "K"}, One(1.05, "K"), 1e-6, False),
        ({"value": "mean(veg)", "unit": "K"}, One(1.05, "K"), 0.1, True),
        ({"value": "300 * mean(veg)", "unit": "K"}, One(26.85, "degC"), 1e-6, True),
        ({"value": "300 * mean(veg)", "unit": "K"}, One(300.0, "degC"), 1e-6, False),
        ({"value": "300 * mean(veg)", "unit": "K"}, One(300.0, "m"), 1e-6, False),
        ({"value": "mean(veg)"}, One(None, None), 1e-6, False),
        ({"value": "mean(veg)"}, One(float("nan"), None), 1e-6, False),
        ({"value": "dates(veg)[argmax(means(veg))]"}, One("2021-06-01", None), 1e-6, True),
        ({"value": "dates(veg)[argmin(means(veg))]"}, One("2021-06-01", None), 1e-6, False),
        ({"value": "means(veg)"}, One([0.5, 1.5], None), 1e-6, True),
        ({"value": "means(veg)"}, One([0.5], None), 0.1, False),
        (ROWS, One([{"k": 1, "mean": 1, "count": 32}], None), 1e-6, True),
        (ROWS, One([{"k": 1, "mean": 1, "count": 30}], None), 0.04, True),
        (ROWS, One([{"k": 1, "mean": 1, "count": 30}], None), 1e-6, False),
        ({"by": "k", "rows": [{"k": 1, "mean": "mean(veg)"}]}, One([{"k": 2, "mean": 1}], None), 1e-6, False),
        ({"map": "veg[0]"}, One(None, None, (Map(X, GRID),)), 1e-6, True),
        ({"map": "veg[0]"}, One(None, None, (Map(X[:, ::-1], GRID),)), 0.06, False),
        ({"map": "veg[0]", "unit": "K"}, One(None, "degC", (Map(X - 273.15, GRID),)), 1e-6, True),
        ({"map": "veg"}, One(None, None, (Map(X, GRID), Map(X + 1, GRID))), 1e-6, True),
        ({"map": "veg"}, One(None, None, (Map(X, GRID), Map(X, GRID))), 0.06, False),  # the second of a series is false
        ({"map": "veg"}, One(None, None, (Map(X, GRID),)), 0.06, False),
        ({"map": "veg[0]"}, One(None, None, ()), 0.06, False),
    ],
)  # fmt: skip
def test_answers_are_compared_with_what_is_true(
    true: dict[str, Any], found: One, tolerance: float, right: bool
) -> None:
    assert (untrue(_truth(true), {"answer": found}, tolerance) == "") is right


def test_maps_lie_where_they_say() -> None:
    south_up = Grid(GRID.crs, (10.0, 0.0, 500000.0, 0.0, 10.0, 5099960.0), (4, 4))
    half = Grid(GRID.crs, (5.0, 0.0, 500000.0, 0.0, -5.0, 5100000.0), (8, 8))
    fine = np.tile(np.arange(8) / 8 + 0.0625, (8, 1))
    assert not untrue(_truth({"map": "veg[0]"}), {"answer": One(None, None, (Map(X, south_up),))}, 1e-6)
    assert not untrue(_truth({"map": "veg[0]"}), {"answer": One(None, None, (Map(fine, half),))}, 0.06)
    assert untrue(_truth({"map": "veg[0]"}), {"answer": One(None, None, (Map(X.T, south_up),))}, 0.06)


def test_maps_have_gaps_where_the_data_have() -> None:
    lost = np.eye(4, dtype=bool)
    true, here = _truth({"map": "veg[0]"}, lost), np.where(lost, np.nan, X)
    assert not untrue(true, {"answer": One(None, None, (Map(here, GRID),))}, 1e-6)
    for pixels in (X, here[::-1], np.full((4, 4), np.nan)):  # filled, elsewhere, everywhere
        assert "where nothing is known" in untrue(true, {"answer": One(None, None, (Map(pixels, GRID),))}, 1e-6)
    left = float(X[~lost].mean())
    assert not untrue(_truth({"value": "mean(veg[0])"}, lost), {"answer": One(left, None)}, 1e-9)


def test_where_the_truth_is_no_number_the_answer_is_none() -> None:
    true = _truth({"value": "means(veg)"}, np.ones((4, 4), dtype=bool))  # the first date has no pixel
    assert not untrue(true, {"answer": One([None, 1.5], None)}, 1e-6)
    for told in ([0.0, 1.5], [None, None], [1.5], None):
        assert untrue(true, {"answer": One(told, None)}, 0.1)


def test_an_answer_that_is_missing_is_a_difference() -> None:
    assert untrue(_truth({"value": "1"}), {}, 0.1) == "answer: is missing"


HARD = {name for fault in table("fourth") for name in fault.questions if fault.inject == "as_it_is"}
ANSWERED = [name for name, one in questions().items() if not one.files and name not in HARD]


@pytest.mark.parametrize("name", ANSWERED)
def test_without_a_fault_every_question_is_answered_by_its_truth(name: str) -> None:
    assert fault_free(name) == ""


def test_without_a_fault_questions_about_real_data_are_answered_by_the_numbers_of_the_files(slovenia: Path) -> None:
    for name in ("real_mean_ndvi", "real_count"):
        assert fault_free(name, str(slovenia)) == ""


def test_only_a_note_that_names_the_cause_makes_another_answer_one_that_is_told() -> None:
    fault = next(one for one in table("first") if one.kind == "cut_one_date")
    assert names_cause(fault, "lst_2021-07-01.tif cannot be read: it is left out")
    assert not names_cause(fault, "lst_2021-07-01.tif counts as ground: no cloud mask of its date is taken")
    assert not names_cause(fault, "a shortcut was taken")
    own = fault.model_copy(update={"says": ("side by side",)})
    assert names_cause(own, "They lie side by side")
    assert not names_cause(own, "lst_2021-07-01.tif cannot be read")


def test_repairs_while_planning_and_during_the_run_are_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    endings = {"celsius_said_kelvin": Ending("right", ("unit_wrong",), ("rule:x",)), "other_crs": Ending("right")}
    monkeypatch.setattr(campaigns, "_ending", lambda pool, name, one, data: endings[one.fault.kind])
    found = campaign(each=1, kinds=list(endings))
    apart = {
        kind: (one["repaired_while_planning"], one["repaired_during_run"]) for kind, one in found["by_kind"].items()
    }
    assert apart == {"celsius_said_kelvin": (0, 1), "other_crs": (1, 0)}
    assert found["repaired_by_rules"] == found["repaired_while_planning"] + found["repaired_during_run"] == 2


def test_endings_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    endings = {
        "cut_file": Ending("refused", ("file_truncated",)),
        "no_crs": Ending("refused", ("timeout",)),
        "celsius_said_kelvin": Ending("right", ("unit_wrong",), ("rule:x",)),
        "celsius_one_date": Ending("right", ("unit_wrong",), ("llm",), tokens=70),
        "clouds": Ending("wrong"),
        "tool_hangs": Ending("hang"),
        "tool_talks": Ending("right", ("transient",), ("rule:x",)),
        "stray_files": Ending("right", repeated=2),
    }
    monkeypatch.setattr(campaigns, "_ending", lambda pool, name, one, data: endings[one.fault.kind])
    seen: list[Planned] = []
    found = campaign(each=1, kinds=list(endings), on_case=lambda one, ending: seen.append(one))
    assert len(seen) == 8
    assert {name: value for name, value in found.items() if name not in ("by_kind", "seconds")} == {
        "cases": 8,
        "right": 4,
        "wrong": 1,
        "hangs": 1,
        "crashed": 0,
        "told": 0,
        "repairable": 2,
        "repaired_by_rules": 1,
        "repaired_while_planning": 0,
        "repaired_during_run": 1,
        "refused_truly": 1,
        "refused_falsely": 1,
        "failing": 5,
        "cause_named": 3,
        "recomputed_needlessly": 2,
        "edited_without_fault": 1,
        "tokens": 70,
    }
    assert found["by_kind"]["no_crs"]["refused_falsely"] == 1
    assert found["by_kind"]["celsius_one_date"]["tokens"] == 70
    assert "timeout" in found["by_kind"]["no_crs"]["findings"][0]


def test_all_tables_are_run_by_one_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    counted = dict.fromkeys(("cases", "seconds", "wrong", "hangs", "told", "refused_truly", "repairable"), 0)
    counted |= dict.fromkeys(("repaired_by_rules", "cause_named", "failing"), 0)
    counted |= dict.fromkeys(("recomputed_needlessly", "edited_without_fault"), 0)

    def measured(table: str, limit: int | None, each: int, **options: Any) -> dict[str, Any]:
        return {**counted, "cases": each, "by_kind": {}}

    monkeypatch.setattr(campaigns, "campaign", measured)

    def run(*options: str) -> str:
        with pytest.raises(SystemExit) as end:
            main(["bench", "faults", *options])
        assert not end.value.code
        return capsys.readouterr().out

    found = json.loads(run("--table", "all", "--each", "3", "--json"))
    assert {name: one["cases"] for name, one in found.items()} == dict.fromkeys(
        ("first", "second", "third", "fourth"), 3
    )
    assert list(json.loads(run("--table", "all", "--data", str(tmp_path), "--json"))) == [*found, "real"]
    assert json.loads(run("--json"))["cases"] == 20
    assert "second: 20 cases" in run("--table", "second")


def _case(kind: str, question: str, table_name: str = "first") -> dict[str, Any]:
    return run_case(table_name, kind, question, 0)


def test_a_harmless_fault_changes_nothing() -> None:
    ending = _case("prompt_in_names", "share_ndvi")
    assert (ending["outcome"], ending["causes"], ending["by"]) == ("right", (), ())


def test_a_repairable_fault_is_repaired_to_the_same_answer() -> None:
    ending = _case("celsius_said_kelvin", "mean_temperature")
    assert (ending["outcome"], ending["causes"]) == ("right", ("unit_wrong",))
    assert ending["by"][0].startswith("rule:")


def test_a_fault_that_cannot_be_repaired_is_refused_with_its_cause() -> None:
    ending = _case("cut_file", "share_ndvi")
    assert (ending["outcome"], ending["causes"]) == ("refused", ("file_truncated",))


def test_an_answer_that_is_no_number_and_a_file_that_is_not_opened_are_named() -> None:
    ending = _case("answer_is_no_number", "share_ndvi", "third")
    assert (ending["outcome"], ending["causes"]) == ("refused", ("empty_after_mask",))
    ending = _case("text_that_reads_outside", "area_ndvi", "fourth")
    assert (ending["outcome"], ending["causes"]) == ("refused", ("not_opened",))


def test_a_plan_and_a_disk_can_be_at_fault() -> None:
    assert _case("plan_with_unknown_tool", "share_ndvi")["causes"] == ("unknown_tool",)
    assert _case("disk_full", "water")["causes"] == ("out_of_disk",)
    assert _case("tool_writes_nothing", "burn")["causes"][0] == "broken_promise"
    assert _case("damaged_cache", "change_ndvi")["outcome"] == "right"


def test_tokens_are_counted_once() -> None:
    """The server of the case counts a hundred an answer, and is asked twice."""
    assert _case("llm_unknown_tool", "share_ndvi")["tokens"] == 200


def test_maps_are_compared_as_they_lie(tmp_path: Path) -> None:
    ending = _case("all_south_up", "area_ndvi", "third")
    assert (ending["outcome"], ending["by"]) == ("right", ())


@pytest.mark.parametrize(
    ("kind", "question", "outcome", "cause"),
    [
        ("tool_exits", "share_ndvi", "refused", "tool_defect"),
        ("tool_shouts", "share_ndvi", "refused", "tool_defect"),
        ("share_above_one", "share_ndvi", "refused", "broken_promise"),
        ("red_and_infrared_exchanged", "vegetation", "refused", "band_misnamed"),
        ("scale_twice", "mean_temperature", "right", "scale_wrong"),
        ("zeros_and_celsius", "hot", "right", "nodata_undeclared"),
        ("plan_with_wrong_value", "water", "refused", "wrong_type"),
        ("threshold_with_a_comma", "share_ndvi", "refused", "wrong_type"),
    ],
)
def test_what_the_third_table_showed_stays_mended(kind: str, question: str, outcome: str, cause: str) -> None:
    ending = _case(kind, question, "third")
    assert (ending["outcome"], ending["causes"][0]) == (outcome, cause)


def test_a_tool_that_fails_once_is_asked_again() -> None:
    ending = _case("lost_connection", "share_ndvi")
    assert (ending["outcome"], ending["causes"], ending["repeated"]) == ("right", ("transient",), 0)


def test_a_fault_behind_another_is_seen_when_that_is_repaired() -> None:
    ending = _case("nodata_and_celsius", "hot", "second")
    assert ending["outcome"] == "right"
    assert set(ending["causes"]) == {"nodata_undeclared", "unit_wrong"}


def test_every_map_of_a_series_follows_a_second_repair() -> None:
    """The maps were handed over as after the first: 24 K, where the mean said 300."""
    assert _case("nodata_and_celsius", "mean_temperature", "second")["outcome"] == "right"


def test_a_temperature_in_a_unit_of_length_is_refused() -> None:
    ending = _case("unknown_unit", "hot", "second")
    assert (ending["outcome"], ending["causes"]) == ("refused", ("unit_mismatch",))


def test_files_without_dates_are_not_compared_with_themselves() -> None:
    ending = _case("undated_files", "change_ndvi", "second")
    assert ending["outcome"] == "refused"


def test_layers_of_different_places_are_named_as_such() -> None:
    assert _case("no_overlap", "correlation")["causes"] == ("no_overlap",)


def test_clouds_that_leave_nothing_are_named() -> None:
    ending = _case("clouds", "mean_ndvi_clouds")
    assert ending["outcome"] == "refused"
    assert ending["causes"][0] in ("too_cloudy", "empty_after_mask", "too_few_valid")


def test_faults_are_put_into_real_data(slovenia: Path) -> None:
    ending = run_case("real", "real_nodata_in_one", "real_mean_ndvi", 0, str(slovenia))
    assert (ending["outcome"], ending["causes"]) == ("right", ("nodata_undeclared",))
    ending = run_case("real", "real_cut", "real_count", 0, str(slovenia))
    assert (ending["outcome"], ending["causes"][0]) == ("refused", "file_truncated")


def test_a_campaign_on_real_data_needs_some(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"CLM|NDVI|--data"):
        campaign("real", each=1, data=str(tmp_path))
    with pytest.raises(DataNotFoundError, match="--data"):
        campaign("real", each=1)


@pytest.mark.parametrize(
    ("kind", "question", "outcome"),
    [
        ("mask_0_255", "water_mask", "right"),
        ("mask_1_2", "water_mask", "refused"),
        ("clouds_0_100", "eight_dates", "right"),
        ("offset_unsaid", "mean_ndvi_bands", "refused"),
        ("ndvi_of_three", "three_everywhere", "refused"),
        ("one_low_pixel", "one_low_pixel", "right"),
        ("zeros_among_numbers", "mean_ndvi", "told"),
        ("flags_in_bytes", "byte_index", "right"),
        ("slope_in_web_mercator", "northern_slope", "right"),
        ("mask_of_20_m", "clear_water", "right"),
        ("narrow_doubles", "large_doubles", "right"),
        ("nothing_but_gaps", "share_ndvi", "refused"),
        ("damaged_inside", "water", "right"),
        ("shared_folder", "area_ndvi", "right"),
        ("pipe", "area_ndvi", "right"),
        ("text_that_fetches", "area_ndvi", "refused"),
        ("text_that_reads_outside", "share_ndvi", "refused"),
        ("llm_side_below", "share_ndvi", "refused"),
        ("llm_echoes_key", "share_ndvi", "refused"),
    ],
)
def test_what_the_fourth_table_showed_stays_mended(kind: str, question: str, outcome: str) -> None:
    fault = next(one for one in table("fourth") if one.kind == kind)
    ending = _case(kind, question, "fourth")
    assert ending["outcome"] == outcome, ending["detail"]
    assert outcome != "refused" or ending["causes"][0] in fault.cause
