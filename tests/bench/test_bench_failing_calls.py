"""Real failing calls, checked before they are made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.reason.calls import Call, KnownFiles, Proposal
from knowflow.service.api import Service
from knowflow_bench.failing_calls import failing_calls, keeps_intent, published_tools


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return dict(Service(tmp_path_factory.mktemp("home")).tools())


QUESTION = {
    "id": 1,
    "data_dir": "data/q",
    "files": ["X_2021-05-01_LST.tif", "X_2021-05-01_NDVI.tif"],
    "tool_calls": [
        {"name": "get_filelist", "input": {"dir_path": "data/q"}, "output": ["X_2021-05-01_LST.tif"]},
        {
            "name": "compute_tvdi",
            "input": {
                "ndvi_path": "data/q/X_2021-05-01_NDVI.tif",
                "lst_path": "data/q/X_2021-05-01_LST.tif",
                "output_path": "q/tvdi.tif",
            },
            "output": "Result save at out/q/tvdi.tif",
        },
        {"name": "calc_batch_image_mean", "input": {"file_list": ["out/q/tvdi.tif"]}, "output": [0.4]},
        {"name": "calc_batch_image_mean", "input": {"file_list": ["nowhere.tif"]}, "output": [0.4]},
        {"name": "calculate_ndvi", "input": {}, "output": ""},
        {"name": "mean", "input": {"numbers": [1]}, "output": 1},
        {"name": "percentage_change", "input": {"a": 0, "b": 1}, "output": "inf"},
    ],
}


def _record(
    tool: str, static: str | None, cls: str = "c", question: str = "1", **arguments: object
) -> dict[str, object]:
    return {"question": question, "tool": tool, "arguments": arguments, "cls": cls, "static": static}


def _written(folder: Path, records: list[dict[str, object]]) -> tuple[Path, Path]:
    calls, questions = folder / "calls.jsonl", folder / "questions.jsonl"
    calls.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    questions.write_text(json.dumps(QUESTION) + "\n", encoding="utf-8")
    return calls, questions


def test_calls_are_counted_by_class_and_experts_apart(tools, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    files = ["data/q/X_2021-05-01_LST.tif", "... 2 more"]
    found = failing_calls(
        *_written(
            tmp_path,
            [
                _record("calculate_batch_image_mean", "unknown tool", file_list=["X_2021-05-01_LST.tif"]),
                _record("calc_batch_image_mean", "unknown file", file_list=["data/q/none.tif"]),
                _record("calc_batch_image_mean", "wrong type", "other", file_list="data/q/none.tif"),
                _record("calc_batch_image_mean", "zero division", "other", file_list=files),
                _record("calc_batch_image_mean", None, "other", file_list=["gone.tif"]),
                _record("calc_batch_image_mean", None, "other", question="7", file_list=["gone.tif"]),
            ],
        ),
        tools,
    )
    assert {name: found[name] for name in ("n", "visible", "refused", "reason_right", "proposal_passes")} == {
        "n": 6,
        "visible": 4,
        "refused": 3,
        "reason_right": 3,
        "proposal_passes": 1,
    }
    assert found["by_class"]["other"] == {
        "n": 4,
        "visible": 2,
        "refused": 1,
        "reason_right": 1,
        "first_reason_right": 1,
        "proposal_passes": 0,
        "refused_beyond": 1,
    }
    assert found["expert_calls"] == 4
    assert found["expert_refused"] == 1
    assert found["expert_excluded"] == {
        "an argument that the published tool does not take": 1,
        "an input file is not on record": 1,
        "not a published tool": 1,
    }


def test_our_own_arguments_are_not_published(tools) -> None:  # type: ignore[no-untyped-def]
    published = published_tools(tools)
    assert len(published) == 104
    assert not any("compat" in schema.parameters for schema in published.values())


def test_a_proposal_that_drops_a_number_or_changes_the_purpose_does_not_keep_the_intent(tools) -> None:  # type: ignore[no-untyped-def]
    published = published_tools(tools)
    known = KnownFiles(frozenset({"d/a_2021-05-01_LST.tif"}), frozenset({"d"}))
    meant = Call("calc_batch_image_mean", {"file_list": ["d/a_2021-05-01_LST.tif"]})
    asked = {"file_list": ["LST_2021-05-01.tif"]}

    def keeps(tool: str, lost: tuple[str, ...] = (), **more: object) -> bool:
        proposal = Proposal((meant,), ("changed",), lost)
        return keeps_intent(Call(tool, {**asked, **more}), proposal, published, known)

    assert keeps("calculate_image_mean")
    assert not keeps("cloud_cover")
    assert not keeps("calculate_image_mean", ("threshold",), threshold=0.3)
    assert keeps("calculate_image_mean", ("verbose",), verbose=True)
    asked = {"file_list": ["LST_2021-06-01.tif"]}
    assert not keeps("calculate_image_mean")


def test_files_that_are_no_records_are_refused(tools, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    calls, questions = _written(tmp_path, [_record("mean", None)])
    with pytest.raises(DataNotFoundError):
        failing_calls(tmp_path / "none", questions, tools)
    calls.write_text('{"tool": "mean"}\n', encoding="utf-8")
    with pytest.raises(UnreadableDataError, match="lacks"):
        failing_calls(calls, questions, tools)
    calls.write_text("no\n", encoding="utf-8")
    with pytest.raises(UnreadableDataError, match=r"calls.jsonl:1"):
        failing_calls(calls, questions, tools)
    calls.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableDataError, match="cannot be read"):
        failing_calls(calls, questions, tools)


def test_the_published_names_and_arguments_are_ours(earthbench: Path, tools) -> None:  # type: ignore[no-untyped-def]
    said = json.loads((earthbench / "tools.json").read_text(encoding="utf-8"))
    published = published_tools(tools)
    assert {name: {one[0] for one in tool["args"]} for name, tool in said.items()} == {
        name: set(schema.parameters) for name, schema in published.items()
    }


def test_the_bars_are_met_on_the_development_half(earthbench: Path, tools) -> None:  # type: ignore[no-untyped-def]
    found = failing_calls(earthbench / "failures_dev.jsonl", earthbench / "questions_dev.jsonl", tools)
    assert found["n"] == 1442
    assert found["visible"] == 848
    assert found["reason_right"] >= 0.98 * found["visible"]
    assert found["expert_refused"] <= 0.005 * found["expert_calls"]
    assert found["proposal_passes"] >= 0.7 * found["refused"]


def test_arguments_that_are_a_text_of_json_are_read(tools, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    record = _record("calc_batch_image_mean", "unknown file", file_list=["data/q/none.tif"])
    same = {**record, "arguments": json.dumps(record["arguments"])}
    found = [failing_calls(*_written(tmp_path, [one]), tools) for one in (record, same)]
    assert found[0] == found[1]
    assert found[0]["reason_right"] == 1


@pytest.mark.parametrize(
    "odd", [{"arguments": "x=1"}, {"arguments": [1]}, {"cls": ["c"]}, {"tool": None}, {"question": {}}, {"static": 1}]
)
def test_a_record_with_a_field_of_another_type_is_named(tools, tmp_path: Path, odd: dict[str, object]) -> None:  # type: ignore[no-untyped-def]
    records = [_record("mean", None), {**_record("mean", None), **odd}]
    with pytest.raises(UnreadableDataError) as raised:
        failing_calls(*_written(tmp_path, records), tools)
    assert str(raised.value.where).endswith(":2")
    assert next(iter(odd)) in raised.value.message
