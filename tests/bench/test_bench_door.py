"""The one door to the benches: it leads to those of this checkout, and says so where there are none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import knowflow
import knowflow_bench.metrics
from knowflow import bench
from knowflow.ground.errors import DataNotFoundError
from knowflow.roof.cli import main
from knowflow.roof.cli.app import app

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGE = Path(knowflow.__file__).parent


def python(program: str, cwd: Path, path: Path = CHECKOUT) -> subprocess.CompletedProcess[str]:
    known = os.environ | {"PYTHONPATH": str(path)}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=cwd, env=known)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a wheel has it: without what is beside it in a checkout."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE, site / "knowflow", ignore=shutil.ignore_patterns("__pycache__"))
    return site


def test_metrics_are_public_by_their_old_name() -> None:
    assert bench.__all__ == knowflow_bench.metrics.__all__
    assert bench.tao is knowflow_bench.metrics.tao
    assert not hasattr(bench, "__nothing__")


def test_it_leads_to_its_own_checkout_never_to_the_current_directory(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "benchmarks"):
        (folder / "knowflow_bench").mkdir(parents=True)
        (folder / "knowflow_bench" / "__init__.py").write_text("raise AssertionError('a stranger')\n", "utf-8")
    done = python("import knowflow.bench as b; print(b.load('metrics').__file__)", tmp_path)
    assert done.stdout.strip() == str(CHECKOUT / "benchmarks" / "knowflow_bench" / "metrics" / "__init__.py")


def test_commands_are_looked_for_when_a_bench_is_asked_for() -> None:
    """What other commands need not load costs them nothing."""
    program = "import sys, knowflow.roof.cli.app; print([name for name in sys.modules if 'knowflow_bench' in name])"
    assert python(program, CHECKOUT).stdout.split() == ["[]"]
    group = typer.main.get_group(app).commands["bench"]
    assert {"tasks", "faults", "report", "earth-bench"} <= set(group.commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("words", [[], ["--help"], ["tasks", "--json"]])
def test_an_installation_says_what_benches_need(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "packaged_root", lambda kind: tmp_path / kind)
    with pytest.raises(SystemExit) as ended:
        main(["bench", *words])
    assert ended.value.code == DataNotFoundError.exit_code
    said = capsys.readouterr().err
    assert "no part of an installed KnowFlow" in said
    assert "a checkout of KnowFlow" in said


def test_the_metrics_of_an_installation_say_so_too(installed: Path, tmp_path: Path) -> None:
    done = python("from knowflow.bench import tao", tmp_path, installed)
    assert done.returncode == 1
    assert "DataNotFoundError" in done.stderr
    assert "a checkout of KnowFlow" in done.stderr
