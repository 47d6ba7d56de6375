"""`--llm`: a language model as the second reader of a question, whose reading is held to the laws of any reading."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.execution.run_store import run_folder
from knowflow.ground.errors import KnowFlowError, NotUnderstoodError, PlanningError
from knowflow.question.form import expression_of, forms, to_data
from knowflow.question.normal import equal
from knowflow.question.operators import Expression, walk
from knowflow.question.words import in_words
from knowflow.reason.llm import LanguageModelError
from knowflow.reason.llm.conversation import Message, estimated_tokens
from knowflow.reason.llm.reading_request import MOST_TOKENS
from knowflow.roof.cli import main
from knowflow.service.results import PlanResult
from knowflow_bench.openai_server import OpenAIServer, Reply, openai_server
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import random_scene, write_scene

pytest.importorskip("openai")

YEARS = ["2020-06-01", "2021-06-01", "2022-06-01", "2023-06-01"]
LAYERS: list[dict[str, Any]] = [
    {"name": "veg", "quantity": "ndvi", "values": "0.1 + 0.4 * x + 0.1 * i", "dates": YEARS},
    {"name": "dem", "quantity": "elevation", "unit": "m", "values": "100 + 320 * x"},
]
KEY = "sk-secret-0123456789"


def quantity(kind: str, *words: str) -> dict[str, Any]:
    return {"quantity": {"kind": kind, "words": [*words]}}


def during(x: Any, when: Any, *words: str) -> dict[str, Any]:
    return {"during": {"x": x, "when": when, "words": [*words]}}


def over(x: Any, axes: str, statistic: str, *words: str) -> dict[str, Any]:
    return {"over": {"x": x, "axes": axes, "statistic": statistic, "words": [*words]}}


def number(value: float, *words: str, unit: str = "1") -> dict[str, Any]:
    return {"number": {"value": value, "unit": unit, "words": [*words]}}


def beyond(x: Any, side: str, limit: Any, *words: str) -> dict[str, Any]:
    return {"beyond": {"x": x, "side": side, "limit": limit, "words": [*words]}}


def answer(expression: Any, **more: Any) -> dict[str, Any]:
    return {"expression": expression, **more}


def read_as(
    kind: str, word: str = "verdure", when: str = "2022", statistic: str = "mean", where: Any = None
) -> dict[str, Any]:
    x = during(quantity(kind, word), when, "2022")
    ground = x if where is None else {"within": {"x": x, "where": where}}
    return answer(over(ground, "space", statistic, "mean"))


VERDURE = "What is the mean verdure of 2022?"
READ = read_as("ndvi")
KNOWN = "What is the mean NDVI of 2022?"
KNOWN_READ = read_as("ndvi", "NDVI")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scene(tmp_path_factory.mktemp("llm") / "data", *LAYERS)


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> KnowFlow:
    return KnowFlow(tmp_path_factory.mktemp("llm") / "home")


def use(monkeypatch: pytest.MonkeyPatch, server: OpenAIServer, **variables: object) -> None:
    settings = {"KNOWFLOW_LLM_BASE_URL": server.url, "KNOWFLOW_LLM_MODEL": "m", "OPENAI_API_KEY": KEY, **variables}
    for name, value in settings.items():
        monkeypatch.setenv(name, str(value))


Planned = Callable[..., tuple[PlanResult, OpenAIServer]]
Refused = Callable[..., tuple[str, OpenAIServer]]


@pytest.fixture
def planned(flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch) -> Planned:
    def of(question: str, *replies: Any, llm: str | bool = "fallback", **variables: object) -> Any:
        with openai_server(*replies) as server:
            use(monkeypatch, server, **variables)
            return flow.plan(question, data, llm=llm), server

    return of


@pytest.fixture
def refused(flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    def of(question: str, *replies: Any, llm: str = "fallback", **variables: object) -> Any:
        with openai_server(*replies) as server:
            use(monkeypatch, server, **variables)
            with pytest.raises((NotUnderstoodError, PlanningError)) as caught:
                flow.plan(question, data, llm=llm)
        return str(caught.value), server

    return of


def told(server: OpenAIServer, request: int = -1) -> str:
    """The reasons for which an answer was sent back."""
    return str(server.requests[request]["messages"][-1]["content"])


# --- when it is asked ------------------------------------------------------------------------------------------------


def test_without_a_model_the_question_is_refused_as_ever_and_llm_says_that_none_is_configured(
    flow: KnowFlow, data: Path
) -> None:
    with pytest.raises(NotUnderstoodError) as without:
        flow.plan(VERDURE, data)
    with pytest.raises(NotUnderstoodError) as asked:
        flow.plan(VERDURE, data, llm="fallback")
    assert (asked.value.message, asked.value.found) == (without.value.message, without.value.found)
    assert "no language model is configured" in str(asked.value)
    assert "no language model is configured" not in str(without.value)
    with pytest.raises(LanguageModelError, match="no language model is configured"):
        flow.plan(KNOWN, data, llm="always")


def test_a_question_that_its_words_read_is_not_put_to_the_model(planned: Planned) -> None:
    found, server = planned(KNOWN, READ)
    assert (server.requests, found.by_model) == ([], None)


def test_a_configured_model_is_not_asked_without_the_option(
    flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(READ) as server:
        use(monkeypatch, server)
        with pytest.raises(NotUnderstoodError):
            flow.plan(VERDURE, data)
        with pytest.raises(NotUnderstoodError):
            flow.plan(VERDURE, data, llm=False)
    assert server.requests == []


def test_yes_stands_for_fallback_and_what_is_neither_is_refused(planned: Planned, flow: KnowFlow, data: Path) -> None:
    found, _ = planned(VERDURE, READ, llm=True)
    assert found.by_model is not None
    with pytest.raises(PlanningError, match="never, fallback, always"):
        flow.plan(VERDURE, data, llm="sometimes")


def test_a_template_that_is_named_leaves_nothing_to_read(flow: KnowFlow, data: Path) -> None:
    with pytest.raises(PlanningError, match="--template"):
        flow.plan(VERDURE, data, llm="fallback", template="seasonal_cycle")


# --- what it reads ---------------------------------------------------------------------------------------------------


def test_what_the_model_reads_is_planned_told_and_run_as_any_reading(
    flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with openai_server(READ) as server:
        use(monkeypatch, server)
        found = flow.run(VERDURE, data, llm="fallback", out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(0.5, abs=1e-3)
    assert found.understood == "the mean of NDVI in 2022 over the area on 1 June 2022"
    said = "; ".join(map(str, found.assumptions))
    assert "language model" in said
    assert "verdure" in said
    delivered = json.loads((tmp_path / "out" / "answer.json").read_text(encoding="utf-8"))
    assert delivered["understood"] == found.understood
    assert "verdure" in str(delivered["assumptions"])
    assert found.report is not None
    assert "language model" in Path(found.report).read_text(encoding="utf-8")
    (exchange,) = flow.trace(str(found.run_id)).exchanges
    assert (exchange["purpose"], exchange["answer"]["data"]) == ("reading", READ)
    for kept in flow.home.rglob("*"):
        assert not kept.is_file() or KEY.encode() not in kept.read_bytes(), kept


def test_its_plan_is_that_of_the_expression(planned: Planned, flow: KnowFlow, data: Path) -> None:
    found, _ = planned(VERDURE, READ)
    expression, _ = expression_of("over(over(during(ndvi, 2022), space, mean), time, mean)")
    assert expression is not None
    assert found.plan.workflow == flow.plan(expression, data).plan.workflow
    assert found.by_model is not None
    tree = dict(walk(found.by_model.expression))
    behind = {part.words: tree[part.at].op for part in found.by_model.reading.parts if part.at is not None}
    assert behind == {"mean": "over", "2022": "during", "verdure": "quantity"}
    assert found.to_json()["language_model"]["reading"]["expression"] == to_data(expression)


def test_the_exchanges_of_a_run_plan_it_again_without_a_network(
    flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with openai_server(READ) as server:
        use(monkeypatch, server)
        first = flow.run(VERDURE, data, llm="fallback", out=tmp_path / "out")
    for name in ("KNOWFLOW_LLM_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("KNOWFLOW_LLM_REPLAY", str(run_folder(str(first.run_id), flow.home) / "llm.jsonl"))
    again = KnowFlow(tmp_path / "other").run(VERDURE, data, llm="fallback", out=tmp_path / "again")
    assert (again.status, again.answer) == ("completed", first.answer)


def test_one_variable_of_the_environment_sets_it_up(
    flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(READ) as server:
        monkeypatch.setenv("KNOWFLOW_LLM_BASE_URL", server.url)
        assert flow.plan(VERDURE, data, llm="fallback").by_model is not None


def test_what_it_says_of_random_questions_is_planned_as_the_expression_itself(
    flow: KnowFlow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    truth = random_scene(7)
    write_scene(truth, tmp_path)
    asked: list[Expression] = []

    def say(_: Mapping[str, Any]) -> Reply:
        return Reply(answer(whole(asked[-1], in_words(asked[-1]))))

    same = 0
    with openai_server(say=say) as server:
        use(monkeypatch, server, KNOWFLOW_LLM_ATTEMPTS=1, KNOWFLOW_LLM_CALLS=1)
        for one in Growth(truth, 7).expressions(10):
            asked.append(one)
            try:
                found = flow.plan(in_words(one), tmp_path, llm="fallback")
            except KnowFlowError:
                continue
            if found.by_model is not None:
                assert found.plan.workflow == flow.plan(found.by_model.expression, tmp_path).plan.workflow
                assert one in [part for _, part in walk(found.by_model.expression)]
                same += 1
    assert same > 0


def whole(tree: Expression, words: str) -> dict[str, Any]:
    """An expression as the model writes it, with the same words behind each part."""

    def told(value: Any) -> Any:
        if isinstance(value, Expression):
            return whole(value, words)
        if isinstance(value, tuple) and value and isinstance(value[0], tuple):
            return {name: told(one) for name, one in value}
        if isinstance(value, tuple):
            return [told(one) for one in value]
        return value if isinstance(value, int | float | str | None) else str(value)

    fields = {name: told(getattr(tree, declared.name)) for name, (declared, _) in forms(tree.op).items()}
    return {tree.op: {**{name: value for name, value in fields.items() if value is not None}, "words": [words]}}


# --- what goes back, and is not taken --------------------------------------------------------------------------------

LIMESTONE = "What is the mean verdure of 2022 on limestone?"
HIGH = "On how many dates was the mean verdure above 0.35?"


def high(limit: Any = None, side: str = "above", *words: str) -> dict[str, Any]:
    mean = over(quantity("ndvi", "verdure"), "space", "mean", "mean")
    limit = number(0.35, "0.35") if limit is None else limit
    return answer(over(beyond(mean, side, limit, *(words or ("above",))), "time", "count", "how many dates"))


@pytest.mark.parametrize(
    ("question", "wrong", "reason", "right"),
    [
        (VERDURE, "mumble", "one JSON object", READ),
        (VERDURE, answer({"average": {}}), "one of quantity", READ),
        (VERDURE, read_as("joy"), "a quantity kind", READ),
        (VERDURE, answer(over(quantity("ndvi", "verdure"), "space", "mean", "mean")), "'2022'", READ),
        (VERDURE, read_as("ndvi", when="2021"), "every number of the question", READ),
        (VERDURE, read_as("ndvi", "green"), "'green'", READ),
        (VERDURE, answer("over(during(ndvi, 2022), space, mean)"), "every word of the question", READ),
        (VERDURE, read_as("soil_moisture"), "soil_moisture", READ),
        (VERDURE, read_as("ndvi", statistic="share"), "over", READ),
        (VERDURE, {**READ, "unit": "m", "unit_words": ["verdure"]}, "a unit that the answer", READ),
        (HIGH, high(number(35, "0.35")), "a number that the question says", high()),
        (HIGH, high(number(0.35, "0.35", unit="K")), "does_not_fit", high()),
        (HIGH, high(None, "below"), "contradicts", high()),
        (HIGH, high(quantity("elevation", "0.35")), "does_not_fit", high()),
        (
            VERDURE,
            read_as("ndvi", where=beyond(quantity("elevation"), "above", number(200, unit="m"))),
            "ask for within",
            READ,
        ),
    ],
)
def test_an_answer_that_does_not_hold_goes_back_with_the_reason_and_is_put_right(
    planned: Planned, question: str, wrong: Any, reason: str, right: Mapping[str, Any]
) -> None:
    found, server = planned(question, wrong, right)
    assert found.by_model is not None
    assert len(server.requests) == 2
    assert reason in told(server)
    assert len(found.by_model.refused) == 1


@pytest.mark.parametrize("word", ["verdure", "NDVI"])
@pytest.mark.parametrize("behind", ["quantity", "during", "over", "nothing"])
def test_a_restriction_that_nothing_heeds_is_not_read_away(refused: Refused, word: str, behind: str) -> None:
    words = {"quantity": [word], "during": ["2022"], "over": ["mean"], "nothing": []}
    words[behind].append("on limestone")
    x = during(quantity("ndvi", *words["quantity"]), "2022", *words["during"])
    question = f"What is the mean {word} of 2022 on limestone?"
    if (word, behind) == ("verdure", "quantity"):
        return  # a word that nobody knows, and two: what they stand for is told, and nothing tells them apart
    said, _ = refused(question, answer(over(x, "space", "mean", *words["over"])))
    assert "'limestone'" in said.partition("[language_model]")[2]


@pytest.mark.parametrize("word", ["Why", "tomorrow", "not"])
def test_words_that_change_what_is_asked_are_not_read_away(refused: Refused, word: str) -> None:
    question = {
        "Why": "Why is the mean verdure of 2022 so?",
        "tomorrow": "What is the mean verdure of 2022 tomorrow?",
        "not": "What is the mean verdure not of 2022?",
    }[word]
    for place in ("over", "quantity"):
        x = during(quantity("ndvi", "verdure", *([word] if place == "quantity" else [])), "2022", "2022")
        said, _ = refused(question, answer(over(x, "space", "mean", "mean", *([word] if place == "over" else []))))
        assert f"'{word}'" in said.partition("[language_model]")[2]


def test_a_model_that_gives_up_leaves_the_refusal_with_what_it_said(refused: Refused) -> None:
    said, server = refused(VERDURE, {"cannot": "verdure is a word for gladness"})
    assert "gladness" in said
    assert len(server.requests) == 1


def test_a_number_of_experts_may_be_a_limit(planned: Planned) -> None:
    question = "How large is the area with dense verdure in 2022?"
    dense = beyond(during(quantity("ndvi", "verdure"), "2022", "2022"), "above", number(0.6, "dense"), "dense")
    found, server = planned(question, answer(over(dense, "space", "area", "how large", "area")))
    assert "0.6" in server.requests[0]["messages"][1]["content"], "the guidance of the task card"
    assert "above 0.6" in str(found.plan.title)
    assert [(one.what, one.value) for one in found.plan.assumptions if "experts" in one.because] == [("number", 0.6)]
    made_up = json.loads(json.dumps(dense).replace("0.6", "0.63"))
    with pytest.raises(KnowFlowError, match=r"0\.63"):
        planned(question, answer(over(made_up, "space", "area", "how large", "area")))


# --- both read -------------------------------------------------------------------------------------------------------


def test_readings_that_are_alike_are_told_to_be(planned: Planned) -> None:
    found, server = planned(KNOWN, KNOWN_READ, llm="always")
    assert len(server.requests) == 1
    assert found.by_model is not None
    assert found.by_model.agrees
    assert any("alike" in note for note in found.notes)


def test_readings_that_differ_are_shown_and_none_is_taken(refused: Refused, flow: KnowFlow, data: Path) -> None:
    other = answer(over(during(quantity("ndvi", "NDVI"), "2022", "2022"), "both", "mean", "mean"))
    said, _ = refused(KNOWN, other, llm="always")
    assert "the mean over the dates of the mean of NDVI in 2022 over the area" in said
    assert "by the language model: the mean of NDVI in 2022 over the area and the dates" in said
    pasted = [line.partition("these data can answer: ")[2] for line in said.splitlines() if "can answer" in line]
    assert pasted
    assert None not in [flow.read(question, data).expression for question in pasted]


@pytest.mark.parametrize(
    ("reply", "variables"),
    [
        (Reply(silent=True), {"KNOWFLOW_LLM_TIMEOUT": "0.3", "KNOWFLOW_LLM_RETRIES": 0}),
        (Reply("nonsense"), {"KNOWFLOW_LLM_ATTEMPTS": 2}),
        (Reply({"cannot": "no"}), {}),
    ],
)
def test_where_the_model_gives_no_reading_that_of_the_words_stands_and_it_is_told(
    planned: Planned, reply: Reply, variables: dict[str, object]
) -> None:
    found, _ = planned(KNOWN, reply, llm="always", **variables)
    assert found.reading is not None
    assert any("gave none" in note for note in found.notes)


def test_read_shows_what_the_model_reads(flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server(READ, KNOWN_READ) as server:
        use(monkeypatch, server)
        assert flow.read(VERDURE, data).expression is None
        found = flow.read(VERDURE, data, llm="fallback")
        both = flow.read(KNOWN, data, llm="always")
        alone = flow.read("What is the mean NDVI of 2023?", data, llm="always")
    assert alone.expression is not None
    assert "its words alone" in alone.by
    assert found.expression is not None
    assert "(m)" in found.by
    assert "alike" in both.by
    with openai_server(READ) as server:
        use(monkeypatch, server)
        without = flow.read(VERDURE, llm="fallback")
    assert without.expression is not None
    assert equal(without.expression, found.expression)


# --- at the command line --------------------------------------------------------------------------------------------


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main([*map(str, arguments)])
    out, err = capfd.readouterr()
    return int(end.value.code or 0), " ".join((out + err).split())


def test_the_option_stands_alone_or_says_when(
    flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KNOWFLOW_HOME", str(flow.home))
    with openai_server("mumble", READ) as server:
        use(monkeypatch, server)
        assert run(capfd, "read", VERDURE, "--data", data)[0] == 1
        code, said = run(capfd, "read", "--llm", VERDURE, "--data", data)
        assert (code, "Read by a language model (m)" in said) == (0, True)
        code, said = run(capfd, "plan", VERDURE, "--llm", "fallback", "--data", data, "--json")
        assert (code, '"language_model"' in said) == (0, True)
    with openai_server("mumble", READ) as server:
        use(monkeypatch, server)
        code, said = run(capfd, "plan", VERDURE, "--data", data, "--explain", "--llm")
    assert code == 0
    assert "sent back: [not_json]" in said
    assert "“verdure”" in said
    assert run(capfd, "plan", VERDURE, "--data", data, "--llm=sometimes")[0] == 2
    code, said = run(capfd, "plan", VERDURE, "--data", data, "--tools", "earth_agent", "--llm")
    assert (code, "not those over a pack" in said) == (2, True)


# --- it always ends, fits, and obeys nobody --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "variables", "word", "most"),
    [
        (Reply("slow down", 429, {"retry-after-ms": "1"}), {"KNOWFLOW_LLM_RETRIES": 0}, "RateLimit", 1),
        (Reply(silent=True), {"KNOWFLOW_LLM_TIMEOUT": "0.3", "KNOWFLOW_LLM_RETRIES": 0}, "in time", 1),
        (Reply("nonsense"), {"KNOWFLOW_LLM_CALLS": 2}, "spent", 2),
        (Reply("nonsense"), {"KNOWFLOW_LLM_ATTEMPTS": 2}, "not_json", 2),
        (Reply(READ), {"KNOWFLOW_LLM_CALLS": "many"}, "KNOWFLOW_LLM_CALLS", 0),
    ],
)
def test_a_model_that_cannot_help_is_asked_no_more_than_it_may_be(
    refused: Refused, reply: Reply, variables: dict[str, object], word: str, most: int
) -> None:
    said, server = refused(VERDURE, reply, **variables)
    assert word in said
    assert len(server.requests) <= most


@pytest.mark.parametrize("form", ["```json\n{}\n```", "Sure! {} I hope it helps.", "<think>[1]</think>{}"])
def test_prose_around_the_json_is_passed_over(planned: Planned, form: str) -> None:
    found, _ = planned(
        VERDURE,
        Reply(
            form.replace("{}", json.dumps(READ), 1) if "think" not in form else "<think>{}</think>" + json.dumps(READ)
        ),
    )
    assert found.by_model is not None


def test_an_endpoint_that_takes_no_schema_is_told_it_in_words(
    flow: KnowFlow, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say(body: Mapping[str, Any]) -> Reply:
        return Reply("response_format is not supported", 400) if "response_format" in body else Reply(READ)

    with openai_server(say=say) as server:
        use(monkeypatch, server)
        found = flow.plan(VERDURE, data, llm="fallback")
    assert found.by_model is not None
    assert "JSON Schema" in server.requests[-1]["messages"][-1]["content"]


def test_requests_fit_a_small_context_whatever_the_data(
    flow: KnowFlow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    days = [f"20{year:02}-{month:02}-15" for year in range(10, 16) for month in range(1, 13)]
    folder = scene(tmp_path / "data", {**LAYERS[0], "values": "x", "dates": days}, LAYERS[1], size=[4, 4])
    long = json.dumps({"expression": {"over": {"x": ["verbose"] * 5000}}})
    with openai_server(Reply(long)) as server:
        use(monkeypatch, server)
        with pytest.raises(NotUnderstoodError):
            flow.plan(
                "Where did the verdure of burned forest near lakes fall most between 2010 and 2015?", folder, llm=True
            )
    assert len(server.requests) == 3
    for request in server.requests:
        messages = [Message(one["role"], one["content"]) for one in request["messages"]]
        schema = request["response_format"]["json_schema"]["schema"]
        assert estimated_tokens(messages, schema) <= MOST_TOKENS


def test_a_question_too_long_for_it_says_so(refused: Refused) -> None:
    said, server = refused(f"What is the mean verdure of {'very ' * 1900}?", READ)
    assert "too long for a language model" in said
    assert server.requests == []


def test_what_a_file_says_is_data_and_changes_nothing(
    flow: KnowFlow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = scene(tmp_path / "data", *LAYERS)
    cut = folder / "cut.tif"
    cut.write_bytes(next(folder.glob("dem*.tif")).read_bytes()[:200])
    moisture = answer(over(during(quantity("soil_moisture", "verdure"), "2022", "2022"), "space", "mean", "mean"))
    with openai_server(moisture, READ) as server:
        use(monkeypatch, server)
        found = flow.plan(VERDURE, folder, llm=True)
    assert found.by_model is not None
    assert str(tmp_path) not in str(server.requests), "files are named, not located"
