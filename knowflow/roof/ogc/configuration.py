"""The configuration of a pygeoapi server whose processes are the templates that answer, and questions in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from knowflow.model.template import Template

ASK = "ask"
PLUGIN = "knowflow.roof.ogc.processor.TemplateProcessor"
MANAGER = "knowflow.roof.ogc.manager.JobManager"
_LICENCE = {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}
_TILES = {"url": "https://tile.openstreetmap.org/{z}/{x}/{y}.png", "attribution": "OpenStreetMap contributors"}


def answering(templates: Iterable[Template]) -> tuple[Template, ...]:
    """The templates that answer by themselves, rather than define a quantity or serve as a method of a step."""
    return tuple(one for one in templates if one.method_of is None and one.defines is None)


def configuration(templates: Sequence[Template], roots: Sequence[Path], jobs: Path, url: str) -> dict[str, Any]:
    """The configuration as data. ``roots`` are the folders that clients may name data in, ``jobs`` is that for the
    results and for the record of jobs that run on, ``url`` where the server is to be found by its clients."""
    host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    manager = {"name": MANAGER, "connection": str(jobs / "jobs.json"), "output_dir": str(jobs)}
    server = {
        "bind": {"host": host, "port": int(port or 80)},
        "url": url,
        "mimetype": "application/json; charset=UTF-8",
        "encoding": "utf-8",
        "language": "en-US",
        "cors": False,
        "pretty_print": True,
        "limits": {"default_items": 20, "max_items": 500},
        "map": _TILES,
        "manager": manager,
    }
    identification = {
        "title": "KnowFlow",
        "description": "Questions about Earth-observation data, answered by checked workflows",
        "keywords": ["earth observation", "workflow"],
        "keywords_type": "theme",
        "terms_of_service": _LICENCE["url"],
        "url": url,
    }
    named = {"name": "KnowFlow", "url": url}
    metadata = {"identification": identification, "license": _LICENCE, "provider": named, "contact": named}
    opened = {"name": PLUGIN, "roots": [str(root.resolve()) for root in roots], "jobs": str(jobs)}
    names = (ASK, *(one.template for one in templates))
    processes = {name: {"type": "process", "processor": {**opened, "process": name}} for name in names}
    return {"server": server, "logging": {"level": "ERROR"}, "metadata": metadata, "resources": processes}


_TYPES: Mapping[str, Mapping[str, Any]] = {
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "strings": {"type": "array", "items": {"type": "string"}},
    "bbox": {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
    "mapping": {"type": "object"},
}
_TEXT = {"type": "string"}


def described(template: Template | None) -> dict[str, Any]:
    """A template as a process: its parameters are inputs beside the data; None: any question in words."""
    name, title = (ASK, "Answer a question") if template is None else (template.template, template.title)
    inputs = {
        "data": _input("Folder with the imagery", _TEXT, True),
        "aoi": _input("West, south, east, north in degrees, or a vector file", _TEXT, False),
        "at": _input("Point, as longitude,latitude in degrees: its value, or over dates its series", _TEXT, False),
        "dates": _input("Period of the data to use, START/END", _TEXT, False),
        "assume": _input("Facts of the data that no file tells: crs=EPSG:32633", _TYPES["strings"], False),
    }
    if template is None:
        inputs = {"question": _input("A question in plain words", _TEXT, True), **inputs}
    for key, one in template.parameters.items() if template is not None else ():
        limits = {"minimum": one.minimum, "maximum": one.maximum, "default": one.default}
        told = {name: value for name, value in limits.items() if value is not None}
        choices = {"enum": list(one.choices)} if one.choices else {}
        required = not one.optional and one.default is None
        inputs[key] = _input(one.title or key, {**_TYPES.get(one.type, _TEXT), **told, **choices}, required)
    outputs = {
        "answer": _output("The answer: a number, a text or rows; none where it is a map", {}),
        "unit": _output("Its unit", _TEXT),
        "understood": _output("What was computed, in words", _TEXT),
        "files": _output("Every file that was written, by name", {"type": "object"}),
        "report": _output("The report: map, checks, what was assumed", _TEXT),
        "run": _output("The whole record of the run", {"type": "object"}),
    }
    description = title if template is None else "; ".join((title, *template.assumes))
    return {
        "version": "1.0.0" if template is None else f"{template.version}.0.0",
        "id": name,
        "title": {"en": title},
        "description": {"en": description},
        "jobControlOptions": ["sync-execute", "async-execute", "dismiss"],
        "outputTransmission": ["value"],
        "keywords": list(template.about) if template is not None else [],
        "links": [],
        "inputs": inputs,
        "outputs": outputs,
        "example": {"inputs": {"data": "imagery"}},
    }


def _input(title: str, schema: Mapping[str, Any], required: bool) -> dict[str, Any]:
    return {"title": title, "description": title, "schema": dict(schema), "minOccurs": int(required), "maxOccurs": 1}


def _output(title: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"title": title, "description": title, "schema": {"contentMediaType": "application/json", **schema}}
