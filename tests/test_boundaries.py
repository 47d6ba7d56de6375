"""The house's one rule of structure: imports go downward only. Read from the code's own imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGE = CHECKOUT / "knowflow"
BENCHES = CHECKOUT / "benchmarks" / "knowflow_bench"
LAYERS = (
    *("ground", "model", "graph", "knowledge", "question", "reason"),
    *("memory", "tools", "execution", "service", "roof"),
)
# `knowflow.testing` writes data and may use anything up to the tools; only what runs and shows tests may use it
TESTING_REACHES = LAYERS.index("tools")
MAY_USE_TESTING = ("service", "roof", "testing")
QUESTION_USES = ("ground", "question")
READING_USES = ("ground", "knowledge", "question")  # what words may mean is knowledge
MAY_USE_PREFECT = "execution/prefect_"
HEAVY = ("rasterio", "prefect", "chromadb", "scipy", "matplotlib")


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    root = BENCHES.parent if path.is_relative_to(BENCHES) else CHECKOUT
    return ".".join(path.relative_to(root).with_suffix("").parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, wherever in it, with the line; `from a import b` counts as `a` and `a.b`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield node.lineno, str(node.module)
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def layer_of(module: str) -> str | None:
    """The layer of `knowflow.LAYER...`; None for the package itself and for others' modules."""
    parts = module.split(".")
    return parts[1] if parts[0] == "knowflow" and len(parts) > 1 else None


def offence(importer: str, relative: str, imported: str) -> str | None:
    """Why a module of a layer may not import another module; None where it may."""
    if imported.split(".")[0] == "prefect" and not relative.startswith(MAY_USE_PREFECT):
        return "only knowflow/execution/prefect_*.py imports prefect"
    if imported.split(".")[0] == BENCHES.name and importer != BENCHES.name:
        return "the benches are not installed: knowflow/bench.py is the one door to them"
    if importer == BENCHES.name:
        return None
    target = layer_of(imported)
    uses = READING_USES if relative.startswith("question/reading/") else QUESTION_USES
    if importer == "question" and target in LAYERS and target not in uses:
        return f"a question means the same whatever the data: it uses {' and '.join(uses)} alone"
    if target == "testing":
        return None if importer in MAY_USE_TESTING else "only service, roof and tests import knowflow.testing"
    if target is None or target not in LAYERS:
        return None
    reach = TESTING_REACHES if importer == "testing" else LAYERS.index(importer)
    return None if LAYERS.index(target) <= reach else f"{importer} lies below {target}"


def test_the_interpreter_uses_numpy_and_the_algebra_alone() -> None:
    """What tools are compared with must not share a mistake with them."""
    own = ("knowflow.testing.interpreter", "knowflow.question", "knowflow.ground.units")
    standard = sys.stdlib_module_names
    found = [
        imported
        for path in sorted((PACKAGE / "testing" / "interpreter").rglob("*.py"))
        for _, imported in imports(path)
        if imported != "knowflow.testing.interpreter" and not imported.startswith(own)
    ]
    assert {name.split(".")[0] for name in found} - standard == {"numpy"}


def test_imports_go_downward_only() -> None:
    seen = 0
    offences = []
    for path in [*modules(), *BENCHES.rglob("*.py")]:
        package = BENCHES if path.is_relative_to(BENCHES) else PACKAGE
        relative = path.relative_to(package)
        if package == PACKAGE and len(relative.parts) == 1:
            continue  # knowflow/__init__.py and bench.py: the doors, which lead to the service and to the benches
        for line, imported in imports(path):
            seen += layer_of(imported) is not None
            why = offence(relative.parts[0] if package == PACKAGE else BENCHES.name, relative.as_posix(), imported)
            if why is not None:
                offences.append(f"{path.relative_to(CHECKOUT)}:{line} imports {imported}: {why}")
    assert not offences, "\n".join(offences)
    assert seen > 100, "the scan found next to nothing: it does not look where the code is"


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = nx.DiGraph()
    names = {name_of(path): path for path in [*modules(), *BENCHES.rglob("*.py")]}
    for name, path in names.items():
        graph.add_edges_from((name, imported) for _, imported in imports(path) if imported in names)
    assert graph.size() > 1000, "the scan found next to nothing: it does not look where the code is"
    assert [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1] == []


def test_every_folder_is_a_layer_that_the_scan_knows() -> None:
    folders = {path.relative_to(PACKAGE).parts[0] for path in modules() if path.parent != PACKAGE}
    assert folders == {*LAYERS, "testing"}


@pytest.mark.parametrize(
    ("importer", "relative", "imported", "allowed"),
    [
        ("graph", "graph/check.py", "knowflow.model.tool", True),
        ("graph", "graph/check.py", "knowflow.graph.effects", True),
        ("graph", "graph/check.py", "knowflow.knowledge", False),
        ("model", "model/tool.py", "knowflow.graph.check", False),
        ("execution", "execution/scheduler.py", "prefect", False),
        ("execution", "execution/scheduler.py", "prefect.client", False),
        ("execution", "execution/prefect_runner.py", "prefect.client", True),
        ("roof", "roof/cli.py", "prefect", False),
        ("reason", "reason/builder.py", "knowflow.testing.scenes", False),
        ("service", "service/template_tests.py", "knowflow.testing.scenes", True),
        ("testing", "testing/scenes.py", "knowflow.tools.raster", True),
        ("testing", "testing/scenes.py", "knowflow.execution.action", False),
        ("ground", "ground/units.py", "pint", True),
        ("question", "question/check.py", "knowflow.ground.units", True),
        ("question", "question/reading/vocabulary.py", "knowflow.knowledge.lexicon", True),
        ("question", "question/reading/reader.py", "knowflow.reason.inventory", False),
        ("question", "question/reading/reader.py", "knowflow.model.goal", False),
        ("question", "question/check.py", "knowflow.reason.builder", False),
        ("question", "question/check.py", "knowflow.graph.check", False),
        ("roof", "roof/cli/bench.py", "knowflow_bench.cli", False),
        ("testing", "testing/scenes.py", "knowflow_bench.faults", False),
        ("memory", "memory/replay.py", "knowflow.reason.repair.repairer", True),
        ("memory", "memory/learning.py", "knowflow.execution.run_store", False),
        ("reason", "reason/repair/repairer.py", "knowflow.memory.shelf", False),
        ("knowflow_bench", "faults/case.py", "knowflow.roof.cli.output", True),
        ("knowflow_bench", "faults/case.py", "knowflow.execution.scheduler", True),
        ("knowflow_bench", "faults/case.py", "prefect.client", False),
    ],
)
def test_the_rule_itself(importer: str, relative: str, imported: str, allowed: bool) -> None:
    assert (offence(importer, relative, imported) is None) is allowed


def test_imports_are_found_wherever_they_stand(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        "from typing import TYPE_CHECKING\n"
        "import os, a.b as c\n"
        "if TYPE_CHECKING:\n    from knowflow.roof import cli\n"
        "def f():\n    import prefect.client\n",
        encoding="utf-8",
    )
    found = {name for _, name in imports(source)}
    assert found >= {"os", "a.b", "knowflow.roof", "knowflow.roof.cli", "prefect.client"}


@pytest.mark.parametrize("module", ["knowflow", "knowflow.roof.cli", "knowflow.graph.check", "knowflow.reason.builder"])
def test_what_is_heavy_is_not_imported_before_it_is_needed(module: str) -> None:
    program = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=CHECKOUT, check=True)
    assert done.stdout.split() == []


def test_a_plan_is_made_without_what_runs_it_asks_a_language_model_or_reads_by_slots() -> None:
    program = (
        "import sys, knowflow.service.engine; print(*(name for name in sys.modules if name.startswith('knowflow.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=CHECKOUT, check=True)
    loaded = done.stdout.split()
    assert "knowflow.reason.expression_planner" in loaded
    others = ("knowflow.execution", "knowflow.reason.llm", "knowflow.reason.language.understanding")
    assert not [name for name in loaded if name.startswith((*others, "knowflow.reason.planner"))]
