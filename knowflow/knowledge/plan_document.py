"""Saved plans: YAML that a person can read, change and run again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from knowflow.graph.check import check_plan
from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem
from knowflow.ground.system import refusal
from knowflow.ground.yaml_text import written
from knowflow.knowledge.documents import Loaded, load_model
from knowflow.model.artifact import ArtifactType
from knowflow.model.plan import PLAN_FORMAT, Plan
from knowflow.model.tool import Document, ToolSchema


class FactDocument(Document):
    value: Any
    origin: Literal["assumed", "declared", "derived", "measured", "user"]
    source: str = ""


class ArtifactDocument(Document):
    type: ArtifactType
    name: str = ""
    path: str | None = None
    band: int | None = Field(None, ge=1)
    value: Any = None
    key: str | None = None
    facts: dict[str, FactDocument] = Field(default_factory=dict)
    items: tuple[ArtifactDocument, ...] = ()
    members: dict[str, ArtifactDocument] = Field(default_factory=dict)


class InsertedDocument(Document):
    by: Literal["planner", "rule", "schema", "memory", "llm", "person", "user"]
    because: str
    goal: str
    lossy: str | None = None


class NodeDocument(Document):
    id: str = Field(min_length=1)
    tool: str
    layer: Literal[1, 2, 3] = 1
    title: str = ""
    step: str = ""
    args: dict[str, Any] = Field(default_factory=dict)
    of: str = Field("", description="the operator of the question that it is for")
    inserted: InsertedDocument | None = None


class QualityDocument(Document):
    condition: str
    values: dict[str, Any] = Field(default_factory=dict)


class AssumptionDocument(Document):
    what: str
    value: Any
    origin: str
    because: str = ""


class DecisionDocument(Document):
    what: str
    chosen: str
    because: str
    rejected: tuple[tuple[str, str], ...] = ()


class PlanDocument(Document):
    """A plan as it is saved: inputs with their facts, nodes with their arguments, and what was decided."""

    plan: Literal[1]
    query: str = ""
    title: str = ""
    template: str = ""
    understood: dict[str, Any] = Field(default_factory=dict)
    parameters: dict[str, Any] = Field(default_factory=dict)
    inputs: dict[str, ArtifactDocument] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    nodes: tuple[NodeDocument, ...] = Field(min_length=1)
    outputs: dict[str, Any] = Field(default_factory=dict)
    answer: str = ""
    unit: str = ""
    quality: tuple[QualityDocument, ...] = ()
    assumptions: tuple[AssumptionDocument, ...] = ()
    decisions: tuple[DecisionDocument, ...] = ()


def save_plan(plan: Plan, path: Path) -> None:
    """Write a plan as YAML, whole or not at all; the folder is made where there is none.

    Raises:
        OutputError, NoSpaceError: the system refuses it.
    """
    text = written(plan.to_json())
    temporary = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(
            f"# A KnowFlow plan, format {PLAN_FORMAT}: `knowflow run {path.name}` executes it.\n{text}"
        )
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise refusal(error, str(path)) from error


def load_plan(path: Path) -> Plan:
    """Read a saved plan.

    Raises:
        DocumentError: the file is not a valid plan; every problem is listed.
    """
    loaded = load_model(path, PlanDocument)
    if loaded.model is None or loaded.problems:
        raise DocumentError(
            f"{path.name} is not a valid plan",
            where=str(path),
            expected="a plan as `knowflow plan ... --save FILE` writes it",
            found="1 problem" if len(loaded.problems) == 1 else f"{len(loaded.problems)} problems",
            problems=loaded.problems,
        )
    return _plan(loaded)


def plan_problems(path: Path, tools: Mapping[str, ToolSchema]) -> list[Problem]:
    """Every problem of a saved plan: of the document, and of the workflow in it, at the lines of its nodes."""
    loaded = load_model(path, PlanDocument)
    if loaded.model is None:
        return list(loaded.problems)
    position = {node.id: index for index, node in enumerate(loaded.model.nodes)}
    problems = list(loaded.problems)
    for problem in check_plan(_plan(loaded), tools).problems:
        node = problem.where.split(" -> ")[0]
        while node not in position and "." in node:
            node = node.rpartition(".")[0]
        at = ("nodes", position[node]) if node in position else ("nodes",)
        problems.append(
            loaded.document.problem(at, problem.code, problem.expected, problem.found, problem.hint, problem.severity)
        )
    return problems


def _plan(loaded: Loaded[PlanDocument]) -> Plan:
    assert isinstance(loaded.document.data, dict)
    return Plan.from_json(loaded.document.data)
