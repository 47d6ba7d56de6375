"""Tools of a real server of the Model Context Protocol as nodes: given files, checked, repaired, and ended."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import rasterio
from raster_files import write

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from knowflow import KnowFlow
from knowflow.ground.errors import ToolCrashError, ToolError, ToolTimeoutError, UnknownNameError
from knowflow.ground.extras import MissingExtraError
from knowflow.question.document import question_of
from knowflow.tools.context import Lasting, running
from knowflow.tools.mcp import connection
from knowflow.tools.registry import bind, check_binding

SERVER = """
import os, time
from pathlib import Path

import numpy as np
import rasterio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("rasters")
with open("started.txt", "a") as file:
    file.write(f"{os.getpid()} {os.environ.get('GREETING')}\\n")


def read(path: str) -> np.ndarray:
    with rasterio.open(path) as raster:
        return raster.read(1, masked=True).astype(float).filled(np.nan)


@server.tool()
def take_difference(first: str, second: str, target: str) -> None:
    with rasterio.open(first) as raster:
        profile = raster.profile | {"dtype": "float32", "nodata": np.nan, "driver": "GTiff"}
    with rasterio.open(target, "w", **profile) as raster:
        raster.write((read(first) - read(second)).astype("float32"), 1)


@server.tool()
def mean_of(path: str) -> float:
    return float(np.nanmean(read(path)))


@server.tool()
def height_of(dem: str, target: str) -> None:
    if not Path("died.txt").exists():
        Path("died.txt").touch()
        os._exit(3)
    take_difference(dem, dem, target)
    with rasterio.open(target, "r+") as raster:
        raster.write(read(dem).astype("float32"), 1)


@server.tool()
def be_slow() -> str:
    time.sleep(3)
    return "done"


@server.tool()
def end_itself() -> str:
    os._exit(3)


@server.tool()
def refuse() -> str:
    raise ToolError("no licence for that")


server.run()
"""
NUMBER = "returns: {type: scalar}\n"
TEXT = "parameters: {}\nreturns: {type: text}\n"
SCHEMAS = {
    "mean_of": "parameters: {path: {type: raster}}\npreconditions: [scaled(path)]\n" + NUMBER,
    "take_difference": """parameters:
  first: {type: raster}
  second: {type: raster}
  target: {type: path, role: output}
preconditions: ["same_grid(first, second)", scaled(first), scaled(second)]
effects:
  sets: [scaled(target)]
  preserves: {target: {from: first, only: [grid, unit]}}
  ensures: [valid_fraction(target) > 0.5]
""",
    "height_of": """parameters:
  dem: {type: raster, quantity: [elevation]}
  target: {type: path, role: output}
preconditions: [scaled(dem), unit(dem) == 'm']
effects:
  sets: [scaled(target), quantity(target) == 'elevation', unit(target) == 'm']
  preserves: {target: {from: dem, only: [grid]}}
""",
    "be_slow": TEXT + "timeout_s: 0.5\n",
    "end_itself": TEXT,
    "refuse": TEXT,
    "lacking": TEXT,
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a server of its own, and schemas of ours around its tools."""
    knowledge = tmp_path / ".knowflow"
    (knowledge / "schemas").mkdir(parents=True)
    (knowledge / "server.py").write_text(SERVER, encoding="utf-8")
    command = f"servers:\n  rasters: {{command: ['{sys.executable}', server.py], env: {{GREETING: hello}}}}\n"
    (knowledge / "mcp.yaml").write_text(command, encoding="utf-8")
    for name, rest in SCHEMAS.items():
        text = f"tool: {name}\ntitle: {name}\nkit: analysis\nlayers: [2]\nrun: mcp:rasters/{name}\n{rest}"
        (knowledge / "schemas" / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ended(project: Path) -> bool:
    """Whether every server that was started is gone."""
    until = time.monotonic() + 10
    started = (project / ".knowflow" / "started.txt").read_text(encoding="utf-8").split()[::2]
    while any(Path(f"/proc/{one}").exists() for one in started) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(Path(f"/proc/{one}").exists() for one in started)


def test_a_server_is_given_the_numbers_that_are_meant_and_is_gone_afterwards(project: Path) -> None:
    stored = np.array([[1000, 2000], [3000, -9999]], np.int16)
    write(project / "ndvi.tif", stored, nodata=-9999)
    result = KnowFlow().run_tool("mean_of", {"path": "ndvi.tif"}, assume=["scale=0.0001,offset=0"], out=project / "out")
    assert result.status == "completed", result.error
    assert result.answer == pytest.approx(0.2)
    assert ended(project)
    assert (project / ".knowflow" / "started.txt").read_text(encoding="utf-8").split()[1] == "hello"


def test_what_it_writes_is_measured_and_checked(project: Path) -> None:
    first = np.arange(64, dtype=np.float32).reshape(8, 8)
    write(project / "first.tif", first)
    write(project / "second.tif", np.full((8, 8), 1.5, np.float32))
    given, kf = {"first": "first.tif", "second": "second.tif"}, KnowFlow()
    result = kf.run_tool("take_difference", given, out=project / "out", assume=["scale=1,offset=0"])
    assert result.status == "completed", result.error
    with rasterio.open(result.outputs["target"]) as raster:
        np.testing.assert_allclose(raster.read(1), first - 1.5)
        assert float(raster.tags(1)["STATISTICS_MEAN"]) == pytest.approx(30)
    write(project / "second.tif", np.where(first > 10, np.nan, first))
    failed = kf.run_tool("take_difference", given, out=project / "out", assume=["scale=1,offset=0"])
    assert failed.error is not None
    assert failed.error["code"] == "effect"


def test_what_it_needs_is_made_before_and_a_server_that_died_is_started_again(project: Path) -> None:
    folder = project / "data"
    folder.mkdir()
    write(folder / "dem.tif", np.full((8, 8), 1000, np.float32))
    question = question_of("apply(height_of, [elevation])")
    assume = ["quantity=elevation,unit=ft,scale=1,offset=0"]
    result = KnowFlow().run(question, folder, out=project / "out", assume=assume)
    assert result.status == "completed", result.error
    (height,) = (file for file in result.outputs.values() if file.endswith(".tif"))
    with rasterio.open(height) as raster:
        np.testing.assert_allclose(raster.read(1), 304.8, rtol=1e-6)
    assert (len(result.inserted), result.repairs) == (1, 1)
    assert ended(project)


def test_what_goes_wrong_there_has_a_name_here(project: Path) -> None:
    tools = KnowFlow().tools()
    cases = [
        ("refuse", ToolError, "no licence for that"),
        ("lacking", UnknownNameError, "mean_of"),
        ("be_slow", ToolTimeoutError, r"0\.5 s"),
        ("end_itself", ToolCrashError, "rasters"),
    ]
    with closing(Lasting()) as lasting, running(lasting=lasting):
        for tool, error, words in cases:
            with pytest.raises(error, match=words):
                bind(tools[tool])()
    assert ended(project)


def test_servers_that_are_not_there_are_told_by_the_check(project: Path) -> None:
    configured = project / ".knowflow" / "mcp.yaml"
    schema = project / ".knowflow" / "schemas" / "mean_of.yaml"
    assert [one for one in KnowFlow().check([schema, configured]) if one.severity == "error"] == []
    tool = KnowFlow().tools()["mean_of"]
    assert not (project / ".knowflow" / "started.txt").exists(), "a check starts nothing"
    configured.write_text("servers:\n  others: {command: [x], url: http://127.0.0.1:1/mcp}\n", encoding="utf-8")
    assert [one.expected for one in check_binding(tool)] == ["a command or a url"]
    configured.write_text("servers:\n  others: {command: [no-such-program]}\n", encoding="utf-8")
    assert [one.code for one in check_binding(tool)] == ["no_implementation"]
    with pytest.raises(ToolCrashError) as caught:
        bind(tool.model_copy(update={"run": "mcp:others/mean_of"}))(path=write(project / "a.tif", np.ones((2, 2))))
    assert caught.value.expected == "no-such-program"


def test_a_plain_installation_says_what_to_install(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    entry = connection.ServerEntry(command=("x",))
    with (
        pytest.raises(MissingExtraError, match=r'pip install "knowflow\[mcp\]"'),
        connection.connected("a", entry, project),
    ):
        pass
