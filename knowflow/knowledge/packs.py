"""Packs on the search path: ``pkb/packs/NAME.yaml`` and the templates in ``pkb/packs/NAME``.

They are a vocabulary of their own: a pack's templates are proposed only to those who ask for the pack, and ours are not
proposed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.report import Problem
from knowflow.ground.resources import resources
from knowflow.ground.spelling import did_you_mean
from knowflow.knowledge.catalogue import Catalogue, templates_of
from knowflow.knowledge.documents import load_model
from knowflow.model.pack import Pack
from knowflow.model.template import Template
from knowflow.model.tool import ToolSchema


@dataclass(frozen=True)
class LoadedPack:
    """A pack, and the catalogue to plan with: its templates over all tools."""

    pack: Pack
    catalogue: Catalogue

    def belongs(self, tool: str) -> bool:
        """Whether a tool is called by the pack's conventions; others only prepare arguments."""
        schema = self.catalogue.tools[tool]
        return schema.run.startswith(self.pack.tools_run) or tool in self.pack.calls


def pack_names() -> tuple[str, ...]:
    """The packs that exist."""
    return tuple(dict.fromkeys(resource.path.stem for resource in resources("pkb", "packs/*.yaml")))


def load_pack(name: str, tools: Mapping[str, ToolSchema]) -> LoadedPack:
    """A pack and its templates, checked against the tools that exist.

    Raises:
        UnknownNameError: there is no such pack.
        DocumentError: it, or one of its templates, is not valid.
    """
    path = next((found.path for found in resources("pkb", f"packs/{name}.yaml")), None)
    if path is None:
        hint = did_you_mean(name, pack_names(), most=1)
        raise UnknownNameError(f"no pack is called {name!r}", expected=", ".join(pack_names()), found=name, hint=hint)
    loaded = load_model(path, Pack)
    catalogue = _catalogue(name, tools)
    problems = [*loaded.problems, *catalogue.problems]
    if loaded.model is None or any(problem.severity == "error" for problem in problems):
        raise DocumentError(f"the pack {name!r} has errors", where=str(path), problems=problems)
    return LoadedPack(loaded.model, _as_written(catalogue, loaded.model))


def _as_written(catalogue: Catalogue, pack: Pack) -> Catalogue:
    """The catalogue with the numbers of single quantities as the pack's tools write them: their units and ranges."""
    written = {"units": pack.units, "ranges": pack.ranges}

    def kept(template: Template) -> Template:
        parameters = {
            name: parameter.model_copy(update=written) if (parameter.unit or "").startswith("of(") else parameter
            for name, parameter in template.parameters.items()
        }
        return template.model_copy(update={"parameters": parameters})

    return replace(catalogue, templates={name: kept(template) for name, template in catalogue.templates.items()})


def pack_problems(tools: Mapping[str, ToolSchema]) -> list[Problem]:
    """Everything that is wrong with the packs at hand."""
    found: list[Problem] = []
    for name in pack_names():
        loaded = load_model(_path(name), Pack)
        found += loaded.problems
        found += _catalogue(name, tools).problems
        for tool in loaded.model.calls if loaded.model is not None else ():
            if tool not in tools:
                found.append(loaded.document.problem(("calls", tool), "unknown_tool", "a tool that exists", repr(tool)))
    return found


def _path(name: str) -> Path:
    return next(resource.path for resource in resources("pkb", f"packs/{name}.yaml"))


def _catalogue(name: str, tools: Mapping[str, ToolSchema]) -> Catalogue:
    seen: dict[str, None] = {}
    loaded = []
    for resource in resources("pkb", f"packs/{name}/**/*.yaml"):
        if resource.relative not in seen:
            seen[resource.relative] = None
            loaded.append(load_model(resource.path, Template))
    return templates_of(loaded, tools)
