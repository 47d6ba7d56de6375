from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import typer.core
import typer.main
import yaml

from knowflow import __version__
from knowflow.graph.export import to_mermaid
from knowflow.ground.errors import NotUnderstoodError
from knowflow.knowledge.plan_document import save_plan
from knowflow.model.plan import Plan
from knowflow.model.template import Scene, SceneLayer
from knowflow.model.trace import Trace
from knowflow.roof.cli import main
from knowflow.roof.cli.app import app, asked_alone
from knowflow.roof.drawing import draw
from knowflow.roof.library import KnowFlow
from knowflow.roof.outline import outline
from knowflow.service.results import Diagnosis, RunResult
from knowflow.testing.demo import write_demo
from knowflow.testing.scenes import write_scene

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def knowflow(capfd: pytest.CaptureFixture[str]) -> Call:
    """Run a command in this process: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capfd.readouterr()
        return int(end.value.code or 0), out, err

    return call


def answering(monkeypatch: pytest.MonkeyPatch, *results: RunResult) -> list[tuple[Any, dict[str, Any]]]:
    """Let one question after the other get these results, without end the last; the questions asked."""
    asked: list[tuple[Any, dict[str, Any]]] = []

    def run(self: KnowFlow, query: Any, data: Any = None, **options: Any) -> RunResult:
        asked.append((query, {"data": data, **options}))
        return results[min(len(asked), len(results)) - 1]

    monkeypatch.setattr(KnowFlow, "run", run)
    return asked


DONE = RunResult("q", "completed", answer=0.42, unit="1", outputs={"map": "map.tif"}, run_id="r", report="report.html")


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from knowflow.roof.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pydantic', 'networkx', 'rich', 'numpy', 'yaml', 'rasterio', 'prefect', 'jinja2', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version_and_help_exit_with_0(knowflow: Call) -> None:
    assert knowflow("--version") == (0, f"knowflow {__version__}\n", "")
    code, out, _ = knowflow("--help")
    assert code == 0
    for command in ("demo", "run", "plan", "check", "tools", "templates", "runs", "ui", "doctor"):
        assert f"\n  {command} " in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("run",),
        ("run", "how green?"),
        ("plan", "how green?"),
        ("run", "how green?", "--data", "d", "--set", "threshold"),
        ("run", "how green?", "--data", "d", "--runner", "cluster"),
        ("run", "how green?", "--data", ""),
        ("run", "how green?", "--data", ".", "--out", ""),
        ("run", "how green?", "--data", ".", "--set", "threshold=1", "--set", "threshold=2"),
        ("data", ""),
        ("check", ""),
        ("run", "gone.yaml"),
        ("tools", "show", "no_such_tool"),
        ("tools", "list", "--kit", "no_such_kit"),
        ("templates", "list", "--layer", "4"),
        ("templates", "show", "no_such_template"),
        ("runs", "show", "no_such_run"),
        ("check", "no_such_file.yaml"),
        ("templates", "new", "Not A Name"),
    ],
)
def test_bad_usage_and_input_exit_with_2_and_never_a_traceback(knowflow: Call, arguments: tuple[str, ...]) -> None:
    code, out, err = knowflow(*arguments)
    assert code == 2
    assert out == ""
    assert "Error" in err
    assert "Traceback" not in err


def commands_of(group: Any, *above: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        yield (*above, name), command
        if hasattr(command, "commands"):
            yield from commands_of(command, *above, name)


def test_every_command_says_what_it_does_in_one_line_of_a_list() -> None:
    commands = dict(commands_of(typer.main.get_command(app)))
    assert len(commands) > 30
    summaries = {name: (command.help or "").partition("\n\n")[0] for name, command in commands.items()}
    assert {name: text for name, text in summaries.items() if not 10 <= len(" ".join(text.split())) <= 64} == {}


def test_of_the_command_that_is_asked_for_alone_the_same_is_told() -> None:
    whole = typer.main.get_command(app)
    assert isinstance(whole, typer.core.TyperGroup)
    for name, command in whole.commands.items():
        alone = typer.main.get_command(asked_alone(["--trust-data", name, "plan"]))
        assert isinstance(alone, typer.core.TyperGroup)
        assert [*alone.commands] == [name]
        told = [one.get_help(typer.Context(one, info_name=name)) for one in (command, alone.commands[name])]
        assert told[0] == told[1]
    assert asked_alone(["plam"]) is asked_alone(["-h"]) is app


def test_a_saved_plan_is_not_taken_for_a_question(knowflow: Call) -> None:
    code, _, err = knowflow("plan", "saved.yaml", "--data", "anywhere")
    assert code == 2
    assert "knowflow run saved.yaml --dry-run" in " ".join(err.split())


def test_an_error_is_json_on_standard_error_when_json_is_asked_for(knowflow: Call) -> None:
    code, out, err = knowflow("tools", "show", "no_such_tool", "--json")
    assert (code, out) == (2, "")
    assert json.loads(err)["error"]["code"] == "unknown_name"


def test_run_hands_every_option_on(knowflow: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = answering(monkeypatch, DONE)
    options = [
        "--data",
        str(tmp_path),
        "--aoi",
        "1,2,3,4",
        "--dates",
        "2021-01-01/2021-12-31",
        "--set",
        "threshold=0.6",
    ]
    options += ["--set", "side=above", "--assume", "crs=EPSG:32633", "--out", str(tmp_path / "o"), "--runner", "local"]
    code, _, _ = knowflow("run", "how green?", *options, "--dry-run", "--json")
    ((query, given),) = asked
    assert code == 0
    assert query == "how green?"
    assert given["set"] == {"threshold": 0.6, "side": "above"}
    assert given["assume"] == ["crs=EPSG:32633"]
    assert (given["data"], given["out"]) == ([str(tmp_path)], tmp_path / "o")
    assert (given["aoi"], given["dates"], given["runner"]) == ("1,2,3,4", "2021-01-01/2021-12-31", "local")
    assert given["dry_run"] is True


def test_prefect_is_the_default_runner(knowflow: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = answering(monkeypatch, DONE)
    knowflow("run", "how green?", "--data", str(tmp_path), "--json")
    assert asked[0][1]["runner"] == "prefect"


def test_run_json_has_the_documented_shape(knowflow: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, DONE)
    code, out, err = knowflow("run", "how green?", "--data", ".", "--json")
    assert (code, err) == (0, "")
    documented = {"status", "answer", "unit", "outputs", "repairs", "nodes", "assumptions", "run_id", "report", "ui"}
    assert documented <= set(json.loads(out))


@pytest.mark.parametrize(("status", "error", "code"), [("failed", {"code": "effect"}, 3), ("refused", None, 2)])
def test_a_run_that_did_not_complete_says_so_on_both_streams(
    knowflow: Call, monkeypatch: pytest.MonkeyPatch, status: Any, error: Any, code: int
) -> None:
    refusal = NotUnderstoodError("what?").to_json() | {"exit_code": 2}
    answering(monkeypatch, RunResult("q", status, error=error or refusal))
    found, out, err = knowflow("run", "q", "--data", ".", "--json")
    assert found == code
    assert json.loads(out)["status"] == status
    assert "code" in json.loads(err)["error"]


def test_numbers_that_json_has_no_word_for_become_null(knowflow: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, RunResult("q", "completed", answer=float("nan")))
    assert json.loads(knowflow("run", "q", "--data", ".", "--json")[1])["answer"] is None


def test_the_answer_goes_to_standard_output_and_the_rest_to_standard_error(
    knowflow: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, DONE)
    code, out, _ = knowflow("run", "q", "--data", ".")
    assert code == 0
    assert "0.42" in out
    assert "report.html" in out


def test_a_saved_plan_is_executed_instead_of_asked(
    knowflow: Call, monkeypatch: pytest.MonkeyPatch, completed: Trace, tmp_path: Path
) -> None:
    asked = answering(monkeypatch, DONE)
    save_plan(completed.plan, tmp_path / "plan.yaml")
    assert knowflow("run", str(tmp_path / "plan.yaml"), "--json")[0] == 0
    assert isinstance(asked[0][0], Plan)
    assert asked[0][0].workflow == completed.plan.workflow


def test_demo_json_has_the_documented_shape(knowflow: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nodes = ({"id": "a", "tool": "t"}, {"id": "b", "tool": "t"})
    result = RunResult("q", "completed", answer=1, unit="ha", nodes=nodes, inserted=("b",), report="r.html")
    answering(monkeypatch, result, result, result)
    code, out, _ = knowflow("demo", "--out", str(tmp_path), "--json")
    (first, _, _) = json.loads(out)["answers"]
    assert code == 0
    assert {"query", "answer", "unit", "plan_nodes", "inserted_nodes", "report"} <= set(first)
    assert (first["plan_nodes"], first["inserted_nodes"]) == (["a", "b"], ["b"])


def test_one_failed_question_fails_the_demo(knowflow: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answering(monkeypatch, DONE, RunResult("q", "failed", error={"message": "broken"}), DONE)
    code, out, err = knowflow("demo", "--out", str(tmp_path))
    assert code == 3
    assert "0.42" in out
    assert "broken" in err


def test_the_demo_shows_each_answer_before_the_next_question(
    knowflow: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[str] = []
    monkeypatch.setattr(KnowFlow, "run", lambda self, query, *_, **__: told.append("asked") or DONE)
    monkeypatch.setattr("knowflow.roof.terminal.answers.show_result", lambda *_: told.append("answered"))
    assert knowflow("demo", "--out", str(tmp_path))[0] == 0
    assert told == ["asked", "answered"] * 3


def test_a_single_tool_runs_with_the_runner_asked_for(knowflow: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answering(monkeypatch, DONE)
    assert knowflow("tools", "run", "mean", "x=1,2", "--json")[0] == 0
    assert knowflow("tools", "run", "mean", "x=1,2", "--runner", "prefect", "--json")[0] == 0
    assert [given["runner"] for _, given in asked] == ["local", "prefect"]


def test_data_shows_what_is_known_of_a_folder_and_what_to_say(knowflow: Call, tmp_path: Path) -> None:
    folder = write_demo(tmp_path)["sentinel2"]
    code, out, _ = knowflow("data", str(folder))
    assert code == 0
    assert '--assume "sentinel2_sample_*:quantity=VALUE,crs=VALUE"' in out
    assert "300 x 300 pixels" in out
    (folder / "x.docx").write_text("?")
    assumed = ["--assume", "crs=EPSG:32633,resolution=10,quantity=surface_bidirectional_reflectance"]
    code, out, _ = knowflow("data", str(folder), *assumed, "--assume", "x:unit=K")
    assert code == 0
    for part in ("you said  EPSG:32633, 10 m, quantity", "x.docx: not a raster", "no file is called x", "4 files"):
        assert part in out
    groups = json.loads(knowflow("data", str(folder), *assumed, "--json")[1])["groups"]
    assert [group["quantity"] for group in groups] == ["surface_bidirectional_reflectance"]


def test_data_tells_what_speaks_for_one_file(knowflow: Call, tmp_path: Path) -> None:
    folder = write_demo(tmp_path)["trend"]
    file = min(folder.glob("*.tif"))
    code, out, _ = knowflow("data", str(folder), "--why", file.name)
    assert code == 0
    assert file.name in out
    assert "declared" in out
    about = json.loads(knowflow("data", str(folder), "--why", str(file), "--json")[1])
    assert about["file"] == file.name
    assert about["layers"][0]["facts"]["crs"]["origin"] == "measured"
    assert knowflow("data", str(folder), "--why", "nothing")[0] == 2


def test_a_folder_is_described_checked_and_read_as_described(knowflow: Call, tmp_path: Path) -> None:
    folder = write_demo(tmp_path)["sentinel2"]
    code, out, _ = knowflow("data", str(folder), "--describe")
    assert (code, "# datetime: VALUE  # nobody knows" in out) == (0, True)
    described = out.replace(
        "# quantity: surface_bidirectional_reflectance", "quantity: surface_bidirectional_reflectance"
    )
    (folder / "knowflow.yaml").write_text(described)
    assert knowflow("check", str(folder / "knowflow.yaml"))[0] == 0
    (layer,) = json.loads(knowflow("data", str(folder), "--json")[1])["layers"]
    assert layer["quantity"] == "surface_bidirectional_reflectance"
    (folder / "knowflow.yaml").write_text(described.replace("surface_bidirectional", "surfaces_bidirectional"))
    code, out, err = knowflow("data", str(folder))
    assert code == 1
    assert "knowflow.yaml" in err
    assert "surface_bidirectional_reflectance" in err


def test_data_of_a_period_and_of_nothing(knowflow: Call, tmp_path: Path) -> None:
    folder = write_demo(tmp_path)["trend"]
    _, out, _ = knowflow("data", str(folder), "--dates", "2016-01-01/2017-12-31")
    assert "2 dates from 2016-07-08 to 2017-07-01" in out
    code, out, err = knowflow("data", str(tmp_path / "nowhere"))
    assert (code, out) == (2, "")
    assert "does not exist" in err


def test_a_grid_is_told_by_columns_and_rows_with_four_digits(knowflow: Call, tmp_path: Path) -> None:
    write_scene(
        Scene(size=(20, 30), resolution=9.9947922, layers=(SceneLayer(name="dem", quantity="elevation", values="x"),)),
        tmp_path,
    )
    assert " 30 x 20 pixels, 9.995 m\n" in knowflow("data", str(tmp_path))[1].replace(" \n", "\n")


def test_check_finds_problems_of_a_file_with_its_line(knowflow: Call, tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("template: t\ntitle: T\nlayer: 3\nsteps:\n  a: {tool: no_such_tool}\noutputs: {answer: $a}\n")
    code, out, _ = knowflow("check", str(path), "--json")
    found = json.loads(out)["problems"]
    assert code == 1
    assert {"file", "line", "code", "where", "expected", "found", "hint"} <= set(found[0])
    assert any(problem["line"] == 5 for problem in found)
    code, out, _ = knowflow("check", str(path))
    assert code == 1
    assert f"{path}:5" in out


def test_a_new_template_checks_and_passes_its_own_test(knowflow: Call) -> None:
    code, out, _ = knowflow("templates", "new", "my_first", "--json")
    path = json.loads(out)["file"]
    assert code == 0
    assert knowflow("check", path)[0] == 0
    code, out, _ = knowflow("templates", "test", "my_first", "--json")
    assert (code, json.loads(out)["passed"]) == (0, True), out


@pytest.mark.parametrize("name", ["seasonal_cycle", "burn_severity_classes"])
def test_a_kept_scene_can_be_asked_about(knowflow: Call, tmp_path: Path, name: str) -> None:
    code, out, _ = knowflow("templates", "test", name, "--keep", str(tmp_path), "--json")
    commands = [test["again"] for test in json.loads(out)["tests"]]
    assert code == 0
    assert {Path(words[words.index("--data") + 1]) for words in commands} == set(tmp_path.glob(f"{name}/*/data"))
    for program, command, *words in commands:
        assert (program, command) == ("knowflow", "run")
        assert json.loads(knowflow("plan", *words, "--json")[1])["template"] == name
    code, _, err = knowflow("templates", "test", name, "--keep", str(tmp_path))
    assert code == 2
    assert "would be mixed" in err


def test_a_new_template_never_overwrites(knowflow: Call) -> None:
    assert knowflow("templates", "new", "mine")[0] == 0
    code, _, err = knowflow("templates", "new", "mine")
    assert code == 2
    assert "exists already" in err


def test_a_new_template_of_a_name_that_is_taken_says_what_it_hides(
    knowflow: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".knowflow").mkdir()
    code, out, err = knowflow("templates", "new", "seasonal_cycle")
    assert (code, out) == (0, ".knowflow/templates/seasonal_cycle.yaml\n")
    assert "stands in for seasonal_cycle of" in err
    assert "stands in" not in knowflow("templates", "new", "my_trend")[2]


def test_json_schemas_accept_the_new_template_and_refuse_a_typo(knowflow: Call, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    assert knowflow("check", "--write-schemas", str(tmp_path))[0] == 0
    schema = json.loads((tmp_path / "template.schema.json").read_text("utf-8"))
    path = json.loads(knowflow("templates", "new", "mine", "--json")[1])["file"]
    document = json.loads(json.dumps(yaml.safe_load(Path(path).read_text("utf-8")), default=str))
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"titel": "x"}, schema)


def test_every_template_can_be_rendered() -> None:
    templates = KnowFlow().catalogue.templates
    assert len(templates) > 40
    for template in templates.values():
        plan = outline(template)
        assert to_mermaid(plan).startswith("flowchart")
        steps = [text for text in ElementTree.fromstring(draw(plan)).itertext() if text.strip()]
        assert len(steps) >= len(template.steps)


def test_a_template_is_rendered_into_a_file(knowflow: Call, tmp_path: Path) -> None:
    picture = tmp_path / "drawn" / "t.svg"
    code, out, _ = knowflow("templates", "render", "burn_severity_classes", "--svg", str(picture), "--json")
    assert code == 0
    assert json.loads(out)["mermaid"].startswith("flowchart")
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.parametrize("name", ["spectral_index", "align_to"])
def test_a_tool_tells_its_conditions_and_effects(knowflow: Call, name: str) -> None:
    code, out, _ = knowflow("tools", "show", name)
    assert code == 0
    assert "needs" in out
    assert "makes true" in out


def test_lists_are_tables_or_json(knowflow: Call) -> None:
    for group, word in (("tools", "spectral_index"), ("templates", "burn_severity_classes"), ("runs", "No runs yet")):
        code, out, _ = knowflow(group, "list")
        assert code == 0
        assert word in out
    assert knowflow("runs", "list", "--by", "person")[1].strip() == "No run is of that."
    tools = json.loads(knowflow("tools", "list", "--json")[1])
    assert {"tool", "kit", "layers", "title", "source"} == set(tools[0])
    assert "spectral_index" in {tool["tool"] for tool in tools}
    for group in ("templates", "runs"):
        assert group in json.loads(knowflow(group, "list", "--json")[1])


def test_doctor_exits_with_1_when_something_does_not_work(knowflow: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KnowFlow, "doctor", lambda self: [Diagnosis("gdal", False, "nothing", "reinstall")])
    code, out, _ = knowflow("doctor", "--json")
    assert code == 1
    assert json.loads(out)["diagnoses"][0]["hint"] == "reinstall"


@pytest.mark.parametrize(
    ("error", "code", "word"), [(OSError(28, "No space left"), 3, "no_space"), (ZeroDivisionError("x"), 2, "defect")]
)
def test_errors_that_nobody_named_are_told_without_a_traceback(
    knowflow: Call, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, word: str
) -> None:
    def broken(self: KnowFlow) -> list[Diagnosis]:
        raise error

    monkeypatch.setattr(KnowFlow, "doctor", broken)
    found, _, err = knowflow("doctor", "--json")
    assert found == code
    assert json.loads(err)["error"]["code"] == word


def test_a_run_that_is_not_there_starts_no_server(knowflow: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "knowflow.execution.prefect_server.ensure_server", lambda *_: pytest.fail("a server was started")
    )
    code, _, err = knowflow("runs", "resume", "no_such_run")
    assert (code, "Starting" in err) == (2, False)
    assert "no run begins with" in err


def test_a_terminal_of_few_characters_is_written_to(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "KNOWFLOW_HOME": str(tmp_path)}
    program = "from knowflow.roof.cli import main; main(['doctor'])"
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert found.stderr == ""
    assert "? python" in found.stdout  # the check mark


def test_stopping_a_server_that_is_not_there_is_fine(knowflow: Call) -> None:
    code, out, _ = knowflow("ui", "--stop", "--json")
    assert code == 0
    assert json.loads(out) == {"running": False, "stopped": False, "ui": None}
