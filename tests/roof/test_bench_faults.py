"""The campaign of faults counts what it should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowflow.ground.errors import DataNotFoundError
from knowflow.roof.bench.faults import campaign as campaigns
from knowflow.roof.bench.faults.answers import One, same_answers
from knowflow.roof.bench.faults.campaign import Planned, campaign, cases_of
from knowflow.roof.bench.faults.case import Ending, run_case
from knowflow.roof.cli import main
from knowflow.testing.faults.table import table


def test_cases_are_the_same_each_time_and_a_limit_takes_some_of_all_kinds() -> None:
    faults = table("first")
    one, other = (list(cases_of(faults, 20)) for _ in range(2))
    assert one == other
    assert len(one) == 20 * len(faults) >= 1000
    assert len({(case.fault.kind, case.question, case.seed) for case in one}) == len(one)
    few = list(cases_of(faults, 20, len(faults)))
    assert {case.fault.kind for case in few} == {fault.kind for fault in faults}


@pytest.mark.parametrize(
    ("expected", "found", "tolerance", "same"),
    [
        (One(2.0, "K"), One(2.0, "K"), 1e-6, True),
        (One(2.0, "K"), One(2.1, "K"), 1e-6, False),
        (One(2.0, "K"), One(2.1, "K"), 0.1, True),
        (One(300.0, "K"), One(26.85, "degC"), 1e-6, True),
        (One(300.0, "K"), One(300.0, "degC"), 1e-6, False),
        (One(300.0, "K"), One(300.0, "m"), 1e-6, False),
        (One("2021", None), One("2021", None), 1e-6, True),
        (
            One([{"mean": 1.0, "count": 100, "name": "a"}], None),
            One([{"mean": 1.0, "count": 95, "name": "b"}], None),
            0.04,
            True,
        ),
        (One([{"mean": 1.0, "count": 100}], None), One([{"mean": 1.0, "count": 95}], None), 1e-6, False),
        (One([1.0], None), One([1.0, 2.0], None), 0.1, False),
        (One(1.0, None), One(None, None), 0.1, False),
        (One(None, None, np.eye(4)), One(None, None, np.eye(4)), 1e-6, True),
        (One(None, None, np.eye(4)), One(None, None, np.ones((4, 4))), 0.06, False),
    ],
)
def test_answers_are_compared_by_what_they_say(expected: One, found: One, tolerance: float, same: bool) -> None:
    assert (same_answers({"answer": expected}, {"answer": found}, tolerance) == "") is same


def test_an_answer_that_is_missing_is_a_difference() -> None:
    assert same_answers({"area": One(1.0, "km2")}, {}, 0.1) == "area is missing"


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
        "wrong": 1,
        "hangs": 1,
        "crashed": 0,
        "told": 0,
        "repairable": 2,
        "repaired_by_rules": 1,
        "refused_truly": 1,
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
    assert {name: one["cases"] for name, one in found.items()} == {"first": 3, "second": 3, "third": 3}
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
