"""Every tool runs in some test: called there by its function or by its name, or a step of a template that has a test.

The tools that GDAL describes of itself are run one by one in ``tests/tools/test_gdal_generated.py``, which checks that
it has a case for each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.tool import ToolSchema

TESTS = Path(__file__).parent
CATALOGUE = load_catalogue()


def _called_and_named(path: Path) -> Iterator[str]:
    """Functions that a test module calls or hands on, and texts that stand alone: names of tools that it runs."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield name
            case ast.Attribute(attr=name) | ast.Name(id=name, ctx=ast.Load()):
                yield name
            case ast.Constant(value=str(text)) if text.isidentifier():
                yield text


@pytest.fixture(scope="module")
def in_tests() -> frozenset[str]:
    modules = [path for path in TESTS.rglob("test_*.py") if path != Path(__file__)]
    assert len(modules) > 100
    return frozenset(name for path in modules for name in _called_and_named(path))


@pytest.fixture(scope="module")
def in_tested_templates() -> frozenset[str]:
    tested = [template for template in CATALOGUE.templates.values() if template.tests]
    assert tested
    return frozenset(step.target for template in tested for step in template.steps.values() if step.kind == "tool")


@pytest.mark.parametrize("schema", CATALOGUE.tools.values(), ids=lambda schema: str(schema.tool))
def test_a_tool_is_run_by_a_test(
    schema: ToolSchema, in_tests: frozenset[str], in_tested_templates: frozenset[str]
) -> None:
    function = schema.run.rpartition(":")[2]
    assert {schema.tool, function} & in_tests or schema.tool in in_tested_templates
