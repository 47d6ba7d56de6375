"""JSON Schemas of everything a person may author, so that an editor completes and checks YAML as it is typed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.cards import CardFile
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.plan_document import PlanDocument
from knowflow.knowledge.rules import RuleFile
from knowflow.model.causes import CAUSES
from knowflow.model.dataset import Dataset
from knowflow.model.model_card import ModelCard
from knowflow.model.template import Template
from knowflow.model.tool import ToolSchema
from knowflow.question.document import json_schema
from knowflow.reason.inventory.products import ProductFile

_MODELS: dict[str, type[BaseModel]] = {
    "tool": ToolSchema,
    "template": Template,
    "plan": PlanDocument,
    "dataset": Dataset,
    "cards": CardFile,
    "rules": RuleFile,
    "model": ModelCard,
    "products": ProductFile,
}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schemas(catalogue: Catalogue) -> dict[str, dict[str, Any]]:
    """The schemas by kind of document; names of tools, tasks and templates at hand are suggested, not required."""
    found = {}
    for kind, model in _MODELS.items():
        schema = model.model_json_schema(by_alias=True)
        found[kind] = headed(kind, schema)
    found["question"] = headed("question", json_schema())
    tasks = {template.method_of for template in catalogue.templates.values() if template.method_of is not None}
    step = found["template"]["$defs"]["Step"]["properties"]
    _suggest(step, "tool", catalogue.tools)
    _suggest(step, "template", catalogue.templates)
    _suggest(step, "task", tasks)
    _suggest(found["plan"]["$defs"]["NodeDocument"]["properties"], "tool", catalogue.tools)
    _suggest(
        found["question"]["$defs"]["quantity"]["properties"]["quantity"]["anyOf"][0]["properties"],
        "kind",
        quantity_kinds(),
    )
    for action in ("InsertTool", "ReplaceTool"):
        _suggest(found["rules"]["$defs"][action]["properties"], "tool", catalogue.tools)
    found["rules"]["$defs"]["Pattern"]["properties"]["cause"]["items"] = {"enum": sorted(CAUSES)}
    return found


def headed(kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a kind of document with its dialect and title."""
    return {"$schema": _DIALECT, "title": f"KnowFlow {kind}"} | schema | {"title": f"KnowFlow {kind}"}


def _suggest(properties: dict[str, Any], name: str, known: Iterable[str]) -> None:
    """Names that an editor offers; others stay allowed, for they may be in files that are not written yet."""
    own = properties[name]
    properties[name] = {**own, "anyOf": [{"enum": sorted(known)}, *own.pop("anyOf", [{"type": own.get("type")}])]}


def write_schemas(folder: Path, schemas: Mapping[str, Mapping[str, Any]]) -> list[Path]:
    """Write ``KIND.schema.json`` for every kind of document; the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind, schema in schemas.items():
        path = folder / f"{kind}.schema.json"
        path.write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written.append(path)
    return written
