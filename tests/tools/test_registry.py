"""Schemas and functions: bound, and held to each other."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

import pytest
import yaml

from knowflow.ground.errors import UnknownNameError
from knowflow.ground.resources import packaged_root
from knowflow.ground.yamldoc import load
from knowflow.knowledge.schema_check import tool_problems
from knowflow.model.tool import ToolSchema
from knowflow.tools import registry
from knowflow.tools.registry import bind, check_binding, implementation_digest
from knowflow.tools.signatures import Sources

FILES = sorted(
    path
    for path in packaged_root("schemas").glob("*/*.yaml")
    if yaml.safe_load(path.read_text(encoding="utf-8"))["run"].startswith("python:")
)


def schema(**changes: object) -> ToolSchema:
    document = {
        "tool": "shrink",
        "title": "Shrink",
        "kit": "preprocessing",
        "layers": [1],
        "parameters": {
            "raster": {"type": "raster"},
            "factor": {"type": "integer", "default": 2},
            "weights": {"type": "numbers", "default": [1, 2]},
            "label": {"type": "string", "optional": True},
            "output": {"type": "path", "role": "output"},
        },
        "run": "python:sample_tool:shrink",
    }
    return ToolSchema.model_validate({**document, **changes})


SOURCE = """
from __future__ import annotations
from pathlib import Path
from knowflow.tools import context

def shrink(raster, output: Path, factor: int = 2, weights: tuple[int, ...] = (1, 2), label: str | None = None) -> None:
    pass

def other(raster, output: str, factor: int = 3, *, extra: int) -> float:
    return 1.0
"""


@pytest.fixture(autouse=True)
def sample_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sample_tool.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "sample_tool", raising=False)
    for cached in (registry._reachable, registry._source_file, registry._source_digest):
        cached.cache_clear()
    return tmp_path / "sample_tool.py"


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_every_schema_is_sound_and_agrees_with_its_function(file: Path) -> None:
    document = load(file)
    assert not document.problems
    found = ToolSchema.model_validate(document.data)
    assert file.stem == found.tool
    assert [str(problem) for problem in (*tool_problems(found, document), *check_binding(found))] == []


def test_there_are_schemas_to_check() -> None:
    assert {"spectral_index", "align_to", "apply_mask", "inspect"} <= {file.stem for file in FILES}


def test_a_schema_that_agrees_has_no_problems_and_binds() -> None:
    assert check_binding(schema()) == []
    assert bind(schema()).__name__ == "shrink"


def test_every_disagreement_is_reported_at_once() -> None:
    codes = {(problem.code, problem.where) for problem in check_binding(schema(run="python:sample_tool:other"))}
    assert codes == {
        ("unknown_parameter", "parameters.weights"),
        ("unknown_parameter", "parameters.label"),
        ("missing_parameter", "parameters"),
        ("default", "parameters.factor"),
        ("output_type", "parameters.output"),
        ("returns", "returns"),
    }


@pytest.mark.parametrize(
    "run", ["python:no_such_module:f", "python:sample_tool:nothing", "mcp:server/tool", "command:[ls]"]
)
def test_what_nothing_implements_is_named(run: str) -> None:
    with pytest.raises(UnknownNameError):
        bind(schema(run=run))
    assert [problem.code for problem in check_binding(schema(run=run))] == ["no_implementation"]


def test_other_schemes_are_bound_by_their_own_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sample_binder.py").write_text(
        "def bind(schema):\n    return schema.run.upper\ndef check_binding(schema):\n    return ['x']\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(registry, "BINDERS", {"gdal": "sample_binder"})
    assert bind(schema(run="gdal:raster info"))() == "GDAL:RASTER INFO"
    assert check_binding(schema(run="gdal:raster info")) == ["x"]


def test_the_digest_follows_the_code_of_the_tool_and_of_what_it_uses(sample_module: Path) -> None:
    before = implementation_digest(schema())
    assert implementation_digest(schema(title="Another title")) == before
    assert implementation_digest(schema(version=2)) != before
    sample_module.write_text(SOURCE + "\n# changed\n", encoding="utf-8")
    registry._source_digest.cache_clear()
    assert implementation_digest(schema()) != before
    assert "knowflow.tools.context" in registry._reachable("sample_tool")
    assert "knowflow.tools.raster.engine" in registry._reachable("knowflow.tools.index")


@pytest.fixture(params=["project", "user"])
def authored(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for knowledge, with a tool in a module that imports another one beside it, and one in a package."""
    folder = tmp_path / "place" / ".knowflow"
    (folder / "own_package").mkdir(parents=True)
    monkeypatch.chdir(folder.parent)
    if request.param == "user":
        monkeypatch.setenv("KNOWFLOW_CONFIG", str(folder))
        monkeypatch.chdir(tmp_path)
    (folder / "own_tool.py").write_text(f"{SOURCE}\nimport json\nfrom own_constants import FACTOR\n", encoding="utf-8")
    (folder / "own_constants.py").write_text("FACTOR = 2\n", encoding="utf-8")
    (folder / "own_package" / "__init__.py").write_text("", encoding="utf-8")
    (folder / "own_package" / "tool.py").write_text(f"{SOURCE}\nfrom . import inner\n", encoding="utf-8")
    (folder / "own_package" / "inner.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("own_tool", "own_constants", "own_package", "own_package.tool", "own_package.inner"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder


def test_modules_of_the_project_and_of_the_user_are_found(authored: Path) -> None:
    for name in ("own_tool", "own_package.tool"):
        own = schema(run=f"python:{name}:shrink")
        assert check_binding(own) == []
        assert bind(own).__module__ == name
    assert sys.path.count(str(authored)) == 1


def test_what_is_installed_is_not_shadowed(authored: Path) -> None:
    (authored / "colorsys.py").write_text("def shrink(): pass\n", encoding="utf-8")
    with pytest.raises(UnknownNameError):
        bind(schema(run="python:colorsys:shrink"))


def test_the_digest_follows_own_modules_and_those_beside_them(authored: Path) -> None:
    own, packed = schema(run="python:own_tool:shrink"), schema(run="python:own_package.tool:shrink")
    digests = [(implementation_digest(own), implementation_digest(packed))]
    assert registry._reachable("own_package.tool") >= {"own_package.tool", "own_package.inner"}
    for changed in ("own_tool.py", "own_constants.py", "own_package/inner.py"):
        file = authored / changed
        file.write_text(file.read_text("utf-8") + "# changed\n", encoding="utf-8")
        registry._source_digest.cache_clear()
        digests.append((implementation_digest(own), implementation_digest(packed)))
    assert len({one for one, _ in digests}) == 3
    assert len({one for _, one in digests}) == 2
    assert "json" not in registry._reachable("own_tool")
    assert "own_package" not in sys.modules  # nothing of it was run


def test_a_digest_imports_nothing_heavy() -> None:
    import subprocess

    code = (
        "import sys; from knowflow.tools.registry import _reachable;"
        "print(len(_reachable('knowflow.tools.index')) > 5, 'rasterio' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, cwd=packaged_root("schemas").parent, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"]


IMPORTING = """
from pathlib import Path
Path({marker!r}).write_text("imported")
raise SystemExit(3)
"""


def test_checking_a_schema_runs_nothing_of_what_it_checks(sample_module: Path) -> None:
    marker = sample_module.with_name("imported.txt")
    sample_module.write_text(SOURCE + IMPORTING.format(marker=str(marker)), encoding="utf-8")
    assert check_binding(schema()) == []
    assert [p.code for p in check_binding(schema(run="python:sample_tool:nothing"))] == ["no_implementation"]
    assert not marker.exists()
    assert "sample_tool" not in sys.modules


@pytest.mark.parametrize(
    "source",
    [
        "from sample_other import shrink\n",
        "from sample_other import inner as shrink\n",
        "import sample_other\nfrom sample_other import inner\nshrink = inner\n",
        "try:\n    import numba\n    from sample_other import shrink\nexcept ImportError:\n    shrink = None\n"
        "from sample_other import shrink\n",
    ],
)
def test_a_function_is_found_over_imports_and_other_names(source: str, sample_module: Path) -> None:
    other = SOURCE.replace("factor: int = 2", "factor: int = HALF * 2").replace("(1, 2)", "(HALF, 2)")
    written = f"{other}\nHALF = 1\ninner = shrink\n"
    sample_module.with_name("sample_other.py").write_text(written, encoding="utf-8")
    sample_module.write_text(source, encoding="utf-8")
    assert check_binding(schema()) == []


@pytest.mark.parametrize("source", ["", "shrink = 1\n", "def shrink(:\n", "import sample_tool\n", "shrink = shrink\n"])
def test_a_source_without_the_function_is_named(source: str, sample_module: Path) -> None:
    sample_module.write_text(source, encoding="utf-8")
    assert [problem.code for problem in check_binding(schema())] == ["no_implementation"]


def test_what_is_read_is_what_python_makes_of_it() -> None:
    """Of every tool that there is: parameters, kinds, defaults and annotations, by Python's own reading."""
    compared = 0
    for file in FILES:
        found = ToolSchema.model_validate(load(file).data)
        scheme, _, target = found.run.partition(":")
        if scheme == "python":
            module, _, name = target.partition(":")
            read = Sources(registry._source_file).signature(module, name)
            told = inspect.signature(bind(found))
            assert [(p.name, p.kind, p.default) for p in read.parameters.values()] == [
                (p.name, p.kind, p.default) for p in told.parameters.values()
            ]
            assert str(read.return_annotation) == str(told.return_annotation).replace('"', "'")
            compared += 1
    assert compared > 100


def test_imports_are_seen_wherever_they_stand() -> None:
    source = """
import a
try:
    import b
except ImportError:
    from c import d
else:
    import e
finally:
    import f
class G:
    if True: import h
    elif False: import i
    async def j(self):
        async with x: import k
        for y in z: import l
        else: import m
        match y:
            case 1: import n
        while y: import o
        return lambda: 1
"""
    parsed = ast.parse(source)
    everywhere = {ast.dump(node) for node in ast.walk(parsed) if isinstance(node, ast.Import | ast.ImportFrom)}
    found = {ast.dump(node) for node in registry._statements(parsed) if isinstance(node, ast.Import | ast.ImportFrom)}
    assert len(everywhere) == 12
    assert found == everywhere
