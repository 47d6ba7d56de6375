from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from example_runs import START
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from knowflow.execution.events import (
    Diagnosed,
    NodeEnded,
    NodeProgress,
    NodeStarted,
    PlanEdited,
    PlanRepaired,
    RunEnded,
    RunStarted,
    RunStopping,
)
from knowflow.execution.run_store import RunSummary
from knowflow.graph.check import MissingFact, WorkflowCheck
from knowflow.graph.justify import Justification
from knowflow.ground.errors import MissingFactError
from knowflow.ground.report import Problem
from knowflow.knowledge.retrieval import Hit, Retrieval, Term
from knowflow.memory.reflections import Reflection
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Diagnosis as Found
from knowflow.model.diagnosis import Evidence
from knowflow.model.edit import SetParameter, StateFacts
from knowflow.model.plan import Assumption
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Repaired, Trace
from knowflow.model.workflow import Edge, FromInput, Given, Node, Workflow
from knowflow.question.reading.reader import read
from knowflow.roof.notation import duration
from knowflow.roof.repair_words import edits_in_words, step_in_words
from knowflow.roof.terminal import answers
from knowflow.roof.terminal.answers import show_result
from knowflow.roof.terminal.catalogue import show_run, show_runs, show_tool
from knowflow.roof.terminal.console import _console, same_place
from knowflow.roof.terminal.live import LiveProgress
from knowflow.roof.terminal.plans import retrieved, show_explanation, show_plan
from knowflow.roof.terminal.problems import show_diagnoses, show_error_data, show_problems
from knowflow.roof.terminal.reading import reading_tree
from knowflow.roof.terminal.repairs import show_edit, show_repairs
from knowflow.service.advice import Advice
from knowflow.service.results import Diagnosis, Estimate, PlanResult, RunResult
from knowflow.service.run_edits import EditedRun

EVIL = "\x1b[31m[red]x[/red][/]"


def screen(width: int = 120, terminal: bool = False) -> Console:
    return Console(file=StringIO(), width=width, markup=False, emoji=False, highlight=False, force_terminal=terminal)


def text_of(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.fixture
def planned(completed: Trace) -> PlanResult:
    missing = MissingFact("trend", "known(crs)", "series[3]", "crs", "S2_2021-04-07_L2A.tif")
    edges = (
        Justification(
            Edge("product[2021-01-04]", "", "masked[2021-01-04]", "raster"), (("grid(output) kept", "same_grid"),)
        ),
        Justification(
            Edge("product[2021-02-05]", "", "masked[2021-02-05]", "raster"), (("grid(output) kept", "same_grid"),)
        ),
        Justification(Edge("trend", "", "answer", "x"), ()),
    )
    return PlanResult(
        completed.plan,
        WorkflowCheck(missing=(missing,), edges=edges),
        Estimate(12.0, 3_200_000, 28),
        ("notes.txt: not imagery",),
    )


def test_a_plan_shows_what_is_assumed_inserted_estimated_and_unknown(planned: PlanResult) -> None:
    console = screen()
    show_plan(console, planned)
    shown = text_of(console)
    for part in (
        "product × 12  spectral_index  ← series, align",
        "+ align",
        "by the planner: the scene of 2021-08-11 lies on another grid",
        "loses information: resampling smooths values",
        "confidence = 0.95",
        "assumed; the template's default",
        "scale = 0.0001",
        "you said so; --assume",
        "28 nodes, about 12.0\u00a0s and 3.2\u00a0MB of disk",
        "the crs of S2_2021-04-07_L2A.tif: --assume crs=VALUE",
        "Note: notes.txt: not imagery",
    ):
        assert part in shown, part


def test_an_explanation_names_choices_and_the_effect_behind_each_edge(planned: PlanResult) -> None:
    console = screen()
    earlier = Reflection(
        source="run", kind="mended", title="mean: nobody knows the scale", text="said of the file: scale"
    )
    show_explanation(console, planned, Advice((("Change of vegetation", "Compare the same season."),), (earlier,)))
    shown = text_of(console)
    assert "Change of vegetation: Compare the same season." in shown
    assert "mended: mean: nobody knows the scale: said of the file: scale" in shown
    assert "ndvi_from_reflectance, because red and nir are there" in shown
    assert "not ndvi_given: no file holds ndvi" in shown
    assert shown.count("product × 12 → masked × 12.raster") == 1
    assert "grid(output) kept  serves  same_grid" in shown
    assert "nothing justifies it" in shown


DIAGNOSIS = Found("grid_mismatch", "trend", "trend", evidence=(Evidence("grid", "that of a", "another"),))
REPAIRED = Repaired(
    1,
    NodeRecord("trend", "failed"),
    DIAGNOSIS,
    "rule:align_grids",
    "IF ... THEN ...",
    "so that they fit",
    (SetParameter("trend", "x", Given(1)),),
    lossy="some \x1b[31mdetail",
)


def events(status: str = "done") -> list[object]:
    error = {"message": "not physical"} if status == "failed" else None
    record = NodeRecord("trend", status, error=error, started=START, finished=START + 2)  # type: ignore[arg-type]
    return [
        RunStarted("run-1", "Trend", 2, "http://127.0.0.1:4200/runs/1"),
        NodeStarted("trend", "Linear trend"),
        NodeProgress("trend", 0.5),
        NodeEnded("Linear trend", record, 1, 2),
        Diagnosed("Linear trend", DIAGNOSIS),
        PlanRepaired(REPAIRED),
        PlanEdited("align", 3),
        RunStopping(("x",)),
        NodeEnded("Mean", NodeRecord("mean", "skipped"), 2, 3),
        RunEnded("run-1", "failed", "1 node failed"),
    ]


@pytest.mark.parametrize("terminal", [False, True])
def test_live_progress_tells_of_failures_edits_and_the_address(terminal: bool) -> None:
    console = screen(terminal=terminal)
    with LiveProgress(console) as live:
        for event in events("failed"):
            live(event)  # type: ignore[arg-type]
    shown = text_of(console)
    for part in ("run-1", "http://127.0.0.1:4200/runs/1", "not physical", "1 node under way"):
        assert part in shown, part
    for part in ("rasters on different grids", "by the rule align_grids: set x of trend to 1", "gives up: some"):
        assert part in shown, part


def test_every_node_gets_one_line_where_that_is_wanted() -> None:
    console = screen()
    with LiveProgress(console, each=True) as live:
        for event in events():
            live(event)  # type: ignore[arg-type]
    lines = text_of(console).splitlines()
    assert [line for line in lines if line.startswith(("✓", "–"))] == [
        "✓ Linear trend  2.00\u00a0s",
        "– Mean  not started",
    ]


DATES = [f"2017-0{month}-11" for month in range(1, 8)]


@given(
    order=st.permutations(range(8)),
    cached=st.sets(st.sampled_from(range(7))),
    failed=st.none() | st.sampled_from(range(7)),
)
def test_a_kind_of_step_is_one_line_however_its_nodes_end(
    order: list[int], cached: set[int], failed: int | None
) -> None:
    masks = [
        Node(f"it.masked.{day}", "mask_clouds", {}, title=f"Leave out clouds, {day}", step="it.masked") for day in DATES
    ]
    nodes = [*masks, Node("mean", "raster_statistic", {}, title="Mean, one number")]
    cached = cached - {failed}
    console = screen()
    with LiveProgress(console) as live:
        live(RunStarted("run-1", "Mean", len(nodes), None, Workflow(tuple(nodes))))
        for settled, at in enumerate(order, 1):
            status = "cached" if at in cached else "failed" if at == failed else "done"
            error = {"message": "a bad tile"} if status == "failed" else None
            times = (None, None) if status == "cached" else (START + at, START + at + 1)
            live(NodeStarted(nodes[at].id, nodes[at].title))
            record = NodeRecord(nodes[at].id, status, error=error, started=times[0], finished=times[1])
            live(NodeEnded(nodes[at].title, record, settled, len(nodes)))
    lines = text_of(console).splitlines()
    ran = [at for at in range(7) if at not in cached]
    spent = [duration(max(ran) + 1 - min(ran))] if ran else []
    spent += ["from cache"] if len(cached) == 7 else [f"{len(cached)} from cache"] if cached else []
    mark = "✓" if failed is None else "✗"
    assert [line for line in lines if " × 7 " in line] == [f"{mark} Leave out clouds × 7  {', '.join(spent)}"]
    assert sum("Mean, one number" in line for line in lines) == 1
    assert [line for line in lines if "a bad tile" in line] == (
        [] if failed is None else [f"✗ Leave out clouds, {DATES[failed]}  {duration(1)}  a bad tile"]
    )


def test_a_step_that_was_repaired_is_told_again_and_one_that_stops_half_way_says_how_far() -> None:
    nodes = tuple(
        Node(f"it.masked.{day}", "mask_clouds", {}, title=f"Leave out clouds, {day}", step="it.masked")
        for day in DATES[:2]
    )
    console = screen()
    with LiveProgress(console) as live:
        live(RunStarted("run-1", "Mean", 2, None, Workflow(nodes)))
        for node in nodes:
            live(NodeEnded(node.title, NodeRecord(node.id, "done", started=START, finished=START + 2), 1, 2))
        live(PlanEdited("scale", 2, Workflow(nodes)))
        live(NodeStarted(nodes[0].id, nodes[0].title))
        live(NodeEnded(nodes[0].title, NodeRecord(nodes[0].id, "done", started=START, finished=START + 3), 2, 2))
        live(NodeStarted(nodes[1].id, nodes[1].title))
        live(RunEnded("run-1", "interrupted", "as asked"))
    lines = text_of(console).splitlines()
    assert [line for line in lines if "clouds" in line] == [
        "✓ Leave out clouds × 2  2.00\u00a0s",
        "✓ Leave out clouds × 2  3.00\u00a0s",
        "– Leave out clouds  1 of 2",
    ]


@pytest.mark.parametrize(("width", "bar"), [(60, 13), (80, 20), (120, 24)])
def test_the_bar_has_room_on_a_narrow_screen(width: int, bar: int) -> None:
    console = screen(width, terminal=True)
    with LiveProgress(console) as live:
        live(RunStarted("run-1", "Trend", 1, None))
        live(NodeStarted("trend", "Linear trend of the yearly maxima of all scenes of the series"))
        live(NodeProgress("trend", 1.0))
    assert max(len(line) for line in re.findall("━+", text_of(console))) == bar
    assert re.search(r"series +━+ 100 % \d:\d\d:\d\d", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text_of(console)))


@pytest.mark.parametrize(("asked", "width"), [("60", 60), ("", 160), ("0", 160)])
def test_what_is_piped_on_is_as_wide_as_columns_says(monkeypatch: pytest.MonkeyPatch, asked: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", asked)
    assert _console(stderr=False).width == width


def test_a_second_run_can_be_shown_after_the_first() -> None:
    console = screen(terminal=True)
    with LiveProgress(console) as live:
        for event in (*events(), *events()):
            live(event)  # type: ignore[arg-type]
    assert text_of(console).count("run-1") == 2


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Console:
    console = screen()
    monkeypatch.setattr(answers, "output", lambda: console)
    return console


def test_an_answer_has_its_unit_its_files_and_what_was_assumed(printed: Console) -> None:
    result = RunResult(
        "How large?",
        "completed",
        answer=123456789.0,
        unit="m2",
        outputs={"map": "/out/map.tif"},
        assumptions=(Assumption("crs", "EPSG:32633", "user"),),
        inserted=("reproject",),
        report="/out/report.html",
    )
    show_result(result, screen())
    shown = text_of(printed)
    for part in ("123,456,789 m²", "12,346 ha", "/out/map.tif", "/out/report.html", "crs = EPSG:32633", "reproject"):
        assert part in shown, part


def test_the_other_numbers_of_a_run_stand_below_the_answer(printed: Console) -> None:
    values = {"share": {"value": 0.25, "unit": "1"}, "area": {"value": 3.5, "unit": "km2"}}
    show_result(RunResult("q", "completed", answer=0.25, unit="1", values=values), screen())
    lines = text_of(printed).splitlines()
    assert "share  0.25" in lines[2]
    assert "area  3.5 km²" in lines[3]
    assert len(lines) == 5


def test_equal_numbers_of_a_run_are_told_apart(printed: Console) -> None:
    values = {"mean": {"value": 5, "unit": "mm"}, "maximum": {"value": 5, "unit": "mm"}}
    show_result(RunResult("q", "completed", answer=5, unit="mm", values=values), screen())
    assert [line.strip("│ ") for line in text_of(printed).splitlines()[2:4]] == ["mean  5 mm", "maximum  5 mm"]


def test_an_answer_told_in_the_unit_that_was_asked_for_is_not_told_in_another_as_well(
    printed: Console, completed: Trace
) -> None:
    name = completed.answer_name or ""
    values = {name: {"value": 302.5, "unit": "K"}, "before": {"value": 300.5, "unit": "K"}}
    show_result(RunResult("q", "completed", answer=29.35, unit="degC", values=values, trace=completed), screen())
    assert "29.35" in text_of(printed)
    assert "300.5" in text_of(printed)
    assert "302.5" not in text_of(printed)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ([{"zone": 1, "mean": 0.5}] * 20, "and 8 more rows"),
        (None, "The result is in map"),
        ("2021-07-03", "2021-07-03"),
        ({"slope": 0.1}, "slope  0.1"),
        ([1.5, 2.5], "2 rows"),
    ],
)
def test_answers_of_every_kind_are_printed(printed: Console, answer: object, part: str) -> None:
    show_result(RunResult("q", "completed", answer=answer, outputs={"map": "m.tif"}), screen())
    assert part in text_of(printed)


def test_one_row_is_printed_as_names_and_values(printed: Console) -> None:
    row = {"valid_fraction": 0.5, **{f"p{n}": float(n) for n in range(0, 100, 5)}}
    show_result(RunResult("q", "completed", answer=[row]), screen())
    lines = [line.rstrip() for line in text_of(printed).splitlines()]
    assert "valid fraction  0.5" in lines
    assert "p95             95" in lines


def test_columns_that_do_not_fit_go_on_below_beside_the_first(printed: Console) -> None:
    printed.width = 40
    rows = [{"date": f"2022-0{month}-01", **{f"number_{n}": month + n / 10 for n in range(9)}} for month in (1, 2)]
    show_result(RunResult("q", "completed", answer=rows), screen())
    lines = [line.rstrip() for line in text_of(printed).splitlines()]
    assert max(map(len, lines)) <= 40
    assert sum(line.startswith("2022-01-01 ") for line in lines) == sum(line.startswith("date ") for line in lines) > 2
    assert {f"number_{n}" for n in range(9)} <= set(text_of(printed).split())


@pytest.mark.parametrize(
    ("parameter", "allowed"),
    [
        ({"type": "string", "choices": ["mean", "median"]}, "one of mean, median"),
        ({"type": "string", "choices_from": "spyndex"}, "an index of the spyndex catalogue, such as NDVI"),
        ({"type": "number", "minimum": 0, "maximum": 6, "unit": "g cm-2"}, "0 to 6 g cm-2"),
        ({"type": "integer", "minimum": 0}, "at least 0"),
        ({"type": "number", "maximum": 0.5}, "at most 0.5"),
        ({"type": "number"}, ""),
    ],
)
def test_a_tool_tells_which_values_a_parameter_takes(parameter: dict[str, object], allowed: str) -> None:
    document = {"tool": "t", "title": "T", "kit": "analysis", "layers": [2], "run": "python:m:f"}
    tool = ToolSchema.model_validate({**document, "parameters": {"x": {"title": "a thing", **parameter}}})
    console = screen()
    show_tool(console, tool)
    lines = [line.strip() for line in text_of(console).splitlines()]
    named = next(index for index, line in enumerate(lines) if line.endswith("a thing"))
    assert lines[named + 1] == allowed or (allowed == "" and lines[named + 1].startswith("kit "))


def test_a_failed_run_prints_nothing_on_standard_output(printed: Console) -> None:
    messages = screen()
    error = MissingFactError("nobody knows the crs", where="trend", hint="--assume crs=EPSG:32633").to_json()
    show_result(RunResult("q", "refused", error=error), messages)
    assert text_of(printed) == ""
    assert "Error: nobody knows the crs  [missing_fact]" in text_of(messages)
    assert "to do    --assume crs=EPSG:32633" in text_of(messages)


def test_an_interrupted_run_says_how_to_go_on(printed: Console) -> None:
    messages = screen()
    show_result(RunResult("q", "interrupted", run_id="run-7"), messages)
    assert "knowflow runs resume run-7" in text_of(messages)


def test_problems_stand_at_their_place_with_what_to_do() -> None:
    console = screen()
    show_problems(
        console,
        [
            Problem("cycle", "a DAG", "a -> b -> a", "break it", "steps.a", "t.yaml", 7),
            Problem("shadowed", "one", "two", severity="warning"),
        ],
    )
    shown = text_of(console)
    for part in ("t.yaml:7  cycle  steps.a", "expected a DAG", "found    a -> b -> a", "hint     break it"):
        assert part in shown, part
    assert shown.endswith("1 problem, 1 warning\n")


def test_a_diagnosis_that_is_fine_needs_no_hint() -> None:
    console = screen()
    show_diagnoses(
        console, [Diagnosis("python", True, "3.11", "upgrade"), Diagnosis("gdal", False, "none", "reinstall")]
    )
    assert "upgrade" not in text_of(console)
    assert "reinstall" in text_of(console)


def test_text_from_anywhere_cannot_control_the_terminal(planned: PlanResult, printed: Console) -> None:
    console = screen()
    evil = replace(planned.plan, title=EVIL, query=EVIL, assumptions=(Assumption(EVIL, EVIL, EVIL, EVIL),))
    show_plan(console, replace(planned, plan=evil, notes=(EVIL,)))
    error = MissingFactError(EVIL, where=EVIL, found=EVIL, problems=[Problem(EVIL, EVIL, EVIL, EVIL)])
    show_error_data(console, error.to_json())
    show_result(RunResult(EVIL, "completed", answer=[{EVIL: EVIL}], outputs={EVIL: EVIL}), console)
    for shown in (text_of(console), text_of(printed)):
        assert "\x1b" not in shown
        assert "[red]x[/red]" in shown


def test_a_run_shows_each_repair_with_its_cause_and_who_made_it(repaired: Trace) -> None:
    console = screen()
    show_run(console, repaired)
    shown = text_of(console)
    for part in (
        "Repair 1  by the rule align_grids",
        "product[2021-08-11]: the rasters are on different grids",
        "rasters on different grids [grid_mismatch]",
        "grid of red: EPSG:32632 24x24 at 30x30, expected EPSG:32633 24x24 at 20x20 (measured)",
        "insert align_to (align) before product[2021-08-11].bands.red",
        "IF any tool fails with error('grid_mismatch') THEN insert_tool('align_to')",
        "gives up  resampling smooths values",
        "new: align; changed: product[2021-08-11]",
        "a language model: replace <b>everything</b> by magic",
        "unknown_tool: expected a tool that exists",
        "Edit 2  by a person",
        "set trend.confidence to 0.95",
    ):
        assert part in shown, part
    assert "unknown" not in shown.split("Edit 2")[1], "a person's wish has no cause"


def test_a_repair_names_steps_by_what_they_do_while_the_run_goes_on(repaired: Trace) -> None:
    first, second = repaired.repairs
    assert edits_in_words(first) == (
        "insert “Bring the scene onto the grid of the others” before “Vegetation index of 2021-08-11”"
    )
    assert edits_in_words(second) == "set confidence of “Linear trend” to 0.95"
    stated = StateFacts((FromInput("it", (1,)),), {"nodata": -9999})
    series = Artifact("raster_series", items=(Artifact("raster", path="a/x.tif"), Artifact("raster", path="a/y.tif")))
    assert edits_in_words(replace(first, edits=(stated,), inputs={"it": series})) == "state nodata=-9999 of y.tif"
    assert step_in_words(repaired.plan.workflow.nodes, "gone") == "gone"


def test_a_run_that_was_gone_on_with_shows_how_it_ended_before(hopeless: Trace) -> None:
    console = screen()
    again = replace(hopeless, status="failed", error={"code": "x", "message": "nobody knows the scale"}).with_attempt()
    again = replace(again, status="completed", error=None, resumed=again.started + 60).with_attempt()
    show_run(console, again)
    shown = [line for line in text_of(console).splitlines() if line.startswith("before")]
    assert len(shown) == 2
    assert "failed  nobody knows the scale" in shown[0]
    assert "completed" in shown[1]
    assert Trace.from_json(again.to_json()).attempts == again.attempts
    assert again.with_attempt() is again


def test_a_run_that_was_not_repaired_shows_its_cause_what_to_do_and_what_was_refused(hopeless: Trace) -> None:
    console = screen()
    show_run(console, hopeless)
    shown = text_of(console)
    for part in (
        "Not repaired  “Linear trend”  trend",
        "stored numbers that were not scaled (probably) [scale_missing]",
        "guilty    product[2021-08-11]",
        "to do     say the factor: --assume scale=... (and offset=...)",
        "the rule rescale: insert apply_scale",
        "scale of <b>it</b> is not known",
    ):
        assert part in shown, part


def test_a_run_without_a_fault_shows_no_repairs(completed: Trace) -> None:
    console = screen()
    show_repairs(console, completed)
    assert text_of(console) == ""


def test_an_edit_shows_what_is_kept_and_what_is_computed_again(completed: Trace) -> None:
    edited = EditedRun(
        "run-1",
        completed.plan,
        completed.plan,
        ("set trend.confidence to 0.9",),
        changed=("trend",),
        kept=tuple(f"n{number}" for number in range(9)),
        again=("trend", "answer"),
        rest=("late",),
    )
    console = screen()
    show_edit(console, edited)
    shown = text_of(console)
    assert "9 of 11 results are kept, 2 computed again; 1 had none yet" in shown
    assert "again     trend, answer" in shown


def test_what_was_said_with_the_plan_is_only_counted_where_the_answer_is_seen_below_it(
    planned: PlanResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(file=StringIO(), width=120, force_terminal=True, color_system=None)
    monkeypatch.setattr(answers, "output", lambda: console)
    before, later = Assumption("crs", "EPSG:32633", "user"), Assumption("nodata", 255, "rule")
    planned = replace(planned, plan=replace(planned.plan, assumptions=(before,)), notes=("dry",))
    show_plan(console, planned, notes=False)
    result = RunResult("q", "completed", answer=1.0, assumptions=(before, later), notes=("dry", "no report"))
    show_result(result, console, planned)
    shown = text_of(console)
    for part in ("Assumed  1 thing, as said above", "nodata = 255", "Note: no report"):
        assert part in shown, part
    assert [shown.count(part) for part in ("EPSG:32633", "Note: dry")] == [1, 1]


def test_an_answer_that_is_piped_on_says_all_that_it_rests_on(planned: PlanResult, printed: Console) -> None:
    result = RunResult("q", "completed", answer=1.0, assumptions=planned.plan.assumptions, notes=planned.notes)
    show_result(result, screen(terminal=True), planned)
    shown = text_of(printed)
    assert all(str(one.what) in shown for one in planned.plan.assumptions)
    assert "Note: notes.txt: not imagery" in shown


@pytest.mark.parametrize(("width", "words"), [(60, ("8/8", "12.0 s")), (120, ("8/8", "2021-04-07", "12.0 s"))])
def test_the_list_of_runs_breaks_no_word_of_a_status_on_a_narrow_screen(width: int, words: tuple[str, ...]) -> None:
    began, question = 1_617_790_000.0, "What share of the scene is dense vegetation, and how large is it?"
    run = RunSummary("20210407-100640-beef", "completed", question, "", began, None, 12.0, 8, 8, Path())
    console = screen(width)
    show_runs(console, [run])
    first = text_of(console).replace("\u00a0", " ").splitlines()[1]
    assert all(word in first for word in ("20210407-100640-beef", "completed", *words))


def test_what_was_searched_keeps_its_scores_on_a_narrow_screen() -> None:
    long = "Share and area of a class, or beyond a limit, in each polygon of a vector layer"
    hit = Hit("card", long, 0.75, (Term("cosine", 0.75, ()),))
    console = screen(40)
    console.print(retrieved(Retrieval("shares", 0.4, (hit,), ())))
    assert text_of(console).count("0.75") == 2


def test_an_operator_of_one_part_is_shown_by_its_name_alone() -> None:
    console = Console(file=StringIO(), width=120)
    console.print(reading_tree(read("What is the NDVI trend?"), read("What is the NDVI trend?").candidates()[0]))
    assert isinstance(console.file, StringIO)
    assert "{" not in console.file.getvalue()


def test_consoles_that_write_to_one_file_are_read_together(tmp_path: Path) -> None:
    both, other = tmp_path / "both.txt", tmp_path / "other.txt"
    with both.open("a") as out, both.open("a") as err, other.open("a") as aside:
        assert same_place(Console(file=out), Console(file=err))
        assert not same_place(Console(file=out), Console(file=aside))
    assert not same_place(Console(file=StringIO()), Console(file=StringIO()))
