"""Earth-Bench: the bench itself, on questions and planners made here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from knowflow.ground.errors import DataNotFoundError, PlanningError, UnreadableDataError
from knowflow.reason.llm import Answer, LanguageModelError, ToolCall
from knowflow.roof.cli import main
from knowflow.roof.library import KnowFlow
from knowflow_bench.earth_bench import planners, run
from knowflow_bench.earth_bench.baselines import one_shot, react, specs
from knowflow_bench.earth_bench.invariance import fewer, invariance_of, more, moved, renamed, shape, shifted
from knowflow_bench.earth_bench.observations import observed
from knowflow_bench.earth_bench.questions import Prediction, Question, read_questions
from knowflow_bench.earth_bench.records import Stop, records, stop
from knowflow_bench.earth_bench.run import earth_bench
from knowflow_bench.earth_bench.scoring import causes, invented, percentile, score, shortened
from knowflow_bench.openai_server import Reply, openai_server
from knowflow_bench.parity import Call

TOOLS = KnowFlow().tools()
DAYS = ("01", "09", "17", "25")
FILES = [f"Ruritania_2020-07-{day}_NDVI.tif" for day in DAYS]
EXPERT = [
    {"name": "get_filelist", "input": {"dir_path": "data/q1"}, "output": FILES},
    {"name": "calc_batch_image_mean", "input": {"file_list": [f"data/q1/{f}" for f in FILES]}, "output": [1, 2, 3, 4]},
    {"name": "mean", "input": {"x": [1, 2, 3, 4]}, "output": 2.5},
]
QUESTION = {
    "id": 1,
    "modality": "products",
    "query_auto_planning": "What was the mean NDVI of Ruritania in July 2020?",
    "query_instruction_following": "Average every NDVI image of Ruritania of July 2020, then average the averages.",
    "data_dir": "data/q1",
    "files": FILES,
    "tool_calls": EXPERT,
}
RGB = {
    **QUESTION,
    "id": 2,
    "modality": "rgb",
    "query_auto_planning": "How many planes are there?",
    "data_dir": "data/q2",
    "files": ["A.jpg"],
    "tool_calls": [{"name": "SM3Det", "input": {"text_prompt": "plane", "input_image_path": "data/q2/A.jpg"}}],
}


def questions(folder: Path, *lines: Any) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def like_the_expert(question: Question) -> Prediction:
    """Plans the first question as its expert did, and no other."""
    if question.modality != "products":
        return Prediction(cause="not_understood", message="no template answers this question", seconds=0.002)
    files = [f"{question.folder}/{name}" for name in question.files]
    return Prediction(
        (
            Call("get_filelist", {"dir_path": question.folder}, None),
            Call("calc_batch_image_mean", {"file_list": files}, None),
            Call("mean", {"x": {"from": 1}}, None),
        ),
        ("mean_of_means",),
        0.001,
    )


def planner(monkeypatch: pytest.MonkeyPatch, plan: Callable[[Question], Prediction]) -> None:
    monkeypatch.setattr(run, "planner_of", lambda name, tools, llm: plan)


def test_every_metric_is_reported_with_abstentions_as_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planner(monkeypatch, like_the_expert)
    found = earth_bench(questions(tmp_path, QUESTION, RGB), "ap", TOOLS, predictions=tmp_path / "out" / "p.jsonl")
    half = ("tao", "tio", "tio_lcs", "tem", "param", "param_bound", "precision", "abstained")
    assert {name: found[name] for name in half} == dict.fromkeys(half, 0.5)
    assert (found["n"], found["eff"], found["plan_ms_p95"]) == (2, 0.5, 2.0)
    assert found["by_modality"]["products"]["param"] == 1.0
    assert found["by_modality"]["rgb"]["abstained"] == 1.0
    assert set(found["by_family"]) == {"given: ndvi", "SM3Det"}
    assert found["causes"] == {"abstained: not_understood": 1}
    assert found["templates"] == {"mean_of_means": 1}
    assert found["templates_of_one_question"] == ["mean_of_means"]
    assert found["invented"] == []
    assert [line["planned"] for line in found["questions"]] == [["get_filelist", "calc_batch_image_mean", "mean"], []]
    first, second = (json.loads(line) for line in (tmp_path / "out" / "p.jsonl").read_text().splitlines())
    assert first["tool_calls"][2] == {"name": "mean", "input": {"x": {"from": 1}}}
    assert second == {"id": 2, "tool_calls": []}


def test_the_regime_chooses_the_text(tmp_path: Path) -> None:
    path = questions(tmp_path, QUESTION)
    assert read_questions(path, "ap")[0].text == QUESTION["query_auto_planning"]
    assert read_questions(path, "if")[0].text == QUESTION["query_instruction_following"]


@pytest.mark.parametrize("line", ["[]", "{}", "no json", "[" * 100_000, json.dumps({**QUESTION, "tool_calls": []})])
def test_what_is_no_question_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(UnreadableDataError) as caught:
        read_questions(questions(tmp_path, QUESTION, line), "ap")
    assert str(caught.value.where).endswith(":2")


def test_a_file_that_is_not_there_and_one_without_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError):
        read_questions(tmp_path / "none.jsonl", "ap")
    with pytest.raises(UnreadableDataError):
        read_questions(questions(tmp_path, ""), "ap")


def asked(**changes: Any) -> Question:
    data = {**QUESTION, **changes}
    calls = tuple(Call(c["name"], c["input"], c.get("output")) for c in data["tool_calls"])
    return Question(1, "products", data["query_auto_planning"], "data/q1", tuple(data["files"]), calls)


def told(*tools: str, **arguments: Any) -> Prediction:
    return Prediction(tuple(Call(tool, arguments, None) for tool in tools))


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [
        (told("get_filelist", "mean"), ["tool not used: calc_batch_image_mean"]),
        (
            told("get_filelist", "calc_batch_image_max", "mean"),
            ["tool not used: calc_batch_image_mean", "tool the expert did not use: calc_batch_image_max"],
        ),
        (told("get_filelist", "mean", "calc_batch_image_mean"), ["other order"]),
        (told("get_filelist", "calc_batch_image_mean", "mean", "mean"), ["goes on after the expert"]),
        (told("get_filelist", "calc_batch_image_mean", "calc_batch_image_mean", "mean"), ["other number of calls"]),
        (
            told("get_filelist", "calc_batch_image_mean", "mean", dir_path="data/q1"),
            [
                "other value: calc_batch_image_mean.dir_path",
                "other value: calc_batch_image_mean.file_list",
                "other value: mean.dir_path",
                "other value: mean.x",
            ],
        ),
        (Prediction(cause="planning"), ["abstained: planning"]),
        (like_the_expert(asked()), []),
    ],
)
def test_why_a_plan_is_not_the_experts(prediction: Prediction, expected: list[str]) -> None:
    assert list(causes(asked(), prediction)) == expected


def test_invented_tools_files_and_results_are_found() -> None:
    calls = (
        Call("get_filelist", {"dir_path": "data/q1"}, None),
        Call("make_map", {"file": f"data/q1/{FILES[0]}", "output_path": "q1/map.tif"}, None),
        Call("mean_of", {"file": "benchmark/out/q1/map.tif", "other": "data/q1/elsewhere.tif"}, None),
        Call("mean", {"x": [{"from": 3}, {"from": 1, "item": 0}]}, None),
    )
    found = list(invented(asked(), Prediction(calls), lambda name: name != "make_map"))
    assert found == ["tool make_map", "file data/q1/elsewhere.tif", "result 3 in call 3"]


MAP = {"input_red_path": f"data/q1/{FILES[0]}", "output_path": "q1/map.tif"}
LIST = Call("get_filelist", {"dir_path": "data/q1"}, None)


@pytest.mark.parametrize(
    ("second", "third", "expected"),
    [
        (("calculate_ndsi_of_all", {}), None, Stop(1, "tool that does not exist", "calculate_ndsi_of_all")),
        (
            ("calc_batch_image_mean", {"dir_path": "data/q1", "file_list": None}),
            None,
            Stop(1, "call without an input that its tool needs", "calc_batch_image_mean.file_list"),
        ),
        (
            ("calculate_water_turbidity_ntu", MAP),
            ("calc_batch_image_mean", {"file_list": ["out/q1/average.tif"]}),
            Stop(2, "files that were neither given nor written", "calc_batch_image_mean.file_list: average.tif"),
        ),
        (("calculate_water_turbidity_ntu", MAP), ("calc_batch_image_mean", {"file_list": ["out/q1/map.tif"]}), None),
        (("calc_batch_image_mean", {"file_list": [f"data/q3/{FILES[0]}", "data/q3/another.tif"]}), None, None),
    ],
)
def test_a_record_can_be_followed_up_to_the_first_call_that_its_tools_do_not_allow(
    second: tuple[str, dict[str, Any]], third: tuple[str, dict[str, Any]] | None, expected: Stop | None
) -> None:
    calls = (LIST, *(Call(*call, None) for call in (second, third) if call is not None))
    assert stop(replace(asked(), expert=calls), TOOLS) == expected


def test_what_is_within_reach_is_what_the_records_allow_and_no_less_than_what_is_met() -> None:
    stops = replace(asked(), expert=(LIST, Call("calc_batch_image_mean", {}, None), Call("mean", {"x": [1]}, None)))
    missed, met = Prediction((LIST,)), like_the_expert(asked())
    scored = [(one, plan, score(one, plan, TOOLS.__contains__)) for one in (asked(), stops) for plan in (missed, met)]
    found = records(scored, TOOLS)
    assert found["tem_within_reach"] == pytest.approx((1 + 1 + 1 / 3 + 1) / 4, abs=1e-4)
    assert found["by_modality"] == {"products": found["tem_within_reach"]}
    assert found["causes"] == {"call without an input that its tool needs": 2}
    assert [(line["call"], line["of"]) for line in found["stops"]] == [(1, 3), (1, 3)]


def test_repetitions_are_counted_and_percentiles_are_of_the_numbers() -> None:
    assert shortened(["a", "b", "b", "a"]) == ["a", "b x2", "a"]
    assert percentile(list(range(1, 101)), 95) == 95
    assert percentile([3.0], 95) == 3.0


def test_a_region_is_renamed_in_text_and_files() -> None:
    found = renamed(asked())
    assert found.text == "What was the mean NDVI of Orrenmark in July 2020?"
    assert found.files[0] == "Orrenmark_2020-07-01_NDVI.tif"
    quiet = asked(files=["NDVI_2020-07-01.tif"])
    assert renamed(quiet) == quiet


def test_a_region_of_two_words_is_renamed_as_one() -> None:
    question = asked(
        query_auto_planning="The Arctic Ocean turbidity", files=["Arctic_Ocean_sur_refl_b01_2022-07-01.tif"]
    )
    found = renamed(question)
    assert (found.text, found.files[0]) == ("The Orrenmark turbidity", "Orrenmark_sur_refl_b01_2022-07-01.tif")


def test_years_move_together_and_other_numbers_stay() -> None:
    question = asked(query_auto_planning="NDVI above 2000 m in July 2020 against 1950")
    found = shifted(question)
    assert found.text == "NDVI above 2000 m in July 2016 against 1950"
    assert found.files[0] == "Ruritania_2016-07-01_NDVI.tif"


def test_times_are_no_years_and_dates_need_no_marks() -> None:
    files = ["2022_08_01_1925_BT_31_Day.tif", "City_20220801_2015_Emis31.tif", "city_volume_2020.tif"]
    found = shifted(asked(query_auto_planning="In August 2022", files=files))
    moved_files = ("2018_08_01_1925_BT_31_Day.tif", "City_20180801_2015_Emis31.tif", "city_volume_2016.tif")
    assert (found.text, found.files) == ("In August 2018", moved_files)


def test_scenes_are_taken_out_and_added_where_there_are_several() -> None:
    assert fewer(asked()).files == tuple(FILES[:2] + FILES[3:])
    assert more(asked()).files[3] == "Ruritania_2020-07-18_NDVI.tif"
    few = asked(files=FILES[:3])
    assert (fewer(few), more(few)) == (few, few)


def test_the_share_of_plans_that_keep_their_shape() -> None:
    def forgetful(question: Question) -> Prediction:
        return Prediction(cause="planning") if "Orrenmark" in question.text else like_the_expert(question)

    found = invariance_of([(asked(), like_the_expert(asked()))], forgetful)
    assert (found["n"], found["kept"]) == (5, 0.8)
    assert found["by_change"]["region"] == {"n": 1, "kept": 0.0}
    assert [one["change"] for one in found["changed"]] == ["region"]
    assert invariance_of([(asked(), Prediction(cause="planning"))], forgetful)["n"] == 0


def test_the_shape_tells_sizes_only_where_the_number_of_scenes_stays() -> None:
    one, other = like_the_expert(asked()), like_the_expert(more(asked()))
    assert shape(one) != shape(other)
    assert shape(one, counts=True) == shape(other, counts=True)
    assert shape(one) == shape(like_the_expert(moved(asked())))


class Scripted:
    """A language model that says what it was told to say."""

    name = "scripted"

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.seen: list[Any] = []

    def complete(self, messages: Any, schema: Any = None, tools: Any = None) -> Answer:
        self.seen.append((list(messages), schema, tools))
        if not self.answers:
            raise LanguageModelError("nothing more to say")
        return self.answers.pop(0)


def test_one_shot_takes_the_whole_plan_from_one_answer() -> None:
    model = Scripted(Answer("", {"calls": [{"name": "mean", "input": {"x": {"from": 0}}}]}, tokens=70))
    found = one_shot(model, TOOLS)(asked())
    assert (found.tools, found.calls[0].arguments, found.tokens) == (("mean",), {"x": {"from": 0}}, 70)


def test_one_shot_abstains_where_the_answer_is_no_plan() -> None:
    found = one_shot(Scripted(Answer("I would rather not")), TOOLS)(asked())
    assert (found.calls, found.cause) == ((), "llm_answer")


def test_the_loop_shows_what_comes_of_each_call_and_ends_with_words() -> None:
    model = Scripted(
        Answer("look", tool_calls=(ToolCall("a", "get_filelist", {"dir_path": "data/q1"}),), tokens=10),
        Answer("count", tool_calls=(ToolCall("b", "mean", {"x": [1, 3]}),), tokens=20),
        Answer("It is 2.", tokens=5),
    )
    found = react(model, TOOLS)(asked())
    assert (found.tools, found.tokens, found.cause) == (("get_filelist", "mean"), 35, "")
    last = model.seen[-1][0]
    assert [message.role for message in last] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert json.loads(last[3].content) == FILES
    assert float(last[5].content) == 2.0


def test_the_loop_keeps_what_it_called_before_the_model_failed_or_the_turns_were_over() -> None:
    step = Answer("", tool_calls=(ToolCall("a", "get_filelist", {"dir_path": "data/q1"}),))
    failed = react(Scripted(step), TOOLS)(asked())
    assert (failed.tools, failed.cause) == (("get_filelist",), "llm")
    assert len(react(Scripted(*[step] * 9), TOOLS, max_turns=3)(asked()).calls) == 3


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        (Call("no_such", {}, None), "Error: there is no tool no_such"),
        (Call("mean", {"y": [1]}, None), "Error: unknown arguments ['y'], lacking arguments ['x']"),
        (Call("calc_batch_image_mean", {"file_list": ["a.tif"]}, None), '{"from": 4}'),
        (Call("mean", {"x": {"from": 1}}, None), '{"from": 4}'),
        (Call("multiply", {"a": 2, "b": 3}, None), "6"),
        (Call("mean", {"x": "many"}, None), "Error: "),
    ],
)
def test_what_a_caller_is_shown(call: Call, seen: str) -> None:
    assert seen in observed(call, 4, asked(), TOOLS)


def test_writers_tell_where_they_write() -> None:
    call = Call("calculate_tif_average", {"file_list": ["a.tif"], "output_path": "q1/mean.tif"}, None)
    assert observed(call, 0, asked(), TOOLS) == "Result saved at q1/mean.tif"


def test_all_tools_of_the_pack_and_no_others_are_offered() -> None:
    names = {spec.name for spec in specs(TOOLS)}
    assert {"get_filelist", "band_ratio", "SM3Det"} <= names
    assert "spectral_index" not in names
    schema = next(spec for spec in specs(TOOLS) if spec.name == "band_ratio").parameters
    assert "compat" not in schema["properties"]
    assert "output_path" in schema["required"]


def test_a_baseline_without_a_model_is_refused() -> None:
    with pytest.raises(PlanningError):
        planners.planner_of("react", TOOLS, None)


def test_a_defect_of_the_planner_costs_its_question_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("knowflow.service.planning_calls.plan_calls", broken)
    found = planners.by_knowledge()(asked())
    assert (found.cause, found.message, found.calls) == ("defect: ZeroDivisionError", "a defect", ())


def status(*words: str, code: int) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert (ended.value.code or 0) == code


def test_the_command_prints_json_or_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planner(monkeypatch, like_the_expert)
    command = ["bench", "earth-bench", "--questions", str(questions(tmp_path, QUESTION, RGB)), "--regime", "ap"]
    status(*command, "--json", code=0)
    found = json.loads(capsys.readouterr().out)
    assert {"n", "tao", "tio", "tio_lcs", "tem", "param", "param_bound", "eff", "precision", "abstained"} <= set(found)
    status(*command, "--invariance", code=0)
    shown = capsys.readouterr().out
    assert "Plans that keep their shape: 1.000 of 5" in shown
    assert "mean_of_means" in shown
    assert "TEM if all were met up to there: 1.000 (products 1.000, rgb 1.000)" in shown


def test_the_command_refuses_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "none.jsonl")
    status("bench", "earth-bench", "--questions", missing, "--regime", "ap", code=2)
    assert "there is no such file of questions" in capsys.readouterr().err


def test_the_baselines_ask_an_endpoint_and_their_tokens_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai")
    path = questions(tmp_path, QUESTION)
    whole = {"calls": [{"name": call["name"], "input": call["input"]} for call in EXPERT]}
    steps = [
        Reply("look", tool_calls=[("get_filelist", json.dumps({"dir_path": "data/q1"}))]),
        Reply("average", tool_calls=[("calc_batch_image_mean", json.dumps(EXPERT[1]["input"]))]),
        Reply("and again", tool_calls=[("mean", json.dumps({"x": {"from": 1}}))]),
        Reply("The mean is known now."),
    ]
    for name, replies, tokens in (("llm", [Reply(whole)], 100), ("react", steps, 400)):
        with openai_server(*replies) as server:
            monkeypatch.setenv("KNOWFLOW_LLM_BASE_URL", server.url)
            monkeypatch.setenv("KNOWFLOW_LLM_API_KEY", "sk-test-0123456789")
            monkeypatch.setenv("KNOWFLOW_LLM_MODEL", "m")
            words = ["bench", "earth-bench", "--questions", str(path), "--regime", "if", "--planner", name, "--json"]
            status(*words, code=0)
        found = json.loads(capsys.readouterr().out)
        assert (found["planner"], found["param"], found["tokens"]) == (name, 1.0, tokens)
        offered = [tool["function"]["name"] for tool in server.requests[0].get("tools", ())]
        assert ("band_ratio" in offered) is (name == "react")


def test_a_baseline_whose_endpoint_fails_abstains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai")
    with openai_server(Reply("no", status=400)) as server:
        monkeypatch.setenv("KNOWFLOW_LLM_BASE_URL", server.url)
        monkeypatch.setenv("KNOWFLOW_LLM_API_KEY", "sk-test-0123456789")
        monkeypatch.setenv("KNOWFLOW_LLM_MODEL", "m")
        path = str(questions(tmp_path, QUESTION))
        status("bench", "earth-bench", "--questions", path, "--regime", "ap", "--planner", "react", "--json", code=0)
    found = json.loads(capsys.readouterr().out)
    assert (found["abstained"], found["tao"], found["tem"]) == (1.0, 0.0, 0.0)
