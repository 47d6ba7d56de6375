"""What OGC API - Processes 1.0 (OGC 18-062r2) requires of the documents of a server, as JSON Schemas of ours."""

from __future__ import annotations

from typing import Any

_LINKS = {
    "type": "array",
    "items": {"type": "object", "required": ["href"], "properties": {"href": {"type": "string", "minLength": 1}}},
}
_TEXT, _MOMENT = {"type": "string"}, {"type": ["string", "null"], "format": "date-time"}
_SUMMARY = {
    "type": "object",
    "required": ["id", "version", "jobControlOptions", "outputTransmission"],
    "properties": {
        "id": _TEXT,
        "version": _TEXT,
        "title": _TEXT,
        "description": _TEXT,
        "keywords": {"type": "array", "items": _TEXT},
        "jobControlOptions": {"type": "array", "items": {"enum": ["sync-execute", "async-execute", "dismiss"]}},
        "outputTransmission": {"type": "array", "items": {"enum": ["value", "reference"]}},
        "links": _LINKS,
    },
}
_PUT = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "required": ["schema"],
        "properties": {
            "schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
            "minOccurs": {"type": "integer", "minimum": 0},
            "maxOccurs": {"anyOf": [{"type": "integer", "minimum": 1}, {"const": "unbounded"}]},
        },
    },
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "landing page": {"type": "object", "required": ["links"], "properties": {"links": _LINKS}},
    "conformance": {
        "type": "object",
        "required": ["conformsTo"],
        "properties": {"conformsTo": {"type": "array", "items": _TEXT, "minItems": 1}},
    },
    "process list": {
        "type": "object",
        "required": ["processes", "links"],
        "properties": {"processes": {"type": "array", "items": _SUMMARY}, "links": _LINKS},
    },
    "process": {**_SUMMARY, "properties": {**_SUMMARY["properties"], "inputs": _PUT, "outputs": _PUT}},  # type: ignore[dict-item]
    "status": {
        "type": "object",
        "required": ["jobID", "status", "type"],
        "properties": {
            "jobID": _TEXT,
            "processID": _TEXT,
            "type": {"const": "process"},
            "status": {"enum": ["accepted", "running", "successful", "failed", "dismissed"]},
            "message": _TEXT,
            "progress": {"type": "integer", "minimum": 0, "maximum": 100},
            **dict.fromkeys(("created", "started", "finished", "updated"), _MOMENT),
            "links": _LINKS,
        },
    },
    "exception": {"type": "object", "required": ["type"], "properties": {"type": _TEXT}},
}
SCHEMAS["job list"] = {
    "type": "object",
    "required": ["jobs", "links"],
    "properties": {"jobs": {"type": "array", "items": SCHEMAS["status"]}, "links": _LINKS},
}
RELATIONS = {"service-desc", "conformance", "processes"}
"""What the landing page has to lead to."""
