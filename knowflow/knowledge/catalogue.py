"""The knowledge at hand: every tool schema and template on the search path, loaded and checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.files import in_place_of_file
from knowflow.ground.report import Problem
from knowflow.ground.resources import Kind, resources
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import Document
from knowflow.knowledge.composition import composition_problems, methods_of, sound_templates
from knowflow.knowledge.documents import Loaded, load_model
from knowflow.knowledge.retired import retired_templates
from knowflow.knowledge.schema_check import tool_problems
from knowflow.knowledge.template_check import template_problems
from knowflow.model.template import Template
from knowflow.model.tool import ToolSchema

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Catalogue:
    """What can be used, by id: documents with errors, and templates that use them, are in ``problems`` instead.

    ``documents`` has every document that could be read; ``shadowed`` lists those that a stronger layer of the search
    path hides.
    """

    tools: Mapping[str, ToolSchema] = field(default_factory=dict)
    templates: Mapping[str, Template] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    shadowed: tuple[tuple[str, Path], ...] = ()

    def template(self, name: str) -> Template:
        """A template by name; an unknown name is an error that suggests the closest, a broken document its problems."""
        return _by_name("template", name, self.templates, self.problems)

    def tool(self, name: str) -> ToolSchema:
        """A tool by name; an unknown name is an error that suggests the closest, a broken document its problems."""
        return _by_name("tool", name, self.tools, self.problems)

    def methods(self, task: str) -> list[Template]:
        return methods_of(task, self.templates)


def _by_name(what: str, name: str, known: Mapping[str, M], problems: Iterable[Problem]) -> M:
    if name in known:
        return known[name]
    broken = [found for found in problems if found.severity == "error" and Path(found.file or "").stem == name]
    if broken:
        raise DocumentError(f"the {what} {name!r} has errors", where=broken[0].file, problems=broken)
    retired = retired_templates().get(name) if what == "template" else None
    if retired is not None:
        raise UnknownNameError(
            f"the template {name!r} is retired: what it computed is an expression",
            expected=retired,
            found=name,
            hint="ask in words, or write it down with your values: `knowflow run question.yaml` (docs/questions.md)",
        )
    raise UnknownNameError(
        f"no {what} is called {name!r}",
        expected=f"a {what} that exists",
        found=name,
        hint=did_you_mean(name, known, f"see `knowflow {what}s list`"),
    )


def load_catalogue(extra: Iterable[Path] = (), tools: Mapping[str, ToolSchema] | None = None) -> Catalogue:
    """Load everything on the search path, and ``extra`` files as its strongest layer.

    ``tools`` are schemas that no file holds (generated from GDAL's registry); authored ones take precedence.
    """
    files = tuple(extra)
    shadowed: list[tuple[str, Path]] = []
    loaded_tools = _load("schemas", ToolSchema, [p for p in files if kind_of(p) == "tool"], shadowed)
    loaded_templates = _load("templates", Template, [p for p in files if kind_of(p) == "template"], shadowed)
    problems = [problem for item in loaded_tools for problem in item.problems]
    authored_tools = {item.model.tool: item.model for item in loaded_tools if item.model is not None}
    tool_documents = {item.model.tool: item.document for item in loaded_tools if item.model is not None}
    every_tool = {**(tools or {}), **authored_tools}
    for name, schema in authored_tools.items():
        problems += tool_problems(schema, tool_documents[name])
    broken = {problem.file for problem in problems if problem.severity == "error"}
    broken_tools = {name for name, document in tool_documents.items() if document.file in broken}
    composed = templates_of(loaded_templates, every_tool, broken_tools)
    documents = {f"tool:{name}": document for name, document in tool_documents.items()}
    return Catalogue(
        composed.tools,
        composed.templates,
        {**documents, **composed.documents},
        tuple(dict.fromkeys((*problems, *composed.problems))),
        tuple(shadowed),
    )


def templates_of(
    loaded: Iterable[Loaded[Template]], tools: Mapping[str, ToolSchema], broken_tools: Collection[str] = ()
) -> Catalogue:
    """The templates that are sound together, over the tools without errors; what is wrong with the others."""
    listed = tuple(loaded)
    problems = [problem for item in listed for problem in item.problems]
    templates = {item.model.template: item.model for item in listed if item.model is not None}
    documents = {item.model.template: item.document for item in listed if item.model is not None}
    for name, template in templates.items():
        problems += template_problems(template, documents[name], tools, templates)
    problems += composition_problems(templates, documents)
    broken = {problem.file for problem in problems if problem.severity == "error"}
    sound_tools = {name: schema for name, schema in tools.items() if name not in broken_tools}
    sound, left_out = sound_templates(
        {name: template for name, template in templates.items() if documents[name].file not in broken},
        sound_tools,
        documents,
    )
    named = {f"template:{name}": document for name, document in documents.items()}
    return Catalogue(sound_tools, sound, named, tuple(dict.fromkeys((*problems, *left_out))))


def kind_of(path: Path) -> str | None:
    """``tool``, ``template``, ``plan``, ``cards``, ``rule``... by a file's first key (a list's: its first entry's)."""
    if in_place_of_file(path) is not None:
        return None
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        entry = line.removeprefix("- ").lstrip() if line.startswith("- ") else line
        if entry[:1].isalpha() and ":" in entry:
            return entry.split(":", 1)[0].strip()
    return None


def _load(kind: Kind, model: type[M], extra: list[Path], shadowed: list[tuple[str, Path]]) -> tuple[Loaded[M], ...]:
    """Documents of a kind, strongest layer first; a name seen twice in one layer is a problem, else it is shadowed."""
    seen: dict[str, tuple[str, Loaded[M]]] = {}
    result: list[Loaded[M]] = []
    places: list[tuple[str, Path]] = [("given", path) for path in extra]
    known = {path.resolve() for path in extra}
    places += [(item.layer, item.path) for item in resources(kind) if item.path.resolve() not in known]
    for layer, path in places:
        loaded = load_model(path, model)
        name = _name(loaded)
        if name is None or name not in seen:
            if name is not None:
                seen[name] = (layer, loaded)
            result.append(loaded)
        elif seen[name][0] != layer:
            shadowed.append((name, path))
        else:
            first = seen[name][1].path
            problem = loaded.document.problem((), "duplicate_id", f"one document named {name!r}", f"another: {first}")
            result.append(Loaded(path, loaded.document, None, (*loaded.problems, problem)))
    return tuple(result)


def _name(loaded: Loaded[M]) -> str | None:
    return None if loaded.model is None else str(next(iter(loaded.model.__dict__.values())))
